/*
 * annotate.h - contexts put onto events that lack them: what contextual events on the same thread
 * say becomes fields CONTEXT_ATTRIBUTE of each event, so that tools that know nothing of contexts
 * can filter and group by them.
 *
 *     struct annotate *a = annotate_new();
 *     annotate_key(a, "user");                              or none: all that there are
 *     annotate_look_ahead(a, paths, n_paths, &from, &err, &path);
 *     options.annotate = a;  rewrite_run(&options, ...);
 *     annotate_free(a);
 *
 * Fields are put after the others, in all event types that tell a thread, are no such context
 * themselves and do not have the attribute. They are null where there is no context. The fields are
 * the same in all chunks, whichever of them has values.
 */
#ifndef CONVERT_REWRITE_ANNOTATE_H
#define CONVERT_REWRITE_ANNOTATE_H

#include "convert/context/context.h"
#include "convert/rewrite/labels.h"
#include "convert/rewrite/rewrite.h"
#include "convert/select/select.h"

#define ANNOTATE_KEYS 16

struct annotate;

struct annotate *annotate_new(void); /* NULL if out of memory */
void annotate_free(struct annotate *a); /* NULL is allowed */

/* Adds a key (context.h). Returns false if there are too many, or if out of memory. */
bool annotate_key(struct annotate *a, const char *key);

/* Instead of fields for attributes, events with a stack get their number: a field contextId, whose
 * meaning labels_write() writes. Without keys they have all attributes. Borrowed. */
void annotate_as_labels(struct annotate *a, struct labels *labels);

/* Reads the inputs, and `from`, recordings of the same process, for contexts that hold in other
 * chunks (select_look_ahead()) and, where no key was requested, for keys: the first ANNOTATE_KEYS
 * in the order of the input. 0; JFR_E_UNSUPPORTED when keys or `from` need inputs that can be read
 * twice; negative, *err, *err_path. */
int annotate_look_ahead(struct annotate *a, const char *const *paths, size_t n_paths,
                        const struct select_list *from, struct jfr_error *err,
                        const char **err_path);

uint64_t annotate_n(const struct annotate *a); /* events that got a value */
uint64_t annotate_n_lost(const struct annotate *a); /* context_n_lost() */
const struct context *annotate_context(const struct annotate *a); /* NULL when `a` is */

/* For rewrite_run(): what rewrite.h is to add, and the start of a chunk. */
struct rewrite_extra annotate_extra(struct annotate *a);
int annotate_load(struct annotate *a, struct jfr_chunk *chunk); /* 0 or JFR_E_NOMEM */

#endif
