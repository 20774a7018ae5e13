#include "jfrfmt/v0/v0.h"
#include "jfrfmt/jfr.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/v0_testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What an event says, by metadata alone: {name=value, ...} with units and constants resolved. */
static void show_class(struct jfr_chunk *chunk, const struct jfr_class *cls, struct cursor *c,
                       int depth, struct buf *to);

static void show_scalar(struct jfr_chunk *chunk, const struct jfr_class *cls, bool is_unsigned,
                        struct cursor *c, int depth, struct buf *to)
{
    uint64_t v;
    double d;
    float f;
    uint32_t u;

    switch (cls->kind) {
    case JFR_STRUCT:
        show_class(chunk, cls, c, depth, to);
        return;
    case JFR_STRING: {
        struct jfr_str s = jfr_str_read(c);
        buf_str(to, jfr_str_is_null(s) ? "null" : "'");
        jfr_str_append_utf8(to, s);
        buf_str(to, jfr_str_is_null(s) ? "" : "'");
        return;
    }
    case JFR_FLOAT:
        u = (uint32_t)cur_be(c, 4);
        memcpy(&f, &u, sizeof(f));
        buf_printf(to, "%g", f);
        return;
    case JFR_DOUBLE:
        v = cur_be(c, 8);
        memcpy(&d, &v, sizeof(d));
        buf_printf(to, "%g", d);
        return;
    case JFR_BOOLEAN:
        buf_str(to, cur_be(c, 1) ? "true" : "false");
        return;
    case JFR_BYTE:
        v = cur_be(c, 1);
        v = is_unsigned ? v : (uint64_t)(int8_t)v;
        break;
    case JFR_SHORT:
        v = cur_varint(c);
        v = is_unsigned ? (uint16_t)v : (uint64_t)(int16_t)v;
        break;
    case JFR_INT:
        v = cur_varint(c);
        v = is_unsigned ? (uint32_t)v : (uint64_t)(int32_t)v;
        break;
    default:
        v = cur_varint(c);
    }
    if (is_unsigned)
        buf_printf(to, "%" PRIu64, v);
    else
        buf_printf(to, "%" PRId64, (int64_t)v);
}

static void show_field(struct jfr_chunk *chunk, const struct jfr_field *f, struct cursor *c,
                       int depth, struct buf *to)
{
    static const char *const units[] = {
        [JFR_UNIT_TIMESTAMP_TICKS] = "@",
        [JFR_UNIT_TIMESTAMP_MS] = "@ms",
        [JFR_UNIT_TICKS] = "t",
        [JFR_UNIT_NS] = "ns",
        [JFR_UNIT_MS] = "ms",
        [JFR_UNIT_BYTES] = "B",
        [JFR_UNIT_PERCENT] = "%",
        [JFR_UNIT_ADDRESS] = "x",
        [JFR_UNIT_HERTZ] = NULL,
    };
    uint64_t n = f->is_array ? cur_varint(c) : 1;

    buf_printf(to, "%s=%s", f->name, f->is_array ? "[" : "");
    for (uint64_t i = 0; i < n && cur_ok(c); i++) {
        buf_str(to, i > 0 ? " " : "");
        if (f->is_pooled) {
            const struct jfr_pool *pool = jfr_chunk_pool(chunk, f->type);
            uint64_t key = cur_varint(c);
            int64_t at = jfr_pool_find(pool, key);
            struct cursor value;
            assert_true(at >= 0 || key == 0);
            if (at < 0 || depth == 0) {
                buf_str(to, at < 0 ? "null" : "...");
                continue;
            }
            value = jfr_pool_value(pool, (size_t)at);
            show_scalar(chunk, f->type, false, &value, depth - 1, to);
            assert_true(cur_ok(&value));
        } else {
            show_scalar(chunk, f->type, f->is_unsigned, c, depth, to);
        }
    }
    buf_printf(to, "%s%s", f->is_array ? "]" : "", units[f->unit] == NULL ? "" : units[f->unit]);
}

static void show_class(struct jfr_chunk *chunk, const struct jfr_class *cls, struct cursor *c,
                       int depth, struct buf *to)
{
    buf_str(to, cls->is_simple ? "" : "{");
    for (size_t i = 0; i < cls->n_fields; i++) {
        buf_str(to, i > 0 ? ", " : "");
        show_field(chunk, &cls->fields[i], c, depth, to);
    }
    buf_str(to, cls->is_simple ? "" : "}");
}

