/* active_setting.h - writes the settings of event types of this recording as jdk.ActiveSetting. */
#ifndef RECORDER_EVENTS_ACTIVE_SETTING_H
#define RECORDER_EVENTS_ACTIVE_SETTING_H

#include "recorder/capture/engine.h"

/* Writes a setting of a type that is not the JDK's, now and again in each later chunk. */
void active_setting(struct recording *r, int64_t type, const char *name, const char *value);

#endif
