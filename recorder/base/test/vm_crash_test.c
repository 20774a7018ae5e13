/* The test's own program stands for the VM's library. */
#include "recorder/base/vm_crash.h"

#include "jfrfmt/test/testing.h"

#include <signal.h>

static void usual(int sig)
{
    (void)sig;
}

static void reports_an_error(int sig)
{
    (void)sig;
}

static void take(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
}

static void another_handler_of_the_vm_is_a_crash(void **state)
{
    (void)state;
    assert_false(vm_crash_has_begun()); /* nothing is known of the VM */
    take(usual);
    vm_crash_watch((uintptr_t)usual);
    assert_false(vm_crash_has_begun());
    take((void (*)(int))(uintptr_t)sigaction); /* of another library, which goes first */
    assert_false(vm_crash_has_begun());
    take(usual);
    assert_false(vm_crash_has_begun());
    take(reports_an_error);
    assert_true(vm_crash_has_begun());
    take(usual);
    assert_true(vm_crash_has_begun()); /* there is no way back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_handler_of_the_vm_is_a_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
