/*
 * dict.c - gives methods and stubs numbers, and keeps their names beyond their unloading.
 *
 * Signal handlers insert without a lock: an entry is filled first and then published with one
 * compare and swap in its bucket. Of two handlers that insert the same method the second uses the
 * first one's entry.
 */
#include "recorder/vm/dict.h"

#include <string.h>
#include <sys/mman.h>

enum {
    N_BUCKETS = 2 * VM_DICT_METHODS,
    MAX_PROBES = 256,
    STUB_NAME_MAX = 120,
    LINES_MAX = 65536
};

static const size_t text_size = (size_t)VM_DICT_TEXT_MIB << 20;

bool vm_dict_open(struct vm_dict *d)
{
    size_t entries = sizeof(struct vm_entry) * VM_DICT_METHODS;
    size_t buckets = sizeof(uint32_t) * N_BUCKETS;
    char *map;

    memset(d, 0, sizeof *d);
    d->map_n = entries + buckets + text_size;
    map = mmap(NULL, d->map_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0);
    if (map == MAP_FAILED)
        return false;
    d->map = map;
    d->entries = (struct vm_entry *)map;
    d->buckets = (_Atomic uint32_t *)(map + entries);
    d->text = map + entries + buckets;
    return true;
}

void vm_dict_close(struct vm_dict *d)
{
    if (d->map != NULL)
        munmap(d->map, d->map_n);
    memset(d, 0, sizeof *d);
}

static uint32_t hash(uintptr_t address)
{
    uint64_t x = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(x >> 40) ^ (uint32_t)x >> 8;
}

static void *take(struct vm_dict *d, size_t n)
{
    size_t at;

    n = (n + 7) & ~(size_t)7;
    at = atomic_fetch_add_explicit(&d->n_text, n, memory_order_relaxed);
    if (at + n <= text_size)
        return d->text + at;
    /* Keeps the sum from overflowing if this happens often. */
    atomic_fetch_sub_explicit(&d->n_text, n, memory_order_relaxed);
    return NULL;
}

static struct vm_entry *take_entry(struct vm_dict *d, uint32_t *id)
{
    uint32_t at = atomic_load_explicit(&d->n_entries, memory_order_relaxed);

