/*
 * options.h - the agent's options: "file=app.jfr,settings=profile,cpu=1ms".
 *
 *     struct rec_options o;
 *     char err[200];
 *     if (rec_options_parse(&o, text, err) != 0)
 *         complain(err);
 *     rec_options_free(&o);
 *
 * Grammar: key=value,key=value,... A backslash takes the next character as it is. A key with '#' in
 * it overrides a setting: jdk.FileRead#threshold=5 ms. Times and sizes are those of
 * jfrfmt/base/quantity.h, or "off".
 */
#ifndef RECORDER_SETTINGS_OPTIONS_H
#define RECORDER_SETTINGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_OPTIONS_MAX 8192 /* bytes of text */
#define REC_OVERRIDES_MAX 256
#define REC_UNSET INT64_MIN /* the option was not given */

enum rec_command {
    REC_START,
    REC_STOP,
    REC_DUMP,
    REC_STATUS
};

/* Times are nanoseconds. REC_UNSET or NULL: not given. */
struct rec_options {
    enum rec_command command;
    const char *file; /* pattern: rec_options_file() */
    const char *settings; /* "default", "profile", "none", files separated by ';' */
    const char *reply, *log;
    const char *walker; /* "signal", "parked", "snapshot", "agct"; NULL: as the settings have it */
    const char *engine; /* of CPU time: "timer", "perf"; NULL: timer */
    const char
        *jfrsync; /* settings of the JDK's own recorder, merged: names that it knows, .jfc files;
                   * ';' in between */
    const char *context; /* "name:attribute;attribute", more after commas */
    const char *context_source; /* context_source.h; NULL: "auto" */
    const char *context_redact; /* "attribute:hash;attribute:drop" */
    const char *overrides[REC_OVERRIDES_MAX]; /* "event#setting=value" */
    int n_overrides;
    int64_t delay; /* between the start and the first event */
    int64_t duration, max_age, chunk_time;
    int64_t max_size, chunk_size, buffer_size; /* bytes */
    int64_t depth; /* frames of a stack */
    int64_t snapshot; /* bytes of a stack that walker=snapshot copies */
    int64_t cpu, wall, lock, exceptions; /* intervals or thresholds; 0: off */
    int64_t alloc; /* bytes; 0: off */
    bool quiet;
    char *text; /* memory of the above */
};

/* Reads options; text may be NULL. 0, or -1 and one line in err. */
int rec_options_parse(struct rec_options *o, const char *text, char err[200]);

/* The value of `reply` in options that could not be read, copied into out: "" if there is none. */
void rec_options_reply(const char *text, char *out, size_t room);

void rec_options_free(struct rec_options *o);

/* The file's name for a pattern: %p process id, %t start time, %h host name, %n the number n, %%.
 * What the host is called is reduced to letters, digits, '-', '_' and '.'. 0, or -1: too long, or
 * an unknown %. */
int rec_options_file(const char *pattern, int64_t start_nanos, unsigned n, char *out, size_t room);

/* "10ms", "1 s", "off" to nanoseconds; "512k" to bytes. False: not one. */
bool rec_parse_time(const char *text, int64_t *ns);
bool rec_parse_size(const char *text, int64_t *bytes);

#endif
