/* options.c - the users' options of a recording, and the agent's. */
#include "tools/rec/rec.h"

#include "config/jfc.h"
#include "config/jfc_rows.h"
#include "convert/text/timespec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define AT(member) offsetof(struct rec_args, member)

const struct cli_option rec_what_table[REC_WHAT_N] = {
    {'o', "output", "FILE", "recording to write; %p pid, %t time, %h host", CLI_STRING, AT(output)},
    {0, "settings", "NAME|FILE", "default, profile, none, or a .jfc file (repeatable)", CLI_LIST,
     AT(settings)},
    {'s', "setting", "E#S=VALUE", "one setting: jdk.FileRead#threshold=5ms", CLI_LIST,
     AT(overrides)},
    {0, "jfrsync", "NAME|FILE", "record by the JDK, too: default, profile or a .jfc", CLI_LIST,
     AT(jfrsync)},
    {0, "context-source", "SOURCES", "auto, none, otel, otel+mdc=KEY+KEY. Default: auto",
     CLI_STRING, AT(context_source)},
    {0, "option", "KEY=VALUE", "pass KEY=VALUE to the agent unchanged", CLI_LIST, AT(extra)},
};

const struct cli_option rec_engines_table[REC_ENGINES_N] = {
    {0, "cpu", "INTERVAL", "CPU time between samples of a thread, or off.\nDefault: 20ms",
     CLI_STRING, AT(cpu)},
    {0, "wall", "INTERVAL", "time between samples of all threads. Default: off", CLI_STRING,
     AT(wall)},
    {0, "alloc", "BYTES",
     "bytes between samples of allocations, or off.\nDefault: 150 samples a second", CLI_STRING,
     AT(alloc)},
    {0, "lock", "TIME", "record waits for locks of at least TIME, or off.\nDefault: 20ms",
     CLI_STRING, AT(lock)},
};

const struct cli_option rec_limits_table[] = {
    {'d', "duration", "TIME", "end the recording after TIME, e.g. 60s", CLI_STRING, AT(duration)},
    {0, "delay", "TIME", "begin the recording after TIME, e.g. 30s", CLI_STRING, AT(delay)},
    {0, "max-age", "TIME", "keep the last TIME (10m), in files NAME-1.jfr, ...", CLI_STRING,
     AT(max_age)},
    {0, "max-size", "SIZE", "keep the last SIZE (250MB), in files NAME-1.jfr, ...", CLI_STRING,
     AT(max_size)},
};

const struct cli_option rec_agent_table[] = {
    {0, "agent", "FILE", "the agent's library. Default: beside jfrkit", CLI_STRING, AT(agent)},
};

const struct cli_option rec_target_table[] = {
    {0, "timeout", "SECONDS", "time the JVM has to answer. Default: 10 s", CLI_UNSIGNED,
     AT(timeout)},
};

const struct cli_option rec_quiet_table[] = {
    {'q', "quiet", NULL, "print nothing but errors", CLI_FLAG, AT(quiet)},
};

const struct cli_option rec_json_table[] = {
    {0, "json", NULL, "print JSON", CLI_FLAG, AT(json)},
};

const struct cli_option rec_reply_table[] = {
    {'q', "quiet", NULL, "print nothing but errors", CLI_FLAG, AT(quiet)},
    {'v', "verbose", NULL, "print all counters", CLI_FLAG, AT(verbose)},
    {0, "json", NULL, "print all counters as JSON", CLI_FLAG, AT(json)},
};

const struct cli_option rec_children_table[] = {
    {0, "children", NULL, "also record JVMs that a java command starts", CLI_FLAG, AT(children)},
};

void rec_args_free(struct rec_args *args)
{
    cli_list_free(&args->settings);
    cli_list_free(&args->overrides);
    cli_list_free(&args->extra);
}

