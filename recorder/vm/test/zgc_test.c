/* Objects are found by references of any age, in a heap with forwarding tables made by hand. */
#include "recorder/vm/zgc.h"

#include "jfrfmt/test/testing.h"
#include "recorder/base/safe_load.h"

#include <string.h>

enum {
    ENTRIES = 8
};
#define BASE (UINT64_C(1) << 42) /* where the heap begins in memory */
#define PAGE UINT64_C(0x200000) /* second granule of the heap */
#define NEW UINT64_C(0x600000)
#define REMAPPED(old_, young_) (UINT64_C(0x1000) << (2 * (old_) + (young_)))

/* What a ZForwarding has in front of its entries. */
struct forwarding {
    uintptr_t start, shift, length;
    uint64_t entries[ENTRIES];
};

struct table {
    uintptr_t size;
    struct forwarding **map;
};

static struct forwarding young_page, old_page;
static struct forwarding *young_map[8], *old_map[8];
static struct table young, old;
static uintptr_t good, bad, shift, offset_mask;
static struct zgc zgc;

/* As HotSpot's load_shift_lookup(): the address begins above the bit that is set. */
static uintptr_t shift_of(uintptr_t remapped)
{
#if defined(__x86_64__)
    return (uintptr_t)__builtin_ctzll(remapped) + 1;
#else
    (void)remapped;
    return 16;
#endif
}

static uintptr_t coloured(uintptr_t remapped, uintptr_t offset)
{
    return (BASE | offset) << shift_of(remapped) | remapped;
}

/* A table of which each entry is taken. */
static void fill(struct forwarding *f, uintptr_t to)
{
    *f = (struct forwarding){.start = PAGE, .shift = 3, .length = ENTRIES};
    for (uint64_t i = 0; i < ENTRIES; i++)
        f->entries[i] = UINT64_C(1) | (to + 64 * i) << 1 | (100 + i) << 46;
}

static int set_up(void **state)
{
    (void)state;
    fill(&young_page, NEW);
    fill(&old_page, 2 * NEW);
    young = (struct table){8, young_map};
    old = (struct table){8, old_map};
    memset(young_map, 0, sizeof young_map);
    memset(old_map, 0, sizeof old_map);
    young_map[1] = &young_page;
    old_map[1] = &old_page;
    good = REMAPPED(1, 1);
    bad = 0xf000 ^ good;
    shift = shift_of(good);
    offset_mask = BASE - 1;
    zgc = (struct zgc){
        .is_known = true,
        .is_generational = true,
        .good_mask = (uintptr_t)&good,
        .bad_mask = (uintptr_t)&bad,
        .shift = (uintptr_t)&shift,
        .offset_mask = (uintptr_t)&offset_mask,
        .tables = {(uintptr_t)&young, (uintptr_t)&old},
        .granule_shift = 21,
        .virtual_start = offsetof(struct forwarding, start),
        .alignment_shift = offsetof(struct forwarding, shift),
        .length = offsetof(struct forwarding, length),
        .forwarding_size = offsetof(struct forwarding, entries),
    };
    return 0;
}

static uintptr_t load(uintptr_t reference)
{
    uintptr_t object;

    assert_true(zgc_load(&zgc, (uintptr_t)&reference, &object));
    return object;
}

static void references_that_are_up_to_date(void **state)
{
    (void)state;
    assert_int_equal(load(coloured(REMAPPED(1, 1), PAGE + 800)), BASE | (PAGE + 800));
    assert_int_equal(load(0), 0);
    assert_int_equal(load(REMAPPED(1, 1) | 0x30), 0); /* null has a colour too */
}

static void objects_that_were_moved(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < ENTRIES; i++) {
        uintptr_t from = PAGE + 8 * (100 + i);

        assert_int_equal(load(coloured(REMAPPED(1, 0), from)), BASE | (NEW + 64 * i));
        assert_int_equal(load(coloured(REMAPPED(0, 1), from)), BASE | (2 * NEW + 64 * i));
        /* both have been moved: the young one's table first, but not for what both ends of are old
         */
        assert_int_equal(load(coloured(REMAPPED(0, 0), from)), BASE | (NEW + 64 * i));
        assert_int_equal(load(coloured(REMAPPED(0, 0), from) | 0x30), BASE | (2 * NEW + 64 * i));
    }
    young_map[1] = NULL;
    assert_int_equal(load(coloured(REMAPPED(0, 0), PAGE + 800)), BASE | (2 * NEW));
}

static void objects_that_were_not(void **state)
{
    (void)state;
    assert_int_equal(load(coloured(REMAPPED(1, 0), 2 * PAGE)), BASE | (2 * PAGE));
    /* nor has this one yet, on a page that is being emptied */
    assert_int_equal(load(coloured(REMAPPED(1, 0), PAGE)), BASE | PAGE);
    memset(young_page.entries, 0, sizeof young_page.entries);
    assert_int_equal(load(coloured(REMAPPED(1, 0), PAGE + 800)), BASE | (PAGE + 800));
}

static void tables_that_are_gone(void **state)
{
    uintptr_t reference = coloured(REMAPPED(1, 0), PAGE + 800), object;

    (void)state;
    assert_int_equal(safe_load_install(), 0); /* cmocka has handlers of its own */
    young_page.length = 7; /* not a power of two */
    assert_false(zgc_load(&zgc, (uintptr_t)&reference, &object));
    young_page.length = UINT64_C(1) << 40;
    assert_false(zgc_load(&zgc, (uintptr_t)&reference, &object));
    young_page.length = ENTRIES;
    young_page.start = PAGE * 2; /* another page's */
    assert_false(zgc_load(&zgc, (uintptr_t)&reference, &object));
    young_map[1] = (struct forwarding *)8;
    assert_false(zgc_load(&zgc, (uintptr_t)&reference, &object));
    assert_false(zgc_load(&zgc, 8, &object));
    zgc.is_known = false;
    assert_false(zgc_load(&zgc, (uintptr_t)&reference, &object));
}

static void without_generations(void **state)
{
    uintptr_t marked = UINT64_C(1) << 42, remapped = UINT64_C(1) << 44;

    (void)state;
    zgc.is_generational = false;
    good = remapped;
    bad = UINT64_C(7) << 42 ^ good;
    assert_int_equal(load(0), 0);
    assert_int_equal(load(remapped | (PAGE + 800)), remapped | (PAGE + 800));
    assert_int_equal(load(marked | (PAGE + 816)), remapped | (NEW + 128));
    assert_int_equal(load(marked | (2 * PAGE)), remapped | (2 * PAGE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(references_that_are_up_to_date, set_up, NULL),
        cmocka_unit_test_setup_teardown(objects_that_were_moved, set_up, NULL),
        cmocka_unit_test_setup_teardown(objects_that_were_not, set_up, NULL),
        cmocka_unit_test_setup_teardown(tables_that_are_gone, set_up, NULL),
        cmocka_unit_test_setup_teardown(without_generations, set_up, NULL),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
