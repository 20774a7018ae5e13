/*
 * settings.c - the settings of a recording: a table of event, setting and text, later rows
 * replacing earlier ones, and the values that these texts mean for an event.
 *
 * file.c reads .jfc files into the table, agent/session_settings.c adds options. Engines read
 * values here.
 */
#include "recorder/settings/internal.h"

#include "config/jfc_value.h"
#include "jfrfmt/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/settings/builtin.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define FAILED (-1)

struct settings *settings_new(const char *plugin)
{
    struct settings *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    if (plugin != NULL && (s->plugin = strdup(plugin)) == NULL) {
        free(s);
        return NULL;
    }
    settings_derive(s);
    return s;
}

void settings_show(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* --- lists of rows --- */

void rows_free(struct rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free((void *)r->list[i].event);
        free((void *)r->list[i].value);
    }
    free(r->list);
    *r = (struct rows){0};
}

/* Event and setting lie in one allocation. */
static bool append(struct rows *r, const char *event, const char *setting, const char *value)
{
    size_t n = strlen(event) + 1;
    char *names, *text;

    if (!array_add(&r->list, r->n, sizeof(*r->list)))
        return false;
    names = malloc(n + strlen(setting) + 1);
    text = strdup(value);
    if (names == NULL || text == NULL) {
        free(names);
        free(text);
        return false;
    }
    memcpy(names, event, n);
    strcpy(names + n, setting);
    r->list[r->n++] = (struct settings_row){names, names + n, text};
    return true;
}

static struct settings_row *find(const struct rows *r, const char *event, const char *setting)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->list[i].event, event) == 0 &&
            (setting == NULL || strcmp(r->list[i].setting, setting) == 0))
            return &r->list[i];
    return NULL;
}

/* Adds or replaces; false: out of memory. */
static bool rows_put(struct rows *r, const char *event, const char *setting, const char *value)
{
    struct settings_row *row = find(r, event, setting);
    char *text;

    if (row == NULL)
        return append(r, event, setting, value);
    text = strdup(value);
    if (text == NULL)
        return false;
    free((void *)row->value);
    row->value = text;
    return true;
}

/* --- meaning --- */

/* Events about the recording and the VM, without which the others cannot be interpreted. */
static bool is_on_by_default(enum event e)
{
    return e == EV_ACTIVE_RECORDING || e == EV_ACTIVE_SETTING || e == EV_DATA_LOSS ||
           e == EV_JVM_INFORMATION || e == EV_OS_INFORMATION;
}

static void derive_period(struct event_settings *ev, const char *value)
{
    int64_t ns = 0;

    ev->at_begin = strcmp(value, "beginChunk") == 0 || strcmp(value, "everyChunk") == 0;
    ev->at_end = strcmp(value, "endChunk") == 0 || strcmp(value, "everyChunk") == 0;
    ev->period_ns = 0;
    if (!ev->at_begin && !ev->at_end && jfc_duration(value, &ns) == NULL && ns != INT64_MAX)
        ev->period_ns = ns;
}

static void derive_throttle(struct event_settings *ev, const char *value)
{
    ev->period_ns = 0;
    if (jfc_rate(value, &ev->throttle_events, &ev->throttle_ns) != NULL) {
        ev->throttle_events = SETTINGS_OFF;
        jfc_duration(value, &ev->period_ns);
    }
}

static void derive_row(struct event_settings *ev, const struct settings_row *row)
{
    bool is_true = strcmp(row->value, "true") == 0;

    if (strcmp(row->setting, "enabled") == 0)
        ev->is_enabled = is_true;
    else if (strcmp(row->setting, "stackTrace") == 0)
        ev->with_stack = is_true;
    else if (strcmp(row->setting, "withContext") == 0)
        ev->with_context = is_true;
    else if (strcmp(row->setting, "threshold") == 0)
        jfc_duration(row->value, &ev->threshold_ns);
    else if (strcmp(row->setting, "period") == 0)
        derive_period(ev, row->value);
    else if (strcmp(row->setting, "throttle") == 0)
        derive_throttle(ev, row->value);
}

/* The default of a setting that the type declares, or NULL. */
static const char *declared_default(enum event e, const char *setting)
{
    const struct jfr_type_def *type = jdk_type(e);

    if (strcmp(setting, "enabled") == 0)
        return is_on_by_default(e) ? "true" : "false";
    for (size_t i = 0; i < type->n_settings; i++)
        if (strcmp(type->settings[i].name, setting) == 0)
            return type->settings[i].default_value;
    return NULL;
}

void settings_derive(struct settings *s)
{
    for (int e = 0; e < EV_N; e++) {
        const struct jfr_type_def *type = jdk_type((enum event)e);

        s->events[e] = (struct event_settings){.throttle_events = SETTINGS_OFF, .throttle_ns = 1};
        s->events[e].is_enabled = is_on_by_default((enum event)e);
        for (size_t i = 0; i < type->n_settings; i++)
            if (strcmp(type->settings[i].name, "enabled") != 0)
                derive_row(&s->events[e], &(struct settings_row){type->name, type->settings[i].name,
                                                                 type->settings[i].default_value});
    }
    for (size_t i = 0; i < s->rows.n; i++) {
        enum event e = jdk_type_find(s->rows.list[i].event);

        if (e != EV_N)
            derive_row(&s->events[e], &s->rows.list[i]);
    }
}

const struct event_settings *settings_of(const struct settings *s, enum event e)
{
    return &s->events[e];
}

const char *settings_get(const struct settings *s, const char *event, const char *setting)
{
    const struct settings_row *row = find(&s->rows, event, setting);
    enum event e = jdk_type_find(event);

    if (row != NULL)
        return row->value;
    return e == EV_N ? NULL : declared_default(e, setting);
}

