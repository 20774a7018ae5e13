/* Waits for which there is no room are counted, each once; those that found room are events. */
#include "recorder/engine/lock.h"

#include "recorder/test/engine_testing.h"
#include "recorder/test/jvm_testing.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/waits.h"

#define AT_ONCE (WAITS_SLOTS + 4000)

/* A pair of calls of the VM, on whatever thread. */
static void wait_begins(int64_t id)
{
    jvm_callbacks.MonitorWait(&jvm_ti, &jvm_env, jvm_thread(id), NULL, 0);
}

static void wait_ends(int64_t id)
{
    jvm_callbacks.MonitorWaited(&jvm_ti, &jvm_env, jvm_thread(id), NULL, JNI_FALSE);
}

static void enter_begins(int64_t id)
{
    jvm_callbacks.MonitorContendedEnter(&jvm_ti, &jvm_env, jvm_thread(id), NULL);
}

static void enter_ends(int64_t id)
{
    jvm_callbacks.MonitorContendedEntered(&jvm_ti, &jvm_env, jvm_thread(id), NULL);
}

struct row {
    const char *name;
    void (*begins)(int64_t id), (*ends)(int64_t id);
};

static const struct row rows[] = {
    {"Object.wait", wait_begins, wait_ends},
    {"monitors", enter_begins, enter_ends},
};

static void all_end(const struct row *t, int64_t n)
{
    for (int64_t id = 1; id <= n; id++) {
        t->ends(id);
        if (id % 100 == 0)
            engine_drain(&engine_lock);
    }
}

static void waits_without_room_are_counted(void **state)
{
    const struct row *t = *state;
    uint64_t before, lost, n;

    assert_int_equal(engine_init(NULL), 0);
    engine_begin("jdk.JavaMonitorWait#enabled=true", "jdk.JavaMonitorWait#threshold=0 ns",
                 "jdk.JavaMonitorEnter#enabled=true", "jdk.JavaMonitorEnter#threshold=0 ns", NULL);
    jvm_use(&engine_r);
    assert_int_equal(engine_lock.start(&engine_r), 0);
    before = lost_count(LOST_WAITS);
    for (int64_t id = 1; id <= AT_ONCE; id++)
        t->begins(id);
    lost = lost_count(LOST_WAITS) - before;
    assert_in_range(lost, AT_ONCE - WAITS_SLOTS, AT_ONCE - WAITS_SLOTS / 2);
    all_end(t, AT_ONCE);
    for (int64_t id = 1; id <= 500; id++) /* there is room again */
        t->begins(id);
    assert_int_equal(lost_count(LOST_WAITS) - before, lost);
    all_end(t, 500);
    n = engine_finish(&engine_lock);
    assert_int_equal(n, AT_ONCE - lost + 500);
    assert_int_equal(engine_clean_up(NULL), 0);
}

int main(void)
{
    return run_rows("waits without room", rows, waits_without_room_are_counted);
}
