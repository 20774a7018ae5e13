/*
 * lib_file.c - opens an executable file that is mapped into the process, and makes its tables of
 * symbols and unwinding rules.
 *
 * The file may have been replaced or deleted since it was mapped, so the file under its path must
 * have the same first bytes as the mapping; else /proc/self/map_files, or the mapping itself, is
 * read. Mappings of the same file share their tables.
 */
#include "recorder/native/lib_file.h"
#include "recorder/native/cfi_table.h"
#include "recorder/symbols/debug_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VDSO_MAX = 1 << 16
};

static bool is_vdso(const struct mapped_file *m)
{
    return strcmp(m->path, "[vdso]") == 0;
}

static int open_self_mem(void)
{
    return open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
}

/* The device that the kernel tells in maps is not always the one that stat tells (overlayfs,
 * btrfs), so a file that differs in that only is compared by its headers with memory. */
static bool has_same_head(const struct mapped_file *m, int fd)
{
    uint8_t on_disk[4096], in_memory[4096];
    ssize_t n = pread(fd, on_disk, sizeof(on_disk), 0);
    int self = m->base == 0 ? -1 : open_self_mem();
    bool is_same = false;

    if (self < 0 || n < 64)
        goto out;
    if (n > (ssize_t)(m->end - m->base))
        n = (ssize_t)(m->end - m->base);
    is_same = pread(self, in_memory, (size_t)n, (off_t)m->base) == n &&
              memcmp(on_disk, in_memory, (size_t)n) == 0;
out:
    if (self >= 0)
        close(self);
    return is_same;
}

static int open_lib_path(const struct mapped_file *m)
{
    struct stat st;
    int fd;

    if (m->is_deleted || m->path[0] != '/')
        return -1;
    fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        ((st.st_ino == m->ino && st.st_dev == m->dev) || has_same_head(m, fd)))
        return fd;
    close(fd);
    return -1;
}

/* Still leads to the file after it was deleted or replaced; needs privileges on most kernels. */
static int open_map_file(const struct mapped_file *m)
{
    struct stat st;
    char name[80];
    int fd;

    snprintf(name, sizeof(name), "/proc/self/map_files/%lx-%lx", (unsigned long)m->first_lo,
             (unsigned long)m->first_hi);
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == m->ino))
        return fd;
    close(fd);
    return -1;
}

/* Opens the file behind a mapping; *fd (may become -1) must outlive *e. */
static bool open_lib_file(const struct mapped_file *m, bool may_be_image, struct elf *e, int *fd)
{
    *fd = open_lib_path(m);
    if (*fd < 0)
        *fd = open_map_file(m);
    if (*fd >= 0)
        return elf_open_fd(e, *fd);
    if (!may_be_image || m->base == 0 || m->end <= m->base)
        return false;
    *fd = open_self_mem();
    return elf_open_image(e, *fd, m->base, m->end - m->base);
}

/* The vdso is mapped whole, with its sections: a copy of it is as good as a file. */
static bool open_vdso(const struct mapped_file *m, struct elf *e, uint8_t **copy)
{
    size_t n = m->hi - m->lo;
    int fd = open_self_mem();
    bool is_open = false;

    *copy = n > VDSO_MAX ? NULL : malloc(n);
    if (fd >= 0 && *copy != NULL && pread(fd, *copy, n, (off_t)m->lo) == (ssize_t)n)
        is_open = elf_open_mem(e, *copy, n);
    if (fd >= 0)
        close(fd);
    return is_open;
}

static bool open_any(const struct mapped_file *m, bool may_be_image, struct elf *e, int *fd,
                     uint8_t **copy)
{
    *e = (struct elf){.fd = -1};
    *copy = NULL;
    *fd = -1;
    return is_vdso(m) ? open_vdso(m, e, copy) : open_lib_file(m, may_be_image, e, fd);
}

static void close_any(struct elf *e, int fd, uint8_t *copy)
{
    elf_close(e);
    if (fd >= 0)
        close(fd);
    free(copy);
}

static bool copy_mapping(struct mapped_file *to, const struct mapped_file *from)
{
    *to = *from;
    to->path = strdup(from->path);
    return to->path != NULL;
}

static void learn_identity(struct lib_file *f, int fd)
{
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        f->size = (uint64_t)st.st_size;
        f->mtime_ns = st.st_mtim.tv_sec * (int64_t)1000000000 + st.st_mtim.tv_nsec;
    }
}

static bool is_same_lib_file(const struct lib_file *a, const struct lib_file *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->ino != 0 && a->size == b->size &&
           a->size != 0 && a->mtime_ns == b->mtime_ns && strcmp(a->path, b->path) == 0;
}

static void free_file(struct lib_file *f)
{
    cfi_table_free(f->cfi);
    symtab_free(&f->symbols);
    free(f->image.path);
    free(f);
}

static void read_symbols(struct lib_file *f, struct elf *e)
{
    f->symbols_tried = true;
    if (!symtab_add_symtab(&f->symbols, e)) {
        symbols_debug_add(&f->symbols, e, f->path);
        symtab_add_dynsym(&f->symbols, e);
    }
    symtab_add_plt(&f->symbols, e);
    symtab_finish(&f->symbols);
}

/* Fills a new file's tables, unless an earlier one is the same file: then that one. */
static struct lib_file *read_lib_file(struct lib_file *list, struct lib_file *f, struct elf *e,
                                      int fd)
{
    const struct mapped_file *m = &f->image;

    if (!e->is_image)
        learn_identity(f, fd);
    for (struct lib_file *old = list; old != NULL; old = old->next)
        if (is_same_lib_file(old, f))
            return old;
    f->text_offset = m->offset;
    f->has_vaddr = elf_vaddr_of_offset(e, is_vdso(m) ? 0 : m->offset, &f->text_vaddr);
    f->cfi = cfi_table_build(e);
    /* later there may be something else at these addresses */
    if (e->is_image || m->is_deleted)
        read_symbols(f, e);
    return f;
}

struct lib_file *lib_file_get(struct lib_file **list, const struct mapped_file *m)
{
    struct lib_file *f = calloc(1, sizeof(*f)), *known;
    uint8_t *copy;
    struct elf e;
    int fd;

    if (f == NULL || !copy_mapping(&f->image, m)) {
        free(f);
        return NULL;
    }
    f->dev = m->dev;
    f->ino = m->ino;
    f->path = f->image.path;
    known = f;
    if (open_any(m, true, &e, &fd, &copy))
        known = read_lib_file(*list, f, &e, fd);
    close_any(&e, fd, copy);
    known->refs++;
    if (known != f) {
        free_file(f);
        return known;
    }
    f->next = *list;
    *list = f;
    return f;
}

void lib_file_put(struct lib_file **list, struct lib_file *f)
{
    if (f == NULL || --f->refs > 0)
        return;
    for (struct lib_file **at = list; *at != NULL; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    free_file(f);
}

const struct symtab *lib_file_symbols(struct lib_file *f)
{
    uint8_t *copy;
    struct elf e;
    int fd;

    if (f->symbols_tried)
        return &f->symbols;
    f->symbols_tried = true;
    if (open_any(&f->image, false, &e, &fd, &copy))
        read_symbols(f, &e);
    close_any(&e, fd, copy);
    return &f->symbols;
}
