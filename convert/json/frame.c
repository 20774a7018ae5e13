#include "convert/json/frame.h"

#include "convert/text/frame_name.h"

#include <stdlib.h>

static struct jfr_str text_of(struct json_text object, const char *path, struct buf *b)
{
    struct json_text v;
    size_t start = b->n;

    if (!jsonpick_path(object, path, &v) || !jsonpick_is(v, '"'))
        return (struct jfr_str){0};
    jsonpick_text(v, b);
    if (b->n == start) /* of an empty text there may be no buffer */
        return (struct jfr_str){(const uint8_t *)"", 0, 0, JFR_STR_UTF8};
    return (struct jfr_str){b->p + start, b->n - start, b->n - start, JFR_STR_UTF8};
}

void json_frame_append(struct json_text frame, struct buf *b)
{
    static const struct name_options style = {.lines = true};
    struct jfr_frame where = {.line = -1, .bci = -1};
    struct buf class_name = {0}, name = {0};
    struct jfr_method m = {.class_name = text_of(frame, "method.type.name", &class_name),
                           .name = text_of(frame, "method.name", &name)};
    struct json_text line;

    if (jsonpick_path(frame, "lineNumber", &line))
        where.line = (int32_t)strtol(line.p, NULL, 10);
    frame_name_append(b, &style, &m, &where, FRAME_UNKNOWN);
    if (!buf_ok(&class_name) || !buf_ok(&name))
        b->failed = true;
    buf_free(&class_name);
    buf_free(&name);
}
