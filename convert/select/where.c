/*
 * where.c - evaluates a parsed condition on events.
 *
 * where_parse.c makes the tree, where_use.c finds the fields of each class. Whether a condition
 * holds for a pooled value is evaluated once and remembered.
 */
#include "convert/select/where.h"

#include "convert/text/frame_name.h"
#include "convert/select/where_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum memo { /* of a constant: does a condition on it hold? */
    MEMO_UNKNOWN,
    MEMO_NO,
    MEMO_YES,
};

/* What a class of the loaded chunk is to the expression; in the chunk's arena. */
struct class_use {
    bool is_ready;
    bool has_context;
    enum where_class decision;
    const struct jfr_plan *plan; /* of the first fields; NULL: none is there, or see is_broken */
    bool is_broken; /* its events cannot be decoded */
    struct where_use *uses; /* by operand */
    struct jfr_stacks *stacks; /* NULL: no frames, or they are not needed */
    uint8_t **memos; /* by node: enum memo of each entry of the pool of its field */
};

struct where_run {
    struct where *w;
    struct jfr_chunk *chunk;
    struct context_run *context;
    struct class_use *classes;
    struct buf text[2]; /* of the values being compared */
    int64_t duration_ns; /* of events, in place of their own; 0: their own */
    bool failed; /* memory is exhausted */
};

/* What is being asked about. */
struct asked {
    struct where_run *r;
    const struct jfr_class *cls;
    struct class_use *t;
    const struct jfr_event *ev; /* NULL: the class as such */
    const union jfr_value *v;
};

struct where *where_new(const char *text, struct context *context, struct jfr_error *err)
{
    struct where *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&w->lock, NULL);
    for (size_t i = 0; i < sizeof(w->operands) / sizeof(w->operands[0]); i++)
        w->operands[i].distance = UINT32_MAX;
    if (where_parse(w, text, context, err) == 0)
        return w;
    where_free(w);
    return NULL;
}

void where_free(struct where *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->n_operands; i++) {
        free(w->operands[i].path);
        free(w->operands[i].text);
        free(w->operands[i].nearest);
    }
    for (size_t i = 0; i < w->n_nodes; i++)
        pattern_free(w->nodes[i].pattern);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct where_run *where_run_new(struct where *w)
{
    struct where_run *r = calloc(1, sizeof(*r));

    if (r != NULL)
        r->w = w;
    return r;
}

void where_run_free(struct where_run *r)
{
    if (r == NULL)
        return;
    buf_free(&r->text[0]);
    buf_free(&r->text[1]);
    free(r);
}

/* --- notes ------------------------------------------------------------------------------------ */

/* Notes which fields that no earlier chunk had this chunk has. */
static void look_for_condition_fields(struct where *w, const struct jfr_metadata *md)
{
    w->has_chunk = true;
    for (size_t k = 0; k < w->n_operands; k++) {
        struct where_operand *o = &w->operands[k];

        if (o->source != WHERE_FIELD || o->is_found)
            continue;
        for (size_t i = 0; i < md->n_classes && !o->is_found; i++)
            if (md->classes[i].is_event)
                o->is_found = where_use_exists(&md->classes[i], o->path);
        for (size_t i = 0; i < md->n_classes && !o->is_found; i++)
            if (md->classes[i].is_event)
                where_use_nearest(&md->classes[i], o->path, &o->nearest, &o->distance);
    }
}

static const char *kind_text(enum where_kind kind)
{
    static const char *const texts[] = {
        [WHERE_NULL] = "null",
        [WHERE_BOOL] = "true or false",
        [WHERE_INT] = "a number",
        [WHERE_REAL] = "a number",
        [WHERE_SPAN] = "a time span (10ms)",
        [WHERE_TIME] = "a point in time ('2026-11-20T09:34:16Z')",
        [WHERE_TEXT] = "a text",
        [WHERE_OTHER] = "a value of several parts",
    };

    return texts[kind];
}

