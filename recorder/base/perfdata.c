/*
 * perfdata.c - finds the VM's performance counters in its memory, and reads them by name.
 *
 * perfdata_open() takes the address of the block from the VM's exported tables. The block's header
 * and each entry are checked against its size before they are read.
 */
#include "recorder/base/perfdata.h"

#include <dlfcn.h>
#include <string.h>

#define MAGIC 0xcafec0c0u /* most significant byte first, whatever the machine */
#define VERSION 2

struct prologue {
    uint8_t magic[4];
    uint8_t byte_order; /* 1: least significant byte first */
    uint8_t major, minor, accessible;
    int32_t used, overflow;
    int64_t modified;
    int32_t first_entry, n_entries;
};

struct entry {
    int32_t length, name_at, vector_n;
    int8_t type; /* 'J', or 'B' in vectors */
    uint8_t flags, unit, variability;
    int32_t data_at;
};

static const uint8_t *block;
static size_t block_n;

/* --- where it is --- */

/* One row of the table that the VM exports for debuggers; sizes are said by other symbols. */
struct vm_struct {
    const char *type_name, *field_name, *type_string;
    int32_t is_static;
    uint64_t offset;
    void *address;
};

static void *static_field(const struct vm_struct *s, const char *type, const char *field)
{
    for (; s->type_name != NULL; s++)
        if (s->is_static && strcmp(s->type_name, type) == 0 && strcmp(s->field_name, field) == 0)
            return s->address;
    return NULL;
}

static void *vm_symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name), *vm;

    if (found != NULL)
        return found;
    vm = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
    return vm == NULL ? NULL : dlsym(vm, name); /* the VM stays where it is */
}

static uint64_t word(const char *symbol)
{
    const uint64_t *p = vm_symbol(symbol);

    return p == NULL ? 0 : *p;
}

bool perfdata_open(void)
{
    const struct vm_struct *const *structs = vm_symbol("gHotSpotVMStructs");
    char *const *start;
    const size_t *capacity;

    block = NULL;
    if (structs == NULL || *structs == NULL ||
        word("gHotSpotVMStructEntryArrayStride") != sizeof(struct vm_struct) ||
        word("gHotSpotVMStructEntryFieldNameOffset") != offsetof(struct vm_struct, field_name) ||
        word("gHotSpotVMStructEntryIsStaticOffset") != offsetof(struct vm_struct, is_static) ||
        word("gHotSpotVMStructEntryAddressOffset") != offsetof(struct vm_struct, address))
        return false;
    start = static_field(*structs, "PerfMemory", "_start");
    capacity = static_field(*structs, "PerfMemory", "_capacity");
    return start != NULL && capacity != NULL && *start != NULL && perfdata_use(*start, *capacity);
}

bool perfdata_use(const void *bytes, size_t n)
{
    const struct prologue *p = bytes;
    const uint16_t one = 1;

    block = NULL;
    if (n < sizeof(*p) || p->magic[0] != (MAGIC >> 24) || p->magic[1] != (MAGIC >> 16 & 0xff) ||
        p->magic[2] != (MAGIC >> 8 & 0xff) || p->magic[3] != (MAGIC & 0xff) ||
        p->byte_order != *(const uint8_t *)&one || p->major != VERSION)
        return false;
    block = bytes;
    block_n = n;
    return true;
}

/* --- what is in it --- */

/* Whether the entry at `at` lies in the block, and its name ends within it. */
static bool fits(size_t at)
{
    struct entry e;

    if (at > block_n || block_n - at < sizeof(e) || at % 4 != 0)
        return false;
    memcpy(&e, block + at, sizeof(e));
    return e.length >= (int32_t)sizeof(e) && (size_t)e.length <= block_n - at && e.name_at > 0 &&
           e.name_at < e.length && e.data_at > 0 && e.data_at < e.length &&
           memchr(block + at + e.name_at, '\0', (size_t)(e.length - e.name_at)) != NULL;
}

static bool find(const char *name, struct entry *e, const uint8_t **data)
{
    struct prologue p;
    size_t at;

    if (block == NULL)
        return false;
    memcpy(&p, block, sizeof(p));
    at = (size_t)p.first_entry;
    for (int32_t i = 0; i < p.n_entries && fits(at); i++) {
        memcpy(e, block + at, sizeof(*e));
        if (strcmp((const char *)block + at + e->name_at, name) == 0) {
            *data = block + at + e->data_at;
            return true;
        }
        at += (size_t)e->length;
    }
    return false;
}

const int64_t *perfdata_number(const char *name)
{
    const uint8_t *data;
    struct entry e;

    if (!find(name, &e, &data) || e.type != 'J' || e.vector_n != 0 ||
        e.length - e.data_at < (int32_t)sizeof(int64_t) || (uintptr_t)data % sizeof(int64_t) != 0)
        return NULL;
    return (const int64_t *)(const void *)data;
}

const char *perfdata_live_text(const char *name, size_t *n)
{
    const uint8_t *data;
    struct entry e;

    if (!find(name, &e, &data) || e.type != 'B' || e.vector_n <= 0 ||
        e.vector_n > e.length - e.data_at)
        return NULL;
    *n = (size_t)e.vector_n;
    return (const char *)data;
}

int perfdata_text(const char *name, char *out, size_t room)
{
    size_t size, n;
    const char *text = perfdata_live_text(name, &size);

    if (text == NULL)
        return -1;
    n = strnlen(text, size);
    if (room > 0) {
        size_t copied = n < room - 1 ? n : room - 1;

        memcpy(out, text, copied);
        out[copied] = '\0';
    }
    return (int)n;
}
