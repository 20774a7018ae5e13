#include "convert/page_in.h"

#include "convert/collapsed.h"
#include "convert/flame.h"
#include "convert/profile_testing.h"

static int keep_all(struct out *o)
{
    (void)o;
    return 0;
}

/* A page of all events, with facets or with sums only. */
static struct buf page_of(const struct shop *s, int kind, bool with_facets)
{
    struct profile_options opt = {.kind = kind};
    struct flame_options flame = {
        .title = "\n\"nodes\":7 </script>", .facet_kind = kind, .facet_max = 9};
    struct out out = {.drain = keep_all};
    struct tree tree;
    struct facets *f = with_facets ? facets_new() : NULL;
    struct profile *p;

    opt.facets = f;
    p = shop_profile(s, &opt, 1);
    assert_int_equal(profile_tree(p, &tree), 0);
    if (f != NULL)
        assert_int_equal(facets_finish(f, p, &tree), 0);
    flame.facets = f;
    assert_int_equal(flame_write(&tree, &flame, &out), 0);
    tree_free(&tree);
    profile_free(p);
    facets_free(f);
    return out.b;
}

static void stacks_are_those_of_the_profile(void **state)
{
    struct shop s = {.chunks = 2, .types = (1u << N_TYPES) - 1, .deep = 3000};

    (void)state;
    shop_make(&s);
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int facets = 0; facets < 2; facets++) {
            struct profile_options opt = {.kind = kind};
            struct profile *p = shop_profile(&s, &opt, 1);
            struct buf page = page_of(&s, kind, facets == 1);
            struct out want = {.drain = keep_all}, is = {.drain = keep_all};
            struct jfr_error err = {0};

            assert_int_equal(collapsed_write(p, &want), 0);
            assert_int_equal(page_in_stacks(page.p, page.n, &is, &err), 0);
            assert_int_equal(is.b.n, want.b.n);
            if (want.b.n > 0)
                assert_memory_equal(is.b.p, want.b.p, want.b.n);
            out_free(&want);
            out_free(&is);
            buf_free(&page);
            profile_free(p);
        }
    shop_free(&s);
}

static int read_all(const uint8_t *page, size_t n)
{
    struct out out = {.drain = keep_all};
    struct jfr_error err = {0};
    int rc = page_in_stacks(page, n, &out, &err);

    assert_int_equal(rc, err.code);
    out_free(&out);
    return rc;
}

/* Pages of before differ in their samples, which nobody reads here. */
static void older_pages_are_read_newer_ones_are_not(void **state)
{
    struct shop s = {.types = 1 << EXEC};
    struct buf page;
    uint8_t *version;

    (void)state;
    shop_make(&s);
    page = page_of(&s, -1, true);
    version = (uint8_t *)memmem(page.p, page.n, "{\"format\":4", 11) + 10;
    for (int v = '1'; v <= '9'; v++) {
        *version = (uint8_t)v;
        assert_int_equal(read_all(page.p, page.n), v == '3' || v == '4' ? 0 : JFR_E_UNSUPPORTED);
    }
    buf_free(&page);
    shop_free(&s);
}

static void damage_is_told(void **state)
{
    struct shop s = {.types = 1 << EXEC | 1 << ALLOC};
    struct buf page;
    size_t data, code;
    uint8_t *copy;

    (void)state;
    shop_make(&s);
    page = page_of(&s, -1, true);
    data = (size_t)((uint8_t *)memmem(page.p, page.n, "id=\"data\"", 9) - page.p);
    code = (size_t)((uint8_t *)memmem(page.p, page.n, "id=\"code\"", 9) - page.p);
    copy = malloc(page.n);
    assert_int_equal(read_all(page.p, page.n), 0);
    for (size_t n = data; n + 60 < code; n += 7)
        assert_true(read_all(page.p, n) < 0); /* cut */
    for (size_t i = data + 11; i < code; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            memcpy(copy, page.p, page.n);
            copy[i] ^= (uint8_t)(1 << bit);
            read_all(copy, page.n); /* ends, whatever it says */
        }
    memcpy(copy, page.p, page.n);
    copy[data + 40] = copy[data + 40] == 'A' ? 'B' : 'A';
    assert_int_equal(read_all(copy, page.n), JFR_E_FORMAT);
    assert_int_equal(read_all((const uint8_t *)"<!doctype html>", 15), JFR_E_FORMAT);
    free(copy);
    buf_free(&page);
    shop_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_those_of_the_profile),
        cmocka_unit_test(older_pages_are_read_newer_ones_are_not),
        cmocka_unit_test(damage_is_told),
    };

    return cmocka_run_group_tests_name("page_in", tests, NULL, NULL);
}
