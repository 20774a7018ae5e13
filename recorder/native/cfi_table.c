/*
 * cfi_table.c - makes the table of an ELF file: a copy of its .eh_frame and an index of its
 * functions; and finds the unwinding rule of an address.
 *
 * libs.c has tables made and freed, one thread at a time. Signal handlers look addresses up: the
 * few instructions of the function are run each time, and its result is the number of a shared
 * rule.
 */
#include "recorder/native/cfi_table.h"
#include "recorder/native/cfi_parse_internal.h"
#include "recorder/base/radix.h"
#include "jfrfmt/base/hash.h"
#include "jfrfmt/base/sorted.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    RULES_MAX = 1 << 16,
    RULE_SLOTS = 1 << 17,
    RULE_GAP = 0, /* the rules that every process has */
    RULE_FULL = 1,
    RULES_FIXED = 2,
};

struct cfi_table {
    struct elf_part frames; /* .eh_frame, the table's own */
    struct place { /* of a function */
        uint32_t lo; /* from base */
        uint32_t at; /* of its description */
    } * places; /* ascending */
    uint32_t n;
    uint64_t base, skipped;
};

/* --- rules --- */

/* Rules are only ever added, by any thread and in signals: first the rule, then its number. A slot
 * that two want at a time has the number of one; the other's stays unused. Untouched pages cost
 * nothing. */
static struct cfi_rule rules[RULES_MAX] = {
    [RULE_GAP] = {.cfa = CFI_CFA_NONE, .cfa_reg = CFI_NONE_GAP},
    [RULE_FULL] = {.cfa = CFI_CFA_NONE, .cfa_reg = CFI_NONE_FULL},
};
static _Atomic uint32_t n_rules = RULES_FIXED;
static _Atomic uint16_t rule_slots[RULE_SLOTS]; /* by hash; 0 = free */

uint32_t cfi_rules(void)
{
    uint32_t n = atomic_load(&n_rules);

    return n < RULES_MAX ? n : RULES_MAX;
}

/* ASYNC-SIGNAL-SAFE from here on, up to the building of tables */

const struct cfi_rule *cfi_rule_get(uint16_t rule)
{
    return &rules[rule];
}

/* The number of a new rule; 0: there are too many. */
static uint16_t add_cfi_rule(const struct cfi_rule *r)
{
    uint32_t n;

    if (atomic_load_explicit(&n_rules, memory_order_relaxed) >= RULES_MAX)
        return 0;
    n = atomic_fetch_add_explicit(&n_rules, 1, memory_order_relaxed);
    if (n >= RULES_MAX)
        return 0;
    rules[n] = *r;
    return (uint16_t)n;
}

static uint16_t intern_rule(const struct cfi_rule *r)
{
    uint16_t own = 0;

    if (memcmp(r, &rules[RULE_GAP], sizeof(*r)) == 0)
        return RULE_GAP;
    for (uint32_t at = (uint32_t)hash_bytes(r, sizeof(*r), 0);; at++) {
        _Atomic uint16_t *slot = &rule_slots[at % RULE_SLOTS];
        uint16_t found = atomic_load_explicit(slot, memory_order_acquire);

        if (found == 0) {
            own = own == 0 ? add_cfi_rule(r) : own;
            if (own == 0)
                return RULE_FULL;
            if (atomic_compare_exchange_strong_explicit(slot, &found, own, memory_order_acq_rel,
                                                        memory_order_acquire))
                return own;
        }
        if (memcmp(&rules[found], r, sizeof(*r)) == 0)
            return found;
    }
}

/* --- looking up --- */

static struct cfi_section section_of(const struct cfi_table *t)
{
    return (struct cfi_section){t->frames.bytes, t->frames.n, t->frames.vaddr};
}

/* The last place at or below `lo`; places[0].lo is 0. */
static uint32_t cfi_place_at(const struct cfi_table *t, uint64_t lo)
{
    size_t behind = SORTED_FIRST(t->n, i, t->places[i].lo > lo);

    return behind == 0 ? 0 : (uint32_t)behind - 1;
}

/* The function at a place, up to where the next one begins. */
static bool function_at(const struct cfi_table *t, const struct cfi_section *s, uint32_t place,
                        struct cfi_function *f)
{
    uint64_t next;

    if (!cfi_parse_function(s, t->places[place].at, f))
        return false;
    next = place + 1 < t->n ? t->base + t->places[place + 1].lo : UINT64_MAX;
    f->hi = f->hi < next ? f->hi : next;
    return f->lo == t->base + t->places[place].lo && f->lo < f->hi;
}

static void keep_last(void *arg, uint64_t vaddr, const struct cfi_rule *rule)
{
    (void)vaddr;
    *(struct cfi_rule *)arg = *rule;
}

uint16_t cfi_table_find(const struct cfi_table *t, uint64_t vaddr)
{
    struct cfi_common common = CFI_NO_COMMON;
    struct cfi_section s = section_of(t);
    struct cfi_rule last = rules[RULE_GAP];
    struct cfi_function f;

    if (vaddr < t->base || !function_at(t, &s, cfi_place_at(t, vaddr - t->base), &f) ||
        vaddr >= f.hi)
        return RULE_GAP;
    f.hi = vaddr + 1;
    cfi_parse_rows(&s, &f, &common, keep_last, &last);
    return intern_rule(&last);
}

/* --- building --- */

/* Where several begin at the same address the first counts. */
static void add_place(struct cfi_table *t, uint64_t lo, uint64_t at)
{
    if (t->n == 0)
        t->base = lo;
    if (lo - t->base > UINT32_MAX || (t->n > 0 && lo - t->base == t->places[t->n - 1].lo))
        t->skipped++;
    else
        t->places[t->n++] = (struct place){(uint32_t)(lo - t->base), (uint32_t)at};
}

