/*
 * settings.h - what a recording records: settings merged from names, files and single values.
 *
 *     struct settings *s = settings_new(NULL);
 *     char why[SETTINGS_WHY];
 *     if (settings_load(s, "profile", why) < 0 || settings_load(s, "/etc/more.jfc", why) < 0 ||
 *         settings_set(s, "jdk.ThreadPark#threshold=10ms", why) < 0)
 *         complain(why);
 *     if (settings_of(s, EV_THREAD_PARK)->is_enabled) ...
 *     settings_free(s);
 *
 * What comes later wins, per event and setting. An event without a setting is off, but for those
 * that say what the recording is (ActiveRecording, ActiveSetting, DataLoss, JVMInformation,
 * OSInformation). "default" and "profile" are compiled in from config/default.jfc and
 * config/profile.jfc. Other .jfc files are read by libjfrkit-config.so, which has libxml2; files
 * that begin with the first line of config/jfc_rows.h need nothing but this.
 *
 * Threads: one at a time; read-only use (settings_of, settings_get) from any number once it is
 * complete. Signals: settings_of() only. Ownership: texts belong to the struct settings.
 */
#ifndef RECORDER_SETTINGS_SETTINGS_H
#define RECORDER_SETTINGS_SETTINGS_H

#include "recorder/settings/jdk_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTINGS_WHY 700 /* bytes of a message, its NUL included */
#define SETTINGS_OFF INT64_MAX /* of a throttle: as many as there are */

/* The settings of one event as values. */
struct event_settings {
    bool is_enabled;
    bool with_stack;
    bool with_context;
    bool at_begin, at_end; /* of a chunk */
    int64_t threshold_ns; /* 0: every event */
    int64_t period_ns; /* 0: no interval; of EV_CPU_TIME_SAMPLE a throttle that is a period */
    int64_t throttle_events, throttle_ns; /* at most so many in so long; SETTINGS_OFF: no limit */
};

struct settings_row {
    const char *event, *setting, *value;
};

struct settings;

/* `plugin` is the path of libjfrkit-config.so; NULL: beside the library or program that this code
 * is in. NULL if out of memory. */
struct settings *settings_new(const char *plugin);
void settings_free(struct settings *s); /* NULL is allowed */

/* Merges "default", "profile", "none" (nothing), or a file. 0, or negative and one line that names
 * file, line and what is wrong; then nothing was merged. */
int settings_load(struct settings *s, const char *name, char why[SETTINGS_WHY]);

/* Merges "event#setting=value". Unless the text begins with '+', the event must be one that the
 * recorder makes or a file mentioned. Blanks between number and unit do not matter. 0, or negative
 * and *why. */
int settings_set(struct settings *s, const char *text, char why[SETTINGS_WHY]);

/* The effective settings of an event; e below EV_N. Never NULL. */
const struct event_settings *settings_of(const struct settings *s, enum event e);

/* The text in force: given, or the default of an event that the recorder makes; NULL: neither. */
const char *settings_get(const struct settings *s, const char *event, const char *setting);

/* Everything given, in the order of first mention. */
const struct settings_row *settings_rows(const struct settings *s, size_t *n);

/* Names of events that are enabled and that the recorder does not make, sorted, separated by ", ".
 * "" when there are none. *n is their number. */
const char *settings_unmade(struct settings *s, size_t *n);

/* Has settings_load() read a file? The settings that come with the recorder are none: they are for
 * the JDK's recorder, too, which makes more events. */
bool settings_has_file(const struct settings *s);

/* What was odd in the files, line by line; index from 0; NULL after the last. */
const char *settings_warning(const struct settings *s, size_t i);

#endif
