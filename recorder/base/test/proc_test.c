/* Texts of /proc as they are on this and on other machines. */
#include "recorder/base/proc.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char text[PROC_TEXT];

static void the_machine(void **state)
{
    struct proc_machine m;

    (void)state;
    assert_true(proc_machine("cpu  100 20 30 400 50 6 7 8 90 10\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5 "
                             "6\nctxt 12345\nbtime 1\n",
                             &m));
    assert_int_equal(m.busy, 100 + 20 + 30 + 6 + 7 + 8);
    assert_int_equal(m.total, m.busy + 400 + 50);
    assert_int_equal(m.switches, 12345);
    assert_int_equal(m.n_cpus, 2);
    assert_false(proc_machine("", &m));
    assert_false(proc_machine("cpu\n", &m));
    assert_true(proc_machine("cpu  1 2 3 4\ncpu0 1\n", &m)); /* old kernels have fewer columns */
    assert_int_equal(m.total, 10);
}

static void times_of_a_thread_with_any_name(void **state)
{
    struct proc_times t;

    (void)state;
    assert_true(
        proc_times("17 (a) b) (c) S 1 2 3 4 -1 5 6 7 8 9 11 22 33 44 20 0 5 0 777 1 2\n", &t));
    assert_int_equal(t.user, 11);
    assert_int_equal(t.system, 22);
    assert_int_equal(t.start, 777);
    assert_false(proc_times("", &t));
    assert_false(proc_times("17 (a) S 1 2", &t));
    assert_false(proc_times("no bracket", &t));
}

static void memory(void **state)
{
    struct proc_memory m;
    struct proc_resident r;

    (void)state;
    assert_true(proc_memory("MemTotal:  2000 kB\nMemFree: 1 kB\nMemAvailable: 500 kB\nSwapTotal: 7 "
                            "kB\nSwapFree: 3 kB\n",
                            &m));
    assert_int_equal(m.total, 2000 * 1024);
    assert_int_equal(m.available, 500 * 1024);
    assert_int_equal(m.swap_total, 7 * 1024);
    assert_int_equal(m.swap_free, 3 * 1024);
    assert_false(proc_memory("MemTotal: 5 kB\n", &m));
    assert_true(proc_resident("Name: x\nVmHWM:\t 30 kB\nVmRSS:\t 20 kB\n", &r));
    assert_int_equal(r.size, 20 * 1024);
    assert_int_equal(r.peak, 30 * 1024);
    assert_false(proc_resident("Name: kthreadd\n", &r));
}

static void interfaces(void **state)
{
    const char *at = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n"
                     "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
                     "eth0.5:100 2 3 4 5 6 7 8 900 10 11 12 13 14 15 16\n"
                     "broken: 1 2\n";
    struct proc_interface i;

    (void)state;
    assert_true(proc_interface(&at, &i));
    assert_string_equal(i.name, "lo");
    assert_int_equal(i.received, 1);
    assert_int_equal(i.sent, 9);
    assert_true(proc_interface(&at, &i));
    assert_string_equal(i.name, "eth0.5");
    assert_int_equal(i.received, 100);
    assert_int_equal(i.sent, 900);
    assert_false(proc_interface(&at, &i));
    assert_false(proc_interface(&at, &i));
}

#define X86(n, socket)                                                                             \
    "processor\t: " #n "\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"             \
    "model name\t: Xeon\nstepping\t: 7\nphysical id\t: " #socket "\nsiblings\t: 4\ncore id\t: 0\n" \
    "cpu cores\t: 2\nflags\t\t: fpu ht constant_tsc hypervisor\n\n"

static void processors(void **state)
{
    struct proc_processor p;

    (void)state;
    assert_true(proc_processor(
        X86(0, 0) X86(1, 0) X86(2, 0) X86(3, 0) X86(4, 1) X86(5, 1) X86(6, 1) X86(7, 1), &p));
    assert_int_equal(p.threads, 8);
    assert_int_equal(p.sockets, 2);
    assert_int_equal(p.cores, 4);
    assert_string_equal(p.model_name, "Xeon");
    assert_string_equal(p.vendor, "GenuineIntel");
    assert_int_equal(p.family, 6);
    assert_int_equal(p.model, 85);
    assert_int_equal(p.stepping, 7);
    assert_true(proc_has_flag(&p, "hypervisor"));
    assert_true(proc_has_flag(&p, "fpu"));
    assert_false(proc_has_flag(&p, "constant"));
    assert_false(proc_has_flag(&p, "tsc"));
    assert_true(proc_processor("processor\t: 0\nBogoMIPS\t: 50\nFeatures\t: fp aes\n"
                               "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\n",
                               &p));
    assert_int_equal(p.threads, 2);
    assert_int_equal(p.cores, 2);
    assert_int_equal(p.sockets, 1);
    assert_int_equal(p.model, 0xd0c);
    assert_string_equal(p.model_name, "");
    assert_false(proc_processor("", &p));
}

/* --- this machine --- */

static const char *slurp(const char *path)
{
    assert_true(proc_read(path, text, sizeof(text)) > 0);
    return text;
}

static void this_machine(void **state)
{
    struct proc_machine m, later;
    struct proc_memory memory_now;
    struct proc_resident r;
    struct proc_times t;
    struct proc_processor p;

    (void)state;
    assert_true(proc_machine(slurp("/proc/stat"), &m));
    assert_int_equal(m.n_cpus, sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(m.busy <= m.total);
    assert_true(proc_machine(slurp("/proc/stat"), &later));
    assert_true(later.switches >= m.switches);
    assert_true(proc_memory(slurp("/proc/meminfo"), &memory_now));
    assert_true(memory_now.total >= 64 << 20);
    assert_true(proc_resident(slurp("/proc/self/status"), &r));
    assert_true(r.size > 0 && r.size <= r.peak && r.peak < memory_now.total);
    assert_true(proc_times(slurp("/proc/self/stat"), &t));
    assert_true(t.start > 0);
    assert_true(proc_processor(slurp("/proc/cpuinfo"), &p));
    assert_int_equal(p.threads, m.n_cpus);
}

static void what_cannot_be_read(void **state)
{
    char small[5];

    (void)state;
    assert_int_equal(proc_read("/proc/no such file", text, sizeof(text)), -1);
    assert_string_equal(text, "");
    assert_int_equal(proc_read("/proc/self/stat", small, sizeof(small)), 4);
    assert_int_equal(strlen(small), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine),
        cmocka_unit_test(times_of_a_thread_with_any_name),
        cmocka_unit_test(memory),
        cmocka_unit_test(interfaces),
        cmocka_unit_test(processors),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(what_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
