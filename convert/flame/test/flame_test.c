/* What the page's C half writes can be read back, whatever the names are. */
#include "convert/flame/flame.h"
#include "convert/flame/prune.h"
#include "convert/test/flame_testing.h"
#include "jfrfmt/base/cursor.h"

#include <stdio.h>
#include <zlib.h>

static int keep_all(struct out *o)
{
    (void)o;
    return 0;
}

static struct buf page_of(const struct tree *t, const struct flame_options *opt)
{
    struct out o = {.drain = keep_all};

    assert_int_equal(flame_write(t, opt, &o), 0);
    buf_byte(&o.b, 0);
    assert_true(buf_ok(&o.b));
    return o.b;
}

static uint32_t digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                 "!\"#$%'()*+,-./:;=?@[\\]^_`{|}~";
    const char *found = strchr(digits, c);

    assert_non_null(found);
    return (uint32_t)(found - digits);
}

/* The sections' bytes; *head is the JSON text. */
static uint8_t *unpack(const struct buf *page, size_t *n, const char **head)
{
    static const char mark[] = "id=\"data\">\n", head_mark[] = "id=\"head\">\n";
    const char *from = strstr((char *)page->p, mark) + strlen(mark), *to = strchr(from, '<');
    size_t room = (size_t)64 << 20;
    uint8_t *packed = malloc((size_t)(to - from)), *bytes = malloc(room), *p = packed;
    z_stream z = {.next_in = packed, .next_out = bytes, .avail_out = (uInt)room};

    *head = strstr(to, head_mark) + strlen(head_mark);
    for (uint32_t bits = 0, have = 0; from < to; from += 2) {
        bool pair = from + 1 < to;

        bits |= (digit(from[0]) + (pair ? digit(from[1]) * 91 : 0)) << have;
        for (have += pair ? 13 : 6; have >= 8; have -= 8, bits >>= 8)
            *p++ = (uint8_t)bits;
    }
    z.avail_in = (uInt)(p - packed);
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    *n = z.total_out;
    inflateEnd(&z);
    free(packed);
    return bytes;
}

/* The named section; empty when it is not there. */
static struct cursor find_section(const uint8_t *bytes, const char *head, const char *name)
{
    const char *line = strstr(head, "\"sections\":[");
    size_t at = 0, n;
    char this_name[32];

    while ((line = strstr(line, "\n{\"name\":\"")) != NULL) {
        line++;
        assert_int_equal(sscanf(line, "{\"name\":\"%31[^\"]\",\"bytes\":%zu}", this_name, &n), 2);
        if (strcmp(this_name, name) == 0)
            return cur_over(bytes + at, n);
        at += n;
    }
    return cur_over(bytes, 0);
}

static void check_numbers(struct cursor c, const uint64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(cur_varint(&c), want[i]);
    assert_true(cur_ok(&c));
    assert_int_equal(c.end - c.p, 0);
}

static void check_names(const uint8_t *bytes, const char *head, const struct tree *t)
{
    struct cursor keep = find_section(bytes, head, "names.keep");
    struct cursor more = find_section(bytes, head, "names.more");
    struct cursor text = find_section(bytes, head, "names.text");
    struct buf name = {0};

    for (size_t i = 0; i < t->n_names; i++) {
        uint64_t kept = cur_varint(&keep), n = cur_varint(&more);
        assert_true(kept <= name.n);
        name.n = kept;
        buf_bytes(&name, cur_bytes(&text, n), n);
        assert_int_equal(name.n, t->names[i].n);
        assert_true(name.n == 0 || memcmp(name.p, t->names[i].text, name.n) == 0);
    }
    assert_true(cur_ok(&keep) && cur_ok(&more) && cur_ok(&text));
    assert_int_equal(text.end - text.p, 0);
    buf_free(&name);
}

