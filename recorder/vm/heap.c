/*
 * heap.c - reads how many bytes of the Java heap are used, from the structures of each collector.
 *
 * vm_heap_open() finds out which collector runs and where its counters are. vm_heap_used() then
 * needs a few loads, so it can be called in the pause of a collection.
 */
#include "recorder/vm/heap.h"

#include "recorder/vm/flag.h"

#include <stddef.h>
#include <string.h>

#define STEPS 4
#define PARTS 3

/* A way through the structures: each step adds the offset of a field; a pointer is then followed.
 */
struct step {
    const char *type, *field;
    enum {
        INSIDE,
        FOLLOW
    } how;
};

/* One part of the heap. With a space at its end, top - bottom is in use; else the last field says
 * how much is. */
struct part {
    const char *root_type, *root; /* a static, which points to the first structure */
    struct step steps[STEPS];
    const char *space; /* its type; NULL: no space */
};

/* Of several lines of a collector the first whose fields this VM has is taken. */
struct collector {
    const char *flag, *unless; /* -XX:+FLAG and not -XX:+UNLESS; NULL: whatever else is set */
    struct part parts[PARTS];
};

#define HEAP "Universe", "_collectedHeap"
#define YOUNG "ParallelScavengeHeap", "_young_gen"
#define OLD "ParallelScavengeHeap", "_old_gen"

/* clang-format off */
static const struct collector collectors[] = {
    {"UseSerialGC", NULL, {
        {HEAP, {{"SerialHeap", "_young_gen", FOLLOW},
                {"DefNewGeneration", "_eden_space", FOLLOW}}, "ContiguousSpace"},
        {HEAP, {{"SerialHeap", "_young_gen", FOLLOW},
                {"DefNewGeneration", "_from_space", FOLLOW}}, "ContiguousSpace"},
        {HEAP, {{"SerialHeap", "_old_gen", FOLLOW},
                {"TenuredGeneration", "_the_space", FOLLOW}}, "ContiguousSpace"}}},
    {"UseParallelGC", NULL, {
        {YOUNG, {{"PSYoungGen", "_eden_space", FOLLOW}}, "MutableSpace"},
        {YOUNG, {{"PSYoungGen", "_from_space", FOLLOW}}, "MutableSpace"},
        {OLD, {{"PSOldGen", "_object_space", FOLLOW}}, "MutableSpace"}}},
    {"UseShenandoahGC", NULL, {
        {HEAP, {{"ShenandoahHeap", "_used", INSIDE}}, NULL}}},
    {"UseShenandoahGC", NULL, { /* since 24 or so */
        {HEAP, {{"ShenandoahHeap", "_global_generation", FOLLOW},
                {"ShenandoahGeneration", "_used", INSIDE}}, NULL}}},
    {"UseZGC", "ZGenerational", { /* 21 to 23: both kinds are there, this one as X */
        {HEAP, {{"XCollectedHeap", "_heap", INSIDE},
                {"XHeap", "_page_allocator", INSIDE},
                {"XPageAllocator", "_used", INSIDE}}, NULL}}},
    {"UseZGC", NULL, {
        {HEAP, {{"ZCollectedHeap", "_heap", INSIDE},
                {"ZHeap", "_page_allocator", INSIDE},
                {"ZPageAllocator", "_used", INSIDE}}, NULL}}},
    {"UseZGC", NULL, { /* 25: one of these for each node of memory */
        {HEAP, {{"ZCollectedHeap", "_heap", INSIDE},
                {"ZHeap", "_page_allocator", INSIDE},
                {"ZPageAllocator", "_partitions", FOLLOW},
                {"ZPartition", "_used", INSIDE}}, NULL}}},
};
/* clang-format on */

/* The same with the offsets of this VM. */
static struct {
    const char *const *root; /* the static; NULL: there are no more parts */
    int n_steps;
    ptrdiff_t offsets[STEPS];
    bool follows[STEPS];
    ptrdiff_t top, bottom; /* of the space; -1: none */
} found[PARTS];

/* Offset of a field; listed with the type, with one that it derives from, or under an older name.
 */
static ptrdiff_t heap_field_of(const char *type, const char *field)
{
    static const char *const others[][2] = {
        {"ContiguousSpace", "Space"},
        {"MutableSpace", "ImmutableSpace"},
        {"SerialHeap", "GenCollectedHeap"}, /* up to 22 */
    };
    ptrdiff_t at = vm_field_offset(type, field);

    for (size_t i = 0; at < 0 && i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(others[i][0], type) == 0)
            at = vm_field_offset(others[i][1], field);
    return at;
}

static bool find_part(const struct part *p, int i)
{
    int n = 0;

    found[i].root = vm_static_field(p->root_type, p->root);
    for (; n < STEPS && p->steps[n].type != NULL; n++) {
        found[i].offsets[n] = heap_field_of(p->steps[n].type, p->steps[n].field);
        found[i].follows[n] = p->steps[n].how == FOLLOW;
        if (found[i].offsets[n] < 0)
            return false;
    }
    found[i].n_steps = n;
    found[i].top = p->space == NULL ? -1 : heap_field_of(p->space, "_top");
    found[i].bottom = p->space == NULL ? -1 : heap_field_of(p->space, "_bottom");
    return found[i].root != NULL &&
           (p->space == NULL || (found[i].top >= 0 && found[i].bottom >= 0));
}

static bool find_parts(const struct collector *c)
{
    for (int i = 0; i < PARTS; i++) {
        found[i].root = NULL;
        if (c->parts[i].root != NULL && !find_part(&c->parts[i], i))
            return false;
    }
    return true;
}

/* How the structures of several nodes lie in memory is in no table. The count is ZGC's; with
 * another collector it is 0. */
static bool has_one_node(void)
{
    const uint32_t *n = vm_static_field("ZNUMA", "_count");

    return n == NULL || *n <= 1;
}

static bool is_set(const char *flag)
{
    bool value;

    return vm_flag_get(flag, &value) && value;
}

bool vm_heap_open(void)
{
    if (found[0].root != NULL)
        return true;
    for (size_t i = 0; i < sizeof(collectors) / sizeof(collectors[0]); i++) {
        const struct collector *c = &collectors[i];

        if (is_set(c->flag) && (c->unless == NULL || !is_set(c->unless)) && find_parts(c) &&
            has_one_node())
            return true;
    }
    found[0].root = NULL;
    return false;
}

/* ASYNC-SIGNAL-SAFE from here on */

static const char *pointer_at(const char *p)
{
    return *(const char *const *)(const void *)p;
}

static int64_t used_of(int i)
{
    const char *p = *found[i].root;

    for (int k = 0; k < found[i].n_steps && p != NULL; k++) {
        p += found[i].offsets[k];
        if (found[i].follows[k])
            p = pointer_at(p);
    }
    if (p == NULL)
        return 0;
    return found[i].top < 0 ? *(const int64_t *)(const void *)p
                            : pointer_at(p + found[i].top) - pointer_at(p + found[i].bottom);
}

int64_t vm_heap_used(void)
{
    int64_t sum = 0;

    if (found[0].root == NULL)
        return -1;
    for (int i = 0; i < PARTS && found[i].root != NULL; i++)
        sum += used_of(i);
    return sum < 0 ? 0 : sum; /* spaces may change places meanwhile */
}
