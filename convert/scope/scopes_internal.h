/* scopes_internal.h - what reading (read.c), joining (join.c) and linking (tasks.c) share. */
#ifndef CONVERT_SCOPE_SCOPES_INTERNAL_H
#define CONVERT_SCOPE_SCOPES_INTERNAL_H

#include "convert/scope/scopes.h"

/* Sorts the parts, joins those of one scope and links tasks. Returns 0 or JFR_E_NOMEM. */
int scopes_join(struct scopes *s);

/* Links the tasks, once parts are joined. Returns 0 or JFR_E_NOMEM. */
int scopes_link_tasks(struct scopes *s);

void scope_cover_free(struct scope_cover *cover); /* NULL is allowed */

#endif
