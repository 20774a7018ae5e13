#include "jfrfmt/test/metadata.h"

#include <stdlib.h>

static void every_attribute_is_read(void **state)
{
    struct made m = {0};
    struct parsed p;
    const struct jfr_class *event;
    const struct jfr_field *f;

    (void)state;
    open_tree(&m, 6);
    leaf(&m, "5", "long");
    element(&m, "class",
            ATTRS("name", "a.b.Event", "id", "-7", "superType", "jdk.jfr.Event", "extra", "1"), 6);
    element(&m, "setting",
            ATTRS("name", "threshold", "class", "9223372036854775807", "defaultValue", "20 ms"), 1);
    annotation(&m, "8", "Threshold");
    element(&m, "field", ATTRS("name", "n", "class", "5", "dimension", "0"), 5);
    annotation(&m, "8", "Number");
    annotation(&m, "9", "How many");
    annotation(&m, "10", "MILLISECONDS");
    element(&m, "annotation", ATTRS("class", "11"), 0);
    element(&m, "unknown", NULL, 0);
    element(&m, "field", ATTRS("name", "a", "class", "5", "dimension", "1", "constantPool", "true"),
            0);
    annotation(&m, "8", "An event");
    element(&m, "annotation",
            ATTRS("value-0", "Java", "class", "9", "value-1", "Memory", "value", "text"), 0);
    element(&m, "whatever", NULL, 0);
    leaf(&m, "8", "jdk.jfr.Label");
    leaf(&m, "9", "jdk.jfr.Description");
    leaf(&m, "10", "jdk.jfr.Timespan");
    leaf(&m, "11", "jdk.jfr.Unsigned");
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_true(p.md.id == -5 && p.md.n_classes == 6 && p.md.has_region);
    assert_string_equal(p.md.locale, "de_CH");
    assert_string_equal(p.md.gmt_offset, "-3600000");
    assert_string_equal(p.md.dst, "7");
    assert_true(p.md.gmt_offset_ms == -3600000 && p.md.dst_ms == 7);
    assert_int_equal(p.md.n_undeclared, 1); /* the setting's class */
    event = jfr_metadata_by_id(&p.md, -7);
    assert_ptr_equal(event, jfr_metadata_by_name(&p.md, "a.b.Event"));
    assert_ptr_equal(event, &p.md.classes[1]);
    assert_true(event->index == 1 && event->is_event && event->kind == JFR_STRUCT);
    assert_string_equal(event->simple, "Event");
    assert_string_equal(event->super, "jdk.jfr.Event");
    assert_string_equal(event->label, "An event");
    assert_string_equal(event->description, "text");
    assert_true(event->n_fields == 2 && event->n_settings == 1 && event->n_annotations == 2);
    assert_string_equal(event->settings[0].name, "threshold");
    assert_string_equal(event->settings[0].default_value, "20 ms");
    assert_true(event->settings[0].type->is_unknown && event->settings[0].n_annotations == 1);
    assert_int_equal(event->annotations[1].n_attrs, 3);
    assert_string_equal(jfr_annotation_get(&event->annotations[1], "value-1"), "Memory");
    assert_null(jfr_annotation_get(&event->annotations[1], "class"));
    assert_null(jfr_annotation_get(&event->annotations[1], "value-2"));
    assert_null(jfr_annotation_find(event->annotations, event->n_annotations, "jdk.jfr.Name"));
    f = jfr_class_field(event, "n");
    assert_string_equal(f->label, "Number");
    assert_string_equal(f->description, "How many");
    assert_true(f->unit == JFR_UNIT_MS && f->is_unsigned && !f->is_contextual && !f->is_pooled);
    assert_true(!f->is_array && f->index == 0 && f->n_annotations == 4);
    assert_ptr_equal(f->type, jfr_metadata_by_id(&p.md, 5));
    f = jfr_class_field(event, "a");
    assert_true(f->is_array && f->is_pooled && f->index == 1 && f->label == NULL);
    assert_null(jfr_class_field(event, "x"));
    parsed_free(&p, &m);
}

struct unit_row {
    const char *name; /* of the annotation's class */
    const char *value;
    enum jfr_unit unit;
};

