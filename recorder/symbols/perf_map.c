/*
 * perf_map.c - reads /tmp/perf-PID.map, which other compilers in the process write, and finds names
 * in it.
 *
 * Any user may create files in /tmp, so the file is checked after it was opened: a regular file of
 * this user, of limited size.
 */
#include "recorder/symbols/perf_map.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BYTES_MAX = 64 << 20,
    FUNCTIONS_MAX = 1 << 20,
};

struct function {
    uintptr_t lo, n;
    char *name;
};

static struct function *all;
static uint32_t n_all;
static char *text; /* names point in here */
static struct stat last; /* of this process's map, when it was read */

static bool add(uintptr_t lo, uintptr_t n, char *name)
{
    if (n_all == FUNCTIONS_MAX || !array_add(&all, n_all, sizeof(*all)))
        return false;
    all[n_all++] = (struct function){lo, n, name};
    return true;
}

static int by_map_lo(const void *a, const void *b)
{
    const struct function *x = a, *y = b;

    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* All of a file as text, or NULL. */
static char *read_map_text(int fd, size_t size)
{
    char *bytes = malloc(size + 1);
    size_t n = 0;
    ssize_t got = 1;

    while (bytes != NULL && got > 0 && n < size) {
        got = read(fd, bytes + n, size - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (bytes != NULL)
        bytes[n] = 0;
    return bytes;
}

static void add_lines(char *line)
{
    char *next;

    for (; *line != 0; line = next) {
        unsigned long lo, n;
        int name_at = 0;

        next = strchr(line, '\n');
        if (next == NULL)
            return; /* still being written */
        *next++ = 0;
        if (sscanf(line, "%lx %lx %n", &lo, &n, &name_at) < 2 || name_at == 0 || line[name_at] == 0)
            continue;
        if (!add(lo, n, line + name_at))
            return;
    }
}

int perf_map_read(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    perf_map_stop();
    if (fd < 0)
        return 0;
    /* any user may put files into /tmp */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        st.st_size <= BYTES_MAX)
        text = read_map_text(fd, (size_t)st.st_size);
    close(fd);
    if (text != NULL)
        add_lines(text);
    if (n_all > 1)
        qsort(all, n_all, sizeof(*all), by_map_lo);
    return (int)n_all;
}

bool perf_map_update(void)
{
    char path[64];
    struct stat now;

    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    if (lstat(path, &now) != 0 || (now.st_size == last.st_size && now.st_ino == last.st_ino))
        return false;
    perf_map_read(path);
    last = now;
    return true;
}

bool perf_map_find(uintptr_t pc, const char **name, uint64_t *offset)
{
    size_t behind = SORTED_FIRST(n_all, i, all[i].lo > pc);

    if (behind == 0 || pc - all[behind - 1].lo >= all[behind - 1].n)
        return false;
    *name = all[behind - 1].name;
    *offset = pc - all[behind - 1].lo;
    return true;
}

void perf_map_stop(void)
{
    free(all);
    free(text);
    all = NULL;
    text = NULL;
    n_all = 0;
    last = (struct stat){0};
}
