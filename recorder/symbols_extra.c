#include "recorder/symbols_extra.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PERF_MAP_MAX = 64 << 20,
    KERNEL_MAX = 64 << 20,
    LINE_SYMBOLS_MAX = 1 << 20,
};

struct extra {
    uintptr_t lo, n; /* n = 0: until the next */
    char *name;
};

struct extras {
    struct extra *all;
    uint32_t n, room;
    char *text; /* names point in here */
    const char *library;
};

static struct extras jit = {.library = "[jit]"}, kernel = {.library = "[kernel]"};

static void clear(struct extras *x)
{
    free(x->all);
    free(x->text);
    *x = (struct extras){.library = x->library};
}

static bool add(struct extras *x, uintptr_t lo, uintptr_t n, char *name)
{
    if (x->n == LINE_SYMBOLS_MAX)
        return false;
    if (x->n == x->room) {
        uint32_t room = x->room == 0 ? 1024 : x->room * 2;
        struct extra *grown = realloc(x->all, room * sizeof(*grown));
        if (grown == NULL)
            return false;
        x->all = grown;
        x->room = room;
    }
    x->all[x->n++] = (struct extra){lo, n, name};
    return true;
}

static int by_lo(const void *a, const void *b)
{
    const struct extra *x = a, *y = b;

    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* All of a file as text, or NULL. */
static char *read_text(int fd, size_t max)
{
    size_t n = 0, room = 0;
    char *text = NULL;
    ssize_t got = 1;

    while (got > 0 && n < max) {
        if (n + 65536 + 1 > room) {
            char *grown = realloc(text, room = room * 2 + 131072);
            if (grown == NULL)
                break;
            text = grown;
        }
        got = read(fd, text + n, 65536);
        if (got > 0)
            n += (size_t)got;
    }
    if (text != NULL)
        text[n] = 0;
    return text;
}

static int finish(struct extras *x)
{
    if (x->n > 1)
        qsort(x->all, x->n, sizeof(*x->all), by_lo);
    return (int)x->n;
}

int symbols_extra_perf_map(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    char *line, *next;

    clear(&jit);
    if (fd < 0)
        return 0;
    /* anybody may put files into /tmp */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        st.st_size <= PERF_MAP_MAX)
        jit.text = read_text(fd, PERF_MAP_MAX);
    close(fd);
    for (line = jit.text; line != NULL && *line != 0; line = next) {
        unsigned long lo, n;
        int name_at = 0;

        next = strchr(line, '\n');
        if (next == NULL)
            break; /* still being written */
        *next++ = 0;
        if (sscanf(line, "%lx %lx %n", &lo, &n, &name_at) < 2 || name_at == 0 || line[name_at] == 0)
            continue;
        if (!add(&jit, lo, n, line + name_at))
            break;
    }
    return finish(&jit);
}

int symbols_extra_kernel(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *line, *next;

    clear(&kernel);
    if (fd < 0)
        return 0;
    kernel.text = read_text(fd, KERNEL_MAX);
    close(fd);
    for (line = kernel.text; line != NULL && *line != 0; line = next) {
        unsigned long lo;
        char type;
        int name_at = 0;
        char *end;

        next = strchr(line, '\n');
        if (next == NULL)
            break;
        *next++ = 0;
        if (sscanf(line, "%lx %c %n", &lo, &type, &name_at) < 2 || name_at == 0 || lo == 0 ||
            strchr("tTwW", type) == NULL)
            continue;
        end = strchr(line + name_at, '\t'); /* the module's name follows */
        if (end != NULL)
            *end = 0;
        if (!add(&kernel, lo, 0, line + name_at))
            break;
    }
    return finish(&kernel);
}

static bool find(const struct extras *x, uintptr_t pc, const char **name, uint64_t *offset,
                 const char **library)
{
    uint32_t lo = 0, hi = x->n;
    const struct extra *e;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (x->all[mid].lo <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return false;
    e = &x->all[lo - 1];
    if (e->n != 0 && pc - e->lo >= e->n)
        return false;
    *name = e->name;
    *offset = pc - e->lo;
    *library = x->library;
    return true;
}

bool symbols_extra_find(uintptr_t pc, const char **name, uint64_t *offset, const char **library)
{
    const uintptr_t half = (uintptr_t)1 << (8 * sizeof(pc) - 1); /* the kernel has the upper one */

    return find(pc >= half ? &kernel : &jit, pc, name, offset, library);
}

void symbols_extra_stop(void)
{
    clear(&jit);
    clear(&kernel);
}
