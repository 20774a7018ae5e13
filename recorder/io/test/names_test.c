#include "recorder/io/names.h"

#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_at(int fd, const char *path)
{
    int new = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(new >= 0);
    if (new != fd) {
        assert_int_equal(dup2(new, fd), fd);
        close(new);
    }
    return fd;
}

static size_t name_of(int fd, char out[IO_TARGET_MAX])
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return io_names_get(fd, &st, out);
}

static void a_name_is_of_what_was_opened(void **state)
{
    char name[IO_TARGET_MAX];
    int fd = open_at(100, "/etc");

    (void)state;
    assert_int_equal(name_of(fd, name), 0);
    io_names_put(fd, "./etc", 5);
    assert_int_equal(name_of(fd, name), 5);
    assert_string_equal(name, "./etc");
    open_at(fd, "/");
    assert_int_equal(name_of(fd, name), 0);
    assert_string_equal(name, "");
    open_at(fd, "/etc");
    io_names_put(fd, "", 0);
    assert_int_equal(name_of(fd, name), 0);
    close(fd);
}

static void others_have_none(void **state)
{
    char name[IO_TARGET_MAX];
    struct stat st = {.st_mode = 0};

    (void)state;
    io_names_put(-1, "a", 1);
    io_names_put(1 << 30, "a", 1);
    assert_int_equal(io_names_get(-1, &st, name), 0);
    assert_int_equal(io_names_get(1 << 30, &st, name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_of_what_was_opened),
        cmocka_unit_test(others_have_none),
    };

    return cmocka_run_group_tests_name("io_names", tests, NULL, NULL);
}
