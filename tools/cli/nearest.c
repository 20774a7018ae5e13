/* nearest.c - finds the word that was perhaps meant: for options, verbs, views and formats. */
#include "tools/cli/nearest.h"

#include <string.h>

#define NAME_MOST 40 /* bytes of a word that are compared */
#define TYPOS 2

/* The number of letters added, left out, changed, or swapped with their neighbour: the optimal
 * string alignment distance, of which three rows are kept. */
static unsigned count_typos(const char *a, size_t n, const char *b)
{
    unsigned rows[3][NAME_MOST + 1];
    size_t m = strlen(b);

    if (m > NAME_MOST)
        return NAME_MOST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);

            if (best > above[j] + 1)
                best = above[j] + 1;
            if (best > row[j - 1] + 1)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                best > above2[j - 2] + 1)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

struct nearest nearest_to(const char *typed, size_t n)
{
    return (struct nearest){.typed = typed, .n = n, .distance = TYPOS + 1};
}

void nearest_add(struct nearest *near, const char *word)
{
    unsigned d = near->n > NAME_MOST ? NAME_MOST : count_typos(near->typed, near->n, word);

    if (d < near->distance && d < strlen(word)) {
        near->distance = d;
        near->closest = word;
    }
    if (near->n > 0 && near->n <= NAME_MOST && strncmp(word, near->typed, near->n) == 0) {
        near->longer = word;
        near->n_longer++;
    }
}

const char *nearest_found(const struct nearest *near)
{
    return near->n_longer == 1 ? near->longer : near->closest;
}
