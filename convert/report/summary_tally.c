/*
 * summary_tally.c - counts events by class in one pass, decoding no more than the start time.
 *
 * If the start time is the first field, it is read in place; otherwise a plan finds it. Type ids
 * that the metadata does not declare are counted in a list of their own.
 */
#include "convert/report/summary_tally.h"

#include "jfrfmt/read/plan.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

static bool is_ticks(const struct jfr_field *f)
{
    return f != NULL && f->type->kind == JFR_LONG && !f->is_array && !f->is_pooled &&
           (f->unit == JFR_UNIT_TIMESTAMP_TICKS || f->unit == JFR_UNIT_NONE);
}

static void prepare(struct tally *t, struct tally_row *row, const struct jfr_class *cls)
{
    static const char *const want[] = {"startTime"};
    const struct jfr_field *start = jfr_class_field(cls, want[0]);

    *row = (struct tally_row){.id = cls->id, .min_ticks = INT64_MAX, .max_ticks = INT64_MIN};
    if (!cls->is_event || !is_ticks(start))
        return;
    row->start_is_first = start->index == 0;
    if (!row->start_is_first)
        row->start = jfr_plan_shared(t->chunk, cls, want, 1);
}

int tally_begin(struct tally *t, struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    if (!array_reserve(&t->rows, &t->room, md->n_classes, sizeof(*t->rows)))
        return JFR_E_NOMEM;
    t->chunk = chunk;
    t->n_rows = md->n_classes;
    t->n_undeclared = t->n_kept = 0;
    for (size_t i = 0; i < md->n_classes; i++)
        prepare(t, &t->rows[i], &md->classes[i]);
    t->metadata = t->checkpoint =
        (struct tally_row){.min_ticks = INT64_MAX, .max_ticks = INT64_MIN};
    t->checkpoint.id = 1;
    return 0;
}

void tally_keep(struct tally *t, const char *name)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(t->chunk);

    for (size_t i = 0; i < t->n_rows; i++)
        if (md->classes[i].is_event && strcmp(md->classes[i].name, name) == 0)
            t->rows[i].is_kept = true;
}

static struct tally_row *without_class(struct tally *t, int64_t id)
{
    size_t i = 0;

    if (id == 0 || id == 1)
        return id == 0 ? &t->metadata : &t->checkpoint;
    while (i < t->n_undeclared && t->undeclared[i].id != id && i < TALLY_UNDECLARED_MAX)
        i++;
    if (i == t->n_undeclared) {
        t->undeclared[i] =
            (struct tally_row){.id = id, .min_ticks = INT64_MAX, .max_ticks = INT64_MIN};
        t->n_undeclared++;
    }
    return &t->undeclared[i];
}

static int keep_offset(struct tally *t, uint64_t offset)
{
    if (t->n_kept == TALLY_KEPT_MAX)
        return 0;
    if (!array_reserve(&t->kept, &t->kept_room, t->n_kept + 1, sizeof(*t->kept)))
        return JFR_E_NOMEM;
    t->kept[t->n_kept++] = offset;
    return 0;
}

static inline void tally_time(struct tally_row *row, int64_t ticks)
{
    if (ticks < row->min_ticks)
        row->min_ticks = ticks;
    if (ticks > row->max_ticks)
        row->max_ticks = ticks;
}

int tally_run(struct tally *t)
{
    struct tally_row *rows = t->rows;
    union jfr_value v;
    struct jfr_event ev;

    while (jfr_chunk_next_any(t->chunk, &ev) > 0) {
        struct tally_row *row =
            ev.type != NULL ? &rows[ev.type->index] : without_class(t, ev.type_id);

        if (row->n++ == 0)
            row->first_offset = ev.offset;
        row->bytes += ev.size;
        if (row->start_is_first) {
            int64_t ticks = (int64_t)cur_varint(&ev.body);

            if (cur_ok(&ev.body))
                tally_time(row, ticks);
        } else if (row->start != NULL && jfr_plan_run(row->start, ev.body, &v, NULL) == 0) {
            tally_time(row, v.i);
        }
        if (row->is_kept && keep_offset(t, ev.offset) < 0)
            return JFR_E_NOMEM;
    }
    return 0;
}

uint64_t tally_events(const struct tally *t)
{
    uint64_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += t->rows[i].n;
    for (size_t i = 0; i < t->n_undeclared; i++)
        n += t->undeclared[i].n;
    return n;
}

void tally_free(struct tally *t)
{
    free(t->rows);
    free(t->kept);
    *t = (struct tally){0};
}
