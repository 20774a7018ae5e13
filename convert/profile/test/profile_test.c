/* What each option makes of the samples of a recording made by hand, as collapsed stacks. */
#include "convert/profile/profile.h"

#include "convert/formats/collapsed.h"
#include "convert/test/profile_testing.h"

struct row {
    const char *name;
    unsigned types; /* of the events */
    struct profile_options opt;
    const char *want; /* as collapsed stacks */
    uint64_t samples, without_stack;
    const char *unit;
    const char *include, *exclude; /* patterns */
    const char *event, *thread, *state; /* filters */
};

#define WORK "A.main;a.B.run;a.B.work"
#define ADD "A.main;a.B.run;a.B.run;java.util.List.add"
#define HIDDEN "A.main;java.lang.invoke.LambdaForm$MH/0x1.invoke;a.B.work"
#define ONLY(type) (1u << (type))
#define ANY .kind = -1

/* clang-format off */
static const struct row rows[] = {
    {"cpu", ONLY(EXEC), {.kind = KIND_CPU},
     "[no frames] 1\nA.main;[unknown] 1\n" ADD " 1\n" WORK " 2\n" HIDDEN " 1\n[no stack] 1\n", 7, 1, "samples"},
    {"first_kind_is_cpu", ONLY(EXEC) | ONLY(ALLOC) | ONLY(LOCK) | ONLY(REQUEST), {ANY},
     "[no frames] 1\nA.main;[unknown] 1\n" ADD " 1\n" WORK " 2\n" HIDDEN " 1\n[no stack] 1\n", 7, 1, "samples"},
    {"cpu_time_wins", ONLY(EXEC) | ONLY(CPUTIME), {ANY}, ADD " 1\n" WORK " 1\n[no stack] 1\n", 3, 1, "samples"},
    {"cpu_time_as_weight", ONLY(EXEC) | ONLY(CPUTIME), {ANY, .weight = WEIGHT_CPU_TIME},
     ADD " 30\n" WORK " 10\n[no stack] 10\n", 3, 1, "ns"},
    {"failed_samples_hide_no_others", ONLY(EXEC) | ONLY(CPUTIME), {ANY}, WORK " 1\n", 1, 0, "samples", .thread = "work*"},
    {"wall_counts_its_samples", ONLY(WALL), {ANY}, ADD " 4\n" WORK " 3\n", 7, 0, "samples"},
    {"wall_stands_in_for_cpu", ONLY(WALL), {.kind = KIND_CPU}, WORK " 3\n", 3, 0, "samples"},
    {"execution_samples_are_no_wall", ONLY(EXEC), {.kind = KIND_WALL}, "", 0, 0, "samples"},
    {"count_that_is_no_integer", ONLY(DATADOG), {ANY}, WORK " 1\n", 1, 0, "samples"},
    {"nothing_of_the_kind", ONLY(EXEC), {.kind = KIND_IO}, "", 0, 0, "samples"},
    {"no_event", 0, {ANY}, "", 0, 0, "samples"},

    {"bytes", ONLY(EXEC) | ONLY(ALLOC), {ANY, .weight = WEIGHT_BYTES},
     "A.main;a.B.run 1000\n" WORK " 3000\n", 4, 0, "bytes"},
    {"field_in_bytes", ONLY(ALLOC), {ANY, .weight = WEIGHT_FIELD, .weight_field = "allocationSize"},
     "A.main;a.B.run 16\n" WORK " 48\n", 4, 0, "bytes"},
    {"field_that_none_has", ONLY(ALLOC), {ANY, .weight = WEIGHT_FIELD, .weight_field = "nix"}, "", 0, 0, "nix"},
    {"field_that_is_no_number", ONLY(ALLOC), {ANY, .weight = WEIGHT_FIELD, .weight_field = "objectClass"}, "", 0, 0, "objectClass"},
    {"duration_negative_is_nothing", ONLY(LOCK), {ANY, .weight = WEIGHT_DURATION}, WORK " 500\n", 1, 0, "ns"},
    {"locks_count", ONLY(LOCK), {ANY}, ADD " 2\n" WORK " 1\n", 3, 0, "samples"},
    {"latency_needs_duration", ONLY(REQUEST) | ONLY(LOCK), {.kind = KIND_LATENCY},
     "A.main;a.B.run 1\n" ADD " 1\n" WORK " 2\n", 4, 0, "samples"},
    {"latency_as_duration", ONLY(REQUEST), {ANY, .weight = WEIGHT_DURATION},
     "A.main;a.B.run 2\n" ADD " 2\n" WORK " 7\n", 3, 0, "ns"},
    {"ms_become_ns_and_stop_at_the_end", ONLY(REQUEST), {.kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "waited"},
     ADD " 18446744073709551615\n" WORK " 3000000\n", 3, 0, "ns"},
    {"huge_bytes", ONLY(REQUEST), {.kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "size"},
     ADD " 9223372036854775807\n" WORK " 100\n", 3, 0, "bytes"},
    {"real_numbers_are_cut", ONLY(REQUEST), {.kind = KIND_ALL, .weight = WEIGHT_FIELD, .weight_field = "score"},
     ADD " 9223372036854775807\n" WORK " 2\n", 3, 0, "score"},
    {"all_kinds", ONLY(LOCK) | ONLY(WALL) | ONLY(REQUEST), {.kind = KIND_ALL},
     "A.main;a.B.run 1\n" ADD " 8\n" WORK " 5\n", 14, 0, "samples"},

    {"threads", ONLY(EXEC), {ANY, .threads = true},
     "[no thread] 1\nmain;A.main;[unknown] 1\nmain;" ADD " 1\nmain;" WORK " 1\nmain;" HIDDEN " 1\nmain;[no stack] 1\nworker;" WORK " 1\n", 7, 1, "samples"},
    {"states", ONLY(WALL), {ANY, .states = true}, "STATE_RUNNABLE;" WORK " 3\nSTATE_SLEEPING;" ADD " 4\n", 7, 0, "samples"},
    {"small_threads_together", ONLY(EXEC), {ANY, .threads = true, .min_group.samples = 3},
     "(others) 1\n(others);" WORK " 1\nmain;A.main;[unknown] 1\nmain;" ADD " 1\nmain;" WORK " 1\nmain;" HIDDEN " 1\nmain;[no stack] 1\n", 7, 1, "samples"},
    {"small_threads_of_one_kind", ONLY(EXEC) | ONLY(ALLOC), {ANY, .threads = true, .min_group.share = 0.5},
     "(others) 1\n(others);" WORK " 1\nmain;A.main;[unknown] 1\nmain;" ADD " 1\nmain;" WORK " 1\nmain;" HIDDEN " 1\nmain;[no stack] 1\n", 7, 1, "samples"},
    {"threads_before_states", ONLY(WALL), {ANY, .threads = true, .states = true},
     "main;STATE_RUNNABLE;" WORK " 3\nmain;STATE_SLEEPING;" ADD " 4\n", 7, 0, "samples"},
    {"states_where_there_are_any", ONLY(WALL) | ONLY(LOCK), {.kind = KIND_ALL, .states = true},
     ADD " 2\n" WORK " 1\nSTATE_RUNNABLE;" WORK " 3\nSTATE_SLEEPING;" ADD " 4\n", 10, 0, "samples"},
    {"leaf_class_in_the_order_of_paths", ONLY(ALLOC), {ANY, .leaf_class = true},
     "A.main;a.B.run;[no class] 1\n" WORK ";a.B 1\n" WORK ";java.lang.String[] 1\nA.main;a.B.run;java.lang.String[] 1\n", 4, 0, "samples"},
    {"leaf_class_of_a_monitor", ONLY(LOCK), {ANY, .leaf_class = true}, ADD ";a.B 2\n" WORK ";a.B 1\n", 3, 0, "samples"},
    {"leaf_class_keeps_its_package_off_the_package_option", ONLY(LOCK), {ANY, .leaf_class = true, .names = {.package = 1}},
     "[default package];a;a.B 1\n[default package];a;java;a.B 2\n", 3, 0, "samples"},

    {"include", ONLY(EXEC), {ANY}, ADD " 1\n", 1, 1, "samples", .include = "List"},
    {"include_nothing", ONLY(EXEC), {ANY}, "", 0, 1, "samples", .include = "Set"},
    {"exclude", ONLY(EXEC), {ANY}, "[no frames] 1\nA.main;[unknown] 1\n" ADD " 1\n[no stack] 1\n", 4, 1, "samples", .exclude = "work$"},
    {"include_and_exclude", ONLY(EXEC), {ANY}, HIDDEN " 1\n", 1, 1, "samples", .include = "work", .exclude = "run"},
    {"include_a_thread", ONLY(EXEC), {ANY, .threads = true}, "worker;" WORK " 1\n", 1, 1, "samples", .include = "^worker$"},
    {"exclude_a_class", ONLY(ALLOC), {ANY, .leaf_class = true}, "A.main;a.B.run;[no class] 1\n" WORK ";a.B 1\n", 2, 0, "samples", .exclude = "String\\[\\]"},

    {"depth", ONLY(EXEC), {ANY, .depth = 2},
     "[no frames] 1\nA.main;[unknown] 1\nA.main;a.B.run 3\nA.main;java.lang.invoke.LambdaForm$MH/0x1.invoke 1\n[no stack] 1\n", 7, 1, "samples"},
    {"no_recursion", ONLY(CPUTIME), {ANY, .no_recursion = true}, WORK " 1\nA.main;a.B.run;java.util.List.add 1\n[no stack] 1\n", 3, 1, "samples"},
    {"depth_counts_what_is_left", ONLY(CPUTIME), {ANY, .no_recursion = true, .depth = 3},
     WORK " 1\nA.main;a.B.run;java.util.List.add 1\n[no stack] 1\n", 3, 1, "samples"},
    {"packages_merge", ONLY(EXEC), {ANY, .names = {.package = UINT32_MAX}},
     "[no frames] 1\n[default package];[unknown] 1\n[default package];a 2\n[default package];a;java.util 1\n[default package];java.lang.invoke;a 1\n[no stack] 1\n", 7, 1, "samples"},
    {"mark_truncated", ONLY(EXEC), {ANY, .mark_truncated = true},
     "[no frames] 1\nA.main;[unknown] 1\n" ADD " 1\n" WORK " 2\n[no stack] 1\n[truncated];" HIDDEN " 1\n", 7, 1, "samples"},
    {"no_hidden", ONLY(EXEC), {ANY, .no_hidden = true},
     "[no frames] 1\nA.main;[unknown] 1\n" ADD " 1\n" WORK " 2\nA.main;a.B.work 1\n[no stack] 1\n", 7, 1, "samples"},
    {"lines_and_tiers", ONLY(CPUTIME), {ANY, .names = {.style = NAME_SIMPLE, .lines = true, .bci = true, .tiers = true}},
     "A.main:10@1_[j];B.run:20@2_[j];B.run:20@2_[j];List.add:40@4_[0] 1\nA.main:10@1_[j];B.run:20@2_[j];B.work:30@3_[0] 1\n[no stack] 1\n", 3, 1, "samples"},

    {"only_an_event", ONLY(EXEC) | ONLY(LOCK), {.kind = KIND_ALL}, ADD " 2\n" WORK " 1\n", 3, 0, "samples", .event = "JavaMonitorEnter"},
    {"only_a_thread", ONLY(EXEC), {ANY}, WORK " 1\n", 1, 0, "samples", .thread = "work*"},
    {"only_a_state", ONLY(EXEC), {.kind = KIND_ALL}, WORK " 1\n", 1, 0, "samples", .state = "sleeping"},
};
/* clang-format on */

