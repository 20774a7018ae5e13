#include "recorder/settings/options.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
static const struct time_row {
    const char *name, *text;
    bool ok;
    int64_t ns;
} times[] = {
    {"time_ms", "10ms", true, 10000000},
    {"time_with_blank", "20 ms", true, 20000000},
    {"time_ns", "7ns", true, 7},
    {"time_us", "100us", true, 100000},
    {"time_minutes", "2m", true, 120000000000},
    {"time_hours", "1h", true, 3600000000000},
    {"time_days", "3d", true, 259200000000000},
    {"time_off", "off", true, 0},
    {"time_zero", "0", true, 0},
    {"time_without_unit", "10", false, 0},
    {"time_negative", "-1ms", false, 0},
    {"time_empty", "", false, 0},
    {"time_fraction", "1.5s", true, 1500000000},
    {"time_sum", "1m30s", true, 90000000000},
    {"time_capital", "10MS", false, 0},
    {"time_overflow", "9223372036854775807s", false, 0},
    {"time_unknown_unit", "1week", false, 0},
};

static const struct size_row {
    const char *name, *text;
    bool ok;
    int64_t bytes;
} sizes[] = {
    {"size_bytes", "1000", true, 1000},
    {"size_k", "512k", true, 524288},
    {"size_MB", "2MB", true, 2097152},
    {"size_g", "1g", true, 1073741824},
    {"size_off", "off", true, 0},
    {"size_fraction", "1.5k", true, 1536},
    {"size_word", "big", false, 0},
    {"size_overflow", "9999999999999g", false, 0},
};

static const struct bad_row {
    const char *name, *text, *says;
} bad[] = {
    {"unknown_key", "foo=1", "'foo': unknown"},
    {"twice", "cpu=1ms,cpu=2ms", "given twice"},
    {"needs_value", "file", "needs a value"},
    {"empty_value", "file=", "is empty"},
    {"not_a_time", "cpu=fast", "not a time"},
    {"too_small", "cpu=1ns", "too small"},
    {"too_large", "depth=5000", "too large"},
    {"zero_depth", "depth=0", "too small"},
    {"no_command", "command=begin", "none of start"},
    {"no_flag", "quiet=perhaps", "neither true nor false"},
    {"override_without_value", "jdk.X#enabled", "needs a value"},
    {"a_message_is_one_line", "fo\no\x1b[2J=1", "'fo?o?[2J': unknown"},
    {"long_key_is_cut", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "unknown"},
};

static const struct file_row {
    const char *name, *pattern, *want; /* NULL: refused */
} files[] = {
    {"plain", "/tmp/a.jfr", "/tmp/a.jfr"},
    {"number", "a-%n.jfr", "a-7.jfr"},
    {"percent", "100%%.jfr", "100%.jfr"},
    {"unknown_letter", "a%q", NULL},
    {"percent_at_the_end", "a%", NULL},
    {"nothing", "", NULL},
    {"too_long", "%t%t%t%t%t%t%t%t%t%t", NULL},
};
/* clang-format on */

static void parses_time(void **state)
{
    const struct time_row *row = *state;
    int64_t ns = -1;

    assert_int_equal(rec_parse_time(row->text, &ns), row->ok);
    if (row->ok)
        assert_int_equal(ns, row->ns);
}

static void parses_size(void **state)
{
    const struct size_row *row = *state;
    int64_t bytes = -1;

    assert_int_equal(rec_parse_size(row->text, &bytes), row->ok);
    if (row->ok)
        assert_int_equal(bytes, row->bytes);
}

static void is_refused(void **state)
{
    const struct bad_row *row = *state;
    struct rec_options o;
    char err[200];

    assert_int_equal(rec_options_parse(&o, row->text, err), -1);
    if (strstr(err, row->says) == NULL)
        fail_msg("%s", err);
    assert_null(o.text);
}

static void names_file(void **state)
{
    const struct file_row *row = *state;
    char out[64];
    int rc = rec_options_file(row->pattern, 0, 7, out, sizeof(out));

    assert_int_equal(rc, row->want == NULL ? -1 : 0);
    if (row->want != NULL)
        assert_string_equal(out, row->want);
}

static void options_are_read(void **state)
{
    struct rec_options o;
    char err[200], pid[64], want[64];

    (void)state;
    assert_int_equal(rec_options_parse(&o,
                                       "file=a\\,b-%p.jfr,cpu=1ms,,quiet,jdk.FileRead#threshold=5 "
                                       "ms,maxsize=10m,wall=off",
                                       err),
                     0);
    assert_int_equal(o.command, REC_START);
    assert_string_equal(o.file, "a,b-%p.jfr");
    assert_int_equal(o.cpu, 1000000);
    assert_int_equal(o.wall, 0);
    assert_int_equal(o.max_size, 10 << 20);
    assert_int_equal(o.max_age, REC_UNSET);
    assert_true(o.quiet);
    assert_int_equal(o.n_overrides, 1);
    assert_string_equal(o.overrides[0], "jdk.FileRead#threshold=5 ms");
    snprintf(want, sizeof(want), "a,b-%ld.jfr", (long)getpid());
    assert_int_equal(rec_options_file(o.file, 0, 1, pid, sizeof(pid)), 0);
    assert_string_equal(pid, want);
    rec_options_free(&o);
}

static void none_is_all_right(void **state)
{
    struct rec_options o;
    char err[200];

    (void)state;
    assert_int_equal(rec_options_parse(&o, NULL, err), 0);
    assert_int_equal(o.cpu, REC_UNSET);
    rec_options_free(&o);
    assert_int_equal(rec_options_parse(&o, "", err), 0);
    rec_options_free(&o);
}

static void too_many_overrides_are_refused(void **state)
{
    static char text[REC_OPTIONS_MAX];
    struct rec_options o;
    char err[200];
    size_t n = 0;

    (void)state;
    for (int i = 0; i <= REC_OVERRIDES_MAX; i++)
        n += (size_t)sprintf(text + n, "a#b=%d,", i);
    assert_int_equal(rec_options_parse(&o, text, err), -1);
    assert_non_null(strstr(err, "too many"));
}

static void the_reply_is_found_in_bad_options(void **state)
{
    char out[20];

    (void)state;
    rec_options_reply("command=what,reply=/tmp/r,cpu=1", out, sizeof(out));
    assert_string_equal(out, "/tmp/r");
    rec_options_reply("noreply=/tmp/r", out, sizeof(out));
    assert_string_equal(out, "");
    rec_options_reply(NULL, out, sizeof(out));
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(none_is_all_right),
        cmocka_unit_test(too_many_overrides_are_refused),
        cmocka_unit_test(the_reply_is_found_in_bad_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) + run_rows("times", times, parses_time) +
           run_rows("sizes", sizes, parses_size) + run_rows("bad", bad, is_refused) +
           run_rows("files", files, names_file);
}
