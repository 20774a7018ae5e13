/* Rings, walks and losses together, with a walker that needs no VM. */
#include "recorder/capture/capture.h"

#include "jfrfmt/test/testing.h"
#include "recorder/capture/emit.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/wake.h"

#include <pthread.h>
#include <semaphore.h>

#define DEPTH 30

static int walk(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    int n = room < DEPTH ? room : DEPTH;

    (void)ucontext;
    for (int i = 0; i < n; i++)
        frames[i] = (struct frame){.method = (uint64_t)i + 1, .bci = i};
    *reason = n < DEPTH ? WALK_TRUNCATED : WALK_END;
    return n;
}

static const struct walker walker = {.name = "test", .walk = walk};
static struct engine engine = {.name = "test", .id = 3};

static uint64_t drain(bool (*each)(const struct record *rec))
{
    const struct record *rec;
    uint64_t n = 0;

    for (int i = 0; i < CAPTURE_RINGS; i++)
        while ((rec = capture_peek(i)) != NULL) {
            n++;
            if (each != NULL)
                assert_true(each(rec));
            capture_release(i, rec);
        }
    return n;
}

static bool is_as_emitted(const struct record *rec)
{
    return rec->engine == 3 && rec->kind == 9 && rec->weight == 5 && rec->n_frames == DEPTH - 2 &&
           record_frames(rec)[0].method == 3 && rec->n_data == 10 &&
           memcmp(record_data(rec), "data5text5", 10) == 0 && rec->duration == 8 &&
           threads_at(rec->thread, rec->generation) == threads_self() &&
           (rec->flags & RECORD_HAS_CONTEXT) == 0;
}

static const struct emit full = {
    .engine = &engine,
    .kind = 9,
    .with_stack = true,
    .skip = 2,
    .ticks = 1,
    .duration = 8,
    .weight = 5,
    .data = "data5",
    .n_data = 5,
    .text = "text5",
    .n_text = 5,
};

static void what_is_emitted_comes_out(void **state)
{
    (void)state;
    assert_false(emit_wanted());
    assert_false(emit(&full)); /* nothing runs */
    capture_start(&walker, 100);
    assert_true(emit_wanted());
    assert_true(emit(&full));
    assert_int_equal(drain(is_as_emitted), 1);
    assert_true(capture_stop());
    assert_false(emit(&full));
    assert_int_equal(drain(NULL), 0);
}

static bool fake_context(uint32_t out[RECORD_CONTEXT])
{
    for (uint32_t i = 0; i < RECORD_CONTEXT; i++)
        out[i] = 100 + i;
    return true;
}

static bool has_context(const struct record *rec)
{
    const uint32_t *ids = record_context(rec);

    return ids != NULL && ids[0] == 100 && ids[15] == 115 &&
           memcmp(record_data(rec), "data5text5", 10) == 0 &&
           record_frames(rec)[DEPTH - 3].method == DEPTH;
}

static void the_context_goes_along(void **state)
{
    (void)state;
    capture_start(&walker, 100);
    atomic_store(&capture_context, fake_context);
    assert_true(emit(&full));
    atomic_store(&capture_context, NULL);
    assert_int_equal(drain(has_context), 1);
    capture_stop();
}

static bool is_cut(const struct record *rec)
{
    return rec->n_frames == 8 && rec->reason == WALK_TRUNCATED;
}

static void depth_is_a_limit(void **state)
{
    (void)state;
    capture_start(&walker, 10);
    assert_true(emit(&full));
    assert_int_equal(drain(is_cut), 1);
    capture_stop();
}

static void a_full_ring_loses_and_counts(void **state)
{
    uint64_t before = lost_count(LOST_FULL), bytes = atomic_load(&lost_bytes), stored = 0;

    (void)state;
    capture_start(&walker, 100);
    for (int i = 0; i < 5000; i++)
        stored += emit(&full);
    assert_true(stored > 0 && stored < 5000);
    assert_int_equal(lost_count(LOST_FULL) - before, (5000 - stored) * 5); /* by weight */
    assert_true(atomic_load(&lost_bytes) - bytes > (5000 - stored) * DEPTH * 20);
    assert_int_equal(drain(is_as_emitted), stored);
    capture_stop();
}

