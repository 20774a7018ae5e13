/* Any bytes, aggregated and written in every format: what comes out is whole, however damaged the
 * recording is. */
#include "convert/driver/job_list.h"
#include "convert/formats/format.h"
#include "convert/test/json_testing.h"
#include "convert/formats/otlp.pb-c.h"
#include "convert/formats/pprof.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

#define MOST (64u << 20) /* bytes of an unpacked output */

struct made { /* one output */
    const struct format *format;
    struct profile *profile;
    struct measures *measures;
    void *state;
};

static size_t begin(struct made *m, const struct profile_options *opt, struct run_job *jobs)
{
    if (m->format->open != NULL) {
        m->state = m->format->open(opt);
        return m->format->jobs(m->state, jobs);
    }
    if (m->format->is_labelled) {
        m->measures = measures_new(opt, m->format->is_single);
        jobs[0] = measures_job(m->measures);
        return 1;
    }
    m->profile = profile_new(opt);
    jobs[0] = profile_job(m->profile);
    return 1;
}

static int write_made(const struct made *m, struct out *out)
{
    int rc = 0;

    if (m->state != NULL)
        return m->format->write(m->state, out);
    if (m->measures != NULL) {
        rc = measures_finish(m->measures);
        return rc != 0 ? rc : m->format->measures(m->measures, out);
    }
    rc = profile_finish(m->profile);
    return rc != 0 ? rc : m->format->profile(m->profile, out);
}

static void release(struct made *m)
{
    if (m->state != NULL)
        m->format->close(m->state);
    measures_free(m->measures);
    profile_free(m->profile);
}

static void run(struct run_job *job, const uint8_t *bytes, size_t n)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct run_chunk rc = {.chunk = chunk, .path = "memory"};
    void *worker = job->worker_new(job->shared);
    struct out out = {0};
    struct jfr_raw raw;

    while (jfr_source_next(src, &raw, &err) > 0) {
        if (jfr_chunk_load(chunk, &raw, &err) == 0) {
            assert(job->chunk(worker, &rc, &out) == 0);
            assert(job->merge(job->shared, worker, &rc) == 0);
            rc.number++;
        }
        jfr_source_release(src, &raw);
    }
    jfr_source_close(src);
    job->worker_free(worker);
    jfr_chunk_free(chunk);
}

/* The bytes of a .gz, which are freed by the caller. */
static uint8_t *unpack(const struct buf *from, size_t *n)
{
    z_stream z = {.next_in = from->p, .avail_in = (uInt)from->n};
    uint8_t *bytes = malloc(MOST);

    assert(bytes != NULL && inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
    z.next_out = bytes;
    z.avail_out = MOST;
    assert(inflate(&z, Z_FINISH) == Z_STREAM_END);
    *n = z.total_out;
    inflateEnd(&z);
    return bytes;
}

static void check_pprof(const struct buf *text)
{
    size_t n;
    uint8_t *bytes = unpack(text, &n);
    Pprof__Profile *p = pprof__profile__unpack(NULL, n, bytes);

    assert(p != NULL && p->n_sample_type > 0);
    for (size_t i = 0; i < p->n_sample; i++)
        assert(p->sample[i]->n_value == p->n_sample_type);
    pprof__profile__free_unpacked(p, NULL);
    free(bytes);
}

static void check_otlp(const struct buf *text)
{
    Otlp__ProfilesData *p = otlp__profiles_data__unpack(NULL, text->n, text->p);

    assert(p != NULL && p->n_resource_profiles == 1);
    otlp__profiles_data__free_unpacked(p, NULL);
}

/* Lines of equally many cells: commas outside of quotes. */
static void check_csv(const struct buf *text)
{
    size_t commas = 0, of_first = SIZE_MAX;
    bool quoted = false;

    assert(text->n > 2 && memcmp(text->p + text->n - 2, "\r\n", 2) == 0);
    for (size_t i = 0; i < text->n; i++) {
        quoted ^= text->p[i] == '"';
        commas += text->p[i] == ',' && !quoted;
        if (text->p[i] != '\n' || quoted)
            continue;
        if (of_first == SIZE_MAX)
            of_first = commas;
        assert(commas == of_first);
        commas = 0;
    }
    assert(!quoted);
}

static void check(const struct format *f, const struct buf *text)
{
    if (f == &format_pprof)
        check_pprof(text);
    else if (f == &format_otlp)
        check_otlp(text);
    else if (strcmp(f->suffix, ".json") == 0 || strcmp(f->suffix, ".speedscope.json") == 0)
        assert(json_is_valid(text, false));
    else if (strcmp(f->suffix, ".csv") == 0)
        check_csv(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const struct select_spec everything = {.all_keys = true};
    const struct format *const *formats = format_list();
    struct jfr_error err = {0};
    struct select *select = select_new(&everything, &err);
    struct profile_options opt = {.kind = -1, .select = select, .names = {.lines = n % 2 == 1}};

    for (size_t i = 0; formats[i] != NULL; i++) {
        struct made made = {.format = formats[i]};
        struct run_job jobs[FORMAT_JOBS], job;
        struct buf text = {0};
        struct out out = {.drain = json_gather, .ctx = &text};
        struct job_list list = {jobs, begin(&made, &opt, jobs)};

        job = job_list_job(&list);
        run(&job, bytes, n);
        assert(write_made(&made, &out) == 0);
        assert(out.drain(&out) == 0 && buf_ok(&text));
        check(formats[i], &text);
        buf_free(&out.b);
        buf_free(&text);
        release(&made);
    }
    select_free(select);
    return 0;
}
