#include "jfrfmt/write/sink.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/writer_shim.h"

#include <stdio.h>
#include <sys/stat.h>
#include <zstd.h>

static char dir[] = "/tmp/sink_test.XXXXXX";

static const char *path(const char *name)
{
    static char text[4][80];
    static unsigned i;
    char *p = text[i++ % 4];

    snprintf(p, sizeof(text[0]), "%s/%s", dir, name);
    return p;
}

static struct sink *open_file(const char *name, struct sink_options options)
{
    struct jfr_error err = {0};
    struct sink *s = sink_open(name, &options, &err);

    if (s == NULL)
        fail_msg("%s: %s", name, err.text);
    return s;
}

static void expect_refused(const char *name, bool replace, const char *says)
{
    struct sink_options options = {.replace = replace};
    struct jfr_error err = {0};

    assert_null(sink_open(name, &options, &err));
    assert_int_equal(err.code, JFR_E_IO);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void expect_content(const char *name, const char *want, size_t n)
{
    char got[1000];
    int fd = open(name, O_RDONLY);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, got, sizeof(got)), n);
    assert_memory_equal(got, want, n);
    close(fd);
}

static void touch(const char *name)
{
    close(open(name, O_WRONLY | O_CREAT, 0644));
}

static void a_file_appears_whole_and_private(void **state)
{
    struct jfr_error err = {0};
    struct stat st;
    mode_t mask = umask(0);
    struct sink *s = open_file(path("new"), (struct sink_options){0});

    (void)state;
    umask(mask);
    assert_int_equal(sink_put(s, "hello", 5), 0);
    assert_int_equal(access(path("new"), F_OK), -1);
    assert_int_equal(sink_publish(s), 0);
    expect_content(path("new"), "hello", 5);
    assert_int_equal(sink_put(s, "!", 1), 0);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    expect_content(path("new"), "hello!", 6);
    assert_int_equal(stat(path("new"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void the_mode_is_0600_whatever_the_umask(void **state)
{
    struct jfr_error err = {0};
    struct stat st;
    mode_t mask = umask(0777);
    struct sink *s = open_file(path("masked"), (struct sink_options){0});

    (void)state;
    umask(mask);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    assert_int_equal(stat(path("masked"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void a_file_of_another_user_is_not_replaced(void **state)
{
    (void)state;
    touch(path("theirs"));
    if (chown(path("theirs"), 12345, (gid_t)-1) != 0) {
        printf("skip a_file_of_another_user_is_not_replaced: only root can make one\n");
        return;
    }
    expect_refused(path("theirs"), true, "belongs to another user");
}

static void an_unpublished_file_leaves_nothing(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("never"), (struct sink_options){0});
    char command[200];

    (void)state;
    sink_put(s, "hello", 5);
    assert_int_equal(sink_close(s, &err), 0);
    snprintf(command, sizeof(command), "! ls '%s' | grep -q never", dir);
    assert_int_equal(system(command), 0);
}

static void what_is_there_is_not_touched(void **state)
{
    (void)state;
    touch(path("old"));
    assert_int_equal(symlink(path("old"), path("link")), 0);
    assert_int_equal(symlink(path("nowhere"), path("dangling")), 0);
    assert_int_equal(mkfifo(path("fifo"), 0600), 0);
    expect_refused(path("old"), false, "exists already");
    expect_refused(path("link"), false, "exists already");
    expect_refused(path("dangling"), false, "exists already");
    expect_refused(path("link"), true, "only a regular file");
    expect_refused(path("fifo"), true, "only a regular file");
    expect_refused(dir, true, "only a regular file");
    expect_refused(path("no/such/dir"), false, "No such file");
    assert_int_equal(access(path("nowhere"), F_OK), -1);
}

static void a_regular_file_is_replaced_when_asked(void **state)
{
    struct jfr_error err = {0};
    struct sink *s;

    (void)state;
    touch(path("again"));
    s = open_file(path("again"), (struct sink_options){.replace = true});
    sink_put(s, "new", 3);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    expect_content(path("again"), "new", 3);
}

static void a_name_taken_meanwhile_is_not_overwritten(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("race"), (struct sink_options){0});

    (void)state;
    sink_put(s, "new", 3);
    touch(path("race"));
    assert_int_equal(sink_publish(s), JFR_E_IO);
    assert_int_equal(sink_close(s, &err), JFR_E_IO);
    assert_non_null(strstr(err.text, "exists already"));
    expect_content(path("race"), "", 0);
}

static void patches_and_seeks_go_where_they_should(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("patched"), (struct sink_options){0});

    (void)state;
    assert_true(sink_is_file(s));
    sink_put(s, "0123456789", 10);
    sink_patch(s, 2, "ab", 2);
    sink_seek(s, 5);
    sink_put(s, "xyz", 3);
    sink_truncate(s, 9);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    expect_content(path("patched"), "01ab4xyz8", 9);
}

static void the_first_failure_sticks_and_says_why(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("full"), (struct sink_options){.calls = &shim_calls});

    (void)state;
    shim_reset();
    shim.fails_at = 2;
    shim.fails_for = 1;
    shim.reason = ENOSPC;
    sink_put(s, "one", 3);
    assert_int_equal(sink_flush(s), 0);
    sink_put(s, "two", 3);
    assert_int_equal(sink_flush(s), JFR_E_IO);
    assert_int_equal(sink_put(s, "three", 5), JFR_E_IO);
    assert_int_equal(sink_patch(s, 0, "x", 1), JFR_E_IO);
    assert_int_equal(sink_publish(s), JFR_E_IO);
    assert_string_equal(sink_error(s)->text, "cannot write: No space left on device");
    assert_int_equal(sink_error(s)->offset, 3);
    assert_int_equal(sink_close(s, &err), JFR_E_IO);
    assert_string_equal(err.text, "cannot write: No space left on device");
    shim_reset();
}

static void a_failing_close_is_reported(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("close"), (struct sink_options){.calls = &shim_calls});

    (void)state;
    shim_reset();
    sink_put(s, "one", 3);
    assert_int_equal(sink_publish(s), 0);
    shim.fails_at = shim.calls + 1;
    shim.fails_for = 1;
    shim.reason = EIO;
    assert_int_equal(sink_close(s, &err), JFR_E_IO);
    assert_string_equal(err.text, "cannot close the file: Input/output error");
    shim_reset();
}

static void a_stream_in_a_file_is_cut_back_to_its_mark(void **state)
{
    struct jfr_error err = {0};
    struct sink *s =
        open_file(path("marked"), (struct sink_options){.stream = true, .calls = &shim_calls});

    (void)state;
    shim_reset();
    assert_false(sink_is_file(s));
    assert_int_equal(sink_publish(s), 0);
    sink_put(s, "good", 4);
    assert_int_equal(sink_mark(s), 0);
    sink_put(s, "half", 4);
    assert_int_equal(sink_flush(s), 0);
    shim.fails_at = shim.calls + 1;
    shim.fails_for = 1;
    shim.reason = ENOSPC;
    sink_put(s, "lost", 4);
    assert_int_equal(sink_mark(s), JFR_E_IO);
    sink_clear(s);
    sink_put(s, " more", 5);
    assert_int_equal(sink_mark(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    expect_content(path("marked"), "good more", 9);
    shim_reset();
}

static void every_mark_ends_a_zstd_frame(void **state)
{
    struct jfr_error err = {0};
    struct sink *s = open_file(path("x.zst"), (struct sink_options){0});
    char packed[1000], text[100];
    ssize_t n;
    size_t first;
    int fd;

    (void)state;
    sink_put(s, "first", 5);
    assert_int_equal(sink_mark(s), 0);
    sink_put(s, "second", 6);
    assert_int_equal(sink_mark(s), 0);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    fd = open(path("x.zst"), O_RDONLY);
    n = read(fd, packed, sizeof(packed));
    close(fd);
    first = ZSTD_findFrameCompressedSize(packed, (size_t)n);
    assert_int_equal(ZSTD_decompress(text, sizeof(text), packed, first), 5);
    assert_memory_equal(text, "first", 5);
    assert_int_equal(ZSTD_decompress(text, sizeof(text), packed + first, (size_t)n - first), 6);
    assert_memory_equal(text, "second", 6);
}

/* Large puts bypass the buffer; short writes are continued. */
static void sizes_around_the_buffer_arrive_whole(void **state)
{
    enum {
        TOTAL = 64 * 1024 * 6
    };
    static uint8_t bytes[TOTAL], got[TOTAL + 1];
    struct jfr_error err = {0};
    struct sink *s = open_file(path("sizes"), (struct sink_options){0});
    size_t steps[] = {1, 65535, 65536, 65537, 3, 131072}, at = 0;
    int fd;

    (void)state;
    for (size_t i = 0; i < TOTAL; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); at += steps[i++])
        assert_int_equal(sink_put(s, bytes + at, steps[i]), 0);
    assert_int_equal(sink_publish(s), 0);
    assert_int_equal(sink_close(s, &err), 0);
    fd = open(path("sizes"), O_RDONLY);
    assert_int_equal(read(fd, got, sizeof(got)), at);
    close(fd);
    assert_memory_equal(got, bytes, at);
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_whole_and_private),
        cmocka_unit_test(the_mode_is_0600_whatever_the_umask),
        cmocka_unit_test(a_file_of_another_user_is_not_replaced),
        cmocka_unit_test(an_unpublished_file_leaves_nothing),
        cmocka_unit_test(what_is_there_is_not_touched),
        cmocka_unit_test(a_regular_file_is_replaced_when_asked),
        cmocka_unit_test(a_name_taken_meanwhile_is_not_overwritten),
        cmocka_unit_test(patches_and_seeks_go_where_they_should),
        cmocka_unit_test(the_first_failure_sticks_and_says_why),
        cmocka_unit_test(a_failing_close_is_reported),
        cmocka_unit_test(a_stream_in_a_file_is_cut_back_to_its_mark),
        cmocka_unit_test(every_mark_ends_a_zstd_frame),
        cmocka_unit_test(sizes_around_the_buffer_arrive_whole),
    };

    return cmocka_run_group_tests_name("sink", tests, make_dir, remove_dir);
}
