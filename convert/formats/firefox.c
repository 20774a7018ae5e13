/*
 * firefox.c - the processed format of Firefox's profiler, version 53: a thread for each name, with
 * samples of one kind in the order of time, and markers for everything that lasted. The profiler
 * brings older versions of its format up to date when it loads them.
 */
#include "convert/profile/facets.h"
#include "convert/formats/firefox_tables.h"
#include "convert/formats/format.h"
#include "convert/json/markers.h"
#include "convert/profile/tree.h"
#include "convert/text/jsonw.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

struct firefox {
    struct profile_options opt;
    struct facets *facets;
    struct profile *profile;
    struct json *json;
    struct tree tree;
    enum kind kind; /* the one that is shown */
    int rank;
    bool *sleeps; /* by value of FACET_STATE */
    uint32_t *order; /* samples that are shown, thread by thread */
    size_t n_order;
    int64_t zero_ns; /* where time begins */
    int64_t end_ns;
    uint32_t tid;
};

static void close_state(void *state)
{
    struct firefox *f = state;

    tree_free(&f->tree);
    profile_free(f->profile);
    facets_free(f->facets);
    json_free(f->json);
    free(f->sleeps);
    free(f->order);
    free(f);
}

static void *open_state(const struct profile_options *opt)
{
    struct json_options events = json_options_default("markers");
    struct firefox *f = calloc(1, sizeof(*f));
    struct profile_options own = *opt;
    struct jfr_error err = {0};

    if (f == NULL)
        return NULL;
    f->opt = *opt;
    f->facets = facets_new();
    own.facets = f->facets;
    own.threads = own.states = own.labels = false;
    own.n_keys = 0;
    own.weight = WEIGHT_SAMPLES;
    if (f->facets != NULL && opt->weight == WEIGHT_FIELD)
        facets_set_field(f->facets, opt->weight_field);
    f->profile = f->facets == NULL ? NULL : profile_new(&own);
    f->json = json_new(&events, opt->select, &err);
    if (f->profile != NULL && f->json != NULL)
        return f;
    close_state(f);
    return NULL;
}

static size_t jobs(void *state, struct run_job *to)
{
    struct firefox *f = state;

    to[0] = profile_job(f->profile);
    to[1] = json_job(f->json);
    return 2;
}

/* --- which samples ---------------------------------------------------------------------------- */

static const struct kind_use *firefox_use_of(const struct firefox *f, uint32_t shape,
                                             enum kind kind)
{
    return &facets_event(f->facets, facets_value_of(f->facets, shape, FACET_EVENT))->kinds[kind];
}

static bool counts(const struct firefox *f, uint32_t shape, const struct kind_use *how)
{
    return how->rank > 0 && facets_weight(f->facets, shape, FACET_COUNT) > 0 &&
           !(how->skips_sleeping && f->sleeps[facets_value_of(f->facets, shape, FACET_STATE)]) &&
           !(how->needs_duration && facets_weight(f->facets, shape, FACET_DURATION) == 0);
}

/* The kind that was requested, or the first that has samples; of its ranks the highest. */
static void choose_firefox_kind(struct firefox *f)
{
    int ranks[N_KINDS] = {0};

    for (uint32_t i = 0; i < facets_n_shapes(f->facets); i++)
        for (enum kind k = 0; k < N_KINDS && facets_shapes(f->facets)[i].n > 0; k++) {
            const struct kind_use *how = firefox_use_of(f, i, k);

            if (how->rank > ranks[k] && counts(f, i, how))
                ranks[k] = how->rank;
        }
    f->kind = kind_chosen(f->opt.kind, ranks);
    f->rank = ranks[f->kind];
}

/* The samples are thread by thread, in the order of time, and stay so. */
static int choose_samples(struct firefox *f)
{
    size_t n = facets_n(f->facets);
    uint32_t n_states = facets_n_values(f->facets, FACET_STATE);

    f->sleeps = calloc((size_t)n_states + 1, sizeof(*f->sleeps));
    f->order = malloc((n + 1) * sizeof(*f->order));
    if (f->sleeps == NULL || f->order == NULL)
        return JFR_E_NOMEM;
    for (uint32_t v = 1; v <= n_states; v++)
        f->sleeps[v] = kind_state_sleeps(facets_value_text(f->facets, FACET_STATE, v, NULL));
    choose_firefox_kind(f);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t shape = facets_entries(f->facets)[i].shape;
        const struct kind_use *how = firefox_use_of(f, shape, f->kind);

        if (how->rank == f->rank && counts(f, shape, how))
            f->order[f->n_order++] = i;
    }
    return 0;
}

static uint64_t weight_of(const struct firefox *f, uint32_t sample)
{
    static const enum facet_weight weights[] = {[WEIGHT_SAMPLES] = FACET_COUNT,
                                                [WEIGHT_BYTES] = FACET_BYTES,
                                                [WEIGHT_DURATION] = FACET_DURATION,
                                                [WEIGHT_CPU_TIME] = FACET_CPU_TIME,
                                                [WEIGHT_FIELD] = FACET_FIELD};

    return facets_weight(f->facets, facets_entries(f->facets)[sample].shape,
                         weights[f->opt.weight]);
}

