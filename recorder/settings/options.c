/*
 * options.c - parses the agent's option string and expands patterns of file names.
 *
 * One table holds name, kind, place and range of each option. A wrong option refuses the whole
 * string with one line, so that no recording runs with other settings than those that were meant.
 */
#include "recorder/settings/options.h"

#include "jfrfmt/base/quantity.h"
#include "recorder/settings/context_source.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum kind {
    TEXT,
    TIME,
    SIZE,
    FLAG,
    NUMBER,
    COMMAND,
    ENGINE,
    SOURCES
};

struct key {
    const char *name;
    enum kind kind;
    size_t at;
    int64_t min, max;
};

#define AT(member) offsetof(struct rec_options, member)
#define DAY INT64_C(86400000000000)
#define MS INT64_C(1000000)

/* clang-format off */
static const struct key keys[] = {
    {"command", COMMAND, AT(command), 0, 0},
    {"file", TEXT, AT(file), 0, 0},
    {"filename", TEXT, AT(file), 0, 0},
    {"settings", TEXT, AT(settings), 0, 0},
    {"reply", TEXT, AT(reply), 0, 0},
    {"log", TEXT, AT(log), 0, 0},
    {"walker", TEXT, AT(walker), 0, 0},
    {"engine", ENGINE, AT(engine), 0, 0},
    {"jfrsync", TEXT, AT(jfrsync), 0, 0},
    {"context", TEXT, AT(context), 0, 0},
    {"contextsource", SOURCES, AT(context_source), 0, 0},
    {"contextRedact", TEXT, AT(context_redact), 0, 0},
    {"delay", TIME, AT(delay), 0, 36500 * DAY},
    {"duration", TIME, AT(duration), 1, 36500 * DAY},
    {"maxage", TIME, AT(max_age), 0, 36500 * DAY},
    {"maxsize", SIZE, AT(max_size), 0, INT64_MAX},
    {"chunksize", SIZE, AT(chunk_size), 1 << 16, 1 << 30},
    {"chunktime", TIME, AT(chunk_time), 100 * MS, 36500 * DAY},
    {"buffer", SIZE, AT(buffer_size), 1 << 18, 1 << 30},
    {"depth", NUMBER, AT(depth), 1, 2048},
    {"snapshot", SIZE, AT(snapshot), 1 << 10, 1 << 20},
    {"cpu", TIME, AT(cpu), 10000, DAY},
    {"wall", TIME, AT(wall), 100000, DAY},
    {"lock", TIME, AT(lock), 0, DAY},
    {"exceptions", TIME, AT(exceptions), 0, DAY},
    {"alloc", SIZE, AT(alloc), 1, INT64_C(1) << 40},
    {"quiet", FLAG, AT(quiet), 0, 0},
};
/* clang-format on */

static const char *const commands[] = {"start", "stop", "dump", "status"};

static bool is_off(const char *text)
{
    return strcasecmp(text, "off") == 0;
}

bool rec_parse_time(const char *text, int64_t *ns)
{
    *ns = 0;
    return is_off(text) || quantity_time(text, ns) == QUANTITY_OK;
}

bool rec_parse_size(const char *text, int64_t *bytes)
{
    *bytes = 0;
    return is_off(text) || quantity_size(text, bytes) == QUANTITY_OK;
}

/* The message is one line, whatever was given. */
static int fail(char err[200], const char *what, const char *key)
{
    snprintf(err, 200, "option '%.60s': %.120s", key, what);
    for (char *p = err; *p != 0; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return -1;
}

static int set_number(struct rec_options *o, const struct key *k, const char *value, char err[200])
{
    int64_t v;
    bool ok = k->kind == TIME ? rec_parse_time(value, &v) : rec_parse_size(value, &v);
    bool may_be_off = k->kind != NUMBER;

    if (!ok)
        return fail(err,
                    k->kind == TIME   ? "not a time such as 10ms, 5s, 1h, off"
                    : k->kind == SIZE ? "not a size such as 512k, 100m, off"
                                      : "not a number",
                    k->name);
    if ((v != 0 || !may_be_off) && (v < k->min || v > k->max))
        return fail(err, v < k->min ? "too small" : "too large", k->name);
    *(int64_t *)(void *)((char *)o + k->at) = v;
    return 0;
}

static int set_flag(struct rec_options *o, const struct key *k, const char *value, char err[200])
{
    bool yes = *value == 0 || strcmp(value, "true") == 0;

    if (!yes && strcmp(value, "false") != 0)
        return fail(err, "neither true nor false", k->name);
    *((bool *)o + k->at) = yes;
    return 0;
}

static int set_command(struct rec_options *o, const char *value, char err[200])
{
    for (int i = 0; i < 4; i++)
        if (strcmp(value, commands[i]) == 0) {
            o->command = (enum rec_command)i;
            return 0;
        }
    return fail(err, "none of start, stop, dump, status", "command");
}

static int set_engine(struct rec_options *o, const char *value, char err[200])
{
    if (strcmp(value, "timer") != 0 && strcmp(value, "perf") != 0)
        return fail(err, "neither timer nor perf", "engine");
    o->engine = value;
    return 0;
}

static int set_sources(struct rec_options *o, const char *value, char err[200])
{
    struct context_source source;
    char why[CONTEXT_SOURCE_WHY];

    if (context_source_parse(value, &source, why) != 0)
        return fail(err, why, "contextsource");
    o->context_source = value;
    return 0;
}

static int set(struct rec_options *o, const struct key *k, const char *value, char err[200])
{
    switch (k->kind) {
    case TEXT:
        if (*value == 0)
            return fail(err, "is empty", k->name);
        *(const char **)(void *)((char *)o + k->at) = value;
        return 0;
    case FLAG:
        return set_flag(o, k, value, err);
    case COMMAND:
        return set_command(o, value, err);
    case ENGINE:
        return set_engine(o, value, err);
    case SOURCES:
        return set_sources(o, value, err);
    default:
        return set_number(o, k, value, err);
    }
}

static const struct key *find(const char *name)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

/* One "key=value", unescaped. `seen` has a bit for each key that came before. */
static int option(struct rec_options *o, char *text, uint64_t *seen, char err[200])
{
    char *equals = strchr(text, '=');
    const struct key *k;

    if (strchr(text, '#') != NULL && (equals == NULL || strchr(text, '#') < equals)) {
        if (equals == NULL)
            return fail(err, "an override needs a value", text);
        if (o->n_overrides == REC_OVERRIDES_MAX)
            return fail(err, "too many overrides", text);
        o->overrides[o->n_overrides++] = text;
        return 0;
    }
    if (equals != NULL)
        *equals = 0;
    k = find(text);
    if (k == NULL)
        return fail(err, "unknown", text);
    if (equals == NULL && k->kind != FLAG)
        return fail(err, "needs a value", text);
    if ((*seen & UINT64_C(1) << (k - keys)) != 0)
        return fail(err, "given twice", text);
    *seen |= UINT64_C(1) << (k - keys);
    return set(o, k, equals == NULL ? "" : equals + 1, err);
}

static void set_unset(struct rec_options *o)
{
    memset(o, 0, sizeof(*o));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].kind == TIME || keys[i].kind == SIZE || keys[i].kind == NUMBER)
            *(int64_t *)(void *)((char *)o + keys[i].at) = REC_UNSET;
}

