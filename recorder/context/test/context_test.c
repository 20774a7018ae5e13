/* context_test.c - scopes, values, snapshots and what a signal handler reads of them. */
#define JFRKIT_CONTEXT_INSIDE
#include "recorder/context/context.h"

#include "jfrfmt/test/testing.h"
#include "recorder/context/internal.h"
#include "recorder/context/values.h"
#include "recorder/capture/emit.h"
#include "recorder/api/jfrkit_context.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The recorder around it is not there. */
int64_t emit_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

bool emit_wanted(void)
{
    return true;
}

static const char *const names[] = {"user", "action", "file", "trace"};
static const struct jk_context_api *api;
static int tracer;

static void open_values(int64_t *token, const char *a, const char *b)
{
    uint32_t ids[4] = {values_intern(a, strlen(a)), b == NULL ? 0 : values_intern(b, strlen(b))};

    *token = context_open(tracer, ids, 4);
}

/* "alice/store", with - for none. */
static const char *now(void)
{
    static char text[600];
    uint32_t ids[CONTEXT_SLOTS];
    size_t at = 0;

    if (!context_read(ids))
        return "nothing";
    for (int i = 0; i < 2; i++) {
        size_t n;
        const char *value = values_text(ids[i], &n);

        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s", i == 0 ? "" : "/",
                               value == NULL ? 1 : (int)n, value == NULL ? "-" : value);
    }
    return text;
}

static void scopes_restore_what_was_before(void **state)
{
    int64_t outer, inner;

    (void)state;
    assert_string_equal(now(), "nothing");
    open_values(&outer, "alice", NULL);
    assert_string_equal(now(), "alice/-");
    open_values(&inner, "bob", "");
    assert_string_equal(now(), "bob/");
    context_set(tracer, 1, values_intern("load", 4));
    assert_string_equal(now(), "bob/load");
    context_close(inner);
    assert_string_equal(now(), "alice/-");
    api->pop(api->push(tracer, NULL));
    context_close(inner); /* again */
    assert_string_equal(now(), "alice/-");
    context_close(outer);
    assert_string_equal(now(), "nothing");
}

static void closing_an_outer_scope_closes_the_inner_ones(void **state)
{
    struct context_counts before, after;
    int64_t outer, inner;

    (void)state;
    context_counts(&before);
    open_values(&outer, "alice", NULL);
    open_values(&inner, "bob", NULL);
    context_close(outer);
    assert_string_equal(now(), "nothing");
    context_close(inner);
    assert_string_equal(now(), "nothing");
    context_counts(&after);
    assert_int_equal(after.n_wrong_order, before.n_wrong_order + 1);
}

static void a_second_close_leaves_others_alone(void **state)
{
    int64_t first, second;
    int token;
    const char *const values[] = {"dave", NULL, NULL, NULL};

    (void)state;
    open_values(&first, "alice", NULL);
    context_close(first);
    open_values(&second, "bob", NULL);
    context_close(first);
    assert_string_equal(now(), "bob/-");
    context_close(second);
    token = api->push(tracer, values);
    api->pop(token);
    open_values(&second, "carol", NULL);
    api->pop(token);
    assert_string_equal(now(), "carol/-");
    context_close(second);
}

static void *close_it(void *token)
{
    int64_t own;

    context_close(*(int64_t *)token);
    open_values(&own, "carol", NULL);
    context_close(*(int64_t *)token);
    return (void *)(strcmp(now(), "carol/-") == 0 ? "ok" : "lost");
}

static void a_scope_is_closed_on_its_thread_only(void **state)
{
    int64_t token;
    pthread_t thread;
    void *result;

    (void)state;
    open_values(&token, "alice", NULL);
    pthread_create(&thread, NULL, close_it, &token);
    pthread_join(thread, &result);
    assert_string_equal(result, "ok");
    assert_string_equal(now(), "alice/-");
    context_close(token);
}

