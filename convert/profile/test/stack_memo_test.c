/* Methods and stacks that chunks have in common, and keys that mean something else in the next one.
 */
#include "convert/profile/stack_memo.h"
#include "jfrfmt/test/testing.h"

#include <string.h>

static uint32_t define(struct stack_memo *m, uint64_t key, const char *strings)
{
    uint32_t number = stack_memo_define(m, key, strings, strlen(strings));

    assert_int_not_equal(number, METHOD_UNKNOWN);
    return number;
}

static void method_keeps_its_number_and_note(void **state)
{
    struct stack_memo m = {0};
    uint32_t run, walk, other;

    (void)state;
    stack_memo_begin(&m);
    run = define(&m, 7, "run");
    walk = define(&m, 8, "walk");
    assert_int_not_equal(run, walk);
    assert_int_equal(*stack_memo_note(&m, run), 0);
    *stack_memo_note(&m, run) = 42;
    *stack_memo_note(&m, walk) = 43;
    stack_memo_begin(&m);
    assert_int_equal(define(&m, 8, "walk"), walk);
    assert_int_equal(*stack_memo_note(&m, walk), 43);
    other = define(&m, 7, "jump"); /* the class was unloaded, and another one has its key */
    assert_int_not_equal(other, run);
    assert_int_equal(*stack_memo_note(&m, other), 0);
    stack_memo_begin(&m);
    assert_int_equal(define(&m, 7, "jump"), other);
    stack_memo_clear(&m);
    assert_int_equal(*stack_memo_note(&m, define(&m, 8, "walk")), 0);
    stack_memo_free(&m);
}

static void stack_is_known_while_its_methods_are(void **state)
{
    struct stack_hash hash = stack_memo_hash("trace", 5), unknown = stack_memo_hash("Trace", 5);
    struct stack_memo m = {0};
    uint32_t methods[2];

    (void)state;
    stack_memo_begin(&m);
    methods[0] = define(&m, 7, "run");
    methods[1] = define(&m, 8, "walk");
    assert_true(stack_memo_learn(&m, hash, 5, methods, 2));
    assert_int_equal(stack_memo_find(&m, hash), 5);
    assert_int_equal(stack_memo_find(&m, unknown), STACK_UNKNOWN);
    stack_memo_begin(&m);
    assert_int_equal(stack_memo_find(&m, hash), STACK_UNKNOWN); /* nothing is defined yet */
    define(&m, 7, "run");
    assert_int_equal(stack_memo_find(&m, hash), STACK_UNKNOWN);
    define(&m, 8, "walk");
    assert_int_equal(stack_memo_find(&m, hash), 5);
    stack_memo_begin(&m);
    define(&m, 7, "run");
    define(&m, 8, "jump");
    assert_int_equal(stack_memo_find(&m, hash), STACK_UNKNOWN);
    stack_memo_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(method_keeps_its_number_and_note),
        cmocka_unit_test(stack_is_known_while_its_methods_are),
    };

    return cmocka_run_group_tests_name("stack memo", tests, NULL, NULL);
}
