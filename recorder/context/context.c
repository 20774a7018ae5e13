/*
 * context.c - the record of each thread: making it, changing its values, reading them.
 *
 * Setters run on the thread that a record belongs to. A change is prepared in an area that is not
 * in use and becomes visible by one store, so that a signal handler never reads half of it.
 */
#include "recorder/context/internal.h"

#include "recorder/context/values.h"
#include "recorder/capture/emit.h"
#include "recorder/base/thread_local.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS_MAX 65536
#define RECORDS_MIN 256 /* if the address space is limited */
#define BLOCK 64 /* records that are made at once; they are never unmapped */

static __thread struct context_record *mine SIGNAL_SAFE;

static struct {
    pthread_mutex_t lock;
    pthread_key_t key; /* its destructor frees the records of threads that end */
    bool is_ready;
    struct context_record *records; /* n_room of them; unused ones have addresses only */
    uint32_t n_room;
    _Atomic uint32_t n_records;
    struct context_record *free;
    _Atomic uint64_t n_wrong_order, n_too_deep, n_not_ours;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct context_record *(*_Atomic context_first_use)(bool *refuse);

static void thread_ended(void *record)
{
    context_thread_ends(record);
    mine = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    context_record_free(record);
}

/* Reserves addresses for all records. */
static bool reserve_records(void)
{
    if (all.records != NULL)
        return true;
    for (uint32_t n = RECORDS_MAX; n >= RECORDS_MIN; n /= 2) {
        void *p = mmap(NULL, n * sizeof(*all.records), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (p == MAP_FAILED)
            continue;
        all.records = p;
        all.n_room = n;
        return true;
    }
    return false;
}

int context_init(void)
{
    int rc;

    pthread_mutex_lock(&all.lock);
    rc = values_init();
    if (rc == 0 && !all.is_ready) {
        rc = reserve_records() && pthread_key_create(&all.key, thread_ended) == 0 ? 0 : -1;
        all.is_ready = rc == 0;
    }
    pthread_mutex_unlock(&all.lock);
    return rc;
}

/* --- records --- */

void *context_memory(size_t *n)
{
    *n = all.n_room * sizeof(*all.records);
    return all.records;
}

/* Makes the pages of the next records writable. */
static bool make_room(uint32_t from)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t begin = from * sizeof(*all.records) / page * page;
    size_t end = (from + BLOCK) * sizeof(*all.records);

    return mprotect((char *)all.records + begin, end - begin, PROT_READ | PROT_WRITE) == 0;
}

static struct context_record *make_block(void)
{
    uint32_t n = all.n_records;
    struct context_record *block = all.records + n;

    if (n == all.n_room || !make_room(n))
        return NULL;
    for (uint32_t i = 0; i < BLOCK; i++) {
        block[i].index = n + i;
        block[i].next = i + 1 < BLOCK ? &block[i + 1] : all.free;
    }
    all.free = block;
    atomic_store_explicit(&all.n_records, n + BLOCK, memory_order_release);
    return block;
}

/* Clears a record for its next thread. `changes` continues, since old tokens contain its values. */
static void empty(struct context_record *r)
{
    WRITE(r->changes, READ(r->changes) + 1);
    WRITE(r->depth, 0);
    for (int area = 0; area < 2; area++)
        for (int i = 0; i < CONTEXT_SLOTS; i++)
            WRITE(r->areas[area][i], VALUE_NULL);
    memset(r->bases, 0, sizeof(r->bases));
    WRITE(r->where, 0);
}

struct context_record *context_record_new(void)
{
    struct context_record *r;

    pthread_mutex_lock(&all.lock);
    r = all.free != NULL ? all.free : make_block();
    if (r != NULL)
        all.free = r->next;
    pthread_mutex_unlock(&all.lock);
    if (r == NULL)
        return NULL;
    empty(r);
    r->thread_key = 0;
    r->tid = 0;
    return r;
}

void context_record_free(struct context_record *r)
{
    if (r == NULL)
        return;
    pthread_mutex_lock(&all.lock);
    if (READ(r->thread_key) != 0)
        virtual_names_put(READ(r->thread_key), r->thread_name);
    empty(r);
    r->next = all.free;
    all.free = r;
    pthread_mutex_unlock(&all.lock);
}

struct context_record *context_current(void)
{
    return mine;
}

struct context_record *context_swap(struct context_record *record)
{
    struct context_record *before = mine;