static uint32_t node_of(const struct firefox *f, uint32_t sample)
{
    return facets_shapes(f->facets)[facets_entries(f->facets)[sample].shape].node;
}

static uint32_t thread_of(const struct firefox *f, uint32_t sample)
{
    return facets_value_of(f->facets, facets_entries(f->facets)[sample].shape, FACET_THREAD);
}

/* --- a thread --------------------------------------------------------------------------------- */

/* ns as ms. */
static void put_ms(struct buf *b, int64_t ns)
{
    buf_printf(b, "%s%lld.%06d", ns < 0 ? "-" : "", llabs(ns / 1000000), abs((int)(ns % 1000000)));
}

static void put_firefox_samples(struct firefox *f, struct firefox_tables *t,
                                const uint32_t *samples, size_t n, struct out *out)
{
    struct buf *b = &out->b;
    int64_t last = f->zero_ns;
    bool is_ms = f->opt.weight == WEIGHT_DURATION || f->opt.weight == WEIGHT_CPU_TIME;

    buf_printf(b, "\"samples\":{\"length\":%zu,\"weightType\":\"%s\",\n\"stack\":[", n,
               f->opt.weight == WEIGHT_BYTES ? "bytes"
               : is_ms                       ? "tracing-ms"
                                             : "samples");
    for (size_t i = 0; i < n; i++, out_check(out)) {
        if (i > 0)
            buf_byte(b, ',');
        firefox_tables_put_stack(t, node_of(f, samples[i]), b);
    }
    buf_str(b, "],\n\"timeDeltas\":[");
    for (size_t i = 0; i < n; i++, out_check(out)) {
        int64_t time = facets_entries(f->facets)[samples[i]].time_ns;

        if (i > 0)
            buf_byte(b, ',');
        put_ms(b, time > last ? time - last : 0);
        last = time > last ? time : last;
    }
    buf_str(b, "],\n\"weight\":[");
    for (size_t i = 0; i < n; i++, out_check(out)) {
        uint64_t weight = weight_of(f, samples[i]);

        if (i > 0)
            buf_byte(b, ',');
        if (is_ms)
            put_ms(b, weight > INT64_MAX ? INT64_MAX : (int64_t)weight);
        else
            jsonw_u64(b, weight);
    }
    buf_str(b, "]},\n");
}

enum column {
    COLUMN_DATA,
    COLUMN_NAME,
    COLUMN_START,
    COLUMN_END,
    COLUMN_PHASE,
    COLUMN_CATEGORY,
    N_COLUMNS,
};

static void put_marker(const struct firefox *f, struct firefox_tables *t, enum column column,
                       const struct marker *m, struct buf *b)
{
    struct json_text schema;

    switch (column) {
    case COLUMN_DATA:
        buf_bytes(b, m->data.p, m->data.n);
        break;
    case COLUMN_NAME:
        jsonw_u64(b,
                  firefox_tables_string(t, markers_type(json_markers(f->json), m->type, &schema)));
        break;
    case COLUMN_START:
        put_ms(b, m->start_ns - f->zero_ns);
        break;
    case COLUMN_END:
        put_ms(b, m->end_ns - f->zero_ns);
        break;
    case COLUMN_PHASE:
        buf_byte(b, '1'); /* an interval */
        break;
    default:
        buf_byte(b, '0');
        break;
    }
}

/* Markers first..end of the list. */
static void put_markers(const struct firefox *f, struct firefox_tables *t, size_t first, size_t end,
                        struct out *out)
{
    static const char *const names[N_COLUMNS] = {"data",    "name",  "startTime",
                                                 "endTime", "phase", "category"};
    struct buf *b = &out->b;

    buf_printf(b, "\"markers\":{\"length\":%zu", end - first);
    for (enum column c = 0; c < N_COLUMNS; c++) {
        buf_printf(b, ",\n\"%s\":[", names[c]);
        for (size_t i = first; i < end; i++, out_check(out)) {
            struct marker m = markers_get(json_markers(f->json), i);

            if (i > first)
                buf_byte(b, ',');
            put_marker(f, t, c, &m, b);
        }
        buf_byte(b, ']');
    }
    buf_str(b, "},\n");
}

