/*
 * diff.h - two profiles compared: what became more, what less, and how sure that is.
 *
 *     struct diff *d = diff_new(base, new, DIFF_BY_TOTAL);      two finished profiles
 *     struct table *t = diff_table(d, DIFF_TOTAL);
 *     rc = diff_write_collapsed(base, new, out);
 *
 * Compared are shares of what the profiles weigh, so recordings of different lengths are fine, or
 * the amounts, per second or as they are. Samples are counted as independent of one another: a
 * share p of n has the standard error sqrt(p (1 - p) / n), and the probability that two shares
 * differ as much as they do by chance is that of a two-sided z test with a common share. Where one
 * side has fewer than 10 samples on either side of the question it is Fisher's exact test instead.
 *
 * Samples of different weights (bytes, time) say less: the variance of a sum is the sum of their
 * squares, that of a share p of a total T is sum((a - p)^2 w^2) / T^2 with a = 1 for samples in
 * question and 0 for others, and the probability is that of a two-sided z test.
 */
#ifndef CONVERT_REPORT_DIFF_H
#define CONVERT_REPORT_DIFF_H

#include "convert/profile/profile.h"
#include "convert/report/table.h"

enum diff_side {
    DIFF_BASE,
    DIFF_NEW,
    DIFF_SIDES,
};

enum diff_of {
    DIFF_TOTAL, /* samples that a method is in */
    DIFF_SELF, /* samples that it is on top of */
};

enum diff_norm {
    DIFF_BY_TOTAL, /* shares of the total of a side */
    DIFF_BY_DURATION, /* amounts per second that the side's recordings last */
    DIFF_BY_NOTHING, /* amounts */
};

struct diff_sum {
    uint64_t samples, weight;
    double squares; /* of the weights of the samples */
};

struct diff_row {
    const char *name; /* of the profile; not NUL-terminated */
    size_t n;
    struct diff_sum sums[2][DIFF_SIDES]; /* by enum diff_of */
};

struct diff;

struct diff_change {
    double share[DIFF_SIDES]; /* of the weight */
    double value[DIFF_SIDES]; /* what is compared: the same, or the amount, perhaps per second */
    double difference; /* of the values */
    double error; /* its standard error */
    double relative; /* difference / value of the base; INFINITY when that has none */
    double p;
};

/* -1 when there is no such way: total, duration, none. */
int diff_norm_named(const char *name);

/* Methods of both, sorted by name. The profiles are borrowed. NULL if out of memory. */
struct diff *diff_new(const struct profile *base, const struct profile *fresh, enum diff_norm norm);
void diff_free(struct diff *d); /* NULL is allowed */

size_t diff_n(const struct diff *d);
const struct diff_row *diff_row(const struct diff *d, size_t i);
uint64_t diff_samples(const struct diff *d, enum diff_side side);

struct diff_change diff_change(const struct diff *d, const struct diff_row *row, enum diff_of of);

/* Probability that x of n and y of m are that far apart by chance; 1 when n or m is 0. */
double diff_p(uint64_t x, uint64_t n, uint64_t y, uint64_t m);

/* Largest differences first. NULL if out of memory. */
struct table *diff_table(const struct diff *d, enum diff_of of);

/* "root;frame BASE NEW": what flame graph tools take as a difference. 0 or the output's error. */
int diff_write_collapsed(const struct profile *base, const struct profile *fresh, struct out *out);

/* --- gates ---
 * "total:/Json.*write/ > +5% p<0.01": trips when the share of a method that matches grew by more
 * than 5 percent of what it was (or its amount, as the diff is made), and that by chance with a
 * probability below 0.01. `self:` is about samples on top; `<` and -5% are about what became less;
 * 5% without a sign is the new share itself; a name is a glob or a /regular expression/; p may be
 * missing. */
struct diff_gate;

struct diff_gate *diff_gate_new(const char *text, struct jfr_error *err); /* NULL and *err */
void diff_gate_free(struct diff_gate *g); /* NULL is allowed */
const char *diff_gate_text(const struct diff_gate *g);
enum diff_of diff_gate_of(const struct diff_gate *g);

/* Does the gate trip for this row? */
bool diff_gate_trips(const struct diff_gate *g, const struct diff *d, const struct diff_row *row);

/* The gates as a JUnit report: a test case each. 0 or the output's error. */
int diff_write_junit(const struct diff *d, struct diff_gate *const *gates, size_t n,
                     struct out *out);

/* The same as notes below a table, a line each. False if out of memory. */
bool diff_note_gates(const struct diff *d, struct diff_gate *const *gates, size_t n,
                     struct table *t);

/* Appends a value of the diff: a share in percent, an amount, an amount per second. */
void diff_put_value(struct buf *b, const struct diff *d, double value);

/* "com.acme.Json.write total 11.8% -> 13.1% (+11.0%, p=0.0004)" */
void diff_describe(struct buf *b, const struct diff *d, const struct diff_row *row,
                   enum diff_of of);

#endif
