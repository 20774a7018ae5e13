/*
 * pattern_cost.h - is a regular expression one of ours, and how large will its automaton be?
 *
 * Accepts a part of what libtre accepts, so that nothing surprises: no back-references, no
 * approximate matching, no inline flags, no unknown escapes.
 */
#ifndef CONVERT_SELECT_PATTERN_COST_H
#define CONVERT_SELECT_PATTERN_COST_H

#include <stddef.h>
#include <wchar.h>

#define PATTERN_REPEAT_MAX 255 /* {n,m} */
#define PATTERN_STATES_MAX 1000 /* characters and classes when every {n,m} is written out */
#define PATTERN_LINKS_MAX 10000 /* pairs of them that may follow one another */

/* The size of the automaton of an expression, counted as its parts are put together. */
struct pattern_cost {
    size_t states; /* characters, classes and assertions */
    size_t links; /* pairs of states that may follow one another */
    size_t first, last; /* states it may begin and end with */
    int is_nullable; /* may match nothing */
};

/* Reads a whole regular expression. Returns NULL and *cost, or what is wrong with it and the place
 * (0-based character). */
const char *pattern_cost(const wchar_t *re, size_t n, struct pattern_cost *cost, size_t *place);

#endif
