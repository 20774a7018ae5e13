/* names.h - names of 0.9 events and fields in the world of 2.1. Private to jfrfmt/v0. */
#ifndef JFRFMT_V0_NAMES_H
#define JFRFMT_V0_NAMES_H

#include "jfrfmt/v0/model.h"

/* "jdk.ExecutionSample" and the like; empty when the producer or the path is not HotSpot's. */
struct v0_text v0_known_event(struct v0_text uri, struct v0_text path);

/* The name of a field of a known event; mostly the one it has. */
struct v0_text v0_known_field(struct v0_text event, struct v0_text field);

/* A legal dotted name made of uri + path; empty if out of memory. */
struct v0_text v0_dotted_name(struct arena *arena, struct v0_text uri, struct v0_text path);

/* A path segment for people: "code_cache" is "Code Cache". Empty if out of memory. */
struct v0_text v0_category(struct arena *arena, struct v0_text segment);

#endif
