/* Any bytes as .eh_frame: the table is sorted, every address finds a rule, the steps stay bounded.
 */
#include "recorder/native/cfi_table.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct seen {
    uint64_t last, rows;
    const struct cfi_table *t;
};

static void on_row(void *arg, uint64_t vaddr, const struct cfi_rule *rule)
{
    struct seen *s = arg;

    assert(s->rows == 0 || vaddr > s->last);
    assert(rule->cfa <= CFI_CFA_END && rule->fp <= CFI_LOST && rule->ra <= CFI_LOST);
    s->last = vaddr;
    s->rows++;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct cfi_table *t = cfi_table_from(bytes, n, 0x10000);
    struct seen s = {.t = t};

    if (t == NULL)
        return 0;
    cfi_table_each(t, on_row, &s);
    assert(s.rows > 0 && cfi_table_functions(t) <= n);
    for (uint64_t vaddr = 0; vaddr < 0x20000; vaddr += 0x101)
        assert(cfi_rule_get(cfi_table_find(t, vaddr)) != NULL);
    assert(cfi_table_find(t, UINT64_MAX) == 0);
    cfi_table_free(t);
    return 0;
}
