/* pprof.c - the gzipped protobuf that go tool pprof reads (profile.proto). The profile is written
 * in many small pieces, which a reader adds up: nothing is gathered but the texts. */
#include "convert/format.h"
#include "convert/frame_line.h"
#include "convert/gzip.h"
#include "convert/profile.pb-c.h"
#include "convert/textw.h"
#include "jfrfmt/intern.h"

#include <stdlib.h>

struct writer {
    const struct measures *m;
    struct gzip *gzip;
    struct intern strings, functions; /* functions: of texts; their ids count from 1 */
    uint32_t *locations; /* id by name; 0: none yet */
    uint32_t n_locations;
    uint32_t *texts; /* string + 1 by name, for labels */
    int64_t *keys; /* string by key of a label */
    struct buf piece, text;
    struct buf ids, values, labels, pointers; /* of a sample */
    int rc;
};

static void put_piece(struct writer *w, const Pprof__Profile *p)
{
    size_t n = pprof__profile__get_packed_size(p);

    buf_reset(&w->piece);
    if (w->rc == 0 && !buf_reserve(&w->piece, n))
        w->rc = JFR_E_NOMEM;
    if (w->rc == 0)
        w->rc = gzip_put(w->gzip, w->piece.p, pprof__profile__pack(p, w->piece.p));
}

/* The index of a text in the string table. Protobuf strings are valid UTF-8 without NUL. */
static int64_t string_of(struct writer *w, const char *text, size_t n)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    size_t before = intern_n(&w->strings);
    uint32_t id;
    char *shown;

    buf_reset(&w->text);
    textw_utf8(&w->text, text, n);
    for (size_t i = 0; i < w->text.n; i++)
        if (w->text.p[i] == '\0')
            w->text.p[i] = ' ';
    id = intern_add(&w->strings, w->text.p, w->text.n);
    if (id == INTERN_FAILED || !buf_ok(&w->text)) {
        w->rc = JFR_E_NOMEM;
        return 0;
    }
    if (id == before) {
        shown = (char *)(uintptr_t)intern_get(&w->strings, id, NULL);
        piece.n_string_table = 1;
        piece.string_table = &shown;
        put_piece(w, &piece);
    }
    return id;
}

static int64_t string_z(struct writer *w, const char *text)
{
    return string_of(w, text, strlen(text));
}

/* --- functions and locations ------------------------------------------------------------------ */

static uint64_t function_of(struct writer *w, const char *text, size_t n)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    Pprof__Function function = PPROF__FUNCTION__INIT, *pointer = &function;
    size_t before = intern_n(&w->functions);
    uint32_t id = intern_add(&w->functions, text, n);

    if (id == INTERN_FAILED)
        w->rc = JFR_E_NOMEM;
    if (id != before || w->rc != 0)
        return (uint64_t)id + 1;
    function.id = (uint64_t)id + 1;
    function.name = function.system_name = string_of(w, text, n);
    piece.n_function = 1;
    piece.function = &pointer;
    put_piece(w, &piece);
    return function.id;
}

static uint64_t new_location(struct writer *w, const char *text, size_t n)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    Pprof__Location location = PPROF__LOCATION__INIT, *pointer = &location;
    Pprof__Line line = PPROF__LINE__INIT, *line_pointer = &line;

    line.line = measures_has_lines(w->m) ? frame_line_split(text, &n) : 0;
    line.function_id = function_of(w, text, n);
    location.id = ++w->n_locations;
    location.mapping_id = 1;
    location.n_line = 1;
    location.line = &line_pointer;
    piece.n_location = 1;
    piece.location = &pointer;
    put_piece(w, &piece);
    return location.id;
}

static uint64_t location_of(struct writer *w, uint32_t name)
{
    size_t n;
    const char *text = measures_name(w->m, name, &n);

    if (w->locations[name] == 0)
        w->locations[name] = (uint32_t)new_location(w, text, n);
    return w->locations[name];
}

/* --- samples ---------------------------------------------------------------------------------- */

static void add_label(struct writer *w, size_t key, uint32_t name)
{
    Pprof__Label label = PPROF__LABEL__INIT;
    size_t n;
    const char *text = measures_name(w->m, name, &n);

    if (w->texts[name] == 0)
        w->texts[name] = (uint32_t)string_of(w, text, n) + 1;
    label.key = w->keys[key];
    label.str = w->texts[name] - 1;
    buf_bytes(&w->labels, &label, sizeof(label));
}