/* A rewritten chunk, loaded. */
struct rewritten {
    struct buf out;
    struct jfr_chunk *chunk;
    struct jfr_error err;
    int rc;
};

static void rewrite(struct rewritten *r, const uint8_t *bytes, size_t n, uint64_t base)
{
    struct guarded g = guarded_copy(bytes, n, 0);
    struct jfr_error err = {0};

    memset(r, 0, sizeof(*r));
    buf_str(&r->out, "before"); /* what is there already stays */
    r->rc = v0_rewrite(g.bytes, g.n, base, &r->out, &r->err);
    guarded_free(&g);
    assert_int_equal(r->rc, r->err.code);
    assert_memory_equal(r->out.p, "before", 6);
    if (r->out.n > 6) {
        struct jfr_raw raw = {.bytes = r->out.p + 6, .n = r->out.n - 6, .declared = r->out.n - 6};
        r->chunk = jfr_chunk_new();
        assert_int_equal(jfr_chunk_load(r->chunk, &raw, &err), 0);
        assert_int_equal(jfr_chunk_header(r->chunk)->size, raw.n);
    }
}

static void discard(struct rewritten *r)
{
    jfr_chunk_free(r->chunk);
    buf_free(&r->out);
}

/* All events as text, one per line. Whatever is in the output must be sound. */
static void show_events(struct rewritten *r, struct buf *to)
{
    struct jfr_event ev;

    while (jfr_chunk_next(r->chunk, &ev) > 0) {
        struct cursor body = ev.body;
        assert_non_null(ev.type);
        buf_str(to, ev.type->name);
        show_class(r->chunk, ev.type, &body, 5, to);
        buf_byte(to, '\n');
        assert_true(cur_ok(&body) && cur_left(&body) == 0);
    }
    assert_int_equal(jfr_chunk_n_errors(r->chunk), 0);
}

#define OLD "{osName='old', osThreadId=5, javaName=null, javaThreadId=0, group=null}"
#define NEW                                                          \
    "{osName='new', osThreadId=5, javaName='new', javaThreadId=77, " \
    "group={parent={parent=null, name='system'}, name='main'}}"
struct row {
    const char *name;
    const char *text;
};

#define ALL_TYPES(end, mode, thread)                                                     \
    "example.org.app_1.all.types{startTime=" end "@, b=true, s8=-5, u8=200, s16=-300, "  \
    "u16=60000, s32=-70000t, u32=4294967294, s64=-1@ms, u64=1ns, f32=0.5%, f64=2.5, "    \
    "utf='utf \xc3\xa4', str='str', mode=" mode ", numbers=[-1 0 1], texts=['' 't'], "   \
    "one={x=7, thread=" thread "}, many=[{x=8, thread=" thread "} {x=9, thread=null}], " \
    "duration_=1234, old_value=4}\n"

/* clang-format off */
static const struct row rows[] = {
    {"every type of value, with the constants of its time",
        ALL_TYPES("900", "{a=9, next=null}", OLD)},
    {"a constant that changed", ALL_TYPES("1500", "null", NEW)},
    {"a constant that no checkpoint holds any more", ALL_TYPES("2500", "null", "null")},
    {"code cache sizes are in KiB",
        "jdk.CodeCacheStatistics{startTime=1200@, entryCount=3, unallocatedCapacity=7168B}\n"},
    {"stack and thread of a sample",
        "jdk.ExecutionSample{startTime=1300@, sampledThread=" NEW ", stackTrace={truncated=true, "
        "frames=[{method={type={classLoaderType={classLoaderType=null, name=string='a/B', modifiers=1}, "
        "name=string='oracle/jrockit/jfr/events/Handler', modifiers=0}, name=string='run', "
        "descriptor=string='()V', modifiers=1, hidden=true}, lineNumber=10, bytecodeIndex=-1, "
        "type=description='Interpreted'} {method={type={classLoaderType=null, "
        "name=string='a/B', modifiers=1}, name=string='run', descriptor=string='()V', "
        "modifiers=9, hidden=false}, lineNumber=20, bytecodeIndex=-1, "
        "type=description='Interpreted'} "
        "{method=null, lineNumber=30, bytecodeIndex=-1, type=null}]}}\n"},
    {"a Java thread is the thread it runs on",
        "jdk.ThreadEnd{startTime=1400@, eventThread=" NEW ", javalangthread=" NEW "}\n"},
    {"start and end, renamed class, address",
        "jdk.ThreadPark{startTime=1350@, duration=100t, eventThread=" NEW ", stackTrace={"},
    {"and behind the stack",
        "parkedClass={classLoaderType=null, name=string='a/B', modifiers=1}, timeout=-1ms, "
        "address=78187493530x}\n"},
    {"lost buffer", "jdk.DataLoss{startTime=1460@, eventThread=" NEW ", amount=777B}\n"},
    {"settings of a periodic type",
        "{startTime=1100@, id=A, name='enabled', value='true'}\n"
        "{startTime=1100@, id=A, name='stacktrace', value='false'}\n"
        "{startTime=1100@, id=A, name='period', value='everyChunk'}\n"},
    {"settings of the settings",
        "{startTime=1100@, id=B, name='enabled', value='true'}\n"
        "{startTime=1100@, id=B, name='stacktrace', value='false'}\n"
        "{startTime=1100@, id=B, name='threshold', value='20 ns'}\n"},
    {"settings of a type that is not declared",
        "{startTime=1100@, id=0, name='enabled', value='true'}\n"
        "{startTime=1100@, id=0, name='stacktrace', value='false'}\n"
        "{startTime=1100@, id=0, name='threshold', value='20 ns'}\n"
        "{startTime=1100@, id=0, name='period', value='1000 ms'}\n"},
    {"name of a type that nobody knows",
        "www.oracle.com.hotspot.jvm.vm.gc._1odd_path{startTime=2500@}\n"},
};
/* clang-format on */

