/* encode_test.c - what is packed is what comes out, by decoders written from Encodings.md. */
#include "convert/parquet/encode.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>

#define MOST 5000

static uint64_t state = 1;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t read_varint(const uint8_t **p)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = *(*p)++;

        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return v;
    }
}

static int64_t read_zigzag(const uint8_t **p)
{
    uint64_t v = read_varint(p);

    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* `width` bits at bit `at` of p. */
static uint64_t bits_at(const uint8_t *p, size_t at, unsigned width)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)(p[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return v;
}

/* Returns where the n numbers end. */
static const uint8_t *read_hybrid(const uint8_t *p, uint32_t *v, size_t n, unsigned width)
{
    for (size_t i = 0; i < n;) {
        uint64_t head = read_varint(&p), count = head >> 1;

        if (head & 1) {
            for (size_t k = 0; k < count * 8 && i < n; k++)
                v[i++] = (uint32_t)bits_at(p, k * width, width);
            p += count * width;
        } else {
            uint32_t value = (uint32_t)bits_at(p, 0, (width + 7) / 8 * 8);

            assert_true(count > 0 && count <= n - i);
            while (count-- > 0)
                v[i++] = value;
            p += (width + 7) / 8;
        }
    }
    return p;
}

static void check_hybrid(const uint32_t *v, size_t n, unsigned width)
{
    static uint32_t out[MOST];
    struct buf b = {0};

    encode_hybrid(&b, v, n, width);
    assert_true(buf_ok(&b));
    buf_bytes(&b, "        ", 8); /* bits_at() may look there */
    assert_ptr_equal(read_hybrid(b.p, out, n, width), b.p + b.n - 8);
    assert_memory_equal(out, v, n * sizeof(*v));
    buf_free(&b);
}

static void runs_and_groups(void **unused)
{
    static uint32_t v[MOST];

    (void)unused;
    for (int round = 0; round < 400; round++) {
        size_t n = any() % MOST, i = 0;
        unsigned width = (unsigned)(any() % 33);
        uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);

        while (i < n) {
            size_t run = any() % 3 == 0 ? any() % 40 + 1 : 1;
            uint32_t value = (uint32_t)any() & mask;

            while (run-- > 0 && i < n)
                v[i++] = value;
        }
        check_hybrid(v, n, width);
    }
}

static void levels_in_runs_and_groups(void **unused)
{
    static uint8_t v[MOST];
    static uint32_t out[MOST];

    (void)unused;
    for (int round = 0; round < 400; round++) {
        size_t n = any() % MOST + 1, i = 0;
        uint8_t most = (uint8_t)(any() % 20 + 1);
        unsigned each = (unsigned)(any() % 20 + 1);
        struct buf b = {0};
        uint32_t length;

        while (i < n) {
            size_t run = any() % each + 1;
            uint8_t value = (uint8_t)(any() % (most + 1u));

            while (run-- > 0 && i < n)
                v[i++] = value;
        }
        encode_levels(&b, v, n, most);
        assert_true(buf_ok(&b));
        memcpy(&length, b.p, 4);
        assert_int_equal(length, b.n - 4);
        buf_bytes(&b, "        ", 8);
        assert_ptr_equal(read_hybrid(b.p + 4, out, n, encode_width(most)), b.p + 4 + length);
        for (i = 0; i < n; i++)
            assert_int_equal(out[i], v[i]);
        buf_free(&b);
    }
}

static void check_delta(const int64_t *v, size_t n)
{
    struct buf b = {0};
    const uint8_t *p;
    int64_t last;

    encode_delta(&b, v, n);
    assert_true(buf_ok(&b));
    buf_bytes(&b, "        ", 8);
    p = b.p;
    assert_int_equal(read_varint(&p), 128);
    assert_int_equal(read_varint(&p), 4);
    assert_int_equal(read_varint(&p), n);
    last = read_zigzag(&p);
    if (n > 0)
        assert_int_equal(last, v[0]);
    for (size_t i = 1; i < n;) {
        int64_t least = read_zigzag(&p);
        const uint8_t *widths = p;

        p += 4;
        for (int mini = 0; mini < 4 && i < n; mini++) {
            for (size_t k = 0; k < 32 && i < n; k++, i++) {
                last = (int64_t)((uint64_t)last + (uint64_t)least +
                                 bits_at(p, k * widths[mini], widths[mini]));
                assert_int_equal(last, v[i]);
            }
            p += 4 * widths[mini];
        }
    }
    assert_ptr_equal(p, b.p + b.n - 8);
    buf_free(&b);
}

static void differences_of_any_size(void **unused)
{
    static int64_t v[MOST];

    (void)unused;
    check_delta(v, 0);
    for (int round = 0; round < 300; round++) {
        size_t n = any() % 700 + 1;
        unsigned bits = (unsigned)(any() % 64 + 1);

        for (size_t i = 0; i < n; i++)
            v[i] = (int64_t)any() >> (64 - bits);
        check_delta(v, n);
    }
    for (size_t i = 0; i < 300; i++)
        v[i] = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    check_delta(v, 300);
}

static void plain_values(void **unused)
{
    const int64_t v[] = {1, -1, INT64_C(0x1122334455667788)},
                  truths[] = {1, 0, 0, 1, 1, 0, 0, 0, 1};
    struct buf b = {0};

    (void)unused;
    encode_plain(&b, v, 3, 4);
    assert_int_equal(b.n, 12);
    assert_memory_equal(b.p, "\x01\x00\x00\x00\xff\xff\xff\xff\x88\x77\x66\x55", 12);
    buf_reset(&b);
    encode_plain(&b, v, 3, 8);
    assert_memory_equal(b.p + 16, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
    buf_reset(&b);
    encode_bits(&b, truths, 9);
    assert_int_equal(b.n, 2);
    assert_memory_equal(b.p, "\x19\x01", 2);
    buf_free(&b);
}

static void widths(void **unused)
{
    (void)unused;
    assert_int_equal(encode_width(0), 0);
    assert_int_equal(encode_width(1), 1);
    assert_int_equal(encode_width(255), 8);
    assert_int_equal(encode_width(256), 9);
    assert_int_equal(encode_width(UINT64_MAX), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_groups),
        cmocka_unit_test(levels_in_runs_and_groups),
        cmocka_unit_test(differences_of_any_size),
        cmocka_unit_test(plain_values),
        cmocka_unit_test(widths),
    };

    return cmocka_run_group_tests_name("parquet encodings", tests, NULL, NULL);
}
