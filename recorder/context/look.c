/*
 * look.c - reads the records of other threads: for samples of wall-clock time, for values in use,
 * and for scopes that are open when a chunk ends.
 *
 * The drain thread and the sampler call it. The owner of a record changes it without a lock, so
 * each copy is checked: it counts only if `changes` and `where` are the same before and after.
 */
#include "recorder/context/internal.h"

#include "recorder/capture/virtual_names.h"

#include <string.h>
#include <time.h>

void context_thread_name(uint32_t number, uint64_t thread_key, char out[CONTEXT_THREAD_NAME])
{
    const struct context_record *r = number == 0 ? NULL : context_record_at(number - 1);

    out[0] = '\0';
    if (r != NULL && atomic_load_explicit(&r->thread_key, memory_order_acquire) == thread_key) {
        memcpy(out, r->thread_name, CONTEXT_THREAD_NAME);
        out[CONTEXT_THREAD_NAME - 1] = '\0';
        atomic_thread_fence(memory_order_acquire);
        if (READ(r->thread_key) != thread_key)
            out[0] = '\0';
    }
    if (out[0] == '\0')
        virtual_names_get(thread_key, out);
}

struct each_thread {
    void (*report)(int32_t tid, struct context_record *record, void *arg);
    void *arg;
};

static void pass_record(struct context_record *r, void *arg)
{
    const struct each_thread *to = arg;

    if (r->tid > 0)
        to->report(r->tid, r, to->arg);
}

void context_each_thread(void (*report)(int32_t tid, struct context_record *record, void *arg),
                         void *arg)
{
    context_each_record(pass_record, &(struct each_thread){report, arg});
}

/* Is a copy valid that was made since `changes` and `where` were read? A change that began before
 * them writes to areas that are not in use. But once it has stored `where`, the next change writes
 * to the other areas, before it counts itself in `changes`. */
static bool is_unchanged(const struct context_record *r, uint32_t changes, uint64_t where)
{
    atomic_thread_fence(memory_order_acquire);
    return READ(r->where) == where && READ(r->changes) == changes;
}

bool context_read_other(struct context_record *r, int32_t tid, uint32_t out[CONTEXT_SLOTS])
{
    for (int tries = 0; tries < 100; tries++) {
        uint32_t changes = atomic_load_explicit(&r->changes, memory_order_acquire), any;
        uint64_t where = atomic_load_explicit(&r->where, memory_order_acquire);

        memset(out, 0, CONTEXT_SLOTS * sizeof(*out));
        any = context_copy_out(r, out);
        if (!is_unchanged(r, changes, where))
            continue;
        if (any == 0 || r->tid != tid)
            return false;
        atomic_fetch_add_explicit(&r->n_read, 1, memory_order_relaxed);
        return true;
    }
    return false;
}

/* An id that a thread sets during this walk is found by the next one: values stay in quarantine
 * between. */
static void mark_values(struct context_record *r, void *mark)
{
    uint32_t depth = atomic_load_explicit(&r->depth, memory_order_acquire);
    void (*f)(uint32_t) = *(void (**)(uint32_t))mark;

    for (uint32_t area = 0; area < 2 * (depth + 1); area++)
        for (int i = 0; i < CONTEXT_SLOTS; i++)
            f(READ(
                r->areas[area][i])); /* also words of bytes, which keep a value longer at worst */
}

void context_each_value(void (*mark)(uint32_t id))
{
    context_each_record(mark_values, &mark);
}

#define OPEN_MAX (CONTEXT_DEPTH + CONTEXT_TYPES)

#define NAPS 20 /* of a millisecond */

struct open_scopes {
    bool (*report)(const struct context_scope *scope, int32_t tid, void *arg);
    int64_t until;
    void *arg;
    int n_naps; /* that are left, for all records together */
};

/* Returns the number of open scopes, and their values in *where. The owner stores `where` and
 * `depth` one after the other; if they do not fit together, `where` is right. */
static uint32_t settled(const struct context_record *r, uint64_t *where)
{
    uint32_t depth = atomic_load_explicit(&r->depth, memory_order_acquire), type;

    *where = atomic_load_explicit(&r->where, memory_order_acquire);
    if (depth > CONTEXT_DEPTH)
        return 0;
    while (depth > 0) {
        type = READ(r->scopes[depth - 1].type) % CONTEXT_TYPES;
        if (context_area(*where, type) / 2 >= depth)
            break;
        depth--;
    }
    if (depth < CONTEXT_DEPTH) {
        type = READ(r->scopes[depth].type) % CONTEXT_TYPES;
        if (context_area(*where, type) / 2 == depth + 1)
            *where = context_with_area(*where, type, READ(r->scopes[depth].before));
    }
    return depth;
}