static char *collapsed(const struct profile *p)
{
    struct out out = {0};
    char *text;

    assert_int_equal(collapsed_write(p, &out), 0);
    buf_byte(&out.b, 0);
    assert_true(buf_ok(&out.b));
    text = strdup((const char *)out.b.p);
    out_free(&out);
    return text;
}

struct made_options {
    struct profile_options opt;
    struct pattern *include, *exclude;
    struct select *select;
};

static void make_options(const struct row *row, struct made_options *m)
{
    const char *event = row->event, *thread = row->thread, *state = row->state;
    struct select_spec spec = {.events = {&event, event != NULL},
                               .threads = {&thread, thread != NULL},
                               .states = {&state, state != NULL}};
    struct jfr_error err;

    m->opt = row->opt;
    m->include = row->include == NULL ? NULL : pattern_new_regex(row->include, &err);
    m->exclude = row->exclude == NULL ? NULL : pattern_new_regex(row->exclude, &err);
    m->select = select_new(&spec, &err);
    assert_non_null(m->select);
    m->opt.include = &m->include;
    m->opt.n_include = m->include != NULL;
    m->opt.exclude = &m->exclude;
    m->opt.n_exclude = m->exclude != NULL;
    m->opt.select = m->select;
}

static void test_row(void **state)
{
    const struct row *row = *state;

    for (unsigned chunks = 1; chunks <= 4; chunks++) {
        struct shop s = {.chunks = chunks, .types = row->types};

        shop_make(&s);
        for (unsigned jobs = 1; jobs <= 4; jobs++) {
            struct made_options m;
            struct profile *p;
            struct profile_facts facts;
            char *text;

            make_options(row, &m);
            p = shop_profile(&s, &m.opt, jobs);
            text = collapsed(p);
            assert_string_equal(text, row->want);
            facts = profile_facts(p);
            assert_int_equal(facts.samples, row->samples);
            assert_int_equal(facts.without_stack, row->without_stack);
            assert_string_equal(profile_unit(p), row->unit);
            free(text);
            profile_free(p);
            select_free(m.select);
            pattern_free(m.include);
            pattern_free(m.exclude);
        }
        shop_free(&s);
    }
}

