/* context_test --write FILE FIELDS|SPANS|BOTH|LATE|TAGS|IDS [users requests chunks] writes the
 * recording for the scripts. */
#include "convert/context/context.h"
#include "convert/test/context_testing.h"
#include "convert/profile/profile.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/chunk.h"

#include <stdlib.h>

static char path[] = "/tmp/context_test.XXXXXX";

static unsigned how_of(const char *name)
{
    return strcmp(name, "FIELDS") == 0  ? SERVER_FIELDS
           : strcmp(name, "SPANS") == 0 ? SERVER_SPANS
           : strcmp(name, "BOTH") == 0  ? SERVER_FIELDS | SERVER_SPANS
           : strcmp(name, "TAGS") == 0  ? SERVER_TAGS
           : strcmp(name, "IDS") == 0   ? SERVER_IDS
                                        : SERVER_SPANS | SERVER_LATE;
}

/* What the tests count: execution samples and bytes read by user, and what else was met. */
struct counts {
    unsigned samples[4], nobody;
    int64_t bytes[4];
    unsigned wrong; /* events whose action is not that of their user's request */
};

static int count_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    static const char *const want[] = {"bytesRead"};
    void **both = worker;
    struct select_run *r = both[0];
    struct counts *n = both[1];
    struct context_run *c = select_run_context(r);
    struct jfr_event ev;

    (void)out;
    assert_int_equal(select_run_load(r, rc->chunk), 0);
    while (jfr_chunk_next(rc->chunk, &ev) > 0) {
        bool is_sample = kind_is_event(ev.type, "jdk.ExecutionSample");
        bool is_read = kind_is_event(ev.type, "jdk.FileRead");
        union jfr_value v[1];
        uint32_t tuple;
        const char *user, *action;

        if (!is_sample && !is_read)
            continue;
        tuple = context_event(c, &ev);
        user = context_text(c, tuple, 0, NULL);
        if (user == NULL) {
            n->nobody += is_sample;
            continue;
        }
        assert_memory_equal(user, "user", 4);
        if (is_sample)
            n->samples[user[4] - '0']++;
        if (is_read &&
            jfr_plan_run(jfr_plan_shared(rc->chunk, ev.type, want, 1), ev.body, v, NULL) == 0)
            n->bytes[user[4] - '0'] += v[0].i;
        action = context_text(c, tuple, 1, NULL);
        n->wrong += action == NULL || (strcmp(action, "load") != 0 && strcmp(action, "store") != 0);
    }
    return 0;
}

static struct counts count(const char *const *keys, bool look_ahead)
{
    struct select_spec spec = {.keys = {keys, 2}};
    struct jfr_error err = {0};
    struct select *s = select_new(&spec, &err);
    const char *const paths[] = {path};
    const char *err_path;
    struct counts n = {0};
    void *both[2];
    struct run_options opt = {.paths = paths, .n_paths = 1};
    struct run_job job = {.shared = both, .chunk = count_chunk};
    struct run_result result;

    assert_non_null(s);
    if (look_ahead)
        assert_int_equal(select_resolve(s, paths, 1, &err, &err_path), 0);
    both[0] = select_run_new(s);
    both[1] = &n;
    assert_int_equal(run_all(&opt, &job, NULL, &result, &err, &err_path), 0);
    select_run_free(both[0]);
    select_free(s);
    return n;
}

struct row {
    const char *name;
    unsigned how, chunks;
    const char *keys[2];
    bool look_ahead;
    unsigned missing; /* requests whose context cannot be known */
};

/* clang-format off */
static const struct row rows[] = {
    {"fields of the event", SERVER_FIELDS, 1, {"user", "action"}},
    {"fields by their full names", SERVER_FIELDS, 2, {"tracer-context_user", "tracer-context_action"}},
    {"fields by the name of the interval event", SERVER_FIELDS, 2, {"jfrkit.TracerContext.user", "TracerContext.action"}},
    {"events that last", SERVER_SPANS, 1, {"user", "TracerContext.action"}},
    {"events that last, three chunks", SERVER_SPANS, 3, {"tracer-context_user", "action"}, true},
    {"events that last a chunk longer", SERVER_SPANS | SERVER_LATE, 3, {"user", "action"}, true},
    {"a chunk longer, in a stream", SERVER_SPANS | SERVER_LATE, 3, {"user", "action"}, false, 16},
    {"fields and events that last", SERVER_SPANS | SERVER_FIELDS, 2, {"user", "action"}},
};
/* clang-format on */