static void check_page(const struct buf *page, const struct tree *t)
{
    const char *head;
    size_t n;
    uint8_t *bytes = unpack(page, &n, &head);
    struct cursor up = find_section(bytes, head, "tree.up");
    struct cursor name = find_section(bytes, head, "tree.name");
    struct cursor type = find_section(bytes, head, "tree.type");
    size_t planes = t->n_names > 0xffff ? 3 : t->n_names > 0xff ? 2 : 1;
    uint8_t *known = calloc(t->n_names + 1, 1);

    check_names(bytes, head, t);
    assert_int_equal(cur_left(&name), planes * t->n_nodes);
    assert_int_equal(cur_left(&type), t->n_nodes);
    for (size_t i = 0; i < t->n_nodes; i++) {
        uint32_t before = i > 0 ? t->depth[i - 1] + 1 : 0, id = 0;

        assert_int_equal(before - cur_varint(&up), t->depth[i]);
        for (size_t k = 0; k < planes; k++)
            id |= (uint32_t)name.p[k * t->n_nodes + i] << 8 * k;
        assert_int_equal(id, t->name[i]);
        known[id] = type.p[i] > 0 ? type.p[i] - 1 : known[id];
        assert_int_equal(known[id], t->type[i]);
    }
    assert_true(cur_ok(&up));
    free(known);
    check_numbers(find_section(bytes, head, "tree.self"), t->self, t->n_nodes);
    if (t->samples != NULL)
        check_numbers(find_section(bytes, head, "tree.samples"), t->samples, t->n_nodes);
    else
        assert_null(strstr(head, "{\"name\":\"tree.samples\""));
    free(bytes);
}

static void add_plain(struct rows *r)
{
    add_row(r, 0, NAME(""), FRAME_UNKNOWN, 0);
    add_row(r, 1, NAME("a.B.one"), FRAME_JIT, 5);
    add_row(r, 2, NAME("a.B.other"), FRAME_INLINED, 0);
    add_row(r, 3, NAME("z"), FRAME_KERNEL, UINT64_C(1) << 63 | 5);
    add_row(r, 3, NAME("z"), FRAME_C1, 200);
    add_row(r, 1, NAME("a.B.two"), FRAME_ROOT, 0);
    add_row(r, 2, NAME("a"), FRAME_ROOT, 1);
}

static void add_single(struct rows *r)
{
    add_row(r, 0, NAME(""), FRAME_UNKNOWN, 0);
}

static void add_deep(struct rows *r)
{
    add_row(r, 0, NAME(""), FRAME_UNKNOWN, 0);
    for (uint32_t d = 1; d < 100000; d++)
        add_row(r, d, NAME("down"), d % 3, d % 2);
    add_row(r, 1, NAME("up"), FRAME_CPP, 9);
}

static char megabyte[1 << 20];

static const struct tree_name hostile[] = {
    NAME("\0"),
    NAME("\r\nX: y"),
    NAME("\"><b>&amp;&#60;"),
    NAME("%s%n"),
    NAME("'><svg onload=x>"),
    NAME("-->"),
    NAME("</script><script>x</script>"),
    NAME("<!--<script>"),
    NAME("]]>"),
    NAME("a\0b"),
    NAME("a\0c"),
    {megabyte, sizeof(megabyte)},
    NAME("\xe2\x80\xaegpj.exe"),
    NAME("\xed\xa0\x80"),
    NAME("\xff\xfe"),
};

static void add_hostile(struct rows *r)
{
    memset(megabyte, 'm', sizeof(megabyte));
    add_row(r, 0, NAME(""), FRAME_UNKNOWN, 0);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
        add_row(r, 1, hostile[i], FRAME_NATIVE, i + 1);
}

struct shape {
    const char *name;
    void (*add)(struct rows *r);
    bool samples;
};

static const struct shape shapes[] = {
    {"a small tree", add_plain, false},        {"a tree with samples", add_plain, true},
    {"nothing but a root", add_single, false}, {"100000 levels", add_deep, true},
    {"hostile names", add_hostile, true},
};

static void reads_back(void **state)
{
    const struct shape *shape = *state;
    struct flame_options opt = {0};
    struct rows r = {0};
    struct built b;
    struct buf page, again;

    shape->add(&r);
    b = build(&r, shape->samples);
    page = page_of(&b.t, &opt);
    again = page_of(&b.t, &opt);
    check_page(&page, &b.t);
    assert_int_equal(page.n, again.n);
    assert_memory_equal(page.p, again.p, page.n);
    buf_free(&page);
    buf_free(&again);
    built_free(&b);
    free(r.p);
}

static size_t occurrences(const struct buf *page, const char *what)
{
    size_t n = 0;

    for (const char *s = (char *)page->p; (s = strstr(s, what)) != NULL; s++)
        n++;
    return n;
}