/* Copies the open scopes, from the innermost one. Returns how many there are. */
static uint32_t copy_scopes(struct context_record *r, struct context_scope out[OPEN_MAX])
{
    uint64_t where;
    uint32_t n = 0;

    for (uint32_t d = settled(r, &where); d > 0; d--)
        out[n++] = context_copy_scope(r, d, &where);
    for (size_t t = 0; t < context_n_types(); t++)
        n += context_copy_base(r, t, where, &out[n]);
    return n;
}

/* The thread may end the scope at the same time. reported_until is stored first, so a thread that
 * finds the scope reported also finds until when. */
static void note_reported(struct context_record *r, const struct context_scope *scope,
                          int64_t until)
{
    struct scope *s = context_scope_at(r, scope->depth, scope->type);

    WRITE(s->reported_until, until);
    atomic_store_explicit(&s->reported, context_part(scope->serial, scope->part),
                          memory_order_release);
}

/* A thread reports the end of a scope first and removes the scope from its record then, and it may
 * lose the processor in between for longer than a pass of the drain thread. Such a scope is in the
 * record although its event is in the file. */
void context_note_written(const struct context_scope *scope)
{
    struct context_record *r = context_record_at(scope->record);
    const struct scope *s = context_scope_at(r, scope->depth, scope->type);

    /* Another scope in its place may have been reported while open, which must not be forgotten. */
    if (READ(s->serial) == scope->serial && READ(s->part) == scope->part)
        note_reported(r, scope, CONTEXT_WRITTEN);
}

/* Passes a scope to the listener, unless its event was written when it ended. */
static void report_open_scope(struct context_record *r, const struct context_scope *scope,
                              const struct open_scopes *to)
{
    if (scope->reported != CONTEXT_WRITTEN && to->report(scope, r->tid, to->arg))
        note_reported(r, scope, to->until);
}

/* Sleeps for a millisecond: a thread that lost the processor within a change may get it back.
 * Returns false if all NAPS are used up. */
static bool nap(struct open_scopes *to)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    if (to->n_naps == 0)
        return false;
    to->n_naps--;
    nanosleep(&moment, NULL);
    return true;
}

/* The copy is valid only if its thread has changed nothing meanwhile. A thread that does nothing
 * but change its scopes is left out after 100 copies. */
static void report_open_scopes(struct context_record *r, void *arg)
{
    struct open_scopes *to = arg;
    struct context_scope scopes[OPEN_MAX];

    for (int tries = 0; tries < 100;) {
        uint32_t changes = atomic_load_explicit(&r->changes, memory_order_acquire);
        uint64_t where = atomic_load_explicit(&r->where, memory_order_acquire);
        uint32_t heads = atomic_load_explicit(&r->heads, memory_order_acquire);
        uint32_t n = copy_scopes(r, scopes);
        bool is_same = is_unchanged(r, changes, where);
        bool is_same_head = READ(r->heads) == heads, is_odd = heads % 2 != 0;

        if (is_same && is_same_head && !is_odd) {
            while (n-- > 0)
                report_open_scope(r, &scopes[n], to);
            return;
        }
        /* A copy takes longer than a change, so the thread has lost the processor within one. */
        if (!is_same_head || !is_odd || !nap(to))
            tries++;
    }
}

void context_each_open(int64_t until,
                       bool (*report)(const struct context_scope *scope, int32_t tid, void *arg),
                       void *arg)
{
    context_each_record(report_open_scopes, &(struct open_scopes){report, until, arg, NAPS});
}

int64_t context_reported(const struct scope *s, uint32_t part)
{
    int64_t until = atomic_load_explicit(&s->reported, memory_order_acquire) == part
                        ? READ(s->reported_until)
                        : 0;

    return until < READ(context_since) ? 0 : until;
}

/* The scope may have been reported once more while it ended. Since then another scope may have
 * taken its place, whose part is another number. */
int64_t context_reported_until(const struct context_scope *scope)
{
    struct context_record *r = context_record_at(scope->record);
    int64_t now = context_reported(context_scope_at(r, scope->depth, scope->type),
                                   context_part(scope->serial, scope->part));

    return now > scope->reported ? now : scope->reported;
}
