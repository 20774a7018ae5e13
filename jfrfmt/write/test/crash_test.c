/* What is on disk when the process dies, or the disk does, at any point. */
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/writer_demo.h"
#include "jfrfmt/test/writer_legal.h"
#include "jfrfmt/test/writer_reading.h"
#include "jfrfmt/test/writer_shim.h"

#include <stdio.h>
#include <sys/stat.h>

#define EXTENT (2 << 20)
#define PAGE 4096
#define CUTS 16

static char dir[] = "/tmp/writer_crash_test.XXXXXX";
static char file[80];

struct point { /* a flush that had returned */
    size_t n_calls;
    uint64_t n_events;
};

struct session {
    struct jfr_writer *w;
    struct demo demo;
    struct point points[200];
    size_t n_points;
};

static void begin(struct session *s, uint64_t extent)
{
    struct jfr_writer_options options = {
        .start_ticks = DEMO_START_TICKS,
        .start_nanos = DEMO_START_NANOS,
        .replace = true,
        .extent = extent,
        .seed = 1,
        .calls = &shim_calls,
    };
    struct jfr_error err = {0};

    *s = (struct session){.w = jfr_writer_open(file, &options, &err)};
    assert_non_null(s->w);
    assert_true(demo_start(&s->demo, s->w));
}

static void mark(struct session *s)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(s->w, &stats);
    s->points[s->n_points++] = (struct point){shim.n, stats.n_events};
}

static void flush(struct session *s)
{
    assert_int_equal(jfr_writer_flush(s->w, s->demo.now), 0);
    mark(s);
}

static void rotate(struct session *s)
{
    s->demo.now += DEMO_CHUNK_TICKS;
    assert_int_equal(jfr_writer_rotate(s->w, s->demo.now), 0);
    mark(s);
}

/* Events of some kilobytes, so that bodies cross pages and the file has to grow. */
static void put_large(struct session *s, int n)
{
    static char text[5000];

    memset(text, 'x', sizeof(text));
    for (int i = 0; i < n; i++) {
        demo_begin(&s->demo, DEMO_PROPERTY);
        jfr_put_string(s->w, "large");
        jfr_put_text(s->w, text, sizeof(text) - (size_t)(i * 7 % 1000));
        jfr_event_end(s->w);
    }
}

static void declare_late(struct session *s)
{
    static const struct jfr_type_def late = {"demo.Late", JFR_TYPE_EVENT, "Late"};
    int64_t id = jfr_writer_declare(s->w, &late, 1);

    assert_true(id > 0);
    jfr_event_begin(s->w, id, s->demo.now);
    assert_int_equal(jfr_event_end(s->w), 0);
}

/* Everything a recording goes through. */
static void run_session(struct session *s, uint64_t extent)
{
    shim.is_logging = true;
    begin(s, extent);
    demo_all(&s->demo);
    flush(s);
    flush(s);
    demo_samples(&s->demo, 100);
    flush(s);
    put_large(s, 100);
    flush(s);
    rotate(s);
    demo_all(&s->demo);
    declare_late(s);
    flush(s);
    put_large(s, 300); /* grows */
    flush(s);
    put_large(s, 150);
    rotate(s);
    rotate(s);
    demo_samples(&s->demo, 3);
    flush(s);
}

struct image {
    uint8_t *bytes;
    size_t n, room;
};

static void resize(struct image *f, size_t n)
{
    if (n > f->room) {
        f->bytes = realloc(f->bytes, n);
        memset(f->bytes + f->room, 0, n - f->room);
        f->room = n;
    }
    if (n < f->n)
        memset(f->bytes + n, 0, f->n - n);
    f->n = n;
}

static void apply(struct image *f, const struct shim_call *c, size_t n)
{
    switch (c->op) {
    case SHIM_TRUNCATE:
        resize(f, c->at);
        break;
    case SHIM_INSERT:
        resize(f, f->n + c->n);
        memmove(f->bytes + c->at + c->n, f->bytes + c->at, f->n - c->n - c->at);
        memset(f->bytes + c->at, 0, c->n);
        break;
    case SHIM_WRITE:
        if (c->at + n > f->n)
            resize(f, c->at + n);
        memcpy(f->bytes + c->at, c->bytes, n);
    }
}

static uint64_t read_events(const struct image *f)
{
    return reading(f->bytes, f->n, NULL, NULL);
}

