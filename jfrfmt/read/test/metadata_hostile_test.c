#include "jfrfmt/test/metadata.h"

#include <stdio.h>
#include <stdlib.h>

static void deep_unknown_elements_are_stepped_over(void **state)
{
    struct made m = {0};
    struct parsed p;

    (void)state;
    open_tree(&m, 2);
    element(&m, "class", ATTRS("name", "A", "id", "2"), 2);
    for (int i = 0; i < 200000; i++)
        element(&m, "deep", NULL, 1);
    element(&m, "deep", NULL, 0);
    element(&m, "field", ATTRS("name", "f", "class", "3"), 0);
    leaf(&m, "3", "int");
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.classes[0].n_fields, 1);
    assert_int_equal(p.md.classes[0].fields[0].type->kind, JFR_INT);
    parsed_free(&p, &m);
}

static void too_many_elements_are_refused(void **state)
{
    struct made m = {0};
    struct parsed p;

    (void)state;
    open_tree(&m, 1);
    element(&m, "class", ATTRS("name", "A", "id", "2"), 600000);
    for (int i = 0; i < 600000; i++)
        element(&m, "x", NULL, 0);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, JFR_E_LIMIT);
    parsed_free(&p, &m);
}

/* An error, or the classes that are whole. */
static void cut_anywhere_leaves_whole_classes(void **state)
{
    struct made m = {0};
    size_t most = 0;

    (void)state;
    open_tree(&m, 2);
    leaf(&m, "2", "int");
    element(&m, "class", ATTRS("name", "A", "id", "3"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "2"), 1);
    annotation(&m, "2", "x");
    region(&m);
    finish(&m);
    for (size_t n = 0; n < m.event.n; n++) {
        struct guarded g = guarded_copy(m.event.p, n, 0);
        struct jfr_metadata md;
        struct arena arena = {0};
        struct jfr_error err = {0};
        int rc = jfr_metadata_parse(&md, cur_over(g.bytes, n), BASE, &arena, &err);

        assert_int_equal(rc, err.code);
        if (rc == 0) {
            most = md.n_classes > most ? md.n_classes : most;
            assert_string_equal(md.classes[0].name, "int");
            assert_true(md.n_classes == 1 || md.classes[1].fields[0].n_annotations == 1);
            assert_false(md.has_region);
        } else {
            assert_true(rc == JFR_E_SHORT || rc == JFR_E_FORMAT);
            assert_in_range(err.offset, BASE, BASE + n);
        }
        arena_free(&arena);
        guarded_free(&g);
    }
    assert_int_equal(most, 2);
    made_free(&m);
}

/* Ids far apart, so that all go to the hash table; many with one id; none may cost quadratic time.
 */
static void many_classes_are_found_by_id(void **state)
{
    enum {
        N = 50000
    };
    struct made m = {0};
    struct parsed p;
    char id[32];

    (void)state;
    open_tree(&m, 3 * N);
    for (int i = 0; i < N; i++) {
        snprintf(id, sizeof(id), "%lld", (long long)i * 4294967296 - N);
        leaf(&m, id, "A");
        leaf(&m, "123456789", "B");
        leaf(&m, "no number", "C");
    }
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    for (int64_t i = 0; i < N; i++)
        assert_ptr_equal(jfr_metadata_by_id(&p.md, i * 4294967296 - N), &p.md.classes[3 * i]);
    assert_ptr_equal(jfr_metadata_by_id(&p.md, 123456789), &p.md.classes[1]);
    assert_null(jfr_metadata_by_id(&p.md, 5));
    parsed_free(&p, &m);
}

/* One long text that everything refers to: as a name, as a number. Was quadratic. */
static void long_text_referred_to_often(void **state)
{
    enum {
        N = 60000,
        LONG = 2 << 20
    };
    struct made m = {0};
    struct parsed p;
    char *name = malloc(LONG + 1), copy[64];
    size_t start;

    (void)state;
    memset(name, ' ', LONG);
    name[LONG] = '\0';
    open_tree(&m, N);
    start = m.tree.n;
    element(&m, "class", ATTRS("name", name, "id", name), 1);
    element(&m, "field", ATTRS("name", name, "class", name, "dimension", name), 0);
    for (size_t more = N - 1, n = m.tree.n - start; more > 0; more--)
        buf_bytes(&m.tree, memcpy(copy, m.tree.p + start, n), n);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.n_undeclared, N);
    parsed_free(&p, &m);
    free(name);
}

struct bad_row {
    const char *name;
    uint8_t bytes[48];
    size_t n;
    int rc;
    size_t offset; /* from the event's start */
    const char *said;
};

#define HEAD 0, 0, 0, 0, 0
#define HUGE_N 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f
#define ROOT 1, 3, 1, 'r'

/* clang-format off */
static const struct bad_row bads[] = {
    {"another type", {9, 1, 0, 0, 0}, 5, JFR_E_FORMAT, 2, "not a metadata event"},
    {"nothing", {0}, 0, JFR_E_FORMAT, 0, "string count"},
    {"no string count", {HEAD}, 5, JFR_E_FORMAT, 5, "string count"},
    {"huge string count", {HEAD, HUGE_N, 0}, 15, JFR_E_FORMAT, 14, "string count"},
    {"one string too many", {HEAD, 3, 0, 0}, 8, JFR_E_FORMAT, 6, "string count"},
    {"string of unknown encoding", {HEAD, 1, 6, 0, 0, 0}, 10, JFR_E_FORMAT, 6, "encoding"},
    {"string cut off", {HEAD, 1, 3, 9, 'a'}, 9, JFR_E_FORMAT, 8, "cut off"},
    {"no tree", {HEAD, ROOT}, 9, JFR_E_SHORT, 9, "cut off"},
    {"huge attribute count", {HEAD, ROOT, 0, HUGE_N, 0}, 20, JFR_E_SHORT, 19, "cut off"},
    {"huge child count", {HEAD, ROOT, 0, 0, HUGE_N, 0}, 21, JFR_E_SHORT, 20, "cut off"},
    {"children missing", {HEAD, ROOT, 0, 0, 1}, 12, JFR_E_SHORT, 12, "cut off"},
    {"more classes than bytes for them", {HEAD, 1, 3, 8, 'm', 'e', 't', 'a', 'd', 'a', 't', 'a', 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0}, 28, JFR_E_FORMAT, 22, "class count"},
    {"no classes", {HEAD, ROOT, 0, 0, 0}, 12, JFR_E_FORMAT, 12, "no classes"},
};
/* clang-format on */

static void refused(void **state)
{
    const struct bad_row *r = *state;
    struct guarded g = guarded_copy(r->bytes, r->n, 0);
    struct jfr_metadata md;
    struct arena arena = {0};
    struct jfr_error err = {0};

    assert_int_equal(jfr_metadata_parse(&md, cur_over(g.bytes, g.n), BASE, &arena, &err), r->rc);
    assert_int_equal(err.code, r->rc);
    assert_int_equal(err.offset, BASE + r->offset);
    assert_non_null(strstr(err.text, r->said));
    arena_free(&arena);
    guarded_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_unknown_elements_are_stepped_over),
        cmocka_unit_test(too_many_elements_are_refused),
        cmocka_unit_test(cut_anywhere_leaves_whole_classes),
        cmocka_unit_test(many_classes_are_found_by_id),
        cmocka_unit_test(long_text_referred_to_often),
    };

    return cmocka_run_group_tests_name("metadata: hostile", tests, NULL, NULL) +
           run_rows("metadata: refused", bads, refused);
}
