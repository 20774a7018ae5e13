/* types_test.c - event types that programs define: names, fields, limits, and what is refused. */
#define JFRKIT_EVENT_INSIDE
#include "recorder/custom/types.h"

#include "jfrfmt/test/testing.h"
#include "recorder/api/jfrkit_event.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct jk_field plain[] = {{"a", JK_INT}, {"b", JK_STRING}};

struct row {
    const char *name;
    struct jk_event_type type;
    int want; /* 1: a number */
};

static const struct jk_field no_name[] = {{NULL, JK_INT}};
static const struct jk_field no_kind[] = {{"a", 0}};
static const struct jk_field far_kind[] = {{"a", 12}};
static const struct jk_field dash[] = {{"a-b", JK_INT}};
static const struct jk_field taken[] = {{"stackTrace", JK_INT}};
static const struct jk_field twice[] = {{"a", JK_INT}, {"a", JK_LONG}};
static const struct jk_field text_bytes[] = {{"a", JK_STRING, .unit = JK_BYTES}};
static const struct jk_field int_share[] = {{"a", JK_INT, .unit = JK_PERCENTAGE}};
static const struct jk_field far_unit[] = {{"a", JK_LONG, .unit = 13}};
static const struct jk_field share[] = {{"a", JK_DOUBLE, .unit = JK_PERCENTAGE}};

#define F(list) .fields = list, .n_fields = sizeof(list) / sizeof((list)[0])
#define NAME_40 "abcdefghijklmnopqrstuvwxyzabcdefghijklmn"

/* clang-format off */
static const struct row rows[] = {
    {"a plain type", {"t.Plain", F(plain)}, 1},
    {"the same again", {"t.Plain", F(plain)}, 1},
    {"the same with another label", {"t.Plain", "Label", F(plain)}, 1},
    {"another of this name", {"t.Plain", F(share)}, JK_OTHER_TYPE},
    {"no fields", {"t.None"}, 1},
    {"no package", {"Bare"}, 1},
    {"a share of a double", {"t.Share", F(share)}, 1},
    {"no name", {NULL}, JK_BAD_NAME},
    {"an empty name", {""}, JK_BAD_NAME},
    {"a dash", {"t.a-b"}, JK_BAD_NAME},
    {"two dots", {"t..a"}, JK_BAD_NAME},
    {"a dot at the end", {"t."}, JK_BAD_NAME},
    {"a digit first", {"t.1a"}, JK_BAD_NAME},
    {"other letters", {"t.\xc3\xa4"}, JK_BAD_NAME},
    {"the JDK's", {"jdk.FileRead"}, JK_BAD_NAME},
    {"120 letters", {"t." NAME_40 NAME_40 NAME_40}, 1},
    {"160 letters", {"t." NAME_40 NAME_40 NAME_40 NAME_40}, JK_BAD_NAME},
    {"a field without name", {"t.F", F(no_name)}, JK_BAD_FIELD},
    {"a field without kind", {"t.F", F(no_kind)}, JK_BAD_FIELD},
    {"a kind that there is not", {"t.F", F(far_kind)}, JK_BAD_FIELD},
    {"a dash in a field", {"t.F", F(dash)}, JK_BAD_FIELD},
    {"a field that all have", {"t.F", F(taken)}, JK_BAD_FIELD},
    {"two fields of one name", {"t.F", F(twice)}, JK_BAD_FIELD},
    {"bytes of a text", {"t.F", F(text_bytes)}, JK_BAD_FIELD},
    {"a share that is whole", {"t.F", F(int_share)}, JK_BAD_FIELD},
    {"a unit that there is not", {"t.F", F(far_unit)}, JK_BAD_FIELD},
    {"no list of fields", {"t.F", .n_fields = 2}, JK_BAD_FIELD},
    {"fewer than no fields", {"t.F", .n_fields = -1}, JK_BAD_FIELD},
    {"33 fields", {"t.F", .fields = plain, .n_fields = 33}, JK_TOO_MANY_FIELDS},
};
/* clang-format on */

static void define(void **state)
{
    const struct row *t = *state;
    int rc = custom_define(&t->type);

    if (t->want < 0) {
        assert_int_equal(rc, t->want);
        assert_string_not_equal(jk_event_text(rc), "unknown");
        return;
    }
    assert_true(rc > 0);
    assert_int_equal(custom_define(&t->type), rc);
    assert_string_equal(custom_type(rc)->name, t->type.name);
}

static void texts_are_cut_at_a_character(void **state)
{
    char text[600] = "";
    int rc;

    (void)state;
    for (int i = 0; i < 199; i++)
        strcat(text, "\xe2\x82\xac");
    rc = custom_define(&(struct jk_event_type){"t.Long", text});
    assert_true(rc > 0);
    assert_int_equal(strlen(custom_type(rc)->label), 510);
}

static void recordings_switch_all(void **state)
{
    int rc = custom_define(&(struct jk_event_type){"t.Switched"}), later;

    (void)state;
    assert_true(custom_thresholds[rc] == CUSTOM_OFF);
    custom_begin();
    assert_true(custom_thresholds[rc] == CUSTOM_NEW);
    custom_set(rc, &(struct custom_limits){.threshold_ns = 5, .events = INT64_MAX, .per_ns = 1});
    assert_true(custom_thresholds[rc] == 5);
    assert_false(custom_type(rc)->with_stack);
    later = custom_define(&(struct jk_event_type){"t.Later"});
    assert_true(custom_thresholds[later] == CUSTOM_NEW);
    custom_end();
    assert_true(custom_thresholds[rc] == CUSTOM_OFF);
}

/* Every thread defines the same types; each gets the same numbers. */
static void *define_many(void *arg)
{
    int *numbers = arg;
    char name[20];

    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "t.Many%d", i);
        numbers[i] = custom_define(&(struct jk_event_type){.name = name, F(plain)});
    }
    return NULL;
}

static void all_threads_get_the_same_type(void **state)
{
    static int numbers[4][40];
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, define_many, numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(numbers[i], numbers[0], sizeof(numbers[0]));
}

static void there_is_room_for_128(void **state)
{
    char name[20];
    int rc = 1;

    (void)state;
    for (int i = 0; i < 200 && rc > 0; i++) {
        snprintf(name, sizeof(name), "t.Fill%d", i);
        rc = custom_define(&(struct jk_event_type){.name = name});
    }
    assert_int_equal(rc, JK_TOO_MANY_TYPES);
    assert_int_equal(custom_n_types(), CUSTOM_TYPES);
    assert_true(custom_define(&(struct jk_event_type){"t.Plain", F(plain)}) > 0);
    assert_null(custom_type(0));
    assert_null(custom_type(CUSTOM_TYPES + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_at_a_character),
        cmocka_unit_test(recordings_switch_all),
        cmocka_unit_test(all_threads_get_the_same_type),
        cmocka_unit_test(there_is_room_for_128),
    };

    return run_rows("custom_types: define", rows, define) +
           cmocka_run_group_tests_name("custom_types", tests, NULL, NULL);
}
