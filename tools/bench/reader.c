/*
 * reader.c - how fast the format library reads: bytes of events per second of processor time.
 *
 *     reader RECORDING     one of many events and few stacks says most: gen --samples 8000000
 * --stacks 500
 *
 * iterate: every event, size and type only. decode: time, thread, stack and state of every
 * jdk.ExecutionSample through a plan. Allocations are counted between the first and the last event
 * of a chunk, after the first one has compiled its plan.
 */
#include "jfrfmt/jfr.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_calloc(size_t n, size_t size);

static unsigned long allocations;

void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}

void *realloc(void *p, size_t n)
{
    allocations++;
    return __libc_realloc(p, n);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

struct result {
    double seconds;
    uint64_t events, bytes, sum;
    unsigned long allocations;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void iterate(struct jfr_chunk *chunk, struct result *r)
{
    struct jfr_event ev;

    while (jfr_chunk_next(chunk, &ev) > 0) {
        r->events++;
        r->bytes += ev.size;
        r->sum += (uint64_t)ev.type_id;
    }
}

static void decode(struct jfr_chunk *chunk, struct result *r)
{
    static const char *const want[] = {"startTime", "sampledThread", "stackTrace", "state"};
    const struct jfr_plan *plan = NULL;
    unsigned long before = 0;
    union jfr_value v[4];
    struct jfr_event ev;

    while (jfr_chunk_next(chunk, &ev) > 0) {
        if (ev.type == NULL || strcmp(ev.type->name, "jdk.ExecutionSample") != 0)
            continue;
        if (plan == NULL) {
            plan = jfr_plan_new(chunk, ev.type, want, 4);
            before = allocations;
        }
        if (plan == NULL || jfr_plan_run(plan, ev.body, v, NULL) != 0)
            continue;
        r->events++;
        r->bytes += ev.size;
        r->sum += v[0].key + v[1].key + v[2].key + v[3].key;
    }
    r->allocations += plan == NULL ? 0 : allocations - before;
}

static int measure(const char *path, void (*work)(struct jfr_chunk *, struct result *),
                   struct result *r)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open(path, &err);
    struct jfr_chunk *chunk = jfr_chunk_new();
    struct jfr_raw raw;
    int rc = src == NULL || chunk == NULL ? -1 : 0;

    while (rc == 0 && (rc = jfr_source_next(src, &raw, &err)) > 0) {
        rc = jfr_chunk_load(chunk, &raw, &err);
        if (rc == 0) {
            double start;

            iterate(chunk, &(struct result){0}); /* brings the pages in: the disk is not measured */
            jfr_chunk_rewind(chunk);
            start = now();
            work(chunk, r);
            r->seconds += now() - start;
        }
        jfr_source_release(src, &raw);
    }
    if (rc < 0)
        fprintf(stderr, "reader: %s: %s\n", path, err.text);
    jfr_chunk_free(chunk);
    jfr_source_close(src);
    return rc;
}

static void print(const char *name, const struct result *r)
{
    printf("%-8s %10llu events %8.1f MB  %6.2f ns/event  %7.0f MB/s  %lu allocations\n", name,
           (unsigned long long)r->events, (double)r->bytes / 1e6,
           r->seconds * 1e9 / (double)(r->events + (r->events == 0)),
           (double)r->bytes / 1e6 / r->seconds, r->allocations);
}

int main(int argc, char **argv)
{
    struct result iterated = {0}, decoded = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: reader RECORDING\n");
        return 2;
    }
    if (measure(argv[1], iterate, &iterated) < 0 || measure(argv[1], decode, &decoded) < 0)
        return 1;
    print("iterate", &iterated);
    print("decode", &decoded);
    return 0;
}
