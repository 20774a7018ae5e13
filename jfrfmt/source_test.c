#include "jfrfmt/unwrap_testing.h"

#include "jfrfmt/source_window.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* ---- chunks ---- */

static void put_header(struct buf *to, unsigned major, unsigned minor, uint64_t declared)
{
    buf_bytes(to, "FLR", 4);
    buf_be(to, major, 2);
    buf_be(to, minor, 2);
    buf_be(to, declared, 8);
    if (major == 0)
        return;
    for (int i = 0; i < 5; i++)
        buf_be(to, 0, 8);
    buf_be(to, 1000000000, 8);
    buf_be(to, 1, 4);
}

/* n bytes that differ from those of other seeds and contain no header, but for a magic alone. */
static void put_body(struct buf *to, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        buf_byte(to,
                 i >= 20 && i < 24 ? (uint8_t) "FLR"[i - 20] : (uint8_t)(i * 7 + seed + i / 251));
}

/* A version 2.1 chunk of n bytes that says it has `declared`. */
static void put_chunk(struct buf *to, size_t n, uint64_t declared, unsigned seed)
{
    put_header(to, 2, 1, declared);
    put_body(to, n - 68, seed);
}

static void put_chunk_v0(struct buf *to, size_t n, size_t n_metadata)
{
    put_header(to, 0, 9, n - n_metadata);
    put_body(to, n - n_metadata - 16, 9);
    buf_be(to, n_metadata, 4);
    put_body(to, n_metadata - 4, 8);
}

/* ---- what a source gave, as text ---- */

struct story {
    struct buf text; /* "[offset+n of declared]" and "(code@offset chunk: text)" */
    struct buf bytes; /* of all chunks */
};

static bool tell(struct story *s, struct jfr_source *src)
{
    struct jfr_error err = {0};
    struct jfr_raw raw;
    int rc = jfr_source_next(src, &raw, &err);

    if (rc > 0) {
        buf_printf(&s->text, "[%llu+%zu of %llu]", (unsigned long long)raw.offset, raw.n,
                   (unsigned long long)raw.declared);
        buf_bytes(&s->bytes, raw.bytes, raw.n);
        jfr_source_release(src, &raw);
        assert_null(raw.bytes);
        jfr_source_release(src, &raw);
    } else if (rc < 0) {
        assert_int_equal(rc, err.code);
        buf_printf(&s->text, "(%d@%llu %u: %s)", rc, (unsigned long long)err.offset, err.chunk,
                   err.text);
        return !jfr_source_done(src);
    }
    return rc != 0;
}

static struct story story_of(struct jfr_source *src, size_t limit)
{
    struct story s = {0};
    struct jfr_error err = {0};

    assert_non_null(src);
    source_window_of(src)->limit = limit;
    while (tell(&s, src))
        ;
    assert_true(jfr_source_done(src));
    assert_int_equal(jfr_source_next(src, &(struct jfr_raw){0}, &err), 0);
    jfr_source_close(src);
    buf_byte(&s.text, '\0');
    return s;
}

static void story_free(struct story *s)
{
    buf_free(&s->text);
    buf_free(&s->bytes);
}

/* ---- ways to read the same bytes ---- */

typedef struct jfr_source *open_fn(const uint8_t *p, size_t n);

static struct jfr_source *open_memory(const uint8_t *p, size_t n)
{
    return jfr_source_open_mem(p, n, &(struct jfr_error){0});
}

/* Starts behind the file's beginning, as a shell does that has read a line of standard input. */
static struct jfr_source *open_file(const uint8_t *p, size_t n)
{
    int fd = memfd_create("test", MFD_CLOEXEC);

    assert_int_equal(pwrite(fd, p, n, 5000), n);
    assert_int_equal(ftruncate(fd, (off_t)(5000 + n)), 0);
    lseek(fd, 5000, SEEK_SET);
    return jfr_source_open_fd_take(fd, &(struct jfr_error){0});
}