/* 24 requests of 3 users: 8 each, with 1, 2, 3 samples. */
static void every_event_knows_its_user(void **state)
{
    const struct row *t = *state;
    struct server s = {.users = 3, .requests = 24, .chunks = t->chunks, .how = t->how};
    struct counts n;

    assert_true(server_write(path, &s));
    n = count(t->keys, t->look_ahead);
    assert_int_equal(n.wrong, 0);
    if (t->missing == 0) {
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(n.samples[i], 8 * (i + 1));
            assert_int_equal(n.bytes[i], 8 * 100 * (i + 1));
        }
        assert_int_equal(n.nobody, 24);
    } else {
        assert_true(n.nobody > 24);
        assert_int_equal(n.samples[0] + n.samples[1] + n.samples[2] + n.nobody, 48 + 24);
    }
}

struct filter_row {
    const char *name;
    const char *want[3], *exclude[2];
    unsigned samples; /* of 3 users as above, and 24 of nobody */
};

/* clang-format off */
static const struct filter_row filters[] = {
    {"one user", {"user=user1"}, {NULL}, 16},
    {"values of a key are alternatives", {"user=user1", "user=user2"}, {NULL}, 40},
    {"keys limit one another", {"user=user1", "action=load"}, {NULL}, 8},
    {"a glob", {"user=user*"}, {NULL}, 48},
    {"a regular expression", {"user=/[12]$/"}, {NULL}, 40},
    {"anybody", {"user"}, {NULL}, 48},
    {"nobody", {"user="}, {NULL}, 24},
    {"somebody else, nobody too", {"user!=user1"}, {NULL}, 56},
    {"not this one", {NULL}, {"user=user1"}, 56},
    {"not these", {NULL}, {"user=user1", "user=user2"}, 32},
    {"not anybody", {NULL}, {"user"}, 24},
    {"both", {"user"}, {"action=store"}, 24},
    {"not not", {NULL}, {"user!=user1"}, 16},
    {"a key that nothing has", {"nope=x"}, {NULL}, 0},
    {"a key that nothing has, excluded", {NULL}, {"nope=x"}, 72},
    {"a full name", {"tracer-context_user=user0"}, {NULL}, 8},
};
/* clang-format on */

static size_t n_texts(const char *const *texts, size_t max)
{
    size_t n = 0;

    while (n < max && texts[n] != NULL)
        n++;
    return n;
}

static uint64_t profiled(const struct filter_row *t, unsigned jobs)
{
    struct select_spec spec = {.contexts = {t->want, n_texts(t->want, 3)},
                               .not_contexts = {t->exclude, n_texts(t->exclude, 2)}};
    struct jfr_error err = {0};
    struct select *s = select_new(&spec, &err);
    const char *const paths[] = {path};
    struct profile_options opt = {.kind = KIND_WALL, .select = s};
    struct run_options run = {.paths = paths, .n_paths = 1, .jobs = jobs};
    const char *err_path;
    struct run_result result;
    struct profile *p;
    struct run_job job;
    uint64_t n;

    assert_non_null(s);
    assert_int_equal(select_resolve(s, paths, 1, &err, &err_path), 0);
    p = profile_new(&opt);
    job = profile_job(p);
    assert_int_equal(run_all(&run, &job, NULL, &result, &err, &err_path), 0);
    assert_int_equal(profile_finish(p), 0);
    n = profile_facts(p).samples;
    profile_free(p);
    select_free(s);
    return n;
}

