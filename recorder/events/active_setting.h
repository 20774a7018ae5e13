/* active_setting.h - what holds for an event type of this recording, told in the file. */
#ifndef RECORDER_EVENTS_ACTIVE_SETTING_H
#define RECORDER_EVENTS_ACTIVE_SETTING_H

#include "recorder/capture/engine.h"

/* A setting in force of a type that is none of the JDK's: now, and again in every later chunk. */
void active_setting(struct recording *r, int64_t type, const char *name, const char *value);

#endif
