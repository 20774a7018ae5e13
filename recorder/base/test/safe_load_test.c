#include "recorder/base/safe_load.h"
#include "jfrfmt/test/testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* cmocka installs handlers of its own before each test, so each test goes first again. */
enum {
    PAGE = 4096
};

/* Two pages, the second of which cannot be read. */
static uint8_t *edge;

static int map_edge(void **state)
{
    (void)state;
    edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(edge, MAP_FAILED);
    for (size_t i = 0; i < PAGE; i++)
        edge[i] = (uint8_t)(0x80 + i % 101);
    assert_int_equal(mprotect(edge + PAGE, PAGE, PROT_NONE), 0);
    return 0;
}

static int unmap_edge(void **state)
{
    (void)state;
    return munmap(edge, 2 * PAGE);
}

static void readable_memory_is_read(void **state)
{
    uint64_t word = 0;
    uint32_t half = 0;
    uint16_t quarter = 0;
    uint8_t byte = 0;
    uint64_t want;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    memcpy(&want, edge + PAGE - 8, 8);
    assert_true(safe_load64((uintptr_t)edge + PAGE - 8, &word));
    assert_true(safe_load32((uintptr_t)edge + PAGE - 8, &half));
    assert_true(safe_load16((uintptr_t)edge + PAGE - 8, &quarter));
    assert_true(safe_load8((uintptr_t)edge + PAGE - 8, &byte));
    assert_true(word == want);
    assert_int_equal(half, (uint32_t)want);
    assert_int_equal(quarter, (uint16_t)want);
    assert_int_equal(byte, (uint8_t)want);
}

static void a_fault_answers_false_and_zero(void **state)
{
    static const uintptr_t nowhere[] = {0, 8, UINT64_C(0x8000000000000000), UINTPTR_MAX - 7};
    uint64_t faults = safe_load_faults();
    uint64_t word = 1;
    uint32_t half = 1;
    uint16_t quarter = 1;
    uint8_t byte = 1;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    for (size_t i = 0; i < 4; i++) {
        word = 1;
        assert_false(safe_load64(nowhere[i], &word));
        assert_true(word == 0);
    }
    assert_false(safe_load64((uintptr_t)edge + PAGE, &word));
    assert_false(safe_load32((uintptr_t)edge + PAGE - 3, &half));
    assert_false(safe_load16((uintptr_t)edge + PAGE - 1, &quarter));
    assert_false(safe_load8((uintptr_t)edge + PAGE, &byte));
    assert_int_equal(half | quarter | byte, 0);
    assert_true(safe_load_faults() == faults + 8);
}

/* A mapped file that ends early gives SIGBUS, not SIGSEGV. */
static void bus_errors_are_faults_too(void **state)
{
    char name[] = "/tmp/safe_load_XXXXXX";
    int fd = mkstemp(name);
    void *map;
    uint8_t byte;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    assert_true(fd >= 0);
    unlink(name);
    map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_false(safe_load8((uintptr_t)map, &byte));
    munmap(map, PAGE);
    close(fd);
}

static void a_copy_ends_where_memory_ends(void **state)
{
    uint8_t out[64];

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    for (size_t left = 0; left <= 40; left++) {
        memset(out, 0, sizeof out);
        assert_int_equal(safe_copy(out, (uintptr_t)edge + PAGE - left, 33), left < 33 ? left : 33);
        assert_memory_equal(out, edge + PAGE - left, left < 33 ? left : 33);
    }
}

static void injected_faults_come_about_as_often_as_asked(void **state)
{
    int failed = 0;
    uint8_t byte;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    safe_load_inject(10);
    for (int i = 0; i < 100000; i++)
        failed += !safe_load8((uintptr_t)edge, &byte);
    safe_load_inject(0);
    assert_in_range(failed, 9000, 11000);
    assert_true(safe_load8((uintptr_t)edge, &byte));
}

static void *load_for_long(void *arg)
{
    uint64_t word;
    uintptr_t bad = 0;

    (void)arg;
    for (int i = 0; i < 20000; i++)
        bad += safe_load64((uintptr_t)edge + PAGE, &word) || !safe_load64((uintptr_t)edge, &word);
    return (void *)bad;
}

static void threads_do_not_disturb_one_another(void **state)
{
    pthread_t threads[4];
    void *bad;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_for_long, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
}

static volatile sig_atomic_t chained;
static sigjmp_buf back;

static void vm_handler(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    chained = (uint8_t *)info->si_addr == edge + PAGE ? 1 : 2;
    siglongjmp(back, 1);
}

