/*
 * options.c - the options of a recording as users give them, and as the agent reads them.
 *
 * rec_add_options() checks values here, where a message can name the option, and writes them in the
 * agent's syntax. .jfc files become lines in a file in /tmp that the agent reads.
 */
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

static const struct cli_option rec_what_rows[] = {
    {'o', "output", "FILE", "recording to write; %p pid, %t time, %h host", CLI_STRING, AT(output),
     .more = "Name the recording. The JVM writes it, as its user and in its container. %p "
             "becomes the pid (as the JVM sees it), %t the time, %h the name of the host, "
             "%% a percent sign. Default: recording.jfr for record, which gives files a pid "
             "when there are several JVMs, and recording-%p.jfr for start; dump needs the "
             "option.",
     .example = "jfrkit record -o app.jfr -- java -jar app.jar"},
    {0, "settings", "NAME|FILE", "default, profile, none, or a .jfc file (repeatable)", CLI_LIST,
     AT(settings),
     .more = "Take the settings default, profile (more detail), none (nothing but what "
             "--setting says), or those of a .jfc file. May be given several times, later "
             "ones win.",
     .example = "jfrkit record --settings profile --settings mine.jfc -- java -jar app.jar"},
    {'s', "setting", "E#S=VALUE", "one setting: jdk.FileRead#threshold=5ms", CLI_LIST,
     AT(overrides),
     .more = "Set one value after all files, as in jdk.FileRead#threshold=5ms. May be given "
             "several times.",
     .example = "jfrkit start -s jdk.FileRead#threshold=5ms 4711"},
    {0, "jfrsync", "NAME|FILE", "record by the JDK, too: default, profile or a .jfc", CLI_LIST,
     AT(jfrsync),
     .more = "Start the JDK's own recorder too, with its settings default or profile or a "
             ".jfc file. Of several files the later one overrides the earlier. Event types "
             "that jfrkit writes are disabled in the JDK's recorder, so that no event is "
             "recorded twice. When the recording is stopped or dumped, the chunks of both "
             "are put into one file, in the order of their start; until then those of the "
             "JDK are in its repository, where they also stay if the process is killed. In "
             "a recording of numbered files (%n) they are in the last one. On JDK 25 jfr "
             "print shows jfrkit's contexts on the JDK's events, too. A type that the other "
             "recorder writes is called off.X instead of jdk.X in a chunk. Garbage "
             "collections are recorded by the JDK's recorder, which numbers them. This "
             "option needs the module jdk.jfr. If that recorder does not start, a line says "
             "so, and jfrkit records everything that it can.",
     .example = "jfrkit record --jfrsync profile -- java -jar app.jar"},
    {0, "context-source", "SOURCES", "auto, none, otel, otel+mdc=KEY+KEY", CLI_STRING,
     AT(context_source), .def = "auto",
     .more = "Where users, requests and traces come from in a program that does not use "
             "jfrkit's API: otel (OpenTelemetry: the Java agent, or its API in the "
             "program), mdc (the mapped diagnostic context of slf4j, Log4j or JBoss Log "
             "Manager), both joined by +, or none. auto, the default, takes what the "
             "program has. Nothing in the program is changed until one of these libraries "
             "is loaded; at the end of the recording every change is undone. Keys follow "
             "after = and +, as in otel=baggage:user+mdc=user+requestId. Of otel these "
             "attributes are always recorded: trace_id, span_id, and name and route of the "
             "span that began in this process; keys are attributes of that span, kind, or "
             "baggage. Without keys, otel records baggage:user, and mdc up to three of the "
             "keys that the program sets, those that are about users first. The agent says "
             "which ones on standard error. Values of keys such as password, token, secret, "
             "authorization and cookie are not recorded. A task that is handed to another "
             "thread (executors, CompletableFuture) takes its context along, unless notasks is "
             "among the words. With the word threads a Thread that is started does so, too.",
     .example = "jfrkit start --context-source mdc=user+tenant 4711"},
    {0, "option", "KEY=VALUE", "pass KEY=VALUE to the agent unchanged", CLI_LIST, AT(extra),
     .more = "Pass an option to the agent unchanged. engine=perf samples CPU time by "
             "perf_events if the system allows it: the interval can be shorter than a clock "
             "tick, and stacks have the kernel's functions. Otherwise a line says why "
             "perf_events cannot be used, and timers are used."},
};

static const struct cli_option rec_engines_rows[] = {
    {0, "cpu", "INTERVAL", "CPU time between samples of a thread, or off", CLI_STRING, AT(cpu),
     .def = "20ms",
     .more = "Sample a thread each time it has used this much CPU time (10ms), or off.",
     .example = "jfrkit start --cpu 1ms 4711"},
    {0, "wall", "INTERVAL", "time between samples of all threads", CLI_STRING, AT(wall),
     .def = "off", .more = "Sample all threads, waiting ones included, at this interval, or off.",
     .example = "jfrkit start --wall 10ms 4711"},
    {0, "alloc", "BYTES", "bytes between samples of allocations, or off", CLI_STRING, AT(alloc),
     .def = "150 samples a second",
     .more = "Sample an allocation for each so many bytes (512k), or off. JDK 11 and later.",
     .example = "jfrkit start --alloc 128k 4711"},
    {0, "lock", "TIME", "record waits for locks of at least TIME, or off", CLI_STRING, AT(lock),
     .def = "20ms", .more = "Record locks and parking that lasted at least this long, or off.",
     .example = "jfrkit start --lock 1ms 4711"},
};

