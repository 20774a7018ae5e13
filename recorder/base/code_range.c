#include "recorder/base/code_range.h"

#include <link.h>

struct search {
    uintptr_t address;
    struct code_range *out;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct search *s = arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t high = low + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) &&
            s->address >= low && s->address < high) {
            *s->out = (struct code_range){low, high};
            return 1;
        }
    }
    return 0;
}

bool code_range_find(uintptr_t address, struct code_range *out)
{
    struct search s = {address, out};

    *out = (struct code_range){0};
    return dl_iterate_phdr(find_segment, &s) != 0;
}