static int put_thread(struct firefox *f, const char *name, size_t name_n, const uint32_t *samples,
                      size_t n, size_t marker, size_t marker_end, struct out *out)
{
    struct firefox_tables t = {.tree = &f->tree};
    struct buf *b = &out->b;
    int rc;

    for (size_t i = 0; i < n; i++)
        if (!firefox_tables_use(&t, node_of(f, samples[i])))
            break;
    rc = firefox_tables_number(&t);
    if (f->tid++ > 0)
        buf_str(b, ",\n");
    buf_str(b, "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
               "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"1\","
               "\"processName\":\"JVM\",\"name\":");
    jsonw_str(b, name_n > 0 ? name : "[no thread]", name_n > 0 ? name_n : strlen("[no thread]"));
    buf_printf(b, ",\"isMainThread\":%s,\"tid\":%u,\n",
               name_n == 4 && memcmp(name, "main", 4) == 0 ? "true" : "false", f->tid);
    if (rc == 0) {
        put_firefox_samples(f, &t, samples, n, out);
        put_markers(f, &t, marker, marker_end, out);
        firefox_tables_put(&t, out);
    }
    buf_byte(b, '}');
    firefox_tables_free(&t);
    return rc != 0 ? rc : out_check(out);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The markers of a thread: first..end. They are sorted by its name. */
static void find_markers(const struct markers *m, const char *thread, size_t *first, size_t *end)
{
    *first = SORTED_FIRST(markers_n(m), i, strcmp(markers_get(m, i).thread, thread) >= 0);
    *end = *first;
    while (*end < markers_n(m) && strcmp(markers_get(m, *end).thread, thread) == 0)
        ++*end;
}

/* Threads with samples, those with most first; then those that only have markers, by name. */
static int put_threads(struct firefox *f, struct out *out)
{
    const struct markers *m = json_markers(f->json);
    struct intern shown = {0}; /* names of threads */
    size_t first, end;
    int rc = 0;

    for (size_t i = 0, next; i < f->n_order && rc == 0; i = next) {
        uint32_t thread = thread_of(f, f->order[i]);
        size_t n = 0;
        const char *name =
            thread == FACET_NONE ? "" : facets_value_text(f->facets, FACET_THREAD, thread, &n);

        for (next = i + 1; next < f->n_order; next++)
            if (thread_of(f, f->order[next]) != thread)
                break;
        find_markers(m, name, &first, &end);
        if (intern_add(&shown, name, n) == INTERN_FAILED)
            rc = JFR_E_NOMEM;
        if (rc == 0)
            rc = put_thread(f, name, n, f->order + i, next - i, first, end, out);
    }
    for (size_t i = 0; i < markers_n(m) && rc == 0; i = end) {
        const char *name = markers_get(m, i).thread;
        size_t before = intern_n(&shown);

        find_markers(m, name, &first, &end);
        if (intern_add(&shown, name, strlen(name)) == before)
            rc = put_thread(f, name, strlen(name), NULL, 0, first, end, out);
    }
    if (rc == 0 && f->tid == 0) /* one there has to be */
        rc = put_thread(f, "", 0, NULL, 0, 0, 0, out);
    intern_free(&shown);
    return rc;
}

static void put_meta(const struct firefox *f, struct buf *b)
{
    const struct markers *m = json_markers(f->json);

    buf_str(b, "{\"meta\":{\"preprocessedProfileVersion\":53,\"version\":31,\"product\":\"JVM\","
               "\"importedFrom\":\"jfrkit\",\"processType\":0,\"stackwalk\":1,\"debug\":false,"
               "\"symbolicated\":true,\"interval\":1,\"startTime\":");
    put_ms(b, f->zero_ns);
    buf_str(b, ",\n\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":"
               "[\"Other\"]},{\"name\":\"Java\",\"color\":\"green\",\"subcategories\":[\"Other\","
               "\"Interpreted\",\"C1\",\"JIT\",\"Inlined\"]},{\"name\":\"Native\",\"color\":"
               "\"blue\",\"subcategories\":[\"Other\"]},{\"name\":\"Kernel\",\"color\":\"orange\","
               "\"subcategories\":[\"Other\"]}],\n\"markerSchema\":[");
    for (uint32_t i = 0; i < markers_n_types(m); i++) {
        struct json_text schema;

        markers_type(m, i, &schema);
        buf_str(b, i > 0 ? ",\n" : "\n");
        buf_bytes(b, schema.p, schema.n);
    }
    buf_str(b, "]},\n\"libs\":[],\"pages\":[],\"counters\":[],\"threads\":[\n");
}

static int write_state(void *state, struct out *out)
{
    struct firefox *f = state;
    struct profile_facts facts;
    int rc = profile_finish(f->profile);

    if (rc == 0)
        rc = profile_tree(f->profile, &f->tree);
    if (rc == 0)
        rc = facets_finish(f->facets, f->profile, &f->tree);
    if (rc == 0)
        rc = choose_samples(f);
    if (rc != 0)
        return rc;
    markers_finish(json_markers(f->json));
    facts = profile_facts(f->profile);
    f->zero_ns = facts.first_ns;
    put_meta(f, &out->b);
    rc = put_threads(f, out);
    buf_str(&out->b, "\n]}\n");
    return rc != 0 ? rc : out_check(out);
}

static bool is_empty(const void *state)
{
    const struct firefox *f = state;

    return f->n_order == 0 && markers_n(json_markers(f->json)) == 0;
}

const struct format format_firefox = {.name = "firefox",
                                      .suffix = ".json",
                                      .is_labelled = true,
                                      .open = open_state,
                                      .jobs = jobs,
                                      .write = write_state,
                                      .is_empty = is_empty,
                                      .close = close_state};