static void facts_name_kind_and_clock(void **state)
{
    struct shop s = {.chunks = 2, .types = ONLY(ALLOC) | ONLY(LOCK)};
    struct profile_options opt = {.kind = -1, .weight = WEIGHT_BYTES};
    struct profile_facts facts;
    struct profile *p;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    facts = profile_facts(p);
    assert_int_equal(facts.kind, KIND_ALLOC);
    assert_int_equal(facts.weight, 4000);
    assert_int_equal(facts.first_ns, 1000000000000000000);
    assert_int_equal(facts.last_ns, 1000000000001000000);
    profile_free(p);
    shop_free(&s);
}

static void names_come_in_order(void **state)
{
    struct shop s = {.chunks = 3, .types = ~0u};
    struct profile_options opt = {.kind = KIND_ALL, .threads = true};
    struct profile *p;

    (void)state;
    shop_make(&s);
    p = shop_profile(&s, &opt, 1);
    assert_true(profile_n_names(p) > 5);
    for (uint32_t i = 1; i < profile_n_names(p); i++) {
        size_t n, m;

        assert_true(strcmp(profile_name(p, i - 1, &n), profile_name(p, i, &m)) < 0);
    }
    profile_free(p);
    shop_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_name_kind_and_clock),
        cmocka_unit_test(names_come_in_order),
    };

    return run_rows("profiles", rows, test_row) +
           cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
