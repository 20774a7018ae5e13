/*
 * jvm_about.c - the names of a JVM: its main class or jar, the version of its JDK, its user.
 *
 * From the performance counters in /tmp/hsperfdata_*; without these from the command line and the
 * JDK's release file.
 */
#include "tools/rec/jvm.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 20)
#define COUNTERS_MAGIC 0xcafec0c0u
#define HEADER 32
#define ENTRY 20

/* Performance data is written in the byte order of the machine, which is ours. */
static uint32_t u32_at(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

/* A text of which the end lies before `end`. */
static const char *text_in(const uint8_t *p, const uint8_t *end)
{
    return p < end && memchr(p, 0, (size_t)(end - p)) != NULL ? (const char *)p : NULL;
}

const char *jvm_counter(const void *bytes, size_t n, const char *name)
{
    const uint8_t *p = bytes;
    uint32_t magic, at, count;

    if (n < HEADER)
        return NULL;
    magic = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    at = u32_at(p + 24);
    count = u32_at(p + 28);
    if (magic != COUNTERS_MAGIC || p[5] != 2) /* the only version there ever was */
        return NULL;
    for (; count > 0 && at <= n && n - at >= ENTRY; count--) {
        const uint8_t *e = p + at, *end;
        uint32_t length = u32_at(e), name_at = u32_at(e + 4), data_at = u32_at(e + 16);
        const char *key;

        if (length < ENTRY || length > n - at)
            return NULL;
        end = e + length;
        key = name_at < length ? text_in(e + name_at, end) : NULL;
        if (key != NULL && strcmp(key, name) == 0)
            return data_at < length && e[12] == 'B' ? text_in(e + data_at, end) : NULL;
        at += length;
    }
    return NULL;
}

/* A regular file of at most FILE_MAX bytes, with a NUL after it; NULL when it is not. */
static char *read_proc_file(int dir, const char *path, size_t *n)
{
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    struct stat st;
    ssize_t got;

    *n = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (text = malloc(FILE_MAX + 1)) != NULL) {
        while (*n < FILE_MAX && (got = read(fd, text + *n, FILE_MAX - *n)) > 0)
            *n += (size_t)got;
        text[*n] = '\0';
    }
    close(fd);
    return text;
}

/* The performance data of a JVM, which lies in a folder named after its user there. */
static char *read_counters(const struct jvm *jvm, size_t *n)
{
    char path[64], file[300], *text = NULL;
    const struct dirent *e;
    struct stat st;
    DIR *tmp;

    snprintf(path, sizeof(path), "/proc/%d/root/tmp", (int)jvm->pid);
    tmp = opendir(path);
    while (tmp != NULL && text == NULL && (e = readdir(tmp)) != NULL) {
        if (strncmp(e->d_name, "hsperfdata_", 11) != 0)
            continue;
        snprintf(file, sizeof(file), "%s/%d", e->d_name, (int)jvm->nspid);
        /* A left-over of another user's JVM with the same number is not meant. */
        if (fstatat(dirfd(tmp), file, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid == jvm->uid)
            text = read_proc_file(dirfd(tmp), file, n);
    }
    if (tmp != NULL)
        closedir(tmp);
    return text;
}

static bool takes_value(const char *option)
{
    static const char *const all[] = {"-cp",
                                      "-classpath",
                                      "--class-path",
                                      "-p",
                                      "--module-path",
                                      "--upgrade-module-path",
                                      "--add-modules",
                                      "--add-reads",
                                      "--add-exports",
                                      "--add-opens",
                                      "--limit-modules",
                                      "--patch-module",
                                      "--enable-native-access",
                                      "--source"};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(option, all[i]) == 0)
            return true;
    return false;
}

