/* summary_internal.h - one chunk's counts and facts into a summary. */
#ifndef CONVERT_REPORT_SUMMARY_INTERNAL_H
#define CONVERT_REPORT_SUMMARY_INTERNAL_H

#include "convert/report/summary.h"
#include "convert/report/summary_tally.h"

/* The chunk is still loaded. 0 or JFR_E_NOMEM. */
int summary_merge(struct summary *s, const struct tally *t, const struct run_chunk *rc);

#endif
