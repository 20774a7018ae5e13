/*
 * expand.c - what stands for several recordings: a folder, and the name of a row of files.
 *
 * cli_parse() calls it for commands that read recordings, before anything looks at the operands.
 *   FOLDER     the recordings in it, in the order of their start: the repository of the JDK's
 * recorder, or a folder of .jfr files. Not its folders, and no symbolic links in it. app.jfr when
 * there is no such file: app-1.jfr, app-2.jfr, ..., in which the recorder writes when it keeps the
 * last part only. They stay when the JVM is killed. Files that are passed over are named. The order
 * is that of the headers; a compressed file has its time of change.
 */
#include "tools/cli/internal.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/ascii.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER 68

struct part {
    char *path;
    int64_t start; /* ns since 1970 */
    unsigned long number; /* in a row; else 0 */
};

struct parts {
    struct part *all;
    size_t n;
    bool failed; /* out of memory */
};

static void add_expanded_part(struct parts *p, char *path, int64_t start, unsigned long number)
{
    if (!array_add(&p->all, p->n, sizeof(*p->all))) {
        p->failed = true;
        free(path);
        return;
    }
    p->all[p->n++] = (struct part){path, start, number};
}

static void free_parts(struct parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->all[i].path);
    free(p->all);
}

static int in_order(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* When a file of this state begins, in *start. Returns NULL, or why it is no recording. */
static const char *look_at_file(const char *path, const struct stat *st, int64_t *start)
{
    static const char *const packed[] = {".gz", ".zst", ".lz4", ".zip"};
    uint8_t header[HEADER];
    ssize_t n;
    int fd;

    if (S_ISLNK(st->st_mode))
        return "a symbolic link";
    if (!S_ISREG(st->st_mode))
        return "no regular file";
    if (st->st_size == 0)
        return "empty";
    if (ascii_ends_with(path, ".part"))
        return "not complete";
    *start = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
        if (ascii_ends_with(path, packed[i]))
            return NULL;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    n = fd < 0 ? 0 : pread(fd, header, sizeof(header), 0);
    if (fd >= 0)
        close(fd);
    if (fd < 0)
        return "cannot be read";
    if (n < HEADER || memcmp(header, "FLR", 4) != 0)
        return "no recording";
    *start = 0;
    for (int i = 32; i < 40; i++)
        *start = (int64_t)((uint64_t)*start << 8 | header[i]);
    return NULL;
}

/* The number in "STEM-<n>.jfr"; 0: that is not the name. */
static unsigned long number_in_row(const char *name, const char *stem)
{
    size_t n = strlen(stem);
    char *end;
    unsigned long number;

    if (strncmp(name, stem, n) != 0 || name[n] != '-' || name[n + 1] < '1' || name[n + 1] > '9')
        return 0;
    number = strtoul(name + n + 1, &end, 10);
    return strcmp(end, ".jfr") == 0 ? number : 0;
}

/* Adds the recordings of a folder. stem: only those of the row with this name. */
static void read_folder(const struct cli_command *command, const char *folder, const char *stem,
                        struct parts *parts)
{
    DIR *dir = opendir(*folder == '\0' ? "." : folder);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL && !parts->failed) {
        struct stat st;
        const char *why;
        char *path = NULL;
        int64_t start = 0;
        unsigned long number = stem == NULL ? 0 : number_in_row(entry->d_name, stem);

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (stem != NULL && number == 0))
            continue;
        if (asprintf(&path, "%s%s%s", folder,
                     *folder == '\0' || ascii_ends_with(folder, "/") ? "" : "/",
                     entry->d_name) < 0) {
            parts->failed = true;
            break;
        }
        why = lstat(path, &st) != 0 ? "cannot be read" : look_at_file(path, &st, &start);
        if (why == NULL) {
            add_expanded_part(parts, path, start, number);
            continue;
        }
        if (!S_ISDIR(st.st_mode))
            cli_error(command, "%s: passed over: %s", path, why);
        free(path);
    }
    if (dir != NULL)
        closedir(dir);
    if (parts->n > 0)
        qsort(parts->all, parts->n, sizeof(*parts->all), in_order);
}

/* Files of an earlier recording with this name may be left, with higher numbers: they begin earlier
 * than the one before them. */
static void drop_older(const struct cli_command *command, struct parts *parts)
{
    size_t n = 1;

    while (n < parts->n && parts->all[n].start >= parts->all[n - 1].start)
        n++;
    while (parts->n > n) {
        char *path = parts->all[--parts->n].path;

        cli_error(command, "%s: passed over: of an earlier recording", path);
        free(path);
    }
}

/* The row that stands for a file which is not there. */
static void read_row(const struct cli_command *command, const char *path, struct parts *parts)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    size_t n = strlen(base);
    char *folder, *stem;

    if (!ascii_ends_with(base, ".jfr") || n == 4)
        return;
    folder = slash == NULL ? strdup("") : strndup(path, (size_t)(slash - path) + 1);
    stem = strndup(base, n - 4);
    if (folder == NULL || stem == NULL)
        parts->failed = true;
    else
        read_folder(command, folder, stem, parts);
    free(folder);
    free(stem);
    if (parts->n == 0)
        return;
    drop_older(command, parts);
    cli_error(command, "%s does not exist: read as %s%s%s", path, parts->all[0].path,
              parts->n > 1 ? " to " : "", parts->n > 1 ? parts->all[parts->n - 1].path : "");
}

/* Adds what an operand stands for. Returns -1, or the exit code after a message. */
static int expand_one(const struct cli_command *command, const char *path, struct cli_list *to)
{
    struct parts parts = {0};
    struct stat st;
    int rc = -1;
    bool is_there = strcmp(path, "-") == 0 || stat(path, &st) == 0;

    if (is_there && strcmp(path, "-") != 0 && S_ISDIR(st.st_mode)) {
        read_folder(command, path, NULL, &parts);
        if (parts.n == 0 && !parts.failed) {
            cli_error(command,
                      "%s: there is no recording in this folder (folders in it are not read)",
                      path);
            rc = EXIT_FAILED;
        }
    } else if (!is_there) {
        read_row(command, path, &parts);
    }
    for (size_t i = 0; i < parts.n && !parts.failed; i++)
        parts.failed = !cli_list_add(to, parts.all[i].path);
    if (parts.n == 0 && rc < 0 && !parts.failed)
        parts.failed = !cli_list_add(to, path);
    if (parts.failed)
        rc = cli_no_memory(command);
    free_parts(&parts);
    return rc;
}

int cli_expand(const struct cli_command *command, struct cli_list *operands)
{
    struct cli_list all = {0};
    int rc = -1;

    if (!command->reads_recordings)
        return -1;
    for (size_t i = 0; i < operands->n && rc < 0; i++)
        if (i >= command->n_words)
            rc = expand_one(command, operands->items[i], &all);
        else if (!cli_list_add(&all, operands->items[i]))
            rc = cli_no_memory(command);
    cli_list_free(operands);
    *operands = all;
    return rc;
}
