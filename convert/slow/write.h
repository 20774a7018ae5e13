/*
 * write.h - what was found of slow scopes, for people and for programs.
 *
 * Threads: one at a time. Returns: 0, JFR_E_NOMEM, or the error of the output.
 */
#ifndef CONVERT_SLOW_WRITE_H
#define CONVERT_SLOW_WRITE_H

#include "convert/report/table.h"
#include "convert/slow/slow.h"

struct slow_text_options {
    size_t n_groups; /* rows of the first table; more are counted in a line */
    struct table_fit fit;
};

/* Three tables: the groups, the slowest scopes, and the reasons; and what was not recorded. */
int slow_write_text(const struct slow *s, const struct slow_text_options *options, struct out *out);

struct slow_page_options {
    size_t n_groups; /* as above */
    bool is_partial; /* the page has no samples but those of the scopes that are compared */
};

/* HTML for the page of slow scopes: reasons, lengths, and a picture of each of the slowest ones,
 * for which slow_options.wants_lines was set. Everything that comes from a recording is escaped.
 * Buttons have in data-a and data-b which values of the dimensions SLOW_DIM and SLOWEST_DIM they
 * select, "scope=slow", in data-from and data-to which time, in ms since 1970. */
int slow_write_page(const struct slow *s, const struct slow_page_options *options, struct buf *b);

#define SLOW_DIM "scope" /* "slow" or "ordinary" */
#define SLOWEST_DIM "slowest" /* slow_put_short_name() */

/* Appends "2. 131 ms", for the second slowest scope. */
void slow_put_short_name(struct buf *b, const struct slow *s, size_t i);

/* One object: scopes, groups, slowest, reasons, notes. Times are ns. */
int slow_write_json(const struct slow *s, struct out *out);

/* Note i on what the recording lacks, and how to record it; false if there is no such note. */
bool slow_note(const struct slow *s, size_t i, char *text, size_t room);

/* Appends a reason in words: "lock demo.Ledger, held by worker-7, in Demo.pay". */
void slow_put_reason(struct buf *b, const struct slow_reason *r);

/* The probability that a reason is none of chance alone, 0 to 1. */
double slow_confidence(const struct slow_reason *r);

#endif
