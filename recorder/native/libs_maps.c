/*
 * libs_maps.c - parses /proc/self/maps into a list of files with executable mappings.
 *
 * libs.c calls it when libraries may have been loaded or unloaded. Neighbouring mappings of one
 * file are one entry.
 */
#include "recorder/native/libs_maps.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* One line. */
struct mapping {
    uintptr_t lo, hi;
    uint64_t offset, dev, ino;
    bool is_code;
    char *path; /* inside the line; "" = anonymous */
};

static bool parse_line(char *line, struct mapping *m)
{
    unsigned long lo, hi, offset, ino;
    unsigned major_no, minor_no;
    char perms[8];
    int path_at = 0;

    if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &lo, &hi, perms, &offset, &major_no, &minor_no,
               &ino, &path_at) < 7 ||
        path_at == 0 || lo >= hi || strlen(perms) != 4)
        return false;
    *m = (struct mapping){
        .lo = lo,
        .hi = hi,
        .offset = offset,
        .dev = makedev(major_no, minor_no),
        .ino = ino,
        .is_code = perms[2] == 'x',
        .path = line + path_at,
    };
    return true;
}

/* The kernel writes newlines in names as \012. */
static void unescape(char *path)
{
    char *to = path;

    for (const char *from = path; *from != 0;) {
        if (strncmp(from, "\\012", 4) == 0) {
            *to++ = '\n';
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

static bool cut_suffix(char *text, const char *suffix)
{
    size_t n = strlen(text), suffix_n = strlen(suffix);

    if (n < suffix_n || strcmp(text + n - suffix_n, suffix) != 0)
        return false;
    text[n - suffix_n] = 0;
    return true;
}

/* What is being put together: the files in order, the last one still growing. */
struct list {
    struct mapped_file *files;
    uint32_t n, max;
    uint64_t lost;
    uintptr_t base; /* of the current run of mappings of one file */
    char *run_path;
    uint64_t run_dev, run_ino;
    uint32_t run_first; /* index of its first entry */
};

static bool is_run(const struct list *l, const struct mapping *m)
{
    return l->run_path != NULL && l->run_dev == m->dev && l->run_ino == m->ino &&
           strcmp(l->run_path, m->path) == 0;
}

static bool start_run(struct list *l, const struct mapping *m)
{
    free(l->run_path);
    l->run_path = strdup(m->path);
    l->run_dev = m->dev;
    l->run_ino = m->ino;
    l->base = m->offset == 0 ? m->lo : 0;
    l->run_first = l->n;
    return l->run_path != NULL;
}

static bool add_code(struct list *l, const struct mapping *m)
{
    struct mapped_file *last = l->n > l->run_first ? &l->files[l->n - 1] : NULL;
    struct mapped_file *f;

    if (last != NULL && m->lo - last->lo == m->offset - last->offset) {
        last->hi = m->hi;
        return true;
    }
    if (l->n == l->max) {
        l->lost++;
        return true;
    }
    if (!array_add(&l->files, l->n, sizeof(*l->files)))
        return false;
    f = &l->files[l->n];
    *f = (struct mapped_file){
        .lo = m->lo,
        .hi = m->hi,
        .offset = m->offset,
        .base = l->base,
        .first_lo = m->lo,
        .first_hi = m->hi,
        .dev = m->dev,
        .ino = m->ino,
        .path = strdup(m->path),
    };
    if (f->path == NULL)
        return false;
    l->n++;
    f->is_deleted = cut_suffix(f->path, " (deleted)");
    unescape(f->path);
    return true;
}

static bool add(struct list *l, const struct mapping *m)
{
    if (m->path[0] != '/' && strcmp(m->path, "[vdso]") != 0) {
        /* .bss lies after its file and has no name of its own; it does not end a run */
        return true;
    }
    if (!is_run(l, m) && !start_run(l, m))
        return false;
    if (m->is_code && !add_code(l, m))
        return false;
    for (uint32_t i = l->run_first; i < l->n; i++)
        l->files[i].end = m->hi;
    return true;
}

int libs_maps_parse(FILE *maps, struct mapped_file **files, uint32_t max, uint64_t *lost)
{
    struct list l = {.max = max};
    char *line = NULL;
    size_t line_room = 0;
    ssize_t n;
    bool ok = true;

    while (ok && (n = getline(&line, &line_room, maps)) > 0) {
        struct mapping m;

        if (line[n - 1] == '\n')
            line[n - 1] = 0;
        if (parse_line(line, &m))
            ok = add(&l, &m);
    }
    free(line);
    free(l.run_path);
    *lost += l.lost;
    if (!ok) {
        libs_maps_free(l.files, (int)l.n);
        return -1;
    }
    *files = l.files;
    return (int)l.n;
}

int libs_maps_read(struct mapped_file **files, uint32_t max, uint64_t *lost)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    int n;

    *files = NULL;
    if (maps == NULL)
        return -1;
    n = libs_maps_parse(maps, files, max, lost);
    fclose(maps);
    return n;
}

void libs_maps_free(struct mapped_file *files, int n)
{
    for (int i = 0; i < n; i++)
        free(files[i].path);
    free(files);
}
