#include "convert/json/internal.h"
#include "convert/json/stacks.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

/* A column holds `,VALUE` for every event. Where a value has a stack trace, whose text would be
 * most of it and comes again and again, stands a mark instead, a byte that JSON never has: of a
 * chunk's stacks first, and of all that there are once the chunk was taken over. */
#define MARK 1
#define MARK_SIZE (1 + sizeof(uint32_t)) /* and which */

struct column {
    char *name;
    struct buf text;
};

struct type {
    struct type *next;
    char *name;
    uint64_t n; /* events */
    struct column *columns;
    size_t n_columns;
};

struct all_types { /* in the order in which they were met */
    struct type *first, **last;
    struct intern stacks;
};

struct chunk_columns { /* of an event class in a chunk */
    struct chunk_columns *next;
    const struct jfr_class *cls;
    uint64_t n;
    struct column *columns; /* the wanted ones, in the order of the members */
    size_t n_columns;
};

struct chunk_types { /* of a worker */
    struct json_worker *w;
    struct chunk_columns *first, **last; /* in the order in which they were met */
    struct json_stacks stacks;
};

static void free_columns(struct column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(columns[i].name);
        buf_free(&columns[i].text);
    }
    free(columns);
}

static void forget(struct chunk_types *ct)
{
    struct chunk_columns *next;

    for (struct chunk_columns *cc = ct->first; cc != NULL; cc = next) {
        next = cc->next;
        free_columns(cc->columns, cc->n_columns);
        free(cc);
    }
    ct->first = NULL;
    ct->last = &ct->first;
    json_stacks_reset(&ct->stacks);
}

static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b);

static void put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;
    struct chunk_types *ct = w->own;
    uint32_t number =
        (uint32_t)json_stacks_number(&ct->stacks, w->values.shapes.chunk, shape, i, make_stack, w);

    w->values.failed |= number == 0;
    buf_byte(b, MARK);
    buf_bytes(b, &number, sizeof(number));
}

/* A stack within it stands there as it is. */
static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;

    w->values.put_stack = NULL;
    json_value_stack(&w->values, shape, i, b);
    w->values.put_stack = put_stack;
}

static struct chunk_columns *open_columns(struct chunk_types *ct, const struct json_shape *shape)
{
    struct chunk_columns *cc = calloc(1, sizeof(*cc));

    if (cc == NULL)
        return NULL;
    cc->cls = shape->cls;
    cc->columns = calloc(shape->n_members + 1, sizeof(*cc->columns));
    cc->n_columns = shape->n_members;
    *ct->last = cc;
    ct->last = &cc->next;
    return cc->columns == NULL ? NULL : cc;
}

static void take_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    struct chunk_columns *cc = class->own;
    const struct json_shape *shape = class->shape;

    if (cc == NULL)
        class->own = cc = open_columns(w->own, shape);
    if (cc == NULL) {
        w->values.failed = true;
        return;
    }
    cc->n++;
    for (size_t i = 0; i < shape->n_needed; i++) {
        struct buf *b = &cc->columns[i].text;
        if (shape->members[i].shape != NULL) {
            json_values_begin(&w->values, b);
            buf_byte(b, ',');
        }
        json_value_member(&w->values, &shape->members[i], c, b);
        if (!buf_ok(b))
            w->values.failed = true;
    }
}

static void *worker_new(struct json_worker *w)
{
    struct chunk_types *ct = calloc(1, sizeof(*ct));

    if (ct == NULL)
        return NULL;
    ct->w = w;
    ct->last = &ct->first;
    w->values.put_stack = put_stack;
    w->values.ctx = w;
    return ct;
}

static void worker_free(void *own)
{
    struct chunk_types *ct = own;

    forget(ct);
    json_stacks_free(&ct->stacks);
    free(ct);
}

static void load(struct json_worker *w)
{
    forget(w->own);
}

/* Taking over. */

static struct type *find_type(struct all_types *all, const char *name)
{
    struct type *t;

    for (t = all->first; t != NULL; t = t->next)
        if (strcmp(t->name, name) == 0)
            return t;
    t = calloc(1, sizeof(*t));
    if (t == NULL)
        return NULL;
    t->name = strdup(name);
    *all->last = t;
    all->last = &t->next;
    return t->name == NULL ? NULL : t;
}

static void pad(struct buf *b, uint64_t n)
{
    for (; n > 0; n--)
        buf_str(b, ",null");
}

