/*
 * csv_columns.c - the columns of CSV: which there are, and their names.
 *
 * jfr2csv finds the columns before it prints; csv.c puts the cells of each event.
 */
#include "convert/json/csv_columns.h"

#include "convert/driver/run.h"
#include "convert/text/textw.h"

#include <stdlib.h>

static bool add(struct csv_columns *c, const char *path, size_t n)
{
    size_t before = intern_n(&c->paths);
    uint32_t number = intern_add(&c->paths, path, n);

    if (number == before && memchr(path, '.', n) != NULL)
        buf_bytes(&c->dotted, &number, sizeof(number));
    return number != INTERN_FAILED && buf_ok(&c->dotted);
}

bool csv_columns_add(struct csv_columns *c, const char *list)
{
    bool ok = true;

    while (*list != '\0' && ok) {
        size_t n = strcspn(list += strspn(list, ", "), ", ");

        ok = n == 0 || add(c, list, n);
        list += n;
    }
    return ok;
}

void csv_columns_free(struct csv_columns *c)
{
    intern_free(&c->paths);
    buf_free(&c->dotted);
}

/* --- which fields there are ------------------------------------------------------------------- */

struct finder {
    struct csv_columns *columns;
    struct select *select;
};

struct finder_worker {
    struct finder *finder;
    struct select_run *select;
    bool *is_used; /* by class, in the chunk's arena */
};

static void *worker_new(void *shared)
{
    struct finder *f = shared;
    struct finder_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->finder = f;
    w->select = select_run_new(f->select);
    if (w->select != NULL)
        return w;
    free(w);
    return NULL;
}

static void worker_free(void *worker)
{
    struct finder_worker *w = worker;

    select_run_free(w->select);
    free(w);
}

static int note_used_classes(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct finder_worker *w = worker;
    struct jfr_event ev;

    (void)out;
    w->is_used =
        arena_array(jfr_chunk_arena(rc->chunk), jfr_chunk_metadata(rc->chunk)->n_classes, 1);
    if (w->is_used == NULL || select_run_load(w->select, rc->chunk) < 0)
        return JFR_E_NOMEM;
    while (jfr_chunk_next(rc->chunk, &ev) > 0)
        if (ev.type != NULL && !w->is_used[ev.type->index])
            w->is_used[ev.type->index] = select_class(w->select, ev.type) != SELECT_NEVER;
    return 0;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    const struct finder *f = shared;
    const struct finder_worker *w = worker;

    for (size_t i = 0; i < md->n_classes; i++)
        for (size_t k = 0; k < md->classes[i].n_fields && w->is_used[i]; k++) {
            const char *name = md->classes[i].fields[k].name;

            if (!add(f->columns, name, strlen(name)))
                return JFR_E_NOMEM;
        }
    return 0;
}

int csv_columns_find(struct csv_columns *c, struct select *select, const char *const *paths,
                     size_t n_paths, struct jfr_error *err, const char **err_path)
{
    struct finder f = {c, select};
    const struct run_job job = {.shared = &f,
                                .worker_new = worker_new,
                                .worker_free = worker_free,
                                .chunk = note_used_classes,
                                .merge = merge};
    const struct run_options run = {
        .paths = paths, .n_paths = n_paths, .jobs = select_is_serial(select) ? 1 : 0};
    struct run_result result;

    if (!csv_columns_add(c, "event"))
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return run_all(&run, &job, NULL, &result, err, err_path);
}

/* --- names ------------------------------------------------------------------------------------ */

void csv_put_header(const struct csv_columns *c, struct buf *b)
{
    for (uint32_t i = 0; i < intern_n(&c->paths); i++) {
        size_t n;
        const char *path = intern_get(&c->paths, i, &n);

        if (i > 0)
            buf_byte(b, ',');
        textw_cell(b, path, n, c->is_guarded);
    }
    buf_str(b, "\r\n");
}