static void scopes_have_a_greatest_depth(void **state)
{
    int64_t tokens[CONTEXT_DEPTH + 1];

    (void)state;
    for (int i = 0; i <= CONTEXT_DEPTH; i++)
        open_values(&tokens[i], "deep", NULL);
    assert_int_equal(tokens[CONTEXT_DEPTH], 0);
    context_close(tokens[0]);
    assert_string_equal(now(), "nothing");
}

/* An attribute of 16 bytes has four slots, and is another one than a text of this name. */
static void types_with_bytes(void)
{
    static const char *const ids[] = {"trace", "span", "name"}, *const one[] = {"only"};
    static const uint8_t bytes[] = {16, 8, 0}, odd[] = {16, 7, 0}, many[] = {16, 20, 0};
    size_t before = context_n_slots();
    const struct context_type *t;
    int type;

    assert_int_equal(context_define_sized("odd", ids, odd, 3), 0);
    assert_int_equal(context_define_sized("no room", ids, many, 3), 0); /* 10 of 8 */
    type = context_define_sized("ids", ids, bytes, 3);
    assert_true(type > 0);
    assert_int_equal(context_define_sized("ids", ids, bytes, 3), type);
    assert_int_equal(context_define("ids", ids, 3), 0);
    t = context_type_of(type);
    assert_int_equal(t->n, 7);
    assert_int_equal(context_n_slots(), before + 7);
    assert_string_equal(t->attributes[4], "span");
    assert_string_equal(t->attributes[1], "");
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(context_is_text(before + i), i == 6);
    assert_true(context_is_text(before - 1) && context_is_text(before + 7));
    assert_true(context_define("the 24th", one, 1) > 0);
}

static void types_are_limited(void **state)
{
    static const char *const one[] = {"only"}, *const twice[] = {"a", "a"}, *const empty[] = {""};
    static const char *const many[] = {"0", "1", "2", "3", "4",  "5",
                                       "6", "7", "8", "9", "10", "11"};

    (void)state;
    assert_int_equal(context_define("tracer", names, 4), tracer); /* the same one */
    assert_int_equal(context_define("tracer", names, 3), 0);
    assert_int_equal(context_define("tracer", one, 1), 0);
    assert_int_equal(context_define("twice", twice, 2), 0);
    assert_int_equal(context_define("empty", empty, 1), 0);
    assert_int_equal(context_define("", one, 1), 0);
    assert_int_equal(context_define("none", NULL, 0), 0);
    assert_int_equal(context_define("no names", NULL, 2), 0);
    assert_true(context_define("many", many, 11) > 0); /* 15 slots */
    context_report_unused = false; /* as a listener sets it that wants used scopes only */
    assert_true(context_define("many", many, 11) > 0);
    assert_false(context_report_unused);
    assert_true(context_define("one more", one, 1) > 0);
    assert_true(context_report_unused); /* the settings of the new type are not read yet */
    types_with_bytes();
    assert_int_equal(context_define("the 25th", one, 1), 0);
    assert_int_equal(context_n_slots(), CONTEXT_SLOTS);
    assert_int_equal(context_open(99, NULL, 0), 0);
    assert_int_equal(context_open(0, NULL, 0), 0);
}

static void *restore_it(void *snapshot)
{
    api->restore(snapshot);
    return (void *)(strcmp(now(), "alice/store") == 0 ? "ok" : now());
}

static void a_snapshot_goes_to_another_thread(void **state)
{
    struct jk_context_snapshot snapshot;
    const char *const values[] = {"alice", "store", NULL, NULL};
    int depth = api->push(tracer, values);
    pthread_t thread;
    void *result;

    (void)state;
    assert_true(depth > 0);
    api->snapshot(&snapshot);
    api->pop(depth);
    assert_string_equal(now(), "nothing");
    pthread_create(&thread, NULL, restore_it, &snapshot);
    pthread_join(thread, &result);
    assert_string_equal(result, "ok");
    api->drop(&snapshot);
}

static struct context_scope told;
static int n_reports;

static int64_t reported_end;

static bool tell(const struct context_scope *scope, int64_t end)
{
    reported_end = end;
    told = *scope;
    n_reports++;
    return true;
}

