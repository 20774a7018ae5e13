/* Files: large ones, ones that change, real ones. */
#include "jfrfmt/test/source_testing.h"

static int temporary(void)
{
    const char *dir = getenv("TMPDIR");

    return open(dir != NULL ? dir : "/tmp", O_TMPFILE | O_RDWR, 0600);
}

static void put_at(int fd, off_t at, uint64_t declared)
{
    struct buf b = {0};

    put_header(&b, 2, 1, declared);
    assert_int_equal(pwrite(fd, b.p, b.n, at), b.n);
    buf_free(&b);
}

static void chunk_of_more_than_4_gib(void **state)
{
    uint64_t big = ((uint64_t)5 << 30) + 17;
    int fd = temporary();
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;

    (void)state;
    if (fd < 0 || ftruncate(fd, (off_t)big + 68 + 100) != 0) {
        print_message("skip chunk_of_more_than_4_gib: no sparse files here\n");
        if (fd >= 0)
            close(fd);
        return;
    }
    put_at(fd, 0, big);
    put_at(fd, (off_t)big, 68 + 100);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    src = jfr_source_open_fd_take(fd, &err);
    assert_int_equal(jfr_source_size(src), big + 168);
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    assert_true(raw.n == big && raw.declared == big);
    jfr_source_release(src, &raw);
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    assert_true(raw.n == 168 && raw.offset == big);
    jfr_source_release(src, &raw);
    assert_int_equal(jfr_source_next(src, &raw, &err), 0);
    jfr_source_close(src);
}

#ifdef __SANITIZE_THREAD__
#define HAS_SHADOW_MEMORY true /* of what was touched, and never given back */
#else
#define HAS_SHADOW_MEMORY false
#endif

static size_t resident_bytes(void)
{
    unsigned long total, resident;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_int_equal(fscanf(f, "%lu %lu", &total, &resident), 2);
    fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned touch(const uint8_t *p, size_t n)
{
    unsigned sum = 0;

    for (size_t i = 0; i < n; i += 4096)
        sum += ((const volatile uint8_t *)p)[i];
    return sum;
}

/* 32 chunks of 8 MiB; the last says it is longer, so all of it is searched. */
static void memory_follows_the_chunk_not_the_file(void **state)
{
    size_t chunk = 8 << 20, n = 32, before;
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;
    int fd = temporary();

    (void)state;
    if (HAS_SHADOW_MEMORY || fd < 0 || ftruncate(fd, (off_t)(chunk * n * 2)) != 0) {
        print_message("skip memory_follows_the_chunk_not_the_file: no sparse files, or TSan\n");
        if (fd >= 0)
            close(fd);
        return;
    }
    for (size_t i = 0; i < n; i++)
        put_at(fd, (off_t)(i * chunk), i < n - 1 ? chunk : INT64_MAX);
    src = jfr_source_open_fd_take(fd, &err);
    before = resident_bytes();
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(jfr_source_next(src, &raw, &err), 1);
        assert_true(resident_bytes() < before + 2 * chunk);
        if (i < n - 1)
            assert_int_equal(touch(raw.bytes, raw.n), 'F');
        jfr_source_release(src, &raw);
        assert_true(resident_bytes() < before + chunk);
    }
    assert_int_equal(jfr_source_next(src, &raw, &err), 0);
    jfr_source_close(src);
}

static void shrinking_file_is_no_crash(void **state)
{
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;
    struct buf in = {0};
    int fd = temporary();

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        put_chunk(&in, 10000, 10000, i);
    assert_int_equal(write(fd, in.p, in.n), in.n);
    lseek(fd, 0, SEEK_SET);
    src = jfr_source_open_fd_take(fd, &err);
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    jfr_source_release(src, &raw);
    assert_int_equal(ftruncate(fd, 15000), 0);
    assert_int_equal(jfr_source_next(src, &raw, &err), JFR_E_SHORT);
    assert_string_equal(err.text, "file became shorter while being read");
    assert_int_equal(err.offset, 15000);
    err = (struct jfr_error){0};
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    assert_int_equal(raw.n, 5000);
    assert_memory_equal(raw.bytes, in.p + 10000, 5000);
    jfr_source_release(src, &raw);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(jfr_source_next(src, &raw, &err), 0);
    jfr_source_close(src);
    buf_free(&in);
}

static void names_that_cannot_be_opened(void **state)
{
    struct jfr_error err = {0};

    (void)state;
    assert_null(jfr_source_open("/nonexistent", &err));
    assert_int_equal(err.code, JFR_E_IO);
    assert_string_equal(err.text, "No such file or directory");
    err = (struct jfr_error){0};
    assert_null(jfr_source_open("/", &err));
    assert_int_equal(err.code, JFR_E_IO);
    assert_string_equal(err.text, "Is a directory");
    jfr_source_close(NULL);
}

