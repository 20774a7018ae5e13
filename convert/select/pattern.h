/*
 * pattern.h - names matched by a glob or a regular expression that may come from an untrusted user.
 *
 *     struct pattern *p = pattern_new("http-*", &err);         glob: the whole string
 *     struct pattern *p = pattern_new("/Json|Xml/", &err);     extended regular expression:
 * anywhere if (pattern_match(p, name, n)) ... pattern_free(p);
 *
 * Text is UTF-8, case counts, `?` and `.` stand for one character. Regular expressions are POSIX
 * extended ones with \d \D \w \W \s \S \b \B \< \> \t \n \r \f, and without back-references. Time
 * is linear in the text and memory bounded, whatever the pattern: one whose automaton would be too
 * large is refused.
 *
 * Threads: pattern_match() from any thread, several at once.
 */
#ifndef CONVERT_SELECT_PATTERN_H
#define CONVERT_SELECT_PATTERN_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_MAX 1000 /* bytes of a pattern */

struct pattern;

/* A glob (* ?), or a regular expression when it stands between slashes. NULL and *err when it
 * is malformed, too long or too large, or memory is exhausted. */
struct pattern *pattern_new(const char *text, struct jfr_error *err);

/* A bare regular expression. */
struct pattern *pattern_new_regex(const char *text, struct jfr_error *err);

/* Does the string match? False also when memory is too short to tell. */
bool pattern_match(const struct pattern *p, const char *s, size_t n);

void pattern_free(struct pattern *p); /* NULL is allowed */

#endif
