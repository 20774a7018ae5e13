/*
 * rec.h - what the commands of jfrec share: their options, and what they mean to the agent.
 *
 * Each command is one function that takes main's arguments from its own name on and returns the
 * exit code.
 */
#ifndef TOOLS_REC_REC_H
#define TOOLS_REC_REC_H

#include "tools/rec/agent_call.h"
#include "tools/cli/cli.h"

#include "jfrfmt/base/buf.h"

struct rec_args {
    const char *output, *duration, *delay, *max_age, *max_size;
    const char *cpu, *wall, *alloc, *lock;
    struct cli_list jfrsync;
    const char *context_source;
    struct cli_list settings, overrides, extra;
    const char *agent;
    unsigned long timeout; /* seconds, 0: not given */
    bool json, quiet, verbose, children;
    const char *report; /* of a recording that has ended, see result.h */
    bool open; /* its page, in a browser */
    const char *push, *every; /* see pusher.h */
    struct cli_list push_options;
};

extern const struct cli_set rec_what_set; /* -o, settings, agent options */
extern const struct cli_set rec_engines_set;
extern const struct cli_set rec_limits_set; /* duration, delay, age, size */
extern const struct cli_set rec_agent_set; /* --agent */
extern const struct cli_set rec_target_set; /* --timeout */
extern const struct cli_set rec_quiet_set;
extern const struct cli_set rec_json_set;
extern const struct cli_set rec_reply_set; /* --quiet, --verbose, --json */
extern const struct cli_set rec_children_set;
extern const struct cli_set rec_push_set; /* --push, --every, --push-with */

/* A file for settings that the agent reads, in a /tmp that it sees. */
struct rec_files {
    const struct jvm *jvm; /* whose /tmp; NULL: ours, and our user's */
    char names[8][48]; /* made so far */
    int n;
};

/* Appends ",key=value", with the characters escaped that mean something to the agent. */
void rec_add_option(struct buf *b, const char *key, const char *value);

/* Appends what args say about a new recording, but for the file. Settings files are read here, so
 * that what is wrong with them is said here; the agent gets them as lines of text in files that
 * rec_files_remove() removes. 0, or an exit code after a message. */
int rec_add_options(const struct cli_command *command, const struct rec_args *args,
                    struct rec_files *files, struct buf *b);

void rec_files_remove(struct rec_files *files);

/* The pattern for the recording's file as an absolute path, into room bytes. What belongs to the
 * working folder is no pattern. 0, or an exit code after a message. */
int rec_absolute(const struct cli_command *command, const char *pattern, char *out, size_t room);

int rec_record(int argc, char **argv);
int rec_attach(int argc, char **argv);
int rec_start(int argc, char **argv);
int rec_stop(int argc, char **argv);
int rec_dump(int argc, char **argv);
int rec_status(int argc, char **argv);
int rec_list(int argc, char **argv);
int rec_settings(int argc, char **argv);

#endif
