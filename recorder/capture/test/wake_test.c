#include "recorder/capture/wake.h"

#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define LONG INT64_C(3600000000000) /* a sleep that nobody wakes never ends */

/* Who sees nothing to do and goes to sleep must not miss what came in between. */
static void a_call_before_the_sleep_counts(void **state)
{
    (void)state;
    wake();
    wake_wait(LONG);
}

static void calls_add_up_to_one(void **state)
{
    (void)state;
    wake();
    wake();
    wake_wait(LONG);
    wake_wait(1); /* not woken: the time ends it */
}

static atomic_int given, taken;

static void *giver(void *arg)
{
    for (int i = 0; i < 100000; i++) {
        atomic_fetch_add(&given, 1);
        wake();
    }
    return arg;
}

static void nothing_given_is_slept_over(void **state)
{
    pthread_t threads[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, giver, NULL), 0);
    while (atomic_load(&taken) < 200000) {
        wake_wait(LONG);
        atomic_store(&taken, atomic_load(&given));
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void on_alarm(int sig)
{
    (void)sig;
    wake();
}

static void a_signal_handler_wakes(void **state)
{
    struct sigaction ring = {.sa_handler = on_alarm}, before;

    (void)state;
    assert_int_equal(sigaction(SIGALRM, &ring, &before), 0);
    wake_wait(1);
    alarm(1);
    wake_wait(LONG);
    sigaction(SIGALRM, &before, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_before_the_sleep_counts),
        cmocka_unit_test(calls_add_up_to_one),
        cmocka_unit_test(nothing_given_is_slept_over),
        cmocka_unit_test(a_signal_handler_wakes),
    };

    return cmocka_run_group_tests_name("wake", tests, NULL, NULL);
}