static const struct unit_row units[] = {
    {"jdk.jfr.Timestamp", "TICKS", JFR_UNIT_TIMESTAMP_TICKS},
    {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_MS},
    {"jdk.jfr.Timestamp", "NANOSECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_NS},
    {"jdk.jfr.Timestamp", "SECONDS_SINCE_EPOCH", JFR_UNIT_TIMESTAMP_S},
    {"jdk.jfr.Timestamp", "ticks", JFR_UNIT_NONE},
    {"jdk.jfr.Timespan", "TICKS", JFR_UNIT_TICKS},
    {"jdk.jfr.Timespan", "NANOSECONDS", JFR_UNIT_NS},
    {"jdk.jfr.Timespan", "MICROSECONDS", JFR_UNIT_US},
    {"jdk.jfr.Timespan", "MILLISECONDS", JFR_UNIT_MS},
    {"jdk.jfr.Timespan", "SECONDS", JFR_UNIT_S},
    {"jdk.jfr.Timespan", "MINUTES", JFR_UNIT_NONE},
    {"jdk.jfr.DataAmount", "BYTES", JFR_UNIT_BYTES},
    {"jdk.jfr.DataAmount", "BITS", JFR_UNIT_BITS},
    {"jdk.jfr.Percentage", "", JFR_UNIT_PERCENT},
    {"jdk.jfr.MemoryAddress", "", JFR_UNIT_ADDRESS},
    {"jdk.jfr.Frequency", "", JFR_UNIT_HERTZ},
    {"jdk.jfr.Label", "TICKS", JFR_UNIT_NONE},
};

static void unit_of_annotation(void **state)
{
    const struct unit_row *r = *state;
    struct made m = {0};
    struct parsed p;

    open_tree(&m, 3);
    leaf(&m, "2", "long");
    leaf(&m, "3", r->name);
    element(&m, "class", ATTRS("name", "A", "id", "4"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "2"), 1);
    annotation(&m, "3", r->value);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.classes[2].fields[0].unit, r->unit);
    parsed_free(&p, &m);
}

struct kind_row {
    const char *name;
    enum jfr_kind kind;
};

static const struct kind_row kinds[] = {
    {"boolean", JFR_BOOLEAN}, {"byte", JFR_BYTE},     {"char", JFR_CHAR},
    {"short", JFR_SHORT},     {"int", JFR_INT},       {"long", JFR_LONG},
    {"float", JFR_FLOAT},     {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING},
    {"Int", JFR_STRUCT},      {"", JFR_STRUCT},       {"java.lang.Integer", JFR_STRUCT},
};

/* A name alone makes a primitive; a supertype or a field makes it a struct. */
static void kind_of_class(void **state)
{
    const struct kind_row *r = *state;
    struct made m = {0};
    struct parsed p;

    open_tree(&m, 3);
    leaf(&m, "2", r->name);
    element(&m, "class", ATTRS("name", r->name, "id", "3", "superType", "x"), 0);
    element(&m, "class", ATTRS("name", r->name, "id", "4"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "2"), 0);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.classes[0].kind, r->kind);
    assert_int_equal(p.md.classes[1].kind, JFR_STRUCT);
    assert_int_equal(p.md.classes[2].kind, JFR_STRUCT);
    parsed_free(&p, &m);
}

struct number_row {
    const char *name; /* the text */
    bool is_number;
    int64_t value;
};

static const struct number_row numbers[] = {
    {"0", true, 0},
    {"+17", true, 17},
    {"-1", true, -1},
    {"007", true, 7},
    {"65535", true, 65535},
    {"65536", true, 65536},
    {"4294967297", true, 4294967297},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775807", true, -INT64_MAX},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"99999999999999999999999999", false, 0},
    {"1e9", false, 0},
    {"0x10", false, 0},
    {" 5", false, 0},
    {"5 ", false, 0},
    {"+", false, 0},
    {"-", false, 0},
    {"--5", false, 0},
    {"", false, 0},
    {"\xd9\xa3", false, 0},
    {"five", false, 0},
};

