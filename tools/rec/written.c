/* written.c - asks the agent for the file of the recording, and finds it from outside. */
#include "tools/rec/written.h"

#include "tools/rec/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file of the JVM: under its own name if that is the same file for us. */
static void set_path(const struct jvm *jvm, const char *file, char *path, size_t room)
{
    struct stat own, theirs;

    snprintf(path, room, "/proc/%d/root%s", (int)jvm->pid, file);
    if (stat(file, &own) == 0 &&
        (stat(path, &theirs) != 0 || (own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino)))
        snprintf(path, room, "%s", file);
}

/* Where the number ends that begins at p. */
static const char *digits_end(const char *p)
{
    return p + strspn(p, "0123456789");
}

/* Parts of a recording are numbered. Of "app-3.jfr" and "app-6.jfr" the next to read is
 * "app-4.jfr". Writes the name into out, or returns false: nothing is between them. */
static bool next_part(const char *before, const char *now, char *out, size_t room)
{
    size_t n = 0;
    unsigned long from, to;

    while (before[n] != '\0' && before[n] == now[n])
        n++;
    while (n > 0 && before[n - 1] >= '0' && before[n - 1] <= '9')
        n--;
    from = strtoul(before + n, NULL, 10);
    to = strtoul(now + n, NULL, 10);
    return digits_end(before + n) > before + n && to > from + 1 &&
           strcmp(digits_end(before + n), digits_end(now + n)) == 0 &&
           (size_t)snprintf(out, room, "%.*s%lu%s", (int)n, before, from + 1,
                            digits_end(before + n)) < room;
}

/* Takes the file from an answer. Returns false if nothing is being recorded. */
static bool take_file(struct written *w, const struct agent_reply *reply)
{
    const char *state = agent_reply_get(reply, "state"), *file = agent_reply_get(reply, "file");
    const char *part = agent_reply_get(reply, "writing"), *base;

    if (file == NULL || file[0] != '/' || (state != NULL && strcmp(state, "off") == 0))
        return false;
    if (part == NULL) /* there is one file only */
        part = file;
    set_path(&w->jvm, part, w->path, sizeof(w->path));
    /* The whole is not there yet; it will be where its parts are. */
    base = w->path + strlen(w->path) - strlen(part);
    snprintf(w->whole, sizeof(w->whole), "%.*s%s", (int)(base - w->path), w->path, file);
    return true;
}

int written_find(const struct cli_command *command, struct written *w)
{
    struct rec_args args = {0};
    const struct rec_request r = {.command = command, .args = &args, .word = "status"};
    struct agent_reply reply = {0};
    int rc = rec_may_ask(&r, &w->jvm);

    if (rc == 0)
        rc = rec_ask(&r, &w->jvm, &reply);
    if (rc == 0 && !take_file(w, &reply)) {
        cli_error(command, "process %d is not being recorded: begin with jfrkit start %d",
                  (int)w->jvm.pid, (int)w->jvm.pid);
        rc = EXIT_FAILED;
    }
    agent_reply_free(&reply);
    return rc;
}

bool written_look(const struct cli_command *command, struct written *w)
{
    struct rec_args args = {0};
    const struct rec_request r = {.command = command, .args = &args, .word = "status"};
    struct agent_reply reply = {0};
    char before[sizeof(w->path)], between[sizeof(w->path)];
    bool is_recorded;

    memcpy(before, w->path, sizeof(before));
    is_recorded = !rec_ask_status(&r, &w->jvm, &reply) || take_file(w, &reply);
    if (is_recorded && next_part(before, w->path, between, sizeof(between)))
        memcpy(w->path, between, sizeof(between));
    agent_reply_free(&reply);
    return is_recorded;
}

bool written_is_alive(const struct written *w)
{
    struct jvm now;

    if (jvm_look(w->jvm.pid, &now) < 0)
        return errno != ESRCH;
    return now.state != 'Z' && now.state != 'X'; /* it has ended, and its parent has not noticed */
}
