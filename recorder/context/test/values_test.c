/* values_test.c - texts of contexts get ids and back; what is cut, what does not fit, which values
 * are forgotten when the table fills up, and whether an id from before that is still valid. Some
 * tests continue with the table of the test before. */
#include "recorder/context/values.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <string.h>

static uint32_t held;

static void hold_one(void (*mark)(uint32_t))
{
    mark(held);
}

static uint32_t number(unsigned i)
{
    char text[32];

    return values_intern(text, (size_t)snprintf(text, sizeof(text), "value-%u", i));
}

static const char *text_of(uint32_t id)
{
    static char text[VALUES_TEXT_MAX + 1];
    size_t n;
    const char *p = values_text(id, &n);

    snprintf(text, sizeof(text), "%.*s", p == NULL ? 6 : (int)n, p == NULL ? "(null)" : p);
    return text;
}

static void the_same_text_has_the_same_id(void **state)
{
    uint32_t alice = values_intern("alice", 5);
    size_t n;

    (void)state;
    assert_int_equal(values_intern("alice", 5), alice);
    assert_true(values_intern("bob", 3) != alice);
    assert_string_equal(text_of(alice), "alice");
    assert_int_equal(values_intern("", 0), VALUE_EMPTY);
    assert_null(values_text(VALUE_NULL, &n));
    assert_non_null(values_text(VALUE_EMPTY, &n));
    assert_int_equal(n, 0);
}

static void a_text_is_new_once(void **state)
{
    bool is_new = false;
    uint32_t id = values_intern_new("carol", 5, &is_new);

    (void)state;
    assert_true(is_new);
    assert_int_equal(values_intern_new("carol", 5, &is_new), id);
    assert_false(is_new);
    is_new = true;
    assert_int_equal(values_intern_new("", 0, &is_new), VALUE_EMPTY);
    assert_false(is_new);
}

static void a_long_text_is_cut_at_a_character(void **state)
{
    char text[301] = "";
    struct values_stats before, after;

    (void)state;
    for (int i = 0; i < 253; i++)
        strcat(text, "x");
    strcat(text, "\xe2\x82\xac and more"); /* the last character does not fit */
    values_stats(&before);
    assert_int_equal(strlen(text_of(values_intern(text, strlen(text)))), 253);
    values_stats(&after);
    assert_int_equal(after.n_cut, before.n_cut + 1);
}

static void what_is_beyond_the_table_is_said_to_be(void **state)
{
    struct values_stats s;
    uint32_t id = 0;

    (void)state;
    for (unsigned i = 0; i < VALUES_MAX + 10; i++)
        id = number(i);
    assert_int_equal(id, VALUE_OVERFLOW);
    assert_string_equal(text_of(id), "<overflow>");
    values_stats(&s);
    assert_true(s.n_overflows >= 10);
    assert_int_equal(number(5), number(5));
    assert_true(number(5) != VALUE_OVERFLOW);
}

/* Continues with the full table of the test before. */
static void what_nobody_holds_is_forgotten_in_two_steps(void **state)
{
    uint32_t generation = values_generation(), pinned = number(7), taken = number(9);
    struct values_stats s;
    int64_t now = 1000000000;

    (void)state;
    held = number(6);
    values_pin(pinned);
    values_expire(now, hold_one);
    assert_true(values_generation() != generation);
    assert_string_equal(text_of(taken), "value-9"); /* for those who have just read the id */
    assert_int_equal(number(6), held);
    assert_int_equal(number(7), pinned);
    held = taken; /* somebody took it while it was on its way out */
    values_expire(now + VALUES_QUARANTINE_S, hold_one);
    values_stats(&s);
    assert_true(s.n_forgotten > VALUES_MAX - 1000);
    assert_true(s.n < 1000);
    assert_string_equal(text_of(taken), "value-9");
    assert_int_equal(number(9), taken);
    assert_int_equal(number(7), pinned);
    values_unpin(pinned);
    assert_true(number(VALUES_MAX * 2) != VALUE_OVERFLOW);
    for (unsigned i = 0; i < VALUES_MAX / 2; i++)
        assert_true(number(VALUES_MAX * 3 + i) != VALUE_OVERFLOW);
    for (unsigned i = 0; i < VALUES_MAX / 2; i++) {
        char text[32];

        snprintf(text, sizeof(text), "value-%u", VALUES_MAX * 3 + i);
        assert_string_equal(text_of(number(VALUES_MAX * 3 + i)), text);
    }
}

static bool is_renewed(uint32_t id, uint32_t since)
{
    uint32_t ids[] = {VALUE_NULL, VALUE_EMPTY, id}, now;
    bool is = values_renew(ids, 3, since, &now);

    assert_int_equal(now, values_generation());
    return is;
}

/* Continues with the table of the test before, in which values are forgotten each second. */
static void an_id_from_before_is_renewed_while_it_has_its_value(void **state)
{
    uint32_t since = values_generation(), kept = number(20), gone = number(21), again = VALUE_NULL;
    int64_t now = 2000000000;

    (void)state;
    held = VALUE_NULL;
    values_expire(now, hold_one);
    assert_true(values_generation() != since);
    assert_true(is_renewed(kept, since)); /* on its way out: it is kept */
    values_expire(now + VALUES_QUARANTINE_S, hold_one);
    assert_string_equal(text_of(kept), "value-20");
    assert_true(is_renewed(kept, since));
    assert_int_equal(number(20), kept);
    assert_false(is_renewed(gone, since));
    for (unsigned i = 0; again != gone && again != VALUE_OVERFLOW; i++)
        again = number(VALUES_MAX * 5 + i);
    assert_int_equal(again, gone); /* another value has the id */
    assert_false(is_renewed(gone, since));
    assert_true(is_renewed(gone, values_generation()));
    assert_false(is_renewed(VALUES_MAX, values_generation()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_has_the_same_id),
        cmocka_unit_test(a_text_is_new_once),
        cmocka_unit_test(a_long_text_is_cut_at_a_character),
        cmocka_unit_test(what_is_beyond_the_table_is_said_to_be),
        cmocka_unit_test(what_nobody_holds_is_forgotten_in_two_steps),
        cmocka_unit_test(an_id_from_before_is_renewed_while_it_has_its_value),
    };

    if (values_init() != 0)
        return 1;
    return cmocka_run_group_tests_name("context values", tests, NULL, NULL);
}
