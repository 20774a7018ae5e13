/*
 * run.c - hands the chunks of all inputs to a job, on several threads.
 *
 * A thread takes a ticket, works on its chunk, and waits for its turn before it writes and merges:
 * the result does not depend on the number of threads.
 */
#include "convert/driver/run.h"

#include "jfrfmt/base/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 64
/* Between the end of a chunk and the start of the next one of the same recording, at most. A
 * recorder begins a chunk within milliseconds after it has ended the one before. */
#define GAP_NS INT64_C(1000000000)
#define JOBS_DEFAULT_MAX 4

/* A source and the chunks of it that are not released yet; the last one out closes it. Under the
 * lock of the run. */
struct input {
    struct jfr_source *source;
    size_t n_held; /* raw chunks, and one while more may be taken */
};

/* All that the threads share. `lock` guards the input side; a thread whose ticket equals `turn` has
 * the output side to itself. */
struct run {
    const struct run_options *opt;
    const struct run_job *job;
    struct out *out;
    struct run_result *result;
    pthread_mutex_t lock;
    pthread_cond_t turn_changed;
    uint64_t turn;
    uint64_t tickets; /* chunks handed out so far */
    struct input *input; /* NULL: the next one is to be opened */
    size_t n_open; /* sources opened so far */
    uint32_t chunks;
    int64_t began_ns, ended_ns; /* of the recording that the chunks handed out belong to */
    bool is_stopped; /* nothing more is to be read */
    bool is_broken; /* output side: a ticket has failed, the output of later ones is dropped */
    int rc; /* first failure that ends the run */
    struct jfr_error err;
    const char *err_path;
    bool read_something;
    struct jfr_error held; /* the first damage, while nothing has been read yet */
    const char *held_path;
};

/* What one ticket stands for: a chunk, damage between chunks, or a failure that ends the run. */
struct ticket {
    uint64_t number;
    struct input *input;
    struct jfr_raw raw;
    bool has_chunk;
    bool is_fatal;
    struct jfr_error damage;
    const char *path;
    uint32_t file, chunk_number;
};

struct worker {
    struct run *run;
    struct jfr_chunk *chunk;
    void *state;
    struct out out;
    uint64_t ticket;
    bool has_turn;
    pthread_t thread;
};

static const char *path_of(const struct run *r, size_t i)
{
    return r->opt->n_paths == 0 ? "-" : r->opt->paths[i];
}

static size_t n_inputs(const struct run *r)
{
    return r->opt->n_paths == 0 ? 1 : r->opt->n_paths;
}

static void stop(struct run *r, int rc, const struct jfr_error *err, const char *path)
{
    if (r->rc != 0)
        return;
    r->rc = rc;
    r->err_path = path;
    if (err != NULL && err->code != 0)
        r->err = *err;
    else
        jfr_fail(&r->err, rc, 0, rc == JFR_E_NOMEM ? "out of memory" : "output failed");
}

static void release_input(struct input *in)
{
    if (--in->n_held > 0)
        return;
    jfr_source_close(in->source);
    free(in);
}

static struct input *open_input(const char *path, struct jfr_error *err)
{
    struct input *in = malloc(sizeof(*in));

