/*
 * columns.c - events into tables: which table, which file, and when row groups are written.
 *
 * It is a layout of convert/json, which calls it for each event of a chunk, one chunk after the
 * other. Each event type has a table, and one for each day if days are folders. A file appears
 * under its final name when its input is complete, so a run that ends early leaves nothing
 * half-written. All tables together have a limit of memory: every LOOK_EACH rows of a table the
 * sizes are compared with it, and the largest table writes its row group until they fit. fill.c
 * fills the rows, stacks.c the tables of stacks and frames.
 */
#include "convert/columns/columns.h"

#include "convert/columns/contexts.h"
#include "convert/columns/place.h"
#include "convert/columns/stacks.h"
#include "convert/json/internal.h"
#include "convert/text/date.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/intern.h"

#include <stdio.h>
#include <stdlib.h>

#define LOOK_EACH 1024 /* rows between looks at the memory */
#define NS_PER_DAY INT64_C(86400000000000)

struct table {
    char *name; /* of the event type, "stacks" or "frames" */
    char *folder; /* what its folder is called after */
    int64_t day; /* since 1970, or PLACE_NO_DAY */
    struct columns *of;
    struct parquet *file;
    struct out_file *out; /* NULL until something is written */
    size_t bytes; /* when it was last looked at */
    struct contexts contexts;
    /* of the loaded chunk */
    uint64_t chunk; /* which, by columns.n_chunks */
    struct fill fill;
};

struct columns {
    const struct columns_options *options;
    struct table **tables;
    size_t n_tables;
    struct table *last; /* that was looked for */
    struct intern keys; /* day and name of the tables of events, in their order */
    struct buf key;
    struct stacks *stacks;
    struct fill_stacks stack_rule;
    uint64_t n_chunks;
    int64_t input; /* whose chunks are read; -1: none yet */
    struct place place; /* of its files */
    struct jfr_error err;
    int rc; /* sticky */
    uint64_t n_files;
};

struct class_rows { /* of an event class in the loaded chunk */
    struct table *table;
    struct filler *filler;
};

static int stop_with(struct columns *c, int rc, const char *what)
{
    if (c->rc == 0) {
        c->rc = rc;
        if (c->err.code == 0)
            jfr_fail(&c->err, rc, 0, "%s", what);
    }
    return c->rc;
}

static int stop_without_memory(struct columns *c)
{
    return stop_with(c, JFR_E_NOMEM, "out of memory");
}

/* --- files --- */

static int write_file(void *ctx, const void *bytes, size_t n)
{
    struct table *t = ctx;

    if (t->out == NULL)
        t->out = place_open(&t->of->place, t->folder, t->day, &t->of->err);
    if (t->out == NULL)
        return JFR_E_IO;
    return out_file_write(t->out, bytes, n);
}

static void free_table(struct table *t)
{
    if (t == NULL)
        return;
    out_file_abort(t->out);
    parquet_free(t->file);
    fill_free(&t->fill);
    contexts_free(&t->contexts);
    free(t->name);
    free(t->folder);
    free(t);
}

static void free_tables(struct columns *c)
{
    for (size_t i = 0; i < c->n_tables; i++)
        free_table(c->tables[i]);
    free(c->tables);
    stacks_free(c->stacks);
    intern_reset(&c->keys);
    c->tables = NULL;
    c->n_tables = 0;
    c->last = NULL;
    c->stacks = NULL;
}

/* `folder` is the name of its folder, made from this. */
static struct table *add_table(struct columns *c, const char *name, const char *folder, int64_t day)
{
    struct table *t = calloc(1, sizeof(*t));

    if (t == NULL || !array_add(&c->tables, c->n_tables, sizeof(struct table *))) {
        free(t);
        stop_without_memory(c);
        return NULL;
    }
    *t = (struct table){.name = strdup(name),
                        .folder = strdup(folder),
                        .day = day,
                        .of = c,
                        .file = parquet_new(write_file, t)};
    if (t->name == NULL || t->folder == NULL || t->file == NULL) {
        free_table(t);
        stop_without_memory(c);
        return NULL;
    }
    parquet_note(t->file, "jfrkit.schema", COLUMNS_VERSION);
    parquet_note(t->file, "jfrkit.table", name);
    c->tables[c->n_tables++] = t;
    return t;
}

static bool open_stacks(struct columns *c)
{
    struct table *stacks = NULL, *frames = NULL;

    if (c->options->is_folder) {
        stacks = add_table(c, "stacks", "stacks", PLACE_NO_DAY);
        frames = add_table(c, "frames", "frames", PLACE_NO_DAY);
        if (stacks == NULL || frames == NULL)
            return false;
    }
    c->stacks =
        stacks_new(stacks == NULL ? NULL : stacks->file, frames == NULL ? NULL : frames->file);
    if (c->stacks == NULL)
        return false;
    c->stack_rule = stacks_rule(c->stacks, c->options->is_folder ? STACKS_ID : STACKS_LISTS);
    return true;
}

