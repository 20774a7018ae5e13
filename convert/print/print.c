/*
 * print.c - the job that prints events as text. Threads render chunks (render.c); here the texts
 * wait until it is their turn, and contexts are put after their first lines then.
 */
#include "convert/print/print.h"

#include "convert/print/queue.h"
#include "convert/print/render.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_MOST 1000000 /* as in the JDK's tool */

struct open_context { /* sorted by thread; those of one in the order in which they began */
    uint64_t thread, number;
    const struct print_item *item; /* its start, which is released at its end */
};

struct print {
    struct print_options options;
    struct select *select;
    struct json_clocks clocks;
    struct print_queue queue;
    struct open_context *open;
    size_t n_open;
    struct out *out;
    uint64_t n_read, n_events, n_undeclared, n_passed;
};

struct print_worker {
    struct print *print;
    struct render *render;
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
    p->select = select;
    p->clocks = (struct json_clocks){.anchor = options->anchor, .rules = options->rules};
    return p;
}

void print_free(struct print *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->n_open; i++)
        print_part_release(p->open[i].item->part);
    free(p->open);
    print_queue_free(&p->queue);
    json_clocks_free(&p->clocks);
    free(p);
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

/* Begins a context. Returns false if out of memory. */
static bool begin_context(struct print *p, const struct print_item *item)
{
    size_t at = SORTED_FIRST(p->n_open, i, p->open[i].thread > item->thread);

    if (!array_add(&p->open, p->n_open, sizeof(*p->open)))
        return false;
    memmove(&p->open[at + 1], &p->open[at], (p->n_open++ - at) * sizeof(*p->open));
    p->open[at] = (struct open_context){item->thread, item->number, item};
    return true;
}

static void end_context(struct print *p, const struct print_item *item)
{
    size_t at = contexts_from(p, item->thread);

    while (at < p->n_open && p->open[at].thread == item->thread &&
           p->open[at].number != item->number)
        at++;
    if (at == p->n_open || p->open[at].thread != item->thread)
        return;
    print_part_release(p->open[at].item->part);
    memmove(&p->open[at], &p->open[at + 1], (--p->n_open - at) * sizeof(*p->open));
}

static void put_item_text(const struct print_item *item, size_t from, size_t n, struct out *out)
{
    buf_bytes(&out->b, item->part->texts.p + item->at + from, n);
}

static void print_item_text(const struct print *p, const struct print_item *item, struct out *out)
{
    put_item_text(item, 0, item->head, out);
    for (size_t i = item->has_thread ? contexts_from(p, item->thread) : p->n_open;
         i < p->n_open && p->open[i].thread == item->thread; i++)
        put_item_text(p->open[i].item, 0, p->open[i].item->n, out);
    put_item_text(item, item->head, item->n - item->head, out);
    buf_bytes(&out->b, item->tail, item->n_tail);
    buf_str(&out->b, text_end(&p->options.style));
}

/* Does the style of the command want this event? */
static bool is_its_turn(struct print *p)
{
    bool is_chosen = p->n_passed++ % p->options.sample == 0;

    return is_chosen && p->n_events < p->options.head;
}

static int print_first(struct print *p, struct out *out)
{
    struct print_item *item = print_queue_take(&p->queue);
    int code = 0;

    if (item->is_context && item->has_thread && !item->is_end) {
        if (begin_context(p, item))
            return 0; /* it is released at its end */
        code = JFR_E_NOMEM;
    } else if (item->is_context && item->has_thread) {
        end_context(p, item);
    } else if (!item->is_context && is_its_turn(p)) {
        print_item_text(p, item, out);
        p->n_events++;
    }
    print_part_release(item->part);
    return code != 0 ? code : out_check(out);
}

/* --- into the queue --- */

/* Puts the items of a part, which may be NULL, into the queue and prints what exceeds its size. */
static int take_part(struct print *p, struct print_part *part)
{
    size_t n, i;
    int code = 0;

    if (part == NULL)
        return 0;
    p->n_undeclared += part->n_undeclared;
    if (part->n == 0) {
        print_part_free(part);
        return 0;
    }
    n = part->n;
    part->n_left = n + 1; /* the part is not freed before all its items are in the queue */
    p->n_read += part->n_events;
    for (i = 0; i < n && code == 0; i++) {
        part->items[i].number += p->n_read - part->n_events;
        if (!print_queue_add(&p->queue, &part->items[i]))
            break;
        while (code == 0 && p->queue.n > WAITING_MOST)
            code = print_first(p, p->out);
    }
    code = code == 0 && i < n ? JFR_E_NOMEM : code;
    part->n_left -= n - i;
    print_part_release(part);
    return code;
}

static int by_end_in_chunk(const void *a, const void *b)
{
    const struct print_item *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Prints the items of a chunk, which may be NULL, in the order of their ends. */
static int print_whole_chunk(struct print *p, struct print_part *part)
{
    int code = 0;

    if (part == NULL)
        return 0;
    p->n_undeclared += part->n_undeclared;
    if (part->n > 1)
        qsort(part->items, part->n, sizeof(*part->items), by_end_in_chunk);
    for (size_t i = 0; i < part->n && code == 0; i++)
        if (is_its_turn(p)) {
            print_item_text(p, &part->items[i], p->out);
            p->n_events++;
            code = out_check(p->out);
        }
    print_part_free(part);
    return code;
}

/* --- the job --- */

static void print_worker_free(void *worker)
{
    struct print_worker *w = worker;

    render_free(w->render);
    free(w);
}

static void *print_worker_new(void *shared)
{
    struct print *p = shared;
    struct print_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->print = p;
    w->render = render_new(&p->options.style, p->select);
    if (w->render != NULL)
        return w;
    free(w);
    return NULL;
}

/* A part that is full is taken over before the chunk ends, once it is this worker's turn to write:
 * its output, which is empty, waits for that. */
static int print_chunk_as_text(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct print_worker *w = worker;
    struct json_clock clock = json_clock_of(&w->print->clocks, rc);
    int code = render_begin(w->render, rc, &clock);

    if (code != 0)
        return code;
    while ((code = render_more(w->render)) > 0 && (code = out->drain(out)) == 0)
        if ((code = take_part(w->print, render_take(w->render))) != 0)
            break;
    return code;
}

static int merge_text(void *shared, void *worker, const struct run_chunk *rc)
{
    struct print_part *part = render_take(((struct print_worker *)worker)->render);
    struct print *p = shared;

    (void)rc;
    return p->options.style.is_17 ? print_whole_chunk(p, part) : take_part(p, part);
}

struct run_job print_job(struct print *p)
{
    return (struct run_job){.shared = p,
                            .worker_new = print_worker_new,
                            .worker_free = print_worker_free,
                            .chunk = print_chunk_as_text,
                            .merge = merge_text};
}

unsigned print_look_ahead(struct print *p, const char *const *paths, size_t n_paths, unsigned jobs)
{
    if (jobs == 1 || select_is_serial(p->select))
        return 1;
    return json_clocks_ready(&p->clocks, paths, n_paths) ? jobs : 1;
}

void print_begin(struct print *p, struct out *out)
{
    p->out = out;
}

int print_end(struct print *p, struct out *out)
{
    int code = 0;

    while (code == 0 && p->queue.n > 0)
        code = print_first(p, out);
    return code;
}
