/*
 * firefox_tables.h - the stacks, frames, functions and strings of one thread in Firefox's format:
 * the part of a tree that its samples use.
 *
 *     struct firefox_tables t = {.tree = &tree};
 *     firefox_tables_use(&t, node) ...; rc = firefox_tables_number(&t);
 *     firefox_tables_put_stack(&t, node, b); firefox_tables_string(&t, "text") ...
 *     firefox_tables_put(&t, out);
 *     firefox_tables_free(&t);
 */
#ifndef CONVERT_FORMATS_FIREFOX_TABLES_H
#define CONVERT_FORMATS_FIREFOX_TABLES_H

#include "convert/text/out.h"
#include "convert/profile/tree.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/base/intern.h"

struct firefox_tables {
    const struct tree *tree; /* borrowed */
    uint32_t *stacks; /* by node: 0 unused, else number + 1 */
    uint32_t *parents; /* by node; NULL until the first use */
    struct intern frames; /* of name and type, 8 bytes */
    struct intern functions; /* of names, 4 bytes */
    struct intern strings;
    struct buf used; /* of uint32_t: nodes in the order of their numbers */
    bool failed;
};

/* The stack that ends at the node is needed. False if out of memory, which sticks. */
bool firefox_tables_use(struct firefox_tables *t, uint32_t node);

/* Numbers what is needed. 0 or JFR_E_NOMEM. */
int firefox_tables_number(struct firefox_tables *t);

/* The number of a stack; null for the root. */
void firefox_tables_put_stack(const struct firefox_tables *t, uint32_t node, struct buf *b);

/* The number of a string; 0 if out of memory. */
uint32_t firefox_tables_string(struct firefox_tables *t, const char *text);

/* The tables, as members of an object, and the strings, which come last. */
void firefox_tables_put(struct firefox_tables *t, struct out *out);

void firefox_tables_free(struct firefox_tables *t);

#endif