void rec_add_option(struct buf *b, const char *key, const char *value)
{
    if (b->n > 0)
        buf_byte(b, ',');
    buf_str(b, key);
    buf_byte(b, '=');
    for (; *value != '\0'; value++) {
        if (*value == ',' || *value == '\\')
            buf_byte(b, '\\');
        buf_byte(b, (uint8_t)*value);
    }
}

static bool is_option_off(const char *text)
{
    return strcmp(text, "off") == 0 || strcmp(text, "0") == 0;
}

/* A time as the agent reads it. 0, or an exit code after a message. */
static int add_time(const struct cli_command *command, struct buf *b, const char *key,
                    const char *shown, const char *text)
{
    struct jfr_error err = {0};
    char value[32] = "off";
    int64_t ns;

    if (text == NULL)
        return 0;
    if (!is_option_off(text)) {
        if (timespec_duration(text, &ns, &err) < 0)
            return cli_usage(command, "--%s: %s", shown, err.text);
        if (ns <= 0)
            return cli_usage(command, "--%s: '%s' is not a time, such as 10ms or 5m", shown, text);
        snprintf(value, sizeof(value), "%lldns", (long long)ns);
    }
    rec_add_option(b, key, value);
    return 0;
}

static int add_size(const struct cli_command *command, struct buf *b, const char *key,
                    const char *shown, const char *text)
{
    struct jfr_error err = {0};
    char value[32] = "off";
    uint64_t bytes;

    if (text == NULL)
        return 0;
    if (!is_option_off(text)) {
        if (timespec_size(text, &bytes, &err) < 0)
            return cli_usage(command, "--%s: %s", shown, err.text);
        if (bytes > INT64_MAX)
            return cli_usage(command, "--%s: '%s' is too large", shown, text);
        snprintf(value, sizeof(value), "%llu", (unsigned long long)bytes);
    }
    rec_add_option(b, key, value);
    return 0;
}

static int add_option_text(const struct cli_command *command, struct buf *b, const char *key,
                           const char *shown, const char *text)
{
    if (text == NULL)
        return 0;
    if (*text == '\0')
        return cli_usage(command, "--%s is empty", shown);
    rec_add_option(b, key, text);
    return 0;
}