    if (in == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    *in = (struct input){.source = jfr_source_open(path, err), .n_held = 1};
    if (in->source != NULL)
        return in;
    free(in);
    return NULL;
}

/* Stores in the chunk when its recording began, for times that a user gives relative to the start.
 * Chunks that follow each other within GAP_NS, in one file or in several, are one recording. An
 * unfinished chunk has no duration, so a chunk after it counts as another recording. */
static void note_recording_start(struct run *r, struct jfr_raw *raw)
{
    struct cursor c = cur_over(raw->bytes, raw->n);
    int64_t start_ns, duration_ns, gap;

    cur_bytes(&c, 32); /* magic, version, size, places of checkpoint and metadata */
    start_ns = (int64_t)cur_be(&c, 8);
    duration_ns = (int64_t)cur_be(&c, 8);
    if (!cur_ok(&c) || memcmp(raw->bytes, JFR_CHUNK_MAGIC, 4) != 0 || raw->bytes[5] == 0)
        return; /* a chunk of format 0.9 */
    if (start_ns < r->began_ns || __builtin_sub_overflow(start_ns, r->ended_ns, &gap) ||
        gap > GAP_NS)
        r->began_ns = start_ns;
    if (__builtin_add_overflow(start_ns, duration_ns > 0 ? duration_ns : 0, &r->ended_ns))
        r->ended_ns = start_ns;
    raw->recording_nanos = r->began_ns;
}

/* Reads the next chunk of the current input, or the damage before it. Returns 1 and *t, or 0 at its
 * end. */
static int next_of_input(struct run *r, struct ticket *t)
{
    struct input *in = r->input;
    int rc = jfr_source_next(in->source, &t->raw, &t->damage);

    t->has_chunk = rc > 0;
    if (t->has_chunk) {
        in->n_held++;
        t->input = in;
        t->chunk_number = r->chunks++;
        note_recording_start(r, &t->raw);
    }
    if (rc <= 0 && jfr_source_done(in->source)) {
        r->input = NULL;
        release_input(in);
    }
    return rc != 0;
}

/* Is there anything after what was read? Under the lock, once nothing more is to be read. */
static bool has_more(struct run *r)
{
    struct ticket t = {0};

    if (r->n_open < n_inputs(r))
        return true;
    if (r->input == NULL || next_of_input(r, &t) == 0)
        return false;
    if (t.has_chunk) {
        jfr_source_release(t.input->source, &t.raw);
        release_input(t.input);
    }
    return true;
}

/* Takes the next ticket under the lock. False at the end of all inputs, or when the run has failed.
 * That an input cannot be opened is a ticket too: it takes effect after all that came before. */
static bool take_ticket(struct run *r, struct ticket *t)
{
    while (r->rc == 0) {
        if (r->is_stopped) {
            r->result->is_cut = r->result->is_cut || has_more(r);
            return false;
        }
        *t = (struct ticket){0};
        if (r->input == NULL) {
            if (r->n_open >= n_inputs(r))
                return false;
            r->input = open_input(path_of(r, r->n_open++), &t->damage);
            t->is_fatal = r->input == NULL;
        }
        t->path = path_of(r, r->n_open - 1);
        t->file = (uint32_t)r->n_open - 1;
        if (t->is_fatal)
            r->n_open = n_inputs(r);
        else if (next_of_input(r, t) == 0)
            continue;
        t->number = r->tickets++;
        return true;
    }
    return false;
}

static void wait_turn(struct worker *w)
{
    struct run *r = w->run;

    if (w->has_turn)
        return;
    pthread_mutex_lock(&r->lock);
    while (r->turn != w->ticket)
        pthread_cond_wait(&r->turn_changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    w->has_turn = true;
}

static void pass_turn(struct worker *w)
{
    struct run *r = w->run;

    pthread_mutex_lock(&r->lock);
    r->turn++;
    pthread_cond_broadcast(&r->turn_changed);
    pthread_mutex_unlock(&r->lock);
    w->has_turn = false;
}

/* A worker's output waits for its turn, then goes through the caller's. */
static int drain_in_turn(struct out *o)
{
    struct worker *w = o->ctx;
    struct out *to = w->run->out;

    wait_turn(w);
    if (o->rc == 0 && w->run->is_broken)
        o->rc = JFR_E_IO; /* some word to make the job stop; the failure is known */
    if (o->rc == 0 && !buf_ok(&o->b))
        o->rc = JFR_E_NOMEM;
    if (o->rc == 0 && to != NULL && to->b.n > 0)
        o->rc = to->drain(to);
    if (o->rc == 0 && to != NULL) {
        struct buf own = to->b;

        to->b = o->b; /* no copy: the buffers change places */
        o->b = own;
        o->rc = to->drain(to);
    }
    buf_reset(&o->b);
    return o->rc;
}

static void report_held(struct run *r)
{
    if (r->held.code != 0 && r->opt->on_damage != NULL)
        r->opt->on_damage(r->opt->ctx, r->held_path, &r->held);
    r->held.code = 0;
}

/* While nothing could be read the first damage may turn out to be the reason why the run failed: it
 * is held back, so that it is not said twice. */
static void report_run_damage(struct run *r, const char *path, const struct jfr_error *err)
{
    r->result->damages++;
    if (!r->read_something && r->result->damages == 1) {
        r->held = *err;
        r->held_path = path;
        return;
    }
    report_held(r);
    if (r->opt->on_damage != NULL)
        r->opt->on_damage(r->opt->ctx, path, err);
}

static int work_on_chunk(struct worker *w, const struct ticket *t)
{
    struct run *r = w->run;
    struct jfr_error err = {0};
    struct run_chunk rc = {.chunk = w->chunk,
                           .path = t->path,
                           .file = t->file,
                           .number = t->chunk_number,
                           .bytes = t->raw.n};
    int code = jfr_chunk_load(w->chunk, &t->raw, &err);

    if (code != 0) {
        wait_turn(w);
        if (!r->is_broken && code != JFR_E_NOMEM)
            report_run_damage(r, t->path, &err);
        return code == JFR_E_NOMEM ? code : 0;
    }
    code = r->job->chunk(w->state, &rc, &w->out);
    if (code == 0 && !arena_ok(jfr_chunk_arena(w->chunk)))
        code = JFR_E_NOMEM;
    wait_turn(w);
    if (r->is_broken)
        return 0;
    r->read_something = true;
    report_held(r);
    if (code == 0)
        code = drain_in_turn(&w->out);
    if (code == 0 && r->job->merge != NULL)
        code = r->job->merge(r->job->shared, w->state, &rc);
    if (code == 0 && !arena_ok(jfr_chunk_arena(w->chunk)))
        code = JFR_E_NOMEM;
    for (size_t i = 0; i < jfr_chunk_n_errors(w->chunk); i++)
        report_run_damage(r, t->path, jfr_chunk_error(w->chunk, i));
    r->result->chunks++;
    r->result->bytes += t->raw.n;
    r->result->path = t->path;
    if (code == 0 && r->opt->go_on != NULL && !r->opt->go_on(r->opt->ctx, r->result)) {
        pthread_mutex_lock(&r->lock);
        r->is_stopped = true;
        pthread_mutex_unlock(&r->lock);
    }
    return code;
}

static void finish_ticket(struct worker *w, const struct ticket *t, int code)
{
    struct run *r = w->run;

    pthread_mutex_lock(&r->lock);
    if (t->has_chunk) {
        struct jfr_raw raw = t->raw;

        jfr_source_release(t->input->source, &raw);
        release_input(t->input);
    }
    if (code != 0 && !r->is_broken) {
        r->is_broken = true;
        stop(r, code, t->damage.code != 0 ? &t->damage : r->job->err, t->path);
    }
    pthread_mutex_unlock(&r->lock);
    pass_turn(w);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct run *r = w->run;
    struct ticket t;

    for (;;) {
        int code = 0;
        bool more;

        pthread_mutex_lock(&r->lock);
        more = take_ticket(r, &t);
        pthread_mutex_unlock(&r->lock);
        if (!more)
            return NULL;
        w->ticket = t.number;
        w->out.b.n = 0;
        if (t.has_chunk) {
            code = work_on_chunk(w, &t);
        } else {
            wait_turn(w);
            if (t.is_fatal || t.damage.code == JFR_E_NOMEM)
                code = t.damage.code;
            else if (!r->is_broken)
                report_run_damage(r, t.path, &t.damage);
        }
        wait_turn(w);
        finish_ticket(w, &t, code);
    }
}

static unsigned n_workers(const struct run *r)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned n = r->opt->jobs;

    if (r->job->worker_new == NULL)
        return 1;
    if (n == 0)
        n = cpus < 1 ? 1 : cpus > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (unsigned)cpus;
    return n > JOBS_MAX ? JOBS_MAX : n;
}

static bool worker_init(struct worker *w, struct run *r)
{
    *w = (struct worker){.run = r, .chunk = jfr_chunk_new(), .state = r->job->shared};
    w->out = (struct out){.drain = drain_in_turn, .ctx = w};
    if (r->job->worker_new != NULL)
        w->state = r->job->worker_new(r->job->shared);
    if (w->chunk != NULL)
        jfr_chunk_set_pool_rule(w->chunk, r->opt->pool_rule);
    return w->chunk != NULL && (r->job->worker_new == NULL || w->state != NULL);
}

static void worker_free(struct worker *w)
{
    if (w->run->job->worker_new != NULL && w->state != NULL && w->run->job->worker_free != NULL)
        w->run->job->worker_free(w->state);
    jfr_chunk_free(w->chunk);
    buf_free(&w->out.b);
}

static void run_workers(struct run *r, struct worker *workers, unsigned n)
{
    unsigned made = 0, started = 0;
    bool good = true;

    while (made < n && good)
        good = worker_init(&workers[made++], r);
    if (!good) {
        stop(r, JFR_E_NOMEM, NULL, NULL);
    } else {
        while (started + 1 < n &&
               pthread_create(&workers[started + 1].thread, NULL, work, &workers[started + 1]) == 0)
            started++;
        work(&workers[0]);
    }
    while (started > 0)
        pthread_join(workers[started--].thread, NULL);
    while (made > 0)
        worker_free(&workers[--made]);
}

int run_all(const struct run_options *opt, const struct run_job *job, struct out *out,
            struct run_result *result, struct jfr_error *err, const char **err_path)
{
    struct run r = {.opt = opt, .job = job, .out = out, .result = result};
    unsigned n = n_workers(&r);
    struct worker *workers = calloc(n, sizeof(*workers));

    *result = (struct run_result){0};
    *err_path = NULL;
    if (workers == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.turn_changed, NULL);
    run_workers(&r, workers, n);
    free(workers);
    if (r.input != NULL)
        release_input(r.input);
    pthread_cond_destroy(&r.turn_changed);
    pthread_mutex_destroy(&r.lock);
    if (r.rc == 0 && !r.read_something) {
        jfr_fail(&r.held, JFR_E_FORMAT, 0, "nothing could be read");
        stop(&r, r.held.code, &r.held, r.held_path);
    }
    *err = r.err;
    *err_path = r.err_path;
    return r.rc;
}
