/*
 * render.h - the events of a chunk → parts: which events are wanted, when they end, and their text.
 *
 *     render_begin(r, rc, &clock);
 *     while ((rc = render_more(r)) > 0)
 *         take(render_take(r));        a part that is full
 *     take(render_take(r));            the last one, if rc is 0
 *
 * Threads: each has a renderer of its own.
 */
#ifndef CONVERT_PRINT_RENDER_H
#define CONVERT_PRINT_RENDER_H

#include "convert/print/part.h"
#include "convert/print/text.h"
#include "convert/select/select.h"

struct render;

/* NULL if out of memory. Both are borrowed. */
struct render *render_new(const struct text_style *style, struct select *select);
void render_free(struct render *r); /* NULL is allowed */

/* Starts with a chunk that was just loaded; rc is borrowed until it ends. Returns 0 or JFR_E_NOMEM.
 */
int render_begin(struct render *r, const struct run_chunk *rc, const struct json_clock *clock);

/* Renders events until the part is full (1) or the chunk ends (0). JFR_E_NOMEM if out of memory. */
int render_more(struct render *r);

/* The part, which is the caller's now; NULL: nothing was rendered since the last call. */
struct print_part *render_take(struct render *r);

#endif
