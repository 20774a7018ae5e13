/*
 * jfc_override.c - applies single settings of a user, EVENT#SETTING=VALUE, to a merged
 * configuration.
 *
 * A setting has to exist, unless the text begins with '+'. An error names the nearest one.
 */
#include "config/jfc_internal.h"
#include "config/jfc_known.h"

#include <stdbool.h>
#include <string.h>

#define CLOSE 2 /* typing errors in a name that is still recognised */

const char *jfc_name_wrong(const char *name, size_t n)
{
    if (n == 0)
        return "is empty";
    if (n > JFC_NAME_MAX)
        return "is too long";
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];

        if (!(c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
              (c >= 'a' && c <= 'z') || (c != '\0' && strchr("._$-", c) != NULL)))
            return "has a character that no name has";
    }
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *jfc_trim(const char *text, size_t *n)
{
    for (; *n > 0 && is_blank(text[*n - 1]); --*n)
        ;
    for (; *n > 0 && is_blank(*text); --*n)
        text++;
    return text;
}

/* The parts of an override. */
struct override {
    char event[JFC_NAME_MAX + 1], setting[JFC_NAME_MAX + 1], value[JFC_TEXT_MAX + 1];
    bool is_new; /* began with '+' */
};

static int copy_name(char *to, const char *name, size_t n, const char *text, struct jfc_error *err)
{
    const char *wrong = jfc_name_wrong(name, n);

    if (wrong != NULL)
        return jfc_fail(err, JFC_E_FORMAT, NULL, 0, "'%.100s': the name '%.*s' %s", text,
                        n > 60 ? 60 : (int)n, name, wrong);
    memcpy(to, name, n);
    to[n] = '\0';
    return 0;
}

static int split(struct override *o, const char *text, struct jfc_error *err)
{
    const char *event = text + (text[0] == '+'), *equals = strchr(text, '=');
    const char *hash = memchr(event, '#', equals == NULL ? 0 : (size_t)(equals - event)), *value;
    size_t n;

    o->is_new = text[0] == '+';
    if (hash == NULL)
        return jfc_fail(err, JFC_E_FORMAT, NULL, 0, "'%.100s' is not EVENT#SETTING=VALUE", text);
    if (copy_name(o->event, event, (size_t)(hash - event), text, err) < 0 ||
        copy_name(o->setting, hash + 1, (size_t)(equals - hash - 1), text, err) < 0)
        return err->code;
    n = strlen(equals + 1);
    value = jfc_trim(equals + 1, &n);
    if (n > JFC_TEXT_MAX)
        return jfc_fail(err, JFC_E_LIMIT, NULL, 0, "%.100s#%.60s: value of more than %d bytes",
                        o->event, o->setting, JFC_TEXT_MAX);
    memcpy(o->value, value, n);
    o->value[n] = '\0';
    return 0;
}

/* Returns the nearest name in the configuration: a setting of this event, or an event if setting is
 * NULL. */
static const char *nearest_name(const struct jfc *c, const char *event, const char *setting)
{
    const char *found = NULL;
    unsigned best = CLOSE + 1;
    size_t n;
    const struct jfc_setting *s = jfc_settings(c, &n);

    for (size_t i = 0; i < n; i++) {
        const char *name = setting == NULL ? s[i].event : s[i].setting;
        unsigned d = best;

        if (setting == NULL)
            d = jfc_distance(event, name, CLOSE);
        else if (strcmp(s[i].event, event) == 0)
            d = jfc_distance(setting, name, CLOSE);
        if (d < best) {
            best = d;
            found = name;
        }
    }
    return found;
}

/* Without '+' both names must exist. */
static int check_known(const struct jfc *c, const struct override *o, struct jfc_error *err)
{
    const char *meant;
    size_t n;
    const struct jfc_setting *s = jfc_settings(c, &n);
    bool has_event = false, has_setting = jfc_get(c, o->event, o->setting) != NULL;

    for (size_t i = 0; i < n && !has_event; i++)
        has_event = strcmp(s[i].event, o->event) == 0;
    if (has_setting)
        return 0;
    meant = nearest_name(c, o->event, has_event ? o->setting : NULL);
    if (meant != NULL)
        return jfc_fail(err, JFC_E_FORMAT, NULL, 0,
                        "no %.100s#%.60s is set, did you mean '%.100s'?", o->event, o->setting,
                        meant);
    return jfc_fail(err, JFC_E_FORMAT, NULL, 0, "no %.100s#%.60s is set; '+' before it adds it",
                    o->event, o->setting);
}

int jfc_override(struct jfc *c, const char *text, const char *from, struct jfc_error *err)
{
    struct override o;

    if (split(&o, text, err) < 0 || (!o.is_new && check_known(c, &o, err) < 0))
        return err->code;
    jfc_check_event(c, o.event, from, 0);
    return jfc_put(c, &(struct jfc_setting){o.event, o.setting, o.value, from, 0}, err);
}
