/*
 * control.c - the verbs start, stop, dump and status: one request to the agent in one JVM.
 *
 * Each verb is a list of option sets, which it shares with record and attach. ask.c finds the JVM
 * and sends the request. status adds how a push of the recording goes, from the file of that
 * process.
 */
#include "tools/rec/ask.h"
#include "tools/rec/push_state.h"
#include "tools/rec/pusher.h"
#include "tools/rec/target.h"
#include "tools/rec/written.h"

#include <string.h>

#define TARGET_HELP \
    "JVM is a process id, its main class or jar, or a word of these that is unique.\n"

static const struct cli_option file_rows[] = {
    {'o', "output", "FILE", "recording to write; %p pid, %t time, %h host", CLI_STRING,
     offsetof(struct rec_args, output),
     .more = "Name the recording that is written. The JVM writes it, as its user and in its "
             "container. %p becomes the pid (as the JVM sees it), %t the time, %h the name "
             "of the host, %% a percent sign."},
};
static const struct cli_set file_set = CLI_SET(NULL, file_rows, 0);

/* clang-format off */
static const struct cli_table start_tables[] = {
    {&rec_what_set}, {&rec_engines_set},
    {&rec_limits_set}, {&rec_push_set}, {&rec_agent_set},
    {&rec_target_set}, {&rec_reply_set}, {0},
};
static const struct cli_table dump_tables[] = {
    {&file_set}, {&rec_agent_set},
    {&rec_target_set}, {&rec_reply_set}, {0},
};
static const struct cli_table stop_tables[] = {
    {&rec_agent_set}, {&rec_target_set},
    {&rec_reply_set}, {0},
};
static const struct cli_table status_tables[] = {
    {&rec_agent_set}, {&rec_target_set},
    {&rec_reply_set}, {0},
};
/* clang-format on */

static const struct cli_command start_command = {
    .name = "jfrec start",
    .usage = "[options] JVM",
    .about = "Begin a recording in a running JVM and return at once.",
    .tables = start_tables,
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
    .examples = "  jfrkit stop 4711\n",
    .notes = TARGET_HELP,
};
static const struct cli_command dump_command = {
    .name = "jfrec dump",
    .usage = "-o FILE [options] JVM",
    .about = "Write the recording so far to a file, and keep recording.",
    .tables = dump_tables,
    .examples = "  jfrkit dump -o so-far.jfr 4711\n",
    .notes = TARGET_HELP,
};
static const struct cli_command status_command = {
    .name = "jfrec status",
    .usage = "[options] JVM",
    .about = "Print what a JVM's recording has got so far: samples, losses, file size.",
    .tables = status_tables,
    .examples = "  jfrkit status 4711\n"
                "  jfrkit status --json 4711\n",
    .notes = TARGET_HELP,
};

/* Appends to an answer how the sending of the recording goes. */
static void add_push_state(const struct jvm *jvm, struct agent_reply *reply)
{
    struct written w = {.jvm = *jvm};

    if (written_take(&w, reply))
        push_state_add(w.whole, reply);
}

static int ask_and_print(const struct rec_request *r, const char *target)
{
    const struct pusher pusher = {.command = r->command, .args = r->args};
    struct agent_reply reply = {0};
    struct jvm jvm;
    int rc = rec_target(r->command, target, &jvm);

    if (rc != 0 || (rc = rec_may_ask(r, &jvm)) != 0 || (rc = pusher_check(&pusher)) != 0)
        return rc;
    rc = rec_ask(r, &jvm, &reply);
    if (rc == 0 && strcmp(r->word, "start") == 0 && !r->args->quiet) {
        agent_reply_free(&reply); /* which says "ok" and no more */
        (void)rec_ask_status(r, &jvm, &reply);
    }
    if (rc == 0 && (strcmp(r->word, "status") == 0 || strcmp(r->word, "stop") == 0))
        add_push_state(&jvm, &reply);
    if (rc == 0 && !r->args->quiet)
        rc = rec_print_reply(r, &jvm, &reply);
    agent_reply_free(&reply);
    return rc == 0 ? pusher_detach(&pusher, jvm.pid) : rc;
}

static int control(const struct cli_command *command, const char *word, int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    struct rec_request r = {.command = command, .args = &args, .word = word};
    int rc = cli_parse(command, argc, argv, &args, &operands);

    if (rc >= 0)
        return rc;
    r.file = args.output == NULL && strcmp(word, "start") == 0 ? "recording-%p.jfr" : args.output;
    if (args.push != NULL && args.delay != NULL)
        rc = cli_usage(command, "--push and --delay: give one of them, and begin jfrkit push "
                                "--every after the delay");
    else if (operands.n != 1)
        rc = cli_usage(command, "name one JVM by its pid or main class: jfrkit list shows them");
    else if (strcmp(word, "dump") == 0 && args.output == NULL)
        rc = cli_usage(command, "name the file to write: -o FILE");
    else
        rc = ask_and_print(&r, operands.items[0]);
    cli_free(command, &args, &operands);
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
