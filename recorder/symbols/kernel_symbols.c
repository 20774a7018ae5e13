/*
 * kernel_symbols.c - reads /proc/kallsyms into a sorted table, and finds names in it.
 *
 * Only functions are kept. The kernel shows addresses of 0 to users without the right to see them;
 * such a file counts as empty.
 */
#include "recorder/symbols/kernel_symbols.h"

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/sorted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 512

struct symbol {
    uint64_t address;
    uint32_t name; /* where it begins */
};

static struct buf symbols, names; /* struct symbol, sorted; texts with their NULs */

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct symbol *)a)->address, y = ((const struct symbol *)b)->address;

    return x < y ? -1 : x > y;
}

/* "ffffffff81000000 T name [module]": only code, and only if the address is shown. */
static void add_line(const char *line)
{
    char name[NAME_MAX_BYTES], kind;
    struct symbol s = {.name = (uint32_t)names.n};

    if (sscanf(line, "%" SCNx64 " %c %511s", &s.address, &kind, name) != 3 || s.address == 0 ||
        strchr("tTwW", kind) == NULL)
        return;
    buf_bytes(&symbols, &s, sizeof(s));
    buf_bytes(&names, name, strlen(name) + 1);
}

static size_t count_symbols(void)
{
    return symbols.n / sizeof(struct symbol);
}

size_t kernel_symbols_load_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    kernel_symbols_free();
    while (f != NULL && getline(&line, &room, f) > 0)
        add_line(line);
    free(line);
    if (f != NULL)
        fclose(f);
    if (!buf_ok(&symbols) || !buf_ok(&names))
        kernel_symbols_free();
    if (count_symbols() > 0)
        qsort(symbols.p, count_symbols(), sizeof(struct symbol), compare);
    return count_symbols();
}

size_t kernel_symbols_load(void)
{
    return kernel_symbols_load_file("/proc/kallsyms");
}

const char *kernel_symbols_name(uint64_t address)
{
    const struct symbol *all = (const struct symbol *)(const void *)symbols.p;
    size_t behind = SORTED_FIRST(count_symbols(), i, all[i].address > address);

    return behind == 0 ? "[kernel]" : (const char *)names.p + all[behind - 1].name;
}

void kernel_symbols_free(void)
{
    buf_free(&symbols);
    buf_free(&names);
}
