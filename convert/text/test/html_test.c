#include "convert/text/html.h"

#include "jfrfmt/test/testing.h"

struct row {
    const char *name;
    const char *text;
    size_t n;
    const char *want;
};

#define TEXT(text) text, sizeof(text) - 1

/* clang-format off */
static const struct row rows[] = {
    {"nothing", TEXT(""), ""},
    {"plain", TEXT("com.acme.Foo$Bar"), "com.acme.Foo$Bar"},
    {"markup", TEXT("<init> & \"x\" 'y'"), "&lt;init&gt; &amp; &quot;x&quot; &#39;y&#39;"},
    {"end of a script", TEXT("</script><!--"), "&lt;/script&gt;&lt;!--"},
    {"control characters", TEXT("a\0\t\n\x1b[1m\x7f"), "a\xe2\x90\x80\xe2\x90\x89\xe2\x90\x8a\xe2\x90\x9b[1m\xe2\x90\xa1"},
    {"C1 control characters", TEXT("\xc2\x85\xc2\x9b\xc2\xa0"), "\\u0085\\u009b\xc2\xa0"},
    {"direction marks", TEXT("x\xe2\x80\xaegpj.exe\xe2\x81\xa6\xd8\x9c"), "x\\u202egpj.exe\\u2066\\u061c"},
    {"line separators", TEXT("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029"},
    {"other writing", TEXT("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"},
    {"pair in six bytes", TEXT("\xed\xa0\xbd\xed\xb8\x80"), "\xf0\x9f\x98\x80"},
    {"half a pair", TEXT("\xed\xa0\xbdx"), "\\ud83dx"},
    {"malformed", TEXT("\xff\xc3(\xf0\x9f"), "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd"},
    {"overlong <", TEXT("\xc0\xbc"), "\xef\xbf\xbd\xef\xbf\xbd"},
};
/* clang-format on */

static void attr(void **state)
{
    const struct row *t = *state;
    struct guarded g = guarded_copy(t->text, t->n, 0);
    struct buf b = {0};

    html_attr(&b, (char *)g.bytes, g.n);
    buf_byte(&b, '\0');
    assert_true(buf_ok(&b));
    assert_string_equal((char *)b.p, t->want);
    buf_free(&b);
    guarded_free(&g);
}

static void quotes_stay_in_text(void **state)
{
    struct buf b = {0};

    (void)state;
    html_text(&b, "\"<'>", 5);
    buf_byte(&b, 0);
    assert_string_equal((char *)b.p, "\"&lt;'&gt;\xe2\x90\x80");
    buf_free(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_stay_in_text),
    };

    return run_rows("html: attributes", rows, attr) +
           cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
