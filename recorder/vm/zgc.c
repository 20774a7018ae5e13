/*
 * zgc.c - references in the heap of ZGC, looked up as its load barrier does, but without changing
 * anything.
 *
 * A reference has a colour: how far the collector had come when it was last loaded. zgc_load()
 * compares it with the colour that is good now. If it is older, the object may have been moved, and
 * the forwarding table of its page has the new place. The program's own barrier would store the new
 * reference in the heap; a signal handler must not.
 */
#include "recorder/vm/zgc.h"

#include "recorder/base/safe_load.h"

#include <stdio.h>

enum {
    WORD = sizeof(uintptr_t),
    MAP_IN_TABLE = WORD, /* the map's size comes first */
    MAX_HEAP_WORDS = 1 << 12, /* in which the generations are searched */
    MAX_ENTRIES = 1 << 20,
    REMAPPED_SHIFT = 12, /* four bits, of which one is set: 2 * phase of old + phase of young */
    REMEMBERED_BITS = 0x30
};

static bool zgc_field(const struct vm_tables *t, char form, const char *type, const char *name,
                      struct vm_field *f)
{
    char own_type[64], own_name[64];

    snprintf(own_type, sizeof own_type, type, form);
    snprintf(own_name, sizeof own_name, name, form);
    return vm_field(t, own_type, own_name, f);
}

static size_t size_of(const struct vm_tables *t, char form, const char *type)
{
    char own_type[64];

    snprintf(own_type, sizeof own_type, type, form);
    return vm_type_size(t, own_type);
}

/* An address that ZGlobalsForVMStructs holds; 0: it does not have it. */
static uintptr_t variable(const struct vm_tables *t, char form, const char *name)
{
    struct vm_field f;
    uintptr_t globals, address;

    if (zgc_field(t, form, "%cGlobalsForVMStructs", "_instance_p", &f) &&
        safe_load_pointer(f.address, &globals) && globals != 0 &&
        zgc_field(t, form, "%cGlobalsForVMStructs", name, &f) && f.offset >= 0 &&
        safe_load_pointer(globals + (uintptr_t)f.offset, &address))
        return address;
    return 0;
}

static bool offset_of(const struct vm_tables *t, char form, const char *type, const char *name,
                      int32_t *offset)
{
    struct vm_field f;

    if (!zgc_field(t, form, type, name, &f) || f.offset < 0)
        return false;
    *offset = (int32_t)f.offset;
    return true;
}

/* No table tells where a generation is, but each holds pointers to the allocator and the table of
 * pages, then its forwarding table; its number stands before. */
static bool find_generations(struct zgc *z, uintptr_t from, uintptr_t allocator, uintptr_t pages)
{
    uintptr_t before = 0, word, next;

    for (int i = 0; i < MAX_HEAP_WORDS; i++, before = word, from += WORD) {
        if (!safe_load_pointer(from, &word))
            break;
        if (word == allocator && safe_load_pointer(from + WORD, &next) && next == pages &&
            (before & 0xff) < 2)
            z->tables[before & 0xff] = from + 2 * WORD;
    }
    return z->tables[0] != 0 && z->tables[1] != 0;
}

static bool find_tables(struct zgc *z, const struct vm_tables *t, char form)
{
    struct vm_field f;
    int32_t in_collected, allocator, pages, table;
    uintptr_t heap;

    if (!vm_field(t, "Universe", "_collectedHeap", &f) || !safe_load_pointer(f.address, &heap) ||
        heap == 0 || !offset_of(t, form, "%cCollectedHeap", "_heap", &in_collected) ||
        !offset_of(t, form, "%cHeap", "_page_allocator", &allocator) ||
        !offset_of(t, form, "%cHeap", "_page_table", &pages))
        return false;
    heap += (uintptr_t)in_collected;
    if (offset_of(t, form, "%cHeap", "_forwarding_table", &table)) {
        z->tables[0] = z->tables[1] = heap + (uintptr_t)table;
        return true;
    }
    return find_generations(z, heap + (uintptr_t)pages, heap + (uintptr_t)allocator,
                            heap + (uintptr_t)pages);
}

static bool find_all_zgc(struct zgc *z, const struct vm_tables *t, char form)
{
    int32_t entries, length;

    z->good_mask = variable(t, form, "_ZPointerLoadGoodMask");
    z->is_generational = z->good_mask != 0;
    if (z->is_generational) {
        z->shift = variable(t, form, "_ZPointerLoadShift");
    } else {
        z->good_mask = variable(t, form, "_%cAddressGoodMask");
        z->bad_mask = variable(t, form, "_%cAddressBadMask");
    }
    z->offset_mask = variable(t, form, "_%cAddressOffsetMask");
    z->granule_shift =
        (unsigned)vm_constant(t, form == 'X' ? "XGranuleSizeShift" : "ZGranuleSizeShift", 21);
    z->forwarding_size = (size_of(t, form, "%cForwarding") + 7) & ~(size_t)7;
    if (z->good_mask == 0 || z->offset_mask == 0 || z->forwarding_size == 0 ||
        (z->is_generational ? z->shift : z->bad_mask) == 0 ||
        !offset_of(t, form, "%cForwarding", "_virtual", &z->virtual_start) ||
        !offset_of(t, form, "%cForwarding", "_object_alignment_shift", &z->alignment_shift) ||
        !offset_of(t, form, "%cForwarding", "_entries", &entries) ||
        !offset_of(t, form, "%cAttachedArrayForForwarding", "_length", &length))
        return false;
    z->length = entries + length;
    return find_tables(z, t, form);
}