#define TENTH 100000000 /* of a second, ns */

static const struct walker lasting = {.name = "lasting", .is_lasting = true, .walk = walk};

static void a_ring_that_fills_is_due_before_it_is_full(void **state)
{
    uint64_t before = lost_count(LOST_FULL);

    (void)state;
    capture_start(&lasting, 100);
    drain(NULL);
    capture_begin_drain(); /* what other tests left behind */
    assert_true(emit(&full));
    assert_int_equal(capture_patience(), INT64_MAX);
    while (capture_patience() > 0)
        assert_true(emit(&full));
    for (int i = 0; i < 20; i++)
        assert_true(emit(&full)); /* meanwhile */
    assert_true(drain(NULL) > 21);
    assert_int_equal(capture_patience(), INT64_MAX);
    assert_int_equal(lost_count(LOST_FULL), before);
    capture_stop();
}

/* Methods known by jmethodID, or stacks to be walked later. */
static void stacks_of_what_goes_away_are_due(void **state)
{
    static const struct frame frames[2];
    struct record head = {.engine = 3, .weight = 1, .n_frames = 2, .flags = RECORD_HAS_STACK};

    (void)state;
    capture_start(&lasting, 100);
    drain(NULL);
    capture_begin_drain();
    assert_true(capture_other(threads_self(), &head, frames, NULL));
    assert_int_equal(capture_patience(), INT64_MAX);
    head.flags |= RECORD_JMETHODS;
    wake();
    wake_wait(0); /* an earlier wake() is over */
    assert_true(capture_other(threads_self(), &head, frames, NULL));
    wake_wait(INT64_MAX); /* this did */
    assert_int_equal(capture_patience(), TENTH);
    capture_begin_drain();
    assert_int_equal(capture_patience(), INT64_MAX);
    drain(NULL);
    capture_stop();
    capture_start(&walker, 100);
    assert_true(emit(&full));
    assert_int_equal(capture_patience(), TENTH);
    capture_begin_drain();
    drain(NULL);
    capture_stop();
}

static void data_has_a_limit(void **state)
{
    static char large[RECORD_DATA_MAX + 1];
    uint64_t before = lost_count(LOST_TOO_LARGE);
    struct emit e = full;

    (void)state;
    e.data = large;
    e.n_data = RECORD_DATA_MAX - 5;
    capture_start(&walker, 100);
    assert_true(emit(&e));
    e.n_data++;
    assert_false(emit(&e));
    assert_int_equal(lost_count(LOST_TOO_LARGE) - before, 5);
    drain(NULL);
    capture_stop();
}

static void a_walk_in_a_walk_is_refused(void **state)
{
    uint64_t before = lost_count(LOST_BUSY);
    struct emit without = full;

    (void)state;
    without.with_stack = false;
    capture_start(&walker, 100);
    atomic_store(&threads_self()->busy, 1);
    assert_false(emit(&full));
    assert_true(emit(&without));
    atomic_store(&threads_self()->busy, 0);
    assert_int_equal(lost_count(LOST_BUSY) - before, 5);
    assert_int_equal(drain(NULL), 1);
    capture_stop();
}

/* A walk in which two signals of 3 and 4 arrive, and one of another kind. */
static int walk_with_signals(void *ucontext, struct frame *frames, int room,
                             enum walk_reason *reason)
{
    struct emit signal = {.engine = &engine, .kind = 1, .with_stack = true, .ucontext = &room};

    if (ucontext == NULL) {
        signal.weight = 3;
        assert_true(emit(&signal));
        signal.weight = 4;
        assert_true(emit(&signal));
        signal.kind = 2;
        assert_false(emit(&signal));
    }
    return walk(ucontext, frames, room, reason);
}

