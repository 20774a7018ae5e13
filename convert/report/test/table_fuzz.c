/* Any bytes, summed by thread, state, type and user, compared with themselves, and as a page with
 * all samples: every table and every page is written, and a comparison with itself finds no
 * difference. */
#include "convert/flame/flame.h"
#include "convert/profile/facets.h"
#include "convert/profile/profile.h"
#include "convert/report/diff.h"
#include "convert/view/table_by.h"
#include "convert/view/words.h"
#include "convert/report/table_top.h"
#include "convert/select/select.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>
#include <stdlib.h>

static int forget(struct out *out)
{
    buf_reset(&out->b);
    return 0;
}

static void run(const struct run_job *job, const uint8_t *bytes, size_t n)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct run_chunk rc = {.chunk = chunk, .path = "memory"};
    void *worker = job->worker_new == NULL ? job->shared : job->worker_new(job->shared);
    struct out out = {0};
    struct jfr_raw raw;

    while (jfr_source_next(src, &raw, &err) > 0) {
        if (jfr_chunk_load(chunk, &raw, &err) == 0) {
            assert(job->chunk(worker, &rc, &out) == 0);
            assert(job->merge == NULL || job->merge(job->shared, worker, &rc) == 0);
            rc.number++;
        }
        jfr_source_release(src, &raw);
    }
    jfr_source_close(src);
    if (job->worker_new != NULL)
        job->worker_free(worker);
    jfr_chunk_free(chunk);
}

static void write_table(struct table *t)
{
    struct out out = {.drain = forget};

    assert(t != NULL);
    for (int as = TABLE_AS_TEXT; as <= TABLE_AS_TSV; as++)
        assert(table_write(t, (enum table_as)as, &out) == 0);
    out_free(&out);
    table_free(t);
}

static struct select *select_user(void)
{
    static const char *const keys[] = {"user"};
    const struct select_spec spec = {.keys = {keys, 1}, .leaves_out_past = true};
    struct jfr_error err = {0};
    struct select *s = select_new(&spec, &err);

    assert(s != NULL);
    return s;
}

static void sum_up(const uint8_t *bytes, size_t n)
{
    static const char *const names[] = {"thread", "state", "event", "bucket(1s)", "user"};
    struct select *s = select_user();

    for (size_t i = 0; i < 5; i++) {
        struct arena texts = {0};
        struct jfr_error err = {0};
        const char *attribute;
        const char *key = view_group_word(names[i], &texts, &attribute, &err);
        const struct table_by_options opt = {
            .names = names + i, .keys = &key, .n_keys = 1, .kind = -1, .select = s};
        struct table_by *tb = table_by_new(&opt);
        struct run_job job = table_by_job(tb);

        run(&job, bytes, n);
        write_table(table_by_table(tb));
        table_by_free(tb);
        arena_free(&texts);
    }
    select_free(s);
}

static struct profile *profile_of(const uint8_t *bytes, size_t n, struct facets *facets)
{
    const struct profile_options opt = {.kind = -1, .facets = facets};
    struct profile *p = profile_new(&opt);
    struct run_job job = profile_job(p);

    run(&job, bytes, n);
    assert(profile_finish(p) == 0);
    return p;
}

static void compare(const uint8_t *bytes, size_t n)
{
    struct profile *base = profile_of(bytes, n, NULL), *half = profile_of(bytes, n / 2, NULL);
    struct diff *same = diff_new(base, base, DIFF_BY_TOTAL);
    struct diff *other = diff_new(base, half, DIFF_BY_DURATION);
    struct out out = {.drain = forget};

    for (size_t i = 0; i < diff_n(same); i++)
        assert(diff_change(same, diff_row(same, i), DIFF_TOTAL).difference == 0);
    write_table(table_top(base, "method", NULL, NULL, 0, 10));
    write_table(diff_table(same, DIFF_SELF));
    write_table(diff_table(other, DIFF_TOTAL));
    assert(diff_write_collapsed(base, half, &out) == 0);
    out_free(&out);
    diff_free(same);
    diff_free(other);
    profile_free(base);
    profile_free(half);
}

static void make_page(const uint8_t *bytes, size_t n)
{
    struct facets *facets = facets_new();
    struct profile *p = profile_of(bytes, n, facets);
    const struct flame_options opt = {.title = "t",
                                      .kind = "cpu",
                                      .unit = profile_unit(p),
                                      .facets = facets,
                                      .facet_kind = -1,
                                      .facet_max = 1000};
    struct out out = {.drain = forget};
    struct tree tree = {0};

    assert(profile_tree(p, &tree) == 0);
    assert(facets_finish(facets, p, &tree) == 0);
    assert(flame_write(&tree, &opt, &out) == 0);
    out_free(&out);
    tree_free(&tree);
    profile_free(p);
    facets_free(facets);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    switch (n % 3) { /* an input is for one of them */
    case 0:
        sum_up(bytes, n);
        break;
    case 1:
        compare(bytes, n);
        break;
    default:
        make_page(bytes, n);
    }
    return 0;
}
