/*
 * pprof.c - writes the gzipped protobuf that go tool pprof reads (pprof.proto).
 *
 * A message may be written in pieces, which readers concatenate. So samples are written as they
 * come, and only texts, functions and locations are kept, to number them.
 */
#include "convert/formats/format.h"
#include "convert/profile/frame_line.h"
#include "convert/text/gzip.h"
#include "convert/formats/pprof.pb-c.h"
#include "convert/formats/protobufw.h"
#include "convert/text/textw.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

#define ROOM ((size_t)64 << 10) /* bytes that are packed together */

enum { /* numbers of fields, see pprof.proto */
    PROFILE_SAMPLES = 2,
    SAMPLE_VALUES = 2,
};

struct writer {
    const struct measures *m;
    struct gzip *gzip;
    struct intern strings, functions; /* functions: of texts; their ids count from 1 */
    uint32_t *locations; /* id by name; 0: none yet */
    uint32_t n_locations;
    uint32_t *texts; /* string + 1 by name, for labels */
    int64_t *keys; /* string by key of a label */
    struct buf piece, text; /* piece: what is not packed yet */
    struct buf ids, values, labels, pointers; /* of a sample */
    struct buf stack; /* the fields of Sample for a stack, which rows next to it share */
    uint32_t last_stack;
    struct buf label_bytes; /* the same for labels; by label set: */
    struct protobufw_piece *label_sets;
    struct buf sample;
    int rc;
};

static void flush(struct writer *w, size_t most)
{
    if (!buf_ok(&w->piece))
        w->rc = JFR_E_NOMEM;
    if (w->rc != 0 || w->piece.n <= most)
        return;
    w->rc = gzip_put(w->gzip, w->piece.p, w->piece.n);
    buf_reset(&w->piece);
}

/* Appends a message; its bytes are a part of whatever has others of the type. */
static void append(struct writer *w, struct buf *b, const ProtobufCMessage *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);

    if (w->rc == 0 && !buf_reserve(b, n))
        w->rc = JFR_E_NOMEM;
    if (w->rc == 0 && n > 0) /* an empty buffer may have no memory */
        b->n += protobuf_c_message_pack(message, b->p + b->n);
}

static void put_piece(struct writer *w, const Pprof__Profile *p)
{
    append(w, &w->piece, &p->base);
    flush(w, ROOM);
}

/* The index of a text in the string table. Protobuf strings are valid UTF-8 without NUL. */
static int64_t pprof_string_of(struct writer *w, const char *text, size_t n)
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

static int64_t pprof_string_z(struct writer *w, const char *text)
{
    return pprof_string_of(w, text, strlen(text));
}

/* --- functions and locations ------------------------------------------------------------------ */

static uint64_t pprof_function_of(struct writer *w, const char *text, size_t n)
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
    function.name = function.system_name = pprof_string_of(w, text, n);
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
    line.function_id = pprof_function_of(w, text, n);
    location.id = ++w->n_locations;
    location.mapping_id = 1;
    location.n_line = 1;
    location.line = &line_pointer;
    piece.n_location = 1;
    piece.location = &pointer;
    put_piece(w, &piece);
    return location.id;
}

static uint64_t pprof_location_of(struct writer *w, uint32_t name)
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
        w->texts[name] = (uint32_t)pprof_string_of(w, text, n) + 1;
    label.key = w->keys[key];
    label.str = w->texts[name] - 1;
    buf_bytes(&w->labels, &label, sizeof(label));
}

static void make_stack(struct writer *w, const struct measures_row *row)
{
    Pprof__Sample sample = PPROF__SAMPLE__INIT;

    buf_reset(&w->ids);
    for (uint32_t i = row->n; i-- > 0;) {
        uint64_t id = pprof_location_of(w, frame_name_id(row->frames[i]));

        buf_bytes(&w->ids, &id, sizeof(id));
    }
    if (!buf_ok(&w->ids)) {
        w->rc = JFR_E_NOMEM;
        return;
    }
    sample.n_location_id = row->n;
    sample.location_id = (uint64_t *)(void *)w->ids.p;
    buf_reset(&w->stack);
    append(w, &w->stack, &sample.base);
    w->last_stack = row->stack;
}

static void make_pprof_labels(struct writer *w, const struct measures_row *row)
{
    struct protobufw_piece *made = &w->label_sets[row->label_set];
    Pprof__Sample sample = PPROF__SAMPLE__INIT;

    buf_reset(&w->labels);
    buf_reset(&w->pointers);
    for (size_t i = 0; i < measures_n_keys(w->m); i++)
        if (row->labels[i] != MEASURES_NO_VALUE)
            add_label(w, i, row->labels[i]);
    sample.n_label = w->labels.n / sizeof(Pprof__Label);
    for (size_t i = 0; i < sample.n_label; i++) {
        Pprof__Label *label = (Pprof__Label *)(void *)w->labels.p + i;

        buf_bytes(&w->pointers, &label, sizeof(label));
    }
    if (!buf_ok(&w->labels) || !buf_ok(&w->pointers)) {
        w->rc = JFR_E_NOMEM;
        return;
    }
    sample.label = (Pprof__Label **)(void *)w->pointers.p;
    made->at = w->label_bytes.n;
    append(w, &w->label_bytes, &sample.base);
    made->n = (int64_t)(w->label_bytes.n - made->at);
}

