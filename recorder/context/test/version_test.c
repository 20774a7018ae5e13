/* version_test.c - the version of a thread's context is another one whenever its values are. */
#include "jfrfmt/test/testing.h"

#include "recorder/context/context.h"
#include "recorder/context/values.h"

#include <pthread.h>

static int type;
static uint32_t alice, bob;

static void *clear(void *unused)
{
    (void)unused;
    context_clear_everywhere(type);
    return NULL;
}

static void *read_version(void *version)
{
    *(uint64_t *)version = context_version();
    return NULL;
}

static void on_another_thread(void *(*f)(void *), void *arg)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, f, arg), 0);
    pthread_join(thread, NULL);
}

static void a_thread_without_a_record_has_none(void **state)
{
    uint64_t version = 1;

    (void)state;
    on_another_thread(read_version, &version);
    assert_true(version == 0);
}

static void the_same_value_changes_nothing(void **state)
{
    uint64_t before;

    (void)state;
    context_set(type, 0, alice);
    before = context_version();
    assert_true(before != 0);
    context_set(type, 0, alice);
    assert_true(context_version() == before);
}

static void another_value_changes_it(void **state)
{
    uint64_t of_alice, of_bob;

    (void)state;
    context_set(type, 0, alice);
    of_alice = context_version();
    context_set(type, 0, bob);
    of_bob = context_version();
    assert_true(of_bob != of_alice);
    context_set(type, 0, alice);
    assert_true(context_version() != of_alice && context_version() != of_bob);
}

static void another_thread_that_clears_changes_it(void **state)
{
    uint64_t before;

    (void)state;
    context_set(type, 0, alice);
    before = context_version();
    on_another_thread(clear, NULL);
    assert_true(context_version() != before);
}

static int start(void **state)
{
    static const char *const names[] = {"user"};

    (void)state;
    if (context_init() != 0)
        return -1;
    type = context_define("version", names, 1);
    alice = values_intern("alice", 5);
    bob = values_intern("bob", 3);
    return type > 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_without_a_record_has_none),
        cmocka_unit_test(the_same_value_changes_nothing),
        cmocka_unit_test(another_value_changes_it),
        cmocka_unit_test(another_thread_that_clears_changes_it),
    };

    return cmocka_run_group_tests_name("version", tests, start, NULL);
}
