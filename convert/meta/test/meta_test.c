#include "convert/meta/meta.h"

#include "convert/test/summary_testing.h"
#include "jfrfmt/test/testing.h"

static const struct made_element types[] = {
    {0, "class", "name=long|id=11"},
    {0, "class", "name=int|id=10"},
    {0, "class", "name=java.lang.String|id=20"},
    {0, "class", "name=jdk.jfr.Label|superType=java.lang.annotation.Annotation|id=200"},
    {1, "field", "name=value|class=20"},
    {0, "class", "name=jdk.jfr.Category|superType=java.lang.annotation.Annotation|id=201"},
    {1, "field", "name=value|class=20|dimension=1"},
    {0, "class", "name=my.Two|superType=java.lang.annotation.Annotation|id=202"},
    {1, "field", "name=b|class=10"},
    {1, "field", "name=a|class=20"},
    {0, "class", "name=jdk.jfr.Unsigned|superType=java.lang.annotation.Annotation|id=203"},
    {0, "class", "name=jdk.jfr.Name|superType=java.lang.annotation.Annotation|id=204"},
    {1, "field", "name=value|class=20"},
    {0, "class", "name=jdk.types.Kind|id=30|simpleType=true"},
    {1, "field", "name=name|class=20"},
    {0, "class", "name=my.pack.Event|superType=jdk.jfr.Event|id=100"},
    {1, "setting", "name=period|class=20|defaultValue=1 s"},
    {1, "field", "name=startTime|class=11"},
    {1, "field", "name=kind|class=30|constantPool=true"},
    {1, "field", "name=values|class=10|dimension=1"},
    {2, "annotation", "class=203"},
    {1, "annotation", "class=204|value=my.pack.Event"},
    {1, "annotation", "class=200|value=An \"event\""},
    {1, "annotation", "class=201|value-0=Mine|value-1=Part"},
    {1, "annotation", "class=202|a=x|b=7"},
    {0, "class", "name=my.Other|superType=jdk.jfr.Event|id=101"},
    {1, "field", "name=startTime|class=11"},
    {1, "annotation", "class=201|value-0=Mine"},
    {0, "class", "name=plain|superType=jdk.jfr.Event|id=102"},
    {1, "field", "name=startTime|class=11"},
};

