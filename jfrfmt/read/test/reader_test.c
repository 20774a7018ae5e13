#include "jfrfmt/test/testing.h"

#include "jfrfmt/read/reader.h"
#include "jfrfmt/test/chunk.h"

#include <fcntl.h>
#include <stdlib.h>

#define TICK 100
#define START_AT 32 /* in the header */

/* A chunk whose class is called `name` and that has n events; event i has the value i. */
static void put_chunk(struct buf *to, const char *name, uint64_t n)
{
    struct tc t;

    tc_begin(&t);
    tc_class(&t, TICK, name, "jdk.jfr.Event");
    tc_field(&t, "value", TC_LONG, 0);
    tc_pool_begin(&t);
    tc_pool_end(&t);
    for (uint64_t i = 0; i < n; i++) {
        tc_event_begin(&t, TICK);
        buf_varint(&t.b, i);
        tc_event_end(&t);
    }
    tc_end(&t);
    tc_poke(&t, START_AT, to->n + 1, 8); /* chunks of one file do not begin at one time */
    buf_bytes(to, t.b.p, t.b.n);
    tc_free(&t);
}

static struct jfr_reader *open_bytes(const struct buf *b)
{
    struct jfr_error err = {0};
    struct jfr_reader *r = jfr_reader_open_source_take(jfr_source_open_mem(b->p, b->n, &err), &err);

    assert_non_null(r);
    return r;
}

/* Writes what comes into `log`: a letter per event (the last of its class's name), !code per error,
 * with the offset of the first error in *offset. */
static void read_all(struct jfr_reader *r, char *log, size_t room, uint64_t *offset)
{
    struct jfr_event ev;
    size_t n = 0;
    int rc;

    *offset = UINT64_MAX;
    while ((rc = jfr_reader_next(r, &ev)) != 0 && n + 4 < room) {
        if (rc > 0) {
            log[n++] = ev.type == NULL ? '?' : ev.type->name[strlen(ev.type->name) - 1];
            continue;
        }
        assert_int_equal(jfr_reader_error(r)->code, rc);
        assert_true(jfr_reader_error(r)->text[0] != '\0');
        if (*offset == UINT64_MAX)
            *offset = jfr_reader_error(r)->offset;
        n += (size_t)snprintf(log + n, room - n, "!%d", -rc);
    }
    log[n] = '\0';
    for (int i = 0; i < 3; i++) /* the end sticks */
        assert_int_equal(jfr_reader_next(r, &ev), 0);
}

/* What lies in the file: letters are chunks of two events of that class; other signs are damage. */
struct file_row {
    const char *name;
    const char *parts;
    const char *log;
    uint64_t offset; /* of the first error, in chunks of one size; UINT64_MAX: none */
};

static const struct file_row files[] = {
    {"one chunk", "a", "aa", UINT64_MAX},
    {"three chunks", "abc", "aabbcc", UINT64_MAX},
    {"garbage between", "a#b", "aa!2bb", 1},
    {"garbage behind", "ab#", "aabb!2", 2},
    {"garbage before", "#ab", "!2aabb", 0},
    {"version 9 in the middle", "aXb", "aa!4bb", 1},
    {"no metadata in the middle", "aMb", "aa!2bb", 1},
    {"event of size 0 in the middle", "aZb", "aaz!2bb", 1},
    {"every second one", "XaXbX", "!4aa!4bb!4", 0},
    {"nothing but damage", "XMX", "!4!2!4", 0},
    {"last chunk cut", "abC", "aabbcc!7", 2},
    {"a chunk without events", "aeb", "aabb", UINT64_MAX},
};

static void put_part(struct buf *b, char part)
{
    char name[] = "a.x";
    size_t at = b->n;

    name[2] = part;
    switch (part) {
    case '#':
        for (int i = 0; i < 100; i++)
            buf_byte(b, '#');
        break;
    case 'X':
        put_chunk(b, "a.x", 2);
        b->p[at + 5] = 9;
        break;
    case 'M': /* the metadata event is of another type */
        put_chunk(b, "a.x", 2);
        b->p[at + b->p[at + 30] * 256u + b->p[at + 31] + 4] = 5;
        break;
    case 'Z': /* behind the checkpoint, of 13 bytes, and one event, of 6 */
        put_chunk(b, "a.z", 2);
        memset(b->p + at + JFR_CHUNK_HEADER_SIZE + 13 + 6, 0, 6);
        break;
    case 'C':
        put_chunk(b, "a.c", 2);
        b->p[at + 13] = 1; /* 64 KiB more than there are */
        break;
    case 'e':
        put_chunk(b, "a.e", 0);
        break;
    default:
        put_chunk(b, name, 2);
        break;
    }
}

static void file_reads_as(void **state)
{
    const struct file_row *row = *state;
    struct buf b = {0};
    uint64_t offset, starts[16] = {0};
    struct jfr_reader *r;
    char log[64];
    size_t n = 0;

    for (const char *p = row->parts; *p != '\0'; p++) {
        starts[n++] = b.n;
        put_part(&b, *p);
    }
    starts[n] = b.n;
    r = open_bytes(&b);
    read_all(r, log, sizeof(log), &offset);
    assert_string_equal(log, row->log);
    if (row->offset == UINT64_MAX)
        assert_true(offset == UINT64_MAX);
    else
        assert_in_range(offset, starts[row->offset], starts[row->offset + 1]);
    jfr_reader_close(r);
    buf_free(&b);
}

