/*
 * render.c - reads the events of a chunk and writes each as text. Contexts are rendered even if
 * they are not selected themselves, since other events show them.
 */
#include "convert/print/render.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

#define PART_ITEMS (1 << 18)
#define PART_BYTES ((size_t)32 << 20)

struct render_class { /* of the loaded chunk */
    const struct jfr_plan *plan; /* NULL until the first event */
    bool is_known, is_bad, is_context;
};

struct render {
    struct select_run *select;
    struct text_printer text;
    struct render_class *classes;
    struct print_traces *traces; /* of the loaded chunk */
    struct print_part *part; /* NULL: nothing was rendered yet */
    const struct run_chunk *rc;
};

struct render *render_new(const struct text_style *style, struct select *select)
{
    struct render *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->text.style = style;
    r->select = select_run_new(select);
    if (r->select != NULL)
        return r;
    free(r);
    return NULL;
}

void render_free(struct render *r)
{
    if (r == NULL)
        return;
    print_part_free(r->part);
    print_traces_release(r->traces);
    select_run_free(r->select);
    text_free(&r->text);
    free(r);
}

enum { /* places after those of select */
    RENDER_START = SELECT_START,
    RENDER_DURATION = SELECT_DURATION,
    RENDER_THREAD = SELECT_SLOTS,
    RENDER_SLOTS,
};

static struct render_class *open_render_class(struct render *r, const struct jfr_class *cls)
{
    struct render_class *k = &r->classes[cls->index];
    const char *paths[RENDER_SLOTS];

    if (k->is_known)
        return k;
    memcpy(paths, select_paths(r->select, cls), SELECT_SLOTS * sizeof(paths[0]));
    paths[RENDER_THREAD] = "eventThread";
    k->is_known = true;
    k->is_context = !r->text.style->is_17 && text_is_context(cls);
    k->plan = jfr_plan_new(r->text.chunk, cls, paths, RENDER_SLOTS);
    k->is_bad = k->plan == NULL;
    return k;
}

/* Is there a thread with this key? */
static bool has_thread(struct render *r, const struct jfr_field *f, uint64_t key)
{
    const struct jfr_pool *pool;

    if (f == NULL || !f->is_pooled || strcmp(f->type->name, "java.lang.Thread") != 0)
        return false;
    pool = jfr_chunk_pool(r->text.chunk, f->type);
    return pool != NULL && jfr_pool_find(pool, key) >= 0;
}

static bool have_part(struct render *r)
{
    if (r->part == NULL)
        r->part = print_part_new(r->traces);
    return r->part != NULL;
}

/* Adds an item, whose text is what the part's texts have from item.at on. */
static bool add_part_item(struct render *r, struct print_item item)
{
    struct print_part *part = r->part;

    item.part = part;
    item.n = (uint32_t)(part->texts.n - item.at);
    if (!buf_ok(&part->texts) ||
        !array_reserve(&part->items, &part->room, part->n + 1, sizeof(*part->items)))
        return false;
    part->items[part->n++] = item;
    return true;
}

/* A context is open from its start to its end for the other events of its thread. */
static bool add_context(struct render *r, const struct jfr_event *ev, struct print_item item,
                        int64_t start_ns)
{
    struct print_item start = item;

    start.ns = start_ns;
    start.is_end = false;
    start.is_context = item.is_context = true;
    start.at = r->part->texts.n;
    text_put_context(&r->text, ev, &r->part->texts);
    if (!add_part_item(r, start))
        return false;
    item.at = r->part->texts.n;
    return add_part_item(r, item);
}

static bool add_event_text(struct render *r, const struct jfr_event *ev, struct print_item item)
{
    struct text_event text;

    item.at = r->part->texts.n;
    text = text_put_event(&r->text, ev, &r->part->texts);
    item.head = (uint32_t)text.head;
    item.tail = text.tail;
    item.n_tail = text.n_tail;
    return add_part_item(r, item);
}

