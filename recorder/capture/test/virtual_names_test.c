/* Names of virtual threads: found again, cut, and never a mixture of two. */
#include "recorder/capture/virtual_names.h"

#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    PLACES = 8192, /* ids that far apart share a place */
    ROUNDS = 100000
};

static const char *found(uint64_t id)
{
    static char name[VIRTUAL_NAME];

    virtual_names_get(id, name);
    return name;
}

static void names_are_found_again(void **state)
{
    (void)state;
    assert_string_equal(found(7), "");
    assert_false(virtual_names_has(7));
    virtual_names_put(7, "seven");
    virtual_names_put(8, "");
    assert_true(virtual_names_has(7));
    assert_true(virtual_names_has(8));
    assert_string_equal(found(7), "seven");
    assert_string_equal(found(8), "");
    assert_string_equal(found(0), "");
}

static void the_last_one_has_the_place(void **state)
{
    (void)state;
    virtual_names_put(9, "first");
    virtual_names_put(9 + PLACES, "second");
    assert_false(virtual_names_has(9));
    assert_string_equal(found(9), "");
    assert_string_equal(found(9 + PLACES), "second");
}

static void long_names_are_cut_between_characters(void **state)
{
    char name[VIRTUAL_NAME + 8];

    (void)state;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    virtual_names_put(10, name);
    assert_int_equal(strlen(found(10)), VIRTUAL_NAME - 1);
    memcpy(name + VIRTUAL_NAME - 2, "\xe7\xb7\x9a", 3); /* its last byte would not fit */
    virtual_names_put(10, name);
    assert_int_equal(strlen(found(10)), VIRTUAL_NAME - 2);
}

static _Atomic bool is_over;

/* Each of two threads puts a name of one letter, its own. */
static void *put_again_and_again(void *arg)
{
    uint64_t id = *(const uint64_t *)arg;
    char name[VIRTUAL_NAME];

    memset(name, id < PLACES ? 'a' : 'b', sizeof name);
    name[sizeof name - 1] = '\0';
    while (!atomic_load(&is_over))
        virtual_names_put(id, name);
    return NULL;
}

static void names_are_never_mixed(void **state)
{
    static const uint64_t ids[] = {11, 11 + PLACES};
    pthread_t threads[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put_again_and_again, (void *)(uintptr_t)&ids[i]);
    for (int i = 0; i < ROUNDS; i++) {
        const char *name = found(ids[i % 2]);

        for (size_t k = 0; name[k] != '\0'; k++)
            assert_int_equal(name[k], i % 2 == 0 ? 'a' : 'b');
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    virtual_names_put(11, "after");
    assert_string_equal(found(11), "after");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(the_last_one_has_the_place),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(names_are_never_mixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
