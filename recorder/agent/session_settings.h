/*
 * session_settings.h - the settings of a recording, from its options.
 *
 *     struct settings *s = session_settings_new(options, why);
 *     ...
 *     settings_free(s);
 *
 * Threads: one at a time.
 */
#ifndef RECORDER_AGENT_SESSION_SETTINGS_H
#define RECORDER_AGENT_SESSION_SETTINGS_H

#include "recorder/agent/reply.h"
#include "recorder/settings/options.h"
#include "recorder/settings/settings.h"

/* Settings files (default, if none is named), then times, walker and single settings among the
 * options. NULL, and one line in why: a file or setting is wrong, or memory is exhausted. The
 * caller frees it with settings_free(). */
struct settings *session_settings_new(const struct rec_options *o, char why[REPLY_WHY]);

/* One more setting, as the option +EVENT#SETTING=VALUE gives it. 0, or -1 and one line. */
int session_settings_set(struct settings *s, const char *event, const char *setting,
                         const char *value, char why[REPLY_WHY]);

/* Logs what is odd about them: values that were replaced, events that are not recorded here. */
void session_settings_log_odd(struct settings *s);

#endif