/* After a failure of the table's file, whose end knows the reason of a failed write. */
static int table_failed(struct columns *c, struct table *t, int rc)
{
    if (rc == JFR_E_IO && c->err.code == 0 && t->out != NULL) {
        out_file_commit(t->out, &c->err);
        t->out = NULL;
    }
    return rc == JFR_E_NOMEM ? stop_without_memory(c) : stop_with(c, rc, "cannot write a table");
}

static int close_table(struct columns *c, struct table *t)
{
    int rc = parquet_rows_total(t->file) == 0 ? 0 : parquet_close(t->file);

    if (rc != 0)
        return table_failed(c, t, rc);
    if (t->out == NULL)
        return 0;
    c->n_files++;
    if (out_file_commit(t->out, &c->err) != 0)
        stop_with(c, JFR_E_IO, "cannot write a table");
    t->out = NULL;
    return c->rc;
}

/* The tables of an input are complete. */
static int close_tables(struct columns *c)
{
    for (size_t i = 0; i < c->n_tables && c->rc == 0; i++) {
        close_table(c, c->tables[i]);
        free_table(c->tables[i]);
        c->tables[i] = NULL;
    }
    free_tables(c);
    return c->rc;
}

/* --- row groups --- */

static struct table *largest(const struct columns *c)
{
    struct table *found = c->tables[0];

    for (size_t i = 1; i < c->n_tables; i++)
        if (c->tables[i]->bytes > found->bytes)
            found = c->tables[i];
    return found;
}

static void flush_table(struct columns *c, struct table *t)
{
    int rc = parquet_flush(t->file);

    if (rc != 0)
        table_failed(c, t, rc);
    t->bytes = 0;
}

static size_t held(struct columns *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_tables; i++)
        n += c->tables[i]->bytes;
    return n;
}

static void look_at_memory(struct columns *c, struct table *t)
{
    uint64_t rows = c->options->rows == 0 ? COLUMNS_ROWS : c->options->rows;

    if (parquet_rows(t->file) >= rows)
        flush_table(c, t);
    t->bytes = parquet_bytes(t->file);
    if (c->options->is_folder) { /* those that grow by the way */
        c->tables[0]->bytes = parquet_bytes(c->tables[0]->file);
        c->tables[1]->bytes = parquet_bytes(c->tables[1]->file);
    }
    while (held(c) > COLUMNS_HELD && c->rc == 0)
        flush_table(c, largest(c));
}

/* --- rows --- */

/* The first two tables of a folder are not of events. An event type may be called as they are. */
static struct table *add_event_table(struct columns *c, const char *name, int64_t day)
{
    bool is_taken = strcmp(name, "stacks") == 0 || strcmp(name, "frames") == 0;
    char folder[32];

    if (!c->options->is_folder && c->n_tables > 0) {
        jfr_fail(
            &c->err, JFR_E_UNSUPPORTED, 0,
            "a file holds one event type, and there are %s and %s: choose one with -e, or name "
            "a folder, -o out/",
            c->tables[0]->name, name);
        stop_with(c, JFR_E_UNSUPPORTED, "");
        return NULL;
    }
    snprintf(folder, sizeof(folder), "%s/event", is_taken ? name : "");
    return add_table(c, name, is_taken ? folder : name, day);
}

static struct table *table_called(struct columns *c, const char *name, int64_t day)
{
    size_t own = c->options->is_folder ? 2 : 0;
    struct table *t = c->last;
    uint32_t i;

    if (t != NULL && t->day == day && strcmp(t->name, name) == 0)
        return t;
    buf_reset(&c->key);
    buf_bytes(&c->key, &day, sizeof(day));
    buf_str(&c->key, name);
    i = buf_ok(&c->key) ? intern_add(&c->keys, c->key.p, c->key.n) : INTERN_FAILED;
    if (i == INTERN_FAILED) {
        stop_without_memory(c);
        return NULL;
    }
    c->last = own + i < c->n_tables ? c->tables[own + i] : add_event_table(c, name, day);
    return c->last;
}

static int64_t day_of(const struct json_worker *w, const struct json_class *class)
{
    union jfr_value v[SELECT_SLOTS];
    int64_t ns;

    if (class->plan == NULL || jfr_plan_run(class->plan, w->ev->body, v, NULL) != 0)
        return 0;
    ns = jfr_epoch_ns(&w->values.clock.header, v[SELECT_START].i);
    return divide_down(ns, NS_PER_DAY);
}

