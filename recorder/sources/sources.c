/*
 * sources.c - the engine of contexts from a program's own libraries: finds the libraries, chooses
 * keys of MDC, and reports.
 *
 * The session calls it on the drain thread. weave.c changes the classes; from then on threads of
 * the program set contexts through hooks.c. Keys of MDC become known only when the program sets
 * them, so the engine chooses among them once a second, and defines a context for those it chooses.
 */
#include "recorder/sources/sources.h"

#include "recorder/base/log.h"
#include "recorder/base/perfdata.h"
#include "recorder/base/redact.h"
#include "recorder/context/values.h"
#include "recorder/sources/hooks.h"
#include "recorder/sources/targets.h"
#include "recorder/sources/tasks.h"
#include "recorder/sources/weave.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define SETTLED (10 * SECOND) /* so long after the first change, classes may be half loaded */
#define SILENT (10 * SECOND) /* a source without a value for so long is reported */
#define KEYS_AUTO 3 /* of MDC: with those of OpenTelemetry at most 8 attributes */
#define KEYS_WHO 6 /* about users, if there is no OpenTelemetry */
#define KEYS_ANY 2 /* of them without a word that is known */

static struct {
    struct context_source option;
    bool is_wanted[SOURCE_N], is_ready[SOURCE_N]; /* ready: its context is defined */
    bool is_on, is_refused;
    uint32_t libraries; /* that were reported */
    int64_t on_since, next_look;
    int64_t n_classes;
    size_t n_considered; /* keys of hooks_other_key() that were chosen or not */
    size_t n_any;
    uint32_t changes; /* of contexts, at the last tick */
    uint64_t n_contexts; /* that were set meanwhile, on all threads */
    struct context_counts counts; /* of before this recording */
    uint64_t n_overflows, n_tasks_dropped;
    bool failure_reported, silence_reported[SOURCE_N];
} now;

static _Atomic bool vm_ends;

void sources_vm_ends(void)
{
    atomic_store(&vm_ends, true);
}

/* --- keys of MDC --- */

/* What a key is about. Lower values are chosen first. */
enum worth {
    WHO,
    WHAT,
    WHICH,
    ANY,
    UNWANTED
};

static bool has_source_word(const char *key, const char *const *words)
{
    for (; *words != NULL; words++)
        for (const char *p = key; *p != '\0'; p++)
            if (strncasecmp(p, *words, strlen(*words)) == 0)
                return true;
    return false;
}

static enum worth worth_of(const char *key)
{
    static const char *const who[] = {"user",   "tenant",    "customer", "account",
                                      "client", "principal", "org",      NULL};
    static const char *const what[] = {"action", "operation", "route", "endpoint", "method", "task",
                                       "job",    "command",   "uri",   "path",     NULL};
    static const char *const which[] = {"request", "correlation", "order", NULL};
    static const char *const traces[] = {"trace", "span", NULL};

    if (redact_is_secret(key))
        return UNWANTED;
    if (has_source_word(key, traces)) /* "otel" has them, on all threads */
        return now.is_ready[SOURCE_OTEL] ? UNWANTED : WHICH;
    return has_source_word(key, who)     ? WHO
           : has_source_word(key, what)  ? WHAT
           : has_source_word(key, which) ? WHICH
                                         : ANY;
}

static void add_keys(struct recording *r, const char *const *keys, size_t n)
{
    char list[256] = "";

    if (n == 0)
        return;
    if (hooks_add_keys(r->env, weave_hooks(), tasks_initialize(r->env), keys, n) != 0) {
        log_line(LOG_WARNING,
                 "contexts: no room for keys of MDC beside the contexts of the program");
        now.n_considered = HOOKS_OTHER_KEYS;
        return;
    }
    for (size_t i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i > 0 ? ", " : "",
                 keys[i]);
    log_line(LOG_INFO, "contexts: keys of MDC that are recorded: %s", list);
    now.is_ready[SOURCE_MDC] = true;
}

static size_t limit_of(enum worth worth)
{
    return worth == WHO && !now.is_ready[SOURCE_OTEL] ? KEYS_WHO : KEYS_AUTO;
}

/* Chooses among the keys that were first set since the last call. */
static void choose_keys(struct recording *r)
{
    char names[HOOKS_OTHER_KEYS][CONTEXT_NAME_MAX];
    const char *chosen[KEYS_WHO];
    size_t n_keys = hooks_n_other_keys(), n = 0;

    for (size_t i = now.n_considered; i < n_keys; i++)
        hooks_other_key(i, names[i]);
    for (enum worth w = WHO; w <= ANY; w++)
        for (size_t i = now.n_considered; i < n_keys && hooks_n_keys() + n < limit_of(w); i++)
            if (worth_of(names[i]) == w && (w != ANY || now.n_any++ < KEYS_ANY))
                chosen[n++] = names[i];
    now.n_considered = n_keys;
    add_keys(r, chosen, n);
}

