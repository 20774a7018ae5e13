/*
 * agent_call.c - sends a request to the agent of a JVM and reads its reply.
 *
 * The commands start, status, dump, stop and attach call it; attach.c speaks HotSpot's protocol.
 * What is put into the /tmp of the JVM has a random name, is readable by its user only, and is
 * removed in every case but a kill. Then the agent removes the reply, which has no lock any more.
 */
#include "tools/rec/agent_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MAX ((size_t)1 << 20)

/* What we made in the target's /tmp. */
struct guest {
    const struct jvm *jvm;
    int tmp; /* O_PATH */
    int reply; /* open file */
    char reply_name[48];
    char dir_name[48]; /* of a copy of the library; "" = none was needed */
    char library[JVM_PATH_MAX]; /* as the target sees it */
};

static int use_if_there(const char *path, char out[JVM_PATH_MAX])
{
    char *real = realpath(path, NULL);
    int rc = -1;

    if (real != NULL && strlen(real) < JVM_PATH_MAX) {
        strcpy(out, real);
        rc = 0;
    }
    free(real);
    return rc;
}

int agent_find(const char *given, char path[JVM_PATH_MAX], struct attach_error *err)
{
    static const char *const folders[] = {"", "../lib/", "../lib/jfrkit/"};
    char self[JVM_PATH_MAX], text[JVM_PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    if (given == NULL)
        given = getenv("JFRKIT_AGENT");
    if (given != NULL)
        return use_if_there(given, path) == 0
                   ? 0
                   : attach_fail(err, ATTACH_E_SYSTEM, "%s: %s", given, strerror(errno));
    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(text, sizeof(text), "%s/%s" JVM_AGENT_FILE, self, folders[i]);
        if (use_if_there(text, path) == 0)
            return 0;
    }
    return attach_fail(err, ATTACH_E_SYSTEM,
                       "there is no " JVM_AGENT_FILE
                       " in %s or its ../lib: name it with --agent or "
                       "JFRKIT_AGENT",
                       self);
}

