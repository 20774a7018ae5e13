/* Functions of other compilers: maps that may be believed, and those that grow. */
#include "recorder/native/name.h"
#include "recorder/symbols/perf_map.h"
#include "recorder/symbols/demangle.h"
#include "recorder/native/symbols.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char path[] = "/tmp/perf_map.XXXXXX", other[64], own[64];

static void write_file(const char *to, const char *lines)
{
    FILE *f = fopen(to, "w");

    assert_non_null(f);
    fputs(lines, f);
    fclose(f);
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    snprintf(other, sizeof(other), "%s.link", path);
    snprintf(own, sizeof(own), "/tmp/perf-%d.map", (int)getpid());
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    perf_map_stop();
    unlink(other);
    unlink(own);
    return unlink(path);
}

static void lines_become_functions(void **state)
{
    struct symbol s;

    (void)state;
    write_file(path, "3000 20 _ZN2js3runEv\n1000 10 Interpreter: a b c\nnot a line\n2000 8 last\n"
                     "4000 10 cut");
    assert_int_equal(perf_map_read(path), 3);
    assert_true(symbols_find(0x100f, &s));
    assert_string_equal(s.name, "Interpreter: a b c");
    assert_string_equal(s.library, "[jit]");
    assert_int_equal(s.offset, 15);
    assert_false(symbols_find(0x1010, &s));
    assert_true(symbols_find(0x3000, &s));
    assert_string_equal(s.name, demangle_is_built() ? "js::run" : "_ZN2js3runEv");
    assert_false(symbols_find(0x4000, &s)); /* its line was not finished */
    assert_int_equal(perf_map_read("/nowhere"), 0);
    assert_false(symbols_find(0x100f, &s)); /* the new reading replaces the old one */
}

static void only_plain_files_of_our_own_are_read(void **state)
{
    (void)state;
    write_file(path, "1000 10 a\n");
    assert_int_equal(perf_map_read(path), 1);
    assert_int_equal(symlink(path, other), 0);
    assert_int_equal(perf_map_read(other), 0);
    unlink(other);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(perf_map_read(other), 0); /* and does not wait for a writer */
    assert_int_equal(perf_map_read("/tmp"), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(perf_map_read(path), 0);
        assert_int_equal(chown(path, 0, 0), 0);
    } else {
        print_message("skip map of another user: not root\n");
    }
}

static void code_of_nobody_is_looked_up_in_a_map_that_grows(void **state)
{
    char name[64];

    (void)state;
    perf_map_stop();
    native_name(0x5008, name, sizeof(name));
    assert_string_equal(name, "[unknown_code]");
    write_file(own, "5000 10 compiled\n");
    native_name(0x5008, name, sizeof(name));
    assert_string_equal(name, "compiled");
    assert_false(perf_map_update()); /* nothing new */
    write_file(own, "5000 10 compiled\n6000 10 another\n");
    native_name(0x6000, name, sizeof(name));
    assert_string_equal(name, "another");
    native_name(0x7000, name, sizeof(name));
    assert_string_equal(name, "[unknown_code]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_functions),
        cmocka_unit_test(only_plain_files_of_our_own_are_read),
        cmocka_unit_test(code_of_nobody_is_looked_up_in_a_map_that_grows),
    };

    return cmocka_run_group_tests_name("perf_map", tests, make_file, remove_file);
}