static void add_asked_keys(struct recording *r)
{
    const char *keys[CONTEXT_SOURCE_KEYS];
    size_t n = now.option.of[SOURCE_MDC].n_keys;

    for (size_t i = 0; i < n; i++)
        keys[i] = now.option.of[SOURCE_MDC].keys[i];
    add_keys(r, keys, n);
}

/* --- libraries --- */

static void define_spans(struct recording *r)
{
    static char user[1][CONTEXT_SOURCE_KEY] = {"baggage:user"};
    size_t n = now.option.of[SOURCE_OTEL].n_keys;

    if (hooks_define_spans(r->env, weave_spans(), tasks_initialize(r->env),
                           n == 0 ? user : now.option.of[SOURCE_OTEL].keys, n == 0 ? 1 : n) == 0)
        now.is_ready[SOURCE_OTEL] = true;
    else
        log_line(LOG_WARNING,
                 "contexts: no room for OpenTelemetry's beside the contexts of the program");
}

/* Reports libraries whose classes were changed for the first time, and defines their contexts. */
static void report_libraries(struct recording *r)
{
    uint32_t found = weave_changed() & ~now.libraries;

    for (size_t i = 0; i < WEAVE_LIBRARIES; i++) {
        const struct weave_library *l = &weave_libraries[i];

        if ((found & 1U << i) == 0)
            continue;
        log_line(LOG_INFO, "contexts come from %s", l->name);
        if (l->source == SOURCE_OTEL && !now.is_ready[SOURCE_OTEL])
            define_spans(r);
        if (l->source == SOURCE_MDC && !now.is_ready[SOURCE_MDC])
            add_asked_keys(r);
    }
    now.libraries |= found;
}

/* The Java agent of OpenTelemetry hands its own context over, and knows more ways to do so. */
static void choose_carried(struct recording *r)
{
    uint32_t spans = weave_has_otel_agent(now.libraries) ? 0 : hooks_span_types();

    tasks_carry(r->env, weave_native(),
                now.is_wanted[SOURCE_TASKS] ? hooks_mdc_types() | spans : 0);
}

/* Looks through the loaded classes until one is found; weave.c sees those that are loaded later. */
static void look_for_libraries(struct recording *r, int64_t now_ticks)
{
    char why[WEAVE_WHY];

    if (now.is_on || now.is_refused || weave_look(r->jvmti, r->env, now.is_wanted) == 0)
        return;
    hooks_clear_all();
    hooks_set_on(true);
    if (weave_on(r->vm, r->env, now.is_wanted, why) != 0) {
        log_line(LOG_WARNING, "no contexts from MDC and OpenTelemetry: %s", why);
        hooks_set_on(false);
        now.is_refused = true;
        return;
    }
    now.is_on = true;
    now.on_since = now_ticks;
    now.changes = context_n_changes();
    report_libraries(r);
    choose_carried(r);
}

static void look_for_missed(struct recording *r)
{
    if (weave_missed(r->env, now.is_wanted))
        log_line(LOG_INFO, "contexts: changed a class that was being loaded at the first change");
}

static bool has_new_classes(void)
{
    static const char *const names[] = {"java.cls.loadedClasses", "java.cls.sharedLoadedClasses"};
    int64_t n = 0;
    bool is_known = false;

    for (size_t i = 0; i < 2; i++) {
        const int64_t *number = perfdata_number(names[i]);

        is_known |= number != NULL;
        n += number == NULL ? 0 : *number;
    }
    if (is_known && n == now.n_classes)
        return false;
    now.n_classes = n;
    return true;
}

/* --- what is said --- */

static void report_failure(void)
{
    char what[CONTEXT_NAME_MAX];

    hooks_failure(what);
    if (what[0] == '\0' || now.failure_reported)
        return;
    log_line(LOG_WARNING, "contexts: values are missing: %s", what);
    now.failure_reported = true;
}

/* No warning: a service may take longer than that to start. */
static void report_silence(int64_t now_ticks)
{
    for (enum source s = 0; s < SOURCE_N; s++) {
        bool is_there = false;

        for (size_t i = 0; i < WEAVE_LIBRARIES; i++)
            is_there |= weave_libraries[i].source == s && (now.libraries & 1U << i) != 0;
        if (!is_there || now.silence_reported[s] || hooks_has_delivered(s) ||
            now_ticks - now.on_since < SILENT)
            continue;
        now.silence_reported[s] = true;
        log_line(LOG_INFO, "contexts: the program has %s, but has set nothing in it for 10 s",
                 s == SOURCE_MDC ? "MDC" : "OpenTelemetry");
    }
}

/* --- the engine --- */

static void count_contexts(void)
{
    uint32_t changes = context_n_changes();

    now.n_contexts += changes - now.changes; /* modulo 2^32 */
    now.changes = changes;
}

