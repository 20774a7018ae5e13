/*
 * session_settings.c - the settings of a recording: those of its .jfc files, changed by its
 * options.
 *
 * In: options. Out: struct settings, or one line with the reason why they are wrong.
 */
#include "recorder/agent/session_settings.h"

#include "recorder/base/log.h"

#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define SAMPLES "jdk.ExecutionSample"

int session_settings_set(struct settings *s, const char *event, const char *setting,
                         const char *value, char why[REPLY_WHY])
{
    char text[500];

    snprintf(text, sizeof(text), "+%s#%s=%s", event, setting, value);
    return settings_set(s, text, why);
}

/* An option such as cpu=10ms stands for settings, and is recorded as these. */
static int set_time(struct settings *s, const char *event, const char *setting, int64_t ns,
                    char why[REPLY_WHY])
{
    char value[40];

    if (ns == REC_UNSET)
        return 0;
    if (session_settings_set(s, event, "enabled", ns > 0 ? "true" : "false", why) < 0)
        return -1;
    if (strcmp(setting, "throttle") == 0)
        snprintf(value, sizeof(value), "%lld/s", (long long)(ns > 0 ? (SECOND + ns - 1) / ns : 0));
    else
        snprintf(value, sizeof(value), "%lld %s",
                 (long long)(ns % 1000000 == 0 ? ns / 1000000
                             : ns % 1000 == 0  ? ns / 1000
                                               : ns),
                 ns % 1000000 == 0 ? "ms"
                 : ns % 1000 == 0  ? "us"
                                   : "ns");
    return ns == 0 ? 0 : session_settings_set(s, event, setting, value, why);
}

static int set_times(struct settings *s, const struct rec_options *o, char why[REPLY_WHY])
{
    if (o->alloc != REC_UNSET && session_settings_set(s, "jdk.ObjectAllocationSample", "enabled",
                                                      o->alloc > 0 ? "true" : "false", why) < 0)
        return -1;
    return set_time(s, SAMPLES, "period", o->cpu, why) < 0 ||
                   set_time(s, "profiler.WallClockSample", "period", o->wall, why) < 0 ||
                   set_time(s, "jdk.JavaMonitorEnter", "threshold", o->lock, why) < 0 ||
                   set_time(s, "jdk.ThreadPark", "threshold", o->lock, why) < 0 ||
                   set_time(s, "jdk.JavaExceptionThrow", "throttle", o->exceptions, why) < 0
               ? -1
               : 0;
}

/* Samples that only the JDK's recorder makes. A .jfc file may enable them without effect; an option
 * that names one is an error, since the user expects them in the recording. */
static bool refuse_foreign(const char *setting, char why[REPLY_WHY])
{
    static const char *const names[] = {"jdk.CPUTimeSample", "jdk.CPUTimeSamplesLost",
                                        "jdk.NativeMethodSample"};
    size_t n;

    setting += *setting == '+';
    n = strcspn(setting, "#");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == n && strncmp(setting, names[i], n) == 0 &&
            strcmp(setting + n, "#enabled=true") == 0) {
            snprintf(why, REPLY_WHY,
                     "%s is an event of the JDK's recorder only; this one samples CPU time, in "
                     "native code too, as " SAMPLES " (cpu=10ms, --cpu 10ms)",
                     names[i]);
            return true;
        }
    return false;
}

static int merge(struct settings *s, const struct rec_options *o, char why[REPLY_WHY])
{
    char names[4096], *save = NULL;

    if (snprintf(names, sizeof(names), "%s", o->settings == NULL ? "default" : o->settings) >=
        (int)sizeof(names)) {
        snprintf(why, REPLY_WHY, "the list of settings is too long");
        return -1;
    }
    for (char *name = strtok_r(names, ";", &save); name != NULL; name = strtok_r(NULL, ";", &save))
        if (settings_load(s, name, why) < 0)
            return -1;
    if (set_times(s, o, why) != 0 ||
        (o->walker != NULL && session_settings_set(s, SAMPLES, "walker", o->walker, why) != 0))
        return -1;
    for (int i = 0; i < o->n_overrides; i++)
        if (refuse_foreign(o->overrides[i], why) || settings_set(s, o->overrides[i], why) < 0)
            return -1;
    return 0;
}

struct settings *session_settings_new(const struct rec_options *o, char why[REPLY_WHY])
{
    struct settings *s = settings_new(NULL);

    if (s == NULL) {
        snprintf(why, REPLY_WHY, "no memory for settings");
    } else if (merge(s, o, why) != 0) {
        settings_free(s);
        s = NULL;
    }
    return s;
}

void session_settings_log_odd(struct settings *s)
{
    const char *text;
    size_t n = 0;

    for (size_t i = 0; (text = settings_warning(s, i)) != NULL; i++)
        log_line(LOG_WARNING, "%s", text);
    text = settings_has_file(s) ? settings_unmade(s, &n) : "";
    if (n > 0)
        log_line(LOG_INFO, "%zu enabled events are none that this recorder makes: %s", n, text);
}
