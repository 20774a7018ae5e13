/*
 * clock.c - which chunk's clock and time zone the times of a chunk are computed with, by the
 * anchor.
 *
 * That is an earlier chunk of the same input, so where several threads read chunks in any order all
 * headers are read beforehand.
 */
#include "convert/json/clock.h"

#include "convert/select/select.h"

#define ZONE_MAX_S (18 * 3600)

static int32_t zone_of(enum json_rules rules, const struct jfr_metadata *md)
{
    int64_t ms = md->gmt_offset_ms;

    if (rules == JSON_RULES_OWN)
        return 0;
    if (rules == JSON_RULES_25 && __builtin_add_overflow(ms, md->dst_ms, &ms))
        return 0;
    ms /= 1000;
    return ms > ZONE_MAX_S || ms < -ZONE_MAX_S ? 0 : (int32_t)ms;
}

/* The clock for the chunk that follows the last one. */
static struct json_clock next_clock(struct json_clocks *cs, const struct run_chunk *rc)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    bool is_new = !cs->has_last || cs->last_file != rc->file;

    if (cs->anchor == JSON_ANCHOR_METADATA && cs->last_id != md->id)
        is_new = true;
    if (is_new)
        cs->last = (struct json_clock){*jfr_chunk_header(rc->chunk), zone_of(cs->rules, md)};
    cs->has_last = true;
    cs->last_file = rc->file;
    cs->last_id = md->id;
    return cs->last;
}

struct json_clock json_clock_of(struct json_clocks *cs, const struct run_chunk *rc)
{
    const struct json_clock *seen = (const void *)cs->seen.p;

    if (cs->anchor == JSON_ANCHOR_CHUNK)
        return (struct json_clock){*jfr_chunk_header(rc->chunk),
                                   zone_of(cs->rules, jfr_chunk_metadata(rc->chunk))};
    if (!cs->is_known)
        return next_clock(cs, rc);
    if (rc->number < cs->seen.n / sizeof(*seen))
        return seen[rc->number];
    return cs->last; /* the file grew in between */
}

static int see_clock(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct json_clocks *cs = shared;
    struct json_clock clock = next_clock(cs, rc);

    (void)out;
    while (cs->seen.n / sizeof(clock) <= rc->number && buf_ok(&cs->seen))
        buf_bytes(&cs->seen, &clock, sizeof(clock)); /* also for chunks that could not be read */
    return buf_ok(&cs->seen) ? 0 : JFR_E_NOMEM;
}

int json_clocks_look_ahead(struct json_clocks *cs, const char *const *paths, size_t n_paths,
                           struct jfr_error *err)
{
    struct run_options opt = {.paths = paths, .n_paths = n_paths, .jobs = 1};
    struct run_job job = {.shared = cs, .chunk = see_clock};
    struct run_result result;
    const char *path;
    int rc = run_all(&opt, &job, NULL, &result, err, &path);

    cs->is_known = rc == 0;
    return rc;
}

bool json_clocks_ready(struct json_clocks *cs, const char *const *paths, size_t n_paths)
{
    struct jfr_error ignored = {0};

    return cs->anchor == JSON_ANCHOR_CHUNK ||
           (select_can_look_ahead(paths, n_paths) &&
            json_clocks_look_ahead(cs, paths, n_paths, &ignored) == 0);
}

void json_clocks_free(struct json_clocks *cs)
{
    buf_free(&cs->seen);
}