/* PREFIX and 16 random hexadecimal digits. */
static void random_name(char *out, size_t room, const char *prefix)
{
    unsigned char bytes[8] = {0};

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        memcpy(bytes, &(pid_t){getpid()}, sizeof(pid_t)); /* O_EXCL keeps it safe */
    snprintf(out, room, "%s%02x%02x%02x%02x%02x%02x%02x%02x", prefix, bytes[0], bytes[1], bytes[2],
             bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

/* Is the file that the target finds under this path ours, and may it be read there? */
static bool is_visible(const struct guest *g, const char *library)
{
    int root = attach_open_dir(g->jvm, "/"), fd;
    struct attach_identity before;
    struct stat ours, theirs;
    bool same = false;

    if (root < 0 || stat(library, &ours) != 0) {
        if (root >= 0)
            close(root);
        return false;
    }
    before = attach_become(g->jvm);
    fd = openat(root, library + 1, O_RDONLY | O_CLOEXEC);
    attach_return(before);
    close(root);
    if (fd >= 0) {
        same =
            fstat(fd, &theirs) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
        close(fd);
    }
    return same;
}

static int copy_fd(int from, int to)
{
    static char bytes[64 << 10];
    ssize_t got, put;

    while ((got = read(from, bytes, sizeof(bytes))) > 0)
        for (ssize_t done = 0; done < got; done += put)
            if ((put = write(to, bytes + done, (size_t)(got - done))) <= 0)
                return -1;
    return got < 0 ? -1 : 0;
}

static int copy_library(struct guest *g, const char *library, struct attach_error *err)
{
    struct attach_identity before;
    char name[96];
    int from = open(library, O_RDONLY | O_CLOEXEC), to = -1, rc = -1, saved;

    if (from < 0)
        return attach_fail(err, ATTACH_E_SYSTEM, "%s: %s", library, strerror(errno));
    random_name(g->dir_name, sizeof(g->dir_name), ".jfrkit-");
    snprintf(name, sizeof(name), "%s/" JVM_AGENT_FILE, g->dir_name);
    before = attach_become(g->jvm);
    if (mkdirat(g->tmp, g->dir_name, 0700) == 0)
        to = openat(g->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (to >= 0) {
        rc = copy_fd(from, to);
        saved = errno;
        if (close(to) != 0)
            rc = -1;
        else
            errno = saved;
    }
    attach_return(before);
    close(from);
    snprintf(g->library, sizeof(g->library), "/tmp/%s", name);
    return rc == 0 ? 0
                   : attach_fail(err, ATTACH_E_SYSTEM,
                                 "cannot copy the agent into /tmp of process %d: %s",
                                 (int)g->jvm->pid, strerror(errno));
}

static int bring_library(struct guest *g, const char *library, struct attach_error *err)
{
    if (g->jvm->agent[0] == '\0' && !is_visible(g, library))
        return copy_library(g, library, err);
    snprintf(g->library, sizeof(g->library), "%s",
             g->jvm->agent[0] != '\0' ? g->jvm->agent : library);
    return 0;
}

static int make_reply(struct guest *g, struct attach_error *err)
{
    struct attach_identity before;

    random_name(g->reply_name, sizeof(g->reply_name), ".jfrec-");
    before = attach_become(g->jvm);
    g->reply =
        openat(g->tmp, g->reply_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    attach_return(before);
    if (g->reply < 0)
        return attach_fail(err, ATTACH_E_SYSTEM,
                           "cannot make a file for the answer in /tmp of process %d: %s",
                           (int)g->jvm->pid, strerror(errno));
    (void)flock(g->reply, LOCK_EX); /* without the lock the agent removes it: reply.h */
    return 0;
}

static void leave_guest(struct guest *g)
{
    struct attach_identity before = attach_become(g->jvm);
    char name[96];

    if (g->reply >= 0) {
        unlinkat(g->tmp, g->reply_name, 0);
        close(g->reply);
    }
    if (g->dir_name[0] != '\0') {
        snprintf(name, sizeof(name), "%s/" JVM_AGENT_FILE, g->dir_name);
        unlinkat(g->tmp, name, 0);
        unlinkat(g->tmp, g->dir_name, AT_REMOVEDIR);
    }
    attach_return(before);
    close(g->tmp);
}

static int read_reply(const struct guest *g, struct agent_reply *reply, struct attach_error *err)
{
    ssize_t got;

    reply->text = malloc(ANSWER_MAX + 1);
    if (reply->text == NULL)
        return attach_fail(err, ATTACH_E_SYSTEM, "out of memory");
    while (reply->n < ANSWER_MAX && (got = pread(g->reply, reply->text + reply->n,
                                                 ANSWER_MAX - reply->n, (off_t)reply->n)) > 0)
        reply->n += (size_t)got;
    reply->text[reply->n] = '\0';
    for (size_t i = 0; i < reply->n; i++)
        if (reply->text[i] == '\n')
            reply->text[i] = '\0'; /* lines become strings */
    return 0;
}

/* The first line decides; rc is what the attach protocol said. */
static int judge_answer(int rc, const struct agent_reply *reply, struct attach_error *err)
{
    static const char error[] = "error: ";
    const char *first = reply->text == NULL ? "" : reply->text;

    if (strncmp(first, error, sizeof(error) - 1) == 0)
        return attach_fail(err, ATTACH_E_AGENT, "%.600s", first + sizeof(error) - 1);
    if (rc == 0 && strcmp(first, "ok") != 0)
        return attach_fail(
            err, ATTACH_E_PROTOCOL,
            "the agent was loaded but does not answer: it may be of another version, see "
            "--agent");
    return rc;
}

int agent_call(const struct jvm *jvm, const char *library, const char *options, int timeout_ms,
               struct agent_reply *reply, struct attach_error *err)
{
    struct guest g = {.jvm = jvm, .tmp = -1, .reply = -1};
    char text[2 * ATTACH_OPTIONS_MAX];
    int rc = attach_check(jvm, err);

    *reply = (struct agent_reply){.text = NULL};
    if (rc < 0)
        return rc;
    g.tmp = attach_open_dir(jvm, "/tmp");
    if (g.tmp < 0)
        return attach_fail(err, ATTACH_E_SYSTEM, "cannot enter /tmp of process %d: %s",
                           (int)jvm->pid, strerror(errno));
    if ((rc = make_reply(&g, err)) == 0 && (rc = bring_library(&g, library, err)) == 0) {
        snprintf(text, sizeof(text), "%.*s,reply=/tmp/%s", ATTACH_OPTIONS_MAX + 1, options,
                 g.reply_name);
        rc = attach_load(jvm, g.library, text, timeout_ms, err);
        if (rc == 0 || rc == ATTACH_E_AGENT)
            rc = read_reply(&g, reply, err) < 0 ? ATTACH_E_SYSTEM : judge_answer(rc, reply, err);
    }
    leave_guest(&g);
    if (rc < 0)
        agent_reply_free(reply);
    return rc;
}

bool agent_reply_next(const struct agent_reply *reply, size_t *at, struct agent_reply_line *line)
{
    while (*at < reply->n) {
        const char *text = reply->text + *at, *colon = strstr(text, ": ");

        *at += strlen(text) + 1;
        if (colon != NULL) { /* else it is "ok" */
            *line = (struct agent_reply_line){text, (int)(colon - text), colon + 2};
            return true;
        }
    }
    return false;
}

const char *agent_reply_get(const struct agent_reply *reply, const char *key)
{
    struct agent_reply_line line;
    size_t at = 0;

    while (agent_reply_next(reply, &at, &line))
        if (strlen(key) == (size_t)line.n && memcmp(line.key, key, (size_t)line.n) == 0)
            return line.value;
    return NULL;
}

void agent_reply_free(struct agent_reply *reply)
{
    free(reply->text);
    *reply = (struct agent_reply){.text = NULL};
}
