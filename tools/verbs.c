/*
 * verbs.c - which function runs for which word after "jfrkit".
 *
 * A verb is what the first screen lists. The older names of the programs (jfr2flame), the same
 * without what they begin with (flame), and a few words that users of other tools know (metadata,
 * summary) are accepted and not listed.
 */
#include "tools/verbs.h"

#include "tools/cli/nearest.h"
#include "tools/programs.h"
#include "tools/rec/rec.h"

#include <stdio.h>
#include <string.h>

static const struct verb verbs[] = {
    {"record", rec_record, "Record", "Run a Java program and record it"},
    {"attach", rec_attach, NULL, "Record a running JVM for a while, and show the result"},
    {"list", rec_list, NULL, "List the running JVMs"},
    {"start", rec_start, NULL, "Control the recording of a running JVM"},
    {"status", rec_status, NULL, NULL},
    {"dump", rec_dump, NULL, NULL},
    {"stop", rec_stop, NULL, NULL},
    {"info", jfrsummary_main, "Look", "What a recording has: events, sizes, times, settings"},
    {"top", verb_top, NULL, "Hot methods; of each user, thread, ... with --by"},
    {"table", jfr2table_main, NULL, "Sums by user, action, thread, event type, method, ..."},
    {"view", jfrview_main, NULL, "Common questions: hot-methods, gc-pauses; any in SQL"},
    {"sql", verb_sql, NULL, NULL},
    {"slow", verb_slow, NULL, "Why requests are slow: locks, files, pauses, code, users"},
    {"flame", jfr2flame_main, NULL, "Flame graph page; compare recordings, or users of one"},
    {"diff", jfrdiff_main, NULL, NULL},
    {"events", jfrmeta_main, NULL, "Event types with their fields and settings"},
    {"print", verb_print, NULL, "Events as text, JSON or XML; of a recording as it grows"},
    {"follow", verb_follow, NULL, NULL},
    {"convert", verb_convert, "Write", "pprof, OTLP, speedscope, CSV, JSON, ...; send them: push"},
    {"push", verb_push, NULL, NULL},
    {"cut", jfrcut_main, NULL, "Take a part of a recording, or repair it; join recordings"},
    {"cat", jfrcat_main, NULL, NULL},
    {"annotate", jfrannotate_main, NULL, "Add the user or trace to events of other recorders"},
    {"settings", rec_settings, "Other", "What .jfc settings files add up to"},
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct {
    const char *name, *verb;
} synonyms[] = {
    {"metadata", "events"},
    {"ps", "list"},
};

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
    PROGRAMS(PROGRAM)
#undef PROGRAM
};

#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

const struct verb *verb_at(size_t i)
{
    return i < N_VERBS ? &verbs[i] : NULL;
}

const char *verb_older_name(size_t i)
{
    return i < N_PROGRAMS ? programs[i].name : NULL;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
        if (strcmp(synonyms[i].name, name) == 0)
            name = synonyms[i].verb;
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* A program by its name: whole, or without "jfr2", "jfr" or, for jfrec, "jf" in front. */
static int find_verb_program(const char *name)
{
    static const char *const prefixes[] = {"", "jfr2", "jfr", "jf"};

    for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++)
        for (size_t i = 0; i < N_PROGRAMS; i++) {
            size_t n = strlen(prefixes[p]);

            if (strncmp(programs[i].name, prefixes[p], n) == 0 &&
                strcmp(programs[i].name + n, name) == 0)
                return (int)i;
        }
    return -1;
}

int verb_find(const char *name, int (**program)(int argc, char **argv), const char **shown)
{
    static char text[32];
    const struct verb *verb = find_verb(name);
    int i = verb == NULL ? find_verb_program(name) : -1;

    if (verb == NULL && i < 0)
        return -1;
    *program = verb != NULL ? verb->main : programs[i].main;
    snprintf(text, sizeof(text), "jfrkit %s", verb != NULL ? verb->name : name);
    *shown = verb != NULL || strcmp(programs[i].name, name) != 0 ? text : NULL;
    return 0;
}

const char *verb_nearest(const char *name)
{
    struct nearest near = nearest_to(name, strlen(name));

    for (size_t i = 0; i < N_VERBS; i++)
        nearest_add(&near, verbs[i].name);
    nearest_add(&near, "help");
    nearest_add(&near, "version");
    nearest_add(&near, "completion");
    return nearest_found(&near);
}
