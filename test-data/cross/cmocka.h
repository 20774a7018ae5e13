/*
 * cmocka.h - as much of cmocka as tests of this project use, for processors that it is not
 * installed for. The first assertion that fails ends the program.
 */
#ifndef TEST_DATA_CROSS_CMOCKA_H
#define TEST_DATA_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

static jmp_buf cross_skipped;

#define cmocka_unit_test(f)     \
    {                           \
#f, f, NULL, NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(f, s, t) \
    {                                            \
#f, f, s, t, NULL                        \
    }
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cross_run(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)
#define print_message(...) printf(__VA_ARGS__)
#define skip() longjmp(cross_skipped, 1)
#define fail_msg(...) (printf(__VA_ARGS__), cross_check(0, "", __FILE__, __LINE__))

#define cross_that(ok, what) cross_check((ok) ? 1 : 0, what, __FILE__, __LINE__)
#define assert_true(c) cross_that(c, #c)
#define assert_false(c) cross_that(!(c), "not " #c)
#define assert_null(p) cross_that((p) == NULL, #p " is NULL")
#define assert_non_null(p) cross_that((p) != NULL, #p)
#define assert_int_equal(a, b) \
    cross_that((unsigned long long)(a) == (unsigned long long)(b), #a " == " #b)
#define assert_ptr_equal(a, b) cross_that((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b) cross_that((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_string_equal(a, b) cross_that(strcmp(a, b) == 0, #a " == " #b)
#define assert_memory_equal(a, b, n) cross_that(memcmp(a, b, n) == 0, #a " == " #b)
#define assert_in_range(v, low, high)                                     \
    cross_that((unsigned long long)(v) >= (unsigned long long)(low) &&    \
                   (unsigned long long)(v) <= (unsigned long long)(high), \
               #v " in range")

static inline void cross_check(int ok, const char *what, const char *file, int line)
{
    if (ok)
        return;
    printf("%s:%d: %s\n", file, line, what);
    fflush(stdout);
    _Exit(1);
}

static inline void cross_one(const struct CMUnitTest *test, void *state)
{
    if (setjmp(cross_skipped) == 0)
        test->test_func(&state);
}

static inline int cross_run(const char *group, const struct CMUnitTest *tests, size_t n,
                            CMFixtureFunction setup, CMFixtureFunction teardown)
{
    void *state = NULL;

    cross_check(setup == NULL || setup(&state) == 0, "setup", group, 0);
    for (size_t i = 0; i < n; i++) {
        void *own = tests[i].initial_state != NULL ? tests[i].initial_state : state;

        cross_check(tests[i].setup_func == NULL || tests[i].setup_func(&own) == 0, "setup",
                    tests[i].name, 0);
        cross_one(&tests[i], own);
        cross_check(tests[i].teardown_func == NULL || tests[i].teardown_func(&own) == 0, "teardown",
                    tests[i].name, 0);
    }
    cross_check(teardown == NULL || teardown(&state) == 0, "teardown", group, 0);
    printf("%zu tests of %s\n", n, group);
    return 0;
}

#endif