/* What a state must hold: the events of the last flush before it, or of the one under way. */
static void expect_state(const struct session *s, const struct image *f, size_t call, size_t cut)
{
    struct legal l;
    const char *wrong = legal(f->bytes, f->n, &l);
    uint64_t least = 0, most = UINT64_MAX;

    for (size_t i = 0; i < s->n_points; i++) {
        if (s->points[i].n_calls <= call)
            least = s->points[i].n_events;
        else if (most == UINT64_MAX)
            most = s->points[i].n_events;
    }
    if (wrong != NULL)
        fail_msg("call %zu cut at %zu: %s", call, cut, wrong);
    if (l.n_events < least || l.n_events > most)
        fail_msg("call %zu cut at %zu: %llu events, not %llu", call, cut,
                 (unsigned long long)l.n_events, (unsigned long long)least);
}

/* Where a killed process's write may end: the kernel completes what it copies into one page. */
static bool can_be_cut(const struct shim_call *c)
{
    return c->op == SHIM_WRITE && c->at / PAGE != (c->at + c->n - 1) / PAGE;
}

static void cut(const struct session *s, struct image *f, const struct shim_call *c, size_t call)
{
    struct image torn = {0};

    resize(&torn, f->n);
    memcpy(torn.bytes, f->bytes, f->n);
    for (size_t i = 1; i < CUTS; i++) {
        apply(&torn, c, c->n * i / CUTS);
        expect_state(s, &torn, call, c->n * i / CUTS);
    }
    for (uint64_t at = c->at / PAGE * PAGE + PAGE; at < c->at + c->n; at += PAGE) {
        apply(&torn, c, at - c->at);
        expect_state(s, &torn, call, at - c->at);
    }
    free(torn.bytes);
}

/* The first calls make a file that has no name yet. */
#define NAMELESS 3

static void replay(const struct session *s, bool with_reader)
{
    struct image f = {0};

    for (size_t i = 0; i < shim.n; i++) {
        if (i >= NAMELESS && can_be_cut(&shim.log[i]))
            cut(s, &f, &shim.log[i], i);
        apply(&f, &shim.log[i], shim.log[i].n);
        if (i < NAMELESS)
            continue;
        expect_state(s, &f, i + 1, 0);
        if (with_reader)
            read_events(&f);
    }
    free(f.bytes);
}

static void every_prefix_of_the_calls_is_a_recording(void **state)
{
    struct session s;
    struct jfr_error err = {0};

    (void)state;
    shim_reset();
    run_session(&s, EXTENT);
    assert_int_equal(jfr_writer_close(s.w, &err), 0);
    assert_true(shim.n > 40);
    replay(&s, true);
    shim_reset();
}

/* A write that crosses a page may end there, so what shows a state must lie in one, wherever the
 * cover happens to be. */
static void no_step_crosses_a_page(void **state)
{
    struct session s;
    struct jfr_error err = {0};

    (void)state;
    shim_reset();
    shim.is_logging = true;
    begin(&s, EXTENT);
    flush(&s);
    for (int i = 0; i < 150; i++) {
        demo_samples(&s.demo, 1 + i % 5);
        if (i % 2 == 0)
            rotate(&s);
        else
            flush(&s);
    }
    assert_int_equal(jfr_writer_close(s.w, &err), 0);
    replay(&s, false);
    shim_reset();
}

static void a_file_grows_where_nothing_can_be_inserted(void **state)
{
    struct session s;
    struct jfr_error err = {0};
    struct image f = {0};

    (void)state;
    shim_reset();
    shim.cannot_insert = true;
    run_session(&s, EXTENT);
    assert_int_equal(jfr_writer_close(s.w, &err), 0);
    for (size_t i = 0; i < shim.n; i++)
        apply(&f, &shim.log[i], shim.log[i].n);
    assert_int_equal(read_events(&f), s.points[s.n_points - 1].n_events);
    free(f.bytes);
    shim_reset();
}

static struct image load(void)
{
    struct image f = {0};
    struct stat st;
    int fd = open(file, O_RDONLY);

    if (fd < 0)
        return f;
    assert_int_equal(fstat(fd, &st), 0);
    resize(&f, (size_t)st.st_size);
    assert_int_equal(read(fd, f.bytes, f.n), f.n);
    close(fd);
    return f;
}

