/*
 * samples.h - the view `samples`: events of all kinds that a profile counts, as one table.
 *
 * Columns: startTime, startTime_ns, kind (cpu, wall, alloc, live, lock, native, io, exception),
 * event (jdk.FileRead), weight, thread, state, top_frame, and the attributes of contexts. The
 * weight is bytes for alloc and live, nanoseconds for lock and io, else how many samples the event
 * stands for.
 */
#ifndef CONVERT_SQL_SAMPLES_H
#define CONVERT_SQL_SAMPLES_H

#include "convert/sql/tables.h"

/* Appends the statement that makes the view; nothing where no type is of such a kind. */
void samples_put_view(const struct tables *t, struct buf *b);

#endif