const struct settings_row *settings_rows(const struct settings *s, size_t *n)
{
    *n = s->rows.n;
    return s->rows.list;
}

/* --- merging --- */

/* Writes "10ms" as "10 ms", the form in which the JDK records settings. */
static const char *spaced(const char *setting, const char *value, char *room, size_t size)
{
    size_t digits = strspn(value, "0123456789");

    if ((strcmp(setting, "threshold") != 0 && strcmp(setting, "period") != 0 &&
         strcmp(setting, "throttle") != 0 && strcmp(setting, "cutoff") != 0) ||
        digits == 0 || strchr("numshd", value[digits]) == NULL || value[digits] == '\0')
        return value;
    snprintf(room, size, "%.*s %s", (int)digits, value, value + digits);
    return room;
}

const char *rows_check(struct rows *r, const char *event, const char *setting, const char *value)
{
    char room[64];
    bool is_harmless;
    const char *wrong = jfc_value_wrong(event, setting, value, &is_harmless);

    if (wrong != NULL && !is_harmless)
        return wrong;
    return rows_put(r, event, setting, spaced(setting, value, room, sizeof(room)))
               ? NULL
               : "does not fit: out of memory";
}

int settings_merge(struct settings *s, struct rows *from, char *why)
{
    int rc = 0;

    for (size_t i = 0; i < from->n && rc == 0; i++)
        if (!rows_put(&s->rows, from->list[i].event, from->list[i].setting, from->list[i].value)) {
            snprintf(why, SETTINGS_WHY, "settings: out of memory");
            rc = FAILED;
        }
    rows_free(from);
    settings_derive(s);
    return rc;
}

static int merge_builtin(struct settings *s, const struct settings_row *rows, size_t n, char *why)
{
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++)
        if (!rows_put(&s->rows, rows[i].event, rows[i].setting, rows[i].value)) {
            snprintf(why, SETTINGS_WHY, "settings: out of memory");
            rc = FAILED;
        }
    settings_derive(s);
    return rc;
}

int settings_load(struct settings *s, const char *name, char why[SETTINGS_WHY])
{
    if (strcmp(name, "default") == 0)
        return merge_builtin(s, builtin_default, N(builtin_default), why);
    if (strcmp(name, "profile") == 0)
        return merge_builtin(s, builtin_profile, N(builtin_profile), why);
    if (strcmp(name, "none") == 0)
        return 0;
    s->has_file = true;
    return settings_load_file(s, name, why);
}

bool settings_has_file(const struct settings *s)
{
    return s->has_file;
}

static int set_setting(struct settings *s, const char *text, char why[SETTINGS_WHY])
{
    bool may_add = text[0] == '+';
    char line[SETTINGS_LINE];
    struct rows one = {0};
    const char *wrong;
    char *hash, *equals;

    if (snprintf(line, sizeof(line), "%s", text + may_add) >= (int)sizeof(line)) {
        snprintf(why, SETTINGS_WHY, "setting '%.40s...' is too long", text);
        return FAILED;
    }
    hash = strchr(line, '#');
    equals = hash == NULL ? NULL : strchr(hash, '=');
    if (equals == NULL || hash == line || equals == hash + 1) {
        snprintf(why, SETTINGS_WHY, "setting '%.200s' is not of the form event#setting=value",
                 text);
        return FAILED;
    }
    *hash = *equals = '\0';
    if (!may_add && jdk_type_find(line) == EV_N && find(&s->rows, line, NULL) == NULL) {
        snprintf(why, SETTINGS_WHY,
                 "setting '%.200s': there is no event '%.200s' (a leading '+' adds it)", text,
                 line);
        return FAILED;
    }
    wrong = rows_check(&one, line, hash + 1, equals + 1);
    if (wrong != NULL) {
        snprintf(why, SETTINGS_WHY, "setting '%.200s': '%.200s' %s", text, equals + 1, wrong);
        rows_free(&one);
        return FAILED;
    }
    return settings_merge(s, &one, why);
}

int settings_set(struct settings *s, const char *text, char why[SETTINGS_WHY])
{
    int rc = set_setting(s, text, why);

    if (rc != 0)
        settings_show(why);
    return rc;
}

/* --- reports --- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t list_unmade(const struct settings *s, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < s->rows.n; i++)
        if (strcmp(s->rows.list[i].setting, "enabled") == 0 &&
            strcmp(s->rows.list[i].value, "true") == 0 &&
            jdk_type_find(s->rows.list[i].event) >= EV_N_MADE)
            names[n++] = s->rows.list[i].event;
    qsort(names, n, sizeof(*names), compare);
    return n;
}

const char *settings_unmade(struct settings *s, size_t *n)
{
    const char **names = calloc(s->rows.n + 1, sizeof(*names));
    size_t bytes = 1;
    char *p;

    *n = 0;
    free(s->unmade);
    s->unmade = NULL;
    if (names == NULL)
        return "";
    *n = list_unmade(s, names);
    for (size_t i = 0; i < *n; i++)
        bytes += strlen(names[i]) + 2;
    p = s->unmade = malloc(bytes);
    for (size_t i = 0; i < *n && p != NULL; i++)
        p += sprintf(p, "%s%s", i == 0 ? "" : ", ", names[i]);
    if (p != NULL)
        *p = '\0';
    free(names);
    return s->unmade == NULL ? "" : s->unmade;
}

const char *settings_warning(const struct settings *s, size_t i)
{
    return i < s->n_warnings ? s->warnings[i] : NULL;
}

void settings_free(struct settings *s)
{
    if (s == NULL)
        return;
    rows_free(&s->rows);
    for (size_t i = 0; i < s->n_warnings; i++)
        free(s->warnings[i]);
    free(s->warnings);
    free(s->unmade);
    free(s->plugin);
    free(s);
}
