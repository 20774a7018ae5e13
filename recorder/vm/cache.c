/*
 * cache.c - a table from return addresses in compiled methods to the frames they stand for.
 *
 * Signal handlers of any thread read and write it. An entry is guarded by a sequence number (a
 * seqlock): odd while it is written, and a reader takes the words only if the number is even and
 * the same afterwards.
 */
#include "recorder/vm/cache.h"

#include <string.h>
#include <sys/mman.h>

enum {
    W_PC,
    W_BLOB,
    W_METHOD,
    W_COMPILE, /* compile_id, frame_words */
    W_SHAPE, /* level, n, is_native */
    W_FRAMES,
    WORDS = W_FRAMES + VM_CACHE_FRAMES
};

struct vm_cache_entry {
    atomic_uint sequence; /* odd: being written */
    _Atomic uint64_t words[WORDS];
};

bool vm_cache_open(struct vm_cache *c)
{
    c->entries = mmap(NULL, sizeof *c->entries * VM_CACHE_ENTRIES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->entries == MAP_FAILED)
        c->entries = NULL;
    return c->entries != NULL;
}

void vm_cache_close(struct vm_cache *c)
{
    if (c->entries != NULL)
        munmap(c->entries, sizeof *c->entries * VM_CACHE_ENTRIES);
    c->entries = NULL;
}

static struct vm_cache_entry *entry_of(const struct vm_cache *c, uintptr_t pc)
{
    uint64_t x = (uint64_t)pc * UINT64_C(0x9e3779b97f4a7c15);

    return &c->entries[(x >> 32) % VM_CACHE_ENTRIES];
}

static uint64_t get_cached(const struct vm_cache_entry *e, int i)
{
    return atomic_load_explicit(&e->words[i], memory_order_relaxed);
}

static void put(struct vm_cache_entry *e, int i, uint64_t word)
{
    atomic_store_explicit(&e->words[i], word, memory_order_relaxed);
}

bool vm_cache_holds(const struct vm_cached *c, const struct vm *vm)
{
    uint64_t used;
    uintptr_t method;
    int32_t compile_id;

    return vm_load(c->blob - vm->l.code.block_header, vm->l.code.block_used, &used) &&
           (used & 0xff) != 0 && vm_load_int(c->blob, vm->l.nmethod.compile_id, &compile_id) &&
           compile_id == c->compile_id && vm_load_ptr(c->blob, vm->l.nmethod.method, &method) &&
           method == c->method;
}

void vm_cache_expect(const struct vm_cache *c, uintptr_t pc)
{
    __builtin_prefetch(entry_of(c, pc));
}

bool vm_cache_get(const struct vm_cache *c, uintptr_t pc, struct vm_cached *to)
{
    const struct vm_cache_entry *e = entry_of(c, pc);
    /* Pairs with the release in vm_cache_put(). */
    unsigned sequence = atomic_load_explicit(&e->sequence, memory_order_acquire);
    uint64_t word;

    if ((sequence & 1) != 0 || get_cached(e, W_PC) != pc)
        return false;
    to->pc = pc;
    to->blob = get_cached(e, W_BLOB);
    to->method = get_cached(e, W_METHOD);
    word = get_cached(e, W_COMPILE);
    to->compile_id = (int32_t)(uint32_t)word;
    to->frame_words = (uint32_t)(word >> 32);
    word = get_cached(e, W_SHAPE);
    to->level = (uint8_t)word;
    to->n = (uint8_t)(word >> 8);
    to->is_native = (word >> 16 & 1) != 0;
    for (int i = 0; i < to->n && i < VM_CACHE_FRAMES; i++) {
        word = get_cached(e, W_FRAMES + i);
        to->frames[i] = (struct vm_cached_frame){(uint32_t)word, (int32_t)(word >> 32)};
    }
    /* The words above were loaded before the second look at the number. */
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&e->sequence, memory_order_relaxed) == sequence;
}

void vm_cache_put(struct vm_cache *c, const struct vm_cached *from)
{
    struct vm_cache_entry *e = entry_of(c, from->pc);
    unsigned sequence = atomic_load_explicit(&e->sequence, memory_order_relaxed);

    if ((sequence & 1) != 0 ||
        !atomic_compare_exchange_strong_explicit(&e->sequence, &sequence, sequence + 1,
                                                 memory_order_acquire, memory_order_relaxed))
        return;
    /* A reader that sees a new word also sees the odd number. */
    atomic_thread_fence(memory_order_release);
    put(e, W_PC, from->pc);
    put(e, W_BLOB, from->blob);
    put(e, W_METHOD, from->method);
    put(e, W_COMPILE, (uint32_t)from->compile_id | (uint64_t)from->frame_words << 32);
    put(e, W_SHAPE, from->level | (uint64_t)from->n << 8 | (uint64_t)from->is_native << 16);
    for (int i = 0; i < from->n; i++)
        put(e, W_FRAMES + i, from->frames[i].id | (uint64_t)(uint32_t)from->frames[i].bci << 32);
    /* Pairs with the acquire in vm_cache_get(). */
    atomic_store_explicit(&e->sequence, sequence + 2, memory_order_release);
}
