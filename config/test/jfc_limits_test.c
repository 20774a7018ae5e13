/* Several files, every bound, every cut, and what is no file. */
#include "config/jfc_testing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static void later_files_win_per_setting(void **state)
{
    struct jfc_error err = {0};
    struct jfc *c = read_text(CONF(EVENT("a.B", SET("x", "1") SET("y", "1"))));
    const char *second = "\n" CONF(EVENT("a.B", SET("y", "2") SET("z", "2")));
    const struct jfc_setting *s;
    const struct jfc_source *f;
    size_t n;

    (void)state;
    assert_int_equal(jfc_read_memory(c, "g.jfc", second, strlen(second), &err), 0);
    assert_settings(c, "a.B#x=1;a.B#y=2;a.B#z=2;");
    s = jfc_settings(c, &n);
    assert_string_equal(s[0].from, "f.jfc");
    assert_int_equal(s[0].line, 1);
    assert_string_equal(s[1].from, "g.jfc");
    assert_int_equal(s[1].line, 2);
    f = jfc_sources(c, &n);
    assert_int_equal(n, 2);
    assert_string_equal(f[1].name, "g.jfc");
    jfc_warnings(c, &n);
    assert_int_equal(n, 0); /* another file may say something else */
    jfc_free(c);
}

static void attribute_of_a_later_file_beats_setting_of_an_earlier(void **state)
{
    const char *second = CONF("<event name='a.B' withContext='false'/>");
    struct jfc *c = read_text(CONF(EVENT("a.B", SET("withContext", "true"))));
    struct jfc_error err = {0};

    (void)state;
    assert_int_equal(jfc_read_memory(c, "g.jfc", second, strlen(second), &err), 0);
    assert_settings(c, "a.B#withContext=false;");
    jfc_free(c);
}

static void attributes_of_the_configuration(void **state)
{
    struct jfc *c = read_text("<configuration version='2.0' label='a &amp; &#38;#38; &lt;b&gt;' "
                              "description='&quot;' x:provider='no' xmlns:x='u'/>");
    size_t n;
    const struct jfc_source *f = jfc_sources(c, &n);

    (void)state;
    assert_int_equal(n, 1);
    assert_string_equal(f->version, "2.0");
    assert_string_equal(f->label, "a & &#38; <b>");
    assert_string_equal(f->description, "\"");
    assert_null(f->provider);
    jfc_free(c);
}

static void absent_settings_are_null(void **state)
{
    struct jfc *c = jfc_new();
    size_t n;

    (void)state;
    assert_null(jfc_get(c, "a.B", "x"));
    jfc_settings(c, &n);
    assert_int_equal(n, 0);
    jfc_free(c);
    jfc_free(NULL);
    c = read_text(CONF(EVENT("a.B", SET("x", "1"))));
    assert_null(jfc_get(c, "a.B", "y"));
    assert_null(jfc_get(c, "a.B#x", ""));
    jfc_free(c);
}

/* A text that is begun, repeated and ended. */
struct size_row {
    const char *name;
    const char *begin, *repeated, *end;
    size_t most; /* repetitions that are read; one more is refused */
    const char *message;
};

/* clang-format off */
static const struct size_row sizes[] = {
    {"depth", "<configuration version='2.0'>", "<category>", "", JFC_DEPTH_MAX - 1, "more than 32 elements inside"},
    {"depth in a control", "<configuration version='2.0'><control>", "<or>", "", JFC_DEPTH_MAX - 2, "more than 32 elements inside"},
    {"events", "<configuration version='2.0'>", "<event name='a.B'/>", "</configuration>", 4096, "more than 4096 events"},
    {"settings of an event", "<configuration version='2.0'><event name='a.B'>", "<setting name='x'/>", "</event></configuration>", 64, "more than 64 settings of a.B"},
    {"value", "<configuration version='2.0'><event name='a.B'><setting name='x'>", "y", "</setting></event></configuration>", JFC_TEXT_MAX, "value of more than 4096 bytes"},
    {"value in pieces", "<configuration version='2.0'><event name='a.B'><setting name='x'>", "<!-- -->y", "</setting></event></configuration>", JFC_TEXT_MAX, "value of more than 4096 bytes"},
    {"name", "<configuration version='2.0'><event name='", "y", "'/></configuration>", JFC_NAME_MAX, "is too long"},
    {"name of a setting", "<configuration version='2.0'><event name='a.B'><setting name='", "y", "'/></event></configuration>", JFC_NAME_MAX, "is too long"},
    {"label", "<configuration version='2.0' label='", "y", "'/>", JFC_TEXT_MAX, "label of more than 4096 bytes"},
    {"withContext", "<configuration version='2.0'><event name='a.B' withContext='true", " ", "'/></configuration>", JFC_TEXT_MAX - 4, "withContext of more than 4096"},
    {"file", "<configuration version='2.0'/>", " ", "", JFC_FILE_MAX - 30, "more than 1048576 bytes"},
};
/* clang-format on */