    mine = record;
    return before;
}

/* Returns the record of the calling thread, a new one if there is none. */
static struct context_record *make_own(void)
{
    struct context_record *(*first_use)(bool *) = atomic_load(&context_first_use);
    bool is_refused = false;
    struct context_record *r = NULL;

    if (first_use != NULL)
        r = first_use(&is_refused);
    if (is_refused) {
        atomic_fetch_add_explicit(&all.n_not_ours, 1, memory_order_relaxed);
        return NULL;
    }
    if (r == NULL) {
        r = context_record_new();
        if (r != NULL && pthread_setspecific(all.key, r) != 0) {
            context_record_free(r);
            r = NULL;
        }
        if (r != NULL)
            r->tid = (int32_t)gettid();
        else
            atomic_fetch_add_explicit(&all.n_not_ours, 1, memory_order_relaxed);
    }
    atomic_signal_fence(memory_order_seq_cst);
    mine = r;
    return r;
}

static inline struct context_record *own(void)
{
    struct context_record *r = mine;

    return __builtin_expect(r != NULL, 1) ? r : make_own();
}

struct context_record *context_own(void)
{
    return own();
}

char *context_room(struct context_record *record)
{
    return record->text;
}

void context_belongs(struct context_record *record, uint64_t thread_key, const char *name)
{
    virtual_names_cut(record->thread_name, name);
    atomic_store_explicit(&record->thread_key, thread_key, memory_order_release);
}

uint64_t context_virtual_thread(uint32_t *number)
{
    const struct context_record *r = mine;
    uint64_t key = r == NULL ? 0 : READ(r->thread_key);

    if (key != 0)
        *number = r->index + 1;
    return key;
}

/* --- changes --- */

static uint32_t begin_change(struct context_record *r)
{
    uint32_t serial = READ(r->changes) + 1;

    WRITE(r->changes, serial);
    atomic_thread_fence(memory_order_release);
    return serial;
}

static void end_change(struct context_record *r, uint64_t where)
{
    atomic_store_explicit(&r->where, where, memory_order_release);
}

static void fill(struct context_record *r, uint8_t area, const struct context_type *t,
                 const uint32_t *values, size_t n)
{
    _Atomic uint32_t *to = &r->areas[area][t->first];
    size_t n_slots = t->n, i;

    for (i = 0; i < n_slots && i < n; i++)
        WRITE(to[i], values[i]);
    for (; i < n_slots; i++)
        WRITE(to[i], VALUE_NULL);
}

static int64_t token_of(const struct context_record *r, uint32_t serial, uint32_t depth)
{
    return (int64_t)(r->index & 0xffff) << 40 | (int64_t)serial << 8 | depth;
}

int64_t context_open(int type, const uint32_t *values, size_t n)
{
    const struct context_type *t = context_type_of(type);
    struct context_record *r = t == NULL ? NULL : own();
    uint32_t serial, depth;
    uint64_t where;
    struct scope *s;

    if (r == NULL)
        return 0;
    depth = READ(r->depth);
    if (depth == CONTEXT_DEPTH) {
        context_too_deep();
        return 0;
    }
    s = &r->scopes[depth++];
    where = READ(r->where);
    serial = begin_change(r);
    fill(r, (uint8_t)(2 * depth), t, values, n);
    WRITE(s->serial, serial);
    WRITE(s->n_read, READ(r->n_read));
    WRITE(s->start, READ(context_ended) != NULL ? emit_now() : 0);
    WRITE(s->type, (uint8_t)(type - 1));
    WRITE(s->part, 0);
    WRITE(s->before, context_area(where, (size_t)type - 1));
    end_change(r, context_with_area(where, (size_t)type - 1, (uint8_t)(2 * depth)));
    atomic_store_explicit(&r->depth, depth, memory_order_release);
    return token_of(r, serial, depth);
}

void context_too_deep(void)
{
    atomic_fetch_add_explicit(&all.n_too_deep, 1, memory_order_relaxed);
}

static bool is_context_open(const struct context_record *r, uint32_t depth, uint32_t serial)
{
    return r != NULL && depth > 0 && depth <= READ(r->depth) &&
           READ(r->scopes[depth - 1].serial) == serial;
}

static void close_from(struct context_record *r, uint32_t depth)
{
    if (depth != READ(r->depth))
        atomic_fetch_add_explicit(&all.n_wrong_order, 1, memory_order_relaxed);
    for (uint32_t d = READ(r->depth); d >= depth; d--) {
        uint64_t where = READ(r->where);
        struct context_scope scope = context_copy_scope(r, d, &where);

        context_report_end(&scope, emit_now());
        end_change(r, where);
        atomic_store_explicit(&r->depth, d - 1, memory_order_release);
    }
}

void context_close(int64_t token)
{
    struct context_record *r = mine;
    uint32_t depth = (uint32_t)token & 0xff, serial = (uint32_t)(token >> 8);

    if (is_context_open(r, depth, serial) && token == token_of(r, serial, depth))
        close_from(r, depth);
}

void context_close_at(uint32_t depth, uint32_t serial)
{
    if (is_context_open(mine, depth, serial))
        close_from(mine, depth);
}

uint32_t context_serial(uint32_t depth)
{
    return mine == NULL || depth < 1 || depth > READ(mine->depth)
               ? 0
               : READ(mine->scopes[depth - 1].serial);
}

/* The area of the same scope that is not in use. */
static uint8_t other_area(uint64_t where, size_t type)
{
    return context_area(where, type) ^ 1;
}

/* Sets the values of a type; those from n on are null. */
static void set_values(struct context_record *r, size_t type, const uint32_t *values, size_t n,
                       enum context_change change)
{
    const struct context_type *t = context_type_at(type);
    uint64_t where = READ(r->where);
    uint8_t area = other_area(where, type);
    const _Atomic uint32_t *old = &r->areas[area ^ 1][t->first];
    _Atomic uint32_t *next = &r->areas[area][t->first];
    uint32_t is_other = 0, any = 0, before = 0;

