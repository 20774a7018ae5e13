#include "jfrfmt/test/unwrap_testing.h"

#include "jfrfmt/read/unwrap.h"

#include <fcntl.h>

struct result {
    struct buf out;
    struct jfr_error err;
    bool is_wrapped;
};

static void read_all(struct unwrap *u, struct result *r, size_t piece)
{
    size_t n;

    assert_non_null(u);
    do {
        assert_true(buf_reserve(&r->out, piece));
        n = unwrap_read(u, r->out.p + r->out.n, piece);
        assert_true(n <= piece);
        r->out.n += n;
    } while (n > 0);
    assert_int_equal(unwrap_read(u, r->out.p, piece), 0);
    unwrap_close(u);
}

static struct result unwrap_bytes(const uint8_t *p, size_t n, size_t piece)
{
    struct guarded g = guarded_copy(p, n, 0);
    struct result r = {.is_wrapped = unwrap_is_wrapped(g.bytes, n)};

    read_all(unwrap_open(unwrap_mem(g.bytes, n, &r.err), &r.err), &r, piece);
    guarded_free(&g);
    return r;
}

static struct result unwrap_file(const uint8_t *p, size_t n, size_t piece)
{
    struct result r = {0};
    int fd = memfd_create("test", MFD_CLOEXEC);

    assert_int_equal(write(fd, p, n), n);
    lseek(fd, 0, SEEK_SET);
    read_all(unwrap_open(unwrap_fd_take(fd, &r.err), &r.err), &r, piece);
    return r;
}

static void expect(struct result r, const struct buf *want)
{
    assert_string_equal(r.err.text, "");
    assert_int_equal(r.out.n, want->n);
    assert_memory_equal(r.out.p, want->p, want->n);
    buf_free(&r.out);
}

static void expect_error(struct result r, int code, const char *text, size_t n_out)
{
    assert_non_null(strstr(r.err.text, text));
    assert_int_equal(r.err.code, code);
    assert_int_equal(r.out.n, n_out);
    buf_free(&r.out);
}

/* ---- every wrapper ---- */

static void gives_the_same_bytes(void **state)
{
    const struct wrapper *w = *state;
    size_t pieces[] = {1, 7, 4096, UNWRAP_BUFFER, 1 << 20};

    for (size_t n = 4; n < 1000000; n *= 10) {
        struct buf plain = some_bytes(n), packed = {0};

        w->wrap(&packed, plain.p, plain.n);
        for (size_t i = n > 10000; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
            expect(unwrap_bytes(packed.p, packed.n, pieces[i]), &plain);
            expect(unwrap_file(packed.p, packed.n, pieces[i]), &plain);
        }
        buf_free(&plain);
        buf_free(&packed);
    }
}

static void may_be_in_another_once(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = some_bytes(5000), inner = {0};

    w->wrap(&inner, plain.p, plain.n);
    for (size_t i = 0; i < N_WRAPPERS; i++) {
        struct buf outer = {0}, third = {0};

        wrappers[i].wrap(&outer, inner.p, inner.n);
        expect(unwrap_bytes(outer.p, outer.n, 4096), &plain);
        wrap_gzip(&third, outer.p, outer.n);
        expect(unwrap_bytes(third.p, third.n, 4096), &inner);
        buf_free(&outer);
        buf_free(&third);
    }
    buf_free(&plain);
    buf_free(&inner);
}

static void cut_anywhere_says_so(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = some_bytes(700), packed = {0};

    w->wrap(&packed, plain.p, plain.n);
    for (size_t n = 4; n < packed.n; n++) {
        struct result r = unwrap_bytes(packed.p, n, 4096);

        if (r.out.n > plain.n) { /* a cut descriptor cannot be told from stored data */
            assert_true(strstr(w->name, "stored") != NULL && r.out.n < plain.n + 24);
            assert_int_equal(r.err.code, JFR_E_SHORT);
            r.out.n = plain.n;
        }
        assert_memory_equal(r.out.p, plain.p, r.out.n);
        if (r.err.code == 0 && r.out.n < plain.n)
            assert_true(strstr(w->name, "members") != NULL || strstr(w->name, "frames") != NULL);
        if (r.err.code != 0)
            assert_ptr_equal(strstr(r.err.text, w->says), r.err.text);
        buf_free(&r.out);
    }
    buf_free(&plain);
    buf_free(&packed);
}