static void the_end_of_a_scope_is_told(void **state)
{
    int64_t token;
    int64_t began = emit_now();

    (void)state;
    context_ended = tell;
    context_report_unused = true;
    open_values(&token, "alice", "store");
    context_close(token);
    assert_int_equal(n_reports, 1);
    assert_true(told.start >= began && told.start <= emit_now());
    assert_false(told.is_used);
    assert_int_equal(told.values[0], values_intern("alice", 5));
    open_values(&token, "alice", "load");
    now(); /* something is recorded */
    context_close(token);
    assert_true(told.is_used);
    context_ended = NULL;
}

static struct context_scope seen[CONTEXT_DEPTH + CONTEXT_TYPES];
static size_t n_seen;

static bool see(const struct context_scope *scope, int32_t tid, void *arg)
{
    assert_int_equal(tid, gettid());
    assert_ptr_equal(arg, seen);
    seen[n_seen++] = *scope;
    return true;
}

static bool see_outer(const struct context_scope *scope, int32_t tid, void *arg)
{
    return see(scope, tid, arg) && scope->depth == 1;
}

static void open_two(int64_t *outer, int64_t *inner)
{
    context_ended = tell;
    n_seen = n_reports = 0;
    open_values(outer, "alice", NULL);
    open_values(inner, "bob", NULL);
}

/* Each with its own values, whatever is set in those inside it. */
static void open_scopes_are_told_of(void **state)
{
    int64_t outer, inner;

    (void)state;
    open_two(&outer, &inner);
    context_set(tracer, 1, values_intern("load", 4));
    context_each_open(7, see, seen);
    assert_int_equal(n_seen, 2);
    assert_int_equal(seen[0].values[0], values_intern("alice", 5));
    assert_int_equal(seen[0].values[1], VALUE_NULL);
    assert_int_equal(seen[1].values[0], values_intern("bob", 3));
    assert_int_equal(seen[1].values[1], values_intern("load", 4));
    assert_true(seen[0].start > 0 && seen[0].start <= seen[1].start);
    context_close(inner);
    assert_int_equal(context_reported_until(&told), 7);
    open_values(&inner, "carol", NULL); /* in the same place, and not told of */
    context_close(inner);
    assert_int_equal(context_reported_until(&told), 0);
    assert_int_equal(n_reports, 3); /* bob, bob loading, carol */
    context_close(outer);
    n_seen = 0;
    context_each_open(7, see, seen);
    assert_int_equal(n_seen, 0);
    context_ended = NULL;
}

/* What was told of last: "alice/- part 0", counted from where the test began. */
static void assert_told(int n, const char *user, uint32_t depth, bool goes_on)
{
    assert_int_equal(n_reports, n);
    assert_int_equal(told.values[0], values_intern(user, strlen(user)));
    assert_int_equal(told.depth, depth);
    assert_int_equal(told.part != 0, goes_on);
}

static void set_user(const char *user)
{
    uint32_t ids[4] = {values_intern(user, strlen(user))};

    context_set_all(tracer, ids, 4);
}

/* Without scopes, too, and each with the values of its time. */
static void what_is_set_is_told_when_it_changes(void **state)
{
    int64_t token, ended;

    (void)state;
    context_ended = tell;
    context_report_unused = true;
    n_reports = n_seen = 0;
    set_user("alice");
    set_user("alice"); /* no change */
    assert_int_equal(n_reports, 0);
    context_each_open(7, see, seen);
    assert_int_equal(n_seen, 1);
    context_set(tracer, 1, values_intern("load", 4));
    assert_told(1, "alice", 0, false);
    set_user("bob");
    assert_told(2, "alice", 0, true);
    open_values(&token, "carol", NULL);
    set_user("dave");
    assert_told(3, "carol", 1, false);
    ended = reported_end;
    context_close(token);
    assert_told(4, "dave", 1, true);
    assert_int_equal(told.start, ended);
    context_clear(tracer);
    assert_told(5, "bob", 0, false);
    set_user("frank");
    context_thread_ends(context_current());
    assert_told(6, "frank", 0, false);
    context_thread_ends(context_current()); /* the system's thread goes on for a while */
    assert_told(7, "frank", 0, true);
    context_clear(tracer);
    context_clear(tracer);
    set_user("erin");
    assert_int_equal(n_reports, 8);
    context_clear(tracer);
    context_ended = NULL;
}

