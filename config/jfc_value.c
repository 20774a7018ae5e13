/*
 * jfc_value.c - checks values of settings: durations, rates, booleans, periods.
 *
 * In: the text of a value, and the event and setting it is for. Out: NULL, or what is wrong as
 * words that continue "the value ...". The recorder and `jfrkit settings` use the same rules.
 */
#include "config/jfc_value.h"

#include <stddef.h>
#include <string.h>

#define NS_PER_MS 1000000

struct unit {
    const char *name;
    int64_t ns;
};

static const struct unit units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", NS_PER_MS},
    {"s", INT64_C(1000) * NS_PER_MS},
    {"m", INT64_C(60000) * NS_PER_MS},
    {"h", INT64_C(3600000) * NS_PER_MS},
    {"d", INT64_C(86400000) * NS_PER_MS},
};

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads digits at *p, and moves *p after them and the blanks that follow. Returns what is wrong, or
 * NULL. */
static const char *read_number(const char **p, int64_t *value)
{
    const char *at = *p;

    if (*at == '-')
        return "must not be negative";
    if (*at < '0' || *at > '9')
        return "is not a number with a unit, such as 20 ms";
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *at - '0', value))
            return "is out of range";
    if (*at == '.' || *at == ',')
        return "must be a whole number";
    *p = skip_blanks(at);
    return NULL;
}

/* Returns the unit that the rest of the text is, or NULL. */
static const struct unit *find_unit(const char *text)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text, units[i].name) == 0)
            return &units[i];
    return NULL;
}

const char *jfc_duration(const char *text, int64_t *ns)
{
    const struct unit *unit;
    const char *wrong;

    if (strcmp(text, "infinity") == 0) {
        *ns = INT64_MAX;
        return NULL;
    }
    if ((wrong = read_number(&text, ns)) != NULL)
        return wrong;
    if (*text == '\0')
        return "lacks a unit: ns, us, ms, s, m, h or d";
    if ((unit = find_unit(text)) == NULL)
        return "has an unknown unit; there are ns, us, ms, s, m, h and d";
    return __builtin_mul_overflow(*ns, unit->ns, ns) ? "is out of range" : NULL;
}

const char *jfc_rate(const char *text, int64_t *events, int64_t *per_ns)
{
    const struct unit *unit;
    const char *wrong;

    *events = INT64_MAX;
    *per_ns = 1;
    if (strcmp(text, "off") == 0)
        return NULL;
    if (strchr(text, '/') == NULL)
        return "is neither 'off' nor a rate, such as 100/s";
    if ((wrong = read_number(&text, events)) != NULL)
        return wrong;
    if (*text != '/' || (unit = find_unit(skip_blanks(text + 1))) == NULL)
        return "is not a rate, such as 100/s, with unit ns, us, ms, s, m, h or d";
    *per_ns = unit->ns;
    return NULL;
}

static const char *check_boolean(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ? NULL
                                                                     : "is neither true nor false";
}

static const char *check_duration(const char *value)
{
    int64_t ns;

    return jfc_duration(value, &ns);
}

static const char *check_period(const char *value, bool *is_harmless)
{
    static const char *const chunk[] = {"everyChunk", "beginChunk", "endChunk"};
    const char *wrong;
    int64_t ns;

    for (size_t i = 0; i < sizeof(chunk) / sizeof(chunk[0]); i++)
        if (strcmp(value, chunk[i]) == 0)
            return NULL;
    wrong = jfc_duration(value, &ns);
    if (wrong == NULL && ns > 0 && ns < NS_PER_MS) {
        *is_harmless = true;
        return "is shorter than 1 ms, which the JDK's recorder uses instead";
    }
    return wrong;
}

/* JDK 25's CPU time sampler takes a rate or a period. */
static const char *check_throttle(const char *event, const char *value)
{
    int64_t events, ns;

    if (strcmp(event, "jdk.CPUTimeSample") == 0 && strchr(value, '/') == NULL &&
        strcmp(value, "off") != 0)
        return jfc_duration(value, &ns);
    return jfc_rate(value, &events, &ns);
}

/* How stacks are walked; the recorder's own setting. */
static const char *check_walker(const char *value)
{
    static const char *const walkers[] = {"signal", "parked", "snapshot", "agct"};

    for (size_t i = 0; i < sizeof(walkers) / sizeof(walkers[0]); i++)
        if (strcmp(value, walkers[i]) == 0)
            return NULL;
    return "is none of signal, parked, snapshot, agct";
}

const char *jfc_value_wrong(const char *event, const char *setting, const char *value,
                            bool *is_harmless)
{
    *is_harmless = false;
    if (strcmp(setting, "enabled") == 0 || strcmp(setting, "stackTrace") == 0 ||
        strcmp(setting, "withContext") == 0)
        return check_boolean(value);
    if (strcmp(setting, "threshold") == 0 || strcmp(setting, "cutoff") == 0)
        return check_duration(value);
    if (strcmp(setting, "period") == 0)
        return check_period(value, is_harmless);
    if (strcmp(setting, "throttle") == 0)
        return check_throttle(event, value);
    if (strcmp(setting, "walker") == 0 && strcmp(event, "jdk.ExecutionSample") == 0)
        return check_walker(value);
    return NULL;
}