/* What is no number is no id: the class is kept, but nothing can refer to it. */
static void number_as_id(void **state)
{
    const struct number_row *r = *state;
    struct made m = {0};
    struct parsed p;

    open_tree(&m, 3);
    element(&m, "class", ATTRS("name", "no.Id"), 0);
    leaf(&m, r->name, "int");
    element(&m, "class", ATTRS("name", "A", "id", "77"), 1);
    element(&m, "field", ATTRS("name", "f", "class", r->name), 0);
    element(&m, "region", ATTRS("gmtOffset", r->name, "dst", r->name), 0);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.n_classes, 3);
    assert_string_equal(p.md.gmt_offset, r->name);
    assert_true(p.md.gmt_offset_ms == r->value && p.md.dst_ms == r->value);
    assert_int_equal(p.md.n_undeclared, !r->is_number);
    assert_int_equal(p.md.classes[2].fields[0].type->is_unknown, !r->is_number);
    if (r->is_number)
        assert_ptr_equal(jfr_metadata_by_id(&p.md, r->value), &p.md.classes[1]);
    else
        assert_true(p.md.classes[1].id == INT64_MIN);
    assert_null(jfr_metadata_by_id(&p.md, INT64_MIN));
    parsed_free(&p, &m);
}

static void simple_types_are_followed_and_cycles_end(void **state)
{
    struct made m = {0};
    struct parsed p;
    const struct jfr_class *shown;

    (void)state;
    open_tree(&m, 6);
    leaf(&m, "2", "java.lang.String");
    element(&m, "class", ATTRS("name", "A", "id", "3", "simpleType", "true"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "4"), 0);
    element(&m, "class", ATTRS("name", "B", "id", "4", "simpleType", "true"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "2"), 0);
    element(&m, "class", ATTRS("name", "Cycle", "id", "5", "simpleType", "true"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "5", "constantPool", "true"), 0);
    element(&m, "class", ATTRS("name", "Empty", "id", "6", "simpleType", "true"), 0);
    element(&m, "class", ATTRS("name", "False", "id", "7", "simpleType", "false"), 1);
    element(&m, "field", ATTRS("name", "f", "class", "2", "constantPool", "false"), 0);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    shown = &p.md.classes[0];
    assert_ptr_equal(jfr_class_shown(&p.md.classes[1]), shown);
    assert_ptr_equal(jfr_class_shown(&p.md.classes[2]), shown);
    assert_ptr_equal(jfr_class_shown(&p.md.classes[3]), &p.md.classes[3]);
    assert_ptr_equal(jfr_class_shown(&p.md.classes[4]), &p.md.classes[4]);
    assert_ptr_equal(jfr_class_shown(&p.md.classes[5]), &p.md.classes[5]);
    assert_false(p.md.classes[5].is_simple || p.md.classes[5].fields[0].is_pooled);
    assert_ptr_equal(jfr_class_shown(shown), shown);
    parsed_free(&p, &m);
}

static void undeclared_classes_are_marked_and_counted(void **state)
{
    struct made m = {0};
    struct parsed p;
    const struct jfr_class *a;

    (void)state;
    open_tree(&m, 1);
    element(&m, "class", ATTRS("name", "A", "id", "3"), 5);
    element(&m, "field", ATTRS("name", "gone", "class", "99"), 0);
    element(&m, "field", ATTRS("name", "none"), 0);
    element(&m, "field", ATTRS("class", "3", "dimension", "2", "constantPool", "true"), 0);
    element(&m, "annotation", ATTRS("class", "98", "value", "x"), 0);
    element(&m, "annotation", NULL, 0);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    a = p.md.classes;
    assert_int_equal(p.md.n_undeclared, 4);
    for (int i = 0; i < 3; i++) /* two dimensions: no reader knows how these lie in the bytes */
        assert_true(a->fields[i].type->is_unknown && !a->fields[i].is_pooled);
    assert_string_equal(a->fields[2].name, "");
    assert_true(a->annotations[0].type->is_unknown && a->annotations[1].type->is_unknown);
    assert_string_equal(a->annotations[0].type->name, "?");
    parsed_free(&p, &m);
}

static void of_two_ids_the_first_counts_of_two_fields_the_last(void **state)
{
    struct made m = {0};
    struct parsed p;

    (void)state;
    open_tree(&m, 5);
    leaf(&m, "9", "first");
    leaf(&m, "9", "second");
    leaf(&m, "-9", "first");
    leaf(&m, "-9", "second");
    element(&m, "class", ATTRS("id", "10"), 2);
    element(&m, "field", ATTRS("name", "twice", "class", "9"), 0);
    element(&m, "field", ATTRS("name", "twice", "class", "-9"), 0);
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_ptr_equal(jfr_metadata_by_id(&p.md, 9), &p.md.classes[0]);
    assert_ptr_equal(jfr_metadata_by_id(&p.md, -9), &p.md.classes[2]);
    assert_ptr_equal(jfr_metadata_by_name(&p.md, "second"), &p.md.classes[1]);
    assert_null(jfr_metadata_by_name(&p.md, "third"));
    assert_int_equal(jfr_class_field(&p.md.classes[4], "twice")->index, 1);
    assert_string_equal(p.md.classes[4].name, "");
    assert_string_equal(p.md.classes[4].simple, "");
    parsed_free(&p, &m);
}

