/* written.c - asks the agent for the file of the recording, and finds it from outside. */
#include "tools/rec/written.h"

#include "tools/rec/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STARTS 50 /* looks at a recording that is about to begin, */
#define START_NS 100000000 /* with so much between them */

/* Is the folder of the JVM's file, whose name is absolute, the folder of that name for us, too? The
 * file itself may have been deleted since the JVM answered. */
static bool has_our_folder(const struct jvm *jvm, const char *file)
{
    int n = (int)(strrchr(file, '/') - file);
    char ours[JVM_PATH_MAX], theirs[JVM_PATH_MAX + 64];
    struct stat own, other;

    snprintf(ours, sizeof(ours), "%.*s/", n, file);
    snprintf(theirs, sizeof(theirs), "/proc/%d/root%s", (int)jvm->pid, ours);
    if (stat(ours, &own) != 0)
        return false;
    return stat(theirs, &other) != 0 || (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

/* Where the number ends that begins at p. */
static const char *digits_end(const char *p)
{
    return p + strspn(p, "0123456789");
}

/* Parts of a recording are numbered. Of "app-3.jfr" and "app-6.jfr" the next to read is
 * "app-4.jfr", or, if that was deleted as one of the oldest, "app-5.jfr". Writes the name into out,
 * or returns false: nothing is between them. */
static bool next_part(const char *before, const char *now, char *out, size_t room)
{
    size_t n = 0;
    unsigned long from, to;
    const char *ending;

    while (before[n] != '\0' && before[n] == now[n])
        n++;
    while (n > 0 && before[n - 1] >= '0' && before[n - 1] <= '9')
        n--;
    from = strtoul(before + n, NULL, 10);
    to = strtoul(now + n, NULL, 10);
    ending = digits_end(before + n);
    if (ending == before + n || strcmp(ending, digits_end(now + n)) != 0)
        return false;
    while (++from < to) {
        size_t length = (size_t)snprintf(out, room, "%.*s%lu%s", (int)n, before, from, ending);

        if (length < room && access(out, F_OK) == 0)
            return true;
    }
    return false;
}

bool written_take(struct written *w, const struct agent_reply *reply)
{
    const char *state = agent_reply_get(reply, "state"), *file = agent_reply_get(reply, "file");
    const char *part = agent_reply_get(reply, "writing");
    char root[64] = "";

    if (file == NULL || file[0] != '/' || (state != NULL && strcmp(state, "off") == 0))
        return false;
    if (part == NULL || part[0] != '/') /* there is one file only */
        part = file;
    if (!has_our_folder(&w->jvm, file))
        snprintf(root, sizeof(root), "/proc/%d/root", (int)w->jvm.pid);
    snprintf(w->path, sizeof(w->path), "%s%s", root, part);
    snprintf(w->whole, sizeof(w->whole), "%s%s", root, file);
    return true;
}

/* Is the recording about to begin? Its file may be there already. */
static bool is_starting(const struct agent_reply *reply)
{
    const char *state = agent_reply_get(reply, "state");

    return state != NULL && strcmp(state, "starting") == 0;
}

int written_find(const struct cli_command *command, struct written *w)
{
    struct rec_args args = {0};
    const struct rec_request r = {.command = command, .args = &args, .word = "status"};
    struct agent_reply reply = {0};
    int rc = rec_may_ask(&r, &w->jvm);

    if (rc == 0)
        rc = rec_ask(&r, &w->jvm, &reply);
    for (int i = 0; i < STARTS && rc == 0 && is_starting(&reply); i++) {
        nanosleep(&(struct timespec){.tv_nsec = START_NS}, NULL);
        agent_reply_free(&reply);
        rc = rec_ask(&r, &w->jvm, &reply);
    }
    if (rc == 0 && !written_take(w, &reply)) {
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
    is_recorded = !rec_ask_status(&r, &w->jvm, &reply) || written_take(w, &reply);
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
