/* parts_test.c - what is reported of scopes, of what is set without one, and of their parts: when
 * they end, and while they are open. */
#include "recorder/context/internal.h"
#include "recorder/context/test/context_testing.h"

static struct context_scope last;
static int n_reports;

static int64_t reported_end;

static bool note_report(const struct context_scope *scope, int64_t end)
{
    reported_end = end;
    last = *scope;
    n_reports++;
    return true;
}

static void the_end_of_a_scope_is_reported(void **state)
{
    int64_t token;
    int64_t began = emit_now();

    (void)state;
    context_ended = note_report;
    context_report_unused = true;
    open_values(&token, "alice", "store");
    context_close(token);
    assert_int_equal(n_reports, 1);
    assert_true(last.start >= began && last.start <= emit_now());
    assert_false(last.is_used);
    assert_int_equal(last.values[0], values_intern("alice", 5));
    open_values(&token, "alice", "load");
    now(); /* something is recorded */
    context_close(token);
    assert_true(last.is_used);
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
    context_ended = note_report;
    n_seen = n_reports = 0;
    open_values(outer, "alice", NULL);
    open_values(inner, "bob", NULL);
}

/* Each open scope is reported with its own values, whatever is set in scopes inside it. */
static void open_scopes_are_reported(void **state)
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
    assert_int_equal(context_reported_until(&last), 7);
    open_values(&inner, "carol",
                NULL); /* takes the place of the other one; not reported while it is open */
    context_close(inner);
    assert_int_equal(context_reported_until(&last), 0);
    assert_int_equal(n_reports, 3); /* bob, bob loading, carol */
    context_close(outer);
    n_seen = 0;
    context_each_open(7, see, seen);
    assert_int_equal(n_seen, 0);
    context_ended = NULL;
}

/* Checks the number of reports so far, and the last of them: its user, its depth, and whether it is
 * a later part of its scope. */
static void assert_reported(int n, const char *user, uint32_t depth, bool is_later)
{
    assert_int_equal(n_reports, n);
    assert_int_equal(last.values[0], values_intern(user, strlen(user)));
    assert_int_equal(last.depth, depth);
    assert_int_equal(last.part != 0, is_later);
}

static void set_user(const char *user)
{
    uint32_t ids[4] = {values_intern(user, strlen(user))};

    context_set_all(tracer, ids, 4);
}

/* What is set without a scope is reported, too, each time with the values that were set until then.
 */
static void what_is_set_is_reported_when_it_changes(void **state)
{
    int64_t token, ended;

    (void)state;
    context_ended = note_report;
    context_report_unused = true;
    n_reports = n_seen = 0;
    set_user("alice");
    set_user("alice"); /* no change */
    assert_int_equal(n_reports, 0);
    context_each_open(7, see, seen);
    assert_int_equal(n_seen, 1);
    context_set(tracer, 1, values_intern("load", 4));
    assert_reported(1, "alice", 0, false);
    set_user("bob");
    assert_reported(2, "alice", 0, true);
    open_values(&token, "carol", NULL);
    set_user("dave");
    assert_reported(3, "carol", 1, false);
    ended = reported_end;
    context_close(token);
    assert_reported(4, "dave", 1, true);
    assert_int_equal(last.start, ended);
    context_clear(tracer);
    assert_reported(5, "bob", 0, false);
    set_user("frank");
    context_thread_ends(context_current());
    assert_reported(6, "frank", 0, false);
    context_thread_ends(context_current()); /* the system's thread still runs for a while */
    assert_reported(7, "frank", 0, true);
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
    context_ended = note_report;
    context_report_unused = false;
    n_reports = 0;
    set_user("alice");
    context_read(words);
    context_thread_ends(context_current());
    assert_reported(1, "alice", 0, false);
    ended = reported_end;
    while (emit_now() == ended) {
    }
    context_thread_ends(context_current());
    assert_int_equal(n_reports, 1);
    context_read(words);
    context_clear(tracer);
    assert_reported(2, "alice", 0, true);
    assert_int_equal(last.start, ended);
    context_ended = NULL;
    context_report_unused = true;
}

/* Whether a scope was reported is still known when another scope has taken its place in the record.
 */
static void a_scope_that_ended_was_reported_or_not(void **state)
{
    struct context_scope first;
    int64_t outer, inner;

    (void)state;
    open_two(&outer, &inner);
    context_each_open(7, see, seen);
    context_close(inner);
    first = last;
    open_values(&inner, "carol", NULL);
    context_each_open(9, see_outer, seen);
    assert_int_equal(context_reported_until(&first), 7);
    context_close(inner);
    assert_int_equal(context_reported_until(&last), 0);
    context_close(outer);
    assert_int_equal(context_reported_until(&last), 9);
    context_ended = NULL;
}

/* A thread stores `where` before it stores the depth, both when a scope opens and when it closes.
 */
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

static struct context_record *changing; /* a record whose change ends at the next sleep */

/* Stands in for the system's: another thread gets the processor meanwhile. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    if (changing != NULL)
        WRITE(changing->heads, READ(changing->heads) + 1);
    changing = NULL;
    return 0;
}

/* A thread may lose the processor while it begins a part. */
static void a_scope_that_is_being_changed_is_waited_for(void **state)
{
    struct context_record *r = context_own();
    int64_t token;

    (void)state;
    open_values(&token, "alice", NULL);
    WRITE(r->heads, READ(r->heads) + 1);
    changing = r;
    n_seen = 0;
    context_each_open(9, see, seen);
    assert_null(changing);
    assert_int_equal(n_seen, 1);
    context_close(token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_scope_is_reported),
        cmocka_unit_test(open_scopes_are_reported),
        cmocka_unit_test(what_is_set_is_reported_when_it_changes),
        cmocka_unit_test(parts_of_threads_that_end_have_no_gap),
        cmocka_unit_test(a_scope_that_ended_was_reported_or_not),
        cmocka_unit_test(a_thread_may_stand_between_two_stores),
        cmocka_unit_test(a_scope_that_is_being_changed_is_waited_for),
    };

    return cmocka_run_group_tests_name("parts", tests, define_tracer, NULL);
}
