/*
 * gen.c - a large recording for benchmarks, like one of a busy server: the same options, the same
 * bytes.
 *
 *     gen OUT.jfr --samples 1400000 --stacks 60000 --min-depth 20 --max-depth 120 --chunks 10
 *                 --threads 64 --seed 1
 *
 * --users and --actions give samples a context, which a thread keeps for --hold samples on average;
 * --mix puts allocations and monitors between them, and lets some threads sleep. --requests makes
 * each thread serve requests, of --hold samples on average, which are events with a context.
 *
 * Stacks share the frames near their roots as real ones do: each is one seen before, cut somewhere
 * and continued otherwise. A few stacks are hot, most are seen once or twice a chunk.
 */
#include "jfrfmt/write/writer.h"
#include "tools/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define N_METHODS 6000
#define N_CLASSES 1500
#define N_KINDS 6
#define TICKS_PER_SAMPLE 1000000
#define START_TICKS INT64_C(1000000000000)
#define START_NANOS INT64_C(1750000000000000000)

struct args {
    unsigned long samples, stacks, min_depth, max_depth, chunks, threads, seed;
    unsigned long users, actions, hold;
    bool mix, hostile, requests;
};

/* clang-format off */
static const struct cli_option options[] = {
    {0, "samples", "N", "execution samples (1400000)", CLI_UNSIGNED, offsetof(struct args, samples)},
    {0, "stacks", "N", "different stacks (60000)", CLI_UNSIGNED, offsetof(struct args, stacks)},
    {0, "min-depth", "N", "frames of the smallest (20)", CLI_UNSIGNED,
     offsetof(struct args, min_depth)},
    {0, "max-depth", "N", "frames of the largest (120)", CLI_UNSIGNED,
     offsetof(struct args, max_depth)},
    {0, "chunks", "N", "chunks (10)", CLI_UNSIGNED, offsetof(struct args, chunks)},
    {0, "threads", "N", "threads (64)", CLI_UNSIGNED, offsetof(struct args, threads)},
    {0, "seed", "N", "another recording of the same kind (1)", CLI_UNSIGNED,
     offsetof(struct args, seed)},
    {0, "users", "N", "different users, in contexts of the samples (0)", CLI_UNSIGNED,
     offsetof(struct args, users)},
    {0, "actions", "N", "the same for actions (0)", CLI_UNSIGNED, offsetof(struct args, actions)},
    {0, "hold", "N", "samples for which a thread keeps its context (20)", CLI_UNSIGNED,
     offsetof(struct args, hold)},
    {0, "hostile", NULL, "users with names that no program should trust", CLI_FLAG,
     offsetof(struct args, hostile)},
    {0, "mix", NULL, "allocations and monitors, too", CLI_FLAG, offsetof(struct args, mix)},
    {0, "requests", NULL, "an event for each request that a thread serves", CLI_FLAG,
     offsetof(struct args, requests)},
};