static int render_event(struct render *r, const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = &r->text.clock.header;
    struct render_class *k = open_render_class(r, ev->type);
    union jfr_value v[RENDER_SLOTS];
    const uint8_t *where = NULL;
    struct print_item item;
    bool is_wanted, good = true;
    int64_t start, ns;

    if (k->is_bad) {
        if (!arena_ok(jfr_chunk_arena(r->text.chunk)))
            return JFR_E_NOMEM;
        jfr_chunk_damaged(r->text.chunk, ev, NULL, "events of this type cannot be decoded");
        return 0;
    }
    memset(v, 0, sizeof(v));
    if (jfr_plan_run(k->plan, ev->body, v, &where) < 0) {
        is_wanted = select_class(r->select, ev->type) == SELECT_ALWAYS;
        if (!is_wanted)
            jfr_chunk_damaged(r->text.chunk, ev, where, "the event ends inside a value");
    } else {
        is_wanted =
            select_class(r->select, ev->type) != SELECT_NEVER && select_values(r->select, ev, v);
    }
    if (!is_wanted && !k->is_context)
        return 0;
    if (!have_part(r))
        return JFR_E_NOMEM;
    start = jfr_epoch_ns(h, v[RENDER_START].i);
    ns = (int64_t)((uint64_t)v[RENDER_START].i + (uint64_t)v[RENDER_DURATION].i);
    if (!r->text.style->is_17)
        ns = jfr_epoch_ns(h, ns);
    item = (struct print_item){
        .ns = ns, .is_end = true, .thread = v[RENDER_THREAD].key, .number = r->part->n_events++};
    item.has_thread =
        has_thread(r, jfr_plan_field(k->plan, RENDER_THREAD), v[RENDER_THREAD].key) != 0;
    r->text.bad = NULL;
    if (k->is_context)
        good = add_context(r, ev, item, start);
    if (good && is_wanted) {
        item.has_thread &= !k->is_context; /* which has none around it */
        good = add_event_text(r, ev, item);
    }
    if (r->text.bad != NULL)
        jfr_chunk_damaged(r->text.chunk, ev, r->text.bad, r->text.what);
    return good ? 0 : JFR_E_NOMEM;
}

/* --- a chunk --- */

int render_begin(struct render *r, const struct run_chunk *rc, const struct json_clock *clock)
{
    struct jfr_chunk *chunk = rc->chunk;
    size_t n = jfr_chunk_metadata(chunk)->n_classes;

    r->rc = rc;
    print_traces_release(r->traces);
    r->traces = print_traces_new();
    r->classes = arena_array(jfr_chunk_arena(chunk), n, sizeof(*r->classes));
    if (r->traces == NULL || r->classes == NULL ||
        !text_load(&r->text, chunk, clock, &r->traces->arena) ||
        select_run_load(r->select, chunk) < 0)
        return JFR_E_NOMEM;
    return 0;
}

int render_more(struct render *r)
{
    struct jfr_chunk *chunk = r->text.chunk;
    struct jfr_event ev;
    int code = 0;

    while (code == 0 && jfr_chunk_next(chunk, &ev) > 0) {
        if (!run_has_event(r->rc, &ev))
            continue;
        if (ev.type == NULL) {
            if (!have_part(r))
                return JFR_E_NOMEM;
            r->part->n_undeclared += ev.type_id > 1;
        } else if (select_class(r->select, ev.type) != SELECT_NEVER ||
                   open_render_class(r, ev.type)->is_context) {
            code = render_event(r, &ev);
        }
        if (code == 0 && r->part != NULL && !r->text.style->is_17 &&
            (r->part->n >= PART_ITEMS || r->part->texts.n >= PART_BYTES))
            return 1;
    }
    return code;
}

struct print_part *render_take(struct render *r)
{
    struct print_part *part = r->part;

    r->part = NULL;
    return part;
}
