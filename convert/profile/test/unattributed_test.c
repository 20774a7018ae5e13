/* Threads of the JVM are recognized by their names, also by the 15 bytes that the system keeps. */
#include "convert/profile/unattributed.h"

#include "jfrfmt/test/testing.h"

#include <string.h>

static const char *row_of(const char *thread)
{
    static uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof room);

    unattributed_put(&b, unattributed_thread(thread, strlen(thread)), "user");
    buf_byte(&b, 0);
    return (const char *)room;
}

static void threads_of_the_jvm(void **state)
{
    static const char *const jit[] = {"C1 CompilerThread0", "C2 CompilerThread12",
                                      "C2 CompilerThre", "JVMCI CompilerThread0"},
                             *const gc[] = {"GC Thread#0",  "G1 Conc#0",
                                            "G1 Service",   "ZWorkerYoung#1",
                                            "ZDriverMinor", "Shenandoah GC Threads#1",
                                            "XWorker#0"},
                             *const others[] = {"VM Thread",       "VM Periodic Task Thread",
                                                "VM Periodic Tas", "Reference Handler",
                                                "Signal Dispatch", "jfrkit"};

    (void)state;
    for (size_t i = 0; i < sizeof jit / sizeof *jit; i++)
        assert_string_equal(row_of(jit[i]), "(JVM: JIT)");
    for (size_t i = 0; i < sizeof gc / sizeof *gc; i++)
        assert_string_equal(row_of(gc[i]), "(JVM: GC)");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_equal(row_of(others[i]), "(JVM: other)");
}

static void threads_of_programs(void **state)
{
    static const char *const names[] = {
        "",           "main",     "GC", "C2", "http-nio-8080-exec-1", "my GC Thread#0",
        "VM threads", "ZooKeeper"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(row_of(names[i]), "(no user)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_the_jvm),
        cmocka_unit_test(threads_of_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
