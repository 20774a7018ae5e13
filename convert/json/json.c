/*
 * json.c - the events of recordings as JSON or CSV, in one of several layouts.
 *
 * jfr2json, jfr2csv and jfr2trace run it as a job: each chunk is printed by a worker in the order
 * in which its events ended. What a layout puts around events is in a file of the layout's name.
 */
#include "convert/json/json.h"

#include "convert/json/clock.h"
#include "convert/json/internal.h"
#include "convert/text/jsonw.h"

#include <stdlib.h>

#define TEXT_MAX ((size_t)16 << 20) /* bytes of one event's text, roughly */

struct json {
    struct json_options opt;
    const struct json_layout *layout;
    struct select *select;
    struct json_clocks clocks;
    struct json_keep keep; /* .n = 0: everything */
    char *keep_text; /* the paths, NUL-terminated, and whether each was found */
    bool *is_found;
    uint64_t n_events, n_undeclared;
    uint64_t head_left;
    uint64_t to_next; /* chosen events before the next one of the sample */
    void *own; /* the layout's */
    int (*drain)(struct out *out); /* what the output's really are, until an event has come */
    void *drain_ctx;
    size_t n_begin; /* bytes of json_begin() that wait for the first chunk */
};

static const struct json_layout *const layouts[] = {
    &json_jdk, &json_ndjson, &json_columns,        &json_stacktable,
    &json_csv, &json_trace,  &json_layout_markers, &json_layout_xml};

struct json_options json_options_default(const char *layout)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
        if (strcmp(layouts[i]->name, layout) == 0)
            return json_options_of(layouts[i]);
    return json_options_of(NULL);
}

struct json_options json_options_of(const struct json_layout *layout)
{
    struct json_options opt = {
        .layout = layout, .head = UINT64_MAX, .sample = 1, .anchor = JSON_ANCHOR_CHUNK};

    if (layout == NULL)
        return opt;
    opt.style = (struct json_style){.rules = opt.layout->rules,
                                    .is_pretty = opt.layout->is_pretty,
                                    .stack_depth = opt.layout->stack_depth,
                                    .plain_spans = opt.layout->has_plain_spans,
                                    .text_max = TEXT_MAX,
                                    .nesting = JSON_NESTING};
    if (opt.style.rules == JSON_RULES_25)
        opt.anchor = JSON_ANCHOR_FIRST;
    return opt;
}

/* Index of a word in a list, or -1. */
static int find_word(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

bool json_options_compat(struct json_options *opt, const char *compat)
{
    static const char *const words[] = {"25", "17", "own"}; /* enum json_rules */
    int i = find_word(compat, words, 3);

    if (i < 0)
        return false;
    opt->style.rules = (enum json_rules)i;
    opt->anchor = (enum json_anchor)i; /* each tool has the rule of its own */
    return true;
}

bool json_options_anchor(struct json_options *opt, const char *anchor)
{
    static const char *const words[] = {"first", "metadata", "chunk"}; /* enum json_anchor */
    int i = find_word(anchor, words, 3);

    if (i >= 0)
        opt->anchor = (enum json_anchor)i;
    return i >= 0;
}

enum jfr_pool_rule json_pool_rule(const struct json *j)
{
    return j->opt.style.rules == JSON_RULES_OWN ? JFR_POOL_NEWEST : JFR_POOL_OLDEST;
}

/* The fields to keep. */

static size_t count_paths(const struct select_list *fields, size_t *bytes)
{
    size_t n = 0;

    *bytes = 0;
    for (size_t i = 0; i < fields->n; i++) {
        *bytes += strlen(fields->items[i]) + 1;
        n++;
        for (const char *p = fields->items[i]; *p != '\0'; p++)
            n += *p == ',';
    }
    return n;
}

static bool split_fields(struct json *j, const struct select_list *fields)
{
    size_t bytes, n = count_paths(fields, &bytes);
    const char **paths = calloc(n + 1, sizeof(*paths));
    char *to = j->keep_text = calloc(1, bytes + 1);

    j->keep.paths = paths;
    j->is_found = calloc(n + 1, sizeof(*j->is_found));
    if (paths == NULL || to == NULL || j->is_found == NULL)
        return false;
    for (size_t i = 0; i < fields->n; i++) {
        const char *p = fields->items[i];
        while (*p != '\0') {
            size_t length = strcspn(p += strspn(p, ", "), ", ");
            memcpy(to, p, length);
            if (length > 0 && !(j->layout == &json_csv && strcmp(to, "event") == 0))
                paths[j->keep.n++] = to; /* that column is no field */
            to += length + 1;
            p += length;
        }
    }
    return true;
}

static bool has_path(const struct jfr_class *cls, const char *path)
{
    cls = jfr_class_shown(cls);
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];
        size_t n = strlen(f->name);
        if (strncmp(path, f->name, n) != 0)
            continue;
        if (path[n] == '\0' || (path[n] == '.' && has_path(f->type, path + n + 1)))
            return true;
    }
    return false;
}

