/* context_test.c - scopes, values, snapshots and what a signal handler reads of them. */
#define JFRKIT_CONTEXT_INSIDE
#include "recorder/api/jfrkit_context.h"
#include "recorder/context/internal.h"
#include "recorder/context/test/context_testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

static const struct jk_context_api *api;

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
    if (define_tracer(state) != 0)
        return -1;
    api = jfrkit_context_api_2();
    return api != NULL && api->size == sizeof(*api) ? 0 : -1;
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
        cmocka_unit_test(what_is_put_back_belongs_to_a_place),
        cmocka_unit_test(another_thread_clears_what_is_set),
        cmocka_unit_test(a_virtual_thread_keeps_its_name),
        cmocka_unit_test(a_signal_never_sees_half_a_change),
        cmocka_unit_test(types_are_limited),
    };

    return cmocka_run_group_tests_name("context", tests, start, NULL);
}
