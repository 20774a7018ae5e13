/* look_test.c - a thread that reads the context of another one, or its scopes, never sees a mixture
 * of two: the other thread does nothing but change them meanwhile. */
#include "recorder/context/test/context_testing.h"

#include "recorder/context/internal.h"

#include <pthread.h>
#include <unistd.h>

#define READS 100000

static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
static int type;
static _Atomic bool is_over;
static _Atomic int32_t tid;

/* All attributes have one value, or none has any: by the number of the change. */
static uint32_t value_of(uint32_t serial)
{
    return serial % 3 == 0 ? VALUE_NULL : VALUES_FIRST + serial % 1000;
}

static void *change_always(void *unused)
{
    uint32_t ids[8] = {VALUE_EMPTY}; /* so that the first of the changes is one */

    (void)unused;
    context_set_all(type, ids, 8);
    for (uint32_t serial = context_own()->changes + 1; !is_over; serial++) {
        for (int i = 0; i < 8; i++)
            ids[i] = value_of(serial);
        context_set_all(type, ids, 8);
        tid = gettid();
    }
    return NULL;
}

static struct context_record *found;

static void find_record(int32_t of, struct context_record *record, void *unused)
{
    (void)unused;
    if (of == tid)
        found = record;
}

static pthread_t begin_changes(void)
{
    pthread_t thread;

    is_over = false;
    tid = 0;
    found = NULL;
    assert_int_equal(pthread_create(&thread, NULL, change_always, NULL), 0);
    while (tid == 0)
        ;
    context_each_thread(find_record, NULL);
    assert_non_null(found);
    return thread;
}

static void values_are_of_one_change(void **state)
{
    uint32_t ids[CONTEXT_SLOTS];
    pthread_t thread = begin_changes();
    int n_read = 0, n_mixed = 0;

    (void)state;
    while (n_read < READS) {
        if (!context_read_other(found, tid, ids)) /* none is set */
            continue;
        n_read++;
        for (int k = 1; k < 8; k++)
            n_mixed += ids[k] != ids[0];
    }
    is_over = true;
    pthread_join(thread, NULL);
    assert_int_equal(n_mixed, 0);
}

static int n_open, n_other;

static bool check_scope(const struct context_scope *scope, int32_t of, void *unused)
{
    (void)unused;
    n_open += of == tid;
    n_other += of == tid && scope->values[0] != value_of(scope->serial);
    return false;
}

static void a_scope_has_the_values_of_its_change(void **state)
{
    pthread_t thread = begin_changes();

    (void)state;
    while (n_open < READS)
        context_each_open(1, check_scope, NULL);
    is_over = true;
    pthread_join(thread, NULL);
    assert_int_equal(n_other, 0);
}

static int define_many(void **state)
{
    (void)state;
    if (context_init() != 0)
        return -1;
    type = context_define("many", many, 8);
    return type > 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_of_one_change),
        cmocka_unit_test(a_scope_has_the_values_of_its_change),
    };

    return cmocka_run_group_tests_name("look", tests, define_many, NULL);
}
