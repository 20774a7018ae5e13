/*
 * words.h - a view that a user describes by words.
 *
 *     struct view_words words = {.by = {"user", "bucket(1s)"}, .n_by = 2, ...};
 *     const struct view *v = view_of_words(&words, &err);
 *     struct view_run *r = view_run_new(v, select);          the select has all_keys
 *     run view_job(r) ...; view_table(r, false, true)
 *     view_unknown(r, &is_text)                              what no event has
 *
 * A word of `by` is thread, state, event, input, method, line, package, stack, bucket(TIME);
 * context.X or field.X;
 * or else an attribute of contexts, or a field where a chunk has no such attribute. Fields are
 * paths with dots: objectClass.name.
 */
#ifndef CONVERT_VIEW_WORDS_H
#define CONVERT_VIEW_WORDS_H

#include "convert/view/view.h"

#define VIEW_WORDS 20

struct view_words_sum {
    size_t sum; /* see view_words_sum() */
    const char *field;
};

struct view_words { /* borrows its strings until view_of_words() has returned */
    const char *by[VIEW_WORDS];
    size_t n_by;
    struct view_words_sum sums[VIEW_WORDS];
    size_t n_sums;
};

/* The name of sum i, from 0 on: "sum", "avg", "min", "max", "p50" and so on. NULL if there are not
 * so many. */
const char *view_words_sum(size_t i);

/* Is it a word that only such views know: field.path? */
bool view_words_only(const char *word);

/* Does it begin like bucket(1s)? */
bool view_word_is_bucket(const char *word);

/* What table_by groups by for a word: thread, state, event, input, bucket(TIME), or else an
 * attribute of contexts, whose name *attribute becomes; else it becomes NULL. Not for method, line,
 * package and stack. NULL and *err if it is no time, or if out of memory. */
const char *view_group_word(const char *word, struct arena *texts, const char **attribute,
                            struct jfr_error *err);

/* Is the word a field of one of these event types in the first chunk of a file, and no attribute of
 * its contexts? Words that mean something by themselves (thread, method ...) are none. False also
 * if the file cannot be read. */
bool view_word_is_field(const char *word, const char *file, const struct select_list *events);

/* NULL and *err when a word cannot be understood (JFR_E_UNSUPPORTED, JFR_E_FORMAT) or memory is
 * short. Free it after the run. */
const struct view *view_of_words(const struct view_words *words, struct jfr_error *err);
void view_of_words_free(const struct view *view); /* NULL is allowed */

/* After a run: the first word that no event has, or whose values are texts although its sum is of
 * numbers (*is_text). NULL: there is none, or no event counted. */
const char *view_unknown(const struct view_run *r, bool *is_text);

/* The name of field i, from 0 on, of those that the events have; for messages. NULL if there are
 * not so many. */
const char *view_field(const struct view_run *r, size_t i);

#endif
