#include "recorder/capture/threads.h"

#include "jfrfmt/test/testing.h"
#include "recorder/capture/lost.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define DEAD 4000000 /* a number that no thread of this machine has */

static int32_t gettid_(void)
{
    return (int32_t)syscall(SYS_gettid);
}

static void a_number_that_comes_again_is_another_thread(void **state)
{
    struct thread *a = threads_add(DEAD), *b;
    uint32_t i = threads_index(a), generation = atomic_load(&a->generation);

    (void)state;
    assert_ptr_equal(threads_find(DEAD), a);
    assert_ptr_equal(threads_add(DEAD), a);
    threads_end(a);
    assert_null(threads_find(DEAD));
    b = threads_add(DEAD);
    assert_ptr_not_equal(a, b);
    assert_int_equal(b->reused, a->reused + 1);
    assert_ptr_equal(threads_at(i, generation), a); /* records may still name it */
    threads_reclaim();
    assert_ptr_equal(threads_at(i, generation), a);
    threads_reclaim();
    assert_null(threads_at(i, generation));
    threads_end(b);
}

static void cookies_name_one_incarnation(void **state)
{
    struct thread *t = threads_add(DEAD + 1);
    uint64_t cookie = threads_cookie(t, 5);

    (void)state;
    assert_true(threads_is_cookie(cookie));
    assert_int_equal(threads_cookie_kind(cookie), 5);
    assert_ptr_equal(threads_from_cookie(cookie), t);
    assert_false(threads_is_cookie(0));
    assert_false(threads_is_cookie(42));
    assert_null(threads_from_cookie(threads_cookie(NULL, 5)));
    threads_end(t);
    threads_reclaim();
    threads_reclaim();
    assert_null(threads_from_cookie(cookie));
}

static void names_are_those_of_the_time(void **state)
{
    struct thread *t = threads_add(DEAD + 2);
    char *name, *group = NULL;

    (void)state;
    assert_null(threads_name(t, &group));
    assert_null(group);
    threads_set_java(t, 77, "worker-1", "workers");
    name = threads_name(t, &group);
    assert_string_equal(name, "worker-1");
    assert_string_equal(group, "workers");
    free(name);
    free(group);
    assert_true(t->is_renamed);
    t->is_renamed = false;
    threads_set_name(t, "worker-1");
    assert_false(t->is_renamed);
    threads_set_name(t, "worker-2");
    assert_true(t->is_renamed);
    name = threads_name(t, &group);
    assert_string_equal(name, "worker-2");
    assert_string_equal(group, "workers");
    free(name);
    free(group);
    assert_ptr_not_equal(threads_begin(DEAD + 2), t); /* a Java thread ended without a word */
    assert_null(threads_name(threads_find(DEAD + 2), &group));
    assert_null(group);
    threads_end(threads_find(DEAD + 2));
}

static void a_native_thread_that_becomes_java_keeps_its_entry(void **state)
{
    struct thread *t = threads_add(DEAD + 3);

    (void)state;
    assert_ptr_equal(threads_begin(DEAD + 3), t);
    threads_exiting(t);
    assert_ptr_equal(threads_add(DEAD + 3), t); /* its number is still there */
    assert_ptr_not_equal(threads_begin(DEAD + 3), t);
    threads_end(threads_find(DEAD + 3));
}

static int n_begun, n_ended;

static void begin(struct thread *t)
{
    (void)t;
    n_begun++;
}

static void end(struct thread *t)
{
    (void)t;
    n_ended++;
}

static void *wait_on(void *barrier)
{
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    return NULL;
}

static void a_sweep_finds_what_came_and_went(void **state)
{
    pthread_barrier_t barrier;
    pthread_t threads[3];

    (void)state;
    pthread_barrier_init(&barrier, NULL, 4);
    threads_sweep(begin, end);
    n_begun = n_ended = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_on, &barrier), 0);
    pthread_barrier_wait(&barrier);
    assert_true(threads_sweep(begin, end) >= 4);
    assert_in_range(n_begun, 3, 4); /* sanitizers start a thread of their own */
    assert_int_equal(n_ended, 0);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    /* A thread that was joined may be in the kernel's list a moment longer. */
    for (int i = 0; i < 10000 && n_ended < 3; i++) {
        threads_sweep(begin, end);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_in_range(n_begun, 3, 4); /* sanitizers start a thread of their own */
    assert_int_equal(n_ended, 3);
    assert_non_null(threads_find(gettid_()));
    pthread_barrier_destroy(&barrier);
}