static bool make_room(struct cfi_table *t, size_t n)
{
    t->places = n == 0 ? NULL : malloc(n * sizeof(*t->places));
    return t->places != NULL;
}

#define HDR_FIXED 12 /* bytes before the list */

/* Version 1; a pointer of 4 bytes from itself, a count of 4 bytes, and a list, sorted, of pairs of
 * 4 signed bytes each from the header's begin: where a function is, and where its description. */
static uint32_t listed(const struct elf_part *hdr)
{
    static const uint8_t known[] = {1, 0x1b, 0x03, 0x3b};
    uint32_t n;

    if (hdr->n < HDR_FIXED || memcmp(hdr->bytes, known, sizeof(known)) != 0)
        return 0;
    memcpy(&n, hdr->bytes + 8, sizeof(n));
    return n <= (hdr->n - HDR_FIXED) / 8 ? n : 0;
}

/* False: there is no list, or one that contradicts the section. */
static bool index_by_list(struct cfi_table *t, const struct elf_part *hdr)
{
    uint32_t n = listed(hdr);
    uint64_t before = 0;

    if (t->frames.vaddr == 0 || !make_room(t, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int32_t pair[2];
        uint64_t lo, at;

        memcpy(pair, hdr->bytes + HDR_FIXED + (size_t)i * sizeof(pair), sizeof(pair));
        lo = hdr->vaddr + (uint64_t)(int64_t)pair[0];
        at = hdr->vaddr + (uint64_t)(int64_t)pair[1] - t->frames.vaddr;
        if (lo < before || at >= t->frames.n)
            return false;
        before = lo;
        add_place(t, lo, at);
    }
    return true;
}

static bool index_by_search(struct cfi_table *t)
{
    struct cfi_section s = section_of(t);
    struct cfi_function *f = NULL;
    uint32_t n = 0;
    bool ok;

    free(t->places);
    t->n = 0;
    t->skipped = 0;
    ok = cfi_parse_functions(&s, &f, &n, &t->skipped) && make_room(t, n) &&
         radix_sort(f, n, sizeof(*f), sizeof(f->lo));
    for (uint32_t i = 0; ok && i < n; i++)
        add_place(t, f[i].lo, f[i].at);
    free(f);
    return ok;
}

/* Takes the frames. */
static struct cfi_table *make_cfi_table(struct elf_part *frames, const struct elf_part *hdr)
{
    struct cfi_table *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        elf_part_free(frames);
        return NULL;
    }
    t->frames = *frames;
    if (frames->n > UINT32_MAX || (!index_by_list(t, hdr) && !index_by_search(t))) {
        cfi_table_free(t);
        return NULL;
    }
    return t;
}

struct cfi_table *cfi_table_from(const uint8_t *bytes, size_t n, uint64_t vaddr)
{
    struct elf_part frames = {.vaddr = vaddr}, none = {0};

    if (!elf_part_new(&frames, n))
        return NULL;
    memcpy(frames.bytes, bytes, n);
    return make_cfi_table(&frames, &none);
}

struct cfi_table *cfi_table_build(struct elf *e)
{
    struct elf_part frames = {0}, hdr = {0};
    struct cfi_table *t = NULL;

    if (elf_eh_frame(e, &frames)) {
        elf_eh_frame_hdr(e, &hdr);
        t = make_cfi_table(&frames, &hdr);
    }
    elf_part_free(&hdr);
    return t;
}

void cfi_table_free(struct cfi_table *t)
{
    if (t == NULL)
        return;
    elf_part_free(&t->frames);
    free(t->places);
    free(t);
}

uint64_t cfi_table_bytes(const struct cfi_table *t)
{
    return t == NULL ? 0 : sizeof(*t) + t->frames.n + t->n * sizeof(*t->places);
}

uint64_t cfi_table_functions(const struct cfi_table *t)
{
    return t == NULL ? 0 : t->n;
}

uint64_t cfi_table_skipped(const struct cfi_table *t)
{
    return t == NULL ? 0 : t->skipped;
}

/* --- all rows --- */

struct rows {
    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule);
    void *arg;
    struct cfi_rule held, reported;
    uint64_t at;
    bool is_held, has_reported;
};

static void report_row(struct rows *r)
{
    if (r->is_held && !(r->has_reported && memcmp(&r->held, &r->reported, sizeof(r->held)) == 0)) {
        r->row(r->arg, r->at, &r->held);
        r->reported = r->held;
        r->has_reported = true;
    }
}

/* Of several rules at one address the last holds. */
static void hold(void *arg, uint64_t vaddr, const struct cfi_rule *rule)
{
    struct rows *r = arg;

    if (r->at != vaddr)
        report_row(r);
    r->held = *rule;
    r->at = vaddr;
    r->is_held = true;
}

void cfi_table_each(const struct cfi_table *t,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg)
{
    struct cfi_common common = CFI_NO_COMMON;
    struct cfi_section s = section_of(t);
    struct rows r = {.row = row, .arg = arg};
    uint64_t end = t->base;

    for (uint32_t i = 0; i < t->n; i++) {
        struct cfi_function f;

        if (!function_at(t, &s, i, &f))
            continue;
        if (f.lo > end)
            hold(&r, end, &rules[RULE_GAP]);
        cfi_parse_rows(&s, &f, &common, hold, &r);
        end = f.hi;
    }
    hold(&r, end, &rules[RULE_GAP]);
    report_row(&r);
}
