/*
 * columns.c - events as columns: for each type and field one array with the values of all events.
 *
 * A layout of json.c. A worker fills the columns of a chunk; merge() adds them to those of all.
 */
#include "convert/json/internal.h"
#include "convert/json/entries.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

/* A column holds `,VALUE` for every event, with two marks, bytes that JSON never has. Where a value
 * has a stack trace, whose text would be most of it and comes again and again, stands which: of a
 * chunk's stacks first, and of all that there are once the chunk was taken over. And where events
 * have no such member stands how many do not. */
#define STACK 1
#define GAP 2
#define MARK_SIZE (1 + sizeof(uint32_t)) /* and a number */

struct column {
    struct buf text;
    uint64_t n; /* events that it has values or gaps for */
};

/* Things that have names, in the order in which they were met. */
struct named {
    struct intern names;
    struct buf items; /* one for each name, by its number */
};

struct type { /* of all recordings */
    uint64_t n; /* events */
    struct named columns; /* of struct column */
};

struct all_types {
    struct named types; /* of struct type */
    struct intern stacks;
};

struct chunk_columns { /* of an event class in a chunk */
    struct chunk_columns *next;
    const struct jfr_class *cls;
    uint64_t n;
    struct buf *columns; /* by member; empty of those that are not wanted */
    size_t n_columns;
};

struct chunk_types { /* of a worker */
    struct json_worker *w;
    struct chunk_columns *first, **last; /* in the order in which they were met */
    struct json_entries stacks;
};

static void free_columns(struct buf *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_free(&columns[i]);
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
    json_entries_reset(&ct->stacks);
}

static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b);

static bool put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;
    struct chunk_types *ct = w->own;
    uint32_t number;

    if (!shape->is_stack)
        return false;
    number =
        (uint32_t)json_entries_number(&ct->stacks, w->values.shapes.chunk, shape, i, make_stack, w);
    w->values.failed |= number == 0;
    buf_byte(b, STACK);
    buf_bytes(b, &number, sizeof(number));
    return true;
}

/* A stack within it stands there as it is. */
static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;

    w->values.put_entry = NULL;
    json_value_entry(&w->values, shape, i, b);
    w->values.put_entry = put_stack;
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
        struct buf *b = &cc->columns[i];
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
    w->values.put_entry = put_stack;
    w->values.ctx = w;
    return ct;
}

static void worker_free(void *own)
{
    struct chunk_types *ct = own;

    forget(ct);
    json_entries_free(&ct->stacks);
    free(ct);
}

static void load(struct json_worker *w)
{
    forget(w->own);
}

/* Taking over. */

static void *item_at(const struct named *list, uint32_t i, size_t size)
{
    return list->items.p + i * size;
}

/* The item of this name, all zero if the name is new. NULL if out of memory. */
static void *item_of(struct named *list, const char *name, size_t size)
{
    uint32_t i = intern_add(&list->names, name, strlen(name));

    return i != INTERN_FAILED && buf_fill(&list->items, (i + (size_t)1) * size)
               ? item_at(list, i, size)
               : NULL;
}

static void named_free(struct named *list)
{
    intern_free(&list->names);
    buf_free(&list->items);
}

/* The column has gaps for the events before. */
static void pad(struct column *c, uint64_t n)
{
    while (c->n < n) {
        uint32_t gap = n - c->n < UINT32_MAX ? (uint32_t)(n - c->n) : UINT32_MAX;

        buf_byte(&c->text, GAP);
        buf_bytes(&c->text, &gap, sizeof(gap));
        c->n += gap;
    }
}

/* Marks of a chunk's stacks become those of all. */
static bool take_stacks(struct intern *stacks, const struct json_entries *own, struct buf *text)
{
    uint8_t *p = text->p, *end = p + text->n;
    uint32_t number;

    if (!buf_ok(text))
        return false;
    for (; p < end && (p = memchr(p, STACK, (size_t)(end - p))) != NULL; p += MARK_SIZE) {
        struct json_text stack;
        memcpy(&number, p + 1, sizeof(number));
        stack = json_entries_text(own, number);
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

static int take_columns(struct all_types *all, const struct json_entries *stacks,
                        struct chunk_columns *cc, const struct json_shape *shape)
{
    struct type *t = item_of(&all->types, cc->cls->name, sizeof(*t));
    bool ok = t != NULL;

    for (size_t i = 0; i < cc->n_columns && ok; i++) {
        const struct json_member *m = &shape->members[i];
        struct column *to;

        if (m->shape == NULL)
            continue;
        to = item_of(&t->columns, m->field->name, sizeof(*to));
        ok = to != NULL && take_stacks(&all->stacks, stacks, &cc->columns[i]);
        if (!ok)
            break;
        pad(to, t->n);
        take_text(&to->text, &cc->columns[i]);
        to->n = t->n + cc->n;
        ok = buf_ok(&to->text);
    }
    if (!ok)
        return JFR_E_NOMEM;
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
    return calloc(1, sizeof(struct all_types));
}

static void free_type(struct type *t)
{
    for (size_t at = 0; at < t->columns.items.n; at += sizeof(struct column))
        buf_free(&((struct column *)(void *)(t->columns.items.p + at))->text);
    named_free(&t->columns);
}

static void shared_free(void *shared)
{
    struct all_types *all = shared;

    for (uint32_t i = 0; i < intern_n(&all->types.names); i++)
        free_type(item_at(&all->types, i, sizeof(struct type)));
    named_free(&all->types);
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

/* The next mark, or the end. */
static const uint8_t *find_mark(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p != STACK && *p != GAP)
        p++;
    return p;
}

/* All values of a column: those of `,VALUE` without the first comma. */
static void put_values(const struct intern *stacks, const struct buf *column, struct out *out)
{
    const uint8_t *p = column->p, *end = p + column->n, *mark;
    bool is_first = true;

    for (; p < end; p = mark + MARK_SIZE) {
        uint32_t number;
        size_t n;

        mark = find_mark(p, end);
        if (mark > p)
            put_bytes(out, p + is_first, (size_t)(mark - p) - is_first);
        is_first &= mark == p;
        if (mark == end)
            break;
        memcpy(&number, mark + 1, sizeof(number));
        if (*mark == STACK) {
            const char *stack = intern_get(stacks, number, &n);

            put_bytes(out, stack, n);
            continue;
        }
        for (; number > 0; number--, is_first = false) {
            buf_str(&out->b, is_first ? "null" : ",null");
            out_check(out);
        }
    }
}

static void put_type(const struct json_style *style, const struct intern *stacks, struct type *t,
                     struct out *out)
{
    struct buf *b = &out->b;

    buf_printf(b, ":{\"n\":%llu,\"values\":{", (unsigned long long)t->n);
    for (uint32_t i = 0; i < intern_n(&t->columns.names); i++) {
        struct column *column = item_at(&t->columns, i, sizeof(*column));

        pad(column, t->n);
        buf_str(b, i > 0 ? ",\n" : "\n");
        json_put_name(style, b, intern_get(&t->columns.names, i, NULL));
        buf_str(b, ":[");
        put_values(stacks, &column->text, out);
        buf_byte(b, ']');
        buf_free(&column->text);
    }
    buf_str(b, "}}");
}

static void finish(void *shared, const struct json_style *style, struct out *out)
{
    struct all_types *all = shared;

    for (uint32_t i = 0; i < intern_n(&all->types.names); i++) {
        buf_str(&out->b, i == 0 ? "\n" : ",\n");
        json_put_name(style, &out->b, intern_get(&all->types.names, i, NULL));
        put_type(style, &all->stacks, item_at(&all->types, i, sizeof(struct type)), out);
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
