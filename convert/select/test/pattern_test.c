#include "convert/select/pattern.h"
#include "convert/select/pattern_cost.h"

#include "jfrfmt/test/testing.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <tre/tre.h>

#ifdef __SANITIZE_ADDRESS__
#define MEMORY_MOST (400 << 10) /* KiB; freed memory is kept for a while */
#else
#define MEMORY_MOST (32 << 10)
#endif

struct row {
    const char *name; /* the pattern, as pattern_new() takes it */
    const char *text;
    bool want;
};

/* clang-format off */
static const struct row globs[] = {
    {"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "anything", true}, {"main", "main", true},
    {"main", "Main", false}, {"main", "main2", false}, {"main", "domain", false}, {"http-*", "http-nio-8080", true},
    {"http-*", "http", false}, {"*-1", "pool-1", true}, {"*-1", "pool-11", false}, {"*-1", "pool-1-1", true},
    {"p*-?", "pool-1", true}, {"p*-?", "pool-11", false}, {"?", "\xc3\xa9", true}, {"??", "\xc3\xa9", false},
    {"*?", "\xc3\xa9", true}, {"*??", "\xc3\xa9", false}, {"*\xc3\xa9?", "x\xc3\xa9y", true}, {"?", "", false},
    {"a**b", "ab", true}, {"a*b*c", "aXbXbc", true}, {"a*b*c", "aXbXb", false}, {"a[b]", "a[b]", true}, {"a.c", "abc", false},
    {"*a*a*a*", "aa", false}, {"*a*a*a*", "banana", true}, {"/", "/", true}, {"/a", "/a", true}, {"a/", "a/", true},
};

static const struct row regexes[] = {
    {"//", "", true}, {"//", "x", true}, {"/Json/", "com.acme.JsonWriter", true}, {"/json/", "com.acme.JsonWriter", false},
    {"/^main$/", "main", true}, {"/^main$/", "main2", false}, {"/^(a|b)+$/", "abba", true}, {"/^(a|b)+$/", "abc", false},
    {"/^\\d{3}$/", "123", true}, {"/^\\d{3}$/", "12x", false}, {"/^\\w+$/", "a_1", true}, {"/^\\w+$/", "a-1", false},
    {"/\\bfoo\\b/", "a foo b", true}, {"/\\bfoo\\b/", "afoo", false}, {"/\\Boo/", "foo", true}, {"/\\<foo\\>/", "a.foo()", true},
    {"/^\\S+\\s\\D\\W$/", "ab c-", true}, {"/^a.c$/", "a\xf0\x9f\x98\x80" "c", true}, {"/^[\xc3\xa9\xc3\xa0]$/", "\xc3\xa0", true},
    {"/^[^a]$/", "\xc3\xa9", true}, {"/^[]a]+$/", "]a]", true}, {"/^[[:upper:]-]+$/", "A-B", true}, {"/^[\\d]$/", "\\", true},
    {"/a{2,3}b/", "aab", true}, {"/^a{2,3}b/", "ab", false}, {"/^a{2}$/", "aaa", false}, {"/^a{2,}$/", "aaaaa", true},
    {"/a|/", "b", true}, {"/^()$/", "", true}, {"/\\$\\.\\/\\[/", "x$./[", true}, {"/^a\\tb$/", "a\tb", true}, {"/x*?y/", "xxy", true},
    {"/^a{0}b$/", "b", true}, {"/(a{1,2}){2}$/", "xaaa", true}, {"/\xff/", "\xfe", true}, {"/^x$/", "y\nx", false},
};

struct bad {
    const char *name; /* the expression without slashes */
    const char *want;
};

static const struct bad refused[] = {
    {"(a)\\1", "no back-references (at character 5)"}, {"\\q", "unknown escape (at character 2)"}, {"\\Qa*\\E", "unknown escape (at character 2)"},
    {"\\x41", "unknown escape (at character 2)"}, {"\\", "unknown escape (at character 2)"}, {"\\0", "unknown escape (at character 2)"},
    {"\\\xc3\xa9", "unknown escape (at character 2)"}, {"*a", "nothing to repeat (at character 1)"}, {"a|+", "nothing to repeat (at character 3)"},
    {"(?i)a", "'(?' is not supported (at character 2)"}, {"(a", "'(' without ')' (at character 3)"}, {"a)", "')' without '(' (at character 2)"},
    {"[a", "'[' without ']' (at character 3)"}, {"[]", "'[' without ']' (at character 3)"}, {"[", "'[' without ']' (at character 2)"},
    {"[[:alpha]]", "a class is written [[:alpha:]] (at character 9)"}, {"[[.a.]]", "[. and [= are not supported (at character 3)"},
    {"a{256}", "more than 255 repetitions (at character 5)"}, {"a{1,99999999999}", "more than 255 repetitions (at character 7)"},
    {"a{", "'{' needs one or two numbers, as in {2,5} (at character 3)"}, {"a{,5}", "'{' needs one or two numbers, as in {2,5} (at character 3)"},
    {"a{5,2}", "'{' needs one or two numbers, as in {2,5} (at character 6)"}, {"a{2", "'{' needs one or two numbers, as in {2,5} (at character 4)"},
    {"a{~1}", "'{' needs one or two numbers, as in {2,5} (at character 3)"}, {"a{2,~1}", "'{' needs one or two numbers, as in {2,5} (at character 5)"},
    {"[b-a]", "Invalid character range"}, {"[[:nope:]]", "Unknown character class name"}, {"a**", "Invalid use of repetition operators"},
    {"((a{200}){200}){200}", "the expression is too large (at character 15)"}, {"(a?){255}", "the expression is too large (at character 10)"},
    {"((\\b{90}){90}){90}", "the expression is too large (at character 14)"}, {"((){250}){250}", "the expression is too large (at character 15)"},
    {"(()|()|()|()){255}", "the expression is too large (at character 19)"}, {"(a|(b|(c|d){9}){9}){9}", "the expression is too large (at character 23)"},
};
/* clang-format on */

static void matches(void **state)
{
    const struct row *t = *state;
    struct jfr_error err = {0};
    struct pattern *p = pattern_new(t->name, &err);
    struct guarded g = guarded_copy(t->text, strlen(t->text), 0);

    if (p == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(pattern_match(p, (char *)g.bytes, g.n), t->want);
    pattern_free(p);
    guarded_free(&g);
}

static void refuses(void **state)
{
    const struct bad *t = *state;
    struct jfr_error err = {0};
    struct pattern *p = pattern_new_regex(t->name, &err);

    if (p != NULL)
        fail_msg("accepted");
    assert_int_equal(err.code, JFR_E_FORMAT);
    assert_string_equal(strstr(err.text, "': ") + 3, t->want);
}

static void a_pattern_has_a_greatest_length(void **state)
{
    char text[PATTERN_MAX + 2];
    struct jfr_error err = {0};
    struct pattern *p;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[PATTERN_MAX + 1] = '\0';
    assert_null(pattern_new(text, &err));
    assert_non_null(strstr(err.text, "the pattern is too long"));
    text[PATTERN_MAX] = '\0';
    p = pattern_new(text, &err);
    assert_true(pattern_match(p, text, PATTERN_MAX));
    pattern_free(p);
    p = pattern_new_regex(text, &err);
    assert_true(pattern_match(p, text, PATTERN_MAX));
    assert_false(pattern_match(p, text, PATTERN_MAX - 1));
    pattern_free(p);
}

static void many_parentheses_are_refused_and_not_entered(void **state)
{
    char text[PATTERN_MAX + 1];
    struct jfr_error err = {0};

    (void)state;
    memset(text, '(', PATTERN_MAX);
    text[PATTERN_MAX] = '\0';
    assert_null(pattern_new_regex(text, &err));
    assert_non_null(strstr(err.text, "too many parentheses (at character 102)"));
}

static void a_bare_expression_needs_no_slashes(void **state)
{
    struct jfr_error err = {0};
    struct pattern *p = pattern_new_regex("/a/", &err);

    (void)state;
    assert_true(pattern_match(p, "x/a/", 4));
    assert_false(pattern_match(p, "a", 1));
    pattern_free(p);
    pattern_free(NULL);
}

static void a_nul_in_the_text_does_not_end_it(void **state)
{
    struct jfr_error err = {0};
    struct pattern *p = pattern_new("/^a.b$/", &err);

    (void)state;
    assert_true(pattern_match(p, "a\0b", 3));
    assert_false(pattern_match(p, "a\0bc", 4));
    pattern_free(p);
    p = pattern_new("a?b", &err);
    assert_true(pattern_match(p, "a\0b", 3));
    pattern_free(p);
}

/* Patterns that take a backtracking matcher longer than anybody lives. */
static void hostile_patterns_end(void **state)
{
    static const char *const hostile[] = {
        "/(a*)*b/",    "/(a|aa)+$b/", "/(a|a)*b/",      "/^(a+)+$b/",
        "/a{0,255}b/", "/(a?){90}b/", "*a*a*a*a*a*a*b",
    };
    enum {
        N = 100000
    };
    char *text = malloc(N);

    (void)state;
    memset(text, 'a', N);
    alarm(20);
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        struct jfr_error err = {0};
        struct pattern *p = pattern_new(hostile[i], &err);

        if (p == NULL)
            fail_msg("%s", err.text);
        assert_false(pattern_match(p, text, N));
        pattern_free(p);
    }
    alarm(0);
    free(text);
}

/* The largest that is accepted must do with little memory. */
static void memory_is_bounded(void **state)
{
    static const char *const large[] = {"(a?){140}", "a{255}b{255}c{255}d{200}", "a{0,255}b{0,255}",
                                        "((a|b|c){30}x?){6}", "[a-z]{0,200}"};
    struct rusage before, after;

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        struct jfr_error err = {0};
        struct pattern *p = pattern_new_regex(large[i], &err);

        if (p == NULL)
            fail_msg("%s", err.text);
        pattern_match(p, "abcabc", 6);
        pattern_free(p);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < MEMORY_MOST);
}