static void filters_choose(void **state)
{
    const struct filter_row *t = *state;
    static const unsigned hows[] = {SERVER_FIELDS, SERVER_SPANS | SERVER_LATE,
                                    SERVER_FIELDS | SERVER_SPANS};

    for (size_t i = 0; i < 3; i++) {
        struct server s = {.users = 3, .requests = 24, .chunks = 3, .how = hows[i]};

        assert_true(server_write(path, &s));
        assert_int_equal(profiled(t, 1), t->samples);
        assert_int_equal(profiled(t, 3), t->samples);
    }
}

static const struct bad {
    const char *name, *text, *want;
} bad[] = {
    {"no key", "=alice", "'=alice' is not KEY=VALUE"},
    {"no key, negated", "!=alice", "'!=alice' is not KEY=VALUE"},
    {"a bad pattern", "user=/(/", "without ')'"},
};

static void what_is_no_condition_is_named(void **state)
{
    const struct bad *t = *state;
    struct select_spec spec = {.contexts = {&t->text, 1}};
    struct jfr_error err = {0};

    assert_null(select_new(&spec, &err));
    assert_int_equal(err.code, JFR_E_FORMAT);
    if (strstr(err.text, t->want) == NULL)
        fail_msg("'%s'", err.text);
}

/* One span in another, on one thread; times in ms. */
struct span {
    int from, to;
    const char *user, *action;
    bool is_continuation;
};

struct nest_row {
    const char *name;
    struct span spans[4];
    const char *want; /* user/action at 5, 15, 25, ... 95 ms */
};

/* clang-format off */
static const struct nest_row nests[] = {
    {"one after the other", {{0, 20, "a", "x"}, {20, 50, "b", "y"}}, "ax ax by by by - - - - - "},
    {"the inner one counts", {{0, 100, "a", "x"}, {30, 60, "b", "y"}}, "ax ax ax by by by ax ax ax ax "},
    {"what it does not say stays", {{0, 100, "a", "x"}, {30, 60, NULL, "y"}}, "ax ax ax ay ay ay ax ax ax ax "},
    {"written inner first", {{30, 60, "b", NULL}, {0, 100, "a", "x"}}, "ax ax ax bx bx bx ax ax ax ax "},
    {"not nested", {{0, 50, "a", "x"}, {30, 80, "b", "y"}}, "ax ax ax by by by by by - - "},
    {"the same start", {{10, 90, "a", "x"}, {10, 40, "b", "y"}}, "- by by by ax ax ax ax ax - "},
    {"the same twice, the first written is the inner", {{10, 40, "b", "y"}, {10, 40, "a", "x"}}, "- by by by - - - - - - "},
    {"one that takes no time", {{5, 5, "a", "x"}}, "- - - - - - - - - - "},
    {"a part of what began before is around it", {{20, 50, "b", "y"}, {30, 90, "a", "x", true}}, "- - by by by ax ax ax ax - "},
    {"parts of the same time, the outer one first", {{10, 90, "a", "x", true}, {10, 90, "b", "y", true}}, "- by by by by by by by by - "},
    {"the next part stands where the one before stood", {{0, 90, "a", "x"}, {30, 50, "b", "y"}, {50, 70, "c", "y", true}}, "ax ax ax by by cy cy ax ax - "},
    {"the next part of the outer one", {{0, 30, "a", "x"}, {20, 60, "b", NULL}, {30, 90, "c", "y", true}}, "ax ax bx by by by cy cy cy - "},
    {"from the end on it does not hold", {{0, 15, "a", "x"}, {35, 36, "b", "y"}}, "ax - - by - - - - - - "},
};
/* clang-format on */