static void look_for_fields(struct json *j, const struct jfr_metadata *md)
{
    for (size_t i = 0; i < j->keep.n; i++)
        for (size_t k = 0; k < md->n_classes && !j->is_found[i]; k++)
            j->is_found[i] = md->classes[k].is_event && has_path(&md->classes[k], j->keep.paths[i]);
}

const char *json_unknown_field(const struct json *j)
{
    for (size_t i = 0; i < j->keep.n; i++)
        if (!j->is_found[i])
            return j->keep.paths[i];
    return NULL;
}

/* What a chunk does. */

static void worker_free(void *worker)
{
    struct json_worker *w = worker;

    if (w->own != NULL)
        w->j->layout->worker_free(w->own);
    json_values_free(&w->values);
    select_run_free(w->select);
    buf_free(&w->queue);
    free(w);
}

static void *worker_new(void *shared)
{
    struct json *j = shared;
    struct json_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->j = j;
    w->options = &j->opt;
    w->values.shapes.style = &j->opt.style;
    w->select = select_run_new(j->select);
    if (j->layout->worker_new != NULL)
        w->own = j->layout->worker_new(w);
    if (w->select == NULL || (j->layout->worker_new != NULL && w->own == NULL)) {
        worker_free(w);
        return NULL;
    }
    return w;
}

static bool load(struct json_worker *w, const struct run_chunk *rc)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct json_clock clock = json_clock_of(&w->j->clocks, rc);

    w->n_events = w->n_undeclared = 0;
    w->rc = rc;
    buf_reset(&w->queue);
    w->classes = arena_array(jfr_chunk_arena(rc->chunk), md->n_classes, sizeof(struct json_class));
    if (w->classes == NULL || !json_values_load(&w->values, rc->chunk, &clock) ||
        select_run_load(w->select, rc->chunk) < 0)
        return false;
    if (w->j->layout->load != NULL)
        w->j->layout->load(w);
    return true;
}

/* Readies a class for its first event. False when its events cannot be decoded, or memory is
 * exhausted (values.failed). */
static bool open_class(struct json_worker *w, struct jfr_chunk *chunk, const struct jfr_class *cls)
{
    struct json_class *class = &w->classes[cls->index];
    const struct json_keep *keep = w->j->keep.n == 0 ? NULL : &w->j->keep;

    class->plan = jfr_plan_new(chunk, cls, select_paths(w->select, cls), SELECT_SLOTS);
    class->shape =
        json_shape_get(&w->values.shapes, cls, w->j->layout->level, keep, JSON_FORM_JSON);
    if (class->shape == NULL || !json_value_compile(&w->values, class->shape))
        w->values.failed = true;
    class->is_bad = class->plan == NULL;
    if (class->is_bad && !arena_ok(jfr_chunk_arena(chunk)))
        w->values.failed = true;
    return !w->values.failed && !class->is_bad;
}

static void queue_event(struct json_worker *w, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    struct json_class *class = &w->classes[ev->type->index];
    union jfr_value v[SELECT_SLOTS];
    const uint8_t *where = NULL;
    struct json_entry entry;

    if (class->is_bad)
        return;
    if (class->plan == NULL && !open_class(w, chunk, ev->type)) {
        jfr_chunk_damaged(chunk, ev, NULL, "events of this type cannot be decoded");
        return;
    }
    if (jfr_plan_run(class->plan, ev->body, v, &where) < 0) {
        if (select_class(w->select, ev->type) == SELECT_TEST) {
            jfr_chunk_damaged(chunk, ev, where, "the event ends inside a value");
            return;
        }
    } else if (!select_values(w->select, ev, v)) {
        return;
    }
    entry = (struct json_entry){
        .end = (int64_t)((uint64_t)v[SELECT_START].i + (uint64_t)v[SELECT_DURATION].i),
        .offset = ev->offset};
    buf_bytes(&w->queue, &entry, sizeof(entry));
}

