/* What is lost is told in the file, by reason and with its exact number, and in the status. */
#include "recorder/agent/session_report.h"

#include "jfrfmt/jfr.h"
#include "jfrfmt/test/testing.h"
#include "recorder/settings/settings.h"
#include "recorder/base/walker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static char path[64];
static struct session s;
static struct rec_options options;
static const struct walker walker = {.name = "test"};

static void begin(void)
{
    struct jfr_error err = {0};

    memset(&s, 0, sizeof(s));
    s.settings = settings_new(NULL);
    s.r = (struct recording){
        .writer = jfr_writer_open(path, &(struct jfr_writer_options){.replace = true}, &err),
        .options = &options,
        .settings = s.settings,
        .types = s.types,
        .walker = &walker,
        .file = path,
        .start_ticks = jfr_writer_now()};
    assert_non_null(s.r.writer);
    assert_int_equal(jdk_types_declare(s.r.writer, s.types, NULL), 0);
    report_open(&s);
}

static void report(void)
{
    report_losses(&s, jfr_writer_now());
}

static void finish(void)
{
    assert_int_equal(jfr_writer_close(s.r.writer, NULL), 0);
    settings_free(s.settings);
}

/* --- what the file says --- */

static struct told {
    uint64_t n, count, total; /* events, the sum of theirs, the last of theirs */
} told[LOST_N], bytes;

static enum lost_reason reason_of(struct jfr_str name)
{
    for (int i = 0; i < LOST_N; i++)
        if (jfr_str_equals(name, lost_name((enum lost_reason)i)))
            return (enum lost_reason)i;
    fail_msg("a reason that there is not");
    return LOST_N;
}

static void add(struct told *t, struct cursor *body)
{
    t->n++;
    t->count += cur_varint(body);
    t->total = cur_varint(body);
    assert_true(cur_ok(body));
}

static void read_file(void)
{
    struct jfr_error err = {0};
    struct jfr_reader *r = jfr_reader_open(path, &err);
    struct jfr_event ev;
    int rc;

    assert_non_null(r);
    memset(told, 0, sizeof(told));
    memset(&bytes, 0, sizeof(bytes));
    while ((rc = jfr_reader_next(r, &ev)) > 0) {
        if (ev.type == NULL)
            continue;
        cur_varint(&ev.body); /* when */
        if (strcmp(ev.type->name, "jfrkit.EventLoss") == 0)
            add(&told[reason_of(jfr_str_read(&ev.body))], &ev.body);
        else if (strcmp(ev.type->name, "jdk.DataLoss") == 0)
            add(&bytes, &ev.body);
    }
    assert_int_equal(rc, 0);
    jfr_reader_close(r);
}

static void expect(const struct told *t, uint64_t n, uint64_t all)
{
    assert_int_equal(t->n, n);
    assert_int_equal(t->count, all);
    assert_int_equal(t->total, all);
}

/* --- tests --- */

static uint64_t number_of(enum lost_reason reason)
{
    return 3 + 2 * (uint64_t)reason;
}

static void each_reason_is_told_with_its_number(void **state)
{
    (void)state;
    lost_record(LOST_FULL, 1000, 1000); /* before the recording */
    begin();
    for (int i = 0; i < LOST_N; i++)
        lost_record((enum lost_reason)i, number_of((enum lost_reason)i), 100);
    report();
    report(); /* nothing new */
    lost_record(LOST_WAITS, 5, 0);
    report();
    finish();
    read_file();
    for (int i = 0; i < LOST_N; i++)
        if (i != LOST_WAITS)
            expect(&told[i], 1, number_of((enum lost_reason)i));
    expect(&told[LOST_WAITS], 2, number_of(LOST_WAITS) + 5);
    expect(&bytes, 1, 100 * LOST_N);
}

static void the_status_says_the_same(void **state)
{
    struct buf status = {0};
    uint64_t sum = 0;
    char line[100];

    (void)state;
    begin();
    for (int i = 0; i < LOST_N; i += 2) {
        lost_add((enum lost_reason)i, number_of((enum lost_reason)i));
        sum += number_of((enum lost_reason)i);
    }
    report_status(&s, "running", &status);
    buf_byte(&status, 0);
    snprintf(line, sizeof(line), "\nlost: %llu\n", (unsigned long long)sum);
    assert_non_null(strstr((const char *)status.p, line));
    for (int i = 0; i < LOST_N; i++) {
        snprintf(line, sizeof(line), "\nlost (%s): %llu\n", lost_name((enum lost_reason)i),
                 (unsigned long long)number_of((enum lost_reason)i));
        assert_true((strstr((const char *)status.p, line) != NULL) == (i % 2 == 0));
    }
    buf_free(&status);
    finish();
}

/* An event without its fields. */
static void what_the_writer_refuses_is_told(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        jfr_event_begin(s.r.writer, s.types[EV_DATA_LOSS], jfr_writer_now());
        assert_true(jfr_event_end(s.r.writer) < 0);
    }
    report();
    finish();
    read_file();
    expect(&told[LOST_REFUSED], 1, 3);
}

/* The file may not grow: as a full disk, at a moment that is known. */
static void disk_is_full(bool is_full)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = is_full ? 1 : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Losses are told again where the events that told of them are lost as well. */
static void what_a_full_disk_takes_is_told_when_there_is_room(void **state)
{
    (void)state;
    begin();
    lost_record(LOST_FULL, 7, 70);
    report();
    assert_int_equal(jfr_writer_flush(s.r.writer, 0), 0);
    lost_record(LOST_FULL, 4, 40);
    lost_record(LOST_BUSY, 6, 60);
    report();
    disk_is_full(true);
    assert_true(jfr_writer_flush(s.r.writer, 0) < 0);
    report(); /* to nobody */
    disk_is_full(false);
    assert_int_equal(jfr_writer_retry(s.r.writer), 0);
    report();
    finish();
    read_file();
    expect(&told[LOST_FULL], 2, 11);
    expect(&told[LOST_BUSY], 1, 6);
    expect(&bytes, 2, bytes.total);
    assert_true(bytes.total > 170); /* and what the writer lost */
    /* three events of the first report that was lost, and those of the other one */
    expect(&told[LOST_WRITER], 1, told[LOST_WRITER].total);
    assert_true(told[LOST_WRITER].total >= 3);
}

static int init(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof(path), "/tmp/report-%d.jfr", (int)getpid());
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    return unlink(path) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_is_told_with_its_number),
        cmocka_unit_test(the_status_says_the_same),
        cmocka_unit_test(what_the_writer_refuses_is_told),
        cmocka_unit_test(what_a_full_disk_takes_is_told_when_there_is_room),
    };

    return cmocka_run_group_tests(tests, init, clean_up);
}
