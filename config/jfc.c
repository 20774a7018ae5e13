/*
 * jfc.c - holds settings in the order in which they were read, and finds them by event and name.
 *
 * A later value replaces an earlier one. Each value remembers the file and line it came from, for
 * `jfrkit settings`. jfc_parse.c and jfc_override.c put values in through jfc_put().
 */
#include "config/jfc_internal.h"
#include "config/jfc_known.h"
#include "config/jfc_value.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/hashtable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLD_PREFIX "com.oracle.jdk." /* of JDK 9 and 10 */
#define NEW_PREFIX "jdk."

struct jfc {
    struct jfc_setting *settings; /* .event owns "event\0setting\0", .value is owned too */
    size_t n;
    struct hashtable places; /* of the settings */
    struct jfc_source *sources;
    size_t n_sources;
    struct jfc_warning warnings[JFC_WARNINGS_MAX];
    size_t n_warnings;
};

/* Text from outside onto one line. */
static void make_line(char *text)
{
    for (char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
}

int jfc_fail(struct jfc_error *err, enum jfc_errc code, const char *file, unsigned line,
             const char *fmt, ...)
{
    va_list ap;

    if (err->code != 0)
        return err->code;
    err->code = code;
    err->file = file;
    err->line = line;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    make_line(err->text);
    return code;
}

static int no_memory(struct jfc_error *err)
{
    return jfc_fail(err, JFC_E_NOMEM, NULL, 0, "out of memory");
}

struct jfc *jfc_new(void)
{
    return calloc(1, sizeof(struct jfc));
}

void jfc_free(struct jfc *c)
{
    size_t kept;

    if (c == NULL)
        return;
    for (size_t i = 0; i < c->n; i++) {
        free((char *)c->settings[i].event);
        free((char *)c->settings[i].value);
    }
    for (size_t i = 0; i < c->n_sources; i++) {
        const struct jfc_source *s = &c->sources[i];
        const char *texts[] = {s->name, s->version, s->label, s->description, s->provider};

        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
            free((char *)texts[t]);
    }
    kept = c->n_warnings < JFC_WARNINGS_MAX ? c->n_warnings : JFC_WARNINGS_MAX;
    for (size_t i = 0; i < kept; i++)
        free((char *)c->warnings[i].text);
    free(c->settings);
    hashtable_free(&c->places);
    free(c->sources);
    free(c);
}

int jfc_copy(const char **slot, const char *text, size_t n)
{
    free((char *)*slot);
    *slot = strndup(text, n);
    return *slot == NULL ? JFC_E_NOMEM : 0;
}

struct jfc_source *jfc_add_source(struct jfc *c, const char *name)
{
    struct jfc_source *s = realloc(c->sources, (c->n_sources + 1) * sizeof(*s));

    if (s == NULL)
        return NULL;
    c->sources = s;
    s += c->n_sources;
    *s = (struct jfc_source){.name = strdup(name)};
    if (s->name == NULL)
        return NULL;
    c->n_sources++;
    return s;
}

/* The same file and the same text. */
static bool has_warning(const struct jfc *c, const char *from, const char *text)
{
    for (size_t i = 0; i < c->n_warnings && i < JFC_WARNINGS_MAX; i++)
        if (c->warnings[i].from == from && strcmp(c->warnings[i].text, text) == 0)
            return true;
    return false;
}

void jfc_warn(struct jfc *c, const char *from, unsigned line, const char *fmt, ...)
{
    char text[sizeof(((struct jfc_error *)0)->text)];
    struct jfc_warning w = {from, line, NULL};
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    make_line(text);
    if (has_warning(c, from, text))
        return;
    if (c->n_warnings < JFC_WARNINGS_MAX) {
        w.text = strdup(text);
        if (w.text == NULL)
            return;
        c->warnings[c->n_warnings] = w;
    }
    c->n_warnings++;
}

static uint64_t hash_of(const char *event, const char *setting)
{
    return hash_mix(hash_text(event, strlen(event)), hash_text(setting, strlen(setting)));
}

static struct jfc_setting *find(const struct jfc *c, const char *event, const char *setting)
{
    uint64_t hash = hash_of(event, setting);
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&c->places, hash, &at)) != HASHTABLE_END;)
        if (strcmp(c->settings[i].event, event) == 0 &&
            strcmp(c->settings[i].setting, setting) == 0)
            return &c->settings[i];
    return NULL;
}