/* It has left the VM, not ended: the sweeps of two seconds find its number. */
static void a_thread_that_says_it_ends_and_does_not_goes_on(void **state)
{
    struct thread *before = threads_self(), *after;

    (void)state;
    threads_sweep(begin, end);
    threads_set_java(before, 5, "guest", NULL);
    threads_exiting(before);
    n_begun = n_ended = 0;
    threads_sweep(begin, end);
    assert_ptr_equal(threads_find(gettid_()), before);
    assert_int_equal(n_begun + n_ended, 0);
    threads_sweep(begin, end);
    after = threads_find(gettid_());
    assert_ptr_not_equal(after, before);
    assert_int_equal(n_begun, 1);
    assert_int_equal(n_ended, 1);
    assert_int_equal(after->java_id, 0);
    assert_ptr_equal(threads_self(), after);
    threads_sweep(begin, end);
    assert_ptr_equal(threads_find(gettid_()), after);
}

static void *churn(void *arg)
{
    int32_t base = DEAD + 100 + *(int *)arg * 1000;

    for (int i = 0; i < 3000; i++) {
        struct thread *t = threads_add(base + i % 500);
        uint64_t cookie = threads_cookie(t, 1);

        threads_set_java(t, i + 1, "thread", NULL);
        if (threads_from_cookie(cookie) != t || threads_find(base + i % 500) != t)
            return "an entry was lost";
        threads_end(t);
    }
    return threads_self() == threads_find(gettid_()) ? NULL : (void *)"not myself";
}

static void threads_that_come_and_go_do_not_disturb_each_other(void **state)
{
    pthread_t threads[3];
    int numbers[3];
    void *wrong;

    (void)state;
    for (int i = 0; i < 3; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &numbers[i]), 0);
    }
    for (int i = 0; i < 200; i++)
        threads_reclaim();
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &wrong);
        if (wrong != NULL)
            fail_msg("%s", (const char *)wrong);
    }
    for (int i = 0; i < 3; i++) /* gives the names back */
        threads_reclaim();
}

static uint64_t n_refused(void)
{
    return lost_count(LOST_THREADS);
}

/* The last ones, for they fill the table. Number of a thread that found no room. */
static int32_t fill(void)
{
    int32_t tid = 1;

    while (threads_add(tid) != NULL)
        tid++;
    return tid;
}

static void threads_without_room_are_counted_once(void **state)
{
    uint64_t before = n_refused();
    int32_t tid = fill();

    (void)state;
    assert_true(tid > (int32_t)THREADS_MAX / 2);
    assert_int_equal(n_refused() - before, 1);
    assert_null(threads_find(tid));
    assert_null(threads_add(tid));
    assert_null(threads_begin(tid));
    assert_int_equal(n_refused() - before, 1);
    assert_null(threads_begin(tid + 1));
    assert_int_equal(n_refused() - before, 2);
    threads_count_anew();
    assert_null(threads_add(tid));
    assert_null(threads_add(tid));
    assert_int_equal(n_refused() - before, 3);

    threads_end(threads_find(1));
    assert_null(threads_add(tid)); /* records may still name it */
    threads_reclaim();
    threads_reclaim();
    assert_non_null(threads_add(tid));
    assert_int_equal(n_refused() - before, 3);
    assert_int_equal(threads_find(tid)->tid, tid);
}

/* A sweep ends the entries, for there are no such threads, but none is free before all is written.
 */
static void a_number_without_room_may_come_again(void **state)
{
    int32_t tid = fill();
    uint64_t before = n_refused();

    (void)state;
    for (int i = 0; i < 3; i++) {
        threads_sweep(NULL, NULL);
        assert_null(threads_add(tid)); /* the same thread */
    }
    assert_int_equal(n_refused() - before, 0);
    threads_sweep(NULL, NULL);
    threads_sweep(NULL, NULL);
    before = n_refused();
    assert_null(threads_add(tid));
    assert_int_equal(n_refused() - before, 1);
    threads_reclaim();
    threads_reclaim();
    assert_non_null(threads_add(tid));
}

static int init(void **state)
{
    (void)state;
    return threads_init();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_comes_again_is_another_thread),
        cmocka_unit_test(cookies_name_one_incarnation),
        cmocka_unit_test(names_are_those_of_the_time),
        cmocka_unit_test(a_native_thread_that_becomes_java_keeps_its_entry),
        cmocka_unit_test(a_sweep_finds_what_came_and_went),
        cmocka_unit_test(a_thread_that_says_it_ends_and_does_not_goes_on),
        cmocka_unit_test(threads_that_come_and_go_do_not_disturb_each_other),
        cmocka_unit_test(threads_without_room_are_counted_once),
        cmocka_unit_test(a_number_without_room_may_come_again),
    };

    return cmocka_run_group_tests(tests, init, NULL);
}
