/* context_values.h - which values a context key has. */
#ifndef CONVERT_SELECT_CONTEXT_VALUES_H
#define CONVERT_SELECT_CONTEXT_VALUES_H

#include "convert/select/select.h"
#include "jfrfmt/base/intern.h"

/* Reads the inputs and adds to `texts` every value, but for empty ones, that the first key of the
 * select (select_spec.keys) has for an event that the select chooses. Damage is not reported: the
 * next reading encounters it again. 0; negative, *err and *err_path as run_all(). */
int values_find(struct select *select, const char *const *paths, size_t n_paths,
                struct intern *texts, struct jfr_error *err, const char **err_path);

#endif
