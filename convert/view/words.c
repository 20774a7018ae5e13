/*
 * words.c - a view out of a user's words: rows by keys (user, path, bucket(1s)) and sums of
 * fields (sum of bytesRead, p99 of duration).
 *
 * jfr2table makes one for --sum, --p99 and the other options of sums. After the run view_unknown()
 * says which word no event has.
 */
#include "convert/view/internal.h"
#include "convert/view/words.h"

#include "convert/text/timespec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What words begin with. */
#define BUCKET "bucket("
#define CONTEXT "context."
#define FIELD "field."

struct view_of_words {
    struct view view; /* first: it is one */
    struct arena texts;
    size_t n_columns;
};

/* In the order of view_words_sum(). */
static const struct {
    const char *name;
    enum view_sum sum;
    bool is_of_numbers;
} sums[] = {
    {"sum", VIEW_SUM, true},        {"avg", VIEW_AVERAGE, true},  {"min", VIEW_MIN, true},
    {"max", VIEW_MAX, true},        {"p50", VIEW_MEDIAN, true},   {"p90", VIEW_P90, true},
    {"p95", VIEW_P95, true},        {"p99", VIEW_P99, true},      {"p999", VIEW_P999, true},
    {"unique", VIEW_UNIQUE, false}, {"first", VIEW_FIRST, false}, {"last", VIEW_LAST, false},
};

#define N_SUMS (sizeof(sums) / sizeof(sums[0]))

const char *view_words_sum(size_t i)
{
    return i < N_SUMS ? sums[i].name : NULL;
}

bool view_words_only(const char *word)
{
    return strncmp(word, FIELD, strlen(FIELD)) == 0;
}

bool view_word_is_bucket(const char *word)
{
    return strncmp(word, BUCKET, strlen(BUCKET)) == 0;
}

bool view_is_of_numbers(enum view_sum sum)
{
    for (size_t i = 0; i < N_SUMS; i++)
        if (sums[i].sum == sum)
            return sums[i].is_of_numbers;
    return false;
}

static const char *text_of(struct arena *texts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* NULL if out of memory. */
static const char *text_of(struct arena *texts, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return n < 0 ? NULL : arena_strndup(texts, text, strlen(text));
}

/* The path of a word that is neither a field nor an attribute; NULL if it may be one. */
static const char *known_path(const char *word)
{
    static const struct {
        const char *word, *path;
    } known[] = {
        {"thread", VIEW_THREAD}, {"state", VIEW_STATE},     {"event", VIEW_EVENT},
        {"input", VIEW_INPUT},   {"method", VIEW_TOP},      {"stack", VIEW_STACK},
        {"line", VIEW_LINE},     {"package", VIEW_PACKAGE},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].word, word) == 0)
            return known[i].path;
    return NULL;
}

/* The path of a word like bucket(1s); NULL and *err. */
static const char *path_of_bucket(struct arena *texts, const char *word, struct jfr_error *err)
{
    size_t n = strlen(word);
    char span[40];
    int64_t ns;

    if (n < 9 || n - 8 >= sizeof(span) || word[n - 1] != ')') {
        jfr_fail(err, JFR_E_UNSUPPORTED, 0, "'%s' is not like bucket(1s)", word);
        return NULL;
    }
    snprintf(span, sizeof(span), "%.*s", (int)(n - 8), word + 7);
    if (timespec_duration(span, &ns, err) != 0)
        return NULL;
    if (ns <= 0) {
        jfr_fail(err, JFR_E_UNSUPPORTED, 0, "'%s' is no time", span);
        return NULL;
    }
    return text_of(texts, VIEW_BUCKET "%" PRId64, ns);
}

/* The path of a key; NULL and *err. */
static const char *path_of_word(struct arena *texts, const char *word, struct jfr_error *err)
{
    const char *path = known_path(word);

    if (path != NULL)
        return path;
    if (strncmp(word, CONTEXT, strlen(CONTEXT)) == 0)
        return text_of(texts, VIEW_CONTEXT "%s", word + strlen(CONTEXT));
    if (strncmp(word, FIELD, strlen(FIELD)) == 0)
        return text_of(texts, "%s", word + strlen(FIELD));
    return view_word_is_bucket(word) ? path_of_bucket(texts, word, err)
                                     : text_of(texts, VIEW_WORD "%s", word);
}

const char *view_group_word(const char *word, struct arena *texts, const char **attribute,
                            struct jfr_error *err)
{
    const char *path = known_path(word);

    *attribute = path != NULL || view_word_is_bucket(word)      ? NULL
                 : strncmp(word, CONTEXT, strlen(CONTEXT)) == 0 ? word + strlen(CONTEXT)
                                                                : word;
    if (*attribute != NULL)
        path = text_of(texts, VIEW_CONTEXT "%s", *attribute);
    else if (path == NULL)
        path = path_of_bucket(texts, word, err);
    if (path == NULL && err->code == 0)
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return path;
}

static void add_column(struct view_of_words *w, const char *title, enum view_sum sum,
                       const char *path)
{
    w->view.columns[w->n_columns++] = (struct view_column){title, sum, path, 0};
}