static const char *const packages[] = {
    "java/lang", "java/util", "java/util/concurrent", "java/util/stream", "java/io", "java/nio",
    "sun/nio/ch", "jdk/internal/misc", "java/util/concurrent/locks", "java/net", "java/time",
    "com/acme/shop", "com/acme/shop/order", "com/acme/shop/cart", "com/acme/shop/payment",
    "com/acme/shop/web", "com/acme/shop/web/filter", "com/acme/data", "com/acme/data/pool",
    "com/acme/data/mapping", "com/acme/data/cache", "com/acme/rpc", "com/acme/rpc/codec",
    "com/acme/rpc/channel", "com/acme/json", "com/acme/json/stream", "com/acme/inject",
    "com/acme/inject/proxy", "com/acme/log", "com/acme/log/layout", "org/widget/server",
    "org/widget/server/session", "org/widget/servlet", "org/widget/servlet/filter",
    "org/widget/template", "org/widget/template/ast", "org/widget/query", "org/widget/query/plan",
    "org/widget/query/exec", "org/widget/index/segment",
};
static const char *const firsts[] = {
    "Abstract", "Default", "Concurrent", "Cached", "Async", "Standard", "Pooled", "Lazy", "Simple",
    "Composite", "Delegating", "Buffered", "Shared", "Local", "Remote", "Indexed", "Generic",
};
static const char *const middles[] = {
    "Request", "Order", "Session", "Channel", "Message", "Query", "Row", "Segment", "Buffer",
    "Token", "Event", "Task", "Template", "Bean", "Method", "Node", "Page", "Field", "Stream",
};
static const char *const lasts[] = {
    "Handler", "Processor", "Factory", "Dispatcher", "Iterator", "Mapper", "Executor", "Invoker",
    "Reader", "Writer", "Pipeline", "Context", "Valve", "Filter", "Interceptor", "Resolver",
};
static const char *const verbs[] = {
    "get", "set", "do", "invoke", "process", "handle", "read", "write", "dispatch", "execute",
    "resolve", "apply", "map", "next", "fire", "parse", "encode", "decode", "lookup", "lambda$run$",
};
static const char *const descriptors[] = {
    "()V", "()Z", "()I", "()Ljava/lang/Object;", "(Ljava/lang/Object;)Ljava/lang/Object;",
    "(Ljava/lang/String;)V", "(I)Ljava/lang/String;", "([BII)I", "(JLjava/util/List;)Z",
    "(Ljava/util/Map;Ljava/lang/Object;)V", "(Ljava/util/function/Function;)Ljava/util/List;",
};
static const char *const kinds[N_KINDS] = {
    "http-nio-8080-exec-%u", "pool-3-thread-%u", "rpc-io-%u", "ForkJoinPool.commonPool-worker-%u",
    "scheduling-%u", "index-merge-%u",
};

static const struct jfr_field_def sample_fields[] = {
    {"sampledThread", "java.lang.Thread", "Thread", .flags = JFR_POOLED},
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
    {"state", "jdk.types.ThreadState", "Thread State", .flags = JFR_POOLED},
    {"app_user", "java.lang.String", "User"}, /* these two only with a context */
    {"app_action", "java.lang.String", "Action"},
};
static const struct jfr_field_def alloc_fields[] = {
    {"eventThread", "java.lang.Thread", "Thread", .flags = JFR_POOLED},
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
    {"weight", "long", "Sample Weight", .unit = JFR_UNIT_BYTES},
    {"app_user", "java.lang.String", "User"},
    {"app_action", "java.lang.String", "Action"},
};
static const struct jfr_field_def lock_fields[] = {
    {"duration", "long", "Duration", .unit = JFR_UNIT_TICKS},
    {"eventThread", "java.lang.Thread", "Thread", .flags = JFR_POOLED},
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
    {"app_user", "java.lang.String", "User"},
    {"app_action", "java.lang.String", "Action"},
};
static const struct jfr_field_def load_fields[] = {
    {"jvmUser", "float", "JVM User", .unit = JFR_UNIT_PERCENT},
    {"jvmSystem", "float", "JVM System", .unit = JFR_UNIT_PERCENT},
    {"machineTotal", "float", "Machine Total", .unit = JFR_UNIT_PERCENT},
};
static const struct jfr_field_def jvm_fields[] = {
    {"jvmName", "java.lang.String", "JVM Name"},
    {"jvmVersion", "java.lang.String", "JVM Version"},
    {"jvmArguments", "java.lang.String", "JVM Command Line Arguments"},
    {"jvmFlags", "java.lang.String", "JVM Settings File Arguments"},
    {"javaArguments", "java.lang.String", "Java Application Arguments"},
    {"jvmStartTime", "long", "JVM Start Time", .unit = JFR_UNIT_TIMESTAMP_MS},
    {"pid", "long", "Process Identifier"},
};
static const struct jfr_field_def setting_fields[] = {
    {"id", "long", "Event Id"},
    {"name", "java.lang.String", "Setting Name"},
    {"value", "java.lang.String", "Setting Value"},
};
static const struct jfr_field_def request_fields[] = {
    {"action", "java.lang.String", "Action", .flags = JFR_CONTEXTUAL},
    {"id", "java.lang.String", "Id", .flags = JFR_CONTEXTUAL},
};
#define N_CONTEXT 2
static struct jfr_type_def types[] = {
    {"jdk.ExecutionSample", JFR_TYPE_EVENT, "Method Profiling Sample",
     .category = "Java Virtual Machine|Profiling", .fields = sample_fields,
     .n_fields = N(sample_fields)},
    {"jdk.ObjectAllocationSample", JFR_TYPE_EVENT, "Object Allocation Sample",
     .category = "Java Application", .fields = alloc_fields, .n_fields = N(alloc_fields)},
    {"jdk.JavaMonitorEnter", JFR_TYPE_EVENT, "Java Monitor Blocked",
     .category = "Java Application", .fields = lock_fields, .n_fields = N(lock_fields)},
    {"jdk.CPULoad", JFR_TYPE_EVENT, "CPU Load", .category = "Operating System|Processor",
     .fields = load_fields, .n_fields = N(load_fields)},
    {"jdk.JVMInformation", JFR_TYPE_EVENT, "JVM Information", .category = "Java Virtual Machine",
     .fields = jvm_fields, .n_fields = N(jvm_fields)},
    {"jdk.ActiveSetting", JFR_TYPE_EVENT, "Recording Setting", .category = "Flight Recorder",
     .fields = setting_fields, .n_fields = N(setting_fields)},
    {"acme.Request", JFR_TYPE_EVENT, "Request", .category = "Application",
     .flags = JFR_HAS_DURATION | JFR_HAS_THREAD, .fields = request_fields,
     .n_fields = N(request_fields)},
};
/* clang-format on */

