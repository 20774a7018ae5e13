/* ask.c - sends a request to the agent in a running JVM, after the checks that need no answer. */
#include "tools/rec/ask.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TIMEOUT_S 10
#define STATUS_MS 2000
#define AGENT_LOOKS 10
#define AGENT_LOOK_MS 20

/* The folder of the recording has to exist for the JVM, in its own namespace. */
static int check_folder(const struct cli_command *command, const struct jvm *jvm, const char *file)
{
    char path[JVM_PATH_MAX + 64];
    const char *slash = strrchr(file, '/');
    struct stat st;

    if (memchr(file, '%', (size_t)(slash - file)) != NULL)
        return 0; /* a pattern: the agent checks it */
    snprintf(path, sizeof(path), "/proc/%d/root%.*s/", (int)jvm->pid, (int)(slash - file), file);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    cli_error(
        command,
        "process %d (in a container?) sees no folder %.*s: name one that exists for it, -o FILE",
        (int)jvm->pid, slash == file ? 1 : (int)(slash - file), file);
    return EXIT_FAILED;
}

static int add_file(const struct cli_command *command, const struct jvm *jvm, const char *file,
                    struct buf *b)
{
    char path[JVM_PATH_MAX];
    int rc;

    if (file == NULL)
        return 0;
    rc = rec_absolute(command, file, path, sizeof(path));
    if (rc == 0)
        rc = check_folder(command, jvm, path);
    if (rc == 0)
        rec_add_option(b, "file", path);
    return rc;
}

/* A reading of /proc/PID/maps can miss the agent's library or fail, rarely, while the JVM begins
 * and ends threads: that a JVM has no agent is believed after several looks. */
static bool has_agent(const struct jvm *jvm)
{
    struct jvm now = *jvm;

    for (int i = 1; i < AGENT_LOOKS && now.agent[0] == '\0'; i++) {
        poll(NULL, 0, AGENT_LOOK_MS);
        if (jvm_look(jvm->pid, &now) < 0)
            break;
    }
    return now.agent[0] != '\0';
}

int rec_may_ask(const struct rec_request *r, const struct jvm *jvm)
{
    struct attach_error err;

    if (attach_check(jvm, &err) < 0) {
        cli_error(r->command, "%s", err.text);
        return EXIT_FAILED;
    }
    if (strcmp(r->word, "start") != 0 && !has_agent(jvm)) {
        cli_error(r->command, "process %d is not being recorded: begin with jfrkit start %d",
                  (int)jvm->pid, (int)jvm->pid);
        return EXIT_FAILED;
    }
    return 0;
}

static int call_agent(const struct rec_request *r, const struct jvm *jvm, const char *options,
                      struct agent_reply *reply)
{
    char library[JVM_PATH_MAX];
    unsigned long seconds = r->args->timeout == 0 ? TIMEOUT_S : r->args->timeout;
    struct attach_error err = {0};

    if (agent_find(r->args->agent, library, &err) < 0 ||
        agent_call(jvm, library, options, seconds > 3600 ? 3600 * 1000 : (int)seconds * 1000, reply,
                   &err) < 0) {
        cli_error(r->command, "%s", err.text);
        return EXIT_FAILED;
    }
    return 0;
}

int rec_ask(const struct rec_request *r, const struct jvm *jvm, struct agent_reply *reply)
{
    struct rec_files files = {.jvm = jvm};
    struct buf b = {0};
    int rc;

    *reply = (struct agent_reply){0};
    rec_add_option(&b, "command", r->word);
    rc = add_file(r->command, jvm, r->file, &b);
    if (rc == 0 && strcmp(r->word, "start") == 0)
        rc = rec_add_options(r->command, r->args, &files, &b);
    buf_byte(&b, '\0');
    if (rc == 0 && !buf_ok(&b))
        rc = cli_no_memory(r->command);
    if (rc == 0)
        rc = call_agent(r, jvm, (const char *)b.p, reply);
    rec_files_remove(&files);
    buf_free(&b);
    return rc;
}

bool rec_ask_status(const struct rec_request *r, const struct jvm *jvm, struct agent_reply *reply)
{
    char library[JVM_PATH_MAX];
    struct attach_error err;

    *reply = (struct agent_reply){0};
    return agent_find(r->args->agent, library, &err) == 0 &&
           agent_call(jvm, library, "command=status", STATUS_MS, reply, &err) == 0;
}
