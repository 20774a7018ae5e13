/* table_top.h - the methods that use most themselves, of all or of each group. */
#ifndef CONVERT_REPORT_TABLE_TOP_H
#define CONVERT_REPORT_TABLE_TOP_H

#include "convert/report/table_frames.h"

/* The `limit` methods with the most samples of their own (or the largest weight, if the profile has
 * one) of a finished profile, of each combination of dims if there are any. Arguments as for
 * table_frames(). Columns: names[], own samples and their share, all samples and their share, the
 * method. NULL: out of memory. */
struct table *table_top(const struct profile *p, const char *what, const char *const *names,
                        const int *dims, size_t n_dims, size_t limit);

#endif
