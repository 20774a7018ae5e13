/*
 * jvm.c - finds JVMs in /proc, and what is known of each: user, container, agent, libraries.
 *
 * In: /proc/PID/{status,stat,maps,cmdline,environ}. Processes may end between two reads, and files
 * of other users may be unreadable: what cannot be read is left empty.
 */
#include "tools/rec/jvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MAX 8192

/* A small file of /proc as text; the number of bytes, or -1. */
static ssize_t read_small(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    size_t n = 0;
    ssize_t got = 0;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (n < room - 1 && (got = read(fd, text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = '\0';
    return got < 0 && n == 0 ? -1 : (ssize_t)n;
}

/* The line of /proc/PID/status that begins with this key; after the key. */
static const char *status_line(const char *status, const char *key)
{
    size_t n = strlen(key);

    for (const char *line = status; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0)
            return line + n;
    }
    return NULL;
}

static unsigned long number_at(const char *text, int nth, int base)
{
    unsigned long v = 0;
    char *end;

    for (; text != NULL && nth >= 0; nth--, text = end) {
        v = strtoul(text, &end, base);
        if (end == text)
            return 0;
    }
    return v;
}

/* The last number of a line: the innermost namespace comes last. */
static unsigned long last_number(const char *text)
{
    unsigned long v = 0;
    char *end;

    while (text != NULL && (*text == '\t' || *text == ' ')) {
        v = strtoul(text, &end, 10);
        text = end;
    }
    return v;
}

static int read_status(pid_t pid, struct jvm *out)
{
    char text[STATUS_MAX];
    const char *state, *tgid;

    if (read_small(pid, "status", text, sizeof(text)) < 0)
        return -1;
    tgid = status_line(text, "Tgid:");
    if (number_at(tgid, 0, 10) != (unsigned long)pid) { /* the id of a thread */
        errno = ESRCH;
        return -1;
    }
    state = status_line(text, "State:\t");
    out->state = state == NULL ? '?' : *state;
    out->nspid = (pid_t)last_number(status_line(text, "NStgid:"));
    if (out->nspid == 0)
        out->nspid = pid;
    out->uid = (uid_t)number_at(status_line(text, "Uid:"), 1, 10);
    out->gid = (gid_t)number_at(status_line(text, "Gid:"), 1, 10);
    out->catches_quit = number_at(status_line(text, "SigCgt:"), 0, 16) >> (SIGQUIT - 1) & 1;
    return 0;
}

/* The path in a line of /proc/PID/maps, without the mark of a deleted file. NULL: none */
static char *mapped_path(char *line)
{
    static const char deleted[] = " (deleted)";
    char *path = strchr(line, '/');
    size_t n;

    if (path == NULL)
        return NULL;
    path[strcspn(path, "\n")] = '\0';
    n = strlen(path);
    if (n > sizeof(deleted) - 1 && strcmp(path + n - (sizeof(deleted) - 1), deleted) == 0)
        path[n - (sizeof(deleted) - 1)] = '\0';
    return path;
}

static void note_path(struct jvm *out, const char *path)
{
    const char *name = strrchr(path, '/') + 1;

    if (strcmp(name, "libjvm.so") == 0) {
        if (out->kind == JVM_NONE)
            out->kind = JVM_HOTSPOT;
        snprintf(out->lib, sizeof(out->lib), "%s", path);
    } else if (strncmp(name, "libj9vm", 7) == 0) { /* it has a libjvm.so too */
        out->kind = JVM_OPENJ9;
    } else if (strcmp(name, JVM_AGENT_FILE) == 0) {
        snprintf(out->agent, sizeof(out->agent), "%s", path);
    }
}

static void read_maps(pid_t pid, struct jvm *out)
{
    char path[64], *line = NULL, *mapped;
    size_t room = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    if (f == NULL) {
        out->kind = JVM_UNKNOWN;
        return;
    }
    errno = 0;
    while (getline(&line, &room, f) > 0)
        if ((mapped = mapped_path(line)) != NULL)
            note_path(out, mapped);
    if (ferror(f))
        out->kind = JVM_UNKNOWN;
    free(line);
    fclose(f);
}

int jvm_look(pid_t pid, struct jvm *out)
{
    *out = (struct jvm){.pid = pid};
    if (pid <= 0 || read_status(pid, out) < 0) {
        if (errno != EACCES && errno != EPERM)
            errno = ESRCH;
        return -1;
    }
    read_maps(pid, out);
    /* The file is read part by part while the process changes what it lists. That a JVM has no
     * agent is believed when two readings say so. */
    if (out->kind == JVM_HOTSPOT && out->agent[0] == '\0')
        read_maps(pid, out);
    return 0;
}

/* Is `option` one of the words in n bytes, which are parted by blanks or NUL? */
static bool has_argument(const char *text, size_t n, const char *option)
{
    size_t length = strlen(option);

    for (size_t i = 0; i + length <= n; i++) {
        bool starts = i == 0 || strchr(" \t\n\"'=", text[i - 1]) != NULL; /* NUL too */
        bool ends = i + length == n || strchr(" \t\n\"'", text[i + length]) != NULL;

        if (starts && ends && memcmp(text + i, option, length) == 0)
            return true;
    }
    return false;
}

/* Options in JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS and _JAVA_OPTIONS. */
static bool has_in_environment(const char *text, size_t n, const char *option)
{
    static const char *const names[] = {
        "JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="};

    for (const char *p = text; p < text + n; p += strlen(p) + 1)
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (strncmp(p, names[i], strlen(names[i])) == 0 && has_argument(p, strlen(p), option))
                return true;
    return false;
}

bool jvm_has_option(const struct jvm *jvm, const char *option)
{
    const size_t room = 256 << 10;
    char *text = malloc(room);
    ssize_t n;
    bool found = false;

    if (text == NULL)
        return false;
    n = read_small(jvm->pid, "cmdline", text, room);
    found = n > 0 && has_argument(text, (size_t)n, option);
    if (!found && (n = read_small(jvm->pid, "environ", text, room)) > 0)
        found = has_in_environment(text, (size_t)n, option);
    free(text);
    return found;
}

bool jvm_is_called_java(pid_t pid)
{
    char comm[64];

    return read_small(pid, "comm", comm, sizeof(comm)) > 0 && strcmp(comm, "java\n") == 0;
}

static int compare_pid(const void *a, const void *b)
{
    const struct jvm *x = a, *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

int jvm_list(struct jvm *jvms, size_t room)
{
    DIR *proc = opendir("/proc");
    const struct dirent *e;
    struct jvm one;
    int n = 0;

    if (proc == NULL)
        return -1;
    while ((e = readdir(proc)) != NULL) {
        int pid = atoi(e->d_name);

        if (pid <= 0 || jvm_look(pid, &one) < 0 || one.state == 'Z' || one.kind == JVM_NONE ||
            (one.kind == JVM_UNKNOWN && !jvm_is_called_java(pid)))
            continue;
        if ((size_t)n < room)
            jvms[n] = one;
        n++;
    }
    closedir(proc);
    qsort(jvms, (size_t)n < room ? (size_t)n : room, sizeof(*jvms), compare_pid);
    return n;
}
