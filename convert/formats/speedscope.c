/* speedscope.c - JSON for speedscope: one sampled profile of all threads, then one for each, or for
 * each value of another label. Stacks of a profile stand once, with what they weigh. */
#include "convert/formats/format.h"
#include "convert/profile/frame_line.h"
#include "convert/text/jsonw.h"

#include <stdlib.h>

struct writer {
    const struct measures *m;
    struct buf *b;
    struct out *out;
    uint32_t *frames; /* number + 1 by name */
    uint32_t n_frames;
    uint32_t *order; /* rows, thread by thread */
    int rc;
};

/* Frames that any row has, numbered as they are met. */
static void put_frames(struct writer *w)
{
    for (size_t r = 0; r < measures_n_rows(w->m) && w->rc == 0; r++) {
        struct measures_row row = measures_row(w->m, r);

        for (uint32_t i = 0; i < row.n; i++) {
            uint32_t name = frame_name_id(row.frames[i]);
            int64_t line;
            size_t n;
            const char *text = measures_name(w->m, name, &n);

            if (w->frames[name] != 0)
                continue;
            w->frames[name] = ++w->n_frames;
            line = measures_has_lines(w->m) ? frame_line_split(text, &n) : 0;
            buf_str(w->b, w->n_frames > 1 ? ",\n{\"name\":" : "{\"name\":");
            jsonw_str(w->b, text, n);
            if (line > 0) {
                buf_str(w->b, ",\"line\":");
                jsonw_i64(w->b, line);
            }
            buf_byte(w->b, '}');
            w->rc = out_check(w->out);
        }
    }
}

static const char *speedscope_unit_of(const struct measures *m)
{
    const char *unit = measures_get(m, 0)->unit;

    return strcmp(unit, "count") == 0 ? "none" : unit;
}

static uint32_t part_of(const struct measures *m, uint32_t row)
{
    size_t key = measures_split(m);

    return key == measures_n_keys(m) ? MEASURES_NO_VALUE : measures_row(m, row).labels[key];
}

/* A stack; of none the frame says so, as speedscope shows nothing else. */
static void put_stack(struct writer *w, const struct measures_row *row)
{
    buf_byte(w->b, '[');
    for (uint32_t i = 0; i < row->n; i++) {
        if (i > 0)
            buf_byte(w->b, ',');
        jsonw_u64(w->b, w->frames[frame_name_id(row->frames[i])] - 1);
    }
    buf_byte(w->b, ']');
}

/* A profile of rows[0..n). */
static void put_speedscope_profile(struct writer *w, const char *name, size_t name_n,
                                   const uint32_t *rows, size_t n)
{
    uint64_t total = 0;

    buf_str(w->b, "{\"type\":\"sampled\",\"name\":");
    jsonw_str(w->b, name, name_n);
    buf_str(w->b, ",\"unit\":\"");
    buf_str(w->b, speedscope_unit_of(w->m));
    buf_str(w->b, "\",\"startValue\":0,\"samples\":[\n");
    for (size_t i = 0; i < n && w->rc == 0; i++) {
        struct measures_row row = measures_row(w->m, rows[i]);

        if (i > 0)
            buf_str(w->b, ",\n");
        put_stack(w, &row);
        w->rc = out_check(w->out);
    }
    buf_str(w->b, "],\"weights\":[");
    for (size_t i = 0; i < n && w->rc == 0; i++) {
        uint64_t value = measures_row(w->m, rows[i]).values[0];

        if (i > 0)
            buf_byte(w->b, ',');
        jsonw_u64(w->b, value);
        total = total > UINT64_MAX - value ? UINT64_MAX : total + value;
        w->rc = out_check(w->out);
    }
    buf_str(w->b, "],\"endValue\":");
    jsonw_u64(w->b, total);
    buf_byte(w->b, '}');
}

static int by_part(const void *a, const void *b, void *measures)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t tx = part_of(measures, x), ty = part_of(measures, y);

    /* Numbers of names grow in the order of the texts of the first profile. */
    return tx != ty ? (tx > ty) - (tx < ty) : (x > y) - (x < y);
}

/* "[no thread]" */
static void put_part(struct writer *w, uint32_t part, const uint32_t *rows, size_t n)
{
    size_t len;
    const char *name;
    struct buf none = {0};

    if (part != MEASURES_NO_VALUE) {
        name = measures_name(w->m, part, &len);
    } else {
        buf_str(&none, "[no ");
        buf_str(&none, measures_split_name(w->m));
        buf_byte(&none, ']');
        name = (const char *)none.p;
        len = none.n;
    }
    buf_str(w->b, ",\n");
    put_speedscope_profile(w, name, len, rows, n);
    buf_free(&none);
}

static void put_profiles(struct writer *w)
{
    const struct measure *measure = measures_get(w->m, 0);
    size_t n = measures_n_rows(w->m), end;

    for (uint32_t i = 0; i < n; i++)
        w->order[i] = i;
    put_speedscope_profile(w, "all threads", strlen("all threads"), w->order, n);
    qsort_r(w->order, n, sizeof(*w->order), by_part, (void *)(uintptr_t)w->m);
    for (size_t i = 0; i < n && w->rc == 0; i = end) {
        uint32_t part = part_of(w->m, w->order[i]);

        for (end = i + 1; end < n && part_of(w->m, w->order[end]) == part;)
            end++;
        put_part(w, part, w->order + i, end - i);
    }
    buf_str(w->b, "],\n\"name\":");
    jsonw_str(w->b, kind_title(measure->kind), strlen(kind_title(measure->kind)));
    buf_str(w->b, ",\"activeProfileIndex\":0,\"exporter\":\"jfrkit\"}\n");
}

static int write_speedscope_measures(const struct measures *m, struct out *out)
{
    struct writer w = {.m = m, .b = &out->b, .out = out};

    w.frames = calloc(measures_n_names(m) + 1, sizeof(*w.frames));
    w.order = calloc(measures_n_rows(m) + 1, sizeof(*w.order));
    w.rc = w.frames == NULL || w.order == NULL ? JFR_E_NOMEM : 0;
    if (w.rc == 0) {
        buf_str(w.b, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                     "\"version\":\"0.0.1\",\"shared\":{\"frames\":[\n");
        put_frames(&w);
        buf_str(w.b, "]},\n\"profiles\":[\n");
        put_profiles(&w);
    }
    free(w.frames);
    free(w.order);
    return w.rc;
}

const struct format format_speedscope = {.name = "speedscope",
                                         .suffix = ".speedscope.json",
                                         .is_labelled = true,
                                         .is_single = true,
                                         .measures = write_speedscope_measures};
