/*
 * spec.c - the filters of a command, from words to a struct select.
 *
 * select.c tests events with it. Times that count from the start or the end of the recordings are
 * resolved here, for which the inputs are read ahead.
 */
#include "convert/driver/run.h"
#include "convert/select/internal.h"
#include "jfrfmt/base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DAY_NS INT64_C(86400000000000)

bool select_any_n(const struct select_patterns *list, const char *text, size_t n)
{
    for (size_t i = 0; i < list->n; i++)
        if (pattern_match(list->items[i], text, n))
            return true;
    return false;
}

static int no_spec_memory(struct jfr_error *err)
{
    return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
}

static int add_pattern(struct select_patterns *list, const char *text, struct jfr_error *err)
{
    if (!array_add(&list->items, list->n, sizeof(*list->items)))
        return no_spec_memory(err);
    list->items[list->n] = pattern_new(text, err);
    if (list->items[list->n] == NULL)
        return err->code;
    list->n++;
    return 0;
}

/* The end of a list's first item: a comma, but none inside /a regular expression/. */
static const char *item_end(const char *s)
{
    const char *close = s;

    if (*s == '/') {
        while ((close = strchr(close + 1, '/')) != NULL)
            if (close[1] == '\0' || close[1] == ',' || close[1] == ' ')
                return close + 1;
    }
    return s + strcspn(s, ",");
}

static int add_item(struct select_patterns *list, const char *text, size_t n, bool fold,
                    struct jfr_error *err)
{
    char item[PATTERN_MAX + 1];

    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (n == 0)
        return 0;
    if (n > PATTERN_MAX)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%.40s...' is too long", text);
    for (size_t i = 0; i < n; i++)
        item[i] = fold && text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];
    item[n] = '\0';
    return add_pattern(list, item, err);
}