/* A session whose calls from `fails_at` on are refused. Returns how many calls there were. */
static long run_failing(long fails_at, long fails_for, int reason)
{
    struct session s;
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;
    struct image f;
    uint64_t seen = 0;
    int told = 0, rc;
    long calls;

    shim_reset();
    unlink(file);
    shim.fails_at = fails_at;
    shim.fails_for = fails_for;
    shim.reason = reason;
    begin(&s, EXTENT);
    for (int i = 0; i < 8; i++) {
        if (i % 3 == 2)
            put_large(&s, 200);
        else
            demo_all(&s.demo);
        rc = i % 4 == 3 ? jfr_writer_rotate(s.w, s.demo.now) : jfr_writer_flush(s.w, s.demo.now);
        told += rc < 0;
        jfr_writer_stats(s.w, &stats);
        seen = stats.n_events;
    }
    assert_true(told <= 1);
    assert_true(told == 0 || stats.n_lost > 0 || fails_at > 1);
    rc = jfr_writer_close(s.w, &err);
    calls = shim.calls;
    assert_true(rc <= 0 && (rc == 0 || err.text[0] != '\0'));
    f = load();
    if (f.n > 0) {
        uint64_t found = read_events(&f);

        if (found < seen)
            fail_msg("call %ld: %llu events, %llu were flushed", fails_at,
                     (unsigned long long)found, (unsigned long long)seen);
    } else {
        if (seen != 0)
            fail_msg("call %ld: no file, %llu flushed; %s", fails_at, (unsigned long long)seen,
                     err.text);
    }
    free(f.bytes);
    return calls;
}

static void a_disk_that_fails_keeps_what_was_flushed(void **state)
{
    static const int reasons[] = {ENOSPC, EIO, EDQUOT};
    long calls = run_failing(0, 0, 0);

    (void)state;
    assert_true(calls > 30);
    for (long k = 1; k <= calls; k++) {
        run_failing(k, 1000000, reasons[k % 3]);
        run_failing(k, 1, reasons[k % 3]);
    }
    run_failing(calls / 2, 1, EINTR);
    shim_reset();
}

static void a_writer_goes_on_when_there_is_space_again(void **state)
{
    struct session s;
    struct jfr_error err = {0};
    struct jfr_writer_stats before, stats;
    struct image f;

    (void)state;
    shim_reset();
    unlink(file);
    begin(&s, EXTENT);
    demo_all(&s.demo);
    flush(&s);
    shim.fails_at = shim.calls + 1;
    shim.fails_for = 1;
    shim.reason = ENOSPC;
    demo_samples(&s.demo, 10);
    assert_int_equal(jfr_writer_flush(s.w, s.demo.now), JFR_E_IO);
    assert_non_null(strstr(jfr_writer_error(s.w)->text, "No space left"));
    demo_samples(&s.demo, 5);
    assert_int_equal(jfr_writer_flush(s.w, s.demo.now), 1);
    jfr_writer_stats(s.w, &before);
    assert_int_equal(before.n_lost, 15);
    assert_int_equal(jfr_writer_retry(s.w), 0);
    demo_all(&s.demo);
    flush(&s);
    jfr_writer_stats(s.w, &stats);
    assert_int_equal(stats.n_lost, 15);
    assert_true(stats.n_events > before.n_events);
    assert_int_equal(jfr_writer_close(s.w, &err), 0);
    f = load();
    assert_int_equal(read_events(&f), stats.n_events);
    free(f.bytes);
    shim_reset();
}

/* Leaves files as a killed process would, for other readers to look at. */
static int write_states(const char *into)
{
    struct session s;
    struct jfr_error err = {0};
    struct image f = {0};

    shim_reset();
    run_session(&s, EXTENT);
    jfr_writer_close(s.w, &err);
    for (size_t i = 0; i < shim.n; i++) {
        char name[200];
        FILE *out;

        apply(&f, &shim.log[i], shim.log[i].n);
        if (i < NAMELESS)
            continue;
        snprintf(name, sizeof(name), "%s/state%03zu.jfr", into, i);
        out = fopen(name, "wb");
        if (out == NULL || fwrite(f.bytes, 1, f.n, out) != f.n || fclose(out) != 0)
            return 1;
        printf("%s %llu\n", name, (unsigned long long)read_events(&f));
    }
    free(f.bytes);
    shim_reset();
    return 0;
}

static int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(file, sizeof(file), "%s/live.jfr", dir);
    return 0;
}

static int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_of_the_calls_is_a_recording),
        cmocka_unit_test(no_step_crosses_a_page),
        cmocka_unit_test(a_file_grows_where_nothing_can_be_inserted),
        cmocka_unit_test(a_disk_that_fails_keeps_what_was_flushed),
        cmocka_unit_test(a_writer_goes_on_when_there_is_space_again),
    };

    if (argc == 3 && strcmp(argv[1], "--states") == 0) {
        int rc = make_dir(NULL) != 0 || write_states(argv[2]) != 0;

        return remove_dir(NULL) != 0 || rc;
    }
    return cmocka_run_group_tests_name("writer under crashes", tests, make_dir, remove_dir);
}
