/*
 * debug_file.c - finds the separate debug file of a library, checks that it belongs to the
 * library, and adds its symbols to a table.
 *
 * native/lib_file.c calls it when the names of a library are needed for the first time.
 * debug_file.h lists the paths.
 */
#include "recorder/symbols/debug_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *debug_root = "/usr/lib/debug";

void symbols_debug_root(const char *root)
{
    debug_root = root == NULL ? "/usr/lib/debug" : root;
}

/* The checksum of .gnu_debuglink: CRC-32 as in zlib. False when the file cannot be read. */
static bool checksum(int fd, uint32_t *sum)
{
    uint8_t bytes[65536];
    uint32_t table[256], crc = UINT32_MAX;
    off_t at = 0;
    ssize_t n;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0);
    }
    while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
        at += n;
    }
    *sum = ~crc;
    return n == 0;
}

struct wanted {
    uint8_t id[64];
    size_t id_n;
    char link[256]; /* name in .gnu_debuglink; "" = none */
    uint32_t link_sum;
};

static bool is_wanted(const struct wanted *w, struct elf *e, int fd)
{
    uint8_t id[64];
    size_t n = elf_build_id(e, id);
    uint32_t sum;

    if (n > 0 && w->id_n > 0)
        return n == w->id_n && memcmp(id, w->id, n) == 0;
    return w->link[0] != 0 && checksum(fd, &sum) && sum == w->link_sum;
}

static bool add_from(struct symtab *t, const struct wanted *w, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct elf e;
    bool is_added;

    if (fd < 0)
        return false;
    is_added = elf_open_fd(&e, fd) && is_wanted(w, &e, fd) && symtab_add_symtab(t, &e);
    elf_close(&e);
    close(fd);
    return is_added;
}

static void read_link(struct elf *e, struct wanted *w)
{
    const Elf64_Shdr *s = elf_section(e, ".gnu_debuglink");
    struct elf_part part = {0};
    size_t n, sum_at;

    if (s != NULL && elf_section_read(e, s, &part)) {
        n = strnlen((const char *)part.bytes, part.n);
        sum_at = (n + 4) & ~(size_t)3; /* after the terminator, aligned */
        /* a name with a slash could lead anywhere */
        if (n > 0 && n < sizeof(w->link) && sum_at + 4 <= part.n &&
            memchr(part.bytes, '/', n) == NULL) {
            memcpy(w->link, part.bytes, n + 1);
            memcpy(&w->link_sum, part.bytes + sum_at, 4);
        }
    }
    elf_part_free(&part);
}

static bool add_by_id(struct symtab *t, const struct wanted *w)
{
    char path[PATH_MAX];
    int n;

    if (w->id_n < 2)
        return false;
    n = snprintf(path, sizeof(path), "%s/.build-id/%02x/", debug_root, w->id[0]);
    for (size_t i = 1; i < w->id_n && n > 0 && n < PATH_MAX; i++)
        n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", w->id[i]);
    if (n < 0 || n > PATH_MAX - 8)
        return false;
    memcpy(path + n, ".debug", 7);
    return add_from(t, w, path);
}

static bool add_by_link(struct symtab *t, const struct wanted *w, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder_n = slash == NULL ? 0 : (int)(slash - path);
    char name[PATH_MAX];
    const char *roots[] = {"", "", debug_root}, *folders[] = {"", "/.debug", ""};

    if (w->link[0] == 0 || slash == NULL)
        return false;
    for (int i = 0; i < 3; i++) {
        int n = snprintf(name, sizeof(name), "%s%.*s%s/%s", roots[i], folder_n, path, folders[i],
                         w->link);
        if (n > 0 && n < (int)sizeof(name) && strcmp(name, path) != 0 && add_from(t, w, name))
            return true;
    }
    return false;
}

bool symbols_debug_add(struct symtab *t, struct elf *e, const char *path)
{
    struct wanted w = {0};

    w.id_n = elf_build_id(e, w.id);
    read_link(e, &w);
    return add_by_id(t, &w) || add_by_link(t, &w, path);
}
