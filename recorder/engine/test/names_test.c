/* Threads that are not Java's: each record has the name of its time. */
#include "recorder/capture/thread_names.h"

#include "recorder/test/engine_testing.h"

#include <stdlib.h>

#define TID 4000001 /* a number that no thread of this machine has */
#define SAMPLE 200 /* an engine that is none */

static struct thread *t;

static void begin(void)
{
    engine_begin(NULL);
    t = threads_add(TID);
}

static void finish(void)
{
    engine_finish(&engine_names);
    threads_end(t);
    threads_reclaim();
    threads_reclaim();
}

/* A sample under a name, as the handler makes it. */
static void sample(const char *name)
{
    char comm[NAMES_COMM] = {0};

    snprintf(comm, sizeof(comm), "%s", name);
    assert_true(capture_enter());
    thread_names_native(t, comm);
    capture_other(t, &(struct record){.engine = SAMPLE, .weight = 1}, NULL, NULL);
    capture_leave();
}

/* The keys and names of all samples so far; the number of records that were no samples. */
static int drain(uint64_t keys[], char names[][64])
{
    const struct record *rec;
    int n = 0, others = 0;

    for (int i = 0; i < CAPTURE_RINGS; i++)
        while ((rec = capture_peek(i)) != NULL) {
            if (rec->engine == SAMPLE) {
                char *group = NULL, *name = threads_name(t, &group);

                keys[n] = drain_thread(&engine_r, rec);
                snprintf(names[n++], 64, "%s", name == NULL ? "" : name);
                free(name);
            } else {
                others++;
                engine_names.write(&engine_r, rec);
            }
            capture_release(i, rec);
        }
    return others;
}

static void samples_have_the_name_of_their_time(void **state)
{
    static const char *const as[] = {"one", "one", "two", "two", "one", "fifteen-letters"};
    uint64_t keys[6];
    char names[6][64];

    (void)state;
    begin();
    for (int i = 0; i < 6; i++)
        sample(as[i]);
    assert_int_equal(drain(keys, names), 4); /* one for each change */
    for (int i = 0; i < 6; i++)
        assert_string_equal(names[i], as[i]);
    assert_true(keys[0] != 0 && keys[2] != 0 && keys[5] != 0);
    assert_int_equal(keys[1], keys[0]);
    assert_int_equal(keys[4], keys[0]); /* a name that comes again */
    assert_int_equal(keys[3], keys[2]);
    assert_true(keys[2] != keys[0] && keys[5] != keys[0] && keys[5] != keys[2]);
    finish();
}

static void a_java_thread_keeps_the_name_that_java_gave(void **state)
{
    uint64_t keys[2];
    char names[2][64];

    (void)state;
    begin();
    sample("native");
    threads_set_java(t, 7, "java", NULL); /* before the records come out */
    drain(keys, names);
    assert_string_equal(names[0], "java");
    assert_int_equal(keys[0], 7);
    finish();
}

static void a_name_that_was_lost_is_told_with_the_next_sample(void **state)
{
    uint64_t *keys = malloc(20000 * sizeof(*keys));
    char(*names)[64] = malloc(20000 * sizeof(*names));
    char comm[NAMES_COMM] = "late";

    (void)state;
    begin();
    while (capture_other(t, &(struct record){.engine = SAMPLE, .weight = 1}, NULL, NULL))
        ;
    thread_names_native(t, comm);
    drain(keys, names);
    sample("late");
    assert_int_equal(drain(keys, names), 1);
    assert_string_equal(names[0], "late");
    finish();
    free(keys);
    free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_name_of_their_time),
        cmocka_unit_test(a_java_thread_keeps_the_name_that_java_gave),
        cmocka_unit_test(a_name_that_was_lost_is_told_with_the_next_sample),
    };

    return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
}