    /* `next` is not in use, so values may be written there before the change begins. But readers
     * must see first that the change before this one has made it so. */
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0, n_slots = t->n; i < n_slots; i++) {
        uint32_t value = i < n ? values[i] : VALUE_NULL, old_value = READ(old[i]);

        WRITE(next[i], value);
        any |= value;
        before |= old_value;
        is_other |= old_value ^ value;
    }
    if (is_other == 0)
        return;
    context_next_part(r, type, begin_change(r), change, before != VALUE_NULL, any != VALUE_NULL);
    end_change(r, context_with_area(where, type, area));
    context_end_part(r);
}

/* Does nothing if there is no such type. */
static void set_all(int type, const uint32_t *values, size_t n, enum context_change change)
{
    struct context_record *r = context_type_of(type) == NULL ? NULL : own();

    if (r != NULL)
        set_values(r, (size_t)type - 1, values, n, change);
}

void context_set(int type, size_t attribute, uint32_t value)
{
    const struct context_type *t = context_type_of(type);
    struct context_record *r = t == NULL || attribute >= t->n ? NULL : own();
    uint32_t values[CONTEXT_SLOTS];
    const _Atomic uint32_t *old;

    if (r == NULL)
        return;
    old = &r->areas[context_area(READ(r->where), (size_t)type - 1)][t->first];
    if (READ(old[attribute]) == value)
        return;
    for (size_t i = 0; i < t->n; i++)
        values[i] = i == attribute ? value : READ(old[i]);
    set_values(r, (size_t)type - 1, values, t->n, CONTEXT_CHANGES);
}

void context_set_all(int type, const uint32_t *values, size_t n)
{
    set_all(type, values, n, CONTEXT_BEGINS);
}

void context_change_all(int type, const uint32_t *values, size_t n)
{
    set_all(type, values, n, CONTEXT_CHANGES);
}

void context_continue_all(int type, const uint32_t *values, size_t n)
{
    set_all(type, values, n, CONTEXT_CONTINUES);
}

void context_clear(int type)
{
    if (mine != NULL)
        context_set_all(type, NULL, 0);
}

/* The owner of a record stores `where` without a comparison, so it never loses a change of its own
 * to this one. */
