/* Recordings that are packed. */
#include "jfrfmt/test/source_testing.h"
#include "jfrfmt/test/unwrap_testing.h"

static void some_recording(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_chunk(b, 200000, 200000, 2);
    put_chunk_v0(b, 5000, 300);
    put_chunk(b, 3000, 1 << 30, 3);
    put_chunk(b, 1000, 1000, 4);
    buf_str(b, "tail");
}

static void wrapped_is_told_as_plain(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = {0}, packed = {0};
    struct story want, got;

    some_recording(&plain);
    w->wrap(&packed, plain.p, plain.n);
    want = told(&plain);
    got = told(&packed);
    assert_string_equal((char *)got.text.p, (char *)want.text.p);
    assert_memory_equal(got.bytes.p, want.bytes.p, want.bytes.n);
    story_free(&want);
    story_free(&got);
    buf_free(&plain);
    buf_free(&packed);
}

static void damaged_wrapper_is_told_last(void **state)
{
    struct buf plain = {0}, packed = {0};
    struct story s;

    (void)state;
    put_chunk(&plain, 1000, 1000, 1);
    put_chunk(&plain, 1000, 1000, 2);
    wrap_gzip(&packed, plain.p, 1500);
    wrap_gzip(&packed, plain.p + 1500, 500);
    packed.n -= 4;
    s = told(&packed);
    assert_ptr_equal(strstr((char *)s.text.p, "[0+1000 of 1000][1000+1000 of 1000](-3@2000 2: "
                                              "gzip: data ends early at compressed offset "),
                     s.text.p);
    story_free(&s);
    packed.n = 30;
    s = told(&packed);
    assert_non_null(strstr((char *)s.text.p, "gzip: data ends early at compressed offset 30"));
    story_free(&s);
    buf_free(&plain);
    buf_free(&packed);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_wrapper_is_told_last),
    };
    int failed;

    signal(SIGPIPE, SIG_IGN); /* a source may be closed before its writer is done */
    failed = run_rows("source: wrapped is told as plain", wrappers, wrapped_is_told_as_plain);
    return failed + cmocka_run_group_tests_name("source: wrapped", tests, NULL, NULL);
}
