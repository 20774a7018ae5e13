/*
 * flag.c - reads HotSpot's exported tables by their symbols for parts of the recorder other than
 * the walker: offsets of fields, static fields, and boolean flags.
 *
 * Lookups search the tables from end to end, so callers do them once and keep the result.
 */
#include "recorder/vm/flag.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* The VM exports arrays, and where in an entry what is. */
static uint64_t flag_word(const char *symbol)
{
    const uint64_t *p = dlsym(RTLD_DEFAULT, symbol);

    return p == NULL ? 0 : *p;
}

struct fields {
    const uint8_t *entry;
    uint64_t stride, type, field, offset, address;
};

static struct fields all_fields(void)
{
    return (struct fields){
        .entry = (const uint8_t *)(uintptr_t)flag_word("gHotSpotVMStructs"),
        .stride = flag_word("gHotSpotVMStructEntryArrayStride"),
        .type = flag_word("gHotSpotVMStructEntryTypeNameOffset"),
        .field = flag_word("gHotSpotVMStructEntryFieldNameOffset"),
        .offset = flag_word("gHotSpotVMStructEntryOffsetOffset"),
        .address = flag_word("gHotSpotVMStructEntryAddressOffset"),
    };
}

static const char *text_at(const uint8_t *p, uint64_t offset)
{
    return *(const char *const *)(const void *)(p + offset);
}

static const uint8_t *find_field(const struct fields *f, const char *type, const char *field)
{
    if (f->entry == NULL || f->stride == 0)
        return NULL;
    for (const uint8_t *p = f->entry; text_at(p, f->type) != NULL; p += f->stride)
        if (strcmp(text_at(p, f->type), type) == 0 && strcmp(text_at(p, f->field), field) == 0)
            return p;
    return NULL;
}

ptrdiff_t vm_field_offset(const char *type, const char *field)
{
    struct fields f = all_fields();
    const uint8_t *p = find_field(&f, type, field);

    return p == NULL ? -1 : (ptrdiff_t) * (const uint64_t *)(const void *)(p + f.offset);
}

const void *vm_static_field(const char *type, const char *field)
{
    struct fields f = all_fields();
    const uint8_t *p = find_field(&f, type, field);

    return p == NULL ? NULL : *(const void *const *)(const void *)(p + f.address);
}

static uint64_t type_size(const char *type)
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)flag_word("gHotSpotVMTypes");
    uint64_t stride = flag_word("gHotSpotVMTypeEntryArrayStride");
    uint64_t name = flag_word("gHotSpotVMTypeEntryTypeNameOffset");
    uint64_t size = flag_word("gHotSpotVMTypeEntrySizeOffset");

    for (; p != NULL && stride != 0 && text_at(p, name) != NULL; p += stride)
        if (strcmp(text_at(p, name), type) == 0)
            return *(const uint64_t *)(const void *)(p + size);
    return 0;
}

/* Where the flag's value is; NULL: there is no such flag. */
static bool *find_flag(const char *name)
{
    const char *type = vm_field_offset("JVMFlag", "_name") >= 0 ? "JVMFlag" : "Flag";
    const uint8_t *const *flags = vm_static_field(type, "flags");
    const size_t *n = vm_static_field(type, "numFlags");
    ptrdiff_t at_name = vm_field_offset(type, "_name"), at_value = vm_field_offset(type, "_addr");
    uint64_t size = type_size(type);

    if (flags == NULL || n == NULL || at_name < 0 || at_value < 0 || size == 0)
        return NULL;
    for (size_t i = 0; i < *n; i++) {
        const uint8_t *flag = *flags + i * size;
        const char *its_name = text_at(flag, (uint64_t)at_name);

        if (its_name != NULL && strcmp(its_name, name) == 0)
            return *(bool *const *)(const void *)(flag + at_value);
    }
    return NULL;
}

bool vm_flag_get(const char *name, bool *value)
{
    const bool *flag = find_flag(name);

    if (flag != NULL)
        *value = *flag;
    return flag != NULL;
}

bool vm_flag_set(const char *name, bool value)
{
    bool *flag = find_flag(name);

    if (flag != NULL)
        *flag = value;
    return flag != NULL;
}