static bool is_callback_or_signals(const struct record *rec)
{
    const struct frame *frames = record_frames(rec);

    if (rec->kind == 9)
        return rec->n_frames == DEPTH - 2 && frames[0].method == 3;
    /* One frame names the sampler; below it are those of the callback. */
    return rec->kind == 1 && rec->weight == 7 && rec->n_frames == DEPTH - 1 &&
           frames[0].kind == FRAME_C && frames[0].pc != 0 && frames[1].method == 3;
}

static void signals_in_a_walk_are_recorded_with_its_frames(void **state)
{
    static const struct walker with_signals = {.name = "signals", .walk = walk_with_signals};
    uint64_t before = lost_count(LOST_BUSY);

    (void)state;
    capture_start(&with_signals, 100);
    assert_true(emit(&full));
    assert_int_equal(drain(is_callback_or_signals), 2);
    assert_int_equal(lost_count(LOST_BUSY) - before, 4); /* of the other kind */
    capture_stop();
}

/* A walker that stays in the middle of a record. */
static sem_t is_there, may_go;

static size_t copy_size(const void *ucontext)
{
    (void)ucontext;
    return 64;
}

static void copy_late(const void *ucontext, void *to, size_t n)
{
    (void)ucontext, (void)to, (void)n;
    sem_post(&is_there);
    sem_wait(&may_go);
}

static int walk_late(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    sem_post(&is_there);
    sem_wait(&may_go);
    return walk(ucontext, frames, room, reason);
}

static struct thread *late;

static void *emit_late(void *ucontext)
{
    struct emit e = full;

    e.ucontext = ucontext;
    late = threads_self();
    emit(&e);
    return NULL;
}

/* A thread that does not finish, and what stands behind it in its ring, are lost, and counted; none
 * of it is in the next recording. */
static void who_is_late_is_counted(const struct walker *w, void *ucontext, int n_behind)
{
    uint64_t before = lost_count(LOST_LATE), full_before = lost_count(LOST_FULL);
    struct record behind = {.engine = 3, .kind = 9, .weight = 2};
    pthread_t thread;

    sem_init(&is_there, 0, 0);
    sem_init(&may_go, 0, 0);
    capture_start(w, 100);
    assert_int_equal(pthread_create(&thread, NULL, emit_late, ucontext), 0);
    sem_wait(&is_there);
    for (int i = 0; i < n_behind; i++)
        assert_true(capture_other(late, &behind, NULL, NULL));
    assert_int_equal(drain(NULL), 0);
    assert_false(capture_stop());
    assert_int_equal(drain(NULL), 0);
    capture_close();
    assert_int_equal(lost_count(LOST_LATE) - before, 5 + 2 * n_behind);

    capture_start(&walker, 100);
    sem_post(&may_go);
    pthread_join(thread, NULL);
    assert_true(emit(&full));
    assert_int_equal(drain(is_as_emitted), 1);
    assert_true(capture_stop());
    capture_close();
    assert_int_equal(lost_count(LOST_LATE) - before, 5 + 2 * n_behind);
    assert_int_equal(lost_count(LOST_FULL), full_before);
    sem_destroy(&is_there);
    sem_destroy(&may_go);
}

#define WALKS 64 /* at once */

/* While as many threads walk as may, one more finds no buffer. */
static void a_walk_too_many_is_counted(void **state)
{
    const struct walker slow = {.name = "late", .walk = walk_late};
    uint64_t before = lost_count(LOST_NO_BUFFER);
    pthread_t threads[WALKS];

    (void)state;
    sem_init(&is_there, 0, 0);
    sem_init(&may_go, 0, 0);
    capture_start(&slow, 100);
    for (int i = 0; i < WALKS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, emit_late, NULL), 0);
        sem_wait(&is_there);
    }
    assert_false(emit(&full));
    assert_false(emit(&full));
    assert_int_equal(lost_count(LOST_NO_BUFFER) - before, 2 * 5);
    for (int i = 0; i < WALKS; i++)
        sem_post(&may_go);
    for (int i = 0; i < WALKS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(lost_count(LOST_NO_BUFFER) - before, 2 * 5);
    assert_int_equal(drain(NULL), WALKS);
    assert_true(capture_stop());
    sem_destroy(&is_there);
    sem_destroy(&may_go);
}

