/*
 * context_values.c - the values that a context key has in recordings, for outputs per user (--per).
 *
 * It reads the inputs once before the real run, with the same filters.
 */
#include "convert/select/context_values.h"

#include "convert/driver/run.h"

struct search {
    struct select_run *select;
    struct intern *texts;
    struct buf seen; /* of tuples of the chunk: a byte each */
};

/* Takes a tuple of the chunk, if it is a new one. 0 or JFR_E_NOMEM. */
static int take(struct search *s, uint32_t tuple)
{
    const struct context_run *c = select_run_context(s->select);
    const char *text;
    size_t n;

    if (tuple == CONTEXT_NONE || !buf_fill(&s->seen, tuple + (size_t)1))
        return JFR_E_NOMEM;
    if (s->seen.p[tuple] != 0)
        return 0;
    s->seen.p[tuple] = 1;
    text = context_text(c, tuple, 0, &n);
    return text == NULL || n == 0 || intern_add(s->texts, text, n) != INTERN_FAILED ? 0
                                                                                    : JFR_E_NOMEM;
}

static int read_chunk(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct search *s = shared;
    struct jfr_event ev;
    int code = select_run_load(s->select, rc->chunk);

    (void)out;
    buf_reset(&s->seen);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0) {
        if (select_class(s->select, ev.type) == SELECT_NEVER)
            continue;
        code = select_event(s->select, &ev);
        if (code > 0)
            code = take(s, context_event(select_run_context(s->select), &ev));
        else if (code != JFR_E_NOMEM) /* what is too short is no event */
            code = 0;
    }
    return code;
}

int values_find(struct select *select, const char *const *paths, size_t n_paths,
                struct intern *texts, struct jfr_error *err, const char **err_path)
{
    struct search s = {.select = select_run_new(select), .texts = texts};
    const struct run_options opt = {.paths = paths, .n_paths = n_paths};
    const struct run_job job = {.shared = &s, .chunk = read_chunk};
    struct run_result result;
    int rc;

    if (s.select == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    rc = run_all(&opt, &job, NULL, &result, err, err_path);
    select_run_free(s.select);
    buf_free(&s.seen);
    return rc;
}
