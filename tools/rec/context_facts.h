/*
 * context_facts.h - what an agent's answer says of contexts, as one line for people.
 *
 *     struct context_facts facts = {0};
 *     context_facts_add(&facts, key, value)      for each line of the answer
 *     if (context_facts_put(&facts, &b)) ...     "contexts from slf4j (user, requestId): 120 a
 * second, 57 values"
 */
#ifndef TOOLS_REC_CONTEXT_FACTS_H
#define TOOLS_REC_CONTEXT_FACTS_H

#include "jfrfmt/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct context_facts { /* values of the answer, borrowed; NULL: not there */
    const char *sources, *keys, *other_keys, *ms, *n, *n_values, *dropped, *failure;
};

/* key: n bytes; others than those of contexts are left out. */
void context_facts_add(struct context_facts *facts, const char *key, size_t n, const char *value);

/* False: there are none, and nothing was put. */
bool context_facts_put(const struct context_facts *facts, struct buf *b);

#endif
