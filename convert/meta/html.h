/* html.h - what the parts of the event reference share. */
#ifndef CONVERT_META_HTML_H
#define CONVERT_META_HTML_H

#include "convert/meta/meta.h"

#define META_DEPTH_MAX 8 /* parts of a category that are shown */

void meta_put_text(struct buf *b, const char *text); /* NULL: nothing */
void meta_put_id(struct buf *b, const struct meta_type *t); /* the id of its article */
void meta_put_count(struct buf *b, uint64_t n); /* "12 345" */

/* Is there an article about the type: is it an event, or a type with fields? */
bool meta_has_article(const struct meta_type *t);

void meta_put_article(struct buf *b, const struct meta *m, const struct meta_type *t);

#endif