static size_t put_random(wchar_t *to, int depth)
{
    static const wchar_t atoms[] = L"ab.^$|[]-:\\dwbs(){},05*+?x";
    size_t n = 0;

    for (int i = rand() % 6; i >= 0; i--) {
        if (depth > 0 && rand() % 3 == 0) {
            to[n++] = L'(';
            n += put_random(to + n, depth - 1);
            to[n++] = L')';
        } else {
            to[n++] = atoms[(size_t)rand() % (sizeof(atoms) / sizeof(atoms[0]) - 1)];
        }
        if (rand() % 8 == 0)
            to[n++] = L"*+?"[rand() % 3];
        if (rand() % 16 == 0)
            n += (size_t)swprintf(to + n, 10, L"{%d,%d}", rand() % 3, 3 + rand() % 9);
    }
    return n;
}

/* What the cost counts as small is small for libtre too: it must not see repetitions where the
 * count saw none. */
static void random_patterns_do_not_surprise(void **state)
{
    static wchar_t re[4000];
    struct rusage before, after;
    size_t n_accepted = 0;

    (void)state;
    srand(3);
    getrusage(RUSAGE_SELF, &before);
    alarm(100);
    for (int i = 0; i < 30000; i++) {
        size_t n = put_random(re, 3), place;
        struct pattern_cost cost;
        regex_t regex;

        if (pattern_cost(re, n, &cost, &place) != NULL)
            continue;
        assert_true(cost.states <= PATTERN_STATES_MAX && cost.links <= PATTERN_LINKS_MAX);
        n_accepted++;
        if (tre_regwncomp(&regex, re, n, REG_EXTENDED | REG_NOSUB) != REG_OK)
            continue;
        assert_false(tre_have_backrefs(&regex) || tre_have_approx(&regex));
        tre_regwnexec(&regex, L"aabbxd05", 8, 0, NULL, 0);
        tre_regfree(&regex);
    }
    alarm(0);
    getrusage(RUSAGE_SELF, &after);
    assert_true(n_accepted > 1000);
    assert_true(after.ru_maxrss - before.ru_maxrss < MEMORY_MOST);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(random_patterns_do_not_surprise),
        cmocka_unit_test(a_pattern_has_a_greatest_length),
        cmocka_unit_test(many_parentheses_are_refused_and_not_entered),
        cmocka_unit_test(a_bare_expression_needs_no_slashes),
        cmocka_unit_test(a_nul_in_the_text_does_not_end_it),
        cmocka_unit_test(hostile_patterns_end),
    };

    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL) +
           run_rows("pattern: globs", globs, matches) +
           run_rows("pattern: regular expressions", regexes, matches) +
           run_rows("pattern: refused", refused, refuses);
}