/* Files in /proc claim to be empty. */
static void file_without_a_size_is_read_as_a_stream(void **state)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open("/proc/self/status", &err);
    struct story s;

    (void)state;
    assert_non_null(src);
    s = story_of(src, SOURCE_IN_MEMORY);
    assert_string_equal((char *)s.text.p, "(-2@0 0: not a JFR recording)");
    story_free(&s);
}

/* ---- real recordings ---- */

struct real {
    const char *name;
    unsigned n_chunks;
};

static const struct real ours[] = {
    {"test-data/recordings/jdk17.jfr.gz", 1},
    {"test-data/recordings/jdk25-server.jfr.gz", 3},
    {"test-data/recordings/async-profiler-jdk25.jfr.gz", 1},
    {"test-data/recordings/jfrkit-jdk25.jfr.gz", 4},
    {"test-data/recordings/killed-jdk25.jfr.gz", 1},
};

static const struct real reals[] = {
    {"../shared/recordings/jrockit-era/7u40.jfr", 1},
    {"../shared/recordings/jrockit-era/8u40.jfr", 1},
    {"../shared/recordings/jdk/9u0.jfr", 1},
    {"../shared/recordings/jdk/char_attribute.jfr", 1},
    {"../shared/recordings/jdk/crash_jdk9.jfr", 1},
    {"../shared/recordings/jdk/flush_incremental_metadata.jfr", 2},
    {"../shared/recordings/jdk/full_gc_g1.jfr", 1},
    {"../shared/recordings/jdk/hotmethods.jfr", 1},
    {"../shared/recordings/jdk/jdk15.jfr", 2},
    {"../shared/recordings/jdk/jdk21.jfr", 1},
    {"../shared/recordings/jdk/overlap.jfr", 1},
    {"../shared/recordings/jdk/pid1.jfr", 1},
    {"../shared/recordings/async-profiler/FastSlow_2024_01_16_180855.jfr.gz", 3},
    {"../shared/recordings/async-profiler/async-profiler.jfr.gz", 1},
    {"../shared/recordings/async-profiler/cortex-dev-01__kafka-0__cpu__0.jfr.gz", 1},
    {"../shared/recordings/async-profiler/cortex-dev-01__kafka-0__cpu_lock_alloc__0.jfr.gz", 1},
    {"../shared/recordings/async-profiler/event-with-type-zero.jfr.gz", 3},
    {"../shared/recordings/async-profiler/wall_tick_sample.jfr.gz", 1},
    {"../shared/recordings/datadog/dd-trace-java.jfr.gz", 1},
    {"../shared/recordings/datadog/new_spancontext.jfr.gz", 1},
    {"../shared/recordings/datadog/uint64-ref-id.jfr.gz", 1},
    {"../shared/recordings/damaged/killed.jfr", 3},
    {"../shared/recordings/damaged/killed1.jfr", 1},
    {"../shared/recordings/damaged/stripped-checkpoint-mask.jfr", 2},
};

static void has_its_chunks(void **state)
{
    const struct real *t = *state;
    bool is_damaged = strstr(t->name, "killed") != NULL;
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;
    uint64_t at = 0;

    src = jfr_source_open(t->name, &err);
    assert_non_null(src);
    for (unsigned i = 0; i < t->n_chunks; i++) {
        assert_int_equal(jfr_source_next(src, &raw, &err), 1);
        assert_true(raw.offset == at && raw.index == i);
        assert_true(raw.n == raw.declared || (is_damaged && i + 1 == t->n_chunks));
        at += raw.n;
        jfr_source_release(src, &raw);
    }
    assert_int_equal(jfr_source_next(src, &raw, &err), 0);
    jfr_source_close(src);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_of_more_than_4_gib),
        cmocka_unit_test(memory_follows_the_chunk_not_the_file),
        cmocka_unit_test(shrinking_file_is_no_crash),
        cmocka_unit_test(names_that_cannot_be_opened),
        cmocka_unit_test(file_without_a_size_is_read_as_a_stream),
    };
    int failed = cmocka_run_group_tests_name("source: files", tests, NULL, NULL);

    failed += run_rows("source: recordings of ours", ours, has_its_chunks);
    if (access("../shared/recordings", R_OK) != 0) {
        print_message("# those of others are not here\n");
        return failed;
    }
    return failed + run_rows("source: recordings of others", reals, has_its_chunks);
}