static struct class_rows *open_rows(struct json_worker *w, struct json_class *class)
{
    if (class->own == NULL)
        class->own =
            arena_alloc(jfr_chunk_arena(w->values.shapes.chunk), sizeof(struct class_rows));
    if (class->own == NULL)
        w->values.failed = true;
    return class->own;
}

static void enter_table(struct columns *c, struct table *t, struct json_worker *w)
{
    t->chunk = c->n_chunks;
    fill_load(&t->fill, &w->values, t->file);
    t->fill.stacks = &c->stack_rule;
    contexts_load(&t->contexts);
}

static bool open_filler(struct table *t, struct class_rows *rows, struct json_shape *shape)
{
    if (rows->filler != NULL && rows->table == t && fill_is_current(&t->fill, rows->filler))
        return true;
    rows->table = t;
    rows->filler = fill_class(&t->fill, shape, parquet_root(t->file), &t->contexts.node,
                              t->contexts.node != NULL);
    /* A type without fields: rows need a column. */
    if (rows->filler != NULL && parquet_n_leaves(t->file) == 0 &&
        parquet_leaf(t->file, parquet_root(t->file), "no_field", PARQUET_BOOLEAN, false) != NULL)
        return open_filler(t, rows, shape);
    return rows->filler != NULL;
}

static void take_as_row(struct json_worker *w, struct json_class *class, struct cursor *body)
{
    struct columns *c = json_own(w->j);
    int64_t day = c->options->by_day ? day_of(w, class) : PLACE_NO_DAY;
    struct class_rows *rows = open_rows(w, class);
    struct table *t =
        rows == NULL || c->rc != 0 ? NULL : table_called(c, class->shape->cls->name, day);

    if (t == NULL) {
        w->values.failed = true;
        return;
    }
    if (t->chunk != c->n_chunks)
        enter_table(c, t, w);
    if (fill_expire(&t->fill))
        contexts_load(&t->contexts);
    if (!open_filler(t, rows, class->shape)) {
        w->values.failed = true;
        return;
    }
    fill_object(&t->fill, rows->filler, body);
    if (c->options->has_context)
        contexts_put(&t->contexts, &t->fill, select_run_context(w->select), w->ev);
    parquet_end_row(t->file);
    if (t->fill.is_limited && w->values.bad == NULL) {
        w->values.bad = w->ev->body.p;
        w->values.what = "the type has more fields than a table may have columns";
    }
    if (parquet_rows(t->file) % LOOK_EACH == 0)
        look_at_memory(c, t);
    if (parquet_failed(t->file))
        stop_with(c, JFR_E_NOMEM, "out of memory");
    if (c->rc != 0)
        w->values.failed = true;
}

/* --- the layout --- */

static void enter_input(struct json_worker *w)
{
    struct columns *c = json_own(w->j);

    if (c->input < 0 || (c->options->is_folder && c->input != (int64_t)w->rc->file)) {
        close_tables(c);
        c->input = w->rc->file;
        c->place = place_for(c->options, w->rc->path, jfr_chunk_header(w->rc->chunk));
        if (c->rc == 0 && !open_stacks(c))
            stop_without_memory(c);
    }
    c->n_chunks++;
    if (c->stacks != NULL)
        stacks_load(c->stacks, &w->values);
}

static void *columns_make(void)
{
    struct columns *c = calloc(1, sizeof(*c));

    if (c != NULL)
        c->input = -1;
    return c;
}

static void columns_drop(void *shared)
{
    struct columns *c = shared;

    free_tables(c);
    intern_free(&c->keys);
    buf_free(&c->key);
    free(c);
}

static const struct json_layout layout = {
    .name = "parquet",
    .rules = JSON_RULES_OWN,
    .stack_depth = SIZE_MAX,
    .separator = "",
    .begin = "",
    .before = "",
    .after = "",
    .end = "",
    .event = take_as_row,
    .load = enter_input,
    .shared_new = columns_make,
    .shared_free = columns_drop,
};

struct json_options columns_json_options(void)
{
    return json_options_of(&layout);
}

void columns_open(struct json *j, const struct columns_options *options)
{
    struct columns *c = json_own(j);

    c->options = options;
}

int columns_close(struct json *j, struct jfr_error *err)
{
    struct columns *c = json_own(j);

    close_tables(c);
    *err = c->err;
    return c->rc;
}

void columns_abort(struct json *j)
{
    free_tables(json_own(j));
}

const struct jfr_error *columns_error(const struct json *j)
{
    return &((const struct columns *)json_own(j))->err;
}

uint64_t columns_n_files(const struct json *j)
{
    return ((const struct columns *)json_own(j))->n_files;
}
