/*
 * jsonpick.h - parts of JSON text that we made ourselves: values by name, strings as text.
 *
 *     struct json_text v = {text, n}, name;
 *     if (jsonpick_path(v, "method.type.name", &name))
 *         jsonpick_text(name, &b);
 *
 * Borrows the text. What is no JSON gives no value, never a read beyond it.
 */
#ifndef CONVERT_TEXT_JSONPICK_H
#define CONVERT_TEXT_JSONPICK_H

#include "jfrfmt/base/buf.h"

struct json_text { /* bytes that stay as they are */
    const char *p;
    size_t n;
};

/* The value that a path of names joined by dots leads to; names may have dots of their own. False
 * when it is not there. */
bool jsonpick_path(struct json_text object, const char *path, struct json_text *value);

/* The next element of an array, or member of an object (its value): *at is 0 at first. False at the
 * end. `name` may be NULL; it is a string with its quotes. */
bool jsonpick_next(struct json_text whole, size_t *at, struct json_text *name,
                   struct json_text *value);

/* What a string says, as UTF-8; of everything else the text as it stands; of null nothing. */
void jsonpick_text(struct json_text value, struct buf *b);

static inline bool jsonpick_is(struct json_text v, char first)
{
    return v.n > 0 && v.p[0] == first;
}

#endif
