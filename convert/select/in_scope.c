/*
 * in_scope.c - finds the scopes for which a condition is true, in two readings of the inputs: of
 * all scopes, since only then it is known how long each lasts, and of the events again, on which
 * the condition is evaluated.
 */
#include "convert/select/in_scope.h"

#include "convert/context/context.h"
#include "convert/select/where.h"

#include <stdio.h>
#include <stdlib.h>

struct in_scope {
    struct scopes *scopes;
    struct context *context; /* that the condition names */
    struct where *where;
    bool has_types; /* they were named */
};

struct in_scope *in_scope_new(const char *text, const char *const *types, size_t n_types,
                              struct jfr_error *err)
{
    const struct scopes_options options = {.types = types, .n_types = n_types};
    struct in_scope *in = calloc(1, sizeof(*in));

    if (in != NULL) {
        in->has_types = n_types > 0;
        in->scopes = scopes_new(&options);
        in->context = context_new();
    }
    if (in != NULL && in->context != NULL)
        in->where = where_new(text, in->context, err);
    if (in != NULL && in->scopes != NULL && in->where != NULL)
        return in;
    if (err->code == 0)
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    in_scope_free(in);
    return NULL;
}

void in_scope_free(struct in_scope *in)
{
    if (in == NULL)
        return;
    scopes_free(in->scopes);
    where_free(in->where);
    context_free(in->context);
    free(in);
}

/* --- which scopes --- */

struct condition_run {
    struct context_run *context;
    struct where_run *where;
};

static void free_condition_run(void *run)
{
    struct condition_run *c = run;

    context_run_free(c->context);
    where_run_free(c->where);
    free(c);
}

static void *new_condition_run(void *shared)
{
    const struct in_scope *in = shared;
    struct condition_run *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    c->context = context_run_new(in->context);
    c->where = where_run_new(in->where);
    if (c->context != NULL && c->where != NULL)
        return c;
    free_condition_run(c);
    return NULL;
}

static int load_condition_run(void *run, struct jfr_chunk *chunk)
{
    const struct condition_run *c = run;
    int rc = context_run_load(c->context, chunk);

    return rc != 0 ? rc : where_run_load(c->where, chunk, c->context);
}

static int is_condition_true(void *run, const struct jfr_event *ev, int64_t duration_ns)
{
    const struct condition_run *c = run;

    where_run_set_duration(c->where, duration_ns);
    return where_event(c->where, ev, NULL);
}

int in_scope_read(struct in_scope *in, const char *const *paths, size_t n_paths,
                  struct jfr_error *err, const char **err_path)
{
    const struct scope_filter filter = {in, new_condition_run, free_condition_run,
                                        load_condition_run, is_condition_true};
    int rc = scopes_read(in->scopes, paths, n_paths, err, err_path);

    if (rc == 0)
        rc = context_look_ahead(in->context, paths, n_paths, err, err_path);
    if (rc == 0)
        rc = scopes_mark(in->scopes, &filter, paths, n_paths, err, err_path);
    if (rc == 0 && scopes_cover(in->scopes) != 0)
        rc = jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return rc;
}

/* --- events --- */

bool in_scope_holds(const struct in_scope *in, struct scope_threads *threads,
                    const struct jfr_class *cls, uint64_t key, int64_t ns)
{
    uint32_t thread = scope_threads_number(threads, in->scopes, cls, key);

    return thread != SCOPES_NONE && scopes_covers(in->scopes, thread, ns);
}

bool in_scope_note(const struct in_scope *in, size_t i, bool *is_error, char *text, size_t room)
{
    char why[300];

    if (in->scopes->n == 0 && i == 0) {
        *is_error = true;
        snprintf(text, room, "--in-scope: %s",
                 in->has_types ? "no event of the types of --scope has a duration and a thread"
                               : "the recordings have no scopes, which are events that last and "
                                 "hold a context; --scope TYPE names another type of event");
        return true;
    }
    if (in->scopes->n == 0 || !where_note(in->where, i, is_error, why, sizeof(why)))
        return false;
    snprintf(text, room, "--in-scope: %s", why);
    return true;
}