static void replace_all(char *text, const char *from, const char *to)
{
    size_t n = strlen(from), m = strlen(to);

    assert_true(m <= n);
    for (char *at = text; (at = strstr(at, from)) != NULL; at += m) {
        for (size_t i = 0; i < m; i++)
            at[i] = to[i];
        memmove(at + m, at + n, strlen(at + n) + 1);
    }
}

/* Ids of event types are the writer's choice: those of two types read as A and B. */
static char *sample_as_text(void)
{
    struct buf sample = {0}, text = {0};
    const struct jfr_metadata *md;
    struct rewritten r;
    char id[40];

    sample_chunk(&sample);
    rewrite(&r, sample.p, sample.n, 0);
    assert_int_equal(r.rc, 0);
    show_events(&r, &text);
    buf_byte(&text, 0);
    md = jfr_chunk_metadata(r.chunk);
    snprintf(id, sizeof(id), "id=%" PRId64 ",",
             jfr_metadata_by_name(md, "jdk.ExecutionSample")->id);
    replace_all((char *)text.p, id, "id=A,");
    snprintf(id, sizeof(id), "id=%" PRId64 ",", jfr_metadata_by_name(md, "jdk.ActiveSetting")->id);
    replace_all((char *)text.p, id, "id=B,");
    replace_all((char *)text.p, "jdk.ActiveSetting", "");
    discard(&r);
    buf_free(&sample);
    return (char *)text.p;
}

static void says(void **state)
{
    const struct row *t = *state;
    char *text = sample_as_text();

    if (strstr(text, t->text) == NULL) {
        fputs(text, stderr);
        fail_msg("no such text: %s", t->text);
    }
    free(text);
}

static void header_and_types_are_told(void **state)
{
    struct buf sample = {0};
    const struct jfr_chunk_header *h;
    const struct jfr_metadata *md;
    const struct jfr_class *cls;
    const struct jfr_annotation *category;
    struct rewritten r;

    (void)state;
    sample_chunk(&sample);
    rewrite(&r, sample.p, sample.n, 0);
    h = jfr_chunk_header(r.chunk);
    md = jfr_chunk_metadata(r.chunk);
    assert_true(h->major == 2 && h->minor == 1 && h->state == 0 && h->flags == 1);
    assert_int_equal(h->start_nanos, 1600000000000000000);
    assert_int_equal(h->duration_nanos, 10000000000);
    assert_int_equal(h->start_ticks, 500);
    assert_int_equal(h->ticks_per_second, 1000000000);
    assert_string_equal(md->locale, "sv_SE");
    assert_int_equal(md->gmt_offset_ms, 3600000);
    cls = jfr_metadata_by_name(md, "jdk.CodeCacheStatistics");
    assert_string_equal(cls->label, "Code Cache Statistics");
    assert_string_equal(cls->description, "what it is");
    category = jfr_annotation_find(cls->annotations, cls->n_annotations, "jdk.jfr.Category");
    assert_int_equal(category->n_attrs, 2);
    assert_string_equal(category->attrs[0].value, "Java Virtual Machine");
    assert_string_equal(category->attrs[1].value, "Code Cache");
    assert_string_equal(jfr_class_field(cls, "entryCount")->label, "entryCount");
    discard(&r);
    buf_free(&sample);
}

