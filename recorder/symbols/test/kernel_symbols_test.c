#include "recorder/symbols/kernel_symbols.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t load(const char *text)
{
    char path[] = "/tmp/kernel_symbols_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    size_t n;

    fputs(text, f);
    fclose(f);
    n = kernel_symbols_load_file(path);
    unlink(path);
    return n;
}

static void an_address_has_the_function_before_it(void **state)
{
    (void)state;
    assert_int_equal(load("ffffffff81000200 t second\n"
                          "ffffffff81000100 T first\n"
                          "ffffffff81000180 D data\n"
                          "ffffffffc0000000 t driver_read\t[driver]\n"),
                     3);
    assert_string_equal(kernel_symbols_name(0xffffffff81000100), "first");
    assert_string_equal(kernel_symbols_name(0xffffffff810001ff), "first");
    assert_string_equal(kernel_symbols_name(0xffffffff81000200), "second");
    assert_string_equal(kernel_symbols_name(0xffffffffc0000123), "driver_read");
    assert_string_equal(kernel_symbols_name(0xffffffff81000000), "[kernel]");
    kernel_symbols_free();
    assert_string_equal(kernel_symbols_name(0xffffffff81000100), "[kernel]");
}

static void hidden_addresses_and_odd_lines_are_none(void **state)
{
    (void)state;
    assert_int_equal(load("0000000000000000 T hidden\nnonsense\n\nffffffff81 T\n"), 0);
    assert_int_equal(load(""), 0);
    assert_int_equal(kernel_symbols_load_file("/no/such/file"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_the_function_before_it),
        cmocka_unit_test(hidden_addresses_and_odd_lines_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
