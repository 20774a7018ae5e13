/* formats_test --write FILE writes a recording whose names try to break out of every format, and
 * --opens FILE COMMAND... tells how often a command opens a file, for tools/test/formats_test.sh.
 * Without arguments: unit tests of what formats share. */
#include "convert/formats/format.h"

#include "convert/profile/frame_line.h"
#include "convert/text/gzip.h"
#include "convert/context/trace_link.h"
#include "convert/text/textw.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

/* --- the hostile recording -------------------------------------------------------------------- */

static const char *const hostile[] = {
    "=cmd|' /C calc'!A0",
    "quote\"comma,semi;colon",
    "line\nbreak\r\ttab",
    "</script><!--",
    "\xed\xa0\x80lone",
    "bad\xff\xfeutf8",
    "back\\slash",
    "\x01\x1f\x1e\x7f control",
    "-1+1",
    ("\xe2\x80\xae"
     "evil.txt"),
    "[]{}\"':,",
    "\xf0\x9f\x98\x80 smile",
};

#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))
#define START 1000000000

struct names {
    uint64_t stack, cls;
};

static struct names write_names(struct jfr_writer *w, const char *name, uint64_t thread)
{
    struct jfr_thread_def t = {.os_name = name, .java_name = name, .os_id = 100, .java_id = 1};
    struct jfr_frame frame = {.type_key = JFR_FRAME_JIT, .line = 7};
    struct names n;

    n.cls = jfr_writer_class(w, &(struct jfr_class_def){.name = name});
    frame.method_key = jfr_writer_method(w, n.cls, name, "()V", 1, false);
    n.stack = jfr_writer_stack(w, &frame, 1, false);
    t.os_id += (int64_t)thread;
    t.java_id += (int64_t)thread;
    jfr_writer_thread(w, thread, &t);
    return n;
}

static bool write_hostile(const char *path)
{
    static const struct jfr_field_def sample[] = {
        {"sampledThread", "java.lang.Thread", .flags = JFR_POOLED},
        {"stackTrace", "jdk.types.StackTrace", .flags = JFR_POOLED},
        {"state", "jdk.types.ThreadState", .flags = JFR_POOLED},
        {"web_user", "java.lang.String"},
        {"web_trace_id", "java.lang.String"},
        {"web_span_id", "java.lang.String"}};
    static const struct jfr_field_def read[] = {{"path", "java.lang.String"},
                                                {"bytesRead", "long", .unit = JFR_UNIT_BYTES},
                                                {"web_trace_id", "java.lang.String"}};
    static const struct jfr_type_def types[] = {
        {"jdk.ExecutionSample", JFR_TYPE_EVENT, .fields = sample, .n_fields = 6},
        {"jdk.FileRead", JFR_TYPE_EVENT, .flags = JFR_HAS_DURATION | JFR_HAS_THREAD | JFR_HAS_STACK,
         .fields = read, .n_fields = 3}};
    struct jfr_writer_options options = {
        .replace = true, .start_ticks = START, .start_nanos = INT64_C(1700000000000000000)};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, &options, &err);
    int64_t id = w == NULL ? -1 : jfr_writer_declare(w, types, 2);

    for (size_t i = 0; i < N_HOSTILE && id >= 0; i++) {
        struct names n = write_names(w, hostile[i], i + 1);

        jfr_event_begin(w, id, START + (int64_t)i * 1000000);
        jfr_put_key(w, i + 1);
        jfr_put_key(w, n.stack);
        jfr_put_key(w, JFR_STATE_RUNNABLE);
        jfr_put_string(w, hostile[i]);
        jfr_put_string(w, "4bf92f3577b34da6a3ce929d0e0e4736");
        jfr_put_string(w, "00f067aa0ba902b7");
        jfr_event_end(w);
        jfr_event_begin(w, id + 1, START + (int64_t)i * 1000000);
        jfr_put_long(w, 5000);
        jfr_put_key(w, i + 1);
        jfr_put_key(w, n.stack);
        jfr_put_string(w, hostile[i]);
        jfr_put_long(w, 10);
        jfr_put_string(w, "4bf92f3577b34da6a3ce929d0e0e4736");
        jfr_event_end(w);
    }
    return w != NULL && jfr_writer_close(w, &err) == 0 && id >= 0;
}

/* --- how often an input is read --------------------------------------------------------------- */

/* Closings are asked for too: equal neighbours are told as one. */
static int count_opens(int watch)
{
    static _Alignas(8) char events[1 << 16];
    ssize_t n = read(watch, events, sizeof(events));
    int opens = 0;

    for (ssize_t at = 0; at < n;) {
        struct inotify_event e;

        memcpy(&e, events + at, sizeof(e));
        opens += (e.mask & IN_OPEN) != 0;
        at += (ssize_t)(sizeof(e) + e.len);
    }
    return opens;
}

static int tell_opens(const char *path, char **command)
{
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), status = 1;
    pid_t pid;

    if (watch < 0 || inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE) < 0)
        return 1;
    pid = fork();
    if (pid == 0) {
        execv(command[0], command);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        return 1;
    printf("%d\n", count_opens(watch));
    close(watch);
    return 0;
}

/* --- cells ------------------------------------------------------------------------------------ */

struct cell_row {
    const char *name, *text, *want, *guarded;
};

