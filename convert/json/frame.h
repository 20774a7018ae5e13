/* frame.h - a stack frame as value.h writes it, back to a name like everywhere else. */
#ifndef CONVERT_JSON_FRAME_H
#define CONVERT_JSON_FRAME_H

#include "convert/text/jsonpick.h"

/* Appends "a.B.run:42"; "[unknown]" when the method is missing. */
void json_frame_append(struct json_text frame, struct buf *b);

#endif
