/*
 * plan.h - the fields that a caller wants, compiled to a short decode program.
 *
 *     static const char *const want[] = {"startTime", "stackTrace", "state"};
 *     const struct jfr_plan *p = jfr_plan_new(chunk, ev.type, want, 3);   once per (chunk, class)
 *     union jfr_value v[3];
 *     if (jfr_plan_run(p, ev.body, v) == 0 && jfr_plan_field(p, 1) != NULL)
 *         stack_key = v[1].key;
 *
 * Fields that are not wanted are stepped over; nothing is read after the last wanted one.
 */
#ifndef JFRFMT_READ_PLAN_H
#define JFRFMT_READ_PLAN_H

#include "jfrfmt/base/cursor.h"
#include "jfrfmt/read/metadata.h"

/* One decoded field. Which member holds it follows from the field:
 *   is_array, JFR_STRING or an inline JFR_STRUCT: `at`, the start of the encoded value
 *   is_pooled:                                     `key`
 *   JFR_FLOAT, JFR_DOUBLE:                         `f`
 *   else                                           `i`, cut and sign-extended to its width
 *                                                  (JFR_CHAR and is_unsigned: zero-extended) */
union jfr_value {
    int64_t i;
    uint64_t key;
    double f;
    const uint8_t *at;
};

#define JFR_PLAN_WANTS_MAX 64

struct jfr_plan;
struct jfr_chunk;

/* Compiles. paths[i] is a field name, or names joined by dots that lead through inline structs; a
 * field whose own name has dots is found too. A path the class does not have is no error: its field
 * is NULL and its value all zero bits. Only the last of an array or a pooled field can be reached:
 * use the pool for what lies after. The plan lives until the chunk is loaded again. NULL if
 * out of memory (then !arena_ok(jfr_chunk_arena(chunk))), or when values of the class cannot be
 * decoded: it has a field of an undeclared class, is too large, or nests inline structs too deeply
 * (> 32), too often or into themselves. */
const struct jfr_plan *jfr_plan_new(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                    const char *const *paths, size_t n);

/* The field that path i ended at, or NULL. */
const struct jfr_field *jfr_plan_field(const struct jfr_plan *plan, size_t i);

/* Decodes into out[0..n). Returns 0, or JFR_E_SHORT when the bytes end inside a field or a string
 * has an unknown encoding; *where (may be NULL) is then the place. What an `at` of the last wanted
 * field points to is not looked at: reading it may still fail. */
int jfr_plan_run(const struct jfr_plan *plan, struct cursor body, union jfr_value *out,
                 const uint8_t **where);

/* Steps over a whole value of the plan's class: c ends after it, or has failed. */
void jfr_plan_skip(const struct jfr_plan *plan, struct cursor *c);

/* The plan for these paths, made once per chunk: `paths` is identified by its address, so it has to
 * be one static array for one purpose. NULL as for jfr_plan_new(). */
const struct jfr_plan *jfr_plan_shared(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                       const char *const *paths, size_t n);

/* The plan that steps over values of a class, made once per chunk. NULL as for jfr_plan_new(). */
const struct jfr_plan *jfr_plan_for_skipping(struct jfr_chunk *chunk, const struct jfr_class *cls);

/* Moves c to the end of a field of an event or a structure, which may be an array. c has failed if
 * the bytes end before. */
void jfr_plan_skip_field(struct jfr_chunk *chunk, const struct jfr_field *f, struct cursor *c);

/* The same for n values of the field's type: the elements of an array, without its length. */
void jfr_plan_skip_values(struct jfr_chunk *chunk, const struct jfr_field *f, uint64_t n,
                          struct cursor *c);

#endif
