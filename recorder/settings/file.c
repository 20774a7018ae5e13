/*
 * file.c - reads settings from files: lines EVENT#SETTING=VALUE here, XML (.jfc) by
 * libjfrkit-config.so, which is loaded only for that, since it needs libxml2.
 */
#include "recorder/settings/internal.h"

#include "config/jfc_plugin.h"
#include "config/jfc_rows.h"
#include "jfrfmt/base/array.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED (-1)

/* --- lines --- */

/* Undoes the escapes in place; false when there is another one. */
static bool unescape_value(char *text)
{
    static const char from[] = "\\nrt", to[] = "\\\n\r\t";
    char *out = text;

    for (char *p = text; *p != '\0'; p++) {
        if (*p == '\\') {
            const char *which = *++p == '\0' ? NULL : strchr(from, *p);

            if (which == NULL)
                return false;
            *out++ = to[which - from];
        } else {
            *out++ = *p;
        }
    }
    *out = '\0';
    return true;
}

/* Reads a line. Returns what is wrong with it, or NULL. */
static const char *read_line(char *line, struct rows *rows)
{
    char *hash = strchr(line, '#'), *equals;

    if (line[0] == '\0' || line[0] == '#')
        return NULL;
    equals = hash == NULL ? NULL : strchr(hash, '=');
    if (equals == NULL || equals == hash + 1)
        return "is not of the form event#setting=value";
    *hash = *equals = '\0';
    if (!unescape_value(equals + 1))
        return "has an unknown escape";
    return rows_check(rows, line, hash + 1, equals + 1);
}

static int read_lines(struct settings *s, const char *path, char *text, char *why)
{
    struct rows rows = {0};
    char *next, shown[201];
    unsigned n = 0;

    for (char *line = text; line != NULL; line = next) {
        const char *wrong;

        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        snprintf(shown, sizeof(shown), "%s", line);
        settings_show(shown);
        if (++n == 1) /* was compared already */
            continue;
        wrong = strlen(line) < SETTINGS_LINE ? read_line(line, &rows) : "is too long";
        if (wrong != NULL) {
            snprintf(why, SETTINGS_WHY, "%.300s:%u: '%s' %s", path, n, shown, wrong);
            rows_free(&rows);
            return FAILED;
        }
    }
    return settings_merge(s, &rows, why);
}

/* --- XML --- */

static bool beside_this(char path[PATH_MAX])
{
    Dl_info info;
    const char *slash;

    if (dladdr((void *)(uintptr_t)settings_load_file, &info) == 0 || info.dli_fname == NULL)
        return false;
    slash = strrchr(info.dli_fname, '/');
    return snprintf(path, PATH_MAX, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - info.dli_fname),
                    info.dli_fname, JFC_PLUGIN_NAME) < PATH_MAX;
}

struct reading {
    struct settings *s;
    struct rows rows;
    bool failed;
};

static void take_setting(void *ctx, const char *event, const char *setting, const char *value)
{
    struct reading *r = ctx;

    if (rows_check(&r->rows, event, setting, value) != NULL)
        r->failed = true; /* the library has checked the values, so it is out of memory */
}

static void take_warning(void *ctx, const char *text)
{
    struct settings *s = ((struct reading *)ctx)->s;

    if (s->n_warnings == SETTINGS_WARNINGS)
        return;
    if (array_add(&s->warnings, s->n_warnings, sizeof(*s->warnings)) &&
        (s->warnings[s->n_warnings] = strdup(text)) != NULL)
        s->n_warnings++;
}

static int call_plugin(struct settings *s, jfc_plugin_fn read, const char *path, char *why)
{
    struct reading r = {.s = s};
    char error[JFC_PLUGIN_ERROR];

    if (read(path, &(struct jfc_plugin_calls){&r, take_setting, take_warning}, error) != 0 ||
        r.failed) {
        snprintf(why, SETTINGS_WHY, "%s", r.failed ? "settings: out of memory" : error);
        rows_free(&r.rows);
        return FAILED;
    }
    return settings_merge(s, &r.rows, why);
}

static int read_xml(struct settings *s, const char *path, char *why)
{
    char beside[PATH_MAX];
    const char *plugin = s->plugin;
    jfc_plugin_fn read;
    void *lib;
    int rc;

    if (plugin == NULL && beside_this(beside))
        plugin = beside;
    /* libxml2 leaves a destructor for the data of this thread behind, so it must stay mapped. */
    lib = plugin == NULL ? NULL : dlopen(plugin, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (lib == NULL) {
        snprintf(why, SETTINGS_WHY,
                 "%.200s: cannot be read without " JFC_PLUGIN_NAME
                 " (%.300s); 'jfrec' can resolve it",
                 path, plugin == NULL ? "not found" : dlerror());
        return FAILED;
    }
    *(void **)&read = dlsym(lib, JFC_PLUGIN_SYMBOL);
    if (read == NULL) {
        snprintf(why, SETTINGS_WHY, "%.300s: is of another version", plugin);
        rc = FAILED;
    } else {
        rc = call_plugin(s, read, path, why);
    }
    dlclose(lib);
    return rc;
}

/* --- opening --- */

static int fail_errno(const char *path, char *why)
{
    snprintf(why, SETTINGS_WHY, "%.400s: %s", path, strerror(errno));
    return FAILED;
}

/* A regular file of at most JFC_FILE_MAX bytes, NUL-terminated; NULL and *why. */
static char *read_settings_file(const char *path, char *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    char *text = NULL;
    size_t n = 0;
    ssize_t got;

    if (fd < 0 || fstat(fd, &st) != 0) {
        fail_errno(path, why);
    } else if (!S_ISREG(st.st_mode)) {
        snprintf(why, SETTINGS_WHY, "%.400s: not a regular file", path);
    } else if ((text = malloc(JFC_FILE_MAX + 1)) == NULL) {
        snprintf(why, SETTINGS_WHY, "%.400s: out of memory", path);
    } else {
        while (n < JFC_FILE_MAX && (got = read(fd, text + n, JFC_FILE_MAX - n)) > 0)
            n += (size_t)got;
        text[n] = '\0';
        if (n == JFC_FILE_MAX || strlen(text) != n) {
            snprintf(why, SETTINGS_WHY, "%.400s: %s", path,
                     n == JFC_FILE_MAX ? "too large" : "holds a NUL");
            free(text);
            text = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return text;
}

int settings_load_file(struct settings *s, const char *path, char *why)
{
    size_t n = strlen(JFC_ROWS_FIRST_LINE);
    char *text = read_settings_file(path, why);
    int rc;

    if (text == NULL)
        return FAILED;
    if (strncmp(text, JFC_ROWS_FIRST_LINE, n) == 0 && (text[n] == '\n' || text[n] == '\0'))
        rc = read_lines(s, path, text, why);
    else
        rc = read_xml(s, path, why);
    free(text);
    return rc;
}
