/*
 * values.c - the table of context values: from texts to ids of 16 bits, and back.
 *
 * Any thread adds and finds values. Finding takes no lock: slots are stored with release order
 * after their entry is complete, and a lookup that misses a value is repeated under the lock. The
 * drain thread forgets unused values in two steps: a value is removed from the slots (OLD), and its
 * entry is reused only seconds later, so that a thread that has just read the id may still store
 * it.
 */
#include "recorder/context/values.h"

#include "jfrfmt/base/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#define SLOTS (2 * VALUES_MAX)
#define ID_BITS 16
#define REMOVED VALUE_EMPTY /* in a slot whose value was removed; no lookup matches this id */
#define GRAIN 16 /* bytes of text are given out in multiples of it */
#define CLASSES (VALUES_TEXT_MAX / GRAIN + 1)
#define HIGH (VALUES_MAX / 4 * 3) /* entries that lie in the first large page */
/* Entries, and a share of the bytes, from which on values are forgotten: a value stays for up to
 * three seconds unused and for up to three in quarantine, so with this much room 12 000 new values
 * a second do not fill the table. */
#define EXPIRE (VALUES_MAX / 4)
#define HUGE_PAGE ((size_t)2 << 20)
#define MANY 1024 /* values that are worth one */
#define COLLAPSE 25 /* MADV_COLLAPSE, which older headers do not have */

enum state {
    FREE,
    LIVE,
    OLD
};

struct entry {
    _Atomic uint64_t hash;
    _Atomic uint32_t text; /* offset in `texts` */
    _Atomic uint16_t n;
    uint8_t state;
    bool is_held; /* a thread had it at the last values_expire() */
    _Atomic uint32_t pins;
    uint32_t used_s; /* OLD: since when */
    uint32_t next; /* of the free ones */
    uint32_t since; /* generation in which the value got the entry */
};
_Static_assert(sizeof(struct entry) == 32 && VALUES_MAX <= 1 << ID_BITS,
               "a new value touches few cache lines");

/* All of it is one mapping that is never unmapped: a thread that reads an entry while it is reused
 * compares garbage, which does no harm. */
struct table {
    _Atomic uint32_t slots[SLOTS]; /* a part of the hash, and the id below it; 0: free */
    struct entry entries[VALUES_MAX];
    char texts[VALUES_BYTES];
};

#define READ(what) atomic_load_explicit(&(what), memory_order_relaxed)
#define WRITE(what, value) atomic_store_explicit(&(what), value, memory_order_relaxed)

static struct table *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t generation;
static _Atomic uint64_t n_cut;
static uint64_t seed;
static _Atomic uint32_t n_entries, n_added; /* n_added: since the start, and back from quarantine */
static uint32_t n_ever, n_removed, n_old, free_entry;
static uint32_t free_texts[CLASSES]; /* offset + 1 of the first; each holds that of the next */
static uint32_t texts_end;
static _Atomic size_t text_bytes;
static uint64_t n_overflows, n_forgotten;
static _Atomic int64_t now_cached_s;

static void add_fixed(uint32_t id, const char *text)
{
    struct entry *e = &table->entries[id];
    size_t n = strlen(text);

    memcpy(table->texts + texts_end, text, n);
    e->text = texts_end;
    e->n = (uint16_t)n;
    e->state = LIVE;
    texts_end += GRAIN;
}

/* A new value touches a random slot and a new entry. If the system has large pages, the slots and
 * the first HIGH entries are in one large page as soon as there are MANY values, so that a new
 * value costs neither a page fault nor a TLB miss. With fewer values only the touched small pages
 * are resident. */
_Static_assert(offsetof(struct table, entries) + HIGH * sizeof(struct entry) == HUGE_PAGE,
               "one large page");