static void put_pprof_row(struct writer *w, const struct measures_row *row)
{
    const struct protobufw_piece *labels = &w->label_sets[row->label_set];

    if (row->stack != w->last_stack)
        make_stack(w, row);
    if (labels->n < 0)
        make_pprof_labels(w, row);
    if (w->rc != 0)
        return;
    buf_reset(&w->values);
    for (size_t i = 0; i < measures_n(w->m); i++)
        protobufw_number(&w->values, row->values[i] > INT64_MAX ? INT64_MAX : row->values[i]);
    buf_reset(&w->sample);
    buf_bytes(&w->sample, w->stack.p, w->stack.n);
    protobufw_bytes(&w->sample, SAMPLE_VALUES, w->values.p, w->values.n);
    if (labels->n > 0)
        buf_bytes(&w->sample, w->label_bytes.p + labels->at, (size_t)labels->n);
    if (!buf_ok(&w->values) || !buf_ok(&w->sample))
        w->rc = JFR_E_NOMEM;
    else
        protobufw_bytes(&w->piece, PROFILE_SAMPLES, w->sample.p, w->sample.n);
    flush(w, ROOM);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void put_types(struct writer *w)
{
    for (size_t i = 0; i < measures_n(w->m); i++) {
        const struct measure *m = measures_get(w->m, i);
        Pprof__Profile piece = PPROF__PROFILE__INIT;
        Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *pointer = &type;

        type.type = pprof_string_z(w, m->type);
        type.unit = pprof_string_z(w, m->unit);
        piece.n_sample_type = 1;
        piece.sample_type = &pointer;
        put_piece(w, &piece);
    }
}

/* One mapping for all code, with flags that functions have names already: pprof then looks up no
 * symbols. */
static void put_mapping(struct writer *w)
{
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *pointer = &mapping;

    mapping.id = 1;
    mapping.filename = pprof_string_z(w, "java");
    mapping.has_functions = true;
    mapping.has_line_numbers = measures_has_lines(w->m);
    piece.n_mapping = 1;
    piece.mapping = &pointer;
    put_piece(w, &piece);
}

/* What go tool pprof shows first: as for profiles of Go, CPU time, or else the bytes allocated. CPU
 * samples of recorders that do not write how much time each stands for are a number only
 * ("samples"). */
static const char *default_type(const struct measures *m)
{
    static const char *const types[] = {"cpu", "samples", "alloc_space"};

    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++)
        for (size_t i = 0; i < measures_n(m); i++)
            if (strcmp(measures_get(m, i)->type, types[k]) == 0 && measures_get(m, i)->total > 0)
                return types[k];
    return measures_get(m, 0)->type;
}

static void put_facts(struct writer *w)
{
    struct profile_facts f = measures_facts(w->m);
    Pprof__Profile piece = PPROF__PROFILE__INIT;

    piece.time_nanos = f.first_ns > 0 ? f.first_ns : 0;
    piece.duration_nanos = f.first_ns > 0 && f.last_ns > f.first_ns ? f.last_ns - f.first_ns : 0;
    piece.default_sample_type = pprof_string_z(w, default_type(w->m));
    put_piece(w, &piece);
}

static bool begin(struct writer *w, struct out *out)
{
    size_t n = measures_n_names(w->m) + 1;

    w->gzip = gzip_new(out);
    w->locations = calloc(n, sizeof(*w->locations));
    w->texts = calloc(n, sizeof(*w->texts));
    w->keys = calloc(measures_n_keys(w->m) + 1, sizeof(*w->keys));
    w->label_sets = malloc((measures_n_label_sets(w->m) + 1) * sizeof(*w->label_sets));
    if (w->label_sets == NULL || w->gzip == NULL || w->locations == NULL || w->texts == NULL ||
        w->keys == NULL)
        return false;
    w->last_stack = STACK_FAILED;
    for (size_t i = 0; i < measures_n_label_sets(w->m); i++)
        w->label_sets[i].n = -1;
    pprof_string_z(w, ""); /* is number 0 */
    for (size_t i = 0; i < measures_n_keys(w->m); i++) {
        size_t len;
        const char *key = measures_key(w->m, i, &len);

        w->keys[i] = pprof_string_of(w, key, len);
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
    buf_free(&w->stack);
    buf_free(&w->label_bytes);
    free(w->label_sets);
    buf_free(&w->sample);
}

static int write_pprof_measures(const struct measures *m, struct out *out)
{
    struct writer w = {.m = m};
    int rc;

    if (begin(&w, out)) {
        put_types(&w);
        put_mapping(&w);
        put_facts(&w);
        for (size_t i = 0; i < measures_n_rows(m) && w.rc == 0; i++) {
            struct measures_row row = measures_row(m, i);

            put_pprof_row(&w, &row);
        }
        flush(&w, 0);
    }
    rc = gzip_end(w.gzip);
    release(&w);
    return w.rc != 0 ? w.rc : rc;
}

const struct format format_pprof = {.name = "pprof",
                                    .suffix = ".pb.gz",
                                    .is_binary = true,
                                    .is_labelled = true,
                                    .measures = write_pprof_measures};