static int read_repeated(const struct size_row *t, size_t times, struct jfc_error *err)
{
    size_t begin = strlen(t->begin), one = strlen(t->repeated), end = strlen(t->end);
    char *text = malloc(begin + times * one + end);
    struct jfc *c = jfc_new();
    int rc;

    assert_non_null(text);
    memcpy(text, t->begin, begin);
    for (size_t i = 0; i < times; i++)
        memcpy(text + begin + i * one, t->repeated, one);
    memcpy(text + begin + times * one, t->end, end);
    rc = jfc_read_memory(c, "f.jfc", text, begin + times * one + end, err);
    free(text);
    jfc_free(c);
    return rc;
}

static void size_row(void **state)
{
    const struct size_row *t = *state;
    struct jfc_error err = {0};

    read_repeated(t, t->most, &err);
    if (strstr(t->name, "depth") == NULL) /* these are never closed */
        assert_string_equal(err.text, "");
    assert_null(strstr(err.text, t->message));
    err = (struct jfc_error){0};
    assert_true(read_repeated(t, t->most + 1, &err) < 0);
    assert_contains(err.text, t->message);
    err = (struct jfc_error){0};
    assert_true(read_repeated(t, t->most + 100000, &err) < 0);
    assert_string_not_equal(err.text, "");
}

static void settings_of_all_files_are_bounded(void **state)
{
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};
    char text[64];
    size_t n;

    (void)state;
    for (int i = 0; i < JFC_SETTINGS_MAX; i++) {
        snprintf(text, sizeof(text), "+a.B%d#x=%d", i, i);
        assert_int_equal(jfc_override(c, text, "-s", &err), 0);
    }
    assert_int_equal(jfc_override(c, "a.B7#x=new", "-s", &err), 0);
    assert_string_equal(jfc_get(c, "a.B7", "x"), "new");
    assert_string_equal(jfc_get(c, "a.B16383", "x"), "16383");
    assert_int_equal(jfc_override(c, "+a.C#x=1", "-s", &err), JFC_E_LIMIT);
    assert_contains(err.text, "more than 16384 settings");
    jfc_settings(c, &n);
    assert_int_equal(n, JFC_SETTINGS_MAX);
    jfc_free(c);
}

static void warnings_are_bounded_and_counted(void **state)
{
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};
    char text[64];
    size_t n;
    const struct jfc_warning *w;

    (void)state;
    for (int i = 0; i < 150; i++) {
        snprintf(text, sizeof(text), "+a.B%d#period=1 ns", i);
        assert_int_equal(jfc_override(c, text, "-s", &err), 0);
    }
    w = jfc_warnings(c, &n);
    assert_int_equal(n, 150);
    assert_contains(w[JFC_WARNINGS_MAX - 1].text, "a.B99#");
    jfc_free(c);
}

static void values_of_overrides_are_bounded(void **state)
{
    char text[JFC_TEXT_MAX + 20] = "+a.B#x=";
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};

    (void)state;
    memset(text + 7, 'y', JFC_TEXT_MAX);
    assert_int_equal(jfc_override(c, text, "-s", &err), 0);
    text[7 + JFC_TEXT_MAX] = 'y';
    assert_int_equal(jfc_override(c, text, "-s", &err), JFC_E_LIMIT);
    jfc_free(c);
}

static const char sample[] =
    "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n"
    "<configuration version=\"2.0\" label=\"a &amp; b\" provider=\"p\">\n"
    "<category label=\"c\"><event name=\"jdk.FileRead\" withContext=\"true\">\n"
    "<setting name=\"enabled\" control=\"c\">true</setting>"
    "<setting name=\"threshold\">1<![CDATA[0]]> &#109;s</setting></event></category>\n"
    "<event name=\"jdk.FileReed\"><setting name=\"period\">1 us</setting></event><odd/>\n"
    "<control><flag name=\"f\">true</flag></control>\n</configuration>\n<!-- end -->";

/* No beginning is taken for the whole, and none is read beyond its end. */
static void cut_at_every_byte(void **state)
{
    size_t whole = (size_t)(strstr(sample, "</configuration>") - sample) + 16;

    (void)state;
    for (size_t n = 0; n <= sizeof(sample) - 1; n++) {
        struct guarded g = guarded_copy(sample, n, 0);
        struct jfc_error err = {0};
        struct jfc *c = jfc_new();
        int rc = jfc_read_memory(c, "f.jfc", g.bytes, g.n, &err);

        if (n < whole || (n > whole + 1 && n < sizeof(sample) - 1))
            assert_int_equal(rc, JFC_E_FORMAT);
        else
            assert_int_equal(rc, 0);
        assert_int_equal(rc == 0, err.text[0] == '\0');
        jfc_free(c);
        guarded_free(&g);
    }
}