bool where_note(const struct where *w, size_t i, bool *is_error, char *text, size_t room)
{
    for (size_t k = 0; k < w->n_operands; k++) {
        const struct where_operand *o = &w->operands[k];
        bool is_close = o->nearest != NULL && o->distance <= 2 + strlen(o->nearest) / 4;

        if (o->source != WHERE_FIELD || o->is_found || !w->has_chunk || i-- > 0)
            continue;
        *is_error = true;
        if (is_close)
            snprintf(text, room, "no event type has a field '%s', did you mean '%s'?", o->path,
                     o->nearest);
        else
            snprintf(text, room,
                     "no event type has a field '%s'; a text has quotes, '%s', and a context key "
                     "is ctx.KEY: ctx.user == 'bob', or --context user=bob",
                     o->path, o->path);
        return true;
    }
    for (size_t k = 0; k < w->n_nodes; k++) {
        const struct where_node *n = &w->nodes[k];

        if (!n->is_odd || i-- > 0)
            continue;
        *is_error = false;
        if (n->op >= WHERE_MATCH)
            snprintf(text, room, "character %" PRIu32 ": %s is compared with a pattern", n->at,
                     kind_text(n->odd_a));
        else
            snprintf(text, room, "character %" PRIu32 ": %s is compared with %s", n->at,
                     kind_text(n->odd_a), kind_text(n->odd_b));
        return true;
    }
    return false;
}

static void note_odd(struct where_node *n, enum where_kind a, enum where_kind b, pthread_mutex_t *m)
{
    if (n->is_odd)
        return;
    pthread_mutex_lock(m);
    if (!n->is_odd) {
        n->odd_a = a;
        n->odd_b = b;
        n->is_odd = true;
    }
    pthread_mutex_unlock(m);
}

/* --- comparing -------------------------------------------------------------------------------- */

static bool is_number_value(const struct where_value *v)
{
    return v->kind == WHERE_INT || v->kind == WHERE_REAL;
}

static long double real(const struct where_value *v, bool is_single)
{
    long double f = v->kind == WHERE_REAL ? v->f
                    : v->is_big           ? (long double)(uint64_t)v->i
                                          : (long double)v->i;

    return is_single ? (float)f : f;
}

static int order_ints(const struct where_value *a, const struct where_value *b)
{
    if (a->is_big != b->is_big)
        return a->is_big ? 1 : -1;
    if (a->is_big)
        return (uint64_t)a->i < (uint64_t)b->i ? -1 : (uint64_t)a->i > (uint64_t)b->i;
    return a->i < b->i ? -1 : a->i > b->i;
}

static int order_texts(const struct where_value *a, const struct where_value *b)
{
    int order = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

    return order != 0 ? order : a->n < b->n ? -1 : a->n > b->n;
}

/* Brings a literal to the kind of what it is compared with. */
static void adapt(struct where_value *literal, const struct where_value *to)
{
    if (to->kind == WHERE_TIME && literal->kind == WHERE_TEXT && literal->has_time)
        literal->kind = WHERE_TIME;
    else if (to->kind == WHERE_SPAN && literal->kind == WHERE_INT && literal->i == 0)
        literal->kind = WHERE_SPAN; /* zero needs no unit */
}

