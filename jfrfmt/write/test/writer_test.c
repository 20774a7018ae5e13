#include "jfrfmt/test/writer_reading.h"
#include "jfrfmt/test/writer_testing.h"

#include <stdio.h>

/* Two chunks with one of everything, each flushed twice. */
static int write_demo(const char *name)
{
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(name, &d);

    demo_all(&d);
    assert_int_equal(jfr_writer_flush(w, d.now), 0);
    demo_samples(&d, 5);
    d.now = DEMO_START_TICKS + DEMO_CHUNK_TICKS;
    assert_int_equal(jfr_writer_rotate(w, d.now), 0);
    demo_all(&d);
    assert_int_equal(jfr_writer_flush(w, d.now), 0);
    demo_samples(&d, 7);
    assert_int_equal(jfr_writer_flush(w, d.now), 0);
    return jfr_writer_close(w, &err);
}

#define DEMO_ALL (DEMO_CHUNK_SAMPLES + 12) /* events of demo_all() */

static void a_demo_of_two_chunks_is_legal(void **state)
{
    struct legal l;

    (void)state;
    assert_int_equal(write_demo(path("demo.jfr")), 0);
    l = expect_legal(path("demo.jfr"));
    assert_int_equal(l.n_chunks, 2);
    assert_int_equal(l.n_metadata, 2);
    assert_int_equal(l.n_events, 2 * (DEMO_ALL + DEMO_FIXED) + 5 + 7);
}

/* --- read back --- */

struct found {
    uint64_t counts[DEMO_N_TYPES];
    uint64_t stack_keys[DEMO_STACKS]; /* by line of the second frame */
    uint64_t n_chunks_with_settings, n_named, n_truncated;
    uint64_t chunk; /* its offset */
    bool has_settings;
    size_t n_chunks;
};

static void look_at_chunk(struct found *f, struct jfr_chunk *chunk)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    if (f->n_chunks > 0 && h->offset == f->chunk)
        return;
    f->n_chunks++;
    f->chunk = h->offset;
    assert_true(md->has_region && md->id > 0);
    assert_int_equal(h->ticks_per_second, 1000000000);
    assert_int_equal(h->start_nanos - DEMO_START_NANOS, h->start_ticks - DEMO_START_TICKS);
    f->has_settings = false;
}

static void look_at_sample(struct found *f, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    static const char name[] = "w\xc3\xb6rker-\xf0\x9f\x98\x80"; /* and a NUL */
    const struct jfr_field *thread_field = jfr_class_field(ev->type, "sampledThread");
    struct cursor c = ev->body;
    uint64_t thread, stack;
    struct jfr_stacks st;
    struct jfr_frames it;
    struct jfr_frame frame;
    struct jfr_method m;
    struct jfr_thread t;
    int64_t i;

    cur_varint(&c);
    thread = cur_varint(&c);
    stack = cur_varint(&c);
    assert_int_equal(jfr_stacks_init(&st, chunk, jfr_class_field(ev->type, "stackTrace")), 0);
    assert_int_equal(jfr_stacks_open(&st, (size_t)jfr_pool_find(st.traces, stack), &it), 0);
    f->n_truncated += it.is_truncated;
    assert_true(jfr_frames_next(&it, &frame));
    assert_int_equal(frame.line, -1);
    assert_true(jfr_method_get(&st, frame.method_key, &m));
    assert_true(jfr_str_equals(m.name, "read") && jfr_str_equals(m.descriptor, "()V"));
    assert_true(jfr_frames_next(&it, &frame));
    assert_true(jfr_method_get(&st, frame.method_key, &m));
    assert_true(jfr_str_equals(m.class_name, "com/acme/Main") && jfr_str_equals(m.name, "run"));
    i = frame.line - 42;
    assert_in_range(i, 0, DEMO_STACKS - 1);
    assert_true(f->stack_keys[i] == 0 || f->stack_keys[i] == stack);
    f->stack_keys[i] = stack;
    assert_true(jfr_thread_get(chunk, thread_field->type, thread, &t));
    f->n_named += t.java_name.n == sizeof(name) && memcmp(t.java_name.p, name, sizeof(name)) == 0;
}

static void look(void *ctx, struct jfr_chunk *chunk, const struct jfr_event *ev)
{
    struct found *f = ctx;

    look_at_chunk(f, chunk);
    for (size_t i = 0; i < DEMO_N_TYPES; i++)
        f->counts[i] += strcmp(ev->type->name, demo_types[i].name) == 0;
    if (strcmp(ev->type->name, "jdk.ExecutionSample") == 0)
        look_at_sample(f, chunk, ev);
    if (strcmp(ev->type->name, "jdk.ActiveSetting") == 0 && !f->has_settings) {
        struct cursor c = ev->body;
        int64_t start = (int64_t)cur_varint(&c), begun = jfr_chunk_header(chunk)->start_ticks;

        if (f->n_chunks > 1) /* repeated with the chunk's own time */
            assert_int_equal(start, begun);
        f->has_settings = true;
        f->n_chunks_with_settings++;
    }
}