/* Checksums are on in all of them: no flipped byte may change what comes out unseen. */
static void a_flipped_byte_is_noticed(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = some_bytes(700), packed = {0};

    w->wrap(&packed, plain.p, plain.n);
    for (size_t i = 0; i < packed.n; i++) {
        struct result r;

        packed.p[i] ^= 0x55;
        r = unwrap_bytes(packed.p, packed.n, 4096);
        packed.p[i] ^= 0x55;
        if (r.is_wrapped && r.err.code == 0) {
            assert_int_equal(r.out.n, plain.n);
            assert_memory_equal(r.out.p, plain.p, plain.n);
        }
        buf_free(&r.out);
    }
    buf_free(&plain);
    buf_free(&packed);
}

/* Damage late in a large input costs what is behind it, not what is before. */
static void keeps_what_is_before_the_damage(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = some_bytes(2000000), packed = {0};
    struct result r;

    w->wrap(&packed, plain.p, plain.n);
    memset(packed.p + packed.n * 9 / 10, 0xff, 64);
    r = unwrap_bytes(packed.p, packed.n, 4 << 20);
    assert_int_not_equal(r.err.code, 0);
    assert_true(r.out.n > plain.n / 2);
    assert_memory_equal(r.out.p, plain.p, plain.n / 2);
    buf_free(&r.out);
    buf_free(&plain);
    buf_free(&packed);
}

/* ---- one by one ---- */

static void padding_is_not_damage_but_other_bytes_are(void **state)
{
    struct buf plain = some_bytes(300), packed = {0};
    size_t n;

    (void)state;
    wrap_gzip(&packed, plain.p, plain.n);
    for (int i = 0; i < 10000; i++)
        buf_byte(&packed, 0);
    n = packed.n;
    expect(unwrap_bytes(packed.p, n, 4096), &plain);
    buf_byte(&packed, 'x');
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), JFR_E_FORMAT, "gzip: unknown bytes",
                 plain.n);
    buf_free(&plain);
    buf_free(&packed);
}

static void wrappers_may_follow_each_other(void **state)
{
    struct buf plain = some_bytes(600), packed = {0};

    (void)state;
    wrap_gzip(&packed, plain.p, 200);
    wrap_zstd(&packed, plain.p + 200, 200);
    wrap_lz4(&packed, plain.p + 400, 200);
    expect(unwrap_bytes(packed.p, packed.n, 4096), &plain);
    buf_free(&plain);
    buf_free(&packed);
}

static void plain_bytes_stay_as_they_are(void **state)
{
    struct buf plain = some_bytes(300000);

    (void)state;
    expect(unwrap_bytes(plain.p, plain.n, 1000), &plain);
    expect(unwrap_file(plain.p, plain.n, 1000), &plain);
    plain.n = 3;
    expect(unwrap_bytes(plain.p, plain.n, 1000), &plain);
    plain.n = 0;
    expect(unwrap_file(plain.p, plain.n, 1000), &plain);
    buf_free(&plain);
}

/* A frame of a few bytes that asks for a window of 256 MiB. */
static void large_zstd_window_is_refused(void **state)
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (28 - 10) << 3, 9, 0, 0, 'x'};

    (void)state;
    expect_error(unwrap_bytes(frame, sizeof(frame), 4096), JFR_E_FORMAT, "zstd: ", 0);
}

static void bomb_is_refused(void **state)
{
    static uint8_t zeros[1 << 20];
    struct jfr_error err = {0};
    struct buf million = {0}, packed = {0};
    struct unwrap *u;
    size_t n, total = 0;

    (void)state;
    wrap_zstd(&million, zeros, sizeof(zeros));
    for (int i = 0; i < 1200; i++)
        buf_bytes(&packed, million.p, million.n);
    u = unwrap_open(unwrap_mem(packed.p, packed.n, &err), &err);
    while ((n = unwrap_read(u, zeros, sizeof(zeros))) > 0)
        total += n;
    assert_true(total >= UNWRAP_FREE && total < UNWRAP_FREE + (2 << 20));
    assert_int_equal(err.code, JFR_E_LIMIT);
    unwrap_close(u);
    buf_free(&million);
    buf_free(&packed);
}

static void read_error_is_told_from_the_end(void **state)
{
    struct result r = {0};

    (void)state;
    read_all(unwrap_open(unwrap_fd_take(open("/", O_RDONLY), &r.err), &r.err), &r, 100);
    expect_error(r, JFR_E_IO, "cannot read: Is a directory", 0);
}

/* ---- zip ---- */

struct zip_row {
    const char *name;
    struct zip_style style;
    int code;
    const char *text;
};

static const struct zip_row zip_rows[] = {
    {"encrypted", {.flags = 1}, JFR_E_UNSUPPORTED, "zip: an entry is encrypted"},
    {"method bzip2", {.method = 12}, JFR_E_UNSUPPORTED, "zip: an entry's compression method"},
};

