/* Symbols of a stripped library from its debug file: by build id, by link, and not from another's.
 */
#include "recorder/symbols/debug_file.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/symbols_debug.XXXXXX";

static int run(const char *command)
{
    char text[2000];

    snprintf(text, sizeof(text), "cd '%s' && (%s) >/dev/null 2>&1", folder, command);
    return system(text);
}

/* Whether the stripped library finds the name of its static function. */
static bool has_hidden(const char *root)
{
    struct symtab t = {0};
    char path[200];
    struct elf e;
    bool is_added, has = false;
    int fd;

    snprintf(path, sizeof(path), "%s/lib.so", folder);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && elf_open_fd(&e, fd));
    assert_false(symtab_add_symtab(&t, &e));
    symbols_debug_root(root);
    is_added = symbols_debug_add(&t, &e, path);
    symbols_debug_root(NULL);
    symtab_finish(&t);
    for (uint32_t i = 0; i < t.n; i++)
        has = has || strcmp(t.names + t.syms[i].name, "hidden_function") == 0;
    assert_int_equal(is_added, has);
    symtab_free(&t);
    elf_close(&e);
    close(fd);
    return has;
}

static bool build(const char *id_option)
{
    char command[800];

    snprintf(
        command, sizeof(command),
        "rm -rf *; printf '__attribute__((noinline)) static int hidden_function(int n) "
        "{ __asm__(\"\"); return n * 3; } int shown(int n) { return hidden_function(n) + 1; }' "
        ">lib.c && cc -g -O1 -shared -fPIC %s -o lib.so lib.c && objcopy --only-keep-debug "
        "lib.so lib.debug && objcopy --strip-all --add-gnu-debuglink=lib.debug lib.so",
        id_option);
    return run(command) == 0;
}

static void debug_files(void **state)
{
    char root[200];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(root, sizeof(root), "%s/root", folder);
    if (!build("-Wl,--build-id")) {
        print_message("skip debug_files: no compiler or no objcopy\n");
        run("rm -rf '$PWD'");
        return;
    }
    assert_true(has_hidden(root)); /* beside it */
    assert_int_equal(run("mkdir .debug && mv lib.debug .debug/"), 0);
    assert_true(has_hidden(root));
    assert_int_equal(run("id=$(readelf -n lib.so | sed -n 's/.*Build ID: //p'); mkdir -p "
                         "root/.build-id/${id%${id#??}} && mv .debug/lib.debug "
                         "root/.build-id/${id%${id#??}}/${id#??}.debug"),
                     0);
    assert_true(has_hidden(root));
    assert_int_equal(run("rm -r root"), 0);
    assert_false(has_hidden(root));
    /* of another build */
    assert_int_equal(run("cc -g -O0 -shared -fPIC -Wl,--build-id -o other.so lib.c && objcopy "
                         "--only-keep-debug other.so lib.debug"),
                     0);
    assert_false(has_hidden(root));
    /* no build id: the checksum decides */
    assert_true(build("-Wl,--build-id=none"));
    assert_true(has_hidden(root));
    assert_int_equal(run("printf x >>lib.debug"), 0);
    assert_false(has_hidden(root));
    assert_int_equal(run("rm -rf \"$PWD\""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(debug_files)};

    return cmocka_run_group_tests_name("symbols_debug", tests, NULL, NULL);
}
