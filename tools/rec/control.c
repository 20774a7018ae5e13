/* control.c - jfrec start, stop, dump, status: one question to the agent in one JVM. */
#include "tools/rec/rec.h"
#include "tools/rec/target.h"

#include "convert/text/jsonw.h"
#include "convert/report/summary_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMEOUT_S 10
#define TARGET_HELP \
    "JVM is a process id, its main class or jar, or a word of these that is unique.\n"

static const struct cli_option file_options[] = {
    {'o', "output", "FILE", "recording to write; %p pid, %t time, %h host", CLI_STRING,
     offsetof(struct rec_args, output)},
};

/* clang-format off */
static const struct cli_table start_tables[] = {
    REC_TABLE(NULL, rec_what_table), REC_TABLE(NULL, rec_engines_table),
    REC_TABLE(NULL, rec_limits_table), REC_TABLE(NULL, rec_agent_table),
    REC_TABLE(NULL, rec_target_table), REC_TABLE(NULL, rec_quiet_table),
};
static const struct cli_table dump_tables[] = {
    REC_TABLE(NULL, file_options), REC_TABLE(NULL, rec_agent_table),
    REC_TABLE(NULL, rec_target_table), REC_TABLE(NULL, rec_quiet_table),
};
static const struct cli_table stop_tables[] = {
    REC_TABLE(NULL, rec_agent_table), REC_TABLE(NULL, rec_target_table),
    REC_TABLE(NULL, rec_quiet_table),
};
static const struct cli_table status_tables[] = {
    REC_TABLE(NULL, rec_json_table), REC_TABLE(NULL, rec_agent_table),
    REC_TABLE(NULL, rec_target_table),
};
/* clang-format on */

static const struct cli_command start_command = {
    .name = "jfrec start",
    .usage = "[options] JVM",
    .about = "Begin a recording in a running JVM and return at once.",
    .tables = start_tables,
    .n_tables = sizeof(start_tables) / sizeof(start_tables[0]),
    .examples = "  jfrkit start -d 60s -o app.jfr 4711\n"
                "  jfrkit start --settings profile --cpu 5ms 4711\n",
    .notes = TARGET_HELP "The JVM writes the file: in its container, as its user.\n"
                         "Default of -o: recording-%p.jfr in this folder.\n",
};
static const struct cli_command stop_command = {
    .name = "jfrec stop",
    .usage = "[options] JVM",
    .about = "End the recording of a JVM.",
    .tables = stop_tables,
    .n_tables = sizeof(stop_tables) / sizeof(stop_tables[0]),
    .examples = "  jfrkit stop 4711\n",
    .notes = TARGET_HELP,
};
static const struct cli_command dump_command = {
    .name = "jfrec dump",
    .usage = "-o FILE [options] JVM",
    .about = "Write the recording so far to a file, and keep recording.",
    .tables = dump_tables,
    .n_tables = sizeof(dump_tables) / sizeof(dump_tables[0]),
    .examples = "  jfrkit dump -o so-far.jfr 4711\n",
    .notes = TARGET_HELP,
};
static const struct cli_command status_command = {
    .name = "jfrec status",
    .usage = "[options] JVM",
    .about = "Print what a JVM's recording has got so far: samples, losses, file size.",
    .tables = status_tables,
    .n_tables = sizeof(status_tables) / sizeof(status_tables[0]),
    .examples = "  jfrkit status 4711\n"
                "  jfrkit status --json 4711\n",
    .notes = TARGET_HELP,
};

static void print_text(const struct agent_reply *reply)
{
    struct agent_reply_line line;
    struct buf b = {0};

    for (size_t at = 0; agent_reply_next(reply, &at, &line);) {
        buf_printf(&b, "%-24.*s", line.n, line.key);
        names_plain(&b, line.value);
        buf_byte(&b, '\n');
    }
    fwrite(b.p, 1, b.n, stdout);
    buf_free(&b);
}

static bool is_number(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n < 16 && strspn(text, "0123456789") == n && (n == 1 || text[0] != '0');
}

static void print_json(const struct agent_reply *reply)
{
    const char *before = "{\n  ";
    struct agent_reply_line line;
    struct buf b = {0};

    for (size_t at = 0; agent_reply_next(reply, &at, &line); before = ",\n  ") {
        buf_str(&b, before);
        jsonw_str(&b, line.key, (size_t)line.n);
        buf_str(&b, ": ");
        if (is_number(line.value))
            buf_str(&b, line.value);
        else
            jsonw_str(&b, line.value, strlen(line.value));
    }
    buf_str(&b, b.n == 0 ? "{}\n" : "\n}\n");
    fwrite(b.p, 1, b.n, stdout);
    buf_free(&b);
}