/* Ends the option at p where its comma is, resolves backslashes; what comes after it, or NULL. */
static char *cut_option(char *p)
{
    char *out = p;

    for (; *p != 0 && *p != ','; p++) {
        if (*p == '\\' && p[1] != 0)
            p++;
        *out++ = *p;
    }
    p = *p == ',' ? p + 1 : NULL;
    *out = 0;
    return p;
}

/* Recordings are written as they are: packed ones cannot be read before their end. */
static int check_file_name(const char *file, char err[200])
{
    static const char *const packed[] = {".gz", ".zst", ".lz4", ".zip"};
    size_t n = file == NULL ? 0 : strlen(file);

    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
        size_t m = strlen(packed[i]);

        if (n <= m || strcmp(file + n - m, packed[i]) != 0)
            continue;
        snprintf(err, 200,
                 "a recording is not packed while it is written: name it .jfr, not %s, and pack it "
                 "with jfrkit cat -o app.jfr%s app.jfr",
                 packed[i], packed[i]);
        return -1;
    }
    return 0;
}

int rec_options_parse(struct rec_options *o, const char *text, char err[200])
{
    uint64_t seen = 0;
    char *p, *next;

    set_unset(o);
    err[0] = 0;
    if (text == NULL)
        return 0;
    if (strlen(text) > REC_OPTIONS_MAX) {
        snprintf(err, 200, "options are longer than %d bytes", REC_OPTIONS_MAX);
        return -1;
    }
    o->text = strdup(text);
    if (o->text == NULL) {
        snprintf(err, 200, "no memory for options");
        return -1;
    }
    for (p = o->text; p != NULL; p = next) {
        next = cut_option(p);
        if (*p != 0 && option(o, p, &seen, err) != 0) {
            rec_options_free(o);
            return -1;
        }
    }
    if (check_file_name(o->file, err) != 0) {
        rec_options_free(o);
        return -1;
    }
    return 0;
}

void rec_options_reply(const char *text, char *out, size_t room)
{
    const char *p = text == NULL ? NULL : strstr(text, "reply=");
    size_t n = 0;

    if (p != NULL && (p == text || p[-1] == ','))
        for (p += 6; *p != 0 && *p != ',' && n + 1 < room; p++)
            out[n++] = *p;
    out[n] = 0;
}

void rec_options_free(struct rec_options *o)
{
    free(o->text);
    set_unset(o);
}

static size_t host_name(char *out, size_t room)
{
    size_t n;

    if (gethostname(out, room) != 0)
        snprintf(out, room, "localhost");
    out[room - 1] = 0;
    n = strlen(out);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)out[i]) && strchr("-_.", out[i]) == NULL)
            out[i] = '_';
    return n;
}

static int expand_letter(char what, int64_t start_nanos, unsigned n, char *out, size_t room)
{
    time_t seconds = (time_t)(start_nanos / 1000000000);
    struct tm tm;

    switch (what) {
    case '%':
        return snprintf(out, room, "%%");
    case 'p':
        return snprintf(out, room, "%ld", (long)getpid());
    case 'n':
        return snprintf(out, room, "%u", n);
    case 't':
        localtime_r(&seconds, &tm);
        return (int)strftime(out, room, "%Y%m%d-%H%M%S", &tm);
    case 'h':
        return (int)host_name(out, room);
    default:
        return -1;
    }
}

int rec_options_file(const char *pattern, int64_t start_nanos, unsigned n, char *out, size_t room)
{
    size_t at = 0;

    for (const char *p = pattern; *p != 0; p++) {
        char part[256] = {*p, 0};
        int more = *p == '%' ? expand_letter(*++p, start_nanos, n, part, sizeof(part)) : 1;

        if (more < 0 || at + (size_t)more >= room)
            return -1;
        memcpy(out + at, part, (size_t)more);
        at += (size_t)more;
    }
    out[at] = 0;
    return at > 0 ? 0 : -1;
}
