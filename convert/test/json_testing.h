/* json_testing.h - a recording in memory printed into memory, for tests and fuzzing. */
#ifndef CONVERT_TEST_JSON_TESTING_H
#define CONVERT_TEST_JSON_TESTING_H

#include "convert/json/json.h"

static inline int json_gather(struct out *out)
{
    struct buf *to = out->ctx;

    buf_bytes(to, out->b.p, out->b.n);
    buf_reset(&out->b);
    return out->rc;
}

/* Prints all chunks. Returns the number of damaged places, or a negative code; *to gets the text.
 */
static inline int json_print(const struct json_options *opt, struct select *select,
                             const void *bytes, size_t n, struct buf *to)
{
    struct jfr_error err = {0};
    struct json *j = json_new(opt, select, &err);
    struct run_job job = json_job(j);
    void *worker = job.worker_new(job.shared);
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct out out = {.drain = json_gather, .ctx = to};
    struct run_chunk rc = {.chunk = chunk, .path = "memory"};
    struct jfr_raw raw;
    int code, damages = 0;

    jfr_chunk_set_pool_rule(chunk, json_pool_rule(j));
    code = json_begin(j, &out);
    while (code == 0 && jfr_source_next(src, &raw, &err) > 0) {
        if (jfr_chunk_load(chunk, &raw, &err) == 0) {
            code = job.chunk(worker, &rc, &out);
            if (code == 0)
                code = job.merge(job.shared, worker, &rc);
            damages += (int)jfr_chunk_n_errors(chunk);
            rc.number++;
        }
        jfr_source_release(src, &raw);
    }
    if (code == 0)
        code = json_end(j, &out);
    if (code == 0)
        code = out.drain(&out);
    jfr_source_close(src);
    job.worker_free(worker);
    jfr_chunk_free(chunk);
    json_free(j);
    buf_free(&out.b);
    return code < 0 ? code : damages;
}

/* Is the text one JSON value, or with `lines` one on every line? Only the structure is checked, and
 * that strings are closed and hold no control characters. */

struct json_scan {
    const uint8_t *p, *end;
};

static inline void json_blank(struct json_scan *s, bool lines)
{
    while (s->p < s->end && (*s->p == ' ' || (*s->p == '\n' && !lines)))
        s->p++;
}

static inline bool json_scan_string(struct json_scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '"'; s->p++) {
        if (*s->p < 0x20)
            return false;
        if (*s->p == '\\' && (++s->p == s->end || strchr("\"\\/bfnrtu", *s->p) == NULL))
            return false;
    }
    return s->p++ < s->end;
}

static inline bool json_scan_word(struct json_scan *s)
{
    static const char *const words[] = {"null", "true", "false"};
    const uint8_t *start = s->p;

    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
            s->p += n;
            return true;
        }
    }
    while (s->p < s->end && *s->p != '\0' && strchr("+-.eE0123456789", *s->p) != NULL)
        s->p++;
    return s->p > start && s->p[-1] >= '0' && s->p[-1] <= '9';
}

static inline bool json_scan_value(struct json_scan *s, bool lines, unsigned depth)
{
    bool is_object, more;

    json_blank(s, lines);
    if (s->p == s->end || depth > 1000)
        return false;
    if (*s->p == '"')
        return json_scan_string(s);
    if (*s->p != '{' && *s->p != '[')
        return json_scan_word(s);
    is_object = *s->p++ == '{';
    json_blank(s, lines);
    for (more = s->p < s->end && *s->p != '}' && *s->p != ']'; more; s->p += more) {
        json_blank(s, lines);
        if (is_object && (s->p == s->end || *s->p != '"' || !json_scan_string(s)))
            return false;
        if (is_object && (s->p == s->end || *s->p++ != ':'))
            return false;
        if (!json_scan_value(s, lines, depth + 1))
            return false;
        json_blank(s, lines);
        more = s->p < s->end && *s->p == ',';
    }
    return s->p < s->end && *s->p++ == (is_object ? '}' : ']');
}

static inline bool json_is_valid(const struct buf *text, bool lines)
{
    static const uint8_t nothing;
    const uint8_t *p = text->n == 0 ? &nothing : text->p;
    struct json_scan s = {p, p + text->n};

    if (lines) {
        while (s.p < s.end)
            if (!json_scan_value(&s, true, 0) || s.p == s.end || *s.p++ != '\n')
                return false;
        return true;
    }
    if (!json_scan_value(&s, false, 0))
        return false;
    json_blank(&s, false);
    return s.p == s.end;
}

#endif
