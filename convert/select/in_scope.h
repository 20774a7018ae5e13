/*
 * in_scope.h - the condition --in-scope: only events inside of scopes for which it is true, such as
 * requests of more than 100 ms.
 *
 *     struct in_scope *in = in_scope_new(text, types, n_types, &err);
 *     in_scope_read(in, paths, n_paths, &err, &path);
 *     if (in_scope_holds(in, &threads, cls, key, ns)) ...
 *
 * The condition is one of where.h on the event that is the scope; `duration` is that of the whole
 * scope. Of a scope in several parts it must be true for one of them. An event is inside if it
 * begins on the scope's thread, from the start of the scope on and before its end, or in a task
 * that the scope handed to another thread.
 *
 * Threads: after in_scope_read() any number at once.
 */
#ifndef CONVERT_SELECT_IN_SCOPE_H
#define CONVERT_SELECT_IN_SCOPE_H

#include "convert/scope/threads.h"

struct in_scope;

/* text: the condition; types: names or globs of the event types that are scopes, none: those that
 * hold contexts. Both are borrowed. NULL and *err if the condition is malformed or memory runs out.
 */
struct in_scope *in_scope_new(const char *text, const char *const *types, size_t n_types,
                              struct jfr_error *err);
void in_scope_free(struct in_scope *in); /* NULL is allowed */

/* Reads the inputs for their scopes: they must be files. Returns 0, or a negative code with *err
 * and *err_path. */
int in_scope_read(struct in_scope *in, const char *const *paths, size_t n_paths,
                  struct jfr_error *err, const char **err_path);

/* Is a time on the thread with this key inside? `threads` are those of the loaded chunk. */
bool in_scope_holds(const struct in_scope *in, struct scope_threads *threads,
                    const struct jfr_class *cls, uint64_t key, int64_t ns);

/* What must be reported after the run: note i, as for where_note(). */
bool in_scope_note(const struct in_scope *in, size_t i, bool *is_error, char *text, size_t room);

#endif