static void *map_table(void)
{
    size_t n = sizeof(*table) + HUGE_PAGE;
    char *p =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t before = -(uintptr_t)p % HUGE_PAGE;

    if (p == MAP_FAILED)
        return NULL;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + sizeof(*table), HUGE_PAGE - before);
    madvise(p + before, HUGE_PAGE, MADV_NOHUGEPAGE);
    return p + before;
}

/* At once since Linux 6.1, else when the kernel's own scan finds the mapping. */
static void use_large_page(void)
{
    madvise(table, HUGE_PAGE, MADV_HUGEPAGE);
    madvise(table, HUGE_PAGE, COLLAPSE);
}

static int make_table(void)
{
    struct timespec t;
    void *p;

    if (table != NULL)
        return 0;
    p = map_table();
    if (p == NULL)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (getrandom(&seed, sizeof(seed), 0) < 0)
        seed = (uint64_t)t.tv_nsec;
    now_cached_s = t.tv_sec;
    table = p;
    add_fixed(VALUE_EMPTY, "");
    add_fixed(VALUE_OVERFLOW, "<overflow>");
    n_ever = VALUES_FIRST;
    return 0;
}

int values_init(void)
{
    int rc;

    pthread_mutex_lock(&lock);
    rc = make_table();
    pthread_mutex_unlock(&lock);
    return rc;
}

uint32_t values_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

/* Cuts a long text before a character that does not fit as a whole. */
static size_t cut_value(const char *text, size_t n)
{
    if (n <= VALUES_TEXT_MAX)
        return n;
    for (n = VALUES_TEXT_MAX; n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80; n--)
        ;
    atomic_fetch_add_explicit(&n_cut, 1, memory_order_relaxed);
    return n;
}

static bool is_stored_value(const struct entry *e, uint64_t hash, const char *text, size_t n)
{
    return READ(e->hash) == hash && READ(e->n) == n &&
           memcmp(table->texts + READ(e->text), text, n) == 0;
}

/* A slot has bits of the hash, so most lookups of other values need no entry. */
static inline uint32_t slot_of(uint64_t hash, uint32_t id)
{
    return (uint32_t)(hash >> 48) << ID_BITS | id;
}

static uint32_t find(uint64_t hash, const char *text, size_t n)
{
    for (size_t at = hash % SLOTS, i = 0; i < SLOTS; at = (at + 1) % SLOTS, i++) {
        uint32_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        uint32_t id = slot & (VALUES_MAX - 1);

        if (slot == 0)
            return 0;
        if (slot == slot_of(hash, id) && is_stored_value(&table->entries[id], hash, text, n))
            return id;
    }
    return 0;
}

static void put_slot(uint32_t id)
{
    size_t at = READ(table->entries[id].hash) % SLOTS;
    uint32_t in;

    while ((in = READ(table->slots[at])) != 0 && in != REMOVED)
        at = (at + 1) % SLOTS;
    n_removed -= in == REMOVED;
    atomic_store_explicit(&table->slots[at], slot_of(table->entries[id].hash, id),
                          memory_order_release);
}

static void remove_slot(uint32_t id)
{
    size_t at = table->entries[id].hash % SLOTS;

    while (table->slots[at] != slot_of(table->entries[id].hash, id))
        at = (at + 1) % SLOTS;
    atomic_store_explicit(&table->slots[at], REMOVED, memory_order_release);
    n_removed++;
}

/* A lookup at the same time may miss a value; it is then repeated under the lock. */
static void rebuild_slots(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        atomic_store_explicit(&table->slots[i], 0, memory_order_relaxed);
    n_removed = 0;
    for (uint32_t id = VALUES_FIRST; id < n_ever; id++)
        if (table->entries[id].state == LIVE)
            put_slot(id);
    atomic_store_explicit(&n_added, READ(n_added) + 1, memory_order_release);
}

static size_t text_class(size_t n)
{
    return (n == 0 ? 0 : n - 1) / GRAIN;
}

