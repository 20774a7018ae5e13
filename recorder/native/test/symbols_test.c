/* Symbols of this process against what nm and the loader say. */
#include "recorder/native/symbols.h"
#include "recorder/native/lib_file.h"
#include "recorder/native/libs.h"
#include "jfrfmt/test/testing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void symbols_test_exported(void);
static int local_function(int n);

__attribute__((noinline)) void symbols_test_exported(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static int local_function(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n + 1;
}

static void own_functions_have_their_names(void **state)
{
    struct symbol s;

    (void)state;
    assert_true(libs_update() >= 0);
    assert_true(symbols_find((uintptr_t)symbols_test_exported, &s));
    assert_string_equal(s.name, "symbols_test_exported");
    assert_int_equal(s.offset, 0);
    assert_true(symbols_find((uintptr_t)local_function + 1, &s));
    assert_string_equal(s.name, "local_function");
    assert_int_equal(s.offset, 1);
    assert_string_equal(symbols_file_name(s.library), "symbols_test");
}

static void exported_functions_of_libc_have_one_of_their_names(void **state)
{
    static const char *const names[] = {"malloc", "qsort", "printf", "fopen", "getenv", "strtol"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *address = dlsym(RTLD_DEFAULT, names[i]);
        Dl_info info;
        struct symbol s;

        assert_non_null(address);
        assert_true(symbols_find((uintptr_t)address + 1, &s));
        assert_non_null(s.name);
        assert_int_equal(s.offset, 1);
        assert_true(dladdr(address, &info) != 0);
        assert_string_equal(s.library, info.dli_fname[0] == '/' ? s.library : info.dli_fname);
        if (strstr(s.name, names[i]) == NULL) {
            print_message("%s is %s\n", names[i], s.name);
            /* an alias of the same address is as good */
            assert_ptr_equal(dlsym(RTLD_DEFAULT, s.name), address);
        }
    }
}

static void addresses_of_nobody_are_not_found(void **state)
{
    int on_stack = 0;
    struct symbol s;

    (void)state;
    assert_false(symbols_find(0, &s));
    assert_false(symbols_find((uintptr_t)&on_stack, &s));
    assert_false(symbols_find(UINTPTR_MAX, &s));
}

/* Every function that nm lists is found by its first and its last byte. */
static void every_function_that_nm_lists_is_found(void **state)
{
    const struct lib *self;
    char command[4096], line[65536];
    unsigned n = 0, n_other = 0;
    FILE *nm;

    (void)state;
    self = libs_find_any((uintptr_t)local_function);
    assert_non_null(self);
    snprintf(command, sizeof(command), "nm -S --defined-only '%s' 2>/dev/null", self->path);
    nm = popen(command, "r");
    assert_non_null(nm);
    while (fgets(line, sizeof(line), nm) != NULL) {
        unsigned long lo, size;
        char type, name[4096];
        struct symbol s;

        if (sscanf(line, "%lx %lx %c %4095s", &lo, &size, &type, name) != 4 ||
            strchr("tTwW", type) == NULL)
            continue;
        n++;
        assert_true(symbols_find(lo + self->bias, &s));
        assert_non_null(s.raw);
        assert_int_equal(s.offset, 0);
        n_other += strcmp(s.raw, name) != 0; /* another name of the same address */
        assert_true(symbols_find(lo + size - 1 + self->bias, &s));
        assert_int_equal(s.offset, size - 1);
    }
    if (pclose(nm) != 0 || n == 0) {
        print_message("skip every_function_that_nm_lists_is_found: nm is missing\n");
        return;
    }
    print_message("%u functions, %u by an alias\n", n, n_other);
    assert_true(n > 100 && n_other * 20 < n);
}

static void linkage_stubs_are_named_after_what_they_call(void **state)
{
    const struct lib *self = libs_find_any((uintptr_t)local_function);
    const struct symtab *t = lib_file_symbols(self->file);
    unsigned n = 0;

    (void)state;
    for (uint32_t i = 0; i < t->n; i++)
        n += strstr(t->names + t->syms[i].name, "@plt") != NULL;
#if defined(__x86_64__)
    assert_true(n > 5);
#endif
}

static void finding_again_costs_little(void **state)
{
    struct libs_usage usage;
    struct timespec a, b;
    struct symbol s;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 100000; i++)
        assert_true(symbols_find((uintptr_t)local_function + (i & 3), &s));
    clock_gettime(CLOCK_MONOTONIC, &b);
    libs_usage(&usage);
    print_message("%.0f ns per address; %llu symbols take %llu KB\n",
                  ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 100000,
                  (unsigned long long)usage.symbols, (unsigned long long)usage.symbol_bytes / 1024);
    assert_true(usage.symbols > 0 && usage.symbol_bytes > usage.symbols * 12);
}

static void all_is_freed(void **state)
{
    struct libs_usage usage;

    (void)state;
    libs_stop();
    libs_usage(&usage);
    assert_int_equal(usage.n_live + usage.n_gone + usage.n_waiting, 0);
    assert_int_equal(usage.symbol_bytes + usage.cfi_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_functions_have_their_names),
        cmocka_unit_test(exported_functions_of_libc_have_one_of_their_names),
        cmocka_unit_test(addresses_of_nobody_are_not_found),
        cmocka_unit_test(every_function_that_nm_lists_is_found),
        cmocka_unit_test(linkage_stubs_are_named_after_what_they_call),
        cmocka_unit_test(finding_again_costs_little),
        cmocka_unit_test(all_is_freed),
    };

    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