static void region_is_optional_and_order_is_free(void **state)
{
    struct made m = {0};
    struct parsed p;

    (void)state;
    element(&m, "root", NULL, 3);
    element(&m, "junk", NULL, 1);
    element(&m, "class", ATTRS("name", "not.A.Class", "id", "3"), 0);
    element(&m, "metadata", NULL, 2);
    element(&m, "nonsense", NULL, 1);
    element(&m, "class", ATTRS("name", "hidden", "id", "4"), 0);
    leaf(&m, "2", "int");
    element(&m, "metadata", NULL, 1); /* a second one counts for nothing */
    leaf(&m, "5", "long");
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.md.n_classes, 1);
    assert_false(p.md.has_region);
    assert_null(p.md.locale);
    assert_null(p.md.gmt_offset);
    assert_int_equal(p.md.gmt_offset_ms, 0);
    parsed_free(&p, &m);
}

struct encoding_row {
    const char *name;
    int encoding;
};

static const struct encoding_row encodings[] = {{"utf-8", 3}, {"utf-16", 4}, {"latin-1", 5}};

static void table_in_encoding(void **state)
{
    const struct encoding_row *r = *state;
    struct made m = {.encoding = r->encoding};
    struct parsed p;

    open_tree(&m, 1);
    leaf(&m, "2", "a.b.C");
    region(&m);
    p = parse(&m);
    assert_int_equal(p.rc, 0);
    assert_string_equal(p.md.classes[0].name, "a.b.C");
    assert_string_equal(p.md.classes[0].simple, "C");
    parsed_free(&p, &m);
}

/* The four bytes of a string that is null, empty, a constant: an index like any other. */
static void strings_without_text(void **state)
{
    static const uint8_t bytes[] = {
        0, 0, 0,   0,   0, /* size, type, times, id */
        8, /* strings */
        3, 4, 'r', 'o', 'o', 't', 0,   1,   2,   5, /* 0 root, 1 null, 2 empty, 3 #5 */
        3, 8, 'm', 'e', 't', 'a', 'd', 'a', 't', 'a', /* 4 */
        3, 5, 'c', 'l', 'a', 's', 's', /* 5 */
        3, 4, 'n', 'a', 'm', 'e', 3,   2,   'i', 'd', /* 6, 7 */
        0, 0, 1, /* root */
        4, 0, 3, /* metadata */
        5, 2, 6,   1,   1,   6,   0, /* name=null, null=name */
        5, 2, 6,   2,   1,   1,   0, /* name= empty */
        5, 2, 6,   3,   7,   99,  0, /* name=#5, id= index 99 */
    };
    struct guarded g = guarded_copy(bytes, sizeof(bytes), 0);
    struct jfr_metadata md;
    struct arena arena = {0};
    struct jfr_error err = {0};

    (void)state;
    assert_int_equal(jfr_metadata_parse(&md, cur_over(g.bytes, g.n), 0, &arena, &err), 0);
    assert_int_equal(md.n_classes, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(md.classes[i].name, "");
        assert_string_equal(md.classes[i].simple, "");
        assert_true(md.classes[i].id == INT64_MIN);
    }
    arena_free(&arena);
    guarded_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_attribute_is_read),
        cmocka_unit_test(simple_types_are_followed_and_cycles_end),
        cmocka_unit_test(undeclared_classes_are_marked_and_counted),
        cmocka_unit_test(of_two_ids_the_first_counts_of_two_fields_the_last),
        cmocka_unit_test(region_is_optional_and_order_is_free),
        cmocka_unit_test(strings_without_text),
    };

    return cmocka_run_group_tests_name("metadata", tests, NULL, NULL) +
           run_rows("metadata: units", units, unit_of_annotation) +
           run_rows("metadata: kinds", kinds, kind_of_class) +
           run_rows("metadata: numbers", numbers, number_as_id) +
           run_rows("metadata: encodings", encodings, table_in_encoding);
}
