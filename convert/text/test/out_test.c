/* out_test.c - outputs that appear whole or not at all: names, links, signals, failed writes,
 * pipes. */
#include "convert/text/out.h"

#include "jfrfmt/test/testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[] = "/tmp/out_test.XXXXXX";

static int enter(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(dir) == NULL || chdir(dir) != 0;
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") != 0 || rmdir(dir) != 0; /* fails when a test left a file behind */
}

static size_t n_files(void)
{
    DIR *d = opendir(".");
    size_t n = 0;

    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n - 2;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_holds(const char *path, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, want);
}

static struct out_file *open_ok(const char *path)
{
    struct jfr_error err = {0};
    struct out_file *f = out_file_open(path, &err);

    if (f == NULL)
        fail_msg("%s", err.text);
    return f;
}

static void write_and_commit(const char *path)
{
    struct jfr_error err = {0};
    struct out_file *f = open_ok(path);

    assert_int_equal(out_file_write(f, "new", 3), 0);
    assert_int_equal(out_file_commit(f, &err), 0);
}

static void a_file_appears_only_when_committed(void **state)
{
    struct jfr_error err = {0};
    struct out_file *f = open_ok("a");

    (void)state;
    assert_int_equal(out_file_write(f, "new", 3), 0);
    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(n_files(), 1);
    assert_int_equal(out_file_commit(f, &err), 0);
    assert_holds("a", "new");
    assert_int_equal(n_files(), 1);
    unlink("a");
}

static void nobody_else_may_read_it_whatever_the_umask(void **state)
{
    static const mode_t masks[] = {0, 022, 0777};

    (void)state;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        mode_t before = umask(masks[i]);
        struct stat st;

        write_and_commit("a");
        umask(before);
        assert_int_equal(stat("a", &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        unlink("a");
    }
}

static void an_aborted_file_leaves_the_old_one(void **state)
{
    struct out_file *f;

    (void)state;
    put("a", "old");
    f = open_ok("a");
    out_file_write(f, "new", 3);
    out_file_abort(f);
    out_file_abort(NULL);
    assert_holds("a", "old");
    assert_int_equal(n_files(), 1);
    unlink("a");
}

static void cleanup_removes_what_is_unfinished_only(void **state)
{
    struct out_file *f;

    (void)state;
    write_and_commit("done");
    f = open_ok("a");
    assert_int_equal(n_files(), 2);
    out_file_cleanup();
    assert_int_equal(n_files(), 1);
    out_file_abort(f);
    assert_holds("done", "new");
    unlink("done");
}

static void a_link_is_replaced_and_not_written_through(void **state)
{
    struct stat st;

    (void)state;
    put("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    write_and_commit("link");
    assert_holds("target", "old");
    assert_holds("link", "new");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISREG(st.st_mode));
    unlink("link");
    unlink("target");
}

static void a_dangling_link_is_replaced(void **state)
{
    (void)state;
    assert_int_equal(symlink("nowhere", "link"), 0);
    write_and_commit("link");
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_holds("link", "new");
    unlink("link");
}

static void a_fifo_is_written_in_place(void **state)
{
    char got[4] = "";
    struct stat st;
    int fd;

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    fd = open("fifo", O_RDWR);
    write_and_commit("fifo");
    assert_int_equal(read(fd, got, 3), 3);
    assert_string_equal(got, "new");
    close(fd);
    assert_int_equal(stat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    unlink("fifo");
}

static void the_longest_name_works(void **state)
{
    char name[256];

    (void)state;
    memset(name, 'x', 255);
    name[255] = '\0';
    write_and_commit(name);
    assert_holds(name, "new");
    unlink(name);
}

static void a_directory_part_is_kept(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0700), 0);
    write_and_commit("sub/a");
    assert_int_equal(n_files(), 1);
    assert_holds("sub/a", "new");
    unlink("sub/a");
    rmdir("sub");
}

struct refused {
    const char *name;
    const char *path;
    const char *text;
};