/* A thread that ends without an event since its last part loses no time of the scope. */
static void parts_of_threads_that_end_have_no_gap(void **state)
{
    uint32_t words[CONTEXT_SLOTS];
    int64_t ended;

    (void)state;
    context_ended = tell;
    context_report_unused = false;
    n_reports = 0;
    set_user("alice");
    context_read(words);
    context_thread_ends(context_current());
    assert_told(1, "alice", 0, false);
    ended = reported_end;
    while (emit_now() == ended) {
    }
    context_thread_ends(context_current());
    assert_int_equal(n_reports, 1);
    context_read(words);
    context_clear(tracer);
    assert_told(2, "alice", 0, true);
    assert_int_equal(told.start, ended);
    context_ended = NULL;
    context_report_unused = true;
}

/* What was set inside of a scope does not outlive it, in whatever order things end. */
static void what_is_put_back_belongs_to_a_place(void **state)
{
    uint32_t alice[CONTEXT_SLOTS] = {values_intern("alice", 5)}, before[CONTEXT_SLOTS];
    int64_t outer, inner, place;

    (void)state;
    open_values(&outer, "bob", NULL);
    context_get(before);
    context_put(CONTEXT_ALL_TYPES, alice);
    place = context_place();
    open_values(&inner, "carol", NULL);
    context_put_back(place, before);
    assert_string_equal(now(), "bob/-");
    context_close(outer);
    context_put_back(place, before);
    assert_string_equal(now(), "nothing");
}

/* What is known of a scope that ended stays so, whatever comes in its place before it is looked at.
 */
static void a_scope_that_ended_was_told_of_or_not(void **state)
{
    struct context_scope first;
    int64_t outer, inner;

    (void)state;
    open_two(&outer, &inner);
    context_each_open(7, see, seen);
    context_close(inner);
    first = told;
    open_values(&inner, "carol", NULL);
    context_each_open(9, see_outer, seen);
    assert_int_equal(context_reported_until(&first), 7);
    context_close(inner);
    assert_int_equal(context_reported_until(&told), 0);
    context_close(outer);
    assert_int_equal(context_reported_until(&told), 9);
    context_ended = NULL;
}

/* The store that brings a scope into force or takes it out comes before that of the depth. */
static void a_thread_may_stand_between_two_stores(void **state)
{
    struct context_record *r = context_own();
    int64_t outer, inner;
    uint64_t without, with;

    (void)state;
    open_values(&outer, "alice", NULL);
    without = READ(r->where);
    open_values(&inner, "bob", NULL);
    with = READ(r->where);
    n_seen = 0;
    WRITE(r->depth, 1);
    context_each_open(7, see, seen);
    WRITE(r->depth, 2);
    WRITE(r->where, without);
    context_each_open(7, see, seen);
    WRITE(r->where, with);
    assert_int_equal(n_seen, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(seen[i].depth, 1);
        assert_int_equal(seen[i].values[0], values_intern("alice", 5));
    }
    context_close(outer);
}

static void *clear_everywhere(void *type)
{
    context_clear_everywhere(*(const int *)type);
    return NULL;
}

static void another_thread_clears_what_is_set(void **state)
{
    int64_t scope;
    pthread_t thread;

    (void)state;
    context_set(tracer, 0, values_intern("alice", 5));
    context_set(tracer, 1, values_intern("store", 5));
    assert_string_equal(now(), "alice/store");
    pthread_create(&thread, NULL, clear_everywhere, &tracer);
    pthread_join(thread, NULL);
    assert_string_equal(now(), "nothing");
    context_set(tracer, 1, values_intern("load", 4));
    assert_string_equal(now(), "-/load");
    open_values(&scope, "bob", NULL);
    context_clear_everywhere(tracer);
    assert_string_equal(now(), "bob/-");
    context_close(scope);
    assert_string_equal(now(), "-/load");
    context_clear(tracer);
}