static int add_comma_lists(struct select_patterns *list, const struct select_list *from, bool fold,
                           struct jfr_error *err)
{
    for (size_t i = 0; i < from->n; i++) {
        const char *p = from->items[i];
        while (*p != '\0') {
            const char *start = p + strspn(p, ", ");
            int rc;
            p = item_end(start);
            rc = add_item(list, start, (size_t)(p - start), fold, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* What users call states stands in the middle of what recordings call them. */
static int add_states(struct select_patterns *list, const struct select_list *from,
                      struct jfr_error *err)
{
    static const char *const words[][2] = {
        {"parked", "parked*"}, {"waiting", "in_object_wait*"}, {"blocked", "blocked_*"}};
    int rc = add_comma_lists(list, from, true, err);

    for (size_t i = 0; rc == 0 && i < sizeof(words) / sizeof(words[0]); i++)
        if (select_any(list, words[i][0]))
            rc = add_pattern(list, words[i][1], err);
    return rc;
}

static bool read_id(const char *text, int64_t *id)
{
    char *end;

    errno = 0;
    *id = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0;
}

static int add_thread_choice(struct select_threads *list, const char *text, struct jfr_error *err)
{
    bool is_tid = strncmp(text, "tid:", 4) == 0;
    int64_t id;

    if (read_id(is_tid ? text + 4 : text, &id)) {
        if (!array_add(&list->ids, list->n_ids, sizeof(*list->ids)))
            return no_spec_memory(err);
        list->ids[list->n_ids++] = id;
    } else if (is_tid) {
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is not a thread id", text);
    }
    list->n++;
    return is_tid ? 0 : add_pattern(&list->names, text, err);
}

static int add_threads(struct select_threads *list, const struct select_list *from,
                       struct jfr_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < from->n; i++)
        rc = add_thread_choice(list, from->items[i], err);
    return rc;
}

/* The condition; an error says whose it is. */
static int fill_where(struct select *s, const char *text, struct jfr_error *err)
{
    struct jfr_error why = {0};

    s->where = where_new(text, s->context, &why);
    return s->where != NULL ? 0 : jfr_fail(err, why.code, why.offset, "--where: %s", why.text);
}

static int fill_in_scope(struct select *s, const struct select_spec *spec, struct jfr_error *err)
{
    struct jfr_error why = {0};

    if (spec->in_scope == NULL)
        return spec->scope_types.n == 0 ? 0
                                        : jfr_fail(err, JFR_E_FORMAT, 0,
                                                   "--scope: no other option needs scopes; see "
                                                   "--in-scope");
    s->in_scope = in_scope_new(spec->in_scope, spec->scope_types.items, spec->scope_types.n, &why);
    return s->in_scope != NULL ? 0
                               : jfr_fail(err, why.code, why.offset, "--in-scope: %s", why.text);
}

static int fill_spec(struct select *s, const struct select_spec *spec, struct jfr_error *err)
{
    int rc = add_comma_lists(&s->events, &spec->events, false, err);

    if (rc == 0)
        rc = add_comma_lists(&s->categories, &spec->categories, false, err);
    if (rc == 0)
        rc = add_states(&s->states, &spec->states, err);
    if (rc == 0)
        rc = add_threads(&s->threads, &spec->threads, err);
    if (rc == 0)
        rc = add_threads(&s->not_threads, &spec->not_threads, err);
    if (rc == 0 && spec->zone != NULL)
        rc = timespec_zone(spec->zone, &s->zone_s, err);
    if (rc == 0 && spec->from != NULL)
        rc = timespec_point(spec->from, spec->zone != NULL, &s->from, err);
    if (rc == 0 && spec->to != NULL)
        rc = timespec_point(spec->to, spec->zone != NULL, &s->to, err);
    if (rc == 0 && spec->min_duration != NULL)
        rc = timespec_duration(spec->min_duration, &s->min_duration_ns, err);
    if (rc == 0)
        rc = select_contexts_fill(s, spec, err);
    if (rc == 0 && spec->where != NULL)
        rc = fill_where(s, spec->where, err);
    return rc == 0 ? fill_in_scope(s, spec, err) : rc;
}

struct select *select_new(const struct select_spec *spec, struct jfr_error *err)
{
    struct select *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        no_spec_memory(err);
        return NULL;
    }
    if (fill_spec(s, spec, err) < 0) {
        select_free(s);
        return NULL;
    }
    s->spec = *spec;
    pthread_mutex_init(&s->past.lock, NULL);
    s->has_from = s->from.kind != TIME_POINT_NONE;
    s->has_to = s->to.kind != TIME_POINT_NONE;
    return s;
}

static void free_patterns(struct select_patterns *list)
{
    for (size_t i = 0; i < list->n; i++)
        pattern_free(list->items[i]);
    free(list->items);
}

void select_free(struct select *s)
{
    if (s == NULL)
        return;
    free_patterns(&s->events);
    free_patterns(&s->categories);
    free_patterns(&s->states);
    free_patterns(&s->threads.names);
    free_patterns(&s->not_threads.names);
    free(s->threads.ids);
    free(s->not_threads.ids);
    where_free(s->where);
    in_scope_free(s->in_scope);
    select_contexts_free(s);
    intern_free(&s->past.seen);
    pthread_mutex_destroy(&s->past.lock);
    free(s);
}

/* Time bounds. */

struct extent {
    int64_t start_ns, end_ns;
    bool is_known;
};

static int add_extent(void *shared, const struct run_chunk *rc, struct out *out)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(rc->chunk);
    struct extent *e = shared;
    int64_t end_ns;

    (void)out;
    if (__builtin_add_overflow(h->start_nanos, h->duration_nanos, &end_ns))
        end_ns = INT64_MAX;
    if (!e->is_known || h->start_nanos < e->start_ns)
        e->start_ns = h->start_nanos;
    if (!e->is_known || end_ns > e->end_ns)
        e->end_ns = end_ns;
    e->is_known = true;
    return 0;
}

static int look_ahead(struct extent *e, const char *const *paths, size_t n_paths,
                      struct jfr_error *err, const char **err_path)
{
    struct run_options opt = {.paths = paths, .n_paths = n_paths, .jobs = 1};
    struct run_job job = {.shared = e, .chunk = add_extent};
    struct run_result result;

    return run_all(&opt, &job, NULL, &result, err, err_path);
}

bool select_can_look_ahead(const char *const *paths, size_t n_paths)
{
    struct stat st;

    for (size_t i = 0; i < n_paths; i++)
        if (strcmp(paths[i], "-") == 0 || (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode)))
            return false;
    return n_paths > 0;
}

/* Is there a chunk in the file? No other function checks recordings that are read for their
 * contexts only. */
static int check_recording(const char *path, struct jfr_error *err)
{
    struct jfr_source *src = jfr_source_open(path, err);
    struct jfr_raw raw;
    int rc = 0;

    if (src == NULL)
        return err->code;
    while (rc <= 0 && !jfr_source_done(src))
        rc = jfr_source_next(src, &raw, err);
    if (rc > 0) {
        jfr_source_release(src, &raw);
        *err = (struct jfr_error){0};
    }
    jfr_source_close(src);
    return err->code;
}