/* clang-format off */
static const struct refused refused[] = {
    {"missing directory", "no/where", "cannot write no/where: No such file or directory"},
    {"directory", ".", "cannot write .: Is a directory"},
    {"root", "/", "cannot write /: Is a directory"},
    {"empty name", "", "cannot write : No such file or directory"},
    {"missing directory with slash", "no/", "cannot write no/: No such file or directory"},
    {"name of another descriptor", "/dev/fd/999", "cannot write /dev/fd/999: No such file or directory"},
    {"control bytes in the name", "no/\x1b[31m", "cannot write no/?[31m: No such file or directory"},
};
/* clang-format on */

static void refuses(void **state)
{
    const struct refused *t = *state;
    struct jfr_error err = {0};

    assert_null(out_file_open(t->path, &err));
    assert_int_equal(err.code, JFR_E_IO);
    assert_string_equal(err.text, t->text);
}

static void a_long_name_keeps_the_reason(void **state)
{
    struct jfr_error err = {0};
    char path[5000];

    (void)state;
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    assert_null(out_file_open(path, &err));
    assert_non_null(strstr(err.text, "xxx: File name too long"));
}

static void too_many_at_a_time_are_refused(void **state)
{
    static struct out_file *f[OUT_UNFINISHED];
    struct jfr_error err = {0};
    char name[16] = "last";

    (void)state;
    for (int i = 0; i < OUT_UNFINISHED; i++) {
        snprintf(name, sizeof(name), "%d", i);
        f[i] = open_ok(name);
    }
    assert_null(out_file_open("last", &err));
    for (int i = 0; i < OUT_UNFINISHED; i++)
        out_file_abort(f[i]);
    assert_int_equal(n_files(), 0);
    write_and_commit("a");
    unlink("a");
}

static void a_hidden_file_appears_under_its_name(void **state)
{
    struct jfr_error err = {0};
    struct out_file *f = out_file_open_hidden("a", &err);

    (void)state;
    assert_non_null(f);
    assert_int_equal(n_files(), 1);
    assert_int_not_equal(access("a", F_OK), 0);
    assert_int_equal(out_file_write(f, "new", 3), 0);
    assert_int_equal(out_file_commit(f, &err), 0);
    assert_int_equal(n_files(), 1);
    assert_int_equal(unlink("a"), 0);
}

