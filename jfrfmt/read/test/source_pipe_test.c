/* Pipes, and the temporary files that large chunks of them go to. */
#include "jfrfmt/test/source_testing.h"

#include <sys/resource.h>

/* What is there is still told; then comes the error, which ends the source. */
static void expect_io_error(const char *text)
{
    struct buf in = {0};
    struct story s;

    two(&in);
    put_chunk(&in, 50000, 50000, 3);
    s = story_of(open_pipe(in.p, in.n), 1000);
    assert_non_null(strstr((char *)s.text.p, "[0+300 of 300][300+400 of 400][700+"));
    assert_non_null(strstr((char *)s.text.p, "(-1@"));
    assert_non_null(strstr((char *)s.text.p, text));
    story_free(&s);
    buf_free(&in);
}

static void no_temporary_file_is_an_error(void **state)
{
    const char *old = getenv("TMPDIR");
    char *keep = old != NULL ? strdup(old) : NULL;

    (void)state;
    setenv("TMPDIR", "/proc/self", 1);
    expect_io_error("cannot create a temporary file: ");
    keep != NULL ? setenv("TMPDIR", keep, 1) : unsetenv("TMPDIR");
    free(keep);
}

static void full_temporary_file_is_an_error(void **state)
{
    struct rlimit old, small;

    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){20000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    expect_io_error("cannot write a temporary file: File too large");
    setrlimit(RLIMIT_FSIZE, &old);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_temporary_file_is_an_error),
        cmocka_unit_test(full_temporary_file_is_an_error),
    };

    signal(SIGPIPE, SIG_IGN); /* a source may be closed before its writer is done */
    return cmocka_run_group_tests_name("source: pipes", tests, NULL, NULL);
}
