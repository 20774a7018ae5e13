/* The loader is played: who looks may be made to wait in the middle of it. */
#include "jfrfmt/test/testing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static void *look(void *handle, const char *name);
#define dlsym look
#include "recorder/api/jfrkit_find.h"
#undef dlsym

static const int functions;
static atomic_int n_looks;
static atomic_bool is_there, is_first_slow;
static sem_t is_looking, may_go_on;

static const void *api(void)
{
    return &functions;
}

static void *look(void *handle, const char *name)
{
    const void *(*get)(void) = api;
    void *found = NULL;

    (void)handle;
    assert_string_equal(name, "the_api");
    if (atomic_fetch_add(&n_looks, 1) == 0 && is_first_slow) {
        sem_post(&is_looking);
        sem_wait(&may_go_on);
    }
    if (is_there)
        memcpy(&found, &get, sizeof(found));
    return found;
}

static void *find(void *found)
{
    return (void *)(uintptr_t)jk_find(found, "the_api");
}

static int set_up(void **state)
{
    (void)state;
    n_looks = 0;
    is_there = is_first_slow = false;
    return sem_init(&is_looking, 0, 0) + sem_init(&may_go_on, 0, 0);
}

static void who_comes_while_another_looks_finds_it(void **state)
{
    struct jk_found found = {0};
    const void *second;
    pthread_t first;
    void *result;

    (void)state;
    is_there = is_first_slow = true;
    assert_int_equal(pthread_create(&first, NULL, find, &found), 0);
    sem_wait(&is_looking);
    second = jk_find(&found, "the_api");
    sem_post(&may_go_on);
    assert_int_equal(pthread_join(first, &result), 0);
    assert_ptr_equal(result, &functions);
    assert_ptr_equal(second, &functions);
}

static void what_is_there_is_looked_for_once(void **state)
{
    struct jk_found found = {0};

    (void)state;
    is_there = true;
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(jk_find(&found, "the_api"), &functions);
    assert_int_equal(n_looks, 1);
}

static time_t second(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}

static void what_is_not_there_is_looked_for_once_a_second(void **state)
{
    struct jk_found found = {0};
    time_t began = second();
    int calls = 0;

    (void)state;
    for (; calls < 1000 || second() == began; calls++)
        assert_null(jk_find(&found, "the_api"));
    assert_null(jk_find(&found, "the_api"));
    assert_in_range(n_looks, 2, second() - began + 1);
    is_there = true;
    while (jk_find(&found, "the_api") == NULL)
        usleep(10000);
    assert_ptr_equal(jk_find(&found, "the_api"), &functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_comes_while_another_looks_finds_it, set_up),
        cmocka_unit_test_setup(what_is_there_is_looked_for_once, set_up),
        cmocka_unit_test_setup(what_is_not_there_is_looked_for_once_a_second, set_up),
    };

    return cmocka_run_group_tests_name("jfrkit_find", tests, NULL, NULL);
}
