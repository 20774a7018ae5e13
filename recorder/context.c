#define JFRKIT_CONTEXT_INSIDE
#include "recorder/context.h"

#include "recorder/context_values.h"
#include "recorder/emit.h"
#include "recorder/fast_clock.h"
#include "recorder/jfrkit_context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RECORDS_MAX 65536
#define BLOCK 64 /* records are made so many at once, and never unmade */

struct undo {
    uint32_t type;
    uint32_t n_read; /* of the record, when it began */
    uint64_t start; /* by the fast clock; 0: nobody cares */
    _Atomic uint32_t before[CONTEXT_SLOTS];
};

struct context_record {
    _Alignas(64) _Atomic uint32_t current; /* which tuple */
    _Atomic uint32_t depth;
    uint32_t index; /* of this record */
    uint32_t serial; /* how often it has been used */
    _Atomic uint32_t n_read; /* by handlers */
    struct context_record *next; /* of the free ones */
    _Alignas(64) _Atomic uint32_t tuples[2][CONTEXT_SLOTS];
    struct undo undo[CONTEXT_DEPTH];
};

/* Changed by its thread alone. */
static inline uint32_t depth_of(const struct context_record *r)
{
    return atomic_load_explicit(&r->depth, memory_order_relaxed);
}

static inline uint32_t current_of(const struct context_record *r)
{
    return atomic_load_explicit(&r->current, memory_order_relaxed);
}

static inline void set_depth(struct context_record *r, uint32_t depth)
{
    atomic_store_explicit(&r->depth, depth, memory_order_relaxed);
}

static __thread struct context_record *mine __attribute__((tls_model("initial-exec")));

static struct {
    pthread_mutex_t lock;
    pthread_key_t key; /* its destructor frees the records of threads that end */
    bool is_ready;
    struct context_type types[CONTEXT_TYPES];
    _Atomic uint32_t n_types, n_slots;
    struct context_record *blocks[RECORDS_MAX / BLOCK];
    _Atomic uint32_t n_records;
    struct context_record *free;
    _Atomic uint64_t n_types_refused, n_wrong_order, n_too_deep, n_not_ours;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void (*_Atomic context_ended)(const struct context_scope *scope);
_Atomic bool context_tell_unused;
struct context_record *(*_Atomic context_first_use)(bool *refuse);

static void thread_ended(void *record)
{
    mine = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    context_record_free(record);
}

int context_init(void)
{
    int rc;

    pthread_mutex_lock(&all.lock);
    fast_clock_init();
    rc = values_init();
    if (rc == 0 && !all.is_ready) {
        rc = pthread_key_create(&all.key, thread_ended) == 0 ? 0 : -1;
        all.is_ready = rc == 0;
    }
    pthread_mutex_unlock(&all.lock);
    return rc;
}

/* --- types --- */

static bool is_name(const char *s)
{
    return s != NULL && s[0] != '\0' && strlen(s) < CONTEXT_NAME_MAX;
}

static bool is_same(const struct context_type *t, const char *const *attributes, size_t n)
{
    if (t->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(t->attributes[i], attributes[i]) != 0)
            return false;
    return true;
}

static int refuse(void)
{
    atomic_fetch_add_explicit(&all.n_types_refused, 1, memory_order_relaxed);
    return 0;
}

static int add_type(const char *name, const char *const *attributes, size_t n)
{
    uint32_t i = all.n_types, slots = all.n_slots;
    struct context_type *t = &all.types[i];

    if (i == CONTEXT_TYPES || slots + n > CONTEXT_SLOTS)
        return refuse();
    strcpy(t->name, name);
    for (size_t k = 0; k < n; k++)
        strcpy(t->attributes[k], attributes[k]);
    t->n = (uint32_t)n;
    t->first = slots;
    atomic_store_explicit(&all.n_slots, slots + (uint32_t)n, memory_order_release);
    atomic_store_explicit(&all.n_types, i + 1, memory_order_release);
    return (int)i + 1;
}

static int find_or_add(const char *name, const char *const *attributes, size_t n)
{
    for (uint32_t i = 0; i < all.n_types; i++)
        if (strcmp(all.types[i].name, name) == 0)
            return is_same(&all.types[i], attributes, n) ? (int)i + 1 : refuse();
    return add_type(name, attributes, n);
}

int context_define(const char *name, const char *const *attributes, size_t n)
{
    bool is_good = is_name(name) && n > 0 && n <= CONTEXT_SLOTS;
    int type;

    for (size_t i = 0; i < n && is_good; i++) {
        is_good = is_name(attributes[i]);
        for (size_t k = 0; k < i && is_good; k++)
            is_good = strcmp(attributes[i], attributes[k]) != 0;
    }
    if (!is_good || context_init() != 0)
        return refuse();
    pthread_mutex_lock(&all.lock);
    type = find_or_add(name, attributes, n);
    pthread_mutex_unlock(&all.lock);
    return type;
}

size_t context_n_types(void)
{
    return atomic_load_explicit(&all.n_types, memory_order_acquire);
}

const struct context_type *context_type_at(size_t index)
{
    return &all.types[index];
}

size_t context_n_slots(void)
{
    return atomic_load_explicit(&all.n_slots, memory_order_acquire);
}

static const struct context_type *type_of(int type)
{
    return type < 1 || (size_t)type > context_n_types() ? NULL : &all.types[type - 1];
}

/* --- records --- */

static struct context_record *make_block(void)
{
    uint32_t n = all.n_records;
    struct context_record *block;