static int add(struct jfc *c, const struct jfc_setting *s, struct jfc_error *err)
{
    size_t n = strlen(s->event) + 1, m = strlen(s->setting) + 1;
    struct jfc_setting copy = *s;
    char *key;

    if (c->n == JFC_SETTINGS_MAX)
        return jfc_fail(err, JFC_E_LIMIT, s->from, s->line, "more than %d settings",
                        JFC_SETTINGS_MAX);
    if (!array_add(&c->settings, c->n, sizeof(*c->settings)) ||
        !hashtable_reserve(&c->places, c->n + 1) || (key = malloc(n + m)) == NULL)
        return no_memory(err);
    copy.event = memcpy(key, s->event, n);
    copy.setting = memcpy(key + n, s->setting, m);
    copy.value = strdup(s->value);
    if (copy.value == NULL) {
        free(key);
        return no_memory(err);
    }
    c->settings[c->n] = copy;
    hashtable_add(&c->places, hash_of(copy.event, copy.setting), c->n++); /* there is room */
    return 0;
}

static int replace(struct jfc *c, struct jfc_setting *old, const struct jfc_setting *s,
                   struct jfc_error *err)
{
    char *value;

    if (old->from == s->from && s->line != 0 && strcmp(old->value, s->value) != 0)
        jfc_warn(c, s->from, s->line, "%.100s#%.60s is set twice, '%.40s' in line %u is not used",
                 s->event, s->setting, old->value, old->line);
    value = strdup(s->value);
    if (value == NULL)
        return no_memory(err);
    free((char *)old->value);
    old->value = value;
    old->from = s->from;
    old->line = s->line;
    return 0;
}

/* The name that is used today. */
static const char *new_name(const char *event)
{
    if (strncmp(event, OLD_PREFIX, strlen(OLD_PREFIX)) == 0)
        event += strlen(OLD_PREFIX) - strlen(NEW_PREFIX);
    return event;
}

/* "what is not known", and what was perhaps meant. */
static void warn_of_name(struct jfc *c, const char *from, unsigned line, const char *what,
                         const struct jfc_guess *g)
{
    if (g->is_odd && g->meant != NULL)
        jfc_warn(c, from, line, "%s is not known, did you mean '%s%s'?", what, g->prefix, g->meant);
    else if (g->is_odd)
        jfc_warn(c, from, line, "%s is not known", what);
}

void jfc_check_event(struct jfc *c, const char *event, const char *from, unsigned line)
{
    struct jfc_guess g = {0};
    char what[JFC_NAME_MAX + 20];

    event = new_name(event);
    if (c->n_warnings < JFC_WARNINGS_MAX)
        g = jfc_guess_event(event);
    snprintf(what, sizeof(what), "event '%.100s'", event);
    warn_of_name(c, from, line, what, &g);
}

static void check_setting(struct jfc *c, const struct jfc_setting *s)
{
    struct jfc_guess g = {0};
    char what[2 * JFC_NAME_MAX];

    if (c->n_warnings < JFC_WARNINGS_MAX)
        g = jfc_guess_setting(s->event, s->setting);
    snprintf(what, sizeof(what), "setting '%.100s' of %.100s", s->setting, s->event);
    warn_of_name(c, s->from, s->line, what, &g);
}

int jfc_put(struct jfc *c, const struct jfc_setting *s, struct jfc_error *err)
{
    struct jfc_setting now = *s, *old;
    const char *wrong;
    bool is_harmless;

    now.event = new_name(s->event);
    wrong = jfc_value_wrong(now.event, now.setting, now.value, &is_harmless);
    if (wrong != NULL && !is_harmless)
        return jfc_fail(err, JFC_E_FORMAT, s->line == 0 ? NULL : s->from, s->line,
                        "%.100s#%.60s: '%.60s' %s", now.event, now.setting, now.value, wrong);
    if (wrong != NULL)
        jfc_warn(c, s->from, s->line, "%.100s#%.60s: '%.60s' %s", now.event, now.setting, now.value,
                 wrong);
    check_setting(c, &now);
    old = find(c, now.event, now.setting);
    return old == NULL ? add(c, &now, err) : replace(c, old, &now, err);
}

const char *jfc_get(const struct jfc *c, const char *event, const char *setting)
{
    const struct jfc_setting *s = find(c, event, setting);

    return s == NULL ? NULL : s->value;
}

const struct jfc_setting *jfc_settings(const struct jfc *c, size_t *n)
{
    *n = c->n;
    return c->settings;
}

const struct jfc_source *jfc_sources(const struct jfc *c, size_t *n)
{
    *n = c->n_sources;
    return c->sources;
}

const struct jfc_warning *jfc_warnings(const struct jfc *c, size_t *n)
{
    *n = c->n_warnings;
    return c->warnings;
}
