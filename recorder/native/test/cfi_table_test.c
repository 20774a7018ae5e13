/* Rules of the libraries in this process against what readelf makes of the same bytes. */
#include "recorder/native/cfi_table.h"
#include "recorder/native/libs.h"
#include "recorder/native/lib_file.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)

struct compared {
    unsigned rows, equal, unsupported;
    char first[200]; /* the first difference */
};

/* readelf's word for a CFA: "rsp+16", "rbp+16", "exp", "r10+0" */
static bool has_same_cfa(const struct cfi_rule *r, const char *word, bool is_end,
                         struct compared *sum)
{
    static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                        "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                        "r12", "r13", "r14", "r15", "rip"};
    char text[64];

    if (r->cfa == CFI_CFA_END)
        return is_end;
    if (strcmp(word, "exp") == 0) {
        if (r->cfa == CFI_CFA_NONE && r->cfa_reg == CFI_NONE_EXPRESSION)
            sum->unsupported++;
        return r->cfa == CFI_CFA_DEREF || r->cfa == CFI_CFA_PLT || r->cfa == CFI_CFA_REG ||
               r->cfa == CFI_CFA_NONE;
    }
    if (r->cfa != CFI_CFA_REG || r->cfa_reg > 16)
        return false;
    snprintf(text, sizeof(text), "%s%+d", names[r->cfa_reg], r->cfa_offset);
    return strcmp(text, word) == 0;
}

/* "u" same, "c-16" at CFA-16, "exp", "vexp", "v+0" */
static bool has_same_saved(unsigned how, int offset, const char *word)
{
    char text[64];

    if (strcmp(word, "u") == 0 || word[0] == 0)
        return how == CFI_SAME || how == CFI_LOST;
    if (word[0] == 'r')
        return how == CFI_LOST;
    if (strcmp(word, "exp") == 0)
        return how == CFI_AT_REG || how == CFI_LOST;
    if (how != CFI_AT_CFA)
        return how == CFI_LOST || how == CFI_IS_CFA;
    snprintf(text, sizeof(text), "c%+d", offset);
    return strcmp(text, word) == 0;
}

static void compare_row(const struct cfi_table *t, char *line, int fp_column, int ra_column,
                        struct compared *sum)
{
    char words[24][32] = {{0}}, *save = NULL;
    const struct cfi_rule *r;
    unsigned long vaddr;
    int n = 0;

    for (char *w = strtok_r(line, " \n", &save); w != NULL && n < 24;
         w = strtok_r(NULL, " \n", &save))
        if (w[0] != '(') /* "r8 (r8)" */
            snprintf(words[n++], sizeof(words[0]), "%s", w);
    vaddr = strtoul(words[0], NULL, 16);
    r = cfi_rule_get(cfi_table_find(t, vaddr));
    sum->rows++;
    if (words[ra_column][0] == 'r') { /* in another register, as in longjmp */
        sum->unsupported++;
        sum->equal += r->cfa == CFI_CFA_NONE && r->cfa_reg == CFI_NONE_REGISTER;
        return;
    }
    if (has_same_cfa(r, words[1], strcmp(words[ra_column], "u") == 0, sum) &&
        (r->cfa == CFI_CFA_NONE || r->cfa == CFI_CFA_END ||
         (has_same_saved(r->ra, r->ra_offset, words[ra_column]) &&
          has_same_saved(r->fp, r->fp_offset, fp_column > 0 ? words[fp_column] : "u"))))
        sum->equal++;
    else if (sum->first[0] == 0)
        snprintf(sum->first, sizeof(sum->first), "%lx: %s %s, ours cfa %u reg %u %+d", vaddr,
                 words[1], words[ra_column], r->cfa, r->cfa_reg, r->cfa_offset);
}

/* Several rows of one address: the last one holds; readelf prints them all. */
static void compare_library(const char *path, const struct cfi_table *t, struct compared *sum)
{
    char command[4200], line[4096], held[4096] = "";
    int fp = -1, ra = -1;
    FILE *f;

    snprintf(command, sizeof(command), "readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
    f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        bool is_row = strspn(line, "0123456789abcdef") == 16 && line[16] == ' ' &&
                      strstr(line, "CIE") == NULL && strstr(line, "FDE") == NULL;

        if (held[0] != 0 && !(is_row && strncmp(held, line, 16) == 0) && fp != -2)
            compare_row(t, held, fp, ra, sum);
        held[0] = 0;
        if (strstr(line, "   LOC ") != NULL) {
            char words[4096], *save = NULL;
            int at = 0;

            snprintf(words, sizeof(words), "%s", line);
            fp = ra = -1;
            for (char *w = strtok_r(words, " \n", &save); w != NULL;
                 w = strtok_r(NULL, " \n", &save)) {
                if (strcmp(w, "rbp") == 0)
                    fp = at;
                if (strcmp(w, "ra") == 0)
                    ra = at;
                at++;
            }
        } else if (strstr(line, " CIE ") != NULL || strstr(line, " ZERO") != NULL) {
            ra = -1;
        } else if (is_row && ra > 0 && strtoul(line, NULL, 16) >= 4096) {
            snprintf(held, sizeof(held), "%s", line);
        }
    }
    if (held[0] != 0)
        compare_row(t, held, fp, ra, sum);
    pclose(f);
}

static void rules_are_those_that_readelf_prints(void **state)
{
    const char *more = getenv("CFI_LIBRARIES"); /* other files, a line each */
    char paths[8192];
    unsigned n = 0;

    (void)state;
    if (system("readelf --version >/dev/null 2>&1") != 0) {
        print_message("skip rules_are_those_that_readelf_prints: readelf is missing\n");
        return;
    }
    assert_true(libs_update() >= 0);
    snprintf(paths, sizeof(paths), "%s", more == NULL ? "" : more);
    for (uintptr_t seen = 0; more == NULL;) {
        const struct libs_map *map = libs_enter();
        const struct lib *next = NULL;

        for (uint32_t i = 0; i < map->n; i++)
            if (map->segments[i].lo > seen && next == NULL)
                next = map->segments[i].lib;
        libs_leave();
        if (next == NULL)
            break;
        seen = next->lo;
        if (next->path[0] == '/' && strlen(paths) + strlen(next->path) + 2 < sizeof(paths))
            strcat(strcat(paths, "\n"), next->path);
    }
    for (char *save = NULL, *p = strtok_r(paths, "\n", &save); p != NULL;
         p = strtok_r(NULL, "\n", &save)) {
        struct compared sum = {0};
        struct cfi_table *t;
        struct elf e;
        int fd = open(p, O_RDONLY);

        assert_true(fd >= 0 && elf_open_fd(&e, fd));
        t = cfi_table_build(&e);
        elf_close(&e);
        close(fd);
        assert_non_null(t);
        compare_library(p, t, &sum);
        print_message("%s: %u of %u rows equal (%u of them unsupported); "
                      "%llu KB, %llu functions, %llu skipped %s\n",
                      p, sum.equal, sum.rows, sum.unsupported,
                      (unsigned long long)cfi_table_bytes(t) / 1024,
                      (unsigned long long)cfi_table_functions(t),
                      (unsigned long long)cfi_table_skipped(t), sum.first);
        assert_true(sum.rows > 0);
        assert_int_equal(sum.equal, sum.rows);
        cfi_table_free(t);
        n++;
    }
    print_message("%u files, %u rules\n", n, cfi_rules());
    assert_true(n > 0);
    libs_stop();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        cmocka_unit_test(rules_are_those_that_readelf_prints),
#endif
    };

    return cmocka_run_group_tests_name("cfi_table", tests, NULL, NULL);
}