/* my.Other has a field more, plain is gone, id 101 means another type. */
static const struct made_element later[] = {
    {0, "class", "name=long|id=11"},
    {0, "class", "name=java.lang.String|id=20"},
    {0, "class", "name=my.Other|superType=jdk.jfr.Event|id=105"},
    {1, "field", "name=startTime|class=11"},
    {1, "field", "name=more|class=20"},
    {0, "class", "name=my.New|superType=jdk.jfr.Event|id=101"},
    {1, "field", "name=startTime|class=11"},
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void first_chunk(struct buf *to)
{
    struct made m = {0};

    made_event(&m, 100, "\x05\x01\x02\x07\x08", 5);
    made_event(&m, 100, "\x06\x01\0", 3);
    made_event(&m, 101, "\x07", 1);
    made_chunk(to, &m, types, N(types), 0);
}

static void later_chunk(struct buf *to)
{
    struct made m = {0};

    made_event(&m, 105, "\x01\x01", 2);
    made_event(&m, 101, "\x02", 1);
    made_chunk(to, &m, later, N(later), 60);
}

/* What the options make of one or two recordings, as a string that the caller frees. */
static char *shown(const struct buf *bytes, const struct buf *other, struct meta_options options)
{
    char path[32], other_path[32];
    const char *paths[] = {path, other_path}, *err_path;
    struct run_options run = {.paths = paths, .n_paths = other == NULL ? 1 : 2};
    struct out out = made_out();
    struct run_result result;
    struct jfr_error err = {0};
    struct run_job job;
    struct meta *m;

    made_file(bytes, path);
    if (other != NULL) {
        made_file(other, other_path);
        options.diff = other_path;
    }
    m = meta_new(&options);
    job = meta_job(m);
    assert_int_equal(run_all(&run, &job, NULL, &result, &err, &err_path), 0);
    assert_int_equal(meta_end(m, &out), 0);
    buf_byte(&out.b, 0);
    assert_true(buf_ok(&out.b));
    meta_free(m);
    unlink(path);
    if (other != NULL)
        unlink(other_path);
    return (char *)out.b.p;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" in:\n%s", part, text);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static void text_is_that_of_the_jdk(void **state)
{
    static const char event[] = "@Name(\"my.pack.Event\")\n"
                                "@Label(\"An \"event\"\")\n"
                                "@Category({\"Mine\", \"Part\"})\n"
                                "@Two(b=7, a=\"x\")\n"
                                "class Event extends jdk.jfr.Event {\n"
                                "  long startTime;\n"
                                "\n"
                                "  String kind;\n"
                                "\n"
                                "  @Unsigned\n"
                                "  int[] values;\n"
                                "}\n"
                                "\n";
    struct buf b = {0};
    char *text;

    (void)state;
    first_chunk(&b);
    text = shown(&b, NULL, (struct meta_options){0});
    has(text, event);
    has(text, "@Name(\"my.Other\")\n@Category(\"Mine\")\nclass Other extends");
    has(text, "\n\nclass plain extends jdk.jfr.Event {\n");
    assert_ptr_equal(strstr(text, "class int {\n}\n\nclass long {"), text);
    assert_true(strstr(text, "class plain") < strstr(text, "class Other"));
    assert_true(strstr(text, "class Other") < strstr(text, "class Event"));
    free(text);
    buf_free(&b);
}

static void filters(void **state)
{
    static const struct {
        const char *events, *categories;
        int compat;
        bool other, event, plain;
    } rows[] = {
        {"Other", NULL, 0, true, false, false},
        {"my.*", NULL, 0, true, true, false},
        {"/^my.(pack|none)/", NULL, 0, false, true, false},
        {"plain,Event", NULL, 0, false, true, true},
        {NULL, "Part", 0, false, true, false},
        {NULL, "Mine", 0, true, true, false},
        {"Other", "Mine", 0, true, false, false},
        {"plain", "Part", 0, false, false, false},
        {"plain", "Part", 17, false, true, true},
        {"plain", "Part", 25, false, false, false},
        {"Other", "Mine", 25, true, false, false},
    };
    struct buf b = {0};

    (void)state;
    first_chunk(&b);
    for (size_t i = 0; i < N(rows); i++) {
        struct meta_options o = {.compat = rows[i].compat};
        struct jfr_error err = {0};
        char *text;

        if (rows[i].events != NULL)
            assert_int_equal(meta_patterns_add(&o.events, rows[i].events, &err), 0);
        if (rows[i].categories != NULL)
            assert_int_equal(meta_patterns_add(&o.categories, rows[i].categories, &err), 0);
        text = shown(&b, NULL, o);
        assert_int_equal(strstr(text, "class Other") != NULL, rows[i].other);
        assert_int_equal(strstr(text, "class Event") != NULL, rows[i].event);
        assert_int_equal(strstr(text, "class plain") != NULL, rows[i].plain);
        lacks(text, "class long");
        free(text);
        meta_patterns_free(&o.events);
        meta_patterns_free(&o.categories);
    }
    buf_free(&b);
}

static void chunks_are_united_by_name_and_for_a_jdk_by_id(void **state)
{
    struct buf b = {0};
    char *text;

    (void)state;
    first_chunk(&b);
    later_chunk(&b);
    text = shown(&b, NULL, (struct meta_options){0});
    has(text, "class New");
    assert_int_equal(count(text, "class Other"), 2);
    assert_int_equal(count(text, "class long"), 1);
    has(text, "// layout 2 of this type");
    free(text);
    text = shown(&b, NULL, (struct meta_options){.compat = 25});
    lacks(text, "class New");
    assert_int_equal(count(text, "class Other"), 2);
    lacks(text, "//");
    free(text);
    buf_free(&b);
}

static void used_types_with_counts_and_settings(void **state)
{
    struct buf b = {0};
    char *text;

    (void)state;
    first_chunk(&b);
    text = shown(&b, NULL, (struct meta_options){.used = true, .settings = true, .ids = true});
    has(text, "// type id 100\n// 2 events, 18 bytes, 0.2/s\n// setting period, default 1 s\n");
    has(text, "  String kind; // type id 30, constant pool\n");
    lacks(text, "class plain");
    lacks(text, "class long");
    free(text);
    buf_free(&b);
}

static void differences(void **state)
{
    struct buf a = {0}, b = {0};
    char *text;

    (void)state;
    first_chunk(&a);
    later_chunk(&b);
    text = shown(&a, &b, (struct meta_options){0});
    has(text, "+ event my.New\n");
    has(text, "- event plain\n");
    has(text, "~ event my.Other\n    + field more: java.lang.String\n");
    lacks(text, "long");
    free(text);
    text = shown(&a, &a, (struct meta_options){0});
    assert_string_equal(text, "");
    free(text);
    text = shown(&a, &b, (struct meta_options){.format = META_JSON});
    has(text, "{\"change\": \"changed\", \"kind\": \"event\", \"name\": \"my.Other\", "
              "\"differences\": [{\"what\": \"field\", \"field\": \"more\", \"was\": null, "
              "\"is\": \"java.lang.String\"}]}");
    free(text);
    buf_free(&a);
    buf_free(&b);
}

static void json_has_every_part(void **state)
{
    struct buf b = {0};
    char *text;

    (void)state;
    first_chunk(&b);
    text = shown(&b, NULL, (struct meta_options){.format = META_JSON, .used = true});
    has(text, "{\"name\": \"my.pack.Event\", \"kind\": \"event\", \"id\": 100, \"layout\": 1, ");
    has(text,
        "\"category\": [\"Mine\", \"Part\"], \"count\": 2, \"bytes\": 18, \"perSecond\": 0.2");
    has(text, "\"first\": \"2023-11-14T22:13:20.000000005Z\"");
    has(text, "{\"name\": \"values\", \"type\": \"int\", \"shownType\": \"int\", \"typeId\": 10, "
              "\"array\": true, \"unsigned\": true, ");
    has(text, "{\"type\": \"my.Two\", \"values\": {\"b\": \"7\", \"a\": \"x\"}}");
    has(text, "{\"name\": \"period\", \"type\": \"java.lang.String\", \"default\": \"1 s\"}");
    free(text);
    buf_free(&b);
}

static void page_shows_an_example(void **state)
{
    struct buf b = {0};
    char *text;

    (void)state;
    first_chunk(&b);
    text = shown(&b, NULL, (struct meta_options){.format = META_HTML});
    has(text, "<details open><summary>Mine<span>2</span></summary>");
    has(text, "<details open><summary>Part<span>1</span></summary>");
    has(text, "<td class=\"example\">[7, 8]</td>");
    has(text, "<article id=\"plain\" class=\"unused\">");
    has(text, "<h3><a href=\"#my.pack.Event\">An \"event\"</a><code>my.pack.Event</code></h3>");
    assert_int_equal(count(text, "<details"), count(text, "</details>"));
    assert_int_equal(count(text, "<ul>"), count(text, "</ul>"));
    free(text);
    buf_free(&b);
}

/* A name may change nothing but text: the page has as many tags as with a harmless one. */
static void hostile_names_stay_text(void **state)
{
    static const char *const names[] = {
        "harmless",
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=a>",
        "a' onclick='alert(1)",
        "<!--",
        "&lt;b&gt;",
        "]]></style>",
        "\xe2\x80\xaetxt.exe",
    };
    size_t tags = 0, attributes = 0;

    (void)state;
    for (size_t i = 0; i < N(names); i++) {
        char class[200], field[200], label[200], category[200];
        struct made_element e[] = {
            {0, "class", "name=long|id=11"},
            {0, "class", "name=java.lang.String|id=20"},
            {0, "class", "name=jdk.jfr.Label|superType=java.lang.annotation.Annotation|id=200"},
            {1, "field", "name=value|class=20"},
            {0, "class", "name=jdk.jfr.Category|superType=java.lang.annotation.Annotation|id=201"},
            {1, "field", "name=value|class=20|dimension=1"},
            {0, "class", class},
            {1, "field", field},
            {1, "annotation", label},
            {1, "annotation", category},
        };
        struct buf b = {0}, text_field = {0};
        struct made m = {0};
        char *text;

        snprintf(class, sizeof(class), "name=%s|superType=jdk.jfr.Event|id=100", names[i]);
        snprintf(field, sizeof(field), "name=%s|class=20", names[i]);
        snprintf(label, sizeof(label), "class=200|value=%s", names[i]);
        snprintf(category, sizeof(category), "class=201|value-0=%s", names[i]);
        made_string(&text_field, names[i]);
        made_event(&m, 100, text_field.p, text_field.n);
        made_chunk(&b, &m, e, N(e), 0);
        text = shown(&b, NULL, (struct meta_options){.format = META_HTML});
        if (i == 0) {
            tags = count(text, "<");
            attributes = count(text, "=\"");
        }
        assert_int_equal(count(text, "<"), tags);
        assert_int_equal(count(text, "=\""), attributes);
        lacks(text, "\xe2\x80\xae");
        free(text);
        buf_free(&b);
        buf_free(&text_field);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_that_of_the_jdk),
        cmocka_unit_test(filters),
        cmocka_unit_test(chunks_are_united_by_name_and_for_a_jdk_by_id),
        cmocka_unit_test(used_types_with_counts_and_settings),
        cmocka_unit_test(differences),
        cmocka_unit_test(json_has_every_part),
        cmocka_unit_test(page_shows_an_example),
        cmocka_unit_test(hostile_names_stay_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
