/*
 * past.c - tells allocation samples of before the recording from the others, and counts them.
 *
 * select.c asks it for each jdk.ObjectAllocationSample of a profile.
 */
#include "convert/select/past.h"

/* A thread was seen to allocate 5 GB in a second, in large arrays, and may have had a buffer of its
 * own when the recording began. */
#define BYTES_PER_NS 16
#define BYTES_FREE (8 << 20)

/* The main thread, known by its name, was seen to allocate 59 MB before a recorder that was started
 * with the program recorded (JDK 25); other threads nearly nothing. */
#define BYTES_FREE_MAIN (256 << 20)

/* The recorder writes the bytes of all threads one after the other. What comes later may be of a
 * thread that was born in the recording. */
#define SWEEP_NS 100000000

struct past_thread {
    bool has_before, has_sample;
    int64_t before_ns, before; /* the first time that its allocated bytes were written, and these */
    int64_t start, weight; /* of the first sample, in ticks and bytes */
};

struct past_reader {
    struct jfr_chunk *chunk;
    const struct jfr_class *statistics, *sample;
    const struct jfr_plan *statistics_plan, *sample_plan;
    struct past_chunk *out;
};

static bool open_reader(struct past_reader *r)
{
    static const char *const of_statistics[] = {"startTime", "thread", "allocated"};
    static const char *const of_sample[] = {"startTime", "eventThread", "weight"};
    const struct jfr_metadata *md = jfr_chunk_metadata(r->chunk);
    const struct jfr_field *a, *b;

    r->statistics = jfr_metadata_by_name(md, "jdk.ThreadAllocationStatistics");
    r->sample = jfr_metadata_by_name(md, "jdk.ObjectAllocationSample");
    if (r->statistics == NULL || r->sample == NULL)
        return false;
    r->statistics_plan = jfr_plan_new(r->chunk, r->statistics, of_statistics, 3);
    r->sample_plan = jfr_plan_new(r->chunk, r->sample, of_sample, 3);
    if (r->statistics_plan == NULL || r->sample_plan == NULL)
        return false;
    a = jfr_plan_field(r->statistics_plan, 1);
    b = jfr_plan_field(r->sample_plan, 1);
    return a != NULL && b != NULL && a->type == b->type && a->is_pooled && b->is_pooled &&
           !a->is_array && !b->is_array;
}

static struct past_thread *find_thread(const struct past_chunk *p, uint64_t key)
{
    int64_t i = p->threads == NULL ? -1 : jfr_pool_find(p->pool, key);

    return i < 0 ? NULL : &p->threads[i];
}

static void read_statistics(struct past_reader *r, const struct jfr_event *ev)
{
    union jfr_value v[3];
    struct past_thread *t;
    int64_t ns;

    if (jfr_plan_run(r->statistics_plan, ev->body, v, NULL) != 0)
        return; /* the damage becomes known when the event is selected */
    ns = jfr_epoch_ns(jfr_chunk_header(r->chunk), v[0].i);
    if (ns < r->out->sweep_ns)
        r->out->sweep_ns = ns;
    t = find_thread(r->out, v[1].key);
    if (t == NULL || (t->has_before && ns >= t->before_ns))
        return;
    t->has_before = true;
    t->before_ns = ns;
    t->before = v[2].i;
}

static void read_sample(struct past_reader *r, const struct jfr_event *ev)
{
    union jfr_value v[3];
    struct past_thread *t;

    if (jfr_plan_run(r->sample_plan, ev->body, v, NULL) != 0)
        return;
    t = find_thread(r->out, v[1].key);
    if (t == NULL || (t->has_sample && v[0].i >= t->start))
        return;
    t->has_sample = true;
    t->start = v[0].i;
    t->weight = v[2].i;
}

int past_load(struct past_chunk *p, struct jfr_chunk *chunk)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    struct arena *arena = jfr_chunk_arena(chunk);
    struct past_reader r = {.chunk = chunk, .out = p};
    struct jfr_event ev;
    bool *wanted;

    *p = (struct past_chunk){.sweep_ns = INT64_MAX};
    if (h->start_nanos != h->recording_nanos || !open_reader(&r))
        return arena_ok(arena) ? 0 : JFR_E_NOMEM;
    p->chunk = chunk;
    p->cls = jfr_plan_field(r.sample_plan, 1)->type;
    p->pool = jfr_chunk_pool(chunk, p->cls);
    p->threads = arena_array(arena, jfr_pool_n(p->pool), sizeof(*p->threads));
    wanted = arena_array(arena, jfr_chunk_metadata(chunk)->n_classes, sizeof(*wanted));
    if (p->pool == NULL || p->threads == NULL || wanted == NULL)
        return JFR_E_NOMEM;
    wanted[r.statistics->index] = wanted[r.sample->index] = true;
    while (jfr_chunk_next_of(chunk, wanted, &ev) > 0)
        if (ev.type == r.statistics)
            read_statistics(&r, &ev);
        else
            read_sample(&r, &ev);
    jfr_chunk_rewind(chunk);
    return arena_ok(arena) ? 0 : JFR_E_NOMEM;
}

static int64_t free_bytes(const struct past_chunk *p, uint64_t thread)
{
    struct jfr_thread t;

    jfr_thread_get(p->chunk, p->cls, thread, &t);
    return jfr_str_equals(t.java_name, "main") ? BYTES_FREE_MAIN : BYTES_FREE;
}

bool past_is_known(const struct past_chunk *p, uint64_t thread, int64_t start, int64_t weight)
{
    const struct past_thread *t = weight <= BYTES_FREE ? NULL : find_thread(p, thread);

    return t != NULL && t->has_before && t->has_sample && t->start == start &&
           t->weight == weight && t->before <= weight && t->before > weight / 2 &&
           (uint64_t)t->before_ns - (uint64_t)p->sweep_ns <= SWEEP_NS &&
           weight > free_bytes(p, thread);
}

bool past_is_possible(int64_t weight, int64_t began_ns, int64_t now_ns)
{
    uint64_t span = now_ns > began_ns ? (uint64_t)now_ns - (uint64_t)began_ns : 0;

    return weight <= BYTES_FREE || (uint64_t)(weight - BYTES_FREE) / BYTES_PER_NS <= span;
}

bool past_add(struct past *p, int64_t weight, int64_t now_ns)
{
    int64_t key[2] = {now_ns, weight};
    uint32_t n, id;

    pthread_mutex_lock(&p->lock);
    n = (uint32_t)intern_n(&p->seen);
    id = intern_add(&p->seen, key, sizeof(key));
    if (id == n)
        p->bytes += (uint64_t)weight;
    pthread_mutex_unlock(&p->lock);
    return id != INTERN_FAILED;
}