    if (n == RECORDS_MAX)
        return NULL;
    block = mmap(NULL, BLOCK * sizeof(*block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    for (uint32_t i = 0; i < BLOCK; i++) {
        block[i].index = n + i;
        block[i].next = i + 1 < BLOCK ? &block[i + 1] : all.free;
    }
    all.blocks[n / BLOCK] = block;
    all.free = block;
    atomic_store_explicit(&all.n_records, n + BLOCK, memory_order_release);
    return block;
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
    r->serial++;
    set_depth(r, 0);
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < CONTEXT_SLOTS; i++)
            atomic_store_explicit(&r->tuples[t][i], VALUE_NULL, memory_order_relaxed);
    return r;
}

void context_record_free(struct context_record *r)
{
    if (r == NULL)
        return;
    pthread_mutex_lock(&all.lock);
    r->serial++;
    set_depth(r, 0);
    for (int i = 0; i < CONTEXT_SLOTS; i++)
        atomic_store_explicit(&r->tuples[r->current & 1][i], VALUE_NULL, memory_order_relaxed);
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

/* The calling thread's record, made if need be. */
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

/* A change is made in the tuple that is not current, which then becomes it. */
static _Atomic uint32_t *begin_change(struct context_record *r)
{
    uint32_t now = atomic_load_explicit(&r->current, memory_order_relaxed);
    _Atomic uint32_t *to = r->tuples[now ^ 1];

    for (int i = 0; i < CONTEXT_SLOTS; i++)
        atomic_store_explicit(&to[i],
                              atomic_load_explicit(&r->tuples[now][i], memory_order_relaxed),
                              memory_order_relaxed);
    return to;
}

static void end_change(struct context_record *r)
{
    atomic_signal_fence(memory_order_release);
    atomic_store_explicit(&r->current, atomic_load_explicit(&r->current, memory_order_relaxed) ^ 1,
                          memory_order_release);
}

static void put_values(struct context_record *r, const struct context_type *t,
                       const uint32_t *values, size_t n)
{
    _Atomic uint32_t *to = begin_change(r);

    for (size_t i = 0; i < t->n; i++)
        atomic_store_explicit(&to[t->first + i], i < n ? values[i] : VALUE_NULL,
                              memory_order_relaxed);
    end_change(r);
}

int64_t context_open(int type, const uint32_t *values, size_t n)
{
    const struct context_type *t = type_of(type);
    struct context_record *r = t == NULL ? NULL : own();
    struct undo *u;

    if (r == NULL)
        return 0;
    if (depth_of(r) == CONTEXT_DEPTH) {
        atomic_fetch_add_explicit(&all.n_too_deep, 1, memory_order_relaxed);
        return 0;
    }
    u = &r->undo[depth_of(r)];
    u->type = (uint32_t)type - 1;
    u->n_read = atomic_load_explicit(&r->n_read, memory_order_relaxed);
    u->start =
        atomic_load_explicit(&context_ended, memory_order_relaxed) != NULL ? fast_clock_now() : 0;
    for (size_t i = 0; i < t->n; i++)
        atomic_store_explicit(
            &u->before[i],
            atomic_load_explicit(&r->tuples[current_of(r)][t->first + i], memory_order_relaxed),
            memory_order_relaxed);
    set_depth(r, depth_of(r) + 1);
    put_values(r, t, values, n);
    return (int64_t)(r->serial & 0x7fffffff) << 32 | (int64_t)r->index << 8 | depth_of(r);
}

static void tell_ended(struct context_record *r, const struct undo *u)
{
    void (*tell)(const struct context_scope *) =
        atomic_load_explicit(&context_ended, memory_order_acquire);
    const struct context_type *t = &all.types[u->type];
    bool is_used = atomic_load_explicit(&r->n_read, memory_order_relaxed) != u->n_read;
    struct context_scope scope;

    if (tell == NULL || u->start == 0 ||
        !(is_used || atomic_load_explicit(&context_tell_unused, memory_order_relaxed)))
        return;
    scope.type = u->type;
    scope.start = fast_clock_ticks(u->start);
    scope.is_used = is_used;
    for (size_t i = 0; i < t->n; i++)
        scope.values[i] =
            atomic_load_explicit(&r->tuples[current_of(r)][t->first + i], memory_order_relaxed);
    tell(&scope);
}

void context_close(int64_t token)
{
    struct context_record *r = mine;
    uint32_t depth = (uint32_t)token & 0xff;

    if (token <= 0 || r == NULL || r->index != ((uint32_t)token >> 8) ||
        (r->serial & 0x7fffffff) != token >> 32 || depth > depth_of(r))
        return;
    if (depth != depth_of(r))
        atomic_fetch_add_explicit(&all.n_wrong_order, 1, memory_order_relaxed);
    while (depth_of(r) >= depth) {
        struct undo *u = &r->undo[depth_of(r) - 1];
        uint32_t before[CONTEXT_SLOTS];

        tell_ended(r, u);
        set_depth(r, depth_of(r) - 1);
        for (size_t i = 0; i < CONTEXT_SLOTS; i++)
            before[i] = atomic_load_explicit(&u->before[i], memory_order_relaxed);
        put_values(r, &all.types[u->type], before, CONTEXT_SLOTS);
    }
}

void context_set(int type, size_t attribute, uint32_t value)
{
    const struct context_type *t = type_of(type);
    struct context_record *r = t == NULL || attribute >= t->n ? NULL : own();

    if (r == NULL)
        return;
    atomic_store_explicit(&begin_change(r)[t->first + attribute], value, memory_order_relaxed);
    end_change(r);
}

void context_clear(int type)
{
    const struct context_type *t = type_of(type);

    if (t != NULL && mine != NULL)
        put_values(mine, t, NULL, 0);
}

void context_get(uint32_t out[CONTEXT_SLOTS])
{
    const struct context_record *r = mine;

    for (int i = 0; i < CONTEXT_SLOTS; i++)
        out[i] = r == NULL
                     ? VALUE_NULL
                     : atomic_load_explicit(&r->tuples[current_of(r)][i], memory_order_relaxed);
}

void context_put(const uint32_t in[CONTEXT_SLOTS])
{
    struct context_record *r = own();
    _Atomic uint32_t *to;

    if (r == NULL)
        return;
    to = begin_change(r);
    for (int i = 0; i < CONTEXT_SLOTS; i++)
        atomic_store_explicit(&to[i], in[i], memory_order_relaxed);
    end_change(r);
}

bool context_read(uint32_t out[CONTEXT_SLOTS])
{
    struct context_record *r = mine;
    const _Atomic uint32_t *from;
    uint32_t any = 0;

    if (r == NULL)
        return false;
    atomic_store_explicit(&r->n_read, atomic_load_explicit(&r->n_read, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    from = r->tuples[atomic_load_explicit(&r->current, memory_order_acquire)];
    for (int i = 0; i < CONTEXT_SLOTS; i++)
        any |= out[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    return any != 0;
}

/* Reads what other threads may be changing: an id that is taken meanwhile is found by the next look
 * before it is forgotten. */
void context_each_value(void (*mark)(uint32_t id))
{
    uint32_t n = atomic_load_explicit(&all.n_records, memory_order_acquire);

    for (uint32_t i = 0; i < n; i++) {
        const struct context_record *r = &all.blocks[i / BLOCK][i % BLOCK];

        for (int k = 0; k < 2 * CONTEXT_SLOTS; k++)
            mark(atomic_load_explicit(&r->tuples[k / CONTEXT_SLOTS][k % CONTEXT_SLOTS],
                                      memory_order_relaxed));
        for (uint32_t d = 0; d < CONTEXT_DEPTH && d < depth_of(r); d++)
            for (int k = 0; k < CONTEXT_SLOTS; k++)
                mark(atomic_load_explicit(&r->undo[d].before[k], memory_order_relaxed));
    }
}

void context_counts(struct context_counts *counts)
{
    *counts = (struct context_counts){all.n_types_refused, all.n_wrong_order, all.n_too_deep,
                                      all.n_not_ours};
}

/* --- for C programs --- */

static uint32_t intern(const char *text)
{
    return text == NULL ? VALUE_NULL : values_intern(text, strlen(text));
}

static jk_context_type api_define(const char *name, const char *const *attributes, int n)
{
    return n < 0 ? 0 : context_define(name, attributes, (size_t)n);
}

static int api_push(jk_context_type type, const char *const *values)
{
    const struct context_type *t = type_of(type);
    uint32_t ids[CONTEXT_SLOTS];

    if (t == NULL)
        return 0;
    for (size_t i = 0; i < t->n; i++)
        ids[i] = intern(values[i]);
    return (int)(context_open(type, ids, t->n) & 0xff);
}

static void api_pop(int depth)
{
    const struct context_record *r = mine;

    if (r != NULL && depth > 0 && depth <= CONTEXT_DEPTH)
        context_close((int64_t)(r->serial & 0x7fffffff) << 32 | (int64_t)r->index << 8 | depth);
}

static void api_set(jk_context_type type, int attribute, const char *value)
{
    if (attribute >= 0)
        context_set(type, (size_t)attribute, intern(value));
}

static void api_snapshot(struct jk_context_snapshot *out)
{
    context_get(out->values);
    for (int i = 0; i < CONTEXT_SLOTS; i++)
        values_pin(out->values[i]);
}

static void api_restore(const struct jk_context_snapshot *in)
{
    context_put(in->values);
}

static void api_drop(struct jk_context_snapshot *snapshot)
{
    for (int i = 0; i < CONTEXT_SLOTS; i++) {
        values_unpin(snapshot->values[i]);
        snapshot->values[i] = VALUE_NULL;
    }
}

static int api_is_recording(void)
{
    return emit_wanted();
}

__attribute__((visibility("default"))) const struct jk_context_api *jfrkit_context_api(void)
{
    static const struct jk_context_api api = {
        sizeof(api),   api_define,   api_push,    api_pop,  api_set,
        context_clear, api_snapshot, api_restore, api_drop, api_is_recording,
    };

    return context_init() == 0 ? &api : NULL;
}
