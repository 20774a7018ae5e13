/*
 * otlp.c - OTLP profiles (otlp.proto): one profile for each measure, all over one dictionary.
 *
 * Rows come from convert/profile/measures.c, rows of one stack mostly after one another. Each text,
 * function, location, stack, attribute and link is an entry of the dictionary, numbered when it is
 * first needed; entry 0 of each table is empty. Samples refer to entries by number. The bytes of
 * each profile are built while rows come, and wrapped in the outer messages at the end, when their
 * sizes are known.
 */
#include "convert/formats/format.h"
#include "convert/profile/frame_line.h"
#include "convert/formats/otlp.pb-c.h"
#include "convert/formats/otlp_resource.h"
#include "convert/context/trace_link.h"
#include "convert/formats/protobufw.h"
#include "convert/text/textw.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

enum { /* kinds of frames as the semantic conventions have them */
    FRAMES_JVM,
    FRAMES_NATIVE,
    FRAMES_KERNEL,
    N_FRAMES,
};

enum { /* numbers of fields, see otlp.proto */
    PROFILE_SAMPLES = 2,
    SAMPLE_STACK = 1,
    SAMPLE_VALUES = 4,
};

struct attribute_key { /* hashed as bytes */
    int32_t key, value; /* strings */
};

struct writer {
    const struct measures *m;
    struct buf dictionary; /* bytes of Dictionary */
    struct intern strings, functions, attributes, links; /* the last two from 1 on */
    int32_t *locations; /* N_FRAMES by name; 0: none yet */
    int32_t *stacks; /* by stack; 0: none yet */
    int32_t n_locations, n_stacks;
    int32_t *keys; /* string by key of a label */
    int32_t frame_types[N_FRAMES]; /* attributes */
    struct buf text, numbers;
    struct buf label_bytes; /* the fields of Sample that labels make; by label set: */
    struct protobufw_piece *label_sets;
    struct buf sample;
    int rc;
};

/* For n bytes; false too when there are none to come. */
static bool make_room(struct writer *w, struct buf *b, size_t n)
{
    if (w->rc == 0 && !buf_reserve(b, n))
        w->rc = JFR_E_NOMEM;
    return w->rc == 0 && n > 0;
}

static void add_entry(struct writer *w, const Otlp__Dictionary *d)
{
    struct buf *b = &w->dictionary;

    if (make_room(w, b, otlp__dictionary__get_packed_size(d)))
        b->n += otlp__dictionary__pack(d, b->p + b->n);
}

/* An id of an intern as an index; where `base` is 1, entry 0 stands for none. */
static int32_t index_of(struct writer *w, struct intern *in, const void *key, size_t n,
                        uint32_t base, bool *is_new)
{
    size_t before = intern_n(in);
    uint32_t id = intern_add(in, key, n);

    *is_new = id == before;
    if (id >= INT32_MAX - 1) {
        w->rc = JFR_E_NOMEM;
        *is_new = false;
        return 0;
    }
    return (int32_t)(id + base);
}

static int32_t string_of(struct writer *w, const char *text, size_t n)
{
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    char *shown;
    bool is_new;
    int32_t i;

    buf_reset(&w->text);
    textw_utf8(&w->text, text, n);
    for (size_t k = 0; k < w->text.n; k++)
        if (w->text.p[k] == '\0')
            w->text.p[k] = ' ';
    if (!buf_ok(&w->text))
        w->rc = JFR_E_NOMEM;
    i = index_of(w, &w->strings, w->text.p, w->text.n, 0, &is_new);
    if (is_new) {
        shown = (char *)(uintptr_t)intern_get(&w->strings, (uint32_t)i, NULL);
        d.n_string_table = 1;
        d.string_table = &shown;
        add_entry(w, &d);
    }
    return i;
}

static int32_t string_z(struct writer *w, const char *text)
{
    return string_of(w, text, strlen(text));
}

/* --- attributes and links --------------------------------------------------------------------- */

static int32_t attribute_of(struct writer *w, int32_t key, const char *text, size_t n, bool is_int)
{
    struct attribute_key k = {key, string_of(w, text, n)};
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__KeyValueAndUnit entry = OTLP__KEY_VALUE_AND_UNIT__INIT, *pointer = &entry;
    Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
    bool is_new;
    int32_t i = index_of(w, &w->attributes, &k, sizeof(k), 1, &is_new);

    if (!is_new || w->rc != 0)
        return i;
    entry.key_strindex = key;
    entry.value = &value;
    if (is_int) {
        value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
        value.int_value = strtoll(text, NULL, 10);
    } else {
        value.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
        value.string_value = (char *)(uintptr_t)intern_get(&w->strings, (uint32_t)k.value, NULL);
    }
    d.n_attribute_table = 1;
    d.attribute_table = &pointer;
    add_entry(w, &d);
    return i;
}