static void a_walk_that_takes_too_long_is_counted(void **state)
{
    (void)state;
    who_is_late_is_counted(&(struct walker){.name = "late", .walk = walk_late}, NULL, 0);
}

static void records_behind_one_that_takes_too_long_are_counted(void **state)
{
    char context;

    (void)state;
    who_is_late_is_counted(
        &(struct walker){.name = "late", .walk = walk, .copy_size = copy_size, .copy = copy_late},
        &context, 7);
}

/* Fills the rings while nobody drains, then is not drained either: what is in them is late. */
static void what_is_begun_comes_out_or_is_counted(void **state)
{
    uint64_t late_before = lost_count(LOST_LATE), before = lost_count(LOST_FULL);

    (void)state;
    capture_start(&walker, 100);
    for (int i = 0; i < 5000; i++)
        emit(&full);
    assert_true(capture_stop());
    capture_close();
    assert_true(lost_count(LOST_FULL) > before);
    assert_int_equal(lost_count(LOST_FULL) - before + lost_count(LOST_LATE) - late_before,
                     5000 * 5);
    capture_start(&walker, 100);
    assert_int_equal(drain(NULL), 0);
    assert_true(capture_stop());
}

static void what_is_no_event_is_never_lost(void **state)
{
    uint64_t before = lost_count(LOST_FULL), late_before = lost_count(LOST_LATE);
    struct emit e = full;

    (void)state;
    e.is_aside = true;
    capture_start(&walker, 100);
    while (emit(&e))
        ;
    assert_true(capture_stop());
    capture_close();
    assert_int_equal(lost_count(LOST_FULL), before);
    assert_int_equal(lost_count(LOST_LATE), late_before);
}

static void count_it(struct record *rec, void *arg)
{
    assert_int_equal(rec->kind, 9);
    ++*(int *)arg;
}

static int n_marked(void)
{
    const struct record *rec;
    int n = 0;

    for (int i = 0; i < CAPTURE_RINGS; i++)
        for (; (rec = capture_peek_marked(i)) != NULL; n++)
            capture_release(i, rec);
    return n;
}

static void what_comes_after_a_mark_can_be_seen_and_stays(void **state)
{
    int n = 0;

    (void)state;
    capture_start(&walker, 100);
    emit(&full);
    emit(&full);
    capture_mark();
    emit(&full);
    assert_int_equal(n_marked(), 2);
    capture_look(count_it, &n);
    assert_int_equal(n, 1);
    assert_int_equal(n_marked(), 0);
    assert_int_equal(drain(is_as_emitted), 1);
    assert_true(capture_stop());
}

static void ends_have_a_place_while_a_recording_ends(void **state)
{
    struct emit end = full;

    (void)state;
    end.is_end = true;
    capture_start(&walker, 100);
    assert_true(emit(&end));
    assert_true(capture_end());
    assert_false(emit_wanted());
    assert_false(emit(&full));
    assert_true(emit(&end));
    assert_true(capture_stop());
    assert_false(emit(&end));
    assert_int_equal(drain(is_as_emitted), 2);
    capture_close();
}

static void each_reason_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < LOST_N; i++) {
        assert_non_null(lost_name((enum lost_reason)i));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(lost_name((enum lost_reason)i), lost_name((enum lost_reason)k));
    }
}

#define THREADS 4
#define EACH 3000

static _Atomic uint64_t n_stored;
static _Atomic int n_left;

