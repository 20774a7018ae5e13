/*
 * tables.c - reads the tables that libjvm exports for debuggers (gHotSpotVMStructs and others):
 * types, fields, constants.
 *
 * layout.c calls it once. Entries are found by name, so a release that moves a field needs no
 * change here.
 */
#include "recorder/vm/tables.h"

#include <stdio.h>
#include <string.h>

enum {
    TYPE_NAME,
    FIELD_NAME,
    TYPE_STRING,
    IS_STATIC,
    OFFSET,
    ADDRESS
};
enum {
    T_NAME,
    T_SIZE
};
enum {
    C_NAME,
    C_VALUE
};

struct shape {
    const char *first, *entry;
    const char *member[6];
};

static const struct shape shapes[] = {
    {"gHotSpotVMStructs",
     "gHotSpotVMStructEntry",
     {"TypeName", "FieldName", "TypeString", "IsStatic", "Offset", "Address"}},
    {"gHotSpotVMTypes", "gHotSpotVMTypeEntry", {"TypeName", "Size"}},
    {"gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", {"Name", "Value"}},
    {"gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntry", {"Name", "Value"}},
};

static bool symbol_word(vm_symbol_fn *symbol, void *from, const char *entry, const char *what,
                        uint64_t *value)
{
    char name[96];
    const void *found;

    snprintf(name, sizeof name, "%s%s", entry, what);
    found = symbol(from, name);
    if (found != NULL)
        memcpy(value, found, sizeof *value);
    return found != NULL;
}

static bool open_table(struct vm_table *t, const struct shape *s, vm_symbol_fn *symbol, void *from)
{
    char member[32];
    uint64_t word;

    memset(t, 0, sizeof *t);
    if (!symbol_word(symbol, from, s->entry, "ArrayStride", &word) || word < 8 || word > 1024)
        return false;
    t->stride = (size_t)word;
    for (size_t i = 0; i < 6 && s->member[i] != NULL; i++) {
        snprintf(member, sizeof member, "%sOffset", s->member[i]);
        if (!symbol_word(symbol, from, s->entry, member, &word) || word >= t->stride)
            return false;
        t->at[i] = (size_t)word;
    }
    if (!symbol_word(symbol, from, s->first, "", &word))
        return false;
    t->first = (const char *)(uintptr_t)word;
    return t->first != NULL;
}

bool vm_tables_open(struct vm_tables *t, vm_symbol_fn *symbol, void *from)
{
    return open_table(&t->structs, &shapes[0], symbol, from) &&
           open_table(&t->types, &shapes[1], symbol, from) &&
           open_table(&t->ints, &shapes[2], symbol, from) &&
           open_table(&t->longs, &shapes[3], symbol, from);
}

static const char *table_text_at(const char *entry, size_t offset)
{
    const char *text;

    memcpy(&text, entry + offset, sizeof text);
    return text;
}

static uint64_t word_at(const char *entry, size_t offset)
{
    uint64_t word;

    memcpy(&word, entry + offset, sizeof word);
    return word;
}

static int32_t int_at(const char *entry, size_t offset)
{
    int32_t word;

    memcpy(&word, entry + offset, sizeof word);
    return word;
}

/* The entry whose first member is `name`, from `entry` on; NULL after the last. */
static const char *find_entry(const struct vm_table *t, const char *entry, const char *name)
{
    for (; table_text_at(entry, t->at[0]) != NULL; entry += t->stride)
        if (strcmp(table_text_at(entry, t->at[0]), name) == 0)
            return entry;
    return NULL;
}

size_t vm_type_size(const struct vm_tables *t, const char *type)
{
    const char *entry = find_entry(&t->types, t->types.first, type);

    return entry != NULL ? (size_t)word_at(entry, t->types.at[T_SIZE]) : 0;
}

static const char *unqualified(const char *type)
{
    static const char *const qualifiers[] = {"const ", "volatile "};

    for (size_t i = 0; i < 2; i++)
        if (strncmp(type, qualifiers[i], strlen(qualifiers[i])) == 0)
            return unqualified(type + strlen(qualifiers[i]));
    return type;
}

/* How many bytes a field of this type takes, if it can be loaded at once. */
static uint32_t load_size(const struct vm_tables *t, const char *type)
{
    static const struct {
        const char *type;
        uint32_t size;
    } known[] = {
        {"bool", 1},           {"u1", 1},       {"signed char", 1},  {"unsigned char", 1},
        {"CompLevel", 1},      {"u2", 2},       {"short", 2},        {"int16_t", 2},
        {"unsigned short", 2}, {"int", 4},      {"u4", 4},           {"uint", 4},
        {"jint", 4},           {"uint32_t", 4}, {"unsigned int", 4}, {"ByteSize", 4},
        {"pid_t", 4},
    };
    size_t size;

    type = unqualified(type);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(type, known[i].type) == 0)
            return known[i].size;
    size = vm_type_size(t, type);
    return size == 1 || size == 2 || size == 4 ? (uint32_t)size : 8;
}

bool vm_field(const struct vm_tables *t, const char *type, const char *name, struct vm_field *f)
{
    const struct vm_table *s = &t->structs;
    const char *text;

    *f = (struct vm_field){.offset = -1};
    for (const char *e = find_entry(s, s->first, type); e != NULL;
         e = find_entry(s, e + s->stride, type)) {
        text = table_text_at(e, s->at[FIELD_NAME]);
        if (text == NULL || strcmp(text, name) != 0)
            continue;
        f->type = table_text_at(e, s->at[TYPE_STRING]);
        f->size = f->type != NULL ? load_size(t, f->type) : 8;
        if (int_at(e, s->at[IS_STATIC]))
            f->address = (uintptr_t)word_at(e, s->at[ADDRESS]);
        else
            f->offset = (int64_t)word_at(e, s->at[OFFSET]);
        return true;
    }
    return false;
}

int64_t vm_constant(const struct vm_tables *t, const char *name, int64_t otherwise)
{
    const char *entry = find_entry(&t->ints, t->ints.first, name);

    if (entry != NULL)
        return int_at(entry, t->ints.at[C_VALUE]);
    entry = find_entry(&t->longs, t->longs.first, name);
    return entry != NULL ? (int64_t)word_at(entry, t->longs.at[C_VALUE]) : otherwise;
}