struct node { /* a frame and its caller */
    uint32_t caller, depth, method;
    uint16_t line, bci;
};

struct stack {
    uint64_t key;
    uint32_t top, kind;
};

struct gen {
    struct args args;
    struct jfr_writer *w;
    uint64_t random;
    uint64_t methods[N_METHODS];
    struct node *nodes;
    size_t n_nodes, room;
    struct stack *stacks;
    struct jfr_frame *frames;
    int64_t sample, load, alloc, lock, request;
    unsigned long n_requests;
    struct {
        uint32_t user, action;
        int64_t began; /* ticks: of its request; 0: none */
    } * held; /* by thread */
};

static uint64_t next_random(struct gen *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return g->random;
}

/* 0..n-1 */
static uint32_t below(struct gen *g, uint64_t n)
{
    return (uint32_t)((next_random(g) >> 32) * n >> 32);
}

/* 0..n-1, small ones more often: the square of a fraction. */
static uint32_t below_skewed(struct gen *g, uint64_t n)
{
    uint64_t u = next_random(g) >> 32;

    return (uint32_t)((u * u >> 32) * n >> 32);
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "gen: %s: %s\n", what, why);
    exit(1);
}

static void *need(void *p)
{
    if (p == NULL)
        die("memory", "there is not enough");
    return p;
}

#define PICK(g, words) words[below(g, N(words))]

static void make_methods(struct gen *g)
{
    static uint64_t classes[N_CLASSES];
    char name[200];

    for (int i = 0; i < N_CLASSES; i++) {
        snprintf(name, sizeof(name), "%s/%s%s%s%s", PICK(g, packages), PICK(g, firsts),
                 PICK(g, middles), PICK(g, lasts), below(g, 4) == 0 ? "$1" : "");
        classes[i] = jfr_writer_class(g->w, &(struct jfr_class_def){.name = name, .modifiers = 1});
    }
    for (int i = 0; i < N_METHODS; i++) {
        snprintf(name, sizeof(name), "%s%s%u", PICK(g, verbs), PICK(g, middles), below(g, 30));
        g->methods[i] =
            jfr_writer_method(g->w, classes[i < N_CLASSES ? i : (int)below_skewed(g, N_CLASSES)],
                              name, PICK(g, descriptors), 1, false);
    }
}

