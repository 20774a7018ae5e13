/* scopes_test.c - parts of scopes are joined, tasks find their scope, and times inside are known.
 */
#include "convert/scope/scopes_internal.h"
#include "jfrfmt/base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    WHOLE = 0,
    PART = SCOPE_CONTINUES
};

struct given {
    int64_t start, end;
    uint32_t thread;
    uint16_t type;
    uint16_t flags;
    uint32_t link, key, trace;
};

/* The list of these parts, joined. */
static struct scopes *joined(const struct given *given, size_t n)
{
    const struct scopes_options options = {.n_types = 0};
    struct scopes *s = scopes_new(&options);

    assert_non_null(s);
    for (size_t i = 0; i < n; i++) {
        struct thread_id id = {(int64_t)given[i].thread + 1, 0};
        char name[2] = {(char)('a' + given[i].type), '\0'};

        assert_true(array_reserve(&s->parts, &s->room, s->n + 1, sizeof(*s->parts)));
        assert_int_equal(intern_add(&s->threads, &id, sizeof(id)), given[i].thread);
        assert_int_equal(intern_add(&s->types, name, 1), given[i].type);
        s->parts[s->n] = (struct scope){.start_ns = given[i].start,
                                        .end_ns = given[i].end,
                                        .link = given[i].link,
                                        .key = given[i].key,
                                        .trace = given[i].trace,
                                        .thread = given[i].thread,
                                        .type = given[i].type,
                                        .flags = given[i].flags,
                                        .head = (uint32_t)s->n};
        s->n++;
    }
    assert_int_equal(scopes_join(s), 0);
    return s;
}

#define JOINED(given) joined(given, sizeof(given) / sizeof((given)[0]))

static const struct scope *whole(const struct scopes *s, uint32_t thread, int64_t start,
                                 int64_t end, const char *type)
{
    uint32_t part = scopes_find_part(s, thread, start, end, type);

    assert_int_not_equal(part, SCOPES_NONE);
    return &s->parts[scopes_head(s, part)];
}

static void test_parts_are_joined(void **state)
{
    /* In the order of a recording: what ends first is written first. */
    const struct given given[] = {{10, 20, 0, 0, WHOLE, 1},
                                  {20, 30, 0, 0, PART, 2},
                                  {30, 40, 0, 0, PART, 2},
                                  {50, 60, 0, 0, WHOLE, 1}};
    struct scopes *s = JOINED(given);

    (void)state;
    assert_int_equal(s->n_scopes, 2);
    assert_int_equal(s->n_tasks, 0);
    assert_int_equal(whole(s, 0, 20, 30, "a")->start_ns, 10);
    assert_int_equal(whole(s, 0, 30, 40, "a")->end_ns, 40);
    assert_int_equal(whole(s, 0, 10, 20, "a")->end_ns, 40);
    assert_int_equal(whole(s, 0, 50, 60, "a")->end_ns, 60);
    assert_int_equal(scopes_find_part(s, 0, 20, 30, "b"), SCOPES_NONE);
    assert_int_equal(scopes_find_part(s, 1, 20, 30, "a"), SCOPES_NONE);
    scopes_free(s);
}

static void test_scopes_in_each_other(void **state)
{
    /* A chunk ends at 20 while three are open; the outer part is written first. */
    const struct given given[] = {{0, 20, 0, 0, WHOLE, 1},  {5, 20, 0, 0, WHOLE, 2},
                                  {6, 20, 0, 1, WHOLE, 3},  {20, 25, 0, 1, PART, 3},
                                  {20, 40, 0, 0, PART, 1},  {20, 30, 0, 0, PART, 2},
                                  {32, 35, 0, 0, WHOLE, 4}, {40, 45, 0, 0, WHOLE, 5}};
    struct scopes *s = JOINED(given);

    (void)state;
    assert_int_equal(s->n_scopes, 5);
    assert_int_equal(whole(s, 0, 0, 20, "a")->end_ns, 40);
    assert_int_equal(whole(s, 0, 5, 20, "a")->end_ns, 30);
    assert_int_equal(whole(s, 0, 6, 20, "b")->end_ns, 25);
    scopes_free(s);
}