struct job {
    int fd;
    size_t n;
    uint8_t bytes[];
};

static void *write_pieces(void *arg)
{
    struct job *j = arg;

    for (size_t at = 0, i = 1; at < j->n; i++) {
        size_t n = i % 3 == 0 ? 10007 : i % 61;
        ssize_t done = write(j->fd, j->bytes + at, n < j->n - at ? n : j->n - at);

        if (done < 0)
            break;
        at += (size_t)done;
    }
    close(j->fd);
    free(j);
    return NULL;
}

static struct jfr_source *open_pipe(const uint8_t *p, size_t n)
{
    struct job *j = malloc(sizeof(*j) + n);
    int ends[2];
    pthread_t t;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    j->fd = ends[1];
    j->n = n;
    if (n > 0)
        memcpy(j->bytes, p, n);
    assert_int_equal(pthread_create(&t, NULL, write_pieces, j), 0);
    pthread_detach(t);
    return jfr_source_open_fd_take(ends[0], &(struct jfr_error){0});
}

static const struct route {
    const char *name;
    open_fn *open;
    size_t limit;
} routes[] = {
    {"memory", open_memory, SOURCE_IN_MEMORY},
    {"file", open_file, SOURCE_IN_MEMORY},
    {"pipe", open_pipe, SOURCE_IN_MEMORY},
    {"pipe, always in a temporary file", open_pipe, 0},
    {"pipe, early in a temporary file", open_pipe, 777},
    {"pipe, late in a temporary file", open_pipe, 100000},
};
#define N_ROUTES (sizeof(routes) / sizeof(routes[0]))

/* Every route tells the story that memory tells, which is returned. */
static struct story told(const struct buf *in)
{
    struct story first = {0};

    for (size_t i = 0; i < N_ROUTES; i++) {
        struct story s = story_of(routes[i].open(in->p, in->n), routes[i].limit);

        if (i == 0) {
            first = s;
            continue;
        }
        assert_string_equal((char *)s.text.p, (char *)first.text.p);
        assert_int_equal(s.bytes.n, first.bytes.n);
        assert_true(s.bytes.n == 0 || memcmp(s.bytes.p, first.bytes.p, s.bytes.n) == 0);
        story_free(&s);
    }
    return first;
}

/* ---- what is found in what ---- */

static void two(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_chunk(b, 400, 400, 2);
}

static void open_state(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    b->p[64] = 255;
    put_chunk(b, 400, 400, 2);
}

static void garbage_before(struct buf *b)
{
    buf_str(b, "Started recording 1.\nFLR");
    buf_byte(b, 0);
    buf_be(b, 0x0007000000000000, 8);
    two(b);
}

static void much_garbage_before(struct buf *b)
{
    for (int i = 0; i < 3000000; i++)
        buf_byte(b, 'x');
    two(b);
}

static void garbage_between(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    buf_str(b, "garbage");
    put_chunk(b, 400, 400, 2);
}

static void garbage_behind(struct buf *b)
{
    two(b);
    buf_str(b, "garbage");
}

static void zeros_behind(struct buf *b)
{
    two(b);
    for (int i = 0; i < 2000000; i++)
        buf_byte(b, 0);
}

static void no_recording(struct buf *b)
{
    buf_str(b, "<?xml version=\"1.0\"?> this is a longer text that is not a recording at all");
}

static void empty(struct buf *b)
{
    (void)b;
}

static void three_bytes(struct buf *b)
{
    buf_str(b, "FLR");
}

static void header_cut(struct buf *b)
{
    put_header(b, 2, 1, 300);
    b->n = 67;
}

static void second_header_cut(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 2, 1, 300);
    b->n = 340;
}

static void cut(struct buf *b)
{
    two(b);
    b->n -= 100;
}

