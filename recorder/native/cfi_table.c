#include "recorder/native/cfi_table.h"
#include "recorder/native/cfi_parse_internal.h"
#include "recorder/base/radix.h"
#include "jfrfmt/base/hash.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    RULES_MAX = 1 << 16,
    RULE_SLOTS = 1 << 17,
    ROWS_MAX = 1 << 26,
    RULE_GAP = 0, /* the rules that every process has */
    RULE_FULL = 1,
    RULES_FIXED = 2,
    ROWS_PER_BLOCK = 4, /* on average */
};

struct cfi_table {
    uint64_t base, end; /* virtual addresses that rows speak of */
    uint32_t *starts; /* of rows, from base */
    uint16_t *rules; /* of rows */
    uint32_t *blocks; /* row that holds at the start of each block; one more at the end */
    uint32_t n, room, n_blocks, shift;
    uint32_t n_functions;
    uint64_t skipped, none[CFI_N_NONE];
};

/* Rules are only ever added, and a number is given out when its rule is complete; so a handler that
 * got a number through a published table finds the rule. Untouched pages cost nothing. */
static struct cfi_rule rules[RULES_MAX] = {
    [RULE_GAP] = {.cfa = CFI_CFA_NONE, .cfa_reg = CFI_NONE_GAP},
    [RULE_FULL] = {.cfa = CFI_CFA_NONE, .cfa_reg = CFI_NONE_FULL},
};
static uint32_t n_rules = RULES_FIXED;
static uint16_t rule_slots[RULE_SLOTS]; /* by hash; 0 = free */

const char *cfi_none_name(enum cfi_none why)
{
    static const char *const names[CFI_N_NONE] = {
        "no_description", "expression", "register", "damaged", "rules_full",
    };

    return (unsigned)why < CFI_N_NONE ? names[why] : "unknown";
}

const struct cfi_rule *cfi_rule_get(uint16_t rule)
{
    return &rules[rule];
}

uint32_t cfi_rules(void)
{
    return n_rules;
}

static uint16_t intern(const struct cfi_rule *r)
{
    uint32_t at;

    if (memcmp(r, &rules[RULE_GAP], sizeof(*r)) == 0)
        return RULE_GAP;
    at = (uint32_t)hash_bytes(r, sizeof(*r), 0);
    for (;; at++) {
        uint16_t *slot = &rule_slots[at % RULE_SLOTS];

        if (*slot == 0) {
            if (n_rules == RULES_MAX)
                return RULE_FULL;
            rules[n_rules] = *r;
            *slot = (uint16_t)n_rules;
            return (uint16_t)n_rules++;
        }
        if (memcmp(&rules[*slot], r, sizeof(*r)) == 0)
            return *slot;
    }
}

struct build {
    struct cfi_table *t;
    bool is_short; /* of memory */
};

static void add_row(struct build *b, uint64_t vaddr, uint16_t rule)
{
    struct cfi_table *t = b->t;
    uint64_t start = vaddr - t->base;

    if (b->is_short || start > UINT32_MAX)
        return;
    if (t->n > 0 && t->starts[t->n - 1] == start)
        t->n--; /* of several rules at one address the last holds */
    if (t->n > 0 && t->rules[t->n - 1] == rule)
        return;
    if (t->n == t->room) {
        uint32_t room = t->room == 0 ? 1024 : t->room * 2;
        uint32_t *starts = realloc(t->starts, room * sizeof(*starts));
        uint16_t *grown = realloc(t->rules, room * sizeof(*grown));

        if (starts != NULL)
            t->starts = starts;
        if (grown != NULL)
            t->rules = grown;
        if (starts == NULL || grown == NULL || room > ROWS_MAX) {
            b->is_short = true;
            return;
        }
        t->room = room;
    }
    t->starts[t->n] = (uint32_t)start;
    t->rules[t->n++] = rule;
}

static void on_row(void *arg, uint64_t vaddr, const struct cfi_rule *rule)
{
    struct build *b = arg;

    if (rule->cfa == CFI_CFA_NONE)
        b->t->none[rule->cfa_reg < CFI_N_NONE ? rule->cfa_reg : CFI_NONE_DAMAGED]++;
    add_row(b, vaddr, intern(rule));
}