/* Compares by WHERE_EQ to WHERE_GE. Sets *is_odd if the kinds of values cannot be compared. */
static bool where_compare(enum where_op op, const struct where_value *left,
                          const struct where_value *right, bool *is_odd)
{
    struct where_value a = *left, b = *right;
    int order;

    *is_odd = false;
    if (a.kind == WHERE_NULL || b.kind == WHERE_NULL)
        return op == WHERE_EQ ? a.kind == b.kind : op == WHERE_NE && a.kind != b.kind;
    adapt(&a, &b);
    adapt(&b, &a);
    if (is_number_value(&a) && is_number_value(&b) &&
        (a.kind == WHERE_REAL || b.kind == WHERE_REAL)) {
        bool is_single = a.is_single || b.is_single;
        long double x = real(&a, is_single), y = real(&b, is_single);

        if (x != x || y != y) /* no number: no order, equal to nothing */
            return op == WHERE_NE;
        order = x < y ? -1 : x > y;
    } else if (a.kind != b.kind || a.kind == WHERE_OTHER ||
               (a.kind == WHERE_BOOL && op != WHERE_EQ && op != WHERE_NE)) {
        *is_odd = true;
        return op == WHERE_NE;
    } else if (a.kind == WHERE_TEXT) {
        order = order_texts(&a, &b);
    } else {
        order = order_ints(&a, &b);
    }
    switch (op) {
    case WHERE_EQ:
        return order == 0;
    case WHERE_NE:
        return order != 0;
    case WHERE_LT:
        return order < 0;
    case WHERE_LE:
        return order <= 0;
    case WHERE_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static void set_context(const struct asked *q, uint32_t key, struct where_value *value)
{
    uint32_t tuple = context_event(q->r->context, q->ev);

    q->r->failed |= tuple == CONTEXT_NONE;
    value->text = context_text(q->r->context, tuple, key, &value->n);
    value->kind = value->text == NULL ? WHERE_NULL : WHERE_TEXT;
}

static struct where_value condition_value_of(const struct asked *q, unsigned operand, struct buf *b)
{
    const struct where_operand *o = &q->r->w->operands[operand];
    const struct where_use *use = &q->t->uses[operand];
    struct where_value value = {.kind = WHERE_NULL};

    switch (o->source) {
    case WHERE_LITERAL:
        return o->value;
    case WHERE_EVENT_NAME:
        value = (struct where_value){
            .kind = WHERE_TEXT, .text = q->cls->name, .n = strlen(q->cls->name)};
        break;
    case WHERE_CONTEXT:
        if (q->t->has_context && q->ev != NULL)
            set_context(q, o->key, &value);
        break;
    case WHERE_FIELD:
        if (use->is_there && q->r->duration_ns > 0 && strcmp(o->path, "duration") == 0) {
            value = (struct where_value){.kind = WHERE_SPAN, .i = q->r->duration_ns};
        } else if (use->is_there) {
            where_use_value(q->r->chunk, use, q->v[use->slot], q->ev->body.end, b, &value);
            q->r->failed |= !buf_ok(b);
        }
        break;
    case WHERE_FRAME:
        break;
    }
    return value;
}

/* Does the value of every event of the class follow from the class? */
static bool is_settled(const struct asked *q, unsigned operand)
{
    switch (q->r->w->operands[operand].source) {
    case WHERE_FIELD:
        return !q->t->uses[operand].is_there;
    case WHERE_CONTEXT:
        return !q->t->has_context;
    case WHERE_FRAME:
        return q->t->stacks == NULL;
    default:
        return true;
    }
}

/* --- conditions ------------------------------------------------------------------------------- */

/* The condition for one value on the left. */
static bool holds_condition(const struct asked *q, struct where_node *n,
                            const struct where_value *a)
{
    bool is_odd = false, is_match;
    struct where_value b;

    if (n->op == WHERE_TRUTH)
        return a->kind != WHERE_NULL && (a->kind != WHERE_BOOL || a->i != 0);
    if (n->op < WHERE_MATCH) {
        b = condition_value_of(q, n->b, &q->r->text[1]);
        is_match = where_compare(n->op, a, &b, &is_odd);
        if (is_odd)
            note_odd(n, a->kind, b.kind, &q->r->w->lock);
        return is_match;
    }
    if (a->kind != WHERE_TEXT && a->kind != WHERE_NULL)
        note_odd(n, a->kind, WHERE_TEXT, &q->r->w->lock);
    is_match = a->kind == WHERE_TEXT && pattern_match(n->pattern, a->text, a->n);
    return is_match == (n->op == WHERE_MATCH);
}

/* Is it so for any frame? Of conditions that say no, for none. */
static bool holds_for_frames(const struct asked *q, struct where_node *n)
{
    static const struct name_options style = {.style = NAME_DOT};
    bool is_negative = n->op == WHERE_NE || n->op == WHERE_NO_MATCH;
    const struct jfr_stacks *st = q->t->stacks;
    struct buf *b = &q->r->text[0];
    uint64_t key = st == NULL ? 0 : q->v[q->t->uses[n->a].slot].key;
    int64_t i = st == NULL ? -1 : jfr_pool_find(st->traces, key);
    struct jfr_frame frame;
    struct jfr_frames it;

    if (i < 0 || jfr_stacks_open(st, (size_t)i, &it) < 0)
        return is_negative;
    while (jfr_frames_next(&it, &frame)) {
        struct where_value a = {.kind = WHERE_TEXT};
        struct jfr_method m;

        buf_reset(b);
        jfr_method_get(st, frame.method_key, &m);
        frame_name_append(b, &style, &m, &frame, FRAME_UNKNOWN);
        q->r->failed |= !buf_ok(b);
        a.text = b->n == 0 ? "" : (const char *)b->p;
        a.n = b->n;
        if (holds_condition(q, n, &a) != is_negative)
            return !is_negative;
    }
    return is_negative;
}

static bool decide_condition(const struct asked *q, struct where_node *n)
{
    struct where_value a;

    if (q->r->w->operands[n->a].source == WHERE_FRAME)
        return holds_for_frames(q, n);
    a = condition_value_of(q, n->a, &q->r->text[0]);
    return holds_condition(q, n, &a);
}

/* The same, asked once for each constant where all depends on one. */
static bool ask(const struct asked *q, unsigned node)
{
    struct where_node *n = &q->r->w->nodes[node];
    const struct where_use *use = &q->t->uses[n->a];
    bool has_one = n->op == WHERE_TRUTH || n->op >= WHERE_MATCH || is_settled(q, n->b);
    int64_t i;
    uint8_t *memo;

    if (q->ev == NULL || use->pool == NULL || !has_one)
        return decide_condition(q, n);
    i = jfr_pool_find(use->pool, q->v[use->slot].key);
    if (i >= 0 && q->t->memos[node] == NULL)
        q->t->memos[node] = arena_alloc(jfr_chunk_arena(q->r->chunk), jfr_pool_n(use->pool));
    memo = q->t->memos[node];
    if (i < 0 || memo == NULL)
        return decide_condition(q, n);
    if (memo[i] == MEMO_UNKNOWN)
        memo[i] = decide_condition(q, n) ? MEMO_YES : MEMO_NO;
    return memo[i] == MEMO_YES;
}

static enum where_class opposite(enum where_class c)
{
    return c == WHERE_NO ? WHERE_YES : c == WHERE_YES ? WHERE_NO : WHERE_MAYBE;
}

/* q->ev NULL: what is known of the class; else never WHERE_MAYBE. */
static enum where_class eval(const struct asked *q, unsigned node)
{
    const struct where_node *n = &q->r->w->nodes[node];
    enum where_class a, stop;

    switch (n->op) {
    case WHERE_NOT:
        return opposite(eval(q, n->a));
    case WHERE_AND:
    case WHERE_OR:
        stop = n->op == WHERE_OR ? WHERE_YES : WHERE_NO;
        a = eval(q, n->a);
        if (a == stop)
            return stop;
        if (a == WHERE_MAYBE)
            return eval(q, n->b) == stop ? stop : WHERE_MAYBE;
        return eval(q, n->b);
    default:
        break;
    }
    if (q->ev == NULL && !(is_settled(q, n->a) &&
                           (n->op == WHERE_TRUTH || n->op >= WHERE_MATCH || is_settled(q, n->b))))
        return WHERE_MAYBE;
    return ask(q, node) ? WHERE_YES : WHERE_NO;
}

/* --- classes ---------------------------------------------------------------------------------- */

int where_run_load(struct where_run *r, struct jfr_chunk *chunk, struct context_run *context)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    r->chunk = chunk;
    r->context = context;
    r->failed = false;
    r->classes = arena_array(jfr_chunk_arena(chunk), md->n_classes, sizeof(*r->classes));
    pthread_mutex_lock(&r->w->lock);
    look_for_condition_fields(r->w, md);
    pthread_mutex_unlock(&r->w->lock);
    return r->classes == NULL ? JFR_E_NOMEM : 0;
}

static struct jfr_stacks *stacks_of(struct where_run *r, const struct where_use *use)
{
    struct jfr_stacks *st = arena_alloc(jfr_chunk_arena(r->chunk), sizeof(*st));

    return st != NULL && use->n_steps == 0 && use->pool != NULL &&
                   jfr_stacks_init(st, r->chunk, use->field) == 0
               ? st
               : NULL;
}

/* Finds the fields and makes the plan. */
static void prepare(struct where_run *r, const struct jfr_class *cls, struct class_use *t)
{
    const char *firsts[WHERE_OPERANDS_MAX];
    const struct where *w = r->w;
    struct arena *arena = jfr_chunk_arena(r->chunk);
    uint8_t n = 0;

    t->uses = arena_array(arena, w->n_operands, sizeof(*t->uses));
    t->memos = arena_array(arena, w->n_nodes, sizeof(*t->memos));
    if (t->uses == NULL || t->memos == NULL) {
        t->is_broken = true;
        return;
    }
    t->has_context = r->context != NULL && context_class(r->context, cls);
    for (size_t i = 0; i < w->n_operands; i++) {
        enum where_source source = w->operands[i].source;
        const char *path = source == WHERE_FRAME ? "stackTrace" : w->operands[i].path;

        if ((source != WHERE_FIELD && source != WHERE_FRAME) ||
            !where_use_find(r->chunk, cls, path, &t->uses[i], &firsts[n])) {
            t->uses[i] = (struct where_use){0};
            continue;
        }
        t->uses[i].slot = n++;
        if (source == WHERE_FRAME)
            t->stacks = stacks_of(r, &t->uses[i]);
    }
    if (n == 0)
        return;
    t->plan = jfr_plan_new(r->chunk, cls, firsts, n);
    t->is_broken = t->plan == NULL;
}

static struct class_use *where_use_of(struct where_run *r, const struct jfr_class *cls)
{
    struct class_use *t = &r->classes[cls->index];
    const struct asked q = {.r = r, .cls = cls, .t = t};

    if (t->is_ready)
        return t;
    prepare(r, cls, t);
    t->decision = t->is_broken ? WHERE_MAYBE : eval(&q, r->w->root);
    t->is_ready = true;
    return t;
}

enum where_class where_class(struct where_run *r, const struct jfr_class *cls)
{
    return where_use_of(r, cls)->decision;
}

void where_run_set_duration(struct where_run *r, int64_t duration_ns)
{
    r->duration_ns = duration_ns;
}

int where_event(struct where_run *r, const struct jfr_event *ev, const uint8_t **where)
{
    union jfr_value v[WHERE_OPERANDS_MAX];
    struct class_use *t = where_use_of(r, ev->type);
    const struct asked q = {.r = r, .cls = ev->type, .t = t, .ev = ev, .v = v};
    int rc;

    if (t->is_broken)
        return arena_ok(jfr_chunk_arena(r->chunk)) ? JFR_E_FORMAT : JFR_E_NOMEM;
    if (t->decision != WHERE_MAYBE)
        return t->decision == WHERE_YES;
    rc = t->plan == NULL ? 0 : jfr_plan_run(t->plan, ev->body, v, where);
    if (rc < 0)
        return rc;
    rc = eval(&q, r->w->root) == WHERE_YES;
    return r->failed ? JFR_E_NOMEM : rc;
}