static void keys_of_other_chunks_are_others(void **state)
{
    struct buf sample = {0};
    struct rewritten r[2];
    uint64_t key[2];

    (void)state;
    sample_chunk(&sample);
    for (int i = 0; i < 2; i++) {
        const struct jfr_class *cls;
        const struct jfr_pool *pool;
        rewrite(&r[i], sample.p, sample.n, i * sample.n);
        cls = jfr_metadata_by_name(jfr_chunk_metadata(r[i].chunk), "java.lang.Thread");
        pool = jfr_chunk_pool(r[i].chunk, cls);
        assert_int_equal(jfr_pool_n(pool), 2);
        key[i] = jfr_pool_key(pool, 1);
    }
    assert_int_equal(key[1] - key[0], sample.n);
    assert_true(jfr_chunk_metadata(r[0].chunk)->id != jfr_chunk_metadata(r[1].chunk)->id);
    discard(&r[0]);
    discard(&r[1]);
    buf_free(&sample);
}

/* The metadata comes last, so of a cut chunk nothing can be told. */
static void cut_anywhere_is_an_error(void **state)
{
    struct buf sample = {0};

    (void)state;
    sample_chunk(&sample);
    for (size_t n = 0; n < sample.n; n++) {
        struct rewritten r;
        rewrite(&r, sample.p, n, 0);
        assert_int_equal(r.rc, JFR_E_SHORT);
        assert_int_equal(r.out.n, 6);
        discard(&r);
    }
    buf_free(&sample);
}

/* Any number at any place: the output, if any, is sound, and damage is told inside the chunk. */
static void wild_numbers_anywhere(void **state)
{
    static const uint32_t wild[] = {0, 1, 0x10, 0x7fffffff, 0x80000000, 0xffffffff};
    struct buf sample = {0}, text = {0};
    size_t n_errors = 0;

    (void)state;
    sample_chunk(&sample);
    for (size_t at = 8; at + 4 <= sample.n; at++)
        for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
            struct buf room = buf_fixed(sample.p + at, 4);
            struct rewritten r;
            uint8_t kept[4];
            memcpy(kept, sample.p + at, 4);
            buf_be(&room, wild[i], 4);
            rewrite(&r, sample.p, sample.n, 100);
            assert_true(r.rc == 0 || (r.err.offset >= 100 && r.err.offset <= 100 + sample.n));
            assert_true(r.rc <= 0 && (r.rc < 0 || r.chunk != NULL));
            n_errors += r.rc != 0;
            buf_reset(&text);
            if (r.chunk != NULL)
                show_events(&r, &text);
            memcpy(sample.p + at, kept, 4);
            discard(&r);
        }
    assert_true(n_errors > 1000);
    buf_free(&text);
    buf_free(&sample);
}

/* Overwrites n bytes at `at` of the sample. */
struct damage {
    const char *name;
    size_t (*find)(const struct buf *sample);
    uint64_t value;
    unsigned n;
    const char *error; /* part of it; NULL: none */
    const char *there, *gone; /* texts of events, NULL: nothing at all */
};

/* Where the 4-byte type number `type` of the first such event lies. */
static size_t type_of(const struct buf *sample, uint32_t type)
{
    for (size_t at = 16;;) {
        struct cursor c = cur_over(sample->p + at, sample->n - at);
        uint64_t size = cur_be(&c, 4);
        if (cur_be(&c, 4) == type)
            return at + 4;
        at += size;
    }
}

static size_t size_of_sample(const struct buf *sample)
{
    return type_of(sample, 21) - 4;
}

static size_t size_of_first_checkpoint(const struct buf *sample)
{
    return type_of(sample, 1) - 4;
}

static size_t previous_of_first_checkpoint(const struct buf *sample)
{
    return type_of(sample, 1) + 4 + 8;
}

static size_t last_checkpoint(const struct buf *sample)
{
    return sample->n - 4 - 2 - 5 - 8;
}

static size_t ticks_per_second(const struct buf *sample)
{
    return last_checkpoint(sample) - 8;
}

static size_t first_pool(const struct buf *sample)
{
    return type_of(sample, 1) + 4 + 16;
}

