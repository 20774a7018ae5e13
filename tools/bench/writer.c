/*
 * writer.c - how fast recordings are written: prints figures beside their goals, asserts nothing.
 *
 *     writer [DIRECTORY]     where the files go while they are measured (/tmp)
 */
#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define N_EVENTS 5000000
#define N_STACKS 20000
#define DEPTH 64
#define N_FLUSH 100000
#define RUNS 5

/* clang-format off */
static const struct jfr_field_def fields[] = {
    {"address", "long", "Address", .unit = JFR_UNIT_ADDRESS},
    {"size", "long", "Size", .unit = JFR_UNIT_BYTES},
};
static const struct jfr_field_def sample_fields[] = {
    {"sampledThread", "java.lang.Thread", "Thread", .flags = JFR_POOLED},
    {"stackTrace", "jdk.types.StackTrace", "Stack Trace", .flags = JFR_POOLED},
    {"state", "jdk.types.ThreadState", "Thread State", .flags = JFR_POOLED},
};
static const struct jfr_type_def types[] = {
    {"demo.Simple", JFR_TYPE_EVENT, .fields = fields, .n_fields = N(fields)},
    {"jdk.ExecutionSample", JFR_TYPE_EVENT, .fields = sample_fields, .n_fields = N(sample_fields)},
};
/* clang-format on */

static char file[4096];
static uint64_t stacks[N_STACKS];

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double wall(void)
{
    return (double)jfr_writer_now() / 1e9;
}

static struct jfr_writer *start(void)
{
    struct jfr_writer_options options = {.replace = true, .event_room = 8 << 20};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(file, &options, &err);

    if (w == NULL || jfr_writer_declare(w, types, N(types)) < 0) {
        fprintf(stderr, "writer: %s: %s\n", file, err.text);
        exit(1);
    }
    jfr_writer_thread(w, 1, &(struct jfr_thread_def){"main", "main", 1, 1, 0, false});
    jfr_writer_flush(w, 0);
    return w;
}

static uint64_t finish(struct jfr_writer *w)
{
    struct jfr_writer_stats stats;
    struct jfr_error err = {0};

    jfr_writer_flush(w, 0);
    jfr_writer_stats(w, &stats);
    if (jfr_writer_close(w, &err) != 0 || stats.n_lost > 0 || stats.n_refused > 0) {
        fprintf(stderr, "writer: %s: %s\n", file, err.text);
        exit(1);
    }
    unlink(file);
    return stats.n_bytes;
}

static void put_simple(struct jfr_writer *w, int64_t id, int64_t now)
{
    jfr_event_begin(w, id, now);
    jfr_put_long(w, now ^ 0x7f0000000000);
    jfr_put_long(w, now & 0xffff);
    jfr_event_end(w);
}

static void put_sample(struct jfr_writer *w, int64_t id, int64_t now, size_t i)
{
    jfr_event_begin(w, id, now);
    jfr_put_key(w, 1);
    jfr_put_key(w, stacks[i % N_STACKS]);
    jfr_put_key(w, JFR_STATE_RUNNABLE);
    jfr_event_end(w);
}

static double events_per_second(bool samples)
{
    struct jfr_writer *w = start();
    int64_t id = jfr_writer_type(w, types[samples].name), now = jfr_writer_now();
    double before = cpu();

    for (size_t i = 0; i < N_EVENTS; i++) {
        if (samples)
            put_sample(w, id, now + (int64_t)i * 100, i);
        else
            put_simple(w, id, now + (int64_t)i * 100);
    }
    finish(w);
    return N_EVENTS / (cpu() - before);
}

static void make_stacks(struct jfr_writer *w)
{
    static struct jfr_frame frames[DEPTH];
    uint64_t cls = jfr_writer_class(w, &(struct jfr_class_def){.name = "com/acme/Main"});
    uint64_t methods[1000];
    char name[32];

    for (size_t i = 0; i < N(methods); i++) {
        snprintf(name, sizeof(name), "method%zu", i);
        methods[i] = jfr_writer_method(w, cls, name, "()V", 1, false);
    }
    for (size_t i = 0; i < N_STACKS; i++) {
        for (size_t k = 0; k < DEPTH; k++)
            frames[k] = (struct jfr_frame){.method_key = methods[(i * 7 + k * k) % N(methods)],
                                           .type_key = JFR_FRAME_JIT,
                                           .line = (int32_t)(i + k) % 2000,
                                           .bci = (int32_t)(k * 3)};
        stacks[i] = jfr_writer_stack(w, frames, DEPTH, false);
    }
}

/* Interning, then twenty chunks that each carry all stacks. */
static void measure_stacks(double *interned, double *megabytes)
{
    struct jfr_writer *w = start();
    int64_t id = jfr_writer_type(w, "jdk.ExecutionSample"), now = jfr_writer_now();
    double before = cpu(), between;

    make_stacks(w);
    between = cpu();
    *interned = N_STACKS / (between - before);
    for (int chunk = 0; chunk < 20; chunk++) {
        for (size_t i = 0; i < N_STACKS * 5; i++)
            put_sample(w, id, ++now, i);
        jfr_writer_rotate(w, 0);
    }
    *megabytes = (double)finish(w) / 1e6 / (cpu() - between);
}

/* The time that a flush of N_FLUSH events takes, in ms. */
static double measure_flush(void)
{
    struct jfr_writer *w = start();
    int64_t id = jfr_writer_type(w, "demo.Simple"), now = jfr_writer_now();
    double least = 1e9;

    for (int run = 0; run < RUNS; run++) {
        double before;

        for (int i = 0; i < N_FLUSH; i++)
            put_simple(w, id, ++now);
        before = wall();
        jfr_writer_flush(w, 0);
        if (wall() - before < least)
            least = wall() - before;
    }
    finish(w);
    return least * 1e3;
}

static void row(const char *what, double value, const char *unit, const char *goal)
{
    printf("%-44s %8.2f %-6s %s\n", what, value, unit, goal);
}

int main(int argc, char **argv)
{
    double simple = 0, interned = 0, megabytes = 0;

    snprintf(file, sizeof(file), "%s/bench-writer-%ld.jfr", argc > 1 ? argv[1] : "/tmp",
             (long)getpid());
    for (int run = 0; run < RUNS; run++) {
        double i, m, s = events_per_second(false);

        simple = s > simple ? s : simple;
        measure_stacks(&i, &m);
        interned = i > interned ? i : interned;
        megabytes = m > megabytes ? m : megabytes;
    }
    row("simple events, per CPU second", simple / 1e6, "M", "(goal 5)");
    row("stacks of 64 frames interned, per CPU second", interned / 1e6, "M", "");
    row("chunks with checkpoints, per CPU second", megabytes, "MB", "(goal 300)");
    row("flush of 100 000 events, elapsed", measure_flush(), "ms", "(goal 5)");
    return 0;
}