static void test_tasks(void **state)
{
    const struct given given[] = {
        {0, 20, 0, 0, WHOLE, 7},    {20, 40, 0, 0, PART, 8}, /* a request, whose values change */
        {100, 140, 0, 0, WHOLE, 8}, /* another one with the same values, later */
        {30, 35, 1, 0, PART, 8}, /* a task of the first, */
        {50, 55, 1, 0, PART, 8}, /* which may run after its end, */
        {110, 115, 1, 0, PART, 8},  {115, 119, 1, 0, PART, 8}, /* and one of the second */
        {60, 70, 1, 0, PART, 9}, /* no request is known */
        {200, 240, 0, 0, WHOLE, 6}, {210, 240, 2, 0, WHOLE, 6}, {220, 225, 1, 0, PART, 6},
    };
    struct scopes *s = JOINED(given);

    (void)state;
    assert_int_equal(s->n_scopes, 4);
    assert_int_equal(s->n_tasks, 5);
    assert_int_equal(s->n_unlinked, 2);
    assert_int_equal(whole(s, 1, 30, 35, "a")->start_ns, 0);
    assert_int_equal(whole(s, 1, 50, 55, "a")->start_ns, 0);
    assert_int_equal(whole(s, 1, 110, 115, "a")->start_ns, 100);
    assert_int_equal(whole(s, 1, 115, 119, "a")->start_ns, 100);
    assert_int_equal(whole(s, 1, 60, 70, "a")->start_ns, 60);
    /* Two open scopes have these values: either may have handed it over. */
    assert_int_equal(whole(s, 1, 220, 225, "a")->start_ns, 220);
    assert_int_not_equal(whole(s, 1, 220, 225, "a")->flags & SCOPE_SHARED, 0);
    scopes_free(s);
}

static void test_task_of_the_first_part(void **state)
{
    /* The request hands a task over before its key is set. */
    const struct given given[] = {
        {0, 20, 0, 0, WHOLE, 7, 0}, {20, 40, 0, 0, PART, 8, 5}, {10, 15, 1, 0, PART, 7, 0}};
    struct scopes *s = JOINED(given);

    (void)state;
    assert_int_equal(s->n_unlinked, 0);
    assert_int_equal(whole(s, 1, 10, 15, "a")->start_ns, 0);
    assert_int_equal(whole(s, 0, 0, 20, "a")->key, 5);
    scopes_free(s);
}

static void test_tasks_of_a_trace(void **state)
{
    const struct given given[] = {
        {0, 50, 0, 0, WHOLE, 1, 0, 70},
        {10, 20, 1, 0, PART, 2, 0, 70}, /* a span of its own in the task: the trace is the same */
        {60, 70, 1, 0, PART, 2, 0, 70}, /* after the end */
        {12, 40, 2, 0, WHOLE, 3, 0, 70}, /* the service calls itself: two are open, and */
        {15, 18, 3, 0, PART, 3, 0, 70}, /* the values say which one, */
        {15, 18, 4, 0, PART, 4, 0, 70}, /* or nothing does */
        {15, 18, 5, 0, PART, 4, 0, 71}, /* another trace */
        {100, 110, 6, 0, WHOLE, 9, 0, 80}, /* ended, and has the values; the other one is open */
        {100, 200, 7, 0, WHOLE, 5, 0, 81},
        {150, 160, 8, 0, PART, 9, 0, 81}};
    struct scopes *s = JOINED(given);

    (void)state;
    assert_int_equal(s->n_scopes, 4);
    assert_int_equal(s->n_tasks, 6);
    assert_int_equal(s->n_unlinked, 2);
    assert_int_equal(whole(s, 1, 10, 20, "a")->start_ns, 0);
    assert_int_equal(whole(s, 1, 60, 70, "a")->thread, 2); /* that began last */
    assert_int_equal(whole(s, 3, 15, 18, "a")->thread, 2);
    assert_int_not_equal(whole(s, 4, 15, 18, "a")->flags & SCOPE_SHARED, 0);
    assert_int_equal(whole(s, 5, 15, 18, "a")->thread, 5);
    assert_int_equal(whole(s, 8, 150, 160, "a")->thread, 7);
    scopes_free(s);
}

static void test_cover(void **state)
{
    const struct given given[] = {{10, 20, 0, 0, WHOLE, 1}, {15, 18, 0, 0, WHOLE, 2},
                                  {20, 22, 0, 0, PART, 1},  {30, 40, 0, 0, WHOLE, 3},
                                  {50, 60, 0, 0, WHOLE, 4}, {12, 16, 1, 0, PART, 1},
                                  {12, 16, 2, 0, WHOLE, 5}};
    const struct {
        uint32_t thread;
        int64_t ns;
        bool is_in;
    } times[] = {{0, 9, false},  {0, 10, true},  {0, 21, true},  {0, 22, false}, {0, 30, false},
                 {0, 50, true},  {0, 59, true},  {0, 60, false}, {1, 11, false}, {1, 12, true},
                 {1, 16, false}, {2, 13, false}, {3, 13, false}};
    struct scopes *s = JOINED(given);

    (void)state;
    s->parts[scopes_find_part(s, 0, 10, 20, "a")].flags |= SCOPE_MARKED;
    s->parts[scopes_find_part(s, 0, 50, 60, "a")].flags |= SCOPE_MARKED;
    assert_int_equal(scopes_cover(s), 0);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_int_equal(scopes_covers(s, times[i].thread, times[i].ns), times[i].is_in);
    scopes_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_joined),
        cmocka_unit_test(test_scopes_in_each_other),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_task_of_the_first_part),
        cmocka_unit_test(test_tasks_of_a_trace),
        cmocka_unit_test(test_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