static struct buf page_named(void (*fill)(struct rows *r), const char *text)
{
    struct flame_options opt = {text, text, text, text,  text,  text,
                                text, text, text, false, false, 0};
    struct rows r = {0};
    struct built b;
    struct buf page;

    fill(&r);
    b = build(&r, false);
    page = page_of(&b.t, &opt);
    built_free(&b);
    free(r.p);
    return page;
}

static void texts_do_not_become_markup(void **state)
{
    static const char *const marks[] = {"<", ">", "<script", "</script", "<!--", "&"};
    struct buf tame = page_named(add_plain, "tame");

    (void)state;
    for (size_t i = 1; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        struct buf page;
        if (hostile[i].text == megabyte)
            continue;
        page = page_named(add_hostile, hostile[i].text);
        for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++)
            assert_int_equal(occurrences(&page, marks[k]), occurrences(&tame, marks[k]));
        buf_free(&page);
    }
    buf_free(&tame);
}

/* The only address in it is the name that XML gives to pictures. */
static void the_page_has_no_way_out(void **state)
{
    static const char *const ways[] = {"innerHTML",      "outerHTML", "insertAdjacent", "eval(",
                                       "document.write", "Function(", "fetch(",         "XMLHttp",
                                       "WebSocket",      "Beacon",    "import(",        "Storage",
                                       "unsafe-",        "src=",      "@import",        "url("};
    struct buf page = page_named(add_plain, "tame");

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (occurrences(&page, ways[i]) != 0)
            fail_msg("the page contains %s", ways[i]);
    assert_int_equal(occurrences(&page, "http://"),
                     occurrences(&page, "http://www.w3.org/2000/svg"));
    assert_int_equal(occurrences(&page, "https:"), 0);
    assert_int_equal(occurrences(&page, "default-src 'none'; script-src 'sha256-"), 1);
    buf_free(&page);
}

static void small_frames_are_left_out(void **state)
{
    static const uint64_t hidden[] = {0, 0, 300, 0};
    static const char *const names[] = {"", "big", "host", "right"};
    struct rows r = {0};
    struct pruned p;
    struct built b;

    (void)state;
    add_row(&r, 0, NAME(""), FRAME_UNKNOWN, 0);
    add_row(&r, 1, NAME("big"), FRAME_JIT, 50000);
    add_row(&r, 1, NAME("host"), FRAME_JIT, 9700);
    add_row(&r, 2, NAME("left"), FRAME_JIT, 100);
    add_row(&r, 3, NAME("leaf"), FRAME_JIT, 100);
    add_row(&r, 2, NAME("many"), FRAME_JIT, 100);
    add_row(&r, 2, NAME("right"), FRAME_JIT, 40000);
    b = build(&r, true);
    assert_int_equal(prune_tree(&b.t, 0.01, &p), 0);
    assert_int_equal(p.tree.n_nodes, 4);
    assert_int_equal(p.tree.n_names, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct tree_name *name = &p.tree.names[p.tree.name[i]];
        assert_int_equal(p.hidden[i], hidden[i]);
        assert_memory_equal(name->text, names[i], name->n);
    }
    assert_int_equal(p.tree.self[2], 9700);
    assert_int_equal(p.tree.samples[2], 9700 * 3 + 1 + 3 * 300 + 3);
    assert_int_equal(p.tree.depth[3], 2);
    prune_free(&p);
    built_free(&b);
    free(r.p);
}

static int refuse(struct out *o)
{
    return o->rc = JFR_E_IO;
}

static void a_failed_write_is_told(void **state)
{
    struct flame_options opt = {0};
    struct out o = {.drain = refuse};
    struct rows r = {0};
    struct built b;

    (void)state;
    add_plain(&r);
    for (uint64_t i = 0, v = 1; i < 100000; i++, v = v * UINT64_C(6364136223846793005) + 99)
        add_row(&r, 1, NAME("w"), FRAME_JIT, v >> 8);
    b = build(&r, false);
    assert_int_equal(flame_write(&b.t, &opt, &o), JFR_E_IO);
    buf_free(&o.b);
    built_free(&b);
    free(r.p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_do_not_become_markup),
        cmocka_unit_test(the_page_has_no_way_out),
        cmocka_unit_test(small_frames_are_left_out),
        cmocka_unit_test(a_failed_write_is_told),
    };

    return run_rows("pages", shapes, reads_back) + cmocka_run_group_tests(tests, NULL, NULL);
}