    do {
        if (at >= VM_DICT_METHODS)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&d->n_entries, &at, at + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    *id = at + 1;
    return &d->entries[at];
}

static bool is_same_method(const struct vm_entry *e, uintptr_t address,
                           const struct vm_method *words)
{
    return e->address == address && e->words.const_method == words->const_method &&
           e->words.pool == words->pool && e->words.holder == words->holder &&
           e->words.name == words->name && e->words.signature == words->signature;
}

/* The id of that key, or 0; *bucket is then where it belongs, MAX_PROBES' worth away at most. */
static uint32_t find(const struct vm_dict *d, uintptr_t address, const struct vm_method *words,
                     uint32_t *bucket)
{
    uint32_t at = hash(address) % N_BUCKETS, id;

    for (int probes = 0; probes < MAX_PROBES; probes++, at = (at + 1) % N_BUCKETS) {
        /* Pairs with the release in publish_entry(): the entry is complete. */
        id = atomic_load_explicit(&d->buckets[at], memory_order_acquire);
        if (id == 0) {
            *bucket = at;
            return 0;
        }
        if (is_same_method(&d->entries[id - 1], address, words))
            return id;
    }
    *bucket = N_BUCKETS;
    return 0;
}

/* Publishes the entry to other threads. If another thread has published the same one before, that
 * one is used. */
static uint32_t publish_entry(struct vm_dict *d, uint32_t id, uint32_t bucket)
{
    const struct vm_entry *e = &d->entries[id - 1];
    uint32_t empty = 0, other;

    /* Pairs with the acquire in find(). */
    while (bucket < N_BUCKETS &&
           !atomic_compare_exchange_strong_explicit(&d->buckets[bucket], &empty, id,
                                                    memory_order_release, memory_order_relaxed)) {
        other = find(d, e->address, &e->words, &bucket);
        if (other != 0)
            return other;
        empty = 0;
    }
    return bucket < N_BUCKETS ? id : 0;
}

static uint32_t refuse_method(struct vm_dict *d)
{
    atomic_fetch_add_explicit(&d->n_refused, 1, memory_order_relaxed);
    return 0;
}

static bool copy_texts(struct vm_dict *d, const struct vm *vm, struct vm_entry *e)
{
    uintptr_t class_name = 0;
    struct vm_text t[4] = {{0}};
    size_t n = 0;
    char *to;

    if (!vm_load_ptr(e->words.holder, vm->l.method.class_name, &class_name) ||
        !vm_symbol_text(vm, class_name, &t[0]) || !vm_symbol_text(vm, e->words.name, &t[1]) ||
        !vm_symbol_text(vm, e->words.signature, &t[2]))
        return false;
    vm_symbol_text(vm, vm_method_generic(vm, &e->words), &t[3]);
    for (int i = 0; i < 4; i++)
        n += t[i].n;
    to = take(d, n);
    if (to == NULL)
        return refuse_method(d);
    e->text = to;
    for (int i = 0; i < 4; to += t[i].n, i++)
        if (safe_copy(to, t[i].address, t[i].n) != t[i].n)
            return false;
    e->cls_n = t[0].n;
    e->name_n = t[1].n;
    e->descriptor_n = t[2].n;
    e->generic_n = t[3].n;
    return true;
}

/* Sorts by bci as it goes; the compiler writes nearly all of them in order. */
static void add_method_line(struct line_entry *lines, uint32_t n, struct line_entry line)
{
    for (; n > 0 && lines[n - 1].bci > line.bci; n--)
        lines[n] = lines[n - 1];
    lines[n] = line;
}

static void copy_lines(struct vm_dict *d, const struct vm *vm, struct vm_entry *e)
{
    struct line_entry *lines;
    uintptr_t at = 0;
    int32_t bci, line;
    uint32_t n = 0;

    while (n < LINES_MAX && vm_method_line(vm, &e->words, &at, &bci, &line) > 0)
        n++;
    lines = n > 0 ? take(d, n * sizeof *lines) : NULL;
    if (lines == NULL)
        return;
    e->lines = lines;
    for (at = 0; e->n_lines < n && vm_method_line(vm, &e->words, &at, &bci, &line) > 0;)
        add_method_line(lines, e->n_lines++, (struct line_entry){(uint16_t)bci, (uint16_t)line});
}

/* Names of hidden classes end in +0x and the address of the class. */
static bool is_hidden_class(const struct vm_entry *e)
{
    for (uint32_t i = 0; i + 3 < e->cls_n; i++)
        if (memcmp(e->text + i, "+0x", 3) == 0)
            return true;
    return false;
}

void vm_dict_expect(const struct vm_dict *d, const struct vm *vm, uintptr_t method)
{
    __builtin_prefetch((const void *)(method + (uintptr_t)vm->l.method.const_method.at));
    __builtin_prefetch((const void *)&d->buckets[hash(method) % N_BUCKETS]);
}

uint32_t vm_dict_known(struct vm_dict *d, const struct vm *vm, uintptr_t method,
                       const struct vm_method *words)
{
    struct vm_entry *e, made = {.address = method, .words = *words};
    uint32_t bucket, id = find(d, method, words, &bucket);

    if (id != 0)
        return id;
    if (bucket == N_BUCKETS)
        return refuse_method(d);
    if (!copy_texts(d, vm, &made))
        return 0;
    copy_lines(d, vm, &made);
    made.modifiers = vm_method_modifiers(vm, method);
    made.is_hidden = is_hidden_class(&made);
    vm_load_ptr(words->holder, vm->l.method.loader_data, &made.loader);
    e = take_entry(d, &id);
    if (e == NULL)
        return refuse_method(d);
    *e = made;
    return publish_entry(d, id, bucket);
}

uint32_t vm_dict_method(struct vm_dict *d, const struct vm *vm, uintptr_t method)
{
    struct vm_method words;

    return vm_method_read(vm, method, &words) ? vm_dict_known(d, vm, method, &words) : 0;
}

uint32_t vm_dict_stub(struct vm_dict *d, uintptr_t address, uintptr_t name)
{
    struct vm_method words = {.name = name};
    struct vm_entry *e;
    uint32_t bucket, id = find(d, address | 1, &words, &bucket);
    char *text;

    if (id != 0)
        return id;
    text = bucket < N_BUCKETS ? take(d, STUB_NAME_MAX) : NULL;
    e = text != NULL ? take_entry(d, &id) : NULL;
    if (e == NULL)
        return refuse_method(d);
    e->address = address | 1;
    e->words = words;
    e->text = text;
    while (e->name_n < STUB_NAME_MAX && safe_load8(name + e->name_n, (uint8_t *)text + e->name_n) &&
           text[e->name_n] != '\0')
        e->name_n++;
    return publish_entry(d, id, bucket);
}

const struct vm_entry *vm_dict_get(const struct vm_dict *d, uint64_t id)
{
    uint32_t n = atomic_load_explicit(&d->n_entries, memory_order_acquire);

    return id >= 1 && id <= n && d->entries[id - 1].text != NULL ? &d->entries[id - 1] : NULL;
}