static size_t inner_struct(const struct buf *sample)
{
    const char name[] = "\0\3one\0\3one\0\0\1\016";

    return (size_t)((uint8_t *)memmem(sample->p, sample->n, name, sizeof(name) - 1) - sample->p) +
           sizeof(name) - 1 + 4;
}

/* clang-format off */
static const struct damage damages[] = {
    {"event of size 0", size_of_sample, 0, 4, "bad size", "CodeCache", "ExecutionSample{"},
    {"event beyond the metadata", size_of_sample, 100000, 4, "bad size", "CodeCache", "ThreadPark"},
    {"event too short for its fields", size_of_sample, 20, 4, "shorter than its fields", "CodeCache",
        "ExecutionSample{"},
    {"chain that stays where it is", previous_of_first_checkpoint, 16, 8, "chain", "'old'", "older"},
    {"chain that goes forward", previous_of_first_checkpoint, 300, 8, "chain", "'new'", "older"},
    {"chain that starts nowhere", last_checkpoint, 1u << 30, 8, "chain", "thread=null", "osName"},
    {"checkpoint that reaches into the next", size_of_first_checkpoint, 600, 4, "chain", "",
        "'old'"},
    {"no constants", last_checkpoint, 0, 8, NULL, "thread=null", "osName"},
    {"constants of an unknown kind", first_pool, 4711, 4, "checkpoint is damaged", "'new'", "'old'"},
    {"clock that stands still", ticks_per_second, 0, 8, "clock", NULL, NULL},
    {"structure in itself", inner_struct, 0, 4, "metadata is damaged", NULL, NULL},
    {"structure of nothing", inner_struct, 2, 4, "metadata is damaged", NULL, NULL},
    {"structure that is not there", inner_struct, 3, 4, "metadata is damaged", NULL, NULL},
};
/* clang-format on */

static void is_survived(void **state)
{
    const struct damage *t = *state;
    struct buf sample = {0}, text = {0}, at;
    struct rewritten r;

    sample_chunk(&sample);
    at = buf_fixed(sample.p + t->find(&sample), t->n);
    buf_be(&at, t->value, t->n);
    rewrite(&r, sample.p, sample.n, 0);
    assert_int_equal(r.rc, t->error == NULL ? 0 : JFR_E_FORMAT);
    assert_non_null(strstr(r.err.text, t->error == NULL ? "" : t->error));
    assert_true((r.chunk != NULL) == (t->there != NULL));
    if (r.chunk != NULL) {
        show_events(&r, &text);
        buf_byte(&text, 0);
        assert_non_null(strstr((char *)text.p, t->there));
        assert_null(strstr((char *)text.p, t->gone));
    }
    discard(&r);
    buf_free(&text);
    buf_free(&sample);
}

/* Otherwise 100 types of 1000 fields each, 22 KB of metadata, would be shown as 100 000 fields. */
static void sharing_of_structures_is_bounded(void **state)
{
    struct buf b = {0};
    struct rewritten r;
    size_t at;

    (void)state;
    buf_bytes(&b, "FLR\0\0\0\0\011\0\0\0\0\0\0\0\020", 16);
    at = sample_begin(&b, 0);
    PUT(&b, "4422244", 1, 1, 0, 0, 0, 0, 1);
    PUT(&b, "4", 1000);
    for (int i = 0; i < 1000; i++)
        PUT(&b, "22211444", 0, 0, 0, 0, S8, 0, 0, 0);
    PUT(&b, "4", 100);
    for (int i = 0; i < 100; i++)
        PUT(&b, "4222111144", i, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    PUT(&b, "488888", 0, 0, 0, 0, 1000, 0);
    PUT(&b, "24", 0, 0);
    sample_end(&b, at);
    rewrite(&r, b.p, b.n, 0);
    assert_int_equal(r.rc, JFR_E_LIMIT);
    assert_int_equal(r.out.n, 6);
    discard(&r);
    buf_free(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_types_are_told),
        cmocka_unit_test(keys_of_other_chunks_are_others),
        cmocka_unit_test(cut_anywhere_is_an_error),
        cmocka_unit_test(wild_numbers_anywhere),
        cmocka_unit_test(sharing_of_structures_is_bounded),
    };
    int failed = 0;

    failed += run_rows("v0: rewritten is", rows, says);
    failed += cmocka_run_group_tests_name("v0", tests, NULL, NULL);
    failed += run_rows("v0: survives", damages, is_survived);
    return failed;
}
