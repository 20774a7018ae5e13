/*
 * print.c - the job that prints events as text. Each event is written when it is read, and its text
 * waits until it is its turn; contexts are put behind its first line then.
 */
#include "convert/print/print.h"

#include "convert/print/queue.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_MOST 1000000 /* as in the JDK's tool */

struct open_context { /* sorted by thread; those of one in the order in which they began */
    uint64_t thread, number;
    char *text;
    size_t n;
};

struct print_class { /* of the loaded chunk */
    const struct jfr_plan *plan; /* NULL until the first event */
    bool is_known, is_bad, is_context;
};

struct print {
    struct print_options options;
    struct json_clocks clocks;
    struct select_run *select;
    struct text_printer text;
    struct print_class *classes;
    struct print_queue queue;
    struct open_context *open;
    size_t n_open;
    struct buf line;
    uint64_t n_read, n_events, n_undeclared, n_passed;
    uint64_t from, to, read_to; /* offsets in the chunk */
    bool is_silent;
};

struct print_options print_options_default(void)
{
    return (struct print_options){.style = {.stack_depth = 5},
                                  .anchor = JSON_ANCHOR_FIRST,
                                  .rules = JSON_RULES_25,
                                  .head = UINT64_MAX,
                                  .sample = 1};
}

struct print *print_new(const struct print_options *options, struct select *select)
{
    struct print *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->options = *options;
    p->to = UINT64_MAX;
    p->text.style = &p->options.style;
    p->clocks = (struct json_clocks){.anchor = options->anchor, .rules = options->rules};
    p->select = select_run_new(select);
    if (p->select != NULL)
        return p;
    free(p);
    return NULL;
}

void print_free(struct print *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->n_open; i++)
        free(p->open[i].text);
    free(p->open);
    print_queue_free(&p->queue);
    select_run_free(p->select);
    json_clocks_free(&p->clocks);
    text_free(&p->text);
    buf_free(&p->line);
    free(p);
}

void print_set_range(struct print *p, uint64_t from, uint64_t to, bool is_silent)
{
    p->from = from;
    p->to = to;
    p->is_silent = is_silent;
}

uint64_t print_read_to(const struct print *p)
{
    return p->read_to;
}

uint64_t print_n_events(const struct print *p)
{
    return p->n_events;
}

uint64_t print_n_undeclared(const struct print *p)
{
    return p->n_undeclared;
}

/* --- out of the queue --- */

/* Where the contexts of a thread begin; of the next one, where they end. */
static size_t contexts_from(const struct print *p, uint64_t thread)
{
    return SORTED_FIRST(p->n_open, i, p->open[i].thread >= thread);
}

/* Begins or ends a context. Returns false if out of memory. */
static bool turn_context(struct print *p, const struct print_item *item)
{
    size_t at = contexts_from(p, item->thread);

    while (at < p->n_open && p->open[at].thread == item->thread &&
           !(item->is_end && p->open[at].number == item->number))
        at++;
    if (!item->is_end) {
        if (!array_add(&p->open, p->n_open, sizeof(*p->open)))
            return false;
        memmove(&p->open[at + 1], &p->open[at], (p->n_open++ - at) * sizeof(*p->open));
        p->open[at] = (struct open_context){item->thread, item->number, item->text, item->n};
    } else if (at < p->n_open && p->open[at].thread == item->thread) {
        free(p->open[at].text);
        memmove(&p->open[at], &p->open[at + 1], (--p->n_open - at) * sizeof(*p->open));
    }
    return true;
}

/* Does the style of the command want this event? */
static bool is_its_turn(struct print *p)
{
    bool is_chosen = p->n_passed++ % p->options.sample == 0;

    return is_chosen && p->n_events < p->options.head;
}

static int print_first(struct print *p, struct out *out)
{
    struct print_item item = print_queue_take(&p->queue);

    if (item.is_context) {
        bool is_kept = item.has_thread && !item.is_end;
        bool good = !item.has_thread || turn_context(p, &item);

        if (!is_kept || !good)
            free(item.text);
        return good ? 0 : JFR_E_NOMEM;
    }
    if (is_its_turn(p)) {
        buf_bytes(&out->b, item.text, item.head);
        for (size_t i = item.has_thread ? contexts_from(p, item.thread) : p->n_open;
             i < p->n_open && p->open[i].thread == item.thread; i++)
            buf_bytes(&out->b, p->open[i].text, p->open[i].n);
        buf_bytes(&out->b, item.text + item.head, item.n - item.head);
        p->n_events++;
    }
    free(item.text);
    return out_check(out);
}

/* --- into the queue --- */

/* Adds the text in p->line; without one if is_end of a context. */
static bool queue_text(struct print *p, struct print_item item)
{
    item.n = (uint32_t)p->line.n;
    if (!buf_ok(&p->line))
        return false;
    if (!(item.is_context && item.is_end)) {
        item.text = malloc(p->line.n + 1);
        if (item.text == NULL)
            return false;
        memcpy(item.text, p->line.p, p->line.n);
    }
    if (print_queue_add(&p->queue, &item))
        return true;
    free(item.text);
    return false;
}