const char *jvm_main(const char *cmdline, size_t n)
{
    const char *end = cmdline + n, *p = cmdline;

    for (p += strlen(p) + 1; p < end; p += strlen(p) + 1) {
        bool names_it =
            strcmp(p, "-jar") == 0 || strcmp(p, "-m") == 0 || strcmp(p, "--module") == 0;

        if (names_it || takes_value(p))
            p += strlen(p) + 1;
        else if (p[0] == '-' || p[0] == '@' || p[0] == '\0')
            continue;
        else
            names_it = true;
        if (p >= end)
            return NULL;
        if (names_it)
            return p;
    }
    return NULL;
}

/* The words after `from` too, blanks between them. */
static void main_from_cmdline(const struct jvm *jvm, struct jvm_about *out)
{
    char path[64], *text;
    const char *from;
    size_t n, left, length = 0;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)jvm->pid);
    text = read_proc_file(AT_FDCWD, path, &n);
    from = text == NULL || n == 0 ? NULL : jvm_main(text, n);
    if (from != NULL) {
        left = (size_t)(text + n - from);
        while (left > 0 && from[left - 1] == '\0')
            left--;
        for (; length < left && length < sizeof(out->command) - 1; length++)
            out->command[length] = from[length];
        for (size_t i = 0; i < length; i++)
            if (out->command[i] == '\0')
                out->command[i] = ' ';
        snprintf(out->main, sizeof(out->main), "%s", from);
    }
    free(text);
}

/* "app.jar" of "/opt/app.jar"; a class keeps its package, and a module is not part of its name. */
static void strip_main(char *main)
{
    size_t n = strlen(main);
    const char *slash = strrchr(main, '/');

    if (main[0] != '/' && main[0] != '.' && (n <= 4 || strcmp(main + n - 4, ".jar") != 0))
        slash = strchr(main, '/');
    if (slash != NULL)
        memmove(main, slash + 1, strlen(slash));
}

/* JAVA_VERSION of the JDK's file `release`, which is some folders above libjvm.so. */
static void version_from_release(const struct jvm *jvm, struct jvm_about *out)
{
    char path[JVM_PATH_MAX + 64], *slash, *text = NULL;
    const char *at;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/root%s", (int)jvm->pid, jvm->lib);
    for (int up = 0; up < 6 && text == NULL && (slash = strrchr(path, '/')) != NULL; up++) {
        *slash = '\0';
        if (strlen(path) + 9 < sizeof(path)) {
            strcpy(slash, "/release");
            text = read_proc_file(AT_FDCWD, path, &n);
            *slash = '\0';
        }
    }
    at = text == NULL ? NULL : strstr(text, "JAVA_VERSION=\"");
    if (at != NULL)
        snprintf(out->version, sizeof(out->version), "%.*s", (int)strcspn(at + 14, "\"\n"),
                 at + 14);
    free(text);
}

static void find_user(const struct jvm *jvm, struct jvm_about *out)
{
    struct passwd pw, *found = NULL;
    char room[4096];

    if (getpwuid_r(jvm->uid, &pw, room, sizeof(room), &found) == 0 && found != NULL)
        snprintf(out->user, sizeof(out->user), "%s", pw.pw_name);
    else
        snprintf(out->user, sizeof(out->user), "%u", (unsigned)jvm->uid);
}

void jvm_about(const struct jvm *jvm, struct jvm_about *out)
{
    size_t n = 0;
    char *counters = read_counters(jvm, &n);
    const char *command = counters == NULL ? NULL : jvm_counter(counters, n, "sun.rt.javaCommand");
    const char *version =
        counters == NULL ? NULL : jvm_counter(counters, n, "java.property.java.version");

    *out = (struct jvm_about){.command = ""};
    if (command != NULL && command[0] != '\0') {
        snprintf(out->command, sizeof(out->command), "%s", command);
        snprintf(out->main, sizeof(out->main), "%.*s", (int)strcspn(command, " "), command);
    } else {
        main_from_cmdline(jvm, out);
    }
    strip_main(out->main);
    if (version != NULL && version[0] != '\0')
        snprintf(out->version, sizeof(out->version), "%s", version);
    else if (jvm->lib[0] != '\0')
        version_from_release(jvm, out);
    find_user(jvm, out);
    free(counters);
}