void zgc_open(struct zgc *z, const struct vm_tables *t, char form)
{
    *z = (struct zgc){0};
    z->is_known = find_all_zgc(z, t, form);
}

static uint32_t hash_index(uint32_t key)
{
    key = ~key + (key << 15);
    key ^= key >> 12;
    key += key << 2;
    key ^= key >> 4;
    key *= 2057;
    return key ^ key >> 16;
}

/* The entries of a page's objects: bit 0 is set, then 45 bits say where the object is now, 18 which
 * one it is. False: the page's table is not to be read. *to stays as it is for an object that was
 * not moved. */
static bool search_forwarding(const struct zgc *z, uintptr_t forwarding, uintptr_t from,
                              uintptr_t *to)
{
    uintptr_t start, shift, length, index;
    uint64_t entry;

    if (!safe_load_pointer(forwarding + (uintptr_t)z->virtual_start, &start) ||
        !safe_load_pointer(forwarding + (uintptr_t)z->alignment_shift, &shift) ||
        !safe_load_pointer(forwarding + (uintptr_t)z->length, &length) || start > from ||
        shift > 30 || length == 0 || length > MAX_ENTRIES || (length & (length - 1)) != 0)
        return false;
    index = (from - start) >> shift;
    for (uintptr_t i = hash_index((uint32_t)index), n = 0; n < length; i++, n++) {
        if (!safe_load64(forwarding + z->forwarding_size + (i & (length - 1)) * 8, &entry))
            return false;
        if ((entry & 1) == 0)
            return true;
        if (entry >> 46 == index) {
            *to = entry >> 1 & ((UINT64_C(1) << 45) - 1);
            return true;
        }
    }
    return true;
}

/* The table of the page at `offset`; 0: none of its objects is moved. */
static uintptr_t forwarding_of(const struct zgc *z, int generation, uintptr_t offset)
{
    uintptr_t map, forwarding;

    return safe_load_pointer(z->tables[generation] + MAP_IN_TABLE, &map) && map != 0 &&
                   safe_load_pointer(map + (offset >> z->granule_shift) * WORD, &forwarding)
               ? forwarding
               : 0;
}

/* Makes of the offset where an object was the one where it is now. False: that is not to be read.
 */
static bool follow_forwarding(const struct zgc *z, int generation, uintptr_t *offset)
{
    uintptr_t forwarding = forwarding_of(z, generation, *offset);

    return forwarding == 0 || search_forwarding(z, forwarding, *offset, offset);
}

static unsigned phases(uintptr_t reference)
{
    unsigned bits = reference >> REMAPPED_SHIFT & 15;

    return bits == 0 ? 0 : (unsigned)__builtin_ctz(bits);
}

/* Which generation's objects have been moved since the reference was brought up to date. Where both
 * have, a reference between old objects is to be looked up among the old, any other first among the
 * young. */
static int moved_generation(const struct zgc *z, uintptr_t reference, unsigned behind,
                            uintptr_t offset)
{
    if (behind == 3)
        return (reference & REMEMBERED_BITS) == REMEMBERED_BITS || forwarding_of(z, 0, offset) == 0;
    return behind == 2;
}

static bool load_generational(const struct zgc *z, uintptr_t reference, uintptr_t good,
                              uintptr_t offset_mask, uintptr_t *object)
{
    uintptr_t shift, address, offset;
    unsigned behind = phases(reference) ^ phases(good);

    if (!safe_load_pointer(z->shift, &shift) || shift > 63)
        return false;
#if defined(__x86_64__)
    /* The set bit is the last one below the address. */
    shift = shift - phases(good) + phases(reference);
#endif
    address = reference >> shift;
    if (behind != 0) {
        offset = address & offset_mask;
        if (!follow_forwarding(z, moved_generation(z, reference, behind, offset), &offset))
            return false;
        address = (address & ~offset_mask) | offset;
    }
    *object = address;
    return true;
}

/* Without generations an address holds the colour, and all its forms lead to the same memory. */
static bool load_single(const struct zgc *z, uintptr_t reference, uintptr_t good,
                        uintptr_t offset_mask, uintptr_t *object)
{
    uintptr_t bad, offset = reference & offset_mask;

    if (!safe_load_pointer(z->bad_mask, &bad))
        return false;
    *object = reference;
    if ((reference & bad) == 0)
        return true;
    if (!follow_forwarding(z, 0, &offset))
        return false;
    *object = offset | good;
    return true;
}

bool zgc_load(const struct zgc *z, uintptr_t address, uintptr_t *object)
{
    uintptr_t reference, good, offset_mask;

    *object = 0;
    if (!z->is_known || !safe_load_pointer(address, &reference) ||
        !safe_load_pointer(z->good_mask, &good) || !safe_load_pointer(z->offset_mask, &offset_mask))
        return false;
    if (!z->is_generational)
        return load_single(z, reference, good, offset_mask, object);
    return reference >> (REMAPPED_SHIFT + 4) == 0 ||
           load_generational(z, reference, good, offset_mask, object);
}