static void clear_record(struct context_record *r, void *arg)
{
    size_t type = *(const size_t *)arg;
    const struct context_type *t = context_type_at(type);
    uint64_t where = atomic_load_explicit(&r->where, memory_order_acquire);
    uint8_t area = context_area(where, type);
    uint32_t any = 0;

    for (size_t i = 0; i < t->n; i++)
        any |= READ(r->areas[area % AREAS][t->first + i]);
    if (any == VALUE_NULL || area > 1) /* larger ones belong to open scopes */
        return;
    fill(r, area ^ 1, t, NULL, 0);
    atomic_compare_exchange_strong(&r->where, &where, context_with_area(where, type, area ^ 1));
}

void context_clear_everywhere(int type)
{
    size_t index = (size_t)type - 1;

    if (context_type_of(type) != NULL)
        context_each_record(clear_record, &index);
}

uint32_t context_copy_out(const struct context_record *r, uint32_t out[CONTEXT_SLOTS])
{
    uint64_t where = atomic_load_explicit(&r->where, memory_order_acquire);
    uint32_t any = 0;

    for (size_t t = 0; t < context_n_types(); t++) {
        const struct context_type *type = context_type_at(t);
        uint8_t area = context_area(where, t);

        for (size_t i = type->first; i < type->first + type->n; i++)
            any |= out[i] = READ(r->areas[area][i]);
    }
    return any;
}

void context_get(uint32_t out[CONTEXT_SLOTS])
{
    memset(out, 0, CONTEXT_SLOTS * sizeof(*out));
    if (mine != NULL)
        context_copy_out(mine, out);
}

void context_put_parts(uint32_t types, const uint32_t *in, uint32_t firsts)
{
    struct context_record *r = in == NULL ? mine : own();

    for (size_t t = 0, n = r == NULL ? 0 : context_n_types(); t < n; t++) {
        const struct context_type *type = context_type_at(t);
        enum context_change change = (firsts & 1U << t) != 0 ? CONTEXT_BEGINS : CONTEXT_CONTINUES;

        if ((types & 1U << t) == 0)
            continue;
        if (in == NULL)
            set_values(r, t, NULL, 0, change);
        else
            set_values(r, t, in + type->first, type->n, change);
    }
}

void context_put(uint32_t types, const uint32_t *in)
{
    context_put_parts(types, in, 0);
}

int64_t context_place(void)
{
    struct context_record *r = own();
    uint32_t depth = r == NULL ? 0 : READ(r->depth);

    return depth == 0 ? 0 : token_of(r, READ(r->scopes[depth - 1].serial), depth);
}

void context_put_back(int64_t place, const uint32_t in[CONTEXT_SLOTS])
{
    uint32_t depth = (uint32_t)place & 0xff, serial = (uint32_t)(place >> 8);

    if (mine == NULL || (depth > 0 && !is_context_open(mine, depth, serial)))
        return;
    if (READ(mine->depth) > depth)
        close_from(mine, depth + 1);
    context_put(CONTEXT_ALL_TYPES, in);
}

bool context_read(uint32_t out[CONTEXT_SLOTS])
{
    struct context_record *r = mine;

    if (r == NULL)
        return false;
    WRITE(r->n_read, READ(r->n_read) + 1);
    memset(out, 0, CONTEXT_SLOTS * sizeof(*out));
    return context_copy_out(r, out) != 0;
}

/* --- all of them --- */

void context_each_record(void (*f)(struct context_record *r, void *arg), void *arg)
{
    uint32_t n = atomic_load_explicit(&all.n_records, memory_order_acquire);

    for (uint32_t i = 0; i < n; i++)
        f(&all.records[i], arg);
}

struct context_record *context_record_at(uint32_t index)
{
    return &all.records[index];
}

void context_counts(struct context_counts *counts)
{
    *counts = (struct context_counts){context_types_refused(), all.n_wrong_order, all.n_too_deep,
                                      all.n_not_ours};
}

static void add_changes(struct context_record *r, void *arg)
{
    *(uint32_t *)arg += READ(r->changes);
}

uint32_t context_n_changes(void)
{
    uint32_t n = 0;

    context_each_record(add_changes, &n);
    return n;
}