static int open_tmp(const struct rec_files *files)
{
    return files->jvm != NULL ? attach_open_dir(files->jvm, "/tmp")
                              : open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A new file in that /tmp, which its user alone may read. NULL and errno. */
static FILE *make_file(struct rec_files *files)
{
    struct attach_identity before = {geteuid(), getegid()};
    int tmp = open_tmp(files), fd = -1;
    char *name = files->names[files->n];
    uint64_t number = 0;

    if (tmp < 0)
        return NULL;
    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        number = (uint64_t)getpid();
    snprintf(name, sizeof(files->names[0]), ".jfrec-%016llx.settings", (unsigned long long)number);
    if (files->jvm != NULL)
        before = attach_become(files->jvm);
    fd = openat(tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    attach_return(before);
    close(tmp);
    if (fd < 0)
        return NULL;
    files->n++;
    return fdopen(fd, "w");
}

void rec_files_remove(struct rec_files *files)
{
    struct attach_identity before = {geteuid(), getegid()};
    int tmp = files->n == 0 ? -1 : open_tmp(files);

    if (tmp < 0)
        return;
    if (files->jvm != NULL)
        before = attach_become(files->jvm);
    for (int i = 0; i < files->n; i++)
        unlinkat(tmp, files->names[i], 0);
    attach_return(before);
    close(tmp);
    files->n = 0;
}

static bool is_built_in(const char *name)
{
    return strcmp(name, "default") == 0 || strcmp(name, "profile") == 0 ||
           strcmp(name, "none") == 0;
}

static void say_warnings(const struct cli_command *command, const struct jfc *jfc)
{
    size_t all;
    const struct jfc_warning *w = jfc_warnings(jfc, &all);

    for (size_t i = 0; i < all && i < JFC_WARNINGS_MAX; i++)
        cli_error(command, "%s:%u: warning: %s", w[i].from, w[i].line, w[i].text);
}

/* Writes a run of .jfc files as one file for the agent and adds its path to the list. */
static int write_rows(const struct cli_command *command, const struct jfc *jfc,
                      struct rec_files *files, struct buf *list)
{
    FILE *out;
    bool failed;

    if ((size_t)files->n == sizeof(files->names) / sizeof(files->names[0]))
        return cli_usage(command, "--settings: at most 8 groups of files between built-in names");
    out = make_file(files);
    if (out == NULL) {
        cli_error(command, "cannot write settings to /tmp: %s", strerror(errno));
        return EXIT_FAILED;
    }
    failed = jfc_rows_write(jfc, out) < 0;
    if (fclose(out) != 0 || failed) {
        cli_error(command, "cannot write settings to /tmp: %s", strerror(errno));
        return EXIT_FAILED;
    }
    buf_printf(list, "%s/tmp/%s", list->n > 0 ? ";" : "", files->names[files->n - 1]);
    return 0;
}

/* Reads the files from item *i on up to the next built-in name. */
static int add_files(const struct cli_command *command, const struct rec_args *args, size_t *i,
                     struct rec_files *files, struct buf *list)
{
    struct jfc *jfc = jfc_new();
    struct jfc_error err = {0};
    int rc = 0;

    if (jfc == NULL) {
        cli_error(command, "out of memory");
        return EXIT_FAILED;
    }
    for (; rc == 0 && *i < args->settings.n && !is_built_in(args->settings.items[*i]); ++*i)
        if (jfc_read_file(jfc, args->settings.items[*i], &err) < 0) {
            if (err.line == 0)
                cli_error(command, "%s: %s", args->settings.items[*i], err.text);
            else
                cli_error(command, "%s:%u: %s", args->settings.items[*i], err.line, err.text);
            rc = EXIT_FAILED;
        }
    if (rc == 0 && !args->quiet)
        say_warnings(command, jfc);
    if (rc == 0)
        rc = write_rows(command, jfc, files, list);
    jfc_free(jfc);
    return rc;
}

static int add_settings(const struct cli_command *command, const struct rec_args *args,
                        struct rec_files *files, struct buf *b)
{
    struct buf list = {0};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < args->settings.n;) {
        if (is_built_in(args->settings.items[i]))
            buf_printf(&list, "%s%s", list.n > 0 ? ";" : "", args->settings.items[i++]);
        else
            rc = add_files(command, args, &i, files, &list);
    }
    buf_byte(&list, '\0');
    if (rc == 0 && list.n > 1)
        rec_add_option(b, "settings", (char *)list.p);
    buf_free(&list);
    return rc;
}

/* A name that the JDK knows, or a file by a name that the JVM finds too. */
static int add_jfrsync_item(const struct cli_command *command, const char *name, struct buf *list)
{
    size_t n = strlen(name);
    bool is_file = strchr(name, '/') != NULL || (n > 4 && strcmp(name + n - 4, ".jfc") == 0);
    bool is_relative = is_file && name[0] != '/';
    char *cwd = is_relative ? getcwd(NULL, 0) : NULL;
    int rc = 0;

    if (n == 0)
        rc = cli_usage(command, "--jfrsync: name settings: default, profile or a .jfc file");
    else if (strchr(name, ';') != NULL || (cwd != NULL && strchr(cwd, ';') != NULL))
        rc = cli_usage(command, "--jfrsync: '%s' has a ';', which separates names: rename the file",
                       strchr(name, ';') != NULL ? name : cwd);
    else if (is_relative && cwd == NULL) {
        cli_error(command, "--jfrsync %s: the working folder: %s", name, strerror(errno));
        rc = EXIT_FAILED;
    } else {
        buf_printf(list, "%s%s%s%s", list->n > 0 ? ";" : "", is_relative ? cwd : "",
                   is_relative ? "/" : "", name);
    }
    free(cwd);
    return rc;
}

static int add_jfrsync(const struct cli_command *command, const struct rec_args *args,
                       struct buf *b)
{
    struct buf list = {0};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < args->jfrsync.n; i++)
        rc = add_jfrsync_item(command, args->jfrsync.items[i], &list);
    buf_byte(&list, '\0');
    if (rc == 0 && list.n > 1)
        rec_add_option(b, "jfrsync", (char *)list.p);
    buf_free(&list);
    return rc;
}

