#include "convert/view/view.h"
#include "convert/view/event.h"
#include "convert/view/words.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>
#include <stdlib.h>

/* A sink for what tables print. */
static int forget(struct out *out)
{
    buf_reset(&out->b);
    return 0;
}

static void write_all(struct table *t)
{
    struct out out = {.drain = forget};

    assert(t != NULL);
    table_set_fit(t, (struct table_fit){.width = 60, .height = 3, .from_beginning = true});
    for (int as = TABLE_AS_TEXT; as <= TABLE_AS_TSV; as++)
        assert(table_write(t, (enum table_as)as, &out) == 0);
    out_free(&out);
    table_free(t);
}

static void read_chunks(const struct run_job *job, const uint8_t *bytes, size_t n)
{
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct run_chunk rc = {.chunk = chunk, .path = "x.jfr"};
    struct jfr_error err = {0};
    void *worker = job->worker_new == NULL ? job->shared : job->worker_new(job->shared);

    for (size_t at = next_magic(bytes, n, 0), end; at < n; at = end) {
        struct jfr_raw raw = {.bytes = bytes + at, .offset = at};

        end = next_magic(bytes, n, at + 1);
        raw.n = end - at;
        if (jfr_chunk_load(chunk, &raw, &err) == 0)
            assert(job->chunk(worker, &rc, NULL) == 0 &&
                   (job->merge == NULL || job->merge(job->shared, worker, &rc) == 0));
        rc.number++;
    }
    if (job->worker_free != NULL)
        job->worker_free(worker);
    jfr_chunk_free(chunk);
}

/* Sums by every kind of key, with a select that knows contexts. */
static void sum_up(const uint8_t *bytes, size_t n)
{
    static const char *const keys[] = {"thread", "state", "event", "bucket(1ms)", "user", "stack"};
    static const char *const fields[] = {"duration", "startTime", "bytesRead", "stackTrace",
                                         "objectClass.name"};
    const struct select_spec spec = {.all_keys = true};
    struct view_words words = {.n_by = sizeof(keys) / sizeof(keys[0])};
    struct jfr_error err = {0};
    struct select *select = select_new(&spec, &err);
    const struct view *view;
    struct view_run *r;
    struct run_job job;
    bool is_text;

    for (size_t i = 0; i < words.n_by; i++)
        words.by[i] = keys[(i + n) % words.n_by];
    words.n_by = 1 + n % words.n_by;
    for (size_t i = 0; view_words_sum(i) != NULL; i++)
        words.sums[words.n_sums++] = (struct view_words_sum){i, fields[(i + n / 7) % 5]};
    view = view_of_words(&words, &err);
    assert(select != NULL && view != NULL);
    r = view_run_new(view, select);
    job = view_job(r);
    read_chunks(&job, bytes, n);
    view_unknown(r, &is_text);
    write_all(view_table(r, false, true));
    view_run_free(r);
    view_of_words_free(view);
    select_free(select);
}

#define PARTS 8 /* of the views; an input is for one of them */

/* Every view of any bytes is a table, however damaged they are, and so are the events of a type. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const types[] = {"jdk.ExecutionSample", "OldObjectSample", "Request"};

    for (size_t i = n % PARTS; i < view_n(); i += PARTS) {
        struct view_run *r = view_run_new(view_at(i), NULL);
        struct run_job job = view_job(r);

        read_chunks(&job, bytes, n);
        write_all(view_table(r, i % 2 == 0, i % 3 == 0));
        view_run_free(r);
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct view_events *e = view_events_new(types[i], NULL, 1000);
        struct run_job job = view_events_job(e);

        read_chunks(&job, bytes, n);
        write_all(view_events_table(e));
        view_events_free(e);
    }
    sum_up(bytes, n);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    (void)seed;
    n = LLVMFuzzerMutate(bytes, n, max);
    mend_chunk(bytes, n);
    return n;
}