static void nul_at_every_byte(void **state)
{
    char text[sizeof(sample)];

    (void)state;
    for (size_t i = 0; i < sizeof(sample) - 1; i++) {
        struct jfc_error err = {0};
        struct jfc *c = jfc_new();

        memcpy(text, sample, sizeof(sample));
        text[i] = '\0';
        assert_int_equal(jfc_read_memory(c, "f.jfc", text, sizeof(text) - 1, &err), JFC_E_FORMAT);
        jfc_free(c);
    }
}

struct bytes_row {
    const char *name;
    const char *bytes;
    size_t n;
    const char *message;
    unsigned line;
};

/* clang-format off */
static const struct bytes_row encodings[] = {
    {"nothing", NULL, 0, "empty", 1},
    {"UTF-16 with mark", "\xff\xfe<\0c\0", 6, "UTF-16", 1},
    {"UTF-16, big-endian, with mark", "\xfe\xff\0<\0c", 6, "UTF-16", 1},
    {"UTF-16", "<\0c\0o\0", 6, "UTF-16", 1},
    {"UTF-32, big-endian", "\0\0\0<\0\0\0c", 8, "UTF-32", 1},
    {"UTF-32 with mark", "\xff\xfe\0\0<\0\0\0", 8, "UTF-32", 1},
    {"EBCDIC", "\x4c\x6f\xa7\x94\x93\x40", 6, "", 1},
    {"UTF-7", "+/v8-+ADw-", 10, "", 1},
    {"NUL in line 3", "<a>\n\n\0</a>", 10, "NUL byte", 3},
};
/* clang-format on */

static void encoding_row(void **state)
{
    const struct bytes_row *t = *state;
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();

    assert_int_equal(jfc_read_memory(c, "f.jfc", t->bytes, t->n, &err), JFC_E_FORMAT);
    assert_contains(err.text, t->message);
    assert_int_equal(err.line, t->line);
    jfc_free(c);
}

struct file_row {
    const char *name;
    const char *path; /* NULL: a pipe nobody writes to */
    int error; /* errno, or 0 and */
    const char *message;
};

static const struct file_row files[] = {
    {"absent", "/nonexistent/x.jfc", ENOENT},
    {"directory", "/tmp", 0, "not a regular file"},
    {"device", "/dev/zero", 0, "not a regular"},
    {"pipe", NULL, 0, "not a regular file"},
    {"no name", "", ENOENT},
};

static void file_row(void **state)
{
    const struct file_row *t = *state;
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();
    char dir[] = "/tmp/jfc_test.XXXXXX", pipe_path[64];
    const char *path = t->path;

    if (path == NULL) {
        assert_non_null(mkdtemp(dir));
        snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", dir);
        assert_int_equal(mkfifo(pipe_path, 0600), 0);
        path = pipe_path;
    }
    assert_int_equal(jfc_read_file(c, path, &err), JFC_E_IO);
    assert_ptr_equal(err.file, path);
    assert_int_equal(err.line, 0);
    assert_contains(err.text, t->error != 0 ? strerror(t->error) : t->message);
    if (t->path == NULL) {
        unlink(pipe_path);
        rmdir(dir);
    }
    jfc_free(c);
}

/* Only what stands in the file system can say more than JFC_FILE_MAX. */
static void files_are_bounded(void **state)
{
    char path[] = "/tmp/jfc_test.XXXXXX";
    int fd = mkstemp(path);
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, sample, sizeof(sample) - 1), sizeof(sample) - 1);
    assert_int_equal(jfc_read_file(c, path, &err), 0);
    assert_string_equal(jfc_get(c, "jdk.FileRead", "threshold"), "10 ms");
    assert_int_equal(ftruncate(fd, (off_t)JFC_FILE_MAX + 1), 0);
    assert_int_equal(jfc_read_file(c, path, &err), JFC_E_LIMIT);
    assert_string_equal(err.text, "more than 1048576 bytes");
    assert_int_equal(close(fd), 0);
    unlink(path);
    jfc_free(c);
}

static void the_first_error_stays(void **state)
{
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();

    (void)state;
    jfc_read_file(c, "/nonexistent/x.jfc", &err);
    assert_int_equal(jfc_override(c, "nonsense", "-s", &err), JFC_E_IO);
    assert_string_equal(err.text, strerror(ENOENT));
    jfc_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_files_win_per_setting),
        cmocka_unit_test(attribute_of_a_later_file_beats_setting_of_an_earlier),
        cmocka_unit_test(attributes_of_the_configuration),
        cmocka_unit_test(absent_settings_are_null),
        cmocka_unit_test(settings_of_all_files_are_bounded),
        cmocka_unit_test(warnings_are_bounded_and_counted),
        cmocka_unit_test(values_of_overrides_are_bounded),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(nul_at_every_byte),
        cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(the_first_error_stays),
    };

    return cmocka_run_group_tests_name("jfc: merging and bounds", tests, NULL, NULL) +
           run_rows("jfc: sizes", sizes, size_row) +
           run_rows("jfc: encodings", encodings, encoding_row) +
           run_rows("jfc: no files", files, file_row);
}
