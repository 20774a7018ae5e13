/* internal.h - what settings.c and file.c share. */
#ifndef RECORDER_SETTINGS_INTERNAL_H
#define RECORDER_SETTINGS_INTERNAL_H

#include "recorder/settings/settings.h"

#define SETTINGS_LINE 8192 /* bytes of a line: two names and a value, escaped */
#define SETTINGS_WARNINGS 20 /* kept; the others are not */

struct rows {
    struct settings_row *list; /* owned, event and setting in one allocation */
    size_t n;
};

struct settings {
    struct rows rows;
    bool has_file; /* of the user's, among those that come with the recorder */
    struct event_settings events[EV_N];
    char *plugin; /* NULL: beside this code */
    char *unmade;
    char **warnings;
    size_t n_warnings;
};

void rows_free(struct rows *r);

/* The same for a value from outside: NULL, or what is wrong with it. */
const char *rows_check(struct rows *r, const char *event, const char *setting, const char *value);

/* Puts all of `from` into s and frees it. 0, or negative and *why. */
int settings_merge(struct settings *s, struct rows *from, char *why);

/* Makes text fit for a message: control characters become '?'. */
void settings_show(char *text);

/* Computes s->events. */
void settings_derive(struct settings *s);

int settings_load_file(struct settings *s, const char *path, char *why);

#endif