static void a_full_device_is_an_error_with_name_and_reason(void **state)
{
    struct jfr_error err = {0};
    struct out_file *f = open_ok("/dev/full");

    (void)state;
    assert_int_equal(out_file_write(f, "new", 3), JFR_E_IO);
    assert_int_equal(out_file_write(f, "", 0), JFR_E_IO); /* sticky */
    assert_int_equal(out_file_commit(f, &err), JFR_E_IO);
    assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    static const char zeros[100];
    struct rlimit before, small;
    struct jfr_error err = {0};
    struct out_file *f;

    (void)state;
    put("a", "old");
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 10;
    setrlimit(RLIMIT_FSIZE, &small);
    f = open_ok("a");
    assert_int_equal(out_file_write(f, zeros, sizeof(zeros)), JFR_E_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(out_file_commit(f, &err), JFR_E_IO);
    assert_string_equal(err.text, "cannot write a: File too large");
    assert_holds("a", "old");
    assert_int_equal(n_files(), 1);
    unlink("a");
}

static void a_closed_pipe_is_an_error(void **state)
{
    struct jfr_error err = {0};
    struct out_file *f;
    char path[32];
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
    f = open_ok(path);
    close(fds[0]);
    assert_int_equal(out_file_write(f, "x", 1), JFR_E_IO);
    assert_int_equal(out_file_commit(f, &err), JFR_E_IO);
    assert_non_null(strstr(err.text, "Broken pipe"));
    close(fds[1]);
}

/* Runs fn in a child whose standard output is `fd`; its exit code. */
static int with_stdout(int fd, int (*fn)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        dup2(fd, STDOUT_FILENO);
        _exit(fn());
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_a_million(void)
{
    static char block[1000];
    struct jfr_error err = {0};
    struct out_file *f = out_file_open("-", &err);

    for (int i = 0; i < 1000; i++)
        out_file_write(f, block, sizeof(block));
    return out_file_commit(f, &err) == 0 && write(STDOUT_FILENO, "!", 1) == 1 ? 0 : 1;
}

/* A pipe takes part of a large write only, and EAGAIN when it does not block. Standard output stays
 * open behind the commit. */
static void a_slow_reader_gets_every_byte(void **state)
{
    char got[4096];
    size_t sum = 0;
    ssize_t n;
    int fds[2], status;
    pid_t writer;

    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    writer = fork();
    if (writer == 0) {
        close(fds[0]);
        _exit(with_stdout(fds[1], write_a_million));
    }
    close(fds[1]);
    fcntl(fds[0], F_SETFL, 0);
    while ((n = read(fds[0], got, sizeof(got))) > 0)
        sum += (size_t)n;
    close(fds[0]);
    waitpid(writer, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(sum, 1000001);
}

static void gathered_bytes_pass_when_there_are_many(void **state)
{
    static char block[100000];
    struct jfr_error err = {0};
    struct out_file *f = open_ok("a");
    struct out o = out_to(f);
    struct stat st;

    (void)state;
    for (int i = 0; i < 3; i++) {
        buf_bytes(&o.b, block, sizeof(block));
        assert_int_equal(out_check(&o), 0);
        assert_int_equal(o.b.n, i < 2 ? (i + 1) * sizeof(block) : 0);
    }
    buf_str(&o.b, "end");
    assert_int_equal(out_flush(&o), 0);
    out_free(&o);
    assert_int_equal(out_file_commit(f, &err), 0);
    assert_int_equal(stat("a", &st), 0);
    assert_int_equal(st.st_size, 300003);
    unlink("a");
}

static void the_first_failure_sticks_and_bytes_do_not_pile_up(void **state)
{
    static char block[OUT_HIGH];
    struct jfr_error err = {0};
    struct out_file *f = open_ok("/dev/full");
    struct out o = out_to(f);

    (void)state;
    for (int i = 0; i < 3; i++) {
        buf_bytes(&o.b, block, sizeof(block));
        assert_int_equal(out_check(&o), JFR_E_IO);
        assert_int_equal(o.b.n, 0);
    }
    assert_int_equal(out_flush(&o), JFR_E_IO);
    out_free(&o);
    assert_int_equal(out_file_commit(f, &err), JFR_E_IO);
}

static void a_buffer_without_memory_is_told_at_the_flush(void **state)
{
    struct out_file *f = open_ok("a");
    struct out o = out_to(f);

    (void)state;
    assert_false(buf_reserve(&o.b, SIZE_MAX));
    assert_int_equal(out_flush(&o), JFR_E_NOMEM);
    assert_int_equal(out_flush(&o), JFR_E_NOMEM);
    out_free(&o);
    out_file_abort(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_only_when_committed),
        cmocka_unit_test(nobody_else_may_read_it_whatever_the_umask),
        cmocka_unit_test(an_aborted_file_leaves_the_old_one),
        cmocka_unit_test(cleanup_removes_what_is_unfinished_only),
        cmocka_unit_test(a_link_is_replaced_and_not_written_through),
        cmocka_unit_test(a_dangling_link_is_replaced),
        cmocka_unit_test(a_fifo_is_written_in_place),
        cmocka_unit_test(the_longest_name_works),
        cmocka_unit_test(a_directory_part_is_kept),
        cmocka_unit_test(a_long_name_keeps_the_reason),
        cmocka_unit_test(too_many_at_a_time_are_refused),
        cmocka_unit_test(a_hidden_file_appears_under_its_name),
        cmocka_unit_test(a_full_device_is_an_error_with_name_and_reason),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(a_closed_pipe_is_an_error),
        cmocka_unit_test(a_slow_reader_gets_every_byte),
        cmocka_unit_test(gathered_bytes_pass_when_there_are_many),
        cmocka_unit_test(the_first_failure_sticks_and_bytes_do_not_pile_up),
        cmocka_unit_test(a_buffer_without_memory_is_told_at_the_flush),
    };

    return run_rows("out: refused", refused, refuses) +
           cmocka_run_group_tests_name("out", tests, enter, leave);
}
