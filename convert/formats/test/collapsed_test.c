#include "convert/formats/collapsed.h"

#include "convert/test/profile_testing.h"

/* A drain that keeps everything, or fails. */
struct kept {
    struct buf all;
    size_t fail_at;
};

static int drain(struct out *o)
{
    struct kept *k = o->ctx;

    buf_bytes(&k->all, o->b.p, o->b.n);
    buf_reset(&o->b);
    if (k->fail_at > 0 && k->all.n >= k->fail_at)
        o->rc = JFR_E_IO;
    return o->rc;
}

static struct profile *deep_profile(struct shop *s)
{
    struct profile_options opt = {.kind = -1};

    *s = (struct shop){.types = 1u << EXEC, .deep = 100000};
    shop_make(s);
    return shop_profile(s, &opt, 1);
}

static size_t count(const struct buf *b, char c)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += b->p[i] == (uint8_t)c;
    return n;
}

static void long_lines_pass_in_pieces(void **state)
{
    struct shop s;
    struct profile *p = deep_profile(&s);
    struct kept kept = {0};
    struct out out = {.drain = drain, .ctx = &kept};

    (void)state;
    assert_int_equal(collapsed_write(p, &out), 0);
    assert_int_equal(drain(&out), 0);
    assert_int_equal(count(&kept.all, '\n'), profile_n(p));
    assert_true(count(&kept.all, ';') > 100000);
    buf_free(&kept.all);
    out_free(&out);
    profile_free(p);
    shop_free(&s);
}

static void a_failed_write_is_passed_on(void **state)
{
    struct shop s;
    struct profile *p = deep_profile(&s);
    struct kept kept = {.fail_at = 1};
    struct out out = {.drain = drain, .ctx = &kept};

    (void)state;
    assert_int_equal(collapsed_write(p, &out), JFR_E_IO);
    buf_free(&kept.all);
    out_free(&out);
    profile_free(p);
    shop_free(&s);
}

/* Every line: frames, one space, a number; no name can begin a line or a frame of its own. */
static void lines_cannot_be_forged_by_names(void **state)
{
    struct shop s = {.types = ~0u};
    struct profile_options opt = {.kind = KIND_ALL,
                                  .threads = true,
                                  .states = true,
                                  .leaf_class = true,
                                  .names = {.style = NAME_JVM}};
    struct out out = {0};
    struct profile *p;
    size_t frames = 0;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);

        frames += profile_path_n(&row);
    }
    assert_int_equal(collapsed_write(p, &out), 0);
    assert_int_equal(count(&out.b, '\n'), profile_n(p));
    assert_int_equal(count(&out.b, ';'), frames - profile_n(p));
    buf_byte(&out.b, 0);
    assert_non_null(strstr((const char *)out.b.p, ";[Ljava/lang/String: "));
    out_free(&out);
    profile_free(p);
    shop_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lines_pass_in_pieces),
        cmocka_unit_test(a_failed_write_is_passed_on),
        cmocka_unit_test(lines_cannot_be_forged_by_names),
    };

    return cmocka_run_group_tests_name("collapsed", tests, NULL, NULL);
}
