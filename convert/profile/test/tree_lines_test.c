/* tree_lines_test.c - trees of collapsed stacks. */
#include "convert/profile/tree.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>

/* The tree as "depth:name=self" with blanks between. */
static char *text_of_tree(const char *lines, size_t n, int want, size_t *line)
{
    struct tree t;
    struct buf b = {0};

    assert_int_equal(tree_of_lines(lines, n, &t, line), want);
    for (size_t i = 0; i < t.n_nodes; i++)
        buf_printf(&b, "%s%u:%.*s=%llu", i > 0 ? " " : "", t.depth[i], (int)t.names[t.name[i]].n,
                   t.names[t.name[i]].text, (unsigned long long)t.self[i]);
    for (size_t i = 1; i < t.n_names; i++)
        assert_true(strcmp(t.names[i - 1].text, t.names[i].text) < 0);
    buf_byte(&b, '\0');
    assert_true(buf_ok(&b));
    tree_free(&t);
    return (char *)b.p;
}

static void check_tree(const char *lines, const char *want)
{
    size_t line;
    char *have = text_of_tree(lines, strlen(lines), 0, &line);

    assert_string_equal(have, want);
    free(have);
}

static void check_bad_line(const char *lines, size_t want)
{
    size_t line;

    free(text_of_tree(lines, strlen(lines), JFR_E_FORMAT, &line));
    assert_int_equal(line, want);
}

static void stacks_become_a_tree_in_order(void **unused)
{
    (void)unused;
    check_tree("main;run;read 12\nmain;run;b 1\nmain 2\nmain;a 3\n",
               "0:=0 1:main=2 2:a=3 2:run=0 3:b=1 3:read=12");
    check_tree("b 1\na 2\nb 3", "0:=0 1:a=2 1:b=4");
    check_tree("a;a;a 1\na;a 2\n", "0:=0 1:a=0 2:a=2 3:a=1");
}

static void lines_of_other_writers(void **unused)
{
    (void)unused;
    check_tree("a b;c d\t7\n", "0:=0 1:a b=0 2:c d=7");
    check_tree("f(int, char) 7\r\n\r\n", "0:=0 1:f(int, char)=7");
    check_tree("a;b 1.99\n", "0:=0 1:a=0 2:b=1");
    check_tree(";a;;b; 4\n", "0:=0 1:a=0 2:b=4");
    check_tree("a 18446744073709551615\na 5\n", "0:=0 1:a=18446744073709551615");
    check_tree("", "0:=0");
}

static void what_is_no_stack_is_told_by_its_line(void **unused)
{
    (void)unused;
    check_bad_line("a 1\nb\n", 2);
    check_bad_line("\n\na;b x\n", 3);
    check_bad_line("a -1\n", 1);
    check_bad_line("a 1e9\n", 1);
    check_bad_line("a 18446744073709551616\n", 1);
    check_bad_line(" 5\n", 1);
    check_bad_line("a 1 \n", 1);
    check_bad_line("a .5\n", 1);
}

static void a_deep_stack(void **unused)
{
    struct buf b = {0};
    struct tree t;
    size_t line;

    (void)unused;
    for (int i = 0; i < 100000; i++)
        buf_str(&b, "f;");
    buf_str(&b, "g 1\n");
    assert_int_equal(tree_of_lines((const char *)b.p, b.n, &t, &line), 0);
    assert_int_equal(t.n_nodes, 100002);
    assert_int_equal(t.depth[100001], 100001);
    assert_int_equal(t.total, 1);
    tree_free(&t);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_become_a_tree_in_order),
        cmocka_unit_test(lines_of_other_writers),
        cmocka_unit_test(what_is_no_stack_is_told_by_its_line),
        cmocka_unit_test(a_deep_stack),
    };

    return cmocka_run_group_tests_name("trees of lines", tests, NULL, NULL);
}