static int start(struct recording *r)
{
    char why[CONTEXT_SOURCE_WHY];
    struct values_stats values;

    memset(&now, 0, sizeof(now));
    values_stats(&values);
    context_counts(&now.counts);
    now.n_overflows = values.n_overflows;
    now.n_tasks_dropped = tasks_n_dropped();
    if (context_source_parse(r->options->context_source, &now.option, why) != 0)
        return -1;
    for (enum source s = 0; s < SOURCE_N; s++)
        now.is_wanted[s] = now.option.of[s].is_wanted;
    if (!now.is_wanted[SOURCE_MDC] && !now.is_wanted[SOURCE_OTEL])
        return 1;
    perfdata_open();
    has_new_classes();
    look_for_libraries(r, r->start_ticks);
    now.next_look = r->start_ticks + SECOND;
    return 0;
}

static void tick(struct recording *r, int64_t now_ticks)
{
    if (now_ticks < now.next_look)
        return;
    now.next_look += ((now_ticks - now.next_look) / SECOND + 1) * SECOND;
    if (!now.is_on && has_new_classes())
        look_for_libraries(r, now_ticks);
    else if (now.is_on && now_ticks - now.on_since < SETTLED && has_new_classes())
        look_for_missed(r);
    if (!now.is_on)
        return;
    count_contexts();
    report_libraries(r);
    if (now.option.of[SOURCE_MDC].is_wanted && now.option.of[SOURCE_MDC].n_keys == 0)
        choose_keys(r);
    choose_carried(r);
    report_failure();
    report_silence(now_ticks);
}

static void stop(struct recording *r)
{
    const struct timespec moment = {.tv_nsec = 10000000}; /* for hooks that have begun */

    hooks_set_on(false);
    tasks_carry(r->env, weave_native(), 0);
    if (now.is_on && !atomic_load(&vm_ends)) {
        hooks_leave_records(r->env, weave_hooks(), weave_spans());
        weave_off(r->env);
        nanosleep(&moment, NULL);
        hooks_clear_all();
    }
    now.is_on = false;
}

static void put_source_list(struct buf *b, const char *key, bool *is_first, const char *text)
{
    if (*is_first)
        buf_printf(b, "%s: %s", key, text);
    else
        buf_printf(b, ", %s", text);
    *is_first = false;
}

static bool is_recorded(const char *key)
{
    for (size_t i = 0; i < hooks_n_keys(); i++)
        if (strcmp(hooks_key(i), key) == 0)
            return true;
    return false;
}

static void put_dropped(struct buf *b, bool *is_first, uint64_t n, const char *what)
{
    char text[100];

    snprintf(text, sizeof(text), "%" PRIu64 " %s", n, what);
    if (n > 0)
        put_source_list(b, "contexts-dropped", is_first, text);
}

/* Limits that were exceeded in this recording. */
static void put_all_dropped(struct buf *b)
{
    struct context_counts c;
    struct values_stats values;
    bool is_first = true;

    context_counts(&c);
    values_stats(&values);
    put_dropped(b, &is_first, values.n_overflows - now.n_overflows, "values beyond 65536 or 16 MB");
    put_dropped(b, &is_first, c.n_types_refused - now.counts.n_types_refused,
                "contexts beyond 8 or 24 attributes");
    put_dropped(b, &is_first, c.n_not_ours - now.counts.n_not_ours, "of threads without room");
    put_dropped(b, &is_first, tasks_n_dropped() - now.n_tasks_dropped,
                "of tasks, since too many waited");
    buf_str(b, is_first ? "" : "\n");
}

static void put_contexts(struct buf *b)
{
    struct values_stats values;

    values_stats(&values);
    count_contexts();
    buf_printf(b, "contexts: %" PRIu64 "\ncontext-values: %" PRIu32 "\n", now.n_contexts, values.n);
    put_all_dropped(b);
}

void sources_status(struct buf *b)
{
    bool is_first = true;
    char key[CONTEXT_NAME_MAX];

    for (size_t i = 0; i < WEAVE_LIBRARIES; i++)
        if ((now.libraries & 1U << i) != 0)
            put_source_list(b, "context-sources", &is_first, weave_libraries[i].name);
    buf_str(b, is_first ? "" : "\n");
    is_first = true;
    for (size_t i = 0; i < hooks_n_keys() && now.libraries != 0; i++)
        put_source_list(b, "mdc-keys", &is_first, hooks_key(i));
    buf_str(b, is_first ? "" : "\n");
    is_first = true;
    for (size_t i = 0; i < hooks_n_other_keys() && now.libraries != 0; i++) {
        hooks_other_key(i, key);
        if (!is_recorded(key))
            put_source_list(b, "mdc-keys-not-recorded", &is_first, key);
    }
    buf_str(b, is_first ? "" : "\n");
    hooks_failure(key);
    if (key[0] != '\0' && now.libraries != 0)
        buf_printf(b, "context-failure: %s\n", key);
    if (now.libraries != 0)
        put_contexts(b);
}

struct engine engine_sources = {
    .name = "sources",
    .start = start,
    .tick = tick,
    .stop = stop,
};