static void make_threads(struct gen *g)
{
    uint64_t group = jfr_writer_thread_group(g->w, 0, "main");
    char name[80];

    for (unsigned i = 0; i < g->args.threads; i++) {
        struct jfr_thread_def t = {name, name, 5000 + i, 20 + i, group, false};

        snprintf(name, sizeof(name), kinds[i % N_KINDS], i / N_KINDS + 1);
        jfr_writer_thread(g->w, 1 + i, &t);
    }
}

static uint32_t add_node(struct gen *g, uint32_t caller)
{
    uint32_t method = below_skewed(g, N_METHODS);

    if (g->n_nodes == g->room) {
        g->room = g->room * 2 + 1024;
        g->nodes = need(realloc(g->nodes, g->room * sizeof(*g->nodes)));
    }
    g->nodes[g->n_nodes] = (struct node){
        .caller = caller,
        .depth = caller == UINT32_MAX ? 1 : g->nodes[caller].depth + 1,
        .method = method,
        .line = (uint16_t)(10 + method % 700 + below(g, 12)),
        .bci = (uint16_t)below_skewed(g, 1500),
    };
    return (uint32_t)g->n_nodes++;
}

/* Where a new stack leaves an old one of its kind: anywhere, but rather near the top. */
static uint32_t branch(struct gen *g, size_t n_stacks, uint32_t *kind)
{
    uint32_t node, keep, old;

    if (n_stacks < N_KINDS) {
        *kind = (uint32_t)n_stacks;
        return UINT32_MAX;
    }
    old = below(g, n_stacks);
    *kind = g->stacks[old].kind;
    node = g->stacks[old].top;
    keep = g->nodes[node].depth - below_skewed(g, g->nodes[node].depth - 1);
    while (g->nodes[node].depth > keep)
        node = g->nodes[node].caller;
    return node;
}

static uint64_t intern_stack(struct gen *g, uint32_t top)
{
    size_t n = 0;

    for (uint32_t i = top; i != UINT32_MAX; i = g->nodes[i].caller) {
        const struct node *f = &g->nodes[i];

        g->frames[n++] = (struct jfr_frame){
            .method_key = g->methods[f->method],
            .type_key = f->method % 5 == 0 ? JFR_FRAME_INLINED : JFR_FRAME_JIT,
            .line = f->line,
            .bci = f->bci,
        };
    }
    return jfr_writer_stack(g->w, g->frames, n, false);
}

static void make_stacks(struct gen *g)
{
    const struct args *a = &g->args;

    g->stacks = need(calloc(a->stacks, sizeof(*g->stacks)));
    g->frames = need(calloc(a->max_depth + 1, sizeof(*g->frames)));
    for (size_t i = 0; i < a->stacks; i++) {
        struct stack *s = &g->stacks[i];
        uint32_t depth = (uint32_t)a->min_depth + below(g, a->max_depth - a->min_depth + 1);
        uint32_t node = branch(g, i, &s->kind);

        while (node != UINT32_MAX && g->nodes[node].depth >= depth)
            node = g->nodes[node].caller;
        while (node == UINT32_MAX || g->nodes[node].depth < depth)
            node = add_node(g, node);
        s->top = node;
        s->key = intern_stack(g, node);
    }
}

static void put_setting(struct gen *g, const char *name, const char *value)
{
    jfr_event_begin(g->w, jfr_writer_type(g->w, "jdk.ActiveSetting"), START_TICKS);
    jfr_put_long(g->w, g->sample);
    jfr_put_string(g->w, name);
    jfr_put_string(g->w, value);
    jfr_event_end_repeated(g->w);
}