static void open_chunk_before_another(struct buf *b)
{
    put_chunk(b, 300, 1 << 30, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_0(struct buf *b)
{
    put_chunk(b, 300, 0, 1);
    put_chunk(b, 400, 400, 2);
    put_chunk(b, 200, 0, 3);
}

static void declared_67(struct buf *b)
{
    put_chunk(b, 300, 67, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_68(struct buf *b)
{
    put_chunk(b, 300, 68, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_2_63_less_1(struct buf *b)
{
    put_chunk(b, 300, INT64_MAX, 1);
    put_chunk(b, 400, 400, 2);
}

static void declared_2_64_less_1(struct buf *b)
{
    put_chunk(b, 300, UINT64_MAX, 1);
    put_chunk(b, 400, 400, 2);
}

static void only_headers(struct buf *b)
{
    put_chunk(b, 68, 68, 1);
    put_chunk(b, 68, 68, 2);
}

static void implausible_header_in_damage(struct buf *b)
{
    put_chunk(b, 300, 0, 1);
    put_header(b, 2, 1, 67); /* too small */
    put_header(b, 2, 100, 200); /* minor */
    put_header(b, 2, 1, 200);
    memset(b->p + b->n - 68 + 16, 0xff, 8); /* checkpoint outside */
    put_header(b, 2, 1, 200);
    b->p[b->n - 68 + 31] = 67; /* metadata in the header */
    put_chunk(b, 400, 400, 2);
}

/* JVMs keep copies of a chunk's header in it. */
static void copies_of_the_header_in_damage(struct buf *b)
{
    put_header(b, 2, 1, 2000);
    b->p[39] = 1; /* start, ns */
    for (int i = 0; i < 2; i++) {
        put_body(b, 100, 1);
        buf_reserve(b, 68);
        buf_bytes(b, b->p, 68);
    }
    put_chunk(b, 400, 400, 2);
}

/* An intact chunk may contain whatever it likes, also a whole recording. */
static void recording_in_a_chunk(struct buf *b)
{
    put_header(b, 2, 1, 68 + 700);
    two(b);
    put_chunk(b, 500, 500, 2);
}

static void version_3(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 3, 7, 200);
    put_body(b, 132, 1);
    put_chunk(b, 400, 400, 2);
    put_header(b, 0xffff, 0, 68);
}

static void version_0(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 20, 4);
    put_chunk(b, 300, 300, 1);
    put_chunk_v0(b, 500, 60);
}

static void version_0_cut(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 500, 60);
    b->n -= 56;
}

static void version_0_cut_before_its_size(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    put_chunk_v0(b, 500, 60);
    b->n -= 57;
}

static void version_0_bad(struct buf *b)
{
    put_chunk_v0(b, 500, 60);
    memset(b->p + 8, 0, 8); /* no metadata offset */
    put_chunk_v0(b, 400, 60);
    memset(b->p + 500 + 340, 0xff, 4); /* its size is negative */
    put_chunk_v0(b, 300, 60);
    memset(b->p + 900 + 8, 0xff, 8); /* so large that it is taken for no header */
    put_chunk(b, 300, 300, 1);
}

static void version_0_header_cut(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_header(b, 0, 9, 20);
    b->n -= 1;
}

static const struct row {
    const char *name;
    void (*make)(struct buf *b);
    const char *want;
} rows[] = {
    // clang-format off
    {"two chunks", two, "[0+300 of 300][300+400 of 400]"},
    {"chunk still being written", open_state, "[0+300 of 300][300+400 of 400]"},
    {"only headers", only_headers, "[0+68 of 68][68+68 of 68]"},
    {"garbage before", garbage_before,
     "(-2@0 0: 33 bytes before the first chunk belong to no chunk)[33+300 of 300][333+400 of 400]"},
    {"3 MB of garbage before", much_garbage_before,
     "(-2@0 0: 3000000 bytes before the first chunk belong to no chunk)[3000000+300 of 300][3000300+400 of 400]"},
    {"garbage between", garbage_between, "[0+307 of 300][307+400 of 400]"},
    {"garbage behind", garbage_behind, "[0+300 of 300][300+407 of 400]"},
    {"2 MB of zeros behind", zeros_behind, "[0+300 of 300][300+2000400 of 400]"},
    {"no recording", no_recording, "(-2@0 0: not a JFR recording)"},
    {"empty", empty, "(-3@0 0: file is empty)"},
    {"three bytes", three_bytes, "(-3@0 0: chunk header is cut off: 3 of 68 bytes)"},
    {"header cut", header_cut, "(-3@0 0: chunk header is cut off: 67 of 68 bytes)"},
    {"second header cut", second_header_cut,
     "[0+300 of 300](-3@300 1: chunk header is cut off: 40 of 68 bytes)"},
    {"cut", cut, "[0+300 of 300][300+300 of 400]"},
    {"open chunk before another", open_chunk_before_another,
     "[0+300 of 1073741824][300+400 of 400]"},
    {"declared 0", declared_0, "[0+300 of 0][300+400 of 400][700+200 of 0]"},
    {"declared 67", declared_67, "[0+300 of 67][300+400 of 400]"},
    {"declared 68", declared_68, "[0+300 of 68][300+400 of 400]"},
    {"declared 2^63-1", declared_2_63_less_1, "[0+300 of 9223372036854775807][300+400 of 400]"},
    {"declared 2^64-1", declared_2_64_less_1, "[0+300 of 18446744073709551615][300+400 of 400]"},
    {"copies of the header in damage", copies_of_the_header_in_damage,
     "[0+404 of 2000][404+400 of 400]"},
    {"implausible headers in damage", implausible_header_in_damage,
     "[0+572 of 0][572+400 of 400]"},
    {"recording in an intact chunk", recording_in_a_chunk, "[0+768 of 768][768+500 of 500]"},
    {"version 3", version_3,
     "[0+300 of 300](-4@300 1: version 3.7 is not supported)[500+400 of 400]"
     "(-4@900 2: version 65535.0 is not supported)"},
    {"version 0", version_0,
     "[0+500 of 500][500+20 of 20][520+300 of 300][820+500 of 500]"},
    {"version 0 cut", version_0_cut, "[0+500 of 500][500+444 of 500]"},
    {"version 0 cut before its size", version_0_cut_before_its_size,
     "[0+500 of 500][500+443 of 0]"},
    {"version 0 bad", version_0_bad, "[0+500 of 0][500+700 of 0][1200+300 of 300]"},
    {"version 0 header cut", version_0_header_cut,
     "[0+300 of 300](-3@300 1: chunk header is cut off: 15 of 16 bytes)"},
    // clang-format on
};

static void is_told(void **state)
{
    const struct row *t = *state;
    struct buf in = {0};
    struct story s;

    t->make(&in);
    s = told(&in);
    assert_string_equal((char *)s.text.p, t->want);
    story_free(&s);
    buf_free(&in);
}

/* ---- wrappers ---- */

static void some_recording(struct buf *b)
{
    put_chunk(b, 300, 300, 1);
    put_chunk(b, 200000, 200000, 2);
    put_chunk_v0(b, 5000, 300);
    put_chunk(b, 3000, 1 << 30, 3);
    put_chunk(b, 1000, 1000, 4);
    buf_str(b, "tail");
}

static void wrapped_is_told_as_plain(void **state)
{
    const struct wrapper *w = *state;
    struct buf plain = {0}, packed = {0};
    struct story want, got;

    some_recording(&plain);
    w->wrap(&packed, plain.p, plain.n);
    want = told(&plain);
    got = told(&packed);
    assert_string_equal((char *)got.text.p, (char *)want.text.p);
    assert_memory_equal(got.bytes.p, want.bytes.p, want.bytes.n);
    story_free(&want);
    story_free(&got);
    buf_free(&plain);
    buf_free(&packed);
}

static void damaged_wrapper_is_told_last(void **state)
{
    struct buf plain = {0}, packed = {0};
    struct story s;

    (void)state;
    put_chunk(&plain, 1000, 1000, 1);
    put_chunk(&plain, 1000, 1000, 2);
    wrap_gzip(&packed, plain.p, 1500);
    wrap_gzip(&packed, plain.p + 1500, 500);
    packed.n -= 4;
    s = told(&packed);
    assert_ptr_equal(strstr((char *)s.text.p, "[0+1000 of 1000][1000+1000 of 1000](-3@2000 2: "
                                              "gzip: data ends early at compressed offset "),
                     s.text.p);
    story_free(&s);
    packed.n = 30;
    s = told(&packed);
    assert_non_null(strstr((char *)s.text.p, "gzip: data ends early at compressed offset 30"));
    story_free(&s);
    buf_free(&plain);
    buf_free(&packed);
}

/* ---- cut at every byte ---- */

static void cut_anywhere_loses_no_byte(void **state)
{
    struct buf in = {0};
    size_t n_all;

    (void)state;
    two(&in);
    n_all = in.n;
    for (in.n = 1; in.n <= n_all; in.n++) {
        struct story s = told(&in);
        size_t lost = in.n < 68 ? in.n : in.n > 300 && in.n < 368 ? in.n - 300 : 0;

        assert_int_equal(s.bytes.n, in.n - lost);
        assert_true(s.bytes.n == 0 || memcmp(s.bytes.p, in.p, s.bytes.n) == 0);
        assert_int_equal(strstr((char *)s.text.p, "(-3@") != NULL, lost > 0);
        story_free(&s);
    }
    buf_free(&in);
}

/* ---- many small chunks, held at once, released anywhere ---- */

#define MANY 3000

static void *release_half(void *arg)
{
    struct jfr_raw *raws = arg;

    for (size_t i = 0; i < MANY; i += 2) {
        assert_int_equal(raws[i].bytes[68], (uint8_t)i);
        jfr_source_release(NULL, &raws[i]); /* a block knows all that is needed */
    }
    return NULL;
}

static void may_be_held_and_released_by_threads(void **state)
{
    struct jfr_raw *raws = calloc(MANY, sizeof(*raws));
    struct buf in = {0};
    struct jfr_error err = {0};

    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        put_chunk(&in, 69 + i % 1000, i % 5 == 0 ? 0 : 69 + i % 1000, i);
    for (size_t r = 2; r < N_ROUTES; r++) {
        struct jfr_source *src = routes[r].open(in.p, in.n);
        pthread_t t;

        source_window_of(src)->limit = routes[r].limit == 0 ? 77777 : routes[r].limit;
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(jfr_source_next(src, &raws[i], &err), 1);
            assert_int_equal(raws[i].index, i);
            assert_int_equal(raws[i].n, 69 + i % 1000);
        }
        assert_int_equal(pthread_create(&t, NULL, release_half, raws), 0);
        for (size_t i = 1; i < MANY; i += 2) {
            assert_int_equal(raws[i].bytes[68], (uint8_t)i);
            jfr_source_release(src, &raws[i]);
        }
        pthread_join(t, NULL);
        assert_int_equal(jfr_source_next(src, &raws[0], &err), 0);
        jfr_source_close(src);
    }
    buf_free(&in);
    free(raws);
}

/* ---- files ---- */

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

/* What is there is still told; then comes the error, which ends the source. */
static void expect_io_error(const char *text)
{
    struct buf in = {0};
    struct story s;

    two(&in);
    put_chunk(&in, 50000, 50000, 3);
    s = story_of(open_pipe(in.p, in.n), 1000);
    assert_non_null(strstr((char *)s.text.p, "[0+300 of 300][300+400 of 400][700+"));
    assert_non_null(strstr((char *)s.text.p, "(-1@"));
    assert_non_null(strstr((char *)s.text.p, text));
    story_free(&s);
    buf_free(&in);
}

static void no_temporary_file_is_an_error(void **state)
{
    const char *old = getenv("TMPDIR");
    char *keep = old != NULL ? strdup(old) : NULL;

    (void)state;
    setenv("TMPDIR", "/proc/self", 1);
    expect_io_error("cannot create a temporary file: ");
    keep != NULL ? setenv("TMPDIR", keep, 1) : unsetenv("TMPDIR");
    free(keep);
}

static void full_temporary_file_is_an_error(void **state)
{
    struct rlimit old, small;

    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){20000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    expect_io_error("cannot write a temporary file: File too large");
    setrlimit(RLIMIT_FSIZE, &old);
}

/* ---- real recordings ---- */

static const struct real {
    const char *name;
    unsigned n_chunks;
} reals[] = {
    {"jrockit-era/7u40.jfr", 1},
    {"jrockit-era/8u40.jfr", 1},
    {"jdk/9u0.jfr", 1},
    {"jdk/char_attribute.jfr", 1},
    {"jdk/crash_jdk9.jfr", 1},
    {"jdk/flush_incremental_metadata.jfr", 2},
    {"jdk/full_gc_g1.jfr", 1},
    {"jdk/hotmethods.jfr", 1},
    {"jdk/jdk15.jfr", 2},
    {"jdk/jdk21.jfr", 1},
    {"jdk/overlap.jfr", 1},
    {"jdk/pid1.jfr", 1},
    {"async-profiler/FastSlow_2024_01_16_180855.jfr.gz", 3},
    {"async-profiler/async-profiler.jfr.gz", 1},
    {"async-profiler/cortex-dev-01__kafka-0__cpu__0.jfr.gz", 1},
    {"async-profiler/cortex-dev-01__kafka-0__cpu_lock_alloc__0.jfr.gz", 1},
    {"async-profiler/event-with-type-zero.jfr.gz", 3},
    {"async-profiler/wall_tick_sample.jfr.gz", 1},
    {"datadog/dd-trace-java.jfr.gz", 1},
    {"datadog/new_spancontext.jfr.gz", 1},
    {"datadog/uint64-ref-id.jfr.gz", 1},
    {"damaged/killed.jfr", 3},
    {"damaged/killed1.jfr", 1},
    {"damaged/stripped-checkpoint-mask.jfr", 2},
};

static void has_its_chunks(void **state)
{
    const struct real *t = *state;
    bool is_damaged = strstr(t->name, "killed") != NULL;
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_raw raw;
    uint64_t at = 0;
    char path[300];

    snprintf(path, sizeof(path), "../shared/recordings/%s", t->name);
    if (access(path, R_OK) != 0) {
        print_message("skip %s: not here\n", t->name);
        return;
    }
    src = jfr_source_open(path, &err);
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
        cmocka_unit_test(damaged_wrapper_is_told_last),
        cmocka_unit_test(cut_anywhere_loses_no_byte),
        cmocka_unit_test(may_be_held_and_released_by_threads),
        cmocka_unit_test(chunk_of_more_than_4_gib),
        cmocka_unit_test(memory_follows_the_chunk_not_the_file),
        cmocka_unit_test(shrinking_file_is_no_crash),
        cmocka_unit_test(names_that_cannot_be_opened),
        cmocka_unit_test(file_without_a_size_is_read_as_a_stream),
        cmocka_unit_test(no_temporary_file_is_an_error),
        cmocka_unit_test(full_temporary_file_is_an_error),
    };
    int failed = 0;

    signal(SIGPIPE, SIG_IGN); /* a source may be closed before its writer is done */
    failed += run_rows("source: is told", rows, is_told);
    failed += run_rows("source: wrapped is told as plain", wrappers, wrapped_is_told_as_plain);
    failed += cmocka_run_group_tests_name("source", tests, NULL, NULL);
    failed += run_rows("source: real recordings", reals, has_its_chunks);
    return failed;
}