/* clang-format off */
static const struct cell_row cells[] = {
    {"plain", "abc", "abc", "abc"},
    {"empty", "", "", ""},
    {"comma", "a,b", "\"a,b\"", "\"a,b\""},
    {"quote", "a\"b", "\"a\"\"b\"", "\"a\"\"b\""},
    {"only_quotes", "\"\"", "\"\"\"\"\"\"", "\"\"\"\"\"\""},
    {"newline", "a\nb", "\"a\nb\"", "\"a\nb\""},
    {"blank_at_the_end", "a ", "\"a \"", "\"a \""},
    {"formula", "=1+1", "=1+1", "'=1+1"},
    {"formula_with_quote", "=\"x\"", "\"=\"\"x\"\"\"", "\"'=\"\"x\"\"\""},
    {"at", "@SUM", "@SUM", "'@SUM"},
    {"tab", "\tx", "\tx", "'\tx"},
    {"not_in_front", "a=b", "a=b", "a=b"},
    {"malformed", "a\xff" "b", "a\xef\xbf\xbd" "b", "a\xef\xbf\xbd" "b"},
    {"lone_surrogate", "\xed\xa0\x80", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    {"pair_of_surrogates", "\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
};
/* clang-format on */

static void cell_is_quoted(void **state)
{
    const struct cell_row *row = *state;

    for (int guarded = 0; guarded < 2; guarded++) {
        struct buf b = {0};

        textw_cell(&b, row->text, strlen(row->text), guarded);
        buf_byte(&b, 0);
        assert_string_equal((const char *)b.p, guarded ? row->guarded : row->want);
        buf_free(&b);
    }
}

/* --- links ------------------------------------------------------------------------------------ */

struct link_row {
    const char *name, *key, *text;
    bool trace, span;
    uint8_t last; /* byte of the id that was read */
};

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"

static const struct link_row links[] = {
    {"trace", "trace", TRACE, true, false, 0x36},
    {"trace_id", "tracer-context_trace_id", TRACE, true, false, 0x36},
    {"traceId", "traceId", TRACE, true, false, 0x36},
    {"with_dashes", "trace", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", true, false, 0x36},
    {"not_the_last_word", "backtrace", TRACE, false, false, 0},
    {"too_short", "trace", "4bf92f35", false, false, 0},
    {"too_long", "trace", TRACE "00", false, false, 0},
    {"zeros", "trace", "00000000000000000000000000000000", false, false, 0},
    {"no_digits", "trace", "4bf92f3577b34da6a3ce929d0e0e473g", false, false, 0},
    {"span", "web.span_id", "00f067aa0ba902b7", false, true, 0xb7},
    {"decimal_span", "spanId", "258", false, true, 2},
    {"span_zero", "spanId", "0", false, false, 0},
    {"span_beyond", "spanId", "18446744073709551616", false, false, 0},
    {"span_negative", "spanId", "-1", false, false, 0},
    {"local_root", "localRootSpanId", "258", false, false, 0},
};

static void labels_make_links(void **state)
{
    const struct link_row *row = *state;
    struct trace_link link = {{0}};

    trace_link_add(&link, row->key, row->text);
    assert_int_equal(link.has_trace, row->trace);
    assert_int_equal(link.has_span, row->span);
    if (row->trace || row->span)
        assert_int_equal(link.id[row->trace ? 15 : 23], row->last);
}

/* --- lines ------------------------------------------------------------------------------------ */

struct line_row {
    const char *name, *text;
    int line;
    const char *rest;
};

static const struct line_row lines[] = {
    {"line", "a.B.run:42", 42, "a.B.run"},     {"none", "a.B.run", 0, "a.B.run"},
    {"no_digits", "a.B.run:", 0, "a.B.run:"},  {"only_a_number", ":42", 0, ":42"},
    {"digits_of_the_name", "run2", 0, "run2"}, {"too_long", "a:1234567890", 0, "a:1234567890"},
};

static void line_is_split(void **state)
{
    const struct line_row *row = *state;
    size_t n = strlen(row->text);

    assert_int_equal(frame_line_split(row->text, &n), row->line);
    assert_int_equal(n, strlen(row->rest));
}

/* --- gzip ------------------------------------------------------------------------------------- */

static int keep(struct out *o)
{
    return o->rc;
}

static void packed_bytes_come_back(void **state)
{
    struct out out = {.drain = keep};
    struct gzip *z = gzip_new(&out);
    size_t n = 300000;
    uint8_t *bytes = malloc(n), *back = malloc(n);
    z_stream s = {0};

    (void)state;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * i >> 7);
    for (size_t at = 0; at < n; at += 1000)
        assert_int_equal(gzip_put(z, bytes + at, 1000), 0);
    assert_int_equal(gzip_end(z), 0);
    assert_int_equal(out.b.p[4] | out.b.p[5] | out.b.p[6] | out.b.p[7], 0); /* no time */
    s.next_in = out.b.p;
    s.avail_in = (uInt)out.b.n;
    s.next_out = back;
    s.avail_out = (uInt)n;
    assert_int_equal(inflateInit2(&s, 15 + 16), Z_OK);
    assert_int_equal(inflate(&s, Z_FINISH), Z_STREAM_END);
    assert_memory_equal(bytes, back, n);
    inflateEnd(&s);
    out_free(&out);
    free(bytes);
    free(back);
}

static void formats_are_found(void **state)
{
    (void)state;
    for (const struct format *const *f = format_list(); *f != NULL; f++) {
        assert_ptr_equal(format_named((*f)->name), *f);
        assert_non_null(strstr(format_names(), (*f)->name));
        assert_true(((*f)->profile != NULL) + ((*f)->measures != NULL) + ((*f)->open != NULL) == 1);
    }
    assert_null(format_named("nix"));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_bytes_come_back),
        cmocka_unit_test(formats_are_found),
    };
    int rc;

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_hostile(argv[2]) ? 0 : 1;
    if (argc > 3 && strcmp(argv[1], "--opens") == 0)
        return tell_opens(argv[2], argv + 3);
    rc = run_rows("formats: cells", cells, cell_is_quoted);
    rc |= run_rows("formats: links", links, labels_make_links);
    rc |= run_rows("formats: lines", lines, line_is_split);
    return rc | cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