/* The folder of the recording has to be there for the JVM, in its own namespace. */
static int check_folder(const struct cli_command *command, const struct jvm *jvm, const char *file)
{
    char path[JVM_PATH_MAX + 64];
    const char *slash = strrchr(file, '/');
    struct stat st;

    if (memchr(file, '%', (size_t)(slash - file)) != NULL)
        return 0; /* a pattern: the agent will say it */
    snprintf(path, sizeof(path), "/proc/%d/root%.*s/", (int)jvm->pid, (int)(slash - file), file);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    cli_error(command, "process %d sees no folder %.*s: name one of its own with -o", (int)jvm->pid,
              slash == file ? 1 : (int)(slash - file), file);
    return EXIT_FAILED;
}

/* ",file=..." for start and dump. */
static int add_file(const struct cli_command *command, const struct jvm *jvm, const char *output,
                    struct buf *b)
{
    char path[JVM_PATH_MAX];
    int rc;

    if (output == NULL)
        return 0;
    rc = rec_absolute(command, output, path, sizeof(path));
    if (rc == 0)
        rc = check_folder(command, jvm, path);
    if (rc == 0)
        rec_add_option(b, "file", path);
    return rc;
}

struct question {
    const struct cli_command *command;
    const struct rec_args *args;
    const char *word; /* of the agent */
    bool starts; /* an agent where there is none yet */
};

static int may_ask(const struct question *q, const struct jvm *jvm)
{
    struct attach_error err;

    if (attach_check(jvm, &err) < 0) {
        cli_error(q->command, "%s", err.text);
        return EXIT_FAILED;
    }
    if (!q->starts && jvm->agent[0] == '\0') {
        cli_error(q->command, "process %d is not being recorded: begin with jfrkit start %d",
                  (int)jvm->pid, (int)jvm->pid);
        return EXIT_FAILED;
    }
    return 0;
}

static int ask(const struct question *q, const struct jvm *jvm, const struct buf *options,
               struct agent_reply *reply)
{
    char library[JVM_PATH_MAX];
    unsigned long seconds = q->args->timeout == 0 ? TIMEOUT_S : q->args->timeout;
    struct attach_error err = {0};

    if (agent_find(q->args->agent, library, &err) < 0 ||
        agent_call(jvm, library, (const char *)options->p,
                   seconds > 3600 ? 3600 * 1000 : (int)seconds * 1000, reply, &err) < 0) {
        cli_error(q->command, "%s", err.text);
        return EXIT_FAILED;
    }
    return 0;
}

/* Prints the process that a command is about to change. */
static void print_target(const struct jvm *jvm)
{
    struct jvm_about about;
    struct buf b = {0};

    jvm_about(jvm, &about);
    buf_printf(&b, "%-24s%d ", "process", (int)jvm->pid);
    names_plain(&b, about.main);
    buf_byte(&b, '\n');
    fwrite(b.p, 1, b.n, stdout);
    fflush(stdout);
    buf_free(&b);
}

static int ask_and_say(const struct question *q, const char *target)
{
    const struct rec_args *args = q->args;
    struct rec_files files = {0};
    struct agent_reply reply = {0};
    struct buf b = {0};
    struct jvm jvm;
    int rc = rec_target(q->command, target, &jvm);

    if (rc != 0 || (rc = may_ask(q, &jvm)) != 0)
        return rc;
    if (strcmp(q->word, "status") != 0 && !args->quiet)
        print_target(&jvm);
    files.jvm = &jvm;
    rec_add_option(&b, "command", q->word);
    rc = add_file(q->command, &jvm,
                  args->output == NULL && q->starts ? "recording-%p.jfr" : args->output, &b);
    if (rc == 0 && q->starts)
        rc = rec_add_options(q->command, args, &files, &b);
    buf_byte(&b, '\0');
    if (rc == 0)
        rc = ask(q, &jvm, &b, &reply);
    if (rc == 0 && args->json)
        print_json(&reply);
    else if (rc == 0 && !args->quiet)
        print_text(&reply);
    if (fflush(stdout) != 0 && rc == 0) {
        cli_error(q->command, "cannot write standard output");
        rc = EXIT_FAILED;
    }
    agent_reply_free(&reply);
    rec_files_remove(&files);
    buf_free(&b);
    return rc;
}

static int control(const struct cli_command *command, const char *word, int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    struct question q = {command, &args, word, strcmp(word, "start") == 0};
    int rc = cli_parse(command, argc, argv, &args, &operands);

    if (rc >= 0)
        return rc;
    if (operands.n != 1)
        rc = cli_usage(command, "name one JVM by its pid or main class: jfrkit list shows them");
    else if (strcmp(word, "dump") == 0 && args.output == NULL)
        rc = cli_usage(command, "name the file to write: -o FILE");
    else
        rc = ask_and_say(&q, operands.items[0]);
    rec_args_free(&args);
    cli_list_free(&operands);
    return rc;
}

int rec_start(int argc, char **argv)
{
    return control(&start_command, "start", argc, argv);
}

int rec_stop(int argc, char **argv)
{
    return control(&stop_command, "stop", argc, argv);
}

int rec_dump(int argc, char **argv)
{
    return control(&dump_command, "dump", argc, argv);
}

int rec_status(int argc, char **argv)
{
    return control(&status_command, "status", argc, argv);
}
