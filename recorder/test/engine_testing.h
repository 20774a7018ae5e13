/*
 * engine_testing.h - a recording for tests of one engine: a file, rings, and a walker that finds no
 * frames. There is no VM but what a test puts into it.
 *
 *     engine_begin("jdk.ThreadPark#enabled=true", NULL);      it records
 *     assert_int_equal(engine_park.start(&engine_r), 0);
 *     ...
 *     engine_drain(&engine_park);                 what is in the rings is written
 *     n = engine_finish(&engine_park);            the end, as a session has it: events in the file
 *
 *     return cmocka_run_group_tests(tests, engine_init, engine_clean_up);
 */
#ifndef RECORDER_TEST_ENGINE_TESTING_H
#define RECORDER_TEST_ENGINE_TESTING_H

#include "jfrfmt/test/testing.h"

#include "recorder/capture/capture.h"
#include "recorder/capture/engine.h"
#include "recorder/events/keys.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <unistd.h>

static char engine_file[64];
static struct recording engine_r;
static int64_t engine_types[EV_N];
static struct settings *engine_settings;

static inline int engine_no_frames(void *ucontext, struct frame *frames, int room,
                                   enum walk_reason *reason)
{
    (void)ucontext, (void)frames, (void)room;
    *reason = WALK_END;
    return 0;
}

static const struct walker engine_walker = {.name = "test", .walk = engine_no_frames};

/* Settings up to NULL; of what the recording says of itself nothing is written. */
static inline void engine_begin(const char *setting, ...)
{
    struct jfr_error err = {0};
    char why[SETTINGS_WHY];
    va_list more;

    engine_settings = settings_new(NULL);
    assert_non_null(engine_settings);
    for (int i = 0; engines[i] != NULL; i++)
        engines[i]->id = (uint8_t)i;
    assert_int_equal(settings_set(engine_settings, "jdk.ActiveSetting#enabled=false", why), 0);
    va_start(more, setting);
    for (; setting != NULL; setting = va_arg(more, const char *))
        if (settings_set(engine_settings, setting, why) != 0)
            fail_msg("%s", why);
    va_end(more);
    engine_r = (struct recording){
        .writer = jfr_writer_open(engine_file, &(struct jfr_writer_options){.replace = true}, &err),
        .settings = engine_settings,
        .types = engine_types,
        .walker = &engine_walker,
        .start_ticks = jfr_writer_now()};
    assert_non_null(engine_r.writer);
    assert_int_equal(jdk_types_declare(engine_r.writer, engine_types, NULL), 0);
    keys_open(&engine_r);
    capture_start(&engine_walker, 10);
}

/* What else there is in the rings is nobody's: names of threads. */
static inline void engine_drain(const struct engine *e)
{
    const struct record *rec;

    for (int i = 0; i < CAPTURE_RINGS; i++)
        while ((rec = capture_peek(i)) != NULL) {
            if (rec->engine == e->id)
                e->write(&engine_r, rec);
            capture_release(i, rec);
        }
}

static inline uint64_t engine_finish(const struct engine *e)
{
    struct jfr_writer_stats stats;

    if (e->stop != NULL)
        e->stop(&engine_r);
    assert_true(capture_stop());
    engine_drain(e);
    capture_close();
    if (e->close != NULL)
        e->close(&engine_r);
    assert_int_equal(jfr_writer_flush(engine_r.writer, 0), 0);
    jfr_writer_stats(engine_r.writer, &stats);
    assert_int_equal(stats.n_refused, 0);
    keys_close();
    assert_int_equal(jfr_writer_close(engine_r.writer, NULL), 0);
    settings_free(engine_settings);
    return stats.n_events;
}

static inline int engine_init(void **state)
{
    (void)state;
    snprintf(engine_file, sizeof(engine_file), "/tmp/engine-%d.jfr", (int)getpid());
    return threads_init() != 0 || capture_open(1 << 19) != 0;
}

static inline int engine_clean_up(void **state)
{
    (void)state;
    return unlink(engine_file) != 0;
}

#endif
