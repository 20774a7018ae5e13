#include "recorder/events/class_tags.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_text_is_taken_once(void **state)
{
    int64_t tag = class_tags_keep("Lapp/Main;", 11);
    size_t n = 0;
    char *text = class_tags_take(tag, &n);

    (void)state;
    assert_true(tag > 0);
    assert_int_equal(n, 11);
    assert_string_equal(text, "Lapp/Main;");
    free(text);
    assert_null(class_tags_take(tag, &n));
}

static void many_texts_keep_apart(void **state)
{
    int64_t tags[5000];
    char name[32];
    size_t n;

    (void)state;
    for (int i = 0; i < 5000; i++)
        tags[i] = class_tags_keep(name, (size_t)snprintf(name, sizeof(name), "C%d", i) + 1);
    for (int i = 4999; i >= 0; i--) {
        char *text;

        assert_true(class_tags_is_kept(tags[i]));
        text = class_tags_take(tags[i], &n);
        snprintf(name, sizeof(name), "C%d", i);
        assert_string_equal(text, name);
        free(text);
    }
}

static void tags_from_before_a_reset_mean_nothing(void **state)
{
    int64_t old = class_tags_keep("old", 4), tag;
    size_t n;

    (void)state;
    class_tags_reset();
    tag = class_tags_keep("new", 4);
    assert_false(class_tags_is_kept(old));
    assert_null(class_tags_take(old, &n));
    assert_null(class_tags_take(0, &n));
    assert_true(class_tags_is_kept(tag));
    class_tags_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_taken_once),
        cmocka_unit_test(many_texts_keep_apart),
        cmocka_unit_test(tags_from_before_a_reset_mean_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