/* Offset of room for n bytes; UINT32_MAX: none. */
static uint32_t take_value_text(size_t n)
{
    size_t class = text_class(n), size = (class + 1) * GRAIN;
    uint32_t at = free_texts[class];

    if (at != 0) {
        at--;
        memcpy(&free_texts[class], table->texts + at, sizeof(free_texts[class]));
    } else if (texts_end + size <= VALUES_BYTES) {
        at = texts_end;
        texts_end += (uint32_t)size;
    } else {
        return UINT32_MAX;
    }
    WRITE(text_bytes, READ(text_bytes) + size);
    return at;
}

static void give_text(uint32_t at, size_t n)
{
    size_t class = text_class(n);

    memcpy(table->texts + at, &free_texts[class], sizeof(free_texts[class]));
    free_texts[class] = at + 1;
    WRITE(text_bytes, READ(text_bytes) - (class + 1) * GRAIN);
}

/* A new entry; VALUE_OVERFLOW when there is no room. */
static uint32_t add(uint64_t hash, const char *text, size_t n)
{
    uint32_t id = free_entry != 0 ? free_entry : n_ever, at;
    struct entry *e;

    if (id >= VALUES_MAX || (at = take_value_text(n)) == UINT32_MAX) {
        n_overflows++;
        return VALUE_OVERFLOW;
    }
    e = &table->entries[id];
    if (free_entry != 0)
        free_entry = e->next;
    else if (++n_ever == MANY)
        use_large_page();
    WRITE(n_entries, READ(n_entries) + 1); /* written under the lock only */
    memcpy(table->texts + at, text, n);
    WRITE(e->hash, hash);
    WRITE(e->text, at);
    WRITE(e->n, (uint16_t)n);
    WRITE(e->pins, 0);
    e->used_s = (uint32_t)now_cached_s;
    e->since = READ(generation);
    e->state = LIVE;
    put_slot(id);
    atomic_store_explicit(&n_added, READ(n_added) + 1, memory_order_release);
    return id;
}

uint32_t values_intern_new(const char *text, size_t n, bool *is_new)
{
    uint32_t id, before;
    uint64_t hash;

    *is_new = false;
    if (n == 0)
        return VALUE_EMPTY;
    n = cut_value(text, n);
    hash = hash_bytes(text, n, seed);
    before = atomic_load_explicit(&n_added, memory_order_acquire);
    id = find(hash, text, n);
    if (id != 0)
        return id;
    pthread_mutex_lock(&lock);
    if (READ(n_added) != before)
        id = find(hash, text, n);
    if (id == 0) {
        id = add(hash, text, n);
        *is_new = id != VALUE_OVERFLOW;
    }
    pthread_mutex_unlock(&lock);
    return id;
}

uint32_t values_intern(const char *text, size_t n)
{
    bool is_new;

    return values_intern_new(text, n, &is_new);
}

void values_pin(uint32_t id)
{
    if (id >= VALUES_FIRST && id < VALUES_MAX)
        atomic_fetch_add_explicit(&table->entries[id].pins, 1, memory_order_relaxed);
}

void values_unpin(uint32_t id)
{
    if (id >= VALUES_FIRST && id < VALUES_MAX)
        atomic_fetch_sub_explicit(&table->entries[id].pins, 1, memory_order_relaxed);
}

const char *values_text(uint32_t id, size_t *n)
{
    struct entry *e;

    *n = 0;
    if (table == NULL || id == VALUE_NULL || id >= VALUES_MAX)
        return NULL;
    e = &table->entries[id];
    if (e->state == FREE)
        return NULL;
    if (e->state == LIVE)
        e->used_s = (uint32_t)now_cached_s;
    *n = e->n;
    return table->texts + e->text;
}

bool values_copy(uint32_t id, char text[VALUES_TEXT_MAX], size_t *n)
{
    const struct entry *e;
    bool is_there;

    if (table == NULL || id == VALUE_NULL || id >= VALUES_MAX)
        return false;
    e = &table->entries[id];
    pthread_mutex_lock(&lock);
    is_there = e->state != FREE;
    *n = e->n;
    memcpy(text, table->texts + e->text, *n);
    pthread_mutex_unlock(&lock);
    return is_there;
}