static const struct cli_option rec_limits_rows[] = {
    {'d', "duration", "TIME", "end the recording after TIME, e.g. 60s", CLI_STRING, AT(duration),
     .more = "End the recording after this time: 90s, 5m, 1h30m.",
     .example = "jfrkit start -d 60s 4711"},
    {0, "delay", "TIME", "begin the recording after TIME, e.g. 30s", CLI_STRING, AT(delay),
     .more = "Begin recording this long after the JVM has started (record) or after the "
             "command (start). --duration counts from that moment. Until then status says "
             "so, and no file is written.",
     .example = "jfrkit start --delay 30s 4711"},
    {0, "max-age", "TIME", "keep the last TIME (10m), in files NAME-1.jfr, ...", CLI_STRING,
     AT(max_age),
     .more = "Keep only events that are younger than this. Older parts are deleted, which "
             "are whole chunks in files called app-1.jfr, app-2.jfr and so on; at the end "
             "they are joined as app.jfr. If the JVM is killed the parts stay, and every "
             "command reads them by the name app.jfr.",
     .example = "jfrkit start --max-age 10m 4711"},
    {0, "max-size", "SIZE", "keep the last SIZE (250MB), in files NAME-1.jfr, ...", CLI_STRING,
     AT(max_size),
     .more = "Delete the oldest part if the recording is larger than this (500M). Parts are "
             "as for --max-age. k, M and G, also as kB, MB and GB, are powers of 1024 in "
             "any case of letters.",
     .example = "jfrkit start --max-size 250MB 4711"},
};

static const struct cli_option rec_push_rows[] = {
    {0, "push", "URL", "send what is recorded to URL, see jfrkit push", CLI_STRING, AT(push),
     .more = "Send what is new to this URL, as jfrkit push --every does, until the recording ends: "
             "OTLP profiles, to Pyroscope, or recordings, by the URL. @FILE holds the URL. Another "
             "process sends, never the JVM. What could not be sent waits in a folder beside the "
             "recording, with .push after its name. jfrkit status shows how it goes."},
    {0, "every", "TIME", "with --push: time between two sends", CLI_STRING, AT(every), .def = "10s",
     .more = "With --push, send what is new this often."},
    {0, "push-with", "OPTION", "an option of jfrkit push: header-file=FILE", CLI_LIST,
     AT(push_options),
     .more = "With --push, an option of jfrkit push, without its dashes: header-file=FILE, "
             "service=NAME, no-contexts. May be given several times."},
};

static const struct cli_option rec_agent_rows[] = {
    {0, "agent", "FILE", "the agent's library", CLI_STRING, AT(agent), .def = "beside jfrkit",
     .more =
         "The agent's library. Default: the environment variable JFRKIT_AGENT, or "
         "libjfrkit.so beside jfrec, in ../lib or ../lib/jfrkit from there. A JVM that has the agent "
         "already keeps the one it has."},
};

static const struct cli_option rec_target_rows[] = {
    {0, "timeout", "SECONDS", "time the JVM has to answer", CLI_UNSIGNED, AT(timeout),
     .def = "10 s"},
};

static const struct cli_option rec_quiet_rows[] = {
    {'q', "quiet", NULL, "print nothing but errors", CLI_FLAG, AT(quiet)},
};

static const struct cli_option rec_json_rows[] = {
    {0, "json", NULL, "print JSON", CLI_FLAG, AT(json)},
};

static const struct cli_option rec_reply_rows[] = {
    {'q', "quiet", NULL, "print nothing but errors", CLI_FLAG, AT(quiet)},
    {'v', "verbose", NULL, "print all counters", CLI_FLAG, AT(verbose)},
    {0, "json", NULL, "print all counters as JSON", CLI_FLAG, AT(json)},
};

static const struct cli_option rec_children_rows[] = {
    {0, "children", NULL, "also record JVMs that a java command starts", CLI_FLAG, AT(children)},
};

const struct cli_set rec_what_set = CLI_SET(NULL, rec_what_rows, 0);
const struct cli_set rec_engines_set = CLI_SET(NULL, rec_engines_rows, 0);
const struct cli_set rec_limits_set = CLI_SET(NULL, rec_limits_rows, 0);
const struct cli_set rec_push_set = CLI_SET(NULL, rec_push_rows, 0);
const struct cli_set rec_agent_set = CLI_SET(NULL, rec_agent_rows, 0);
const struct cli_set rec_target_set = CLI_SET(NULL, rec_target_rows, 0);
const struct cli_set rec_quiet_set = CLI_SET(NULL, rec_quiet_rows, 0);
const struct cli_set rec_json_set = CLI_SET(NULL, rec_json_rows, 0);
const struct cli_set rec_reply_set = CLI_SET(NULL, rec_reply_rows, 0);
const struct cli_set rec_children_set = CLI_SET(NULL, rec_children_rows, 0);

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

static void report_warnings(const struct cli_command *command, const struct jfc *jfc)
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
        report_warnings(command, jfc);
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