static int by_end(const void *a, const void *b)
{
    const struct json_entry *x = a, *y = b;

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static void put_head(struct json_worker *w, const struct jfr_class *cls, struct buf *b)
{
    const struct json_style *style = &w->j->opt.style;

    buf_str(b, w->j->layout->before);
    buf_str(b, style->is_pretty ? "{\n      \"type\": " : "{\"type\":");
    json_put_name(style, b, cls->name);
    buf_str(b, style->is_pretty ? ", \n      \"values\": " : ",\"values\":");
}

/* The member "context" after the values. */
static void put_context(struct json_worker *w, const struct jfr_event *ev, struct buf *b)
{
    const bool is_pretty = w->j->opt.style.is_pretty;
    struct context_run *c = select_run_context(w->select);
    uint32_t tuple = context_event(c, ev);
    bool first = true;

    w->values.failed |= tuple == CONTEXT_NONE;
    buf_str(b, is_pretty ? ", \n      \"context\": {" : ",\"context\":{");
    for (size_t i = 0; i < context_n_attributes(c); i++) {
        size_t n;
        const char *text = context_attribute_text(c, tuple, i, &n);

        if (text == NULL)
            continue;
        buf_str(b, !is_pretty ? (first ? "" : ",") : first ? "\n        " : ", \n        ");
        json_put_name(&w->j->opt.style, b, context_attribute(c, i));
        buf_str(b, is_pretty ? ": " : ":");
        if (is_pretty)
            jsonw_jfr_str(b, (struct jfr_str){(const uint8_t *)text, n, n, JFR_STR_UTF8});
        else
            jsonw_str(b, text, n);
        first = false;
    }
    buf_str(b, is_pretty && !first ? "\n      }" : "}");
}

static void put_event(struct json_worker *w, struct json_class *class, const struct jfr_event *ev,
                      struct cursor *c, struct buf *b)
{
    size_t start = b->n;

    if (class->head.p == NULL) {
        put_head(w, ev->type, b);
        class->head.n = b->n - start;
        class->head.p = arena_strndup(jfr_chunk_arena(w->values.shapes.chunk),
                                      (const char *)b->p + start, class->head.n);
    } else {
        buf_bytes(b, class->head.p, class->head.n);
    }
    json_value_object(&w->values, class->shape, c, b);
    if (w->j->opt.with_context)
        put_context(w, ev, b);
    buf_str(b, w->j->layout->after);
}

static int print_event(struct json_worker *w, struct jfr_chunk *chunk, uint64_t offset,
                       struct out *out)
{
    struct jfr_event ev = jfr_chunk_event_at(chunk, offset);
    struct json_class *class = &w->classes[ev.type->index];
    struct cursor body = ev.body;

    w->ev = &ev;
    w->out = out;
    w->values.bad = NULL;
    json_values_begin(&w->values, &out->b);
    if (w->j->layout->event != NULL)
        w->j->layout->event(w, class, &body);
    else
        put_event(w, class, &ev, &body, &out->b);
    if (w->values.bad != NULL)
        jfr_chunk_damaged(chunk, &ev, w->values.bad, w->values.what);
    w->n_events++;
    return w->values.failed ? JFR_E_NOMEM : out_check(out);
}

static int print_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct json_worker *w = worker;
    const struct json_entry *queue;
    struct jfr_event ev;
    uint64_t n, step = w->j->opt.sample;
    int code = 0;

    if (!load(w, rc))
        return JFR_E_NOMEM;
    if (w->j->head_left == 0)
        return 0;
    while (jfr_chunk_next(rc->chunk, &ev) > 0)
        if (!run_has_event(rc, &ev))
            continue;
        else if (ev.type == NULL)
            w->n_undeclared++;
        else if (select_class(w->select, ev.type) != SELECT_NEVER)
            queue_event(w, rc->chunk, &ev);
    if (!buf_ok(&w->queue) || w->values.failed)
        return JFR_E_NOMEM;
    queue = (const void *)w->queue.p;
    n = w->queue.n / sizeof(*queue);
    if (n > 1)
        qsort(w->queue.p, n, sizeof(*queue), by_end);
    for (uint64_t i = w->j->to_next; i < n && w->n_events < w->j->head_left && code == 0;
         i += step < n - i ? step : n - i)
        code = print_event(w, rc->chunk, queue[i].offset, out);
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct json *j = shared;
    struct json_worker *w = worker;

    uint64_t n = w->queue.n / sizeof(struct json_entry), step = j->opt.sample;

    j->n_events += w->n_events;
    j->n_undeclared += w->n_undeclared;
    j->to_next = j->to_next >= n ? j->to_next - n : (step - (n - j->to_next) % step) % step;
    if (j->opt.head != UINT64_MAX)
        j->head_left -= w->n_events;
    look_for_fields(j, jfr_chunk_metadata(rc->chunk));
    return j->layout->merge == NULL ? 0 : j->layout->merge(j->own, w);
}