static void put_fixed(struct gen *g)
{
    jfr_event_begin(g->w, jfr_writer_type(g->w, "jdk.JVMInformation"), START_TICKS);
    jfr_put_string(g->w, "OpenJDK 64-Bit Server VM");
    jfr_put_string(g->w, "OpenJDK 64-Bit Server VM (25+36) for linux-amd64 JRE (25+36)");
    jfr_put_string(g->w, "-Xmx4g");
    jfr_put_string(g->w, NULL);
    jfr_put_string(g->w, "com.acme.shop.Main --port 8080");
    jfr_put_long(g->w, START_NANOS / 1000000 - 60000);
    jfr_put_long(g->w, 4711);
    jfr_event_end_repeated(g->w);
    put_setting(g, "period", "20 ms");
    if (g->args.mix) /* sleeping threads have samples, too, as from async-profiler 3 */
        put_setting(g, "wall", "20000000");
}

static const char *const hostile_users[] = {
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "<!--<script>",
    "\"'><svg onload=window.pwned=3>",
    "javascript:window.pwned=4",
    "__proto__",
    "constructor",
    "evil\xe2\x80\xaegpj.exe",
    "a b&c=d#e;f",
    "=cmd|' /C calc'!A0",
    "*?[x]\\",
    "\n\t line",
};

/* What the thread does now, and for whom: names with a few that are everywhere. */
static void put_context(struct gen *g, uint64_t thread)
{
    const struct args *a = &g->args;
    char text[80];

    if (a->users + a->actions == 0)
        return;
    if (below(g, a->hold) == 0) {
        g->held[thread].user = below_skewed(g, a->users + 1);
        g->held[thread].action = below_skewed(g, a->actions + 1);
    }
    snprintf(text, sizeof(text), "user-%u", g->held[thread].user);
    if (a->hostile)
        snprintf(text, sizeof(text), "%s", hostile_users[g->held[thread].user % N(hostile_users)]);
    jfr_put_string(g->w, g->held[thread].user == 0 ? NULL : text);
    snprintf(text, sizeof(text), "action-%u", g->held[thread].action);
    jfr_put_string(g->w, g->held[thread].action == 0 ? NULL : text);
}

/* The request that a thread has served ends, and the next one begins. */
static void put_request(struct gen *g, uint64_t thread, int64_t now)
{
    int64_t began = g->held[thread].began;
    char text[40];

    g->held[thread].began = now;
    if (began == 0)
        return;
    jfr_event_begin(g->w, g->request, began);
    jfr_put_long(g->w, now - began);
    jfr_put_key(g->w, thread);
    snprintf(text, sizeof(text), "action-%u", below_skewed(g, 20));
    jfr_put_string(g->w, text);
    snprintf(text, sizeof(text), "r-%lu", ++g->n_requests);
    jfr_put_string(g->w, text);
    jfr_event_end(g->w);
}

static void put_sample(struct gen *g, int64_t now)
{
    const struct stack *s =
        &g->stacks[below(g, 4) > 0 ? below(g, g->args.stacks) : below_skewed(g, g->args.stacks)];
    unsigned long same = (g->args.threads + N_KINDS - 1 - s->kind % g->args.threads) / N_KINDS;
    uint64_t thread = 1 + s->kind % g->args.threads + N_KINDS * below(g, same == 0 ? 1 : same);
    uint32_t other = g->args.mix ? below(g, 8) : 7;

    if (g->args.requests && below(g, g->args.hold) == 0)
        put_request(g, thread, now);
    if (other == 0) {
        jfr_event_begin(g->w, g->alloc, now);
        jfr_put_key(g->w, thread);
        jfr_put_key(g->w, s->key);
        jfr_put_long(g->w, 16 + 8 * below_skewed(g, 100000));
    } else if (other == 1) {
        jfr_event_begin(g->w, g->lock, now);
        jfr_put_long(g->w, 1 + below_skewed(g, 50000000));
        jfr_put_key(g->w, thread);
        jfr_put_key(g->w, s->key);
    } else {
        jfr_event_begin(g->w, g->sample, now);
        jfr_put_key(g->w, thread);
        jfr_put_key(g->w, s->key);
        jfr_put_key(g->w, g->args.mix && thread % 4 == 0 ? JFR_STATE_SLEEPING : JFR_STATE_RUNNABLE);
    }
    put_context(g, thread);
    jfr_event_end(g->w);
}