static void error_tells_its_chunk(void **state)
{
    struct buf b = {0};
    struct jfr_reader *r;
    struct jfr_event ev;
    int rc;

    (void)state;
    put_part(&b, 'a');
    put_part(&b, 'Z');
    put_part(&b, 'X');
    r = open_bytes(&b);
    while (jfr_reader_next(r, &ev) > 0)
        ;
    assert_int_equal(jfr_reader_error(r)->chunk, 1);
    assert_int_equal(jfr_chunk_header(jfr_reader_chunk(r))->index, 1);
    while ((rc = jfr_reader_next(r, &ev)) > 0)
        ;
    assert_int_equal(rc, JFR_E_UNSUPPORTED);
    assert_int_equal(jfr_reader_error(r)->chunk, 2);
    jfr_reader_close(r);
    buf_free(&b);
}

/* Also where the old format is so broken that nothing of it can be rewritten. */
static void damage_of_an_old_chunk_tells_its_chunk(void **state)
{
    struct buf b = {0};
    struct jfr_reader *r;
    struct jfr_event ev;

    (void)state;
    put_part(&b, 'e');
    buf_bytes(&b, "FLR\0\0\0\0\x09\0\0\0\0\0\0\0\x20", 16);
    for (int i = 0; i < 100; i++)
        buf_byte(&b, 0);
    r = open_bytes(&b);
    assert_true(jfr_reader_next(r, &ev) < 0);
    assert_int_equal(jfr_reader_error(r)->chunk, 1);
    assert_true(jfr_reader_error(r)->offset >= b.n - 116);
    jfr_reader_close(r);
    buf_free(&b);
}

static void events_die_with_their_chunk_but_values_are_right(void **state)
{
    static const char *const want[] = {"value"};
    const struct jfr_plan *plan = NULL;
    const struct jfr_class *cls = NULL;
    uint64_t n = 0;
    struct buf b = {0};
    struct jfr_reader *r;
    struct jfr_event ev;

    (void)state;
    for (int i = 0; i < 5; i++)
        put_chunk(&b, "a.b", 1000);
    r = open_bytes(&b);
    while (jfr_reader_next(r, &ev) > 0) {
        union jfr_value v[1];

        if (n % 1000 == 0 || ev.type != cls) {
            cls = ev.type;
            plan = jfr_plan_new(jfr_reader_chunk(r), cls, want, 1);
        }
        assert_int_equal(jfr_plan_run(plan, ev.body, v, NULL), 0);
        assert_int_equal(v[0].i, n % 1000);
        n++;
    }
    assert_int_equal(n, 5000);
    jfr_reader_close(r);
    buf_free(&b);
}

static void file_that_cannot_be_opened_is_an_error(void **state)
{
    struct jfr_error err = {0};

    (void)state;
    assert_null(jfr_reader_open("there/is/no/such.jfr", &err));
    assert_int_equal(err.code, JFR_E_IO);
    jfr_reader_close(NULL);
}

static void input_that_is_no_recording_is_an_error_then_the_end(void **state)
{
    struct jfr_event ev;
    struct buf b = {0};
    struct jfr_reader *r;

    (void)state;
    for (size_t n = 0; n < 200; n += 40) {
        r = open_bytes(&b);
        assert_int_equal(jfr_reader_next(r, &ev), n == 0 ? JFR_E_SHORT : JFR_E_FORMAT);
        assert_int_equal(jfr_reader_next(r, &ev), 0);
        jfr_reader_close(r);
        for (int i = 0; i < 40; i++)
            buf_byte(&b, 'x');
    }
    buf_free(&b);
}

static void closing_early_leaks_nothing(void **state)
{
    struct buf b = {0};
    struct jfr_event ev;
    struct jfr_reader *r;

    (void)state;
    put_part(&b, 'a');
    put_part(&b, 'b');
    for (int n = 0; n < 6; n++) {
        r = open_bytes(&b);
        for (int i = 0; i < n; i++)
            jfr_reader_next(r, &ev);
        jfr_reader_close(r);
    }
    buf_free(&b);
}

static void system_error_is_final(void **state)
{
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct jfr_reader *r;
    struct jfr_event ev;
    int fd = open("/proc/self/mem", O_RDONLY); /* reading at 0 fails with EIO */

    (void)state;
    src = jfr_source_open_fd_take(fd, &err);
    if (src == NULL) {
        assert_int_equal(err.code, JFR_E_IO);
        return;
    }
    r = jfr_reader_open_source_take(src, &err);
    assert_int_equal(jfr_reader_next(r, &ev), JFR_E_IO);
    assert_int_equal(jfr_reader_next(r, &ev), JFR_E_IO);
    assert_int_equal(jfr_reader_error(r)->code, JFR_E_IO);
    jfr_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_tells_its_chunk),
        cmocka_unit_test(damage_of_an_old_chunk_tells_its_chunk),
        cmocka_unit_test(events_die_with_their_chunk_but_values_are_right),
        cmocka_unit_test(file_that_cannot_be_opened_is_an_error),
        cmocka_unit_test(input_that_is_no_recording_is_an_error_then_the_end),
        cmocka_unit_test(closing_early_leaks_nothing),
        cmocka_unit_test(system_error_is_final),
    };

    return run_rows("reader: files", files, file_reads_as) +
           cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