enum { /* places behind those of select */
    PRINT_START = SELECT_START,
    PRINT_DURATION = SELECT_DURATION,
    PRINT_THREAD = SELECT_SLOTS,
    PRINT_SLOTS,
};

static struct print_class *open_print_class(struct print *p, const struct jfr_class *cls)
{
    struct print_class *k = &p->classes[cls->index];
    const char *paths[PRINT_SLOTS];

    if (k->is_known)
        return k;
    memcpy(paths, select_paths(p->select, cls), SELECT_SLOTS * sizeof(paths[0]));
    paths[PRINT_THREAD] = "eventThread";
    k->is_known = true;
    k->is_context = text_is_context(cls);
    k->plan = jfr_plan_new(p->text.chunk, cls, paths, PRINT_SLOTS);
    k->is_bad = k->plan == NULL;
    return k;
}

/* Is there a thread with this key? */
static bool has_thread(struct print *p, const struct jfr_field *f, uint64_t key)
{
    const struct jfr_pool *pool;

    if (f == NULL || !f->is_pooled || strcmp(f->type->name, "java.lang.Thread") != 0)
        return false;
    pool = jfr_chunk_pool(p->text.chunk, f->type);
    return pool != NULL && jfr_pool_find(pool, key) >= 0;
}

/* A context is open from its start to its end for the other events of its thread, also if it is not
 * printed itself. */
static bool add_context(struct print *p, const struct jfr_event *ev, struct print_item item,
                        int64_t start_ns)
{
    struct print_item start = item;

    start.ns = start_ns;
    start.is_end = false;
    start.is_context = item.is_context = true;
    buf_reset(&p->line);
    text_put_context(&p->text, ev, &p->line);
    return queue_text(p, start) && queue_text(p, item);
}

static int add_print_event(struct print *p, const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = &p->text.clock.header;
    struct print_class *k = open_print_class(p, ev->type);
    union jfr_value v[PRINT_SLOTS];
    const uint8_t *where = NULL;
    struct print_item item;
    bool is_wanted, good = true;
    int64_t start, ns;

    if (k->is_bad) {
        if (!arena_ok(jfr_chunk_arena(p->text.chunk)))
            return JFR_E_NOMEM;
        jfr_chunk_damaged(p->text.chunk, ev, NULL, "events of this type cannot be decoded");
        return 0;
    }
    memset(v, 0, sizeof(v));
    if (jfr_plan_run(k->plan, ev->body, v, &where) < 0) {
        is_wanted = select_class(p->select, ev->type) == SELECT_ALWAYS;
        if (!is_wanted)
            jfr_chunk_damaged(p->text.chunk, ev, where, "the event ends inside a value");
    } else {
        is_wanted =
            select_class(p->select, ev->type) != SELECT_NEVER && select_values(p->select, ev, v);
    }
    start = jfr_epoch_ns(h, v[PRINT_START].i);
    ns = jfr_epoch_ns(h, (int64_t)((uint64_t)v[PRINT_START].i + (uint64_t)v[PRINT_DURATION].i));
    item = (struct print_item){
        .ns = ns, .is_end = true, .thread = v[PRINT_THREAD].key, .number = p->n_read++};
    item.has_thread =
        has_thread(p, jfr_plan_field(k->plan, PRINT_THREAD), v[PRINT_THREAD].key) != 0;
    p->text.bad = NULL;
    if (k->is_context)
        good = add_context(p, ev, item, start);
    if (good && is_wanted) {
        buf_reset(&p->line);
        item.head = (uint32_t)text_put_event(&p->text, ev, &p->line);
        item.has_thread &= !k->is_context; /* which has none around it */
        good = queue_text(p, item);
    }
    if (p->text.bad != NULL)
        jfr_chunk_damaged(p->text.chunk, ev, p->text.bad, p->text.what);
    return good ? 0 : JFR_E_NOMEM;
}

/* --- the job --- */

static int print_chunk_as_text(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct print *p = worker;
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct json_clock clock = json_clock_of(&p->clocks, rc);
    struct jfr_event ev;
    int code = 0;

    p->classes = arena_array(jfr_chunk_arena(rc->chunk), md->n_classes, sizeof(*p->classes));
    if (p->classes == NULL || !text_load(&p->text, rc->chunk, &clock) ||
        select_run_load(p->select, rc->chunk) < 0)
        return JFR_E_NOMEM;
    p->read_to = p->from;
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0 && ev.offset + ev.size <= p->to) {
        if (ev.offset < p->from)
            continue;
        p->read_to = ev.offset + ev.size;
        if (p->is_silent)
            continue;
        if (ev.type == NULL) {
            p->n_undeclared += ev.type_id > 1;
            continue;
        }
        if (select_class(p->select, ev.type) != SELECT_NEVER ||
            open_print_class(p, ev.type)->is_context)
            code = add_print_event(p, &ev);
        while (code == 0 && p->queue.n > WAITING_MOST)
            code = print_first(p, out);
    }
    return code;
}

struct run_job print_job(struct print *p)
{
    return (struct run_job){.shared = p, .chunk = print_chunk_as_text};
}

int print_end(struct print *p, struct out *out)
{
    int code = 0;

    while (code == 0 && p->queue.n > 0)
        code = print_first(p, out);
    return code;
}