static void *emit_many(void *arg)
{
    (void)arg;
    for (int i = 0; i < EACH; i++)
        atomic_fetch_add(&n_stored, emit(&full));
    atomic_fetch_sub(&n_left, 1);
    return NULL;
}

static bool is_one_of_theirs(const struct record *rec)
{
    return rec->kind == 9 && rec->n_frames == DEPTH - 2 &&
           memcmp(record_data(rec), "data5text5", 10) == 0 &&
           threads_at(rec->thread, rec->generation) != NULL;
}

static void nothing_is_lost_uncounted(void **state)
{
    uint64_t before = lost_count(LOST_FULL), seen = 0;
    pthread_t threads[THREADS];

    (void)state;
    atomic_store(&n_left, THREADS);
    capture_start(&walker, 100);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, emit_many, NULL), 0);
    while (atomic_load(&n_left) > 0)
        seen += drain(is_one_of_theirs);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(capture_stop());
    seen += drain(is_one_of_theirs);
    assert_int_equal(seen, atomic_load(&n_stored));
    assert_int_equal(seen + (lost_count(LOST_FULL) - before) / 5, THREADS * EACH);
}

static void *emit_and_say(void *arg)
{
    (void)arg;
    return emit_wanted() && !emit(&full) && !emit(&full) ? (void *)"lost" : NULL;
}

/* The last one, for it fills the registry. */
static void events_of_threads_without_room_are_counted(void **state)
{
    uint64_t before = lost_count(LOST_NO_THREAD), threads = lost_count(LOST_THREADS);
    int32_t tid = (1 << 22) - 1; /* downwards: this machine gives the low ones */
    pthread_t thread;
    void *said;

    (void)state;
    while (threads_add(tid) != NULL)
        tid--;
    assert_int_equal(lost_count(LOST_THREADS) - threads, 1);
    capture_start(&walker, 100);
    assert_int_equal(pthread_create(&thread, NULL, emit_and_say, NULL), 0);
    pthread_join(thread, &said);
    assert_non_null(said);
    assert_int_equal(lost_count(LOST_NO_THREAD) - before, 2 * 5);
    assert_int_equal(lost_count(LOST_THREADS) - threads, 2);
    drain(NULL); /* what other tests left behind */
    assert_true(emit(&full)); /* this thread has its place */
    assert_int_equal(drain(is_as_emitted), 1);
    assert_true(capture_stop());
}

static int init(void **state)
{
    (void)state;
    return threads_init() != 0 || capture_open(1 << 19) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_emitted_comes_out),
        cmocka_unit_test(the_context_goes_along),
        cmocka_unit_test(depth_is_a_limit),
        cmocka_unit_test(a_full_ring_loses_and_counts),
        cmocka_unit_test(a_ring_that_fills_is_due_before_it_is_full),
        cmocka_unit_test(stacks_of_what_goes_away_are_due),
        cmocka_unit_test(data_has_a_limit),
        cmocka_unit_test(a_walk_in_a_walk_is_refused),
        cmocka_unit_test(signals_in_a_walk_are_recorded_with_its_frames),
        cmocka_unit_test(nothing_is_lost_uncounted),
        cmocka_unit_test(a_walk_too_many_is_counted),
        cmocka_unit_test(a_walk_that_takes_too_long_is_counted),
        cmocka_unit_test(records_behind_one_that_takes_too_long_are_counted),
        cmocka_unit_test(what_is_begun_comes_out_or_is_counted),
        cmocka_unit_test(what_comes_after_a_mark_can_be_seen_and_stays),
        cmocka_unit_test(ends_have_a_place_while_a_recording_ends),
        cmocka_unit_test(what_is_no_event_is_never_lost),
        cmocka_unit_test(each_reason_has_a_name),
        cmocka_unit_test(events_of_threads_without_room_are_counted),
    };

    return cmocka_run_group_tests(tests, init, NULL);
}