static void spans_nest(void **state)
{
    const struct nest_row *t = *state;
    struct server s = {.users = 1, .how = SERVER_SPANS};
    struct jfr_writer_options options = {.replace = true, .start_ticks = SERVER_START, .seed = 1};
    struct jfr_error err = {0};
    struct buf got = {0};
    struct jfr_reader *reader;
    struct context_run *c;
    struct jfr_event ev;
    struct context *shared = context_new();
    struct server_request r = {.thread = 1};

    context_want_all(shared);
    s.w = jfr_writer_open(path, &options, &err);
    assert_true(server_declare(&s));
    server_constants(&s);
    for (int i = 0; i < 4 && t->spans[i].to > 0; i++) {
        const struct span *p = &t->spans[i];

        server_begin(&s, &r, SERVER_REQUEST, p->from * 1000, (p->to - p->from) * 1000000, -1);
        jfr_put_string(s.w, p->user);
        jfr_put_string(s.w, p->action);
        jfr_put_boolean(s.w, p->is_continuation);
        jfr_event_end(s.w);
    }
    for (int i = 0; i < 10; i++)
        server_sample(&s, &r, 5000 + i * 10000, 0);
    assert_int_equal(jfr_writer_close(s.w, &err), 0);

    reader = jfr_reader_open(path, &err);
    c = context_run_new(shared);
    assert_int_equal(jfr_reader_next(reader, &ev), 1);
    assert_int_equal(context_run_load(c, jfr_reader_chunk(reader)), 0); /* it rewinds */
    while (jfr_reader_next(reader, &ev) > 0) {
        uint32_t tuple = context_event(c, &ev);

        if (!kind_is_event(ev.type, "jdk.ExecutionSample"))
            continue;
        for (size_t i = 0; i < context_n_attributes(c); i++) {
            const char *text = context_attribute_text(c, tuple, i, NULL);

            assert_string_equal(context_attribute(c, i), i == 0 ? "user" : "action");
            buf_str(&got, text == NULL ? i == 0 ? "-" : "" : text);
        }
        buf_byte(&got, ' ');
    }
    buf_byte(&got, 0);
    assert_string_equal((char *)got.p, t->want);
    buf_free(&got);
    context_run_free(c);
    context_free(shared);
    jfr_reader_close(reader);
}

/* What other producers write, one class each: fields, and bytes of an event behind startTime. */
struct other_row {
    const char *name;
    const char *type;
    struct {
        const char *name;
        int type, flags;
    } fields[4];
    const char *values; /* k: the key 1; n: 7; z: 0; s: the text "v"; 0: null */
    const char *want;
};

#define OTHER_CONTEXT 100
#define OTHER_VALUE 101

/* clang-format off */
static const struct other_row others[] = {
    {"a constant", "jdk.ExecutionSample", {{"contextId", OTHER_CONTEXT, TC_POOLED}}, "k", "user=alice action=load "},
    {"no constant", "jdk.ExecutionSample", {{"contextId", OTHER_CONTEXT, TC_POOLED}}, "z", ""},
    {"ids of spans", "jdk.ExecutionSample", {{"spanId", TC_LONG, 0}, {"localRootSpanId", TC_LONG, 0}, {"contextId", TC_LONG, 0}}, "nnn", "spanId=7 localRootSpanId=7 contextId=7 "},
    {"no span", "datadog.ExecutionSample", {{"spanId", TC_LONG, 0}, {"localRootSpanId", TC_LONG, 0}}, "zz", ""},
    {"tags", "datadog.ExecutionSample", {{"user", OTHER_VALUE, TC_POOLED}, {"spanId", TC_LONG, 0}}, "kn", "user=tagged spanId=7 "},
    {"fields at the end", "jdk.FileRead", {{"path", TC_STRING, 0}, {"c_a", TC_STRING, 0}, {"c_b", TC_STRING, 0}}, "sss", "a=v b=v "},
    {"null is none", "jdk.FileRead", {{"c_a", TC_STRING, 0}, {"c_b", TC_STRING, 0}}, "0s", "b=v "},
    {"two contexts with one attribute", "jdk.FileRead", {{"c_a", TC_STRING, 0}, {"d_a", TC_STRING, 0}}, "ss", "c_a=v d_a=v "},
    {"not at the end", "jdk.FileRead", {{"c_a", TC_STRING, 0}, {"path", TC_STRING, 0}}, "ss", ""},
    {"an event of an application", "my.Order", {{"order_id", TC_STRING, 0}}, "s", ""},
    {"no identifier of Java", "my.Order", {{"my-context_id", TC_STRING, 0}}, "s", "id=v "},
    {"numbers are no attributes", "jdk.FileRead", {{"c_a", TC_LONG, 0}}, "n", ""},
    {"no attribute behind the _", "jdk.FileRead", {{"c_", TC_STRING, 0}, {"_a", TC_STRING, 0}}, "ss", ""},
};
/* clang-format on */