static void a_virtual_thread_keeps_its_name(void **state)
{
    struct context_record *first = context_record_new(), *second;
    char name[CONTEXT_THREAD_NAME];

    (void)state;
    context_belongs(first, 4711, "worker-1");
    context_record_free(first);
    second = context_record_new();
    assert_ptr_equal(first, second);
    context_belongs(second, 4712, "worker-2");
    context_thread_name(first->index + 1, 4712, name);
    assert_string_equal(name, "worker-2");
    context_thread_name(first->index + 1, 4711, name); /* what it recorded is written now */
    assert_string_equal(name, "worker-1");
    context_thread_name(first->index + 1, 4713, name);
    assert_string_equal(name, "");
    context_record_free(second);
}

/* --- torn reads --- */

#define TORN_VALUES 50

static uint32_t torn_ids[TORN_VALUES];
static _Atomic uint64_t n_read, n_torn, n_none;

static void on_signal(int sig)
{
    uint32_t ids[CONTEXT_SLOTS];

    (void)sig;
    n_read++;
    if (!context_read(ids)) {
        n_none++;
        return;
    }
    for (int i = 1; i < 4; i++)
        n_torn += ids[i] != ids[0];
}

static void a_signal_never_sees_half_a_change(void **state)
{
    struct itimerval every = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    uint32_t first[4];
    int64_t outer, until = emit_now() + 1000000000;

    (void)state;
    for (int i = 0; i < TORN_VALUES; i++) {
        char text[16];

        torn_ids[i] = values_intern(text, (size_t)snprintf(text, sizeof(text), "torn-%d", i));
    }
    for (int k = 0; k < 4; k++)
        first[k] = torn_ids[0];
    outer = context_open(tracer, first, 4);
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; emit_now() < until || n_read < 20; i++) {
        uint32_t ids[4];
        int64_t token;

        for (int k = 0; k < 4; k++)
            ids[k] = torn_ids[i % TORN_VALUES];
        token = context_open(tracer, ids, 4);
        context_close(token);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    context_close(outer);
    print_message("%llu reads\n", (unsigned long long)n_read);
    assert_int_equal(n_torn, 0);
    assert_int_equal(n_none, 0);
}

static int start(void **state)
{
    (void)state;
    if (context_init() != 0)
        return -1;
    api = jfrkit_context_api_2();
    tracer = context_define("tracer", names, 4);
    return tracer > 0 && api != NULL && api->size == sizeof(*api) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_restore_what_was_before),
        cmocka_unit_test(closing_an_outer_scope_closes_the_inner_ones),
        cmocka_unit_test(a_second_close_leaves_others_alone),
        cmocka_unit_test(a_scope_is_closed_on_its_thread_only),
        cmocka_unit_test(scopes_have_a_greatest_depth),
        cmocka_unit_test(a_snapshot_goes_to_another_thread),
        cmocka_unit_test(the_end_of_a_scope_is_told),
        cmocka_unit_test(open_scopes_are_told_of),
        cmocka_unit_test(what_is_set_is_told_when_it_changes),
        cmocka_unit_test(parts_of_threads_that_end_have_no_gap),
        cmocka_unit_test(what_is_put_back_belongs_to_a_place),
        cmocka_unit_test(a_scope_that_ended_was_told_of_or_not),
        cmocka_unit_test(another_thread_clears_what_is_set),
        cmocka_unit_test(a_virtual_thread_keeps_its_name),
        cmocka_unit_test(a_thread_may_stand_between_two_stores),
        cmocka_unit_test(a_signal_never_sees_half_a_change),
        cmocka_unit_test(types_are_limited),
    };

    return cmocka_run_group_tests_name("context", tests, start, NULL);
}