/* The link that the labels make, 0 without a trace among them. */
static int32_t link_of(struct writer *w, const struct measures_row *row)
{
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__Link entry = OTLP__LINK__INIT, *pointer = &entry;
    struct trace_link link = {{0}};
    bool is_new;
    int32_t i;

    for (size_t k = LABEL_FIXED; k < measures_n_keys(w->m); k++)
        if (row->labels[k] != MEASURES_NO_VALUE)
            trace_link_add(&link, measures_key(w->m, k, NULL),
                           measures_name(w->m, row->labels[k], NULL));
    if (!link.has_trace)
        return 0;
    i = index_of(w, &w->links, link.id, sizeof(link.id), 1, &is_new);
    if (is_new) {
        entry.trace_id = (ProtobufCBinaryData){16, link.id};
        entry.span_id = (ProtobufCBinaryData){8, link.id + 16};
        d.n_link_table = 1;
        d.link_table = &pointer;
        add_entry(w, &d);
    }
    return i;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static int32_t function_of(struct writer *w, const char *text, size_t n)
{
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__Function entry = OTLP__FUNCTION__INIT, *pointer = &entry;
    bool is_new;
    int32_t i = index_of(w, &w->functions, text, n, 1, &is_new);

    if (is_new) {
        entry.name_strindex = string_of(w, text, n);
        d.n_function_table = 1;
        d.function_table = &pointer;
        add_entry(w, &d);
    }
    return i;
}

static int frames_of(uint32_t frame)
{
    switch (frame_type(frame)) {
    case FRAME_NATIVE:
    case FRAME_CPP:
        return FRAMES_NATIVE;
    case FRAME_KERNEL:
        return FRAMES_KERNEL;
    default:
        return FRAMES_JVM;
    }
}

static int32_t location_of(struct writer *w, uint32_t frame)
{
    int frames = frames_of(frame);
    int32_t *known = &w->locations[(size_t)frame_name_id(frame) * N_FRAMES + (size_t)frames];
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__Location entry = OTLP__LOCATION__INIT, *pointer = &entry;
    Otlp__Line line = OTLP__LINE__INIT, *line_pointer = &line;
    size_t n;
    const char *text = measures_name(w->m, frame_name_id(frame), &n);

    if (*known != 0)
        return *known;
    line.line = measures_has_lines(w->m) ? frame_line_split(text, &n) : 0;
    line.function_index = function_of(w, text, n);
    entry.n_lines = 1;
    entry.lines = &line_pointer;
    entry.n_attribute_indices = 1;
    entry.attribute_indices = &w->frame_types[frames];
    d.n_location_table = 1;
    d.location_table = &pointer;
    add_entry(w, &d);
    *known = ++w->n_locations;
    return *known;
}

static int32_t stack_of(struct writer *w, const struct measures_row *row)
{
    int32_t *known = &w->stacks[row->stack];
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__Stack entry = OTLP__STACK__INIT, *pointer = &entry;

    if (*known != 0)
        return *known;
    buf_reset(&w->numbers);
    for (uint32_t i = row->n; i-- > 0;) {
        int32_t location = location_of(w, row->frames[i]);

        buf_bytes(&w->numbers, &location, sizeof(location));
    }
    if (!buf_ok(&w->numbers)) {
        w->rc = JFR_E_NOMEM;
        return 0;
    }
    entry.n_location_indices = row->n;
    entry.location_indices = (int32_t *)(void *)w->numbers.p;
    d.n_stack_table = 1;
    d.stack_table = &pointer;
    add_entry(w, &d);
    *known = ++w->n_stacks;
    return *known;
}

/* --- profiles --------------------------------------------------------------------------------- */

static void make_labels(struct writer *w, const struct measures_row *row)
{
    struct protobufw_piece *made = &w->label_sets[row->label_set];
    Otlp__Sample sample = OTLP__SAMPLE__INIT;

    sample.link_index = link_of(w, row);
    buf_reset(&w->numbers);
    for (size_t k = 0; k < measures_n_keys(w->m); k++) {
        size_t n;
        const char *text;
        int32_t attribute;

        if (row->labels[k] == MEASURES_NO_VALUE)
            continue;
        text = measures_name(w->m, row->labels[k], &n);
        attribute = attribute_of(w, w->keys[k], text, n, k == LABEL_TID);
        buf_bytes(&w->numbers, &attribute, sizeof(attribute));
        sample.n_attribute_indices++;
    }
    sample.attribute_indices = (int32_t *)(void *)w->numbers.p;
    if (!buf_ok(&w->numbers))
        w->rc = JFR_E_NOMEM;
    made->at = w->label_bytes.n;
    if (make_room(w, &w->label_bytes, otlp__sample__get_packed_size(&sample)))
        w->label_bytes.n += otlp__sample__pack(&sample, w->label_bytes.p + made->at);
    made->n = (int64_t)(w->label_bytes.n - made->at);
}

static void put_sample(struct writer *w, const struct measures_row *row, uint64_t v, struct buf *b)
{
    const struct protobufw_piece *labels = &w->label_sets[row->label_set];
    int32_t stack = stack_of(w, row);

    if (labels->n < 0)
        make_labels(w, row);
    if (w->rc != 0)
        return;
    buf_reset(&w->numbers);
    protobufw_number(&w->numbers, v > INT64_MAX ? INT64_MAX : v);
    buf_reset(&w->sample);
    buf_byte(&w->sample, PROTOBUFW_TAG(SAMPLE_STACK, 0));
    protobufw_number(&w->sample, (uint64_t)stack);
    if (labels->n > 0)
        buf_bytes(&w->sample, w->label_bytes.p + labels->at, (size_t)labels->n);
    protobufw_bytes(&w->sample, SAMPLE_VALUES, w->numbers.p, w->numbers.n);
    protobufw_bytes(b, PROFILE_SAMPLES, w->sample.p, w->sample.n);
    if (!buf_ok(&w->numbers) || !buf_ok(&w->sample) || !buf_ok(b))
        w->rc = JFR_E_NOMEM;
}

/* The bytes of the profile of a measure. */
static void put_profile(struct writer *w, size_t measure, struct buf *b)
{
    const struct measure *m = measures_get(w->m, measure);
    struct profile_facts f = measures_facts(w->m);
    Otlp__Profile head = OTLP__PROFILE__INIT;
    Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;

    type.type_strindex = string_z(w, m->type);
    type.unit_strindex = string_z(w, m->unit);
    head.sample_type = &type;
    if (f.first_ns > 0) {
        head.time_unix_nano = (uint64_t)f.first_ns;
        head.duration_nano = f.last_ns > f.first_ns ? (uint64_t)(f.last_ns - f.first_ns) : 0;
    }
    if (make_room(w, b, otlp__profile__get_packed_size(&head)))
        b->n += otlp__profile__pack(&head, b->p + b->n);
    for (size_t i = 0; i < measures_n_rows(w->m) && w->rc == 0; i++) {
        struct measures_row row = measures_row(w->m, i);

        if (row.values[measure] > 0)
            put_sample(w, &row, row.values[measure], b);
    }
}

/* Wraps the bytes in `from` as a field of an outer message, in place of them. */
static void wrap(struct writer *w, struct buf *from, const ProtobufCMessage *outer)
{
    struct buf to = {0};

    if (make_room(w, &to, protobuf_c_message_get_packed_size(outer)))
        to.n = protobuf_c_message_pack(outer, to.p);
    buf_free(from);
    *from = to;
}

static void put_scope(struct writer *w, struct buf *b)
{
    Otlp__ScopeProfiles head = OTLP__SCOPE_PROFILES__INIT;
    Otlp__Scope scope = OTLP__SCOPE__INIT;

    scope.name = "jfrkit";
    head.scope = &scope;
    if (make_room(w, b, otlp__scope_profiles__get_packed_size(&head)))
        b->n += otlp__scope_profiles__pack(&head, b->p + b->n);
    for (size_t i = 0; i < measures_n(w->m) && w->rc == 0; i++) {
        Otlp__ScopeProfiles outer = OTLP__SCOPE_PROFILES__INIT;
        struct buf profile = {0};
        ProtobufCBinaryData bytes;

        put_profile(w, i, &profile);
        bytes = (ProtobufCBinaryData){profile.n, profile.p};
        outer.n_profiles = 1;
        outer.profiles = &bytes;
        wrap(w, &profile, &outer.base);
        if (make_room(w, b, profile.n))
            buf_bytes(b, profile.p, profile.n);
        buf_free(&profile);
    }
}

static void put_data(struct writer *w, struct out *out)
{
    Otlp__ResourceProfiles resource = OTLP__RESOURCE_PROFILES__INIT;
    Otlp__ProfilesData data = OTLP__PROFILES_DATA__INIT;
    ProtobufCBinaryData scope, bytes;
    struct otlp_resource described;
    struct buf b = {0};

    if (!otlp_resource_read(&described))
        w->rc = JFR_E_NOMEM;
    if (described.resource.n_attributes > 0)
        resource.resource = &described.resource;
    put_scope(w, &b);
    scope = (ProtobufCBinaryData){b.n, b.p};
    resource.n_scope_profiles = 1;
    resource.scope_profiles = &scope;
    wrap(w, &b, &resource.base);
    bytes = (ProtobufCBinaryData){b.n, b.p};
    data.n_resource_profiles = 1;
    data.resource_profiles = &bytes;
    data.dictionary = (ProtobufCBinaryData){w->dictionary.n, w->dictionary.p};
    if (make_room(w, &out->b, otlp__profiles_data__get_packed_size(&data)))
        out->b.n += otlp__profiles_data__pack(&data, out->b.p + out->b.n);
    otlp_resource_free(&described);
    buf_free(&b);
    if (w->rc == 0)
        w->rc = out_check(out);
}

/* The empty entry 0 of every table, and what all samples share. */
static bool begin(struct writer *w)
{
    static const char *const types[N_FRAMES] = {"jvm", "native", "kernel"};
    static const char *const known[LABEL_FIXED] = {"thread.name", "thread.id", "thread.state"};
    Otlp__Dictionary d = OTLP__DICTIONARY__INIT;
    Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings = &mapping;
    Otlp__Location location = OTLP__LOCATION__INIT, *locations = &location;
    Otlp__Function function = OTLP__FUNCTION__INIT, *functions = &function;
    Otlp__Link link = OTLP__LINK__INIT, *links = &link;
    Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT, *attributes = &attribute;
    Otlp__Stack stack = OTLP__STACK__INIT, *stacks = &stack;

    w->locations = calloc(measures_n_names(w->m) * N_FRAMES + 1, sizeof(*w->locations));
    w->stacks = calloc(measures_n_stacks(w->m) + 1, sizeof(*w->stacks));
    w->keys = calloc(measures_n_keys(w->m) + 1, sizeof(*w->keys));
    w->label_sets = malloc((measures_n_label_sets(w->m) + 1) * sizeof(*w->label_sets));
    if (w->label_sets == NULL || w->locations == NULL || w->stacks == NULL || w->keys == NULL)
        return false;
    d.n_mapping_table = d.n_location_table = d.n_function_table = d.n_link_table = 1;
    d.n_attribute_table = d.n_stack_table = 1;
    d.mapping_table = &mappings;
    d.location_table = &locations;
    d.function_table = &functions;
    d.link_table = &links;
    d.attribute_table = &attributes;
    d.stack_table = &stacks;
    add_entry(w, &d);
    for (size_t i = 0; i < measures_n_label_sets(w->m); i++)
        w->label_sets[i].n = -1;
    string_z(w, ""); /* is number 0 */
    for (size_t i = 0; i < measures_n_keys(w->m); i++) {
        size_t n;
        const char *key = measures_key(w->m, i, &n);

        w->keys[i] = i < LABEL_FIXED ? string_z(w, known[i]) : string_of(w, key, n);
    }
    for (int i = 0; i < N_FRAMES; i++)
        w->frame_types[i] =
            attribute_of(w, string_z(w, "profile.frame.type"), types[i], strlen(types[i]), false);
    return true;
}

static int write_otlp_measures(const struct measures *m, struct out *out)
{
    struct writer w = {.m = m};

    if (begin(&w))
        put_data(&w, out);
    else
        w.rc = JFR_E_NOMEM;
    buf_free(&w.dictionary);
    intern_free(&w.strings);
    intern_free(&w.functions);
    intern_free(&w.attributes);
    intern_free(&w.links);
    free(w.locations);
    free(w.stacks);
    free(w.keys);
    buf_free(&w.label_bytes);
    free(w.label_sets);
    buf_free(&w.sample);
    buf_free(&w.text);
    buf_free(&w.numbers);
    return w.rc;
}

const struct format format_otlp = {.name = "otlp",
                                   .suffix = ".otlp",
                                   .is_binary = true,
                                   .is_labelled = true,
                                   .measures = write_otlp_measures};
