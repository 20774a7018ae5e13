/* Any bytes as an ELF file: sections, symbols, notes and rules are read inside of it, or not at
 * all. */
#include "recorder/native/cfi_table.h"
#include "recorder/symbols/elf.h"
#include "recorder/symbols/symtab.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct symtab t = {0};
    struct elf_part part;
    struct cfi_table *cfi;
    uint8_t id[64];
    uint64_t vaddr;
    struct elf e;

    if (elf_open_mem(&e, bytes, n)) {
        assert(elf_build_id(&e, id) <= sizeof(id));
        for (uint32_t i = 0; i < e.n_sections && i < 16; i++)
            if (elf_section_read(&e, &e.sections[i], &part)) {
                assert(part.n <= n);
                elf_part_free(&part);
            }
        elf_vaddr_of_offset(&e, n / 2, &vaddr);
        symtab_add_symtab(&t, &e);
        symtab_add_dynsym(&t, &e);
        symtab_add_plt(&t, &e);
        symtab_finish(&t);
        for (uint32_t i = 1; i < t.n; i++)
            assert(t.syms[i - 1].lo < t.syms[i].lo && t.syms[i].name < t.names_n);
        if (t.n > 0)
            assert(symtab_find(&t, t.syms[0].lo) == &t.syms[0]);
        cfi = cfi_table_build(&e);
        cfi_table_free(cfi);
    } else {
        assert(e.why != NULL);
    }
    symtab_free(&t);
    elf_close(&e);
    return 0;
}