static void mark(uint32_t id)
{
    if (id < VALUES_MAX)
        table->entries[id].is_held = true;
}

static void forget_value(uint32_t id)
{
    struct entry *e = &table->entries[id];

    give_text(e->text, e->n);
    e->state = FREE;
    e->next = free_entry;
    free_entry = id;
    WRITE(n_entries, READ(n_entries) - 1);
    n_forgotten++;
}

static void revive_value(uint32_t id, int64_t now_s)
{
    struct entry *e = &table->entries[id];

    n_old--;
    e->state = LIVE;
    e->used_s = (uint32_t)now_s;
    put_slot(id);
    WRITE(n_added, READ(n_added) + 1);
}

/* Entries in quarantine that a thread holds are live again; the others are forgotten after a while.
 */
static void end_quarantine(uint32_t id, int64_t now_s)
{
    struct entry *e = &table->entries[id];

    if (e->is_held || e->pins > 0) {
        revive_value(id, now_s);
    } else if ((uint32_t)now_s - e->used_s >= VALUES_QUARANTINE_S) {
        n_old--;
        forget_value(id);
    }
}

static bool begin_quarantine(uint32_t id, int64_t now_s)
{
    struct entry *e = &table->entries[id];

    if (e->is_held || e->pins > 0)
        e->used_s = (uint32_t)now_s;
    if ((uint32_t)now_s - e->used_s < VALUES_IDLE_S)
        return false;
    remove_slot(id);
    n_old++;
    e->state = OLD;
    e->used_s = (uint32_t)now_s;
    return true;
}

/* Has the id still the value that it had in that generation? Under the lock. */
static bool is_value_since(uint32_t id, uint32_t since)
{
    const struct entry *e = &table->entries[id < VALUES_MAX ? id : VALUE_NULL];

    return id < VALUES_FIRST || (e->state != FREE && (int32_t)(e->since - since) <= 0);
}

bool values_renew(const uint32_t *ids, size_t n, uint32_t since, uint32_t *now)
{
    bool is_there = table != NULL;

    pthread_mutex_lock(&lock);
    *now = READ(generation);
    for (size_t i = 0; i < n && is_there; i++)
        is_there = is_value_since(ids[i], since);
    for (size_t i = 0; i < n && is_there; i++) {
        if (table->entries[ids[i]].state == OLD)
            revive_value(ids[i], now_cached_s);
        else
            table->entries[ids[i]].used_s = (uint32_t)now_cached_s;
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}

void values_expire(int64_t now_s, void (*each)(void (*mark)(uint32_t id)))
{
    bool is_new = false;

    if (table == NULL || now_s == now_cached_s)
        return;
    now_cached_s = now_s;
    if (n_old == 0 && n_entries < EXPIRE && text_bytes < VALUES_BYTES / VALUES_MAX * EXPIRE)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t id = VALUES_FIRST; id < n_ever; id++)
        table->entries[id].is_held = false;
    each(mark);
    for (uint32_t id = VALUES_FIRST; id < n_ever; id++) {
        if (table->entries[id].state == OLD)
            end_quarantine(id, now_s);
        else if (table->entries[id].state == LIVE)
            is_new |= begin_quarantine(id, now_s);
    }
    if (n_removed > SLOTS / 4)
        rebuild_slots();
    if (is_new)
        atomic_fetch_add_explicit(&generation, 1, memory_order_release);
    pthread_mutex_unlock(&lock);
}

void values_stats(struct values_stats *stats)
{
    *stats = (struct values_stats){0};
    pthread_mutex_lock(&lock);
    if (table != NULL)
        *stats = (struct values_stats){n_entries, n_overflows, n_cut, n_forgotten};
    pthread_mutex_unlock(&lock);
}