static void our_reader_finds_what_was_written(void **state)
{
    struct file f;
    struct found found = {0};

    (void)state;
    assert_int_equal(write_demo(path("back.jfr")), 0);
    f = read_file(path("back.jfr"));
    assert_int_equal(reading(f.bytes, f.n, look, &found), 2 * (DEMO_ALL + DEMO_FIXED) + 12);
    assert_int_equal(found.n_chunks, 2);
    assert_int_equal(found.n_chunks_with_settings, 2);
    assert_int_equal(found.counts[DEMO_SAMPLE], 2 * DEMO_CHUNK_SAMPLES + 12);
    assert_int_equal(found.counts[DEMO_HEAP], 4);
    assert_int_equal(found.counts[DEMO_OWN], 2);
    assert_int_equal(found.n_named, DEMO_CHUNK_SAMPLES + 2 + 3);
    assert_int_equal(found.n_truncated, 5 + 1 + 5 + 1);
    free(f.bytes);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    struct file a, b;

    (void)state;
    assert_int_equal(write_demo(path("a.jfr")), 0);
    assert_int_equal(write_demo(path("b.jfr")), 0);
    a = read_file(path("a.jfr"));
    b = read_file(path("b.jfr"));
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.bytes, b.bytes, a.n);
    free(a.bytes);
    free(b.bytes);
}

/* --- events --- */

static void put_text(struct demo *d, const char *text, size_t n)
{
    demo_begin(d, DEMO_PROPERTY);
    jfr_put_text(d->w, text, n);
    jfr_put_string(d->w, NULL);
    assert_int_equal(jfr_event_end(d->w), 0);
}

/* The sizes at which the size itself becomes a byte longer, and all around them. */
static void an_event_may_have_any_size(void **state)
{
    const size_t around[] = {127, 16383, 2097151}, width = 40;
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("sizes.jfr"), &d);
    char *text = malloc(3000000);
    struct file f;

    (void)state;
    memset(text, 'x', 3000000);
    put_text(&d, text, 0);
    for (size_t i = 0; i < 3; i++)
        for (size_t n = around[i] - width; n < around[i] + width; n++)
            put_text(&d, text, n);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    f = read_file(path("sizes.jfr"));
    assert_int_equal(reading(f.bytes, f.n, NULL, NULL), DEMO_FIXED + 1 + 3 * 2 * width);
    free(f.bytes);
    free(text);
}

static void a_type_may_be_declared_late(void **state)
{
    static const struct jfr_type_def late = {"demo.Late", JFR_TYPE_EVENT, "Late"};
    struct demo d;
    struct jfr_error err = {0};
    struct jfr_writer *w = open_demo(path("late.jfr"), &d);
    int64_t id;

    (void)state;
    demo_all(&d);
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    id = jfr_writer_declare(w, &late, 1);
    assert_true(id > 0);
    jfr_event_begin(w, id, d.now);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    assert_int_equal(expect_legal(path("late.jfr")).n_events, DEMO_ALL + DEMO_FIXED + 1);
}

/* --- streams --- */

static struct legal expect_stream(int fd)
{
    struct file f = {malloc(1 << 20), 0};
    struct legal l;
    const char *wrong;
    ssize_t n;

    while ((n = read(fd, f.bytes + f.n, (1 << 20) - f.n)) > 0)
        f.n += (size_t)n;
    wrong = legal(f.bytes, f.n, &l);
    if (wrong != NULL)
        fail_msg("stream: %s", wrong);
    reading(f.bytes, f.n, NULL, NULL);
    free(f.bytes);
    return l;
}

static void a_pipe_gets_a_chunk_with_each_flush(void **state)
{
    struct jfr_error err = {0};
    struct jfr_writer *w;
    struct legal l;
    struct demo d;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    w = jfr_writer_open_fd_take(fds[1], NULL, &err);
    assert_true(demo_start(&d, w));
    demo_all(&d);
    assert_int_equal(jfr_writer_flush(w, 0), 0);
    assert_int_equal(jfr_writer_flush(w, 0), 0); /* nothing new: no chunk */
    demo_all(&d);
    assert_int_equal(jfr_writer_close(w, &err), 0);
    l = expect_stream(fds[0]);
    close(fds[0]);
    assert_int_equal(l.n_chunks, 2);
    assert_int_equal(l.n_events, 2 * (DEMO_ALL + DEMO_FIXED));
}

static void a_zst_file_has_a_frame_for_each_chunk(void **state)
{
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;
    struct file f;
    int n = 0;

    (void)state;
    assert_int_equal(write_demo(path("demo.jfr.zst")), 0);
    f = read_file(path("demo.jfr.zst"));
    for (size_t i = 0; i + 4 <= f.n; i++)
        n += memcmp(f.bytes + i, "\x28\xb5\x2f\xfd", 4) == 0;
    assert_int_equal(n, 4); /* three flushes and a rotation */
    src = jfr_source_open_mem(f.bytes, f.n, &err);
    for (n = 0; jfr_source_next(src, &raw, &err) > 0; n++)
        jfr_source_release(src, &raw);
    jfr_source_close(src);
    assert_int_equal(err.code, 0);
    assert_int_equal(n, 4);
    free(f.bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_demo_of_two_chunks_is_legal),
        cmocka_unit_test(our_reader_finds_what_was_written),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(an_event_may_have_any_size),
        cmocka_unit_test(a_type_may_be_declared_late),
        cmocka_unit_test(a_pipe_gets_a_chunk_with_each_flush),
        cmocka_unit_test(a_zst_file_has_a_frame_for_each_chunk),
    };

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_demo(argv[2]) != 0;
    return cmocka_run_group_tests_name("writer", tests, make_dir, remove_dir);
}