int select_look_ahead(struct context *c, const char *const *paths, size_t n_paths,
                      const struct select_list *from, struct jfr_error *err, const char **err_path)
{
    const char **all;
    int rc;

    if (!select_can_look_ahead(paths, n_paths) ||
        (from->n > 0 && !select_can_look_ahead(from->items, from->n)))
        return from->n == 0 ? 0
                            : jfr_fail(err, JFR_E_UNSUPPORTED, 0,
                                       "--context-from is for what can be read twice");
    for (size_t i = 0; i < from->n; i++)
        if (check_recording(from->items[i], err) != 0) {
            *err_path = from->items[i];
            return err->code;
        }
    all = malloc((n_paths + from->n) * sizeof(*all));
    if (all == NULL)
        return no_spec_memory(err);
    memcpy(all, paths, n_paths * sizeof(*all));
    if (from->n > 0)
        memcpy(all + n_paths, from->items, from->n * sizeof(*all));
    context_from(c, n_paths);
    rc = context_look_ahead(c, all, n_paths + from->n, err, err_path);
    free(all);
    return rc;
}

static bool is_relative(const struct time_point *p)
{
    return p->kind != TIME_POINT_NONE && p->kind != TIME_POINT_ABSOLUTE;
}

static bool needs_end(const struct time_point *p)
{
    return p->kind == TIME_POINT_FROM_END || p->kind == TIME_POINT_SHARE;
}

static void fix(struct select *s, int64_t start_ns, int64_t end_ns)
{
    if (s->has_from)
        s->from_ns = timespec_resolve(&s->from, start_ns, end_ns, s->zone_s);
    if (s->has_to)
        s->to_ns = timespec_resolve(&s->to, start_ns, end_ns, s->zone_s);
    s->is_late = false;
}

void select_see_start(struct select *s, const struct jfr_chunk_header *h)
{
    int64_t end_ns;

    if (!s->is_late)
        return;
    if (__builtin_add_overflow(h->start_nanos, DAY_NS, &end_ns))
        end_ns = INT64_MAX;
    fix(s, h->start_nanos, end_ns);
}

static int resolve_times(struct select *s, const char *const *paths, size_t n_paths,
                         struct jfr_error *err, const char **err_path)
{
    struct extent e = {0};
    int rc;

    if (!is_relative(&s->from) && !is_relative(&s->to)) {
        fix(s, 0, 0);
        return 0;
    }
    if (!select_can_look_ahead(paths, n_paths)) {
        if (needs_end(&s->from) || needs_end(&s->to))
            return jfr_fail(err, JFR_E_UNSUPPORTED, 0,
                            "a time that counts from the end needs plain files as input");
        s->is_late = true;
        return 0;
    }
    rc = look_ahead(&e, paths, n_paths, err, err_path);
    if (rc < 0)
        return rc;
    fix(s, e.start_ns, e.end_ns);
    return 0;
}

/* A range that no event can be in. */
static bool is_backwards(const struct select *s)
{
    return s->has_from && s->has_to && !s->is_late && s->from_ns >= s->to_ns;
}

int select_resolve(struct select *s, const char *const *paths, size_t n_paths,
                   struct jfr_error *err, const char **err_path)
{
    int rc = resolve_times(s, paths, n_paths, err, err_path);

    if (rc == 0 && is_backwards(s))
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "--from %s is not before --to %s", s->spec.from,
                        s->spec.to);

    s->spec.from = s->spec.to = NULL;
    if (rc == 0 && s->in_scope != NULL && !select_can_look_ahead(paths, n_paths))
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0,
                        "--in-scope reads its input twice, so it needs files, not a pipe");
    if (rc == 0 && s->in_scope != NULL)
        rc = in_scope_read(s->in_scope, paths, n_paths, err, err_path);
    if (rc < 0 || s->context == NULL)
        return rc;
    return select_look_ahead(s->context, paths, n_paths, &s->contexts_from, err, err_path);
}

uint64_t select_n_lost(const struct select *s)
{
    return s->context == NULL ? 0 : context_n_lost(s->context);
}

const struct context *select_context(const struct select *s)
{
    return s == NULL ? NULL : s->context;
}

bool select_note(const struct select *s, size_t i, bool *is_error, char *text, size_t room)
{
    char why[300];
    size_t n_where = 0;

    if (s == NULL)
        return false;
    for (; s->where != NULL && where_note(s->where, n_where, is_error, why, sizeof(why)); n_where++)
        if (n_where == i) {
            snprintf(text, room, "--where: %s", why);
            return true;
        }
    return s->in_scope != NULL && in_scope_note(s->in_scope, i - n_where, is_error, text, room);
}

bool select_is_serial(const struct select *s)
{
    return s->is_late;
}

void select_clip(const struct select *s, int64_t *first_ns, int64_t *last_ns)
{
    if (s != NULL && s->has_from && s->from_ns > *first_ns)
        *first_ns = s->from_ns;
    if (s != NULL && s->has_to && s->to_ns < *last_ns)
        *last_ns = s->to_ns;
}