static void put_row(struct writer *w, const struct measures_row *row)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *pointer = &sample;
    size_t n_labels;

    buf_reset(&w->ids);
    buf_reset(&w->values);
    buf_reset(&w->labels);
    buf_reset(&w->pointers);
    for (uint32_t i = row->n; i-- > 0;) {
        uint64_t id = location_of(w, frame_name_id(row->frames[i]));

        buf_bytes(&w->ids, &id, sizeof(id));
    }
    for (size_t i = 0; i < measures_n(w->m); i++) {
        int64_t value = row->values[i] > INT64_MAX ? INT64_MAX : (int64_t)row->values[i];

        buf_bytes(&w->values, &value, sizeof(value));
    }
    for (size_t i = 0; i < measures_n_keys(w->m); i++)
        if (row->labels[i] != MEASURES_NO_VALUE)
            add_label(w, i, row->labels[i]);
    n_labels = w->labels.n / sizeof(Pprof__Label);
    for (size_t i = 0; i < n_labels; i++) {
        Pprof__Label *label = (Pprof__Label *)(void *)w->labels.p + i;

        buf_bytes(&w->pointers, &label, sizeof(label));
    }
    if (!buf_ok(&w->ids) || !buf_ok(&w->values) || !buf_ok(&w->labels) || !buf_ok(&w->pointers)) {
        w->rc = JFR_E_NOMEM;
        return;
    }
    sample.n_location_id = row->n;
    sample.location_id = (uint64_t *)(void *)w->ids.p;
    sample.n_value = measures_n(w->m);
    sample.value = (int64_t *)(void *)w->values.p;
    sample.n_label = n_labels;
    sample.label = (Pprof__Label **)(void *)w->pointers.p;
    piece.n_sample = 1;
    piece.sample = &pointer;
    put_piece(w, &piece);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void put_types(struct writer *w)
{
    for (size_t i = 0; i < measures_n(w->m); i++) {
        const struct measure *m = measures_get(w->m, i);
        Pprof__Profile piece = PPROF__PROFILE__INIT;
        Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *pointer = &type;

        type.type = string_z(w, m->type);
        type.unit = string_z(w, m->unit);
        piece.n_sample_type = 1;
        piece.sample_type = &pointer;
        put_piece(w, &piece);
    }
}

/* All code is of one mapping, which says that names are there. */
static void put_mapping(struct writer *w)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *pointer = &mapping;

    mapping.id = 1;
    mapping.filename = string_z(w, "java");
    mapping.has_functions = true;
    mapping.has_line_numbers = measures_has_lines(w->m);
    piece.n_mapping = 1;
    piece.mapping = &pointer;
    put_piece(w, &piece);
}

static void put_facts(struct writer *w)
{
    struct profile_facts f = measures_facts(w->m);
    Pprof__Profile piece = PPROF__PROFILE__INIT;

    piece.time_nanos = f.first_ns > 0 ? f.first_ns : 0;
    piece.duration_nanos = f.first_ns > 0 && f.last_ns > f.first_ns ? f.last_ns - f.first_ns : 0;
    piece.default_sample_type = string_z(w, measures_get(w->m, 0)->type);
    put_piece(w, &piece);
}

static bool begin(struct writer *w, struct out *out)
{
    size_t n = measures_n_names(w->m) + 1;

    w->gzip = gzip_new(out);
    w->locations = calloc(n, sizeof(*w->locations));
    w->texts = calloc(n, sizeof(*w->texts));
    w->keys = calloc(measures_n_keys(w->m) + 1, sizeof(*w->keys));
    if (w->gzip == NULL || w->locations == NULL || w->texts == NULL || w->keys == NULL)
        return false;
    string_z(w, ""); /* is number 0 */
    for (size_t i = 0; i < measures_n_keys(w->m); i++) {
        size_t len;
        const char *key = measures_key(w->m, i, &len);

        w->keys[i] = string_of(w, key, len);
    }
    return true;
}

static void release(struct writer *w)
{
    intern_free(&w->strings);
    intern_free(&w->functions);
    free(w->locations);
    free(w->texts);
    free(w->keys);
    buf_free(&w->piece);
    buf_free(&w->text);
    buf_free(&w->ids);
    buf_free(&w->values);
    buf_free(&w->labels);
    buf_free(&w->pointers);
}

static int write_measures(const struct measures *m, struct out *out)
{
    struct writer w = {.m = m};
    int rc;

    if (begin(&w, out)) {
        put_types(&w);
        put_mapping(&w);
        put_facts(&w);
        for (size_t i = 0; i < measures_n_rows(m) && w.rc == 0; i++) {
            struct measures_row row = measures_row(m, i);

            put_row(&w, &row);
        }
    }
    rc = gzip_end(w.gzip);
    release(&w);
    return w.rc != 0 ? w.rc : rc;
}

const struct format format_pprof = {.name = "pprof",
                                    .suffix = ".pb.gz",
                                    .is_binary = true,
                                    .is_labelled = true,
                                    .measures = write_measures};
