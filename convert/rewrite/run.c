/*
 * run.c - the loop of cut, cat and annotate: chunks of the inputs, their selected events, the
 * outputs.
 *
 * For each input chunk: choose the output (a new one if the current one is full or the options
 * split here), make its classes (types.c), copy the wanted events (rewrite.c) with the constants
 * that they refer to, and report what is damaged. If everything is wanted, chunks are copied as
 * bytes. Runs on one thread.
 */
#include "convert/rewrite/run.h"

#include <stdlib.h>

struct run {
    const struct rewrite_run_options *options;
    struct rewrite_run_result *result;
    struct rewrite *rewrite;
    struct rewrite_inputs *inputs;
    struct jfr_chunk *chunk;
    struct select_run *select, *drop;
    struct raw_sink sink;
    uint64_t chunks_here, bytes_here; /* of the input, in the current output */
    struct jfr_error first; /* damage */
    const char *first_path;
};

static void report_rewrite_damage(struct run *r, const char *path, const struct jfr_error *err,
                                  bool is_loss)
{
    r->result->n_damages += is_loss;
    if (r->first.code == 0) {
        r->first = *err;
        r->first_path = path;
    }
    if (r->options->sources.on_damage != NULL)
        r->options->sources.on_damage(r->options->sources.ctx, path, err);
}

static void on_input_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    report_rewrite_damage(ctx, path, err, true);
}

/* Opens another output when this chunk does not fit. */
static int choose_sink(struct run *r, const struct jfr_raw *raw)
{
    const struct rewrite_run_options *o = r->options;
    bool is_full =
        r->chunks_here > 0 && ((o->chunks_each > 0 && r->chunks_here >= o->chunks_each) ||
                               (o->bytes_each > 0 && r->bytes_here + raw->n > o->bytes_each));
    int rc = 0;

    if (is_full || r->sink.write == NULL) {
        if (r->sink.write != NULL)
            rc = rewrite_finish(r->rewrite);
        if (rc == 0)
            rc = o->sink(o->sink_ctx, &r->sink);
        if (rc != 0)
            return rc;
        rewrite_to(r->rewrite, &r->sink);
        r->chunks_here = r->bytes_here = 0;
    }
    r->chunks_here++;
    r->bytes_here += raw->n;
    return 0;
}

/* 1: the event is wanted; 0: not; negative: its bytes end too early, or no memory. */
static int is_wanted(struct run *r, const struct jfr_event *ev)
{
    enum select_decision d = r->select == NULL ? SELECT_ALWAYS : select_class(r->select, ev->type);

    if (d == SELECT_NEVER || (r->drop != NULL && select_class(r->drop, ev->type) != SELECT_NEVER))
        return 0;
    return d == SELECT_ALWAYS ? 1 : select_event(r->select, ev);
}

static int copy_events(struct run *r, uint64_t *end)
{
    struct jfr_event ev;
    int rc = 0;

    while (rc == 0 && jfr_chunk_next_any(r->chunk, &ev) > 0) {
        int wanted = 1;

        *end = ev.offset + ev.size;
        if (ev.type_id == 0 || ev.type_id == 1)
            continue;
        if (ev.type != NULL && (r->select != NULL || r->drop != NULL))
            wanted = is_wanted(r, &ev);
        if (wanted == JFR_E_NOMEM)
            rc = wanted;
        else if (wanted < 0)
            jfr_chunk_damaged(r->chunk, &ev, NULL, "event is shorter than its fields");
        else if (wanted > 0)
            rc = rewrite_event(r->rewrite, &ev);
    }
    return rc;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && *p == 0)
        p++, n--;
    return n == 0;
}

/* A chunk that was never finished ends somewhere in an event. */
static void report_tail(struct run *r, const struct rewrite_input_chunk *c, uint64_t end)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);
    struct jfr_error err = {.chunk = c->raw.index};

    if (h->state == 0 || c->raw.bytes[5] == 0 || end >= c->raw.n ||
        is_zero(c->raw.bytes + end, c->raw.n - end))
        return;
    jfr_fail(&err, JFR_E_CUT, c->raw.offset + end, "%llu bytes after the last whole event",
             (unsigned long long)(c->raw.n - end));
    report_rewrite_damage(r, c->path, &err, true);
}

static void report_chunk_errors(struct run *r, const struct rewrite_input_chunk *c)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);

    for (size_t i = 0; i < jfr_chunk_n_errors(r->chunk); i++) {
        const struct jfr_error *err = jfr_chunk_error(r->chunk, i);
        bool is_open = h->state != 0 && err->offset == h->offset + 64;

        report_rewrite_damage(r, c->path, err, !is_open || !r->options->repair);
    }
}