static struct column *find_column(struct type *t, const char *name)
{
    struct column *more, *c;

    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return &t->columns[i];
    more = realloc(t->columns, (t->n_columns + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    t->columns = more;
    c = &more[t->n_columns];
    *c = (struct column){.name = strdup(name)};
    if (c->name == NULL)
        return NULL;
    t->n_columns++;
    pad(&c->text, t->n);
    return c;
}

static bool is_in(const struct chunk_columns *cc, const struct json_shape *shape, const char *name)
{
    for (size_t i = 0; i < cc->n_columns; i++)
        if (shape->members[i].shape != NULL && strcmp(shape->members[i].field->name, name) == 0)
            return true;
    return false;
}

/* Marks of a chunk's stacks become those of all. */
static bool take_stacks(struct intern *stacks, const struct json_stacks *own, struct buf *text)
{
    uint8_t *p = text->p, *end = p + text->n;
    uint32_t number;

    if (!buf_ok(text))
        return false;
    for (; p < end && (p = memchr(p, MARK, (size_t)(end - p))) != NULL; p += MARK_SIZE) {
        struct json_text stack;
        memcpy(&number, p + 1, sizeof(number));
        stack = json_stacks_text(own, number);
        number = intern_add(stacks, stack.p, stack.n);
        if (number == INTERN_FAILED)
            return false;
        memcpy(p + 1, &number, sizeof(number));
    }
    return true;
}

/* Columns can be most of the output: they are moved where that is enough. */
static void take_text(struct buf *to, struct buf *from)
{
    struct buf own = *to;

    if (to->n == 0) {
        *to = *from;
        *from = own;
    } else {
        buf_bytes(to, from->p, from->n);
    }
    buf_free(from);
}

static int take_columns(struct all_types *all, const struct json_stacks *stacks,
                        struct chunk_columns *cc, const struct json_shape *shape)
{
    struct type *t = find_type(all, cc->cls->name);
    bool ok = t != NULL;

    for (size_t i = 0; i < cc->n_columns && ok; i++) {
        const struct json_member *m = &shape->members[i];
        struct column *to = m->shape == NULL ? NULL : find_column(t, m->field->name);
        if (m->shape == NULL)
            continue;
        ok = to != NULL && take_stacks(&all->stacks, stacks, &cc->columns[i].text);
        if (ok)
            take_text(&to->text, &cc->columns[i].text);
        ok = ok && buf_ok(&to->text);
    }
    if (!ok)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < t->n_columns; i++)
        if (!is_in(cc, shape, t->columns[i].name))
            pad(&t->columns[i].text, cc->n);
    t->n += cc->n;
    return 0;
}

static int merge(void *shared, struct json_worker *w)
{
    struct chunk_types *ct = w->own;
    int rc = 0;

    for (struct chunk_columns *cc = ct->first; cc != NULL && rc == 0; cc = cc->next)
        rc = take_columns(shared, &ct->stacks, cc, w->classes[cc->cls->index].shape);
    forget(ct);
    return rc;
}

static void *shared_new(void)
{
    struct all_types *all = calloc(1, sizeof(*all));

    if (all != NULL)
        all->last = &all->first;
    return all;
}

static void shared_free(void *shared)
{
    struct all_types *all = shared;
    struct type *next;

    for (struct type *t = all->first; t != NULL; t = next) {
        next = t->next;
        free_columns(t->columns, t->n_columns);
        free(t->name);
        free(t);
    }
    intern_free(&all->stacks);
    free(all);
}

static void put_bytes(struct out *out, const void *bytes, size_t n)
{
    for (size_t at = 0, part; at < n; at += part) {
        part = n - at < OUT_HIGH ? n - at : OUT_HIGH;
        buf_bytes(&out->b, (const uint8_t *)bytes + at, part);
        out_check(out);
    }
}

static void put_values(const struct intern *stacks, const uint8_t *p, size_t n, struct out *out)
{
    const uint8_t *end = p + n, *mark;
    uint32_t number;

    for (; p < end && (mark = memchr(p, MARK, (size_t)(end - p))) != NULL; p = mark + MARK_SIZE) {
        const char *stack;
        size_t n_stack;
        put_bytes(out, p, (size_t)(mark - p));
        memcpy(&number, mark + 1, sizeof(number));
        stack = intern_get(stacks, number, &n_stack);
        put_bytes(out, stack, n_stack);
    }
    if (p < end)
        put_bytes(out, p, (size_t)(end - p));
}

static void put_type(const struct json_style *style, const struct intern *stacks, struct type *t,
                     struct out *out)
{
    struct buf *b = &out->b;

    json_put_name(style, b, t->name);
    buf_printf(b, ":{\"n\":%llu,\"values\":{", (unsigned long long)t->n);
    for (size_t i = 0; i < t->n_columns; i++) {
        struct column *c = &t->columns[i];
        buf_str(b, i > 0 ? ",\n" : "\n");
        json_put_name(style, b, c->name);
        buf_str(b, ":[");
        if (c->text.n > 0)
            put_values(stacks, c->text.p + 1, c->text.n - 1, out); /* without the first comma */
        buf_byte(b, ']');
        buf_free(&c->text);
    }
    buf_str(b, "}}");
}

static void finish(void *shared, const struct json_style *style, struct out *out)
{
    struct all_types *all = shared;

    for (struct type *t = all->first; t != NULL; t = t->next) {
        buf_str(&out->b, t == all->first ? "\n" : ",\n");
        put_type(style, &all->stacks, t, out);
    }
}

const struct json_layout json_columns = {
    .name = "columns",
    .rules = JSON_RULES_OWN,
    .stack_depth = SIZE_MAX,
    .separator = "",
    .begin = "{",
    .before = "",
    .after = "",
    .end = "\n}\n",
    .event = take_event,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .load = load,
    .merge = merge,
    .shared_new = shared_new,
    .shared_free = shared_free,
    .finish = finish,
};
