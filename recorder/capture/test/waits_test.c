/* Waits begin and end once, notes belong to one wait, a full table refuses and recovers. */
#include "recorder/capture/waits.h"

#include "jfrfmt/test/testing.h"

#include <pthread.h>

static struct waits w;

static void what_began_ends_once(void **state)
{
    int64_t began, value;
    uint64_t note;

    (void)state;
    waits_clear(&w);
    assert_false(waits_end(&w, 5, &began, &value, &note));
    assert_true(waits_begin(&w, 5, 100, 7));
    assert_true(waits_begin(&w, 6, 200, 8));
    assert_true(waits_end(&w, 5, &began, &value, &note));
    assert_int_equal(began, 100);
    assert_int_equal(value, 7);
    assert_false(waits_end(&w, 5, &began, &value, &note));
    assert_true(waits_end(&w, 6, &began, &value, &note));
    assert_int_equal(began, 200);
}

static void a_second_beginning_counts(void **state)
{
    int64_t began, value;
    uint64_t note;

    (void)state;
    waits_clear(&w);
    waits_begin(&w, 5, 100, 7);
    waits_begin(&w, 5, 300, 9);
    assert_true(waits_end(&w, 5, &began, &value, &note));
    assert_int_equal(began, 300);
    assert_false(waits_end(&w, 5, &began, &value, &note));
}

static void a_note_is_of_one_wait(void **state)
{
    int64_t began, value;
    uint64_t note;

    (void)state;
    waits_clear(&w);
    assert_int_equal(waits_began(&w, 5), 0);
    waits_begin(&w, 5, 100, 7);
    assert_int_equal(waits_began(&w, 5), 100);
    waits_note(&w, 5, 100, 42);
    assert_int_equal(waits_began(&w, 5), 0); /* it has one */
    assert_true(waits_end(&w, 5, &began, &value, &note));
    assert_int_equal(note, 42);
    waits_note(&w, 5, 100, 43); /* too late */
    waits_begin(&w, 5, 200, 7);
    waits_note(&w, 5, 100, 44); /* of the one before */
    assert_int_equal(waits_began(&w, 5), 200);
    assert_true(waits_end(&w, 5, &began, &value, &note));
    assert_int_equal(note, 0);
}

static void threads_without_an_id_are_refused(void **state)
{
    int64_t began, value;
    uint64_t note;

    (void)state;
    assert_false(waits_begin(&w, 0, 1, 1));
    assert_false(waits_end(&w, 0, &began, &value, &note));
}

static void a_full_table_refuses_and_recovers(void **state)
{
    int64_t n = 0, began, value;
    uint64_t note;

    (void)state;
    waits_clear(&w);
    for (int64_t key = 1; key <= 2 * WAITS_SLOTS; key++)
        n += waits_begin(&w, key, key, 0);
    assert_in_range(n, WAITS_SLOTS / 2, WAITS_SLOTS);
    for (int64_t key = 1; key <= 2 * WAITS_SLOTS; key++)
        if (waits_end(&w, key, &began, &value, &note)) {
            assert_int_equal(began, key);
            n--;
        }
    assert_int_equal(n, 0);
    assert_true(waits_begin(&w, 9, 1, 1));
}

static void *work(void *arg)
{
    int64_t key = (int64_t)(intptr_t)arg, began, value, bad = 0;
    uint64_t note;

    for (int64_t i = 0; i < 50000; i++)
        bad += !waits_begin(&w, key, i, key) || !waits_end(&w, key, &began, &value, &note) ||
               began != i || value != key;
    return (void *)(intptr_t)bad;
}

static void threads_do_not_meet(void **state)
{
    pthread_t threads[6];
    void *bad;

    (void)state;
    waits_clear(&w);
    for (intptr_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_began_ends_once),
        cmocka_unit_test(a_second_beginning_counts),
        cmocka_unit_test(a_note_is_of_one_wait),
        cmocka_unit_test(threads_without_an_id_are_refused),
        cmocka_unit_test(a_full_table_refuses_and_recovers),
        cmocka_unit_test(threads_do_not_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
