/* Functions outside of libraries: perf maps that may be believed, and kernel symbols. */
#include "recorder/symbols.h"
#include "recorder/symbols_extra.h"
#include "jfrfmt/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char path[] = "/tmp/symbols_extra.XXXXXX", other[64];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    snprintf(other, sizeof(other), "%s.link", path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    symbols_stop();
    unlink(other);
    return unlink(path);
}

static void lines_become_functions(void **state)
{
    struct symbol s;

    (void)state;
    write_file(
        "3000 20 _ZN2js3runEv\n1000 10 Interpreter: a b c\nnot a line\n2000 8 last\n4000 10 cut");
    assert_int_equal(symbols_read_perf_map(path), 3);
    assert_true(symbols_find(0x100f, &s));
    assert_string_equal(s.name, "Interpreter: a b c");
    assert_string_equal(s.library, "[jit]");
    assert_int_equal(s.offset, 15);
    assert_false(symbols_find(0x1010, &s));
    assert_true(symbols_find(0x3000, &s));
    assert_string_equal(s.name, "js::run");
    assert_false(symbols_find(0x4000, &s)); /* its line was not finished */
    assert_int_equal(symbols_read_perf_map("/nowhere"), 0);
    assert_false(symbols_find(0x100f, &s)); /* the new reading replaces the old one */
}

static void only_plain_files_of_our_own_are_read(void **state)
{
    (void)state;
    write_file("1000 10 a\n");
    assert_int_equal(symbols_read_perf_map(path), 1);
    assert_int_equal(symlink(path, other), 0);
    assert_int_equal(symbols_read_perf_map(other), 0);
    unlink(other);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(symbols_read_perf_map(other), 0); /* and does not wait for a writer */
    assert_int_equal(symbols_read_perf_map("/tmp"), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(symbols_read_perf_map(path), 0);
        assert_int_equal(chown(path, 0, 0), 0);
    } else {
        print_message("skip map of another user: not root\n");
    }
}

static void kernel_symbols_are_read_where_they_are_told(void **state)
{
    const char *name, *library;
    uint64_t offset;

    (void)state;
    write_file("ffffffff81000000 T _text\nffffffff81000100 t do_work\t[module]\n"
               "ffffffff81000200 D data\nffffffff81000300 W weak\n");
    assert_int_equal(symbols_extra_kernel(path), 3);
    assert_true(symbols_extra_find((uintptr_t)0xffffffff81000110u, &name, &offset, &library));
    assert_string_equal(name, "do_work");
    assert_string_equal(library, "[kernel]");
    assert_int_equal(offset, 16);
    assert_false(symbols_extra_find(0x1000, &name, &offset, &library));
    write_file("0000000000000000 T _text\n0000000000000000 t do_work\n");
    assert_int_equal(symbols_extra_kernel(path), 0); /* kptr_restrict */
    assert_false(symbols_extra_find((uintptr_t)0xffffffff81000110u, &name, &offset, &library));
    assert_true(symbols_read_kernel() >= 0); /* the real one, if it may be read */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_functions),
        cmocka_unit_test(only_plain_files_of_our_own_are_read),
        cmocka_unit_test(kernel_symbols_are_read_where_they_are_told),
    };

    return cmocka_run_group_tests_name("symbols_extra", tests, make_file, remove_file);
}
