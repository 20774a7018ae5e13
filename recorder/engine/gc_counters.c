/* gc_counters.c - looks up the VM's counters once; the used heap comes from its structures. */
#include "recorder/engine/gc_counters.h"

#include "recorder/base/perfdata.h"
#include "recorder/vm/heap.h"

#include <stdio.h>
#include <string.h>

#define GENERATIONS 3
#define SPACES 8
#define COLLECTORS 4
#define PAGE 4096

static struct {
    const int64_t *capacity, *max;
    const int64_t *used[SPACES];
} generations[GENERATIONS];

static struct {
    char name[GC_COUNTERS_TEXT];
    const int64_t *entered; /* when it ran last */
} collectors[COLLECTORS];

static const int64_t *tenuring;
static const char *cause, *last_cause;
static size_t cause_n, last_cause_n;

static const int64_t *number(const char *format, int a, int b)
{
    char name[80];

    snprintf(name, sizeof(name), format, a, b);
    return perfdata_number(name);
}

/* The names of the VM's collectors and those of the JDK's events. */
static const struct {
    const char *counter, *event;
    enum gc_generation generation;
} names[] = {
    {"G1 young collection pauses", "G1New", GC_YOUNG},
    {"G1 incremental collections", "G1New", GC_YOUNG}, /* 8 to 13 */
    {"G1 full collection pauses", "G1Full", GC_OLD},
    {"G1 stop-the-world full collections", "G1Full", GC_OLD},
    {"G1 concurrent cycle pauses", "G1Old", GC_OLD},
    {"G1 stop-the-world phases", "G1Old", GC_OLD},
    {"Serial young collection pauses", "DefNew", GC_YOUNG},
    {"Serial full collection pauses", "SerialOld", GC_OLD},
    {"Copy", "DefNew", GC_YOUNG},
    {"MSC", "SerialOld", GC_OLD},
    {"Parallel young collection pauses", "ParallelScavenge", GC_YOUNG},
    {"Parallel full collection pauses", "ParallelOld", GC_OLD},
    {"PSScavenge", "ParallelScavenge", GC_YOUNG},
    {"PSParallelCompact", "ParallelOld", GC_OLD},
    {"ParNew", "ParNew", GC_YOUNG},
    {"CMS", "ConcurrentMarkSweep", GC_OLD},
    {"Shenandoah full", "Shenandoah", GC_WHOLE},
    {"Shenandoah partial", "Shenandoah", GC_WHOLE},
    {"Z concurrent cycle pauses", "Z", GC_WHOLE},
    {"ZGC minor collection pauses", "ZGC Minor", GC_WHOLE},
    {"ZGC major collection pauses", "ZGC Major", GC_WHOLE},
};

static void open_collector(int i)
{
    char name[80], text[GC_COUNTERS_TEXT];

    collectors[i].name[0] = '\0';
    collectors[i].entered = number("sun.gc.collector.%d.lastEntryTime", i, 0);
    snprintf(name, sizeof(name), "sun.gc.collector.%d.name", i);
    if (perfdata_text(name, text, sizeof(text)) < 0)
        return;
    snprintf(collectors[i].name, GC_COUNTERS_TEXT, "%s", text);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
        if (strcmp(names[k].counter, text) == 0)
            snprintf(collectors[i].name, GC_COUNTERS_TEXT, "%s", names[k].event);
}

enum gc_generation gc_counters_generation(const char *name)
{
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
        if (strcmp(names[k].event, name) == 0)
            return names[k].generation;
    return GC_WHOLE;
}

int64_t gc_counters_tenuring(void)
{
    return tenuring == NULL ? 0 : *tenuring;
}

bool gc_counters_open(void)
{
    for (int g = 0; g < GENERATIONS; g++) {
        generations[g].capacity = number("sun.gc.generation.%d.capacity", g, 0);
        generations[g].max = number("sun.gc.generation.%d.maxCapacity", g, 0);
        for (int s = 0; s < SPACES; s++)
            generations[g].used[s] = number("sun.gc.generation.%d.space.%d.used", g, s);
    }
    for (int i = 0; i < COLLECTORS; i++)
        open_collector(i);
    tenuring = perfdata_number("sun.gc.policy.tenuringThreshold");
    cause = perfdata_live_text("sun.gc.cause", &cause_n);
    last_cause = perfdata_live_text("sun.gc.lastCause", &last_cause_n);
    vm_heap_open();
    return generations[0].capacity != NULL;
}

/* Sizes are whole pages; G1 adds some bytes to each, so that none is 0. */
static int64_t in_pages(int64_t bytes)
{
    return bytes & ~(int64_t)(PAGE - 1);
}

/* In G1 the maximum of each generation is the whole heap. */
bool gc_counters_heap(struct gc_heap *out)
{
    int64_t used = vm_heap_used();

    *out = (struct gc_heap){0};
    for (int g = 0; g < GENERATIONS && generations[g].capacity != NULL; g++) {
        out->committed += *generations[g].capacity;
        if (generations[g].max != NULL && *generations[g].max > out->reserved)
            out->reserved = *generations[g].max;
        for (int s = 0; s < SPACES; s++)
            if (generations[g].used[s] != NULL)
                out->used += *generations[g].used[s];
    }
    if (used >= 0)
        out->used = used; /* of the counters only those of G1 are right between collections */
    out->committed = in_pages(out->committed);
    out->reserved = in_pages(out->reserved);
    if (out->reserved < out->committed)
        out->reserved = out->committed;
    return generations[0].capacity != NULL;
}

static bool copy(const char *text, size_t n, char out[GC_COUNTERS_TEXT])
{
    n = text == NULL ? 0 : strnlen(text, n < GC_COUNTERS_TEXT ? n : GC_COUNTERS_TEXT - 1);
    if (n > 0)
        memcpy(out, text, n);
    out[n] = '\0';
    return n > 0 && strcmp(out, "No GC") != 0;
}

void gc_counters_cause(char out[GC_COUNTERS_TEXT])
{
    if (!copy(cause, cause_n, out) && !copy(last_cause, last_cause_n, out))
        out[0] = '\0';
}

void gc_counters_name(char out[GC_COUNTERS_TEXT])
{
    int last = -1;

    for (int i = 0; i < COLLECTORS; i++)
        if (collectors[i].entered != NULL && *collectors[i].entered > 0 &&
            (last < 0 || *collectors[i].entered > *collectors[last].entered))
            last = i;
    strcpy(out, last < 0 ? "" : collectors[last].name);
}
