/* A stack of known functions, walked from the signal that the last one raises. */
#include "recorder/native/libs.h"
#include "recorder/native/walk.h"
#include "recorder/base/safe_load.h"
#include "recorder/native/symbols.h"
#include "recorder/vm/walk_cpu.h"
#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <signal.h>

enum {
    ROOM = 64
};

static struct {
    struct frame frames[ROOM];
    int n;
    enum walk_reason reason;
    struct vm_registers registers;
} seen;
static volatile int sink;

static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    seen.n = native_walk(context, NULL, seen.frames, ROOM, &seen.reason);
    vm_cpu_registers(context, &seen.registers);
}

int walked_first(int n), walked_varied(int n), walked_large(int n), walked_last(int n);

/* Shapes of frames: small, with much on the stack, of a size that is only known when it runs. */
__attribute__((noinline)) int walked_last(int n)
{
    raise(SIGUSR1);
    return n + sink;
}

__attribute__((noinline)) int walked_large(int n)
{
    volatile char bytes[70000];

    bytes[n] = (char)n;
    return walked_last(n) + bytes[n];
}

__attribute__((noinline)) int walked_varied(int n)
{
    volatile char bytes[n * 100];

    bytes[n] = (char)n;
    return walked_large(n) + bytes[n];
}

__attribute__((noinline)) int walked_first(int n)
{
    return walked_varied(n + 1) + 1;
}

static void *thread(void *arg)
{
    sink += walked_first(7);
    return arg;
}

static bool is_in(int i, const void *function)
{
    struct symbol s;

    return symbols_find(seen.frames[i].pc, &s) &&
           seen.frames[i].pc - s.offset == (uintptr_t)function;
}

static void a_known_stack_is_walked_to_the_start_of_its_thread(void **state)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    pthread_t t;
    int at = 0;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    assert_true(libs_update() >= 0);
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(pthread_create(&t, NULL, thread, NULL), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
    assert_int_equal(seen.reason, WALK_END);
    assert_true(seen.registers.pc == seen.frames[0].pc);
    while (at < seen.n && !is_in(at, (const void *)walked_last))
        at++;
    assert_true(at + 4 < seen.n);
    assert_true(is_in(at + 1, (const void *)walked_large));
    assert_true(is_in(at + 2, (const void *)walked_varied));
    assert_true(is_in(at + 3, (const void *)walked_first));
    assert_true(is_in(at + 4, (const void *)thread));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_stack_is_walked_to_the_start_of_its_thread),
    };

    return cmocka_run_group_tests_name("native_walk", tests, NULL, NULL);
}
