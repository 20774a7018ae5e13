/* ELF files: this program's own, and what damage makes of it. */
#include "recorder/symbols/elf.h"
#include "recorder/native/cfi_table.h"
#include "recorder/symbols/symtab.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A small whole file to damage; the head of a large one would have no sections. */
static uint8_t *file;
static size_t file_n;

static int read_self(void **state)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    struct stat st;

    (void)state;
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    file_n = (size_t)st.st_size;
    file = malloc(file_n);
    if (file == NULL || read(fd, file, file_n) != (ssize_t)file_n)
        return -1;
    close(fd);
    return 0;
}

static int free_self(void **state)
{
    (void)state;
    free(file);
    return 0;
}

/* All there is to ask of a file; the answers are checked by bounds only. */
static void use(const uint8_t *bytes, size_t n)
{
    struct symtab t = {0};
    struct elf_part part;
    uint64_t vaddr;
    uint8_t id[64];
    struct elf e;

    if (elf_open_mem(&e, bytes, n)) {
        assert_true(elf_build_id(&e, id) <= sizeof(id));
        for (uint32_t i = 0; i < e.n_sections && i < 64; i++)
            if (elf_section_read(&e, &e.sections[i], &part)) {
                assert_true(part.n <= n);
                elf_part_free(&part);
            }
        elf_vaddr_of_offset(&e, 4096, &vaddr);
        symtab_add_symtab(&t, &e);
        symtab_add_dynsym(&t, &e);
        symtab_add_plt(&t, &e);
        symtab_finish(&t);
        cfi_table_free(cfi_table_build(&e));
    } else {
        assert_non_null(e.why);
    }
    symtab_free(&t);
    elf_close(&e);
    elf_close(&e);
}

static void own_file_has_all_parts(void **state)
{
    uint64_t vaddr;
    struct elf_part part;
    struct symtab t = {0};
    struct cfi_table *cfi;
    uint8_t id[64];
    struct elf e;

    (void)state;
    assert_true(elf_open_mem(&e, file, file_n));
    assert_non_null(elf_section(&e, ".text"));
    assert_null(elf_section(&e, ".no such"));
    assert_true(elf_vaddr_of_offset(&e, elf_section(&e, ".text")->sh_offset, &vaddr));
    assert_int_equal(vaddr, elf_section(&e, ".text")->sh_addr);
    assert_true(elf_vaddr_read(&e, vaddr, 64, &part));
    assert_memory_equal(part.bytes, file + elf_section(&e, ".text")->sh_offset, 64);
    elf_part_free(&part);
    assert_true(elf_build_id(&e, id) >= 8);
    assert_true(symtab_add_symtab(&t, &e));
    symtab_finish(&t);
    assert_true(t.n > 20);
    cfi = cfi_table_build(&e);
    assert_true(cfi_table_functions(cfi) > 20 && cfi_table_skipped(cfi) == 0);
    cfi_table_free(cfi);
    symtab_free(&t);
    elf_close(&e);
}

static void count(void *n, uint64_t vaddr, const struct cfi_rule *rule)
{
    (void)vaddr, (void)rule;
    ++*(uint64_t *)n;
}

static uint64_t rows(const struct cfi_table *t)
{
    uint64_t n = 0;

    cfi_table_each(t, count, &n);
    return n;
}

/* The same without a table of sections, as a loader sees it. */
static void without_sections_rules_and_exports_are_found(void **state)
{
    struct cfi_table *with, *without;
    uint8_t *copy = malloc(file_n);
    Elf64_Ehdr head;
    struct elf e;

    (void)state;
    assert_true(elf_open_mem(&e, file, file_n));
    with = cfi_table_build(&e);
    elf_close(&e);
    memcpy(copy, file, file_n);
    memcpy(&head, copy, sizeof(head));
    head.e_shoff = 0;
    head.e_shnum = 0;
    memcpy(copy, &head, sizeof(head));
    assert_true(elf_open_mem(&e, copy, file_n));
    assert_int_equal(e.n_sections, 0);
    without = cfi_table_build(&e);
    assert_true(rows(with) > 100);
    assert_int_equal(rows(with), rows(without));
    assert_int_equal(cfi_table_functions(with), cfi_table_functions(without));
    cfi_table_free(with);
    cfi_table_free(without);
    elf_close(&e);
    free(copy);
}

/* One word of the header or of a section, set to what it must not be. */
static void damaged_words_are_not_believed(void **state)
{
    static const uint64_t values[] = {
        0, 1, 64, 0x7fffffff, 0x80000000, UINT64_MAX, UINT64_MAX - 63};
    uint8_t *copy = malloc(file_n);
    Elf64_Ehdr head;

    (void)state;
    memcpy(&head, file, sizeof(head));
    for (size_t at = 0; at < sizeof(head); at += 2)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            memcpy(copy, file, file_n);
            memcpy(copy + at, &values[i], at + 8 <= sizeof(head) ? 8 : 2);
            use(copy, file_n);
        }
    for (unsigned s = 0; s < head.e_shnum; s++)
        for (size_t at = 0; at < sizeof(Elf64_Shdr); at += 8)
            for (size_t i = 3; i < 6; i++) {
                memcpy(copy, file, file_n);
                memcpy(copy + head.e_shoff + s * sizeof(Elf64_Shdr) + at, &values[i], 8);
                use(copy, file_n);
            }
    free(copy);
}

/* Cut anywhere: nothing behind the end is read, which an unmapped page would tell. */
static void cut_files_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    for (size_t n = 0; n < file_n; n += n < 1024 ? 8 : file_n / 150) {
        struct guarded g = guarded_copy(file, n, 0);

        use(g.bytes, g.n);
        guarded_free(&g);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    struct elf e;
    int fd = open("/dev/zero", O_RDONLY);

    (void)state;
    assert_false(elf_open_fd(&e, fd));
    assert_non_null(e.why);
    elf_close(&e);
    close(fd);
    assert_false(elf_open_fd(&e, -1));
    elf_close(&e);
    assert_false(elf_open_mem(&e,
                              "#!/bin/sh and nothing else, but long enough for a header, as it "
                              "happens",
                              70));
    assert_string_equal(e.why, "not an ELF file");
    elf_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_file_has_all_parts),
        cmocka_unit_test(without_sections_rules_and_exports_are_found),
        cmocka_unit_test(damaged_words_are_not_believed),
        cmocka_unit_test(cut_files_are_read_as_far_as_they_go),
        cmocka_unit_test(what_is_no_file_is_refused),
    };

    return cmocka_run_group_tests_name("elf", tests, read_self, free_self);
}