struct run_job json_job(struct json *j)
{
    return (struct run_job){.shared = j,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = print_chunk,
                            .merge = merge};
}

/* What all chunks share. */

struct json *json_new(const struct json_options *opt, struct select *select, struct jfr_error *err)
{
    struct json *j = calloc(1, sizeof(*j));

    if (j != NULL) {
        j->opt = *opt;
        j->layout = opt->layout;
        j->select = select;
        j->head_left = opt->head;
        j->clocks = (struct json_clocks){.anchor = opt->anchor, .rules = opt->style.rules};
        if (j->layout->shared_new != NULL)
            j->own = j->layout->shared_new();
        if (split_fields(j, &opt->fields) && (j->own != NULL || j->layout->shared_new == NULL))
            return j;
    }
    jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    json_free(j);
    return NULL;
}

void json_free(struct json *j)
{
    if (j == NULL)
        return;
    if (j->own != NULL)
        j->layout->shared_free(j->own);
    json_clocks_free(&j->clocks);
    free((void *)j->keep.paths);
    free(j->keep_text);
    free(j->is_found);
    free(j);
}

unsigned json_look_ahead(struct json *j, const char *const *paths, size_t n_paths, unsigned jobs)
{
    if (jobs == 1 || j->opt.head != UINT64_MAX || j->opt.sample > 1 || select_is_serial(j->select))
        return 1;
    return json_clocks_ready(&j->clocks, paths, n_paths) ? jobs : 1;
}

/* Every event is written with the separator from the event before. The first event of the output
 * has none, and which event that is becomes known when the output gets its first bytes. The text of
 * json_begin() is written before it, or alone once the first chunk was read: before that an input
 * may turn out to be no recording. */
static int drop_separator(struct out *out)
{
    struct json *j = out->ctx;
    size_t n = strlen(j->layout->separator), from = j->n_begin;
    bool is_begin = from > 0 && out->b.n == from;
    int rc;

    if (!is_begin && out->b.n < from + n && buf_ok(&out->b))
        return out->rc;
    out->drain = j->drain;
    out->ctx = j->drain_ctx;
    if (is_begin) {
        j->n_begin = 0;
        rc = out->drain(out);
        out->drain = drop_separator;
        out->ctx = j;
        return rc;
    }
    if (n > 0 && out->b.n >= from + n) {
        memmove(out->b.p + from, out->b.p + from + n, out->b.n - from - n);
        out->b.n -= n;
    }
    return out->drain(out);
}

int json_begin(struct json *j, struct out *out)
{
    buf_str(&out->b, j->layout->begin);
    j->n_begin = out->b.n;
    j->drain = out->drain;
    j->drain_ctx = out->ctx;
    out->drain = drop_separator;
    out->ctx = j;
    return out->rc;
}

int json_end(struct json *j, struct out *out)
{
    if (out->drain == drop_separator)
        drop_separator(out);
    if (out->drain == drop_separator) { /* there was no event */
        out->drain = j->drain;
        out->ctx = j->drain_ctx;
    }
    if (j->layout->finish != NULL)
        j->layout->finish(j->own, &j->opt.style, out);
    buf_str(&out->b, j->layout->end);
    return out_check(out);
}

const struct csv_columns *json_columns_of(const struct json *j)
{
    return j->opt.csv;
}

void *json_own(const struct json *j)
{
    return j->own;
}

uint64_t json_n_events(const struct json *j)
{
    return j->n_events;
}

uint64_t json_n_undeclared(const struct json *j)
{
    return j->n_undeclared;
}

/* --- fields, ahead --- */

static int look_at_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    (void)out;
    look_for_fields(shared, jfr_chunk_metadata(rc->chunk));
    return 0;
}

static bool lacks_fields(void *ctx, const struct run_result *so_far)
{
    (void)so_far;
    return json_unknown_field(ctx) != NULL;
}

const char *json_find_fields(struct json *j, const char *const *paths, size_t n_paths)
{
    const struct run_options opt = {
        .paths = paths, .n_paths = n_paths, .jobs = 1, .go_on = lacks_fields, .ctx = j};
    const struct run_job job = {.shared = j, .chunk = look_at_chunk};
    struct jfr_error err = {0};
    struct run_result result;
    const char *err_path;

    if (j->keep.n == 0 || !select_can_look_ahead(paths, n_paths) ||
        run_all(&opt, &job, NULL, &result, &err, &err_path) != 0)
        return NULL;
    return json_unknown_field(j);
}