static int rewrite_chunk(struct run *r, const struct rewrite_input_chunk *c)
{
    struct jfr_error err = {0};
    uint64_t end = JFR_CHUNK_HEADER_SIZE;
    int rc = jfr_chunk_load(r->chunk, &c->raw, &err);

    if (rc == JFR_E_NOMEM)
        return rc;
    if (rc != 0) {
        report_rewrite_damage(r, c->path, &err, true);
        return 0;
    }
    r->result->n_chunks++;
    r->result->n_bytes += c->raw.n;
    r->result->path = c->path;
    rc = choose_sink(r, &c->raw);
    if (rc == 0 && r->options->annotate != NULL)
        rc = annotate_load(r->options->annotate, r->chunk);
    if (rc == 0)
        rc = rewrite_begin(r->rewrite, r->chunk);
    if (rc == 0 && r->select != NULL)
        rc = select_run_load(r->select, r->chunk);
    if (rc == 0 && r->drop != NULL)
        rc = select_run_load(r->drop, r->chunk);
    if (rc == 0)
        rc = copy_events(r, &end);
    if (rc == 0)
        rc = rewrite_end(r->rewrite);
    report_chunk_errors(r, c);
    report_tail(r, c, end);
    return rc;
}

static int copy_chunk(struct run *r, const struct rewrite_input_chunk *c)
{
    int rc = choose_sink(r, &c->raw);

    r->result->n_chunks++;
    r->result->n_bytes += c->raw.n;
    r->result->path = c->path;
    return rc != 0 ? rc : r->sink.write(r->sink.ctx, c->raw.bytes, c->raw.n);
}

static int run_chunks(struct run *r)
{
    const struct rewrite_run_options *o = r->options;
    bool verbatim = o->verbatim && o->select == NULL && o->drop == NULL &&
                    o->rewrite.edit == NULL && o->annotate == NULL &&
                    rewrite_inputs_are_whole(r->inputs);
    struct rewrite_input_chunk c;
    int rc;

    while ((rc = rewrite_inputs_next(r->inputs, &c)) > 0) {
        rc = verbatim ? copy_chunk(r, &c) : rewrite_chunk(r, &c);
        rewrite_inputs_release(r->inputs, &c);
        if (rc != 0)
            return rc;
        if (o->progress != NULL)
            o->progress(o->progress_ctx, r->result);
    }
    return rc == 0 && !verbatim ? rewrite_finish(r->rewrite) : rc;
}

static int prepare(struct run *r)
{
    const struct rewrite_run_options *o = r->options;
    struct rewrite_options rewrite = o->rewrite;

    if (o->annotate != NULL)
        rewrite.extra = annotate_extra(o->annotate);
    rewrite.times = o->select;
    r->rewrite = rewrite_new(&rewrite);
    r->chunk = jfr_chunk_new();
    r->select = o->select == NULL ? NULL : select_run_new(o->select);
    r->drop = o->drop == NULL ? NULL : select_run_new(o->drop);
    if (r->rewrite == NULL || r->chunk == NULL || (o->select != NULL && r->select == NULL) ||
        (o->drop != NULL && r->drop == NULL))
        return JFR_E_NOMEM;
    jfr_chunk_set_pool_rule(r->chunk, JFR_POOL_OLDEST);
    return 0;
}

int rewrite_run(const struct rewrite_run_options *options, struct rewrite_run_result *result,
                struct jfr_error *err, const char **err_path)
{
    struct run r = {.options = options, .result = result};
    struct rewrite_sources sources = options->sources;
    int rc = prepare(&r);

    *result = (struct rewrite_run_result){0};
    *err_path = NULL;
    sources.on_damage = on_input_damage;
    sources.ctx = &r;
    if (rc == 0) {
        r.inputs = rewrite_inputs_new(&sources, err, err_path);
        rc = r.inputs == NULL ? err->code : run_chunks(&r);
    }
    if (rc == 0 && result->n_chunks == 0) {
        if (r.first.code == 0)
            jfr_fail(&r.first, JFR_E_FORMAT, 0, "nothing could be read");
        *err = r.first;
        *err_path = r.first_path;
        rc = err->code;
    }
    if (rc == JFR_E_NOMEM && err->code == 0)
        jfr_fail(err, rc, 0, "out of memory");
    if (r.rewrite != NULL)
        result->stats = *rewrite_stats(r.rewrite);
    select_run_free(r.select);
    select_run_free(r.drop);
    rewrite_free(r.rewrite);
    rewrite_inputs_free(r.inputs);
    jfr_chunk_free(r.chunk);
    return rc;
}