static void is_refused(void **state)
{
    const struct zip_row *t = *state;
    struct buf plain = some_bytes(100), packed = {0};

    wrap_zip(&packed, plain.p, plain.n, t->style);
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), t->code, t->text, 0);
    buf_free(&plain);
    buf_free(&packed);
}

static void zip_without_a_recording_says_so(void **state)
{
    struct buf packed = {0};

    (void)state;
    put_entry(&packed, "a.jfr", (const uint8_t *)"no recording", 12, (struct zip_style){0});
    put_directory(&packed);
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), JFR_E_FORMAT, "zip: no recording", 0);
    packed.n = 0;
    buf_bytes(&packed, "PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), JFR_E_FORMAT, "zip: no recording", 0);
    buf_free(&packed);
}

static void zip_may_hold_many_recordings(void **state)
{
    struct buf plain = some_bytes(600), twice = {0}, packed = {0}, gz = {0};

    (void)state;
    buf_bytes(&twice, plain.p, plain.n);
    buf_bytes(&twice, plain.p, plain.n);
    wrap_gzip(&gz, plain.p, plain.n);
    put_entry(&packed, "a", plain.p, plain.n, (struct zip_style){.deflated = true});
    put_entry(&packed, "b", plain.p, plain.n, (struct zip_style){.descriptor = true});
    put_directory(&packed);
    expect(unwrap_bytes(packed.p, packed.n, 4096), &twice);
    packed.n = 0;
    put_entry(&packed, "a", gz.p, gz.n, (struct zip_style){0});
    put_entry(&packed, "b", gz.p, gz.n, (struct zip_style){0});
    put_directory(&packed);
    expect(unwrap_bytes(packed.p, packed.n, 4096), &twice);
    packed.n = 0;
    put_entry(&packed, "a", plain.p, plain.n, (struct zip_style){0});
    put_entry(&packed, "b", gz.p, gz.n, (struct zip_style){0});
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), JFR_E_UNSUPPORTED,
                 "zip: plain and compressed", plain.n);
    buf_free(&plain);
    buf_free(&twice);
    buf_free(&packed);
    buf_free(&gz);
}

static void zip_entry_of_another_size_is_damaged(void **state)
{
    struct buf plain = some_bytes(100), packed = {0};

    (void)state;
    put_entry(&packed, "a", plain.p, plain.n, (struct zip_style){.deflated = true});
    put_directory(&packed);
    packed.p[22]++;
    expect_error(unwrap_bytes(packed.p, packed.n, 4096), JFR_E_FORMAT, "size differs", plain.n);
    buf_free(&plain);
    buf_free(&packed);
}

/* Data that looks like its own descriptor must not end it: sizes and checksum have to agree. */
static void stored_data_may_contain_signatures(void **state)
{
    struct buf plain = some_bytes(50), packed = {0};

    (void)state;
    for (int i = 0; i < 30; i++)
        buf_bytes(&plain, "PK\x07\x08\0\0\0\0PK\x03\x04PK\x01\x02PPKPK\x07", 22);
    wrap_zip_stored_descriptor(&packed, plain.p, plain.n);
    for (size_t piece = 1; piece < 50; piece++)
        expect(unwrap_bytes(packed.p, packed.n, piece), &plain);
    buf_free(&plain);
    buf_free(&packed);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_is_not_damage_but_other_bytes_are),
        cmocka_unit_test(wrappers_may_follow_each_other),
        cmocka_unit_test(plain_bytes_stay_as_they_are),
        cmocka_unit_test(large_zstd_window_is_refused),
        cmocka_unit_test(bomb_is_refused),
        cmocka_unit_test(read_error_is_told_from_the_end),
        cmocka_unit_test(zip_without_a_recording_says_so),
        cmocka_unit_test(zip_may_hold_many_recordings),
        cmocka_unit_test(zip_entry_of_another_size_is_damaged),
        cmocka_unit_test(stored_data_may_contain_signatures),
    };
    int failed = 0;

    failed += run_rows("unwrap: gives the same bytes", wrappers, gives_the_same_bytes);
    failed += run_rows("unwrap: one in another", wrappers, may_be_in_another_once);
    failed += run_rows("unwrap: cut anywhere", wrappers, cut_anywhere_says_so);
    failed += run_rows("unwrap: a byte flipped", wrappers, a_flipped_byte_is_noticed);
    failed += run_rows("unwrap: damage late", wrappers, keeps_what_is_before_the_damage);
    failed += run_rows("unwrap: zip is refused", zip_rows, is_refused);
    failed += cmocka_run_group_tests_name("unwrap", tests, NULL, NULL);
    return failed;
}
