/* Events of types that the recording cannot have are counted, not only warned of. There is no VM:
 * events come as from C, on a thread without Java. */
#include "recorder/capture.h"
#include "recorder/custom_event.h"
#include "recorder/custom_types.h"
#include "recorder/engine_events.h"
#include "recorder/lost.h"
#include "recorder/settings.h"

#include "jfrfmt/testing.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/jfrkit_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- as much of JNI as is asked for when no class is found --- */

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
    (void)env, (void)name;
    return NULL;
}

static void JNICALL clear_exception(JNIEnv *env)
{
    (void)env;
}

static void JNICALL delete_ref(JNIEnv *env, jobject ref)
{
    (void)env, (void)ref;
}

static jint JNICALL version(JNIEnv *env)
{
    (void)env;
    return JNI_VERSION_1_6;
}

static const struct JNINativeInterface_ functions = {
    .FindClass = find_class,
    .ExceptionClear = clear_exception,
    .DeleteLocalRef = delete_ref,
    .GetVersion = version,
};
static JNIEnv env = &functions;

/* --- a recording --- */

static char path[64];
static struct recording r;
static int64_t types[EV_N];
static struct settings *settings;

static int no_frames(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    (void)ucontext, (void)frames, (void)room;
    *reason = WALK_END;
    return 0;
}

static const struct walker walker = {.name = "test", .walk = no_frames};

static void begin(void)
{
    struct jfr_error err = {0};
    char why[SETTINGS_WHY];

    settings = settings_new(NULL);
    assert_non_null(settings);
    assert_int_equal(settings_set(settings, "jdk.ActiveSetting#enabled=false", why), 0);
    r = (struct recording){
        .env = &env,
        .writer = jfr_writer_open(path, &(struct jfr_writer_options){.replace = true}, &err),
        .settings = settings,
        .types = types,
        .walker = &walker,
        .start_ticks = jfr_writer_now()};
    assert_non_null(r.writer);
    assert_int_equal(jdk_types_declare(r.writer, types, NULL), 0);
}

static void drain(void)
{
    const struct record *rec;

    for (int i = 0; i < CAPTURE_RINGS; i++)
        while ((rec = capture_peek(i)) != NULL) {
            engine_custom.write(&r, rec);
            capture_release(i, rec);
        }
}

/* Both events of a type are seen before and after its settings were looked up. */
static void commit_both(int type)
{
    for (int64_t duration = 1; duration <= 1000; duration += 999)
        custom_commit(&(struct custom_event){.type = type, .began = 1, .duration = duration});
    drain();
}

static void finish(uint64_t n_events)
{
    struct jfr_writer_stats stats;

    assert_true(capture_stop());
    engine_custom.stop(&r);
    assert_int_equal(jfr_writer_flush(r.writer, 0), 0);
    jfr_writer_stats(r.writer, &stats);
    assert_int_equal(stats.n_events, n_events);
    assert_int_equal(stats.n_refused, 0);
    assert_int_equal(jfr_writer_close(r.writer, NULL), 0);
    settings_free(settings);
}

static const struct jfr_field_def other = {"other", "long"};
static const struct jfr_type_def taken = {
    .name = "acme.Taken", .kind = JFR_TYPE_EVENT, .fields = &other, .n_fields = 1};

static void events_that_the_writer_takes_no_type_for_are_lost(void **state)
{
    int refused = custom_define(&(struct jk_event_type){.name = "acme.Taken", .threshold_ns = 500});
    int fine = custom_define(&(struct jk_event_type){.name = "acme.Fine", .threshold_ns = 500});
    uint64_t before = lost_count(LOST_TYPES);

    (void)state;
    assert_true(refused > 0 && fine > 0);
    begin();
    assert_true(jfr_writer_declare(r.writer, &taken, 1) > 0);
    capture_start(&walker, 10);
    assert_int_equal(engine_custom.open(&r), 0);
    commit_both(fine);
    assert_int_equal(lost_count(LOST_TYPES), before);
    commit_both(refused);
    assert_int_equal(lost_count(LOST_TYPES) - before, 1); /* the other one is too short */
    finish(1);
}

/* A type that appears while the recording runs. */
static void events_of_a_type_that_is_new_are_lost_as_well(void **state)
{
    uint64_t before = lost_count(LOST_TYPES);
    int late;

    (void)state;
    begin();
    assert_true(jfr_writer_declare(r.writer,
                                   &(struct jfr_type_def){.name = "acme.Late",
                                                          .kind = JFR_TYPE_EVENT,
                                                          .fields = &other,
                                                          .n_fields = 1},
                                   1) > 0);
    capture_start(&walker, 10);
    assert_int_equal(engine_custom.open(&r), 0);
    late = custom_define(&(struct jk_event_type){.name = "acme.Late", .threshold_ns = 500});
    commit_both(late);
    commit_both(late);
    assert_int_equal(lost_count(LOST_TYPES) - before, 2);
    finish(0);
}

static int init(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/custom-%d.jfr", (int)getpid());
    return threads_init() != 0 || capture_open(1 << 19) != 0;
}

static int clean_up(void **state)
{
    (void)state;
    return unlink(path) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_that_the_writer_takes_no_type_for_are_lost),
        cmocka_unit_test(events_of_a_type_that_is_new_are_lost_as_well),
    };

    return cmocka_run_group_tests(tests, init, clean_up);
}