static void put_load(struct gen *g, int64_t now)
{
    float user = (float)below(g, 1000) / 1250.f;

    jfr_event_begin(g->w, g->load, now);
    jfr_put_float(g->w, user);
    jfr_put_float(g->w, .05f);
    jfr_put_float(g->w, user + .1f);
    jfr_event_end(g->w);
}

static void put_samples(struct gen *g)
{
    const struct args *a = &g->args;
    int64_t now = START_TICKS;
    unsigned long chunk = 1;

    for (unsigned long i = 0; i < a->samples; i++) {
        if (i == a->samples * chunk / a->chunks) {
            jfr_writer_rotate(g->w, now);
            chunk++;
        }
        now += TICKS_PER_SAMPLE / 2 + below(g, TICKS_PER_SAMPLE);
        put_sample(g, now);
        if (i % 1000 == 0)
            put_load(g, now);
    }
    jfr_writer_flush(g->w, now);
}

static void check_args(const struct args *a)
{
    if (a->hold == 0 || a->stacks == 0 || a->chunks == 0 || a->threads == 0 || a->min_depth == 0 ||
        a->max_depth < a->min_depth || a->stacks > UINT32_MAX)
        die("options", "numbers must be positive, and the depths in order");
}

static void open_writer(struct gen *g, const char *path)
{
    struct jfr_writer_options o = {
        .replace = true,
        .start_ticks = START_TICKS,
        .start_nanos = START_NANOS,
        .seed = g->args.seed + 1,
    };
    struct jfr_error err = {0};
    struct jfr_type_def *declared = types;
    size_t n = N(types);

    g->random = (g->args.seed + 1) * 0x9e3779b97f4a7c15u;
    g->w = jfr_writer_open(path, &o, &err);
    if (g->w == NULL)
        die(path, err.text);
    for (int i = 0; i < 3 && g->args.users + g->args.actions == 0; i++)
        types[i].n_fields -= N_CONTEXT;
    if (!g->args.mix) { /* the other two are not declared */
        types[2] = types[0];
        declared += 2;
        n -= 2;
    }
    if (!g->args.requests) /* the last one */
        n--;
    g->held = need(calloc(g->args.threads + N_KINDS + 2, sizeof(*g->held)));
    if (jfr_writer_declare(g->w, declared, n) < 0)
        die(path, jfr_writer_error(g->w)->text);
    g->sample = jfr_writer_type(g->w, "jdk.ExecutionSample");
    g->load = jfr_writer_type(g->w, "jdk.CPULoad");
    g->alloc = jfr_writer_type(g->w, "jdk.ObjectAllocationSample");
    g->lock = jfr_writer_type(g->w, "jdk.JavaMonitorEnter");
    g->request = jfr_writer_type(g->w, "acme.Request");
}

int main(int argc, char **argv)
{
    static struct gen g = {
        .args = {1400000, 60000, 20, 120, 10, 64, 1, 0, 0, 20, false, false, false}};
    static const struct cli_set own = CLI_SET(NULL, options, 0);
    static const struct cli_table tables[] = {{&own}, {0}};
    static const struct cli_command command = {
        "gen", "[options] OUT.jfr", "Write a large recording for benchmarks.", tables, NULL};
    struct cli_list operands = {0};
    struct jfr_error err = {0};
    int rc = cli_parse(&command, argc, argv, &g.args, &operands);

    if (rc >= 0)
        return rc;
    if (operands.n != 1)
        return cli_usage(&command, "one output file is needed");
    check_args(&g.args);
    open_writer(&g, operands.items[0]);
    make_methods(&g);
    make_threads(&g);
    make_stacks(&g);
    put_fixed(&g);
    put_samples(&g);
    if (jfr_writer_close(g.w, &err) != 0)
        die(operands.items[0], err.text);
    cli_list_free(&operands);
    free(g.nodes);
    free(g.stacks);
    free(g.frames);
    free(g.held);
    return 0;
}
