/*
 * spool.c - the folder of recordings that wait to be sent.
 *
 * A file counts once the state, which is replaced as a whole, has its number, so a killed process
 * leaves nothing half done: read_spool() deletes what is newer than the state.
 */
#include "tools/push/spool.h"

#include "jfrfmt/base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "jfrkit-push 1 "

static int fail_spool(const struct spool *spool, const char *name)
{
    cli_error(spool->command, "%s%s%s: %s%s", spool->folder, *name == '\0' ? "" : "/", name,
              strerror(errno),
              errno == EACCES || errno == EROFS ? "; name another folder: --spool-folder DIR" : "");
    return EXIT_FAILED;
}

static const char *spool_path(struct spool *spool, const char *name)
{
    snprintf(spool->path, sizeof(spool->path), "%s/%s", spool->folder, name);
    return spool->path;
}

static const char *numbered_path(struct spool *spool, uint64_t number)
{
    char name[32];

    snprintf(name, sizeof(name), "%012" PRIu64 ".jfr", number);
    return spool_path(spool, name);
}

/* --- opening --- */

/* Makes a folder and those above it. */
static bool make_spool_folder(const char *folder)
{
    char path[SPOOL_PATH];

    snprintf(path, sizeof(path), "%s", folder);
    for (char *p = path + 1; *p != '\0'; p++)
        if (*p == '/') {
            *p = '\0';
            if (mkdir(path, 0700) != 0 && errno != EEXIST)
                return false;
            *p = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Refuses a folder to which other users could add a recording or a link. */
static int check_spool_folder(struct spool *spool)
{
    struct stat st;

    if (lstat(spool->folder, &st) != 0)
        return fail_spool(spool, "");
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return 0;
    cli_error(spool->command, "%s: is no folder that only you can write to", spool->folder);
    return EXIT_FAILED;
}

static int lock_spool(struct spool *spool)
{
    spool->lock = open(spool_path(spool, "lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (spool->lock < 0)
        return fail_spool(spool, "lock");
    if (flock(spool->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    cli_error(spool->command,
              "%s: another jfrkit push sends from this folder; name another: --spool-folder DIR",
              spool->folder);
    return EXIT_FAILED;
}

/* The first line: the number of the last file and the time it reaches to. The rest is the
 * caller's. */
static int read_state(struct spool *spool)
{
    int fd = open(spool_path(spool, "state"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    char *text = NULL, *line_end, *end;

    if (fd < 0)
        return errno == ENOENT ? 0 : fail_spool(spool, "state");
    if (fstat(fd, &st) == 0)
        text = calloc((size_t)st.st_size + 1, 1);
    if (text != NULL && read(fd, text, (size_t)st.st_size) != st.st_size)
        text[0] = '\0';
    close(fd);
    if (text == NULL)
        return cli_no_memory(spool->command);
    line_end = strchr(text, '\n');
    if (line_end == NULL || strncmp(text, HEAD, strlen(HEAD)) != 0) {
        cli_error(spool->command, "%s/state: not of jfrkit push; remove it to begin anew",
                  spool->folder);
        free(text);
        return EXIT_FAILED;
    }
    spool->number = strtoull(text + strlen(HEAD), &end, 10);
    spool->taken_ns = strtoll(end, NULL, 10);
    memmove(text, line_end + 1, strlen(line_end));
    spool->state = text;
    return 0;
}

static int by_spool_number(const void *a, const void *b)
{
    const struct spool_file *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

/* Lists the complete files, and deletes unfinished ones. */
static int read_spool(struct spool *spool)
{
    DIR *dir = opendir(spool->folder);
    struct dirent *entry;

    if (dir == NULL)
        return fail_spool(spool, "");
    while ((entry = readdir(dir)) != NULL) {
        uint64_t number;
        struct stat st;
        int end = 0;

        if (sscanf(entry->d_name, "%" SCNu64 ".jfr%n", &number, &end) != 1 ||
            end != (int)strlen(entry->d_name) ||
            lstat(spool_path(spool, entry->d_name), &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (number > spool->number) {
            unlink(spool->path);
        } else if (!array_add(&spool->files, spool->n_files, sizeof(*spool->files))) {
            closedir(dir);
            return cli_no_memory(spool->command);
        } else {
            spool->files[spool->n_files++] = (struct spool_file){number, (uint64_t)st.st_size};
        }
    }
    closedir(dir);
    if (spool->n_files > 1)
        qsort(spool->files, spool->n_files, sizeof(*spool->files), by_spool_number);
    return 0;
}

int spool_open(const struct cli_command *command, const char *folder, uint64_t most_bytes,
               struct spool *spool)
{
    int rc;

    *spool =
        (struct spool){.command = command, .folder = folder, .most_bytes = most_bytes, .lock = -1};
    if (strlen(folder) + 64 > SPOOL_PATH)
        errno = ENAMETOOLONG;
    if (strlen(folder) + 64 > SPOOL_PATH || !make_spool_folder(folder))
        return fail_spool(spool, "");
    rc = check_spool_folder(spool);
    if (rc == 0)
        rc = lock_spool(spool);
    if (rc == 0)
        rc = read_state(spool);
    return rc != 0 ? rc : read_spool(spool);
}

void spool_close(struct spool *spool)
{
    if (spool->lock >= 0)
        close(spool->lock);
    free(spool->files);
    free(spool->state);
    spool->files = NULL;
    spool->state = NULL;
    spool->lock = -1;
}

/* --- files --- */

const char *spool_next(struct spool *spool)
{
    return numbered_path(spool, spool->number + 1);
}

int spool_write(struct spool *spool, const char *name, const struct buf *text)
{
    char from[SPOOL_PATH], new_name[32];
    FILE *file;
    int fd;
    bool ok;

    snprintf(new_name, sizeof(new_name), "%s.new", name);
    snprintf(from, sizeof(from), "%s", spool_path(spool, new_name));
    fd = open(from, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL)
        return fail_spool(spool, new_name);
    ok = fwrite(text->p, 1, text->n, file) == text->n;
    ok = fclose(file) == 0 && ok;
    if (ok && rename(from, spool_path(spool, name)) == 0)
        return 0;
    return fail_spool(spool, name);
}

static int write_spool_state(struct spool *spool, uint64_t number, const struct buf *state)
{
    struct buf text = {0};
    int rc;

    buf_printf(&text, HEAD "%" PRIu64 " %" PRId64 "\n", number, spool->taken_ns);
    buf_bytes(&text, state->p, state->n);
    rc = buf_ok(&text) ? spool_write(spool, "state", &text) : cli_no_memory(spool->command);
    buf_free(&text);
    return rc;
}

static uint64_t waiting_bytes(const struct spool *spool)
{
    uint64_t n = 0;

    for (size_t i = 0; i < spool->n_files; i++)
        n += spool->files[i].bytes;
    return n;
}

int spool_add(struct spool *spool, bool has_file, const struct buf *state)
{
    uint64_t number = spool->number + (has_file ? 1 : 0);
    struct stat st = {0};
    int rc;

    if (has_file && stat(spool_next(spool), &st) != 0)
        return fail_spool(spool, "");
    rc = write_spool_state(spool, number, state);
    if (rc != 0 || !has_file)
        return rc;
    spool->number = number;
    if (!array_add(&spool->files, spool->n_files, sizeof(*spool->files)))
        return cli_no_memory(spool->command);
    spool->files[spool->n_files++] = (struct spool_file){number, (uint64_t)st.st_size};
    while (spool->n_files > 0 && waiting_bytes(spool) > spool->most_bytes)
        spool_remove(spool, false);
    return 0;
}

const char *spool_oldest(struct spool *spool)
{
    return spool->n_files == 0 ? NULL : numbered_path(spool, spool->files[0].number);
}

void spool_remove(struct spool *spool, bool is_sent)
{
    const char *path = spool_oldest(spool);

    if (path == NULL)
        return;
    if (unlink(path) != 0 && errno != ENOENT)
        fail_spool(spool, path + strlen(spool->folder) + 1);
    if (is_sent)
        spool->sent_bytes += spool->files[0].bytes;
    spool->n_sent += is_sent;
    spool->n_lost += !is_sent;
    spool->n_files--;
    memmove(spool->files, spool->files + 1, spool->n_files * sizeof(*spool->files));
}