static void other_faults_go_to_the_handler_before(void **state)
{
    struct sigaction vm = {.sa_sigaction = vm_handler, .sa_flags = SA_SIGINFO}, old;
    uint64_t word;

    (void)state;
    safe_load_remove();
    assert_int_equal(sigaction(SIGSEGV, &vm, &old), 0);
    assert_false(safe_load_is_first());
    assert_int_equal(safe_load_install(), 0);
    assert_true(safe_load_is_first());
    if (sigsetjmp(back, 1) == 0)
        *(volatile uint8_t *)(edge + PAGE) = 1;
    assert_int_equal(chained, 1);
    assert_false(safe_load64((uintptr_t)edge + PAGE, &word));
    safe_load_remove();
    assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
    assert_int_equal(safe_load_install(), 0);
}

static void one_who_came_first_is_noticed(void **state)
{
    struct sigaction other = {.sa_sigaction = vm_handler, .sa_flags = SA_SIGINFO};

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    assert_true(safe_load_is_first());
    assert_int_equal(sigaction(SIGBUS, &other, NULL), 0);
    assert_false(safe_load_is_first());
    assert_int_equal(safe_load_install(), 0);
    assert_true(safe_load_is_first());
}

static struct sigaction behind_other;
static volatile int n_other, n_repaired;

static void other_handler(int sig, siginfo_t *info, void *context)
{
    n_other++;
    behind_other.sa_sigaction(sig, info, context);
}

static void repair(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
    n_repaired++;
    mprotect(edge + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

/* A thread of its own: handlers that jump out leave the other one's in the middle. */
static void *come_first(void *arg)
{
    struct sigaction vm = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO}, old;
    struct sigaction other = {.sa_sigaction = other_handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int *seen = arg;
    uint64_t word;

    safe_load_remove();
    sigaction(SIGSEGV, &vm, &old);
    safe_load_install();
    sigaction(SIGSEGV, &other, &behind_other);
    seen[0] = safe_load64((uintptr_t)edge + PAGE, &word); /* the other passes it on to ours */
    seen[1] = n_other;
    safe_load_install();
    seen[2] = safe_load64((uintptr_t)edge + PAGE, &word);
    *(volatile uint8_t *)(edge + PAGE) = 1; /* ours to the other to ours to the VM's */
    seen[3] = n_other;
    mprotect(edge + PAGE, PAGE, PROT_NONE);
    safe_load_remove();
    sigaction(SIGSEGV, &behind_other, NULL);
    safe_load_remove();
    sigaction(SIGSEGV, &old, NULL);
    return NULL;
}

static void one_who_came_first_gets_faults_once(void **state)
{
    int seen[4] = {-1, -1, -1, -1};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, come_first, seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen[0], false);
    assert_int_equal(seen[1], 1);
    assert_int_equal(seen[2], false);
    assert_int_equal(seen[3], 2);
    assert_int_equal(n_repaired, 1);
    assert_int_equal(safe_load_install(), 0);
}

/* How a child process ends that does `act` with our handlers in front of the default ones. */
static int signal_that_ends(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct sigaction dfl = {.sa_handler = SIG_DFL};

        safe_load_remove();
        sigaction(SIGSEGV, &dfl, NULL);
        safe_load_install();
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void write_to_the_edge(void)
{
    *(volatile uint8_t *)(edge + PAGE) = 1;
}

static void send_to_itself(void)
{
    kill(getpid(), SIGSEGV);
}

static void a_real_crash_still_is_one(void **state)
{
    (void)state;
    assert_int_equal(signal_that_ends(write_to_the_edge), SIGSEGV);
    assert_int_equal(signal_that_ends(send_to_itself), SIGSEGV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readable_memory_is_read),
        cmocka_unit_test(a_fault_answers_false_and_zero),
        cmocka_unit_test(bus_errors_are_faults_too),
        cmocka_unit_test(a_copy_ends_where_memory_ends),
        cmocka_unit_test(injected_faults_come_about_as_often_as_asked),
        cmocka_unit_test(threads_do_not_disturb_one_another),
        cmocka_unit_test(other_faults_go_to_the_handler_before),
        cmocka_unit_test(one_who_came_first_is_noticed),
        cmocka_unit_test(one_who_came_first_gets_faults_once),
        cmocka_unit_test(a_real_crash_still_is_one),
    };

    return cmocka_run_group_tests_name("safe_load", tests, map_edge, unmap_edge);
}
