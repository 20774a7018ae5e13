/* parts.c - writes a record for a scope when the scope ends, and for a part of it when its values
 * change. Called by the setters (context.c) on the thread that the scope is on. */
#include "recorder/context/internal.h"

#include "recorder/context/values.h"
#include "recorder/capture/emit.h"

#include <stdatomic.h>

bool (*_Atomic context_ended)(const struct context_scope *scope, int64_t end);
_Atomic int64_t context_since;
_Atomic bool context_report_unused;

/* Copies a scope without its values. Most changes need no more than that, and zeroing the values
 * would be a tenth of their cost. */
static void copy_head(struct context_record *r, uint32_t depth, size_t type,
                      struct context_scope *out)
{
    const struct scope *s = context_scope_at(r, depth, type);

    out->record = r->index;
    out->depth = depth;
    out->serial = READ(s->serial);
    out->part = READ(s->part);
    out->thread_key = r->thread_key;
    out->type = (uint32_t)type;
    out->start = READ(s->start);
    out->is_used = READ(r->n_read) != READ(s->n_read);
    out->reported = context_reported(s, context_part(out->serial, out->part));
}

/* Copies the values of a scope. Returns false if all are null. */
static bool copy_values(const struct context_record *r, size_t type, uint64_t where,
                        struct context_scope *out)
{
    const struct context_type *t = context_type_at(type);
    uint8_t area = context_area(where, type) % AREAS;
    uint32_t any = 0;

    for (size_t i = 0; i < CONTEXT_SLOTS; i++)
        any |= out->values[i] = i < t->n ? READ(r->areas[area][t->first + i]) : VALUE_NULL;
    return any != VALUE_NULL;
}

/* Copies a scope with its values. Returns false if all values are null. */
static bool copy_whole(struct context_record *r, uint32_t depth, size_t type, uint64_t where,
                       struct context_scope *out)
{
    copy_head(r, depth, type, out);
    return copy_values(r, type, where, out);
}

struct context_scope context_copy_scope(struct context_record *r, uint32_t depth, uint64_t *where)
{
    const struct scope *s = &r->scopes[depth - 1];
    uint8_t type = READ(s->type) % CONTEXT_TYPES;
    struct context_scope scope;

    copy_whole(r, depth, type, *where, &scope);
    *where = context_with_area(*where, type, READ(s->before));
    return scope;
}

bool context_copy_base(struct context_record *r, size_t type, uint64_t where,
                       struct context_scope *scope)
{
    return copy_whole(r, 0, type, where, scope);
}

/* Does the part continue one that was reported to the current listener? */
static bool is_later_part(uint16_t part, int64_t start)
{
    return part != 0 && start >= READ(context_since);
}

bool context_is_continued(const struct context_scope *scope)
{
    return is_later_part(scope->part, scope->start);
}

/* The number of the part after one. */
static uint16_t part_after(uint16_t part)
{
    return part == UINT16_MAX ? 1 : part + 1;
}

/* Unused scopes are reported only if the listener wants them. */
static bool is_reportable(bool is_used)
{
    return is_used || READ(context_report_unused);
}

bool context_report_end(const struct context_scope *scope, int64_t end)
{
    bool (*f)(const struct context_scope *, int64_t) =
        atomic_load_explicit(&context_ended, memory_order_acquire);

    return f != NULL && is_reportable(scope->is_used) && f(scope, end);
}

/* Begins a part of a scope, until context_end_part(). The drain thread may copy the scope at the
 * same time: it discards a copy that it made while `heads` was odd or changed. */
static void begin_part(struct context_record *r, struct scope *s, uint32_t serial, uint16_t part,
                       int64_t start)
{
    uint32_t heads = READ(r->heads) | 1; /* Java code may have been stopped within a change */

    WRITE(r->heads, heads);
    atomic_thread_fence(memory_order_release);
    WRITE(s->serial, serial);
    WRITE(s->part, part);
    WRITE(s->start, start);
    WRITE(s->n_read, READ(r->n_read));
}

void context_end_part(struct context_record *r)
{
    atomic_store_explicit(&r->heads, READ(r->heads) + 1, memory_order_release);
}

/* Was any part of the scope reported, at its end or while it was open? */
static bool has_reported_part(const struct scope *s)
{
    uint16_t part = READ(s->part);

    return is_later_part(part, READ(s->start)) ||
           context_reported(s, context_part(READ(s->serial), part)) != 0;
}

/* Reports a part that ends. Returns whether the listener wanted it. */
static bool report_ended_part(struct context_record *r, size_t type, int64_t now)
{
    uint64_t where = READ(r->where);
    struct context_scope scope;

    copy_whole(r, context_area(where, type) / 2, type, where, &scope);
    return context_report_end(&scope, now);
}

void context_next_part(struct context_record *r, size_t type, uint32_t serial,
                       enum context_change change, bool had_values, bool has_values)
{
    uint32_t depth = context_area(READ(r->where), type) / 2;
    struct scope *s = context_scope_at(r, depth, type);
    bool is_scope = depth > 0, continues = change == CONTEXT_CONTINUES;
    bool is_used = READ(r->n_read) != READ(s->n_read);
    bool may_report = (is_scope || had_values) && is_reportable(is_used);
    bool may_continue = is_scope || (had_values && change == CONTEXT_CHANGES);
    int64_t now = 0;

    /* Reading the clock is a fifth of the cost of a change. */
    if (READ(context_ended) != NULL && (may_report || is_scope || has_values))
        now = emit_now();
    if (may_continue)
        continues |= has_reported_part(s);
    if (may_report) /* mostly nothing was recorded, so no copy is made */
        continues |= report_ended_part(r, type, now) && may_continue;
    begin_part(r, s, is_scope ? READ(s->serial) : serial, continues ? part_after(READ(s->part)) : 0,
               now);
}

/* A scope that was not used is not reported. Its part continues, so that no time is left out if it
 * is used later: the system's thread of `main` is attached once more when the JVM ends. */
static void report_part(struct context_record *r, const struct context_scope *scope)
{
    struct scope *s = context_scope_at(r, scope->depth, scope->type);
    int64_t now = emit_now();

    if (!context_report_end(scope, now))
        return;
    begin_part(r, s, scope->serial, part_after(scope->part), now);
    context_end_part(r);
}

/* The thread of the record ends, or another record is used from now on: reports the parts of all
 * open scopes until now. */
static void report_parts(struct context_record *r)
{
    uint64_t where = READ(r->where);
    struct context_scope scope;

    if (READ(context_ended) == NULL)
        return;
    for (uint32_t d = READ(r->depth); d > 0; d--) {
        scope = context_copy_scope(r, d, &where);
        report_part(r, &scope);
    }
    for (size_t t = 0; t < context_n_types(); t++)
        if (context_copy_base(r, t, where, &scope))
            report_part(r, &scope);
}

void context_thread_ends(struct context_record *record)
{
    if (record != NULL)
        report_parts(record);
}