/* 0, or a negative code and *err. */
static int add_key_columns(struct view_of_words *w, const struct view_words *words,
                           struct jfr_error *err)
{
    if (words->n_by > VIEW_KEYS)
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "more than %d words", VIEW_KEYS);
    for (size_t i = 0; i < words->n_by; i++) {
        const char *path = path_of_word(&w->texts, words->by[i], err);

        if (path == NULL)
            return err->code != 0 ? err->code : jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        if (i == 0)
            w->view.key = path;
        else
            w->view.more_keys[i - 1] = path;
        if (strncmp(path, VIEW_BUCKET, strlen(VIEW_BUCKET)) == 0 && w->view.order == 0)
            w->view.order = (int)i + 1; /* times in their order */
        add_column(w, text_of(&w->texts, "%s", words->by[i]), VIEW_KEY + i, NULL);
    }
    return 0;
}

static int add_sum_columns(struct view_of_words *w, const struct view_words *words,
                           struct jfr_error *err)
{
    int largest = -(int)w->n_columns - (words->n_sums > 0 ? 2 : 1); /* of the first sum, or count */

    add_column(w, "count", VIEW_COUNT, NULL);
    for (size_t i = 0; i < words->n_sums; i++) {
        const struct view_words_sum *sum = &words->sums[i];

        if (w->n_columns == VIEW_COLUMNS)
            return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "more than %d columns", VIEW_COLUMNS);
        add_column(w, text_of(&w->texts, "%s(%s)", sums[sum->sum].name, sum->field),
                   sums[sum->sum].sum, text_of(&w->texts, "%s", sum->field));
    }
    if (w->view.order == 0)
        w->view.order = largest;
    else
        w->view.order_2 = largest;
    return arena_ok(&w->texts) ? 0 : jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
}

const struct view *view_of_words(const struct view_words *words, struct jfr_error *err)
{
    struct view_of_words *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        return NULL;
    }
    w->view.title = "Sums";
    w->view.events = "*";
    w->view.is_of_words = true;
    if (add_key_columns(w, words, err) == 0 && add_sum_columns(w, words, err) == 0)
        return &w->view;
    view_of_words_free(&w->view);
    return NULL;
}

void view_of_words_free(const struct view *view)
{
    struct view_of_words *w = (struct view_of_words *)(uintptr_t)view;

    if (w == NULL)
        return;
    arena_free(&w->texts);
    free(w);
}

/* --- what a word means in a recording --------------------------------------------------------- */

struct word_meaning {
    const char *path; /* of a key */
    struct select *select;
    bool is_field, is_attribute;
};

static int find_meaning(void *shared, const struct run_chunk *rc, struct out *out)
{
    struct word_meaning *m = shared;
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    struct select_run *select = select_run_new(m->select);
    struct view_values values = {.select = select};
    int code = select == NULL ? JFR_E_NOMEM : select_run_load(select, rc->chunk);

    (void)out;
    for (size_t i = 0; i < md->n_classes && code == 0; i++) {
        const struct jfr_class *cls = &md->classes[i];
        const char *paths[JFR_PLAN_WANTS_MAX];
        struct view_getter g;
        size_t n = 0;

        if (!cls->is_event || select_class(select, cls) == SELECT_NEVER)
            continue;
        g = view_key_getter(&values, cls, m->path, paths, &n);
        m->is_attribute |= g.what == VIEW_OF_CONTEXT;
        m->is_field |= g.what == VIEW_OF_FIELD && g.field != NULL;
    }
    select_run_free(select);
    return code;
}

static bool is_one_chunk_enough(void *ctx, const struct run_result *so_far)
{
    (void)ctx;
    (void)so_far;
    return false;
}

bool view_word_is_field(const char *word, const char *file, const struct select_list *events)
{
    const struct select_spec spec = {.events = *events, .all_keys = true};
    struct run_options run = {.paths = &file, .n_paths = 1, .go_on = is_one_chunk_enough};
    struct word_meaning meaning = {.path = NULL};
    struct run_job job = {.shared = &meaning, .chunk = find_meaning};
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path;
    char path[200];

    if (known_path(word) != NULL || strlen(word) + sizeof(VIEW_WORD) > sizeof(path))
        return false;
    snprintf(path, sizeof(path), VIEW_WORD "%s", word);
    meaning.path = path;
    meaning.select = select_new(&spec, &err);
    if (meaning.select != NULL)
        run_all(&run, &job, NULL, &result, &err, &err_path);
    select_free(meaning.select);
    return meaning.is_field && !meaning.is_attribute;
}

const char *view_unknown(const struct view_run *r, bool *is_text)
{
    *is_text = false;
    if (intern_n(&r->fields) == 0) /* no event */
        return NULL;
    for (size_t i = 0; i < r->n_columns; i++) {
        const struct view_column *c = &r->v->columns[i];

        *is_text = view_is_of_numbers(c->sum) && r->is_text[i] && !r->has_number[i];
        if (c->sum != VIEW_COUNT && (!r->is_known[i] || *is_text))
            return c->path != NULL ? c->path : c->title;
    }
    return NULL;
}

const char *view_field(const struct view_run *r, size_t i)
{
    return i < intern_n(&r->fields) ? intern_get(&r->fields, (uint32_t)i, NULL) : NULL;
}