static void other_pools(struct tc *t)
{
    tc_pool_begin(t);
    tc_pool(t, OTHER_CONTEXT, 1);
    buf_varint(&t->b, 1);
    tc_text(&t->b, "alice");
    tc_text(&t->b, "load");
    tc_pool(t, OTHER_VALUE, 1);
    buf_varint(&t->b, 1);
    tc_text(&t->b, "tagged");
    tc_pool_end(t);
}

static void other_chunk(struct tc *t, const struct other_row *row)
{
    tc_begin(t);
    tc_class(t, OTHER_CONTEXT, "x.Context", NULL);
    tc_field(t, "user", TC_STRING, 0);
    tc_field(t, "action", TC_STRING, 0);
    tc_class(t, OTHER_VALUE, "profiler.types.AttributeValue", "simple");
    tc_field(t, "value", TC_STRING, 0);
    tc_class(t, 110, row->type, "jdk.jfr.Event");
    tc_field(t, "startTime", TC_LONG, 0);
    for (int i = 0; i < 4 && row->fields[i].name != NULL; i++)
        tc_field(t, row->fields[i].name, row->fields[i].type, row->fields[i].flags);
    other_pools(t);
    tc_event_begin(t, 110);
    buf_varint(&t->b, 2000);
    for (const char *v = row->values; *v != '\0'; v++)
        switch (*v) {
        case 's':
            tc_text(&t->b, "v");
            break;
        default:
            buf_varint(&t->b, *v == 'k' ? 1 : *v == 'n' ? 7 : 0);
        }
    tc_event_end(t);
    tc_end(t);
}

static void other_producers_are_understood(void **state)
{
    const struct other_row *row = *state;
    struct tc t;
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct context *shared = context_new();
    struct context_run *c;
    struct jfr_error err = {0};
    struct jfr_raw raw;
    struct jfr_event ev;
    struct buf got = {0};
    uint32_t tuple;

    other_chunk(&t, row);
    raw = tc_raw(&t);
    context_want_all(shared);
    c = context_run_new(shared);
    assert_int_equal(jfr_chunk_load(chunk, &raw, &err), 0);
    assert_int_equal(context_run_load(c, chunk), 0);
    assert_int_equal(jfr_chunk_next(chunk, &ev), 1);
    tuple = context_event(c, &ev);
    for (size_t i = 0; i < context_n_attributes(c); i++) {
        const char *text = context_attribute_text(c, tuple, i, NULL);

        if (text != NULL)
            buf_printf(&got, "%s=%s ", context_attribute(c, i), text);
    }
    buf_byte(&got, 0);
    assert_string_equal((char *)got.p, row->want);
    buf_free(&got);
    context_run_free(c);
    context_free(shared);
    jfr_chunk_free(chunk);
    tc_free(&t);
}

int main(int argc, char **argv)
{
    int rc;

    if (argc >= 4 && strcmp(argv[1], "--write") == 0) {
        struct server s = {.users = argc > 4 ? (unsigned)atoi(argv[4]) : 3,
                           .requests = argc > 5 ? (unsigned)atoi(argv[5]) : 24,
                           .chunks = argc > 6 ? (unsigned)atoi(argv[6]) : 2,
                           .how = how_of(argv[3])};

        return server_write(argv[2], &s) ? 0 : 1;
    }
    close(mkstemp(path));
    rc = run_rows("context: every event knows its user", rows, every_event_knows_its_user);
    rc |= run_rows("context: filters", filters, filters_choose);
    rc |= run_rows("context: other producers", others, other_producers_are_understood);
    rc |= run_rows("context: bad conditions", bad, what_is_no_condition_is_named);
    rc |= run_rows("context: spans", nests, spans_nest);
    unlink(path);
    return rc;
}