/* KEY=VALUE of --option and --setting; a setting has '#' in its key, an option has not. */
static int add_pairs(const struct cli_command *command, const struct cli_list *pairs,
                     const char *shown, bool is_setting, struct buf *b)
{
    for (size_t i = 0; i < pairs->n; i++) {
        const char *equals = strchr(pairs->items[i], '=');
        size_t n = equals == NULL ? 0 : (size_t)(equals - pairs->items[i]);
        char key[600];

        if (n == 0 || n >= sizeof(key) || (memchr(pairs->items[i], '#', n) != NULL) != is_setting ||
            memchr(pairs->items[i], ',', n) != NULL || memchr(pairs->items[i], '\\', n) != NULL)
            return cli_usage(command, "--%s: '%s' is not %s", shown, pairs->items[i],
                             is_setting ? "EVENT#SETTING=VALUE" : "KEY=VALUE");
        memcpy(key, pairs->items[i], n);
        key[n] = '\0';
        rec_add_option(b, key, equals + 1);
    }
    return 0;
}

int rec_add_options(const struct cli_command *command, const struct rec_args *args,
                    struct rec_files *files, struct buf *b)
{
    int rc;

    if ((rc = add_settings(command, args, files, b)) != 0 ||
        (rc = add_time(command, b, "duration", "duration", args->duration)) != 0 ||
        (rc = add_time(command, b, "delay", "delay", args->delay)) != 0 ||
        (rc = add_time(command, b, "maxage", "max-age", args->max_age)) != 0 ||
        (rc = add_size(command, b, "maxsize", "max-size", args->max_size)) != 0 ||
        (rc = add_time(command, b, "cpu", "cpu", args->cpu)) != 0 ||
        (rc = add_time(command, b, "wall", "wall", args->wall)) != 0 ||
        (rc = add_size(command, b, "alloc", "alloc", args->alloc)) != 0 ||
        (rc = add_time(command, b, "lock", "lock", args->lock)) != 0 ||
        (rc = add_jfrsync(command, args, b)) != 0 ||
        (rc = add_option_text(command, b, "contextsource", "context-source",
                              args->context_source)) != 0 ||
        (rc = add_pairs(command, &args->extra, "option", false, b)) != 0 ||
        (rc = add_pairs(command, &args->overrides, "setting", true, b)) != 0)
        return rc;
    if (!buf_ok(b)) {
        cli_error(command, "out of memory");
        return EXIT_FAILED;
    }
    return 0;
}

int rec_absolute(const struct cli_command *command, const char *pattern, char *out, size_t room)
{
    struct buf b = {0};
    char *cwd = NULL;
    int rc = 0;

    if (pattern[0] != '/') {
        cwd = getcwd(NULL, 0);
        for (const char *p = cwd; p != NULL && *p != '\0'; p++)
            buf_str(&b, *p == '%' ? "%%" : (char[]){*p, '\0'});
        buf_byte(&b, '/');
    }
    buf_str(&b, pattern);
    buf_byte(&b, '\0');
    if ((pattern[0] != '/' && cwd == NULL) || !buf_ok(&b) || b.n > room) {
        cli_error(command, "%s: the name is too long for the agent: use a shorter path", pattern);
        rc = EXIT_FAILED;
    } else {
        memcpy(out, b.p, b.n);
    }
    free(cwd);
    buf_free(&b);
    return rc;
}
