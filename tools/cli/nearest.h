/*
 * nearest.h - the word that was perhaps meant by one that does not exist.
 *
 *     struct nearest near = nearest_to(typed, strlen(typed));
 *     for (...)
 *         nearest_add(&near, names[i]);
 *     if (nearest_found(&near) != NULL) ...
 */
#ifndef TOOLS_CLI_NEAREST_H
#define TOOLS_CLI_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *typed;
    size_t n; /* bytes of it */
    const char *closest, *longer; /* `longer` begins with what was typed */
    unsigned distance; /* of `closest` */
    unsigned n_longer;
};

/* Begins a search for the word `typed` of n bytes, which is borrowed. */
struct nearest nearest_to(const char *typed, size_t n);

/* Adds a word that exists; it is borrowed. */
void nearest_add(struct nearest *near, const char *word);

/* The only word that begins with what was typed, or else the closest one within two typing errors
 * (letters added, left out, changed or swapped). NULL when there is none. */
const char *nearest_found(const struct nearest *near);

#endif