/* Blocks of equal size, so that a search starts among a handful of rows. */
static bool index_rows(struct cfi_table *t)
{
    uint64_t span = t->end - t->base;
    uint32_t row = 0;

    t->shift = 4;
    while (span >> t->shift > t->n / ROWS_PER_BLOCK + 1)
        t->shift++;
    t->n_blocks = (uint32_t)(span >> t->shift) + 1;
    t->blocks = malloc((t->n_blocks + (size_t)1) * sizeof(*t->blocks));
    if (t->blocks == NULL)
        return false;
    for (uint32_t b = 0; b < t->n_blocks; b++) {
        while (row + 1 < t->n && t->starts[row + 1] <= (uint64_t)b << t->shift)
            row++;
        t->blocks[b] = row;
    }
    t->blocks[t->n_blocks] = t->n - 1;
    return true;
}

static void shrink(struct cfi_table *t)
{
    uint32_t *starts = realloc(t->starts, t->n * sizeof(*starts));
    uint16_t *fewer = realloc(t->rules, t->n * sizeof(*fewer));

    if (starts != NULL)
        t->starts = starts;
    if (fewer != NULL)
        t->rules = fewer;
    t->room = t->n;
}

static bool fill(struct cfi_table *t, const struct cfi_section *s, struct cfi_function *f,
                 uint32_t n)
{
    struct cfi_common common = CFI_NO_COMMON;
    struct build b = {.t = t};
    uint64_t at;

    if (!radix_sort(f, n, sizeof(*f), sizeof(f->lo)))
        return false;
    t->base = at = f[0].lo;
    for (uint32_t i = 0; i < n; i++) {
        if (f[i].lo < at || f[i].hi - t->base > UINT32_MAX) {
            t->skipped++; /* into another function, or too far away */
            continue;
        }
        if (i + 1 < n && f[i + 1].lo < f[i].hi && f[i + 1].lo > f[i].lo)
            f[i].hi = f[i + 1].lo;
        if (f[i].lo > at)
            add_row(&b, at, RULE_GAP);
        cfi_parse_rows(s, &f[i], &common, on_row, &b);
        at = f[i].hi;
        t->n_functions++;
    }
    t->end = at;
    add_row(&b, at, RULE_GAP);
    if (b.is_short || t->n == 0)
        return false;
    shrink(t);
    return index_rows(t);
}

struct cfi_table *cfi_table_from(const uint8_t *bytes, size_t n, uint64_t vaddr)
{
    struct cfi_section s = {bytes, n, vaddr};
    struct cfi_table *t = calloc(1, sizeof(*t));
    struct cfi_function *functions = NULL;
    uint32_t n_functions = 0;

    if (t == NULL)
        return NULL;
    if (!cfi_parse_functions(&s, &functions, &n_functions, &t->skipped) || n_functions == 0 ||
        !fill(t, &s, functions, n_functions)) {
        cfi_table_free(t);
        t = NULL;
    }
    free(functions);
    return t;
}

struct cfi_table *cfi_table_build(struct elf *e)
{
    struct elf_part part = {0};
    struct cfi_table *t = NULL;

    if (elf_eh_frame(e, &part))
        t = cfi_table_from(part.bytes, part.n, part.vaddr);
    elf_part_free(&part);
    return t;
}

void cfi_table_free(struct cfi_table *t)
{
    if (t == NULL)
        return;
    free(t->starts);
    free(t->rules);
    free(t->blocks);
    free(t);
}

uint16_t cfi_table_find(const struct cfi_table *t, uint64_t vaddr)
{
    uint64_t start = vaddr - t->base;
    uint32_t lo, hi, block;

    if (vaddr < t->base || vaddr >= t->end)
        return RULE_GAP;
    block = (uint32_t)(start >> t->shift);
    lo = t->blocks[block];
    hi = t->blocks[block + 1] + 1;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->starts[mid] <= start)
            lo = mid;
        else
            hi = mid;
    }
    return t->rules[lo];
}

uint64_t cfi_table_rows(const struct cfi_table *t)
{
    return t == NULL ? 0 : t->n;
}

uint64_t cfi_table_bytes(const struct cfi_table *t)
{
    return t == NULL ? 0
                     : sizeof(*t) + (uint64_t)t->room * (sizeof(*t->starts) + sizeof(*t->rules)) +
                           (t->n_blocks + (uint64_t)1) * sizeof(*t->blocks);
}

uint64_t cfi_table_functions(const struct cfi_table *t)
{
    return t == NULL ? 0 : t->n_functions;
}

uint64_t cfi_table_skipped(const struct cfi_table *t)
{
    return t == NULL ? 0 : t->skipped;
}

uint64_t cfi_table_none(const struct cfi_table *t, enum cfi_none why)
{
    return t == NULL || (unsigned)why >= CFI_N_NONE ? 0 : t->none[why];
}

void cfi_table_each(const struct cfi_table *t,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg)
{
    for (uint32_t i = 0; i < t->n; i++)
        row(arg, t->base + t->starts[i], &rules[t->rules[i]]);
}
