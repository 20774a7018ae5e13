/*
 * summary.c - what recordings have: event types, sizes, times, settings, damage.
 *
 * jfrsummary and jfrmeta run it as a job. summary_tally.c counts a chunk, summary_merge.c adds it.
 */
#include "convert/report/summary.h"

#include "convert/report/summary_facts.h"
#include "convert/report/summary_internal.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>
#include <string.h>

static struct summary *block_new(const struct summary_options *options)
{
    struct summary *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->options = *options;
    s->first_ns = INT64_MAX;
    s->last_ns = INT64_MIN;
    return s;
}

struct summary *summary_new(const struct summary_options *options)
{
    return block_new(options);
}

static void block_free(struct summary *s)
{
    struct summary_list *lists[] = {&s->producers, &s->recordings, &s->jvms};

    for (size_t i = 0; i < 3; i++) {
        intern_free(&lists[i]->names);
        free(lists[i]->chunks);
    }
    intern_free(&s->type_keys);
    intern_free(&s->setting_keys);
    free(s->types);
    free(s->chunks);
    free(s->settings);
    arena_free(&s->arena);
    free(s);
}

void summary_free(struct summary *s)
{
    while (s != NULL) {
        struct summary *next = s->next;

        block_free(s);
        s = next;
    }
}

/* The block of an input. Inputs come one after the other, so it is the last one or a new one. */
static struct summary *block_of(struct summary *s, const char *path)
{
    while (s->next != NULL)
        s = s->next;
    if (s->path != NULL && s->options.each && strcmp(s->path, path) != 0) {
        if ((s->next = block_new(&s->options)) == NULL)
            return NULL;
        s = s->next;
    }
    if (s->path == NULL)
        s->path = path;
    return s;
}

static int merge_summary_chunk(void *shared, void *worker, const struct run_chunk *rc)
{
    struct summary *s = block_of(shared, rc->path);

    return s == NULL ? JFR_E_NOMEM : summary_merge(s, worker, rc);
}

static int read_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct tally *t = worker;
    int result = tally_begin(t, rc->chunk);

    (void)out;
    if (result < 0)
        return result;
    facts_keep(t);
    return tally_run(t);
}

static void *worker_new(void *shared)
{
    (void)shared;
    return calloc(1, sizeof(struct tally));
}

static void worker_free(void *worker)
{
    tally_free(worker);
    free(worker);
}

struct run_job summary_job(struct summary *s)
{
    return (struct run_job){.shared = s,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = read_chunk,
                            .merge = merge_summary_chunk};
}

void summary_damaged(void *summary, const char *path, const struct jfr_error *err)
{
    struct summary *s = block_of(summary, path);

    if (s == NULL)
        return;
    if (s->n_damages < SUMMARY_DAMAGES_MAX)
        s->damages[s->n_damages] = (struct summary_damage){path, *err};
    s->n_damages++;
}

/* The place of a type id in the hash table of a JDK 17: ties come out in that order. */
static uint32_t jdk17_bucket(int64_t id, size_t n)
{
    uint32_t h = (uint32_t)((uint64_t)id ^ (uint64_t)id >> 32);
    size_t capacity = 16;

    while (n > capacity / 4 * 3)
        capacity *= 2;
    return (h ^ h >> 16) & (uint32_t)(capacity - 1);
}

static int by_event_count(const void *a, const void *b)
{
    const struct summary_type *x = a, *y = b;
    int order;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_event(const void *a, const void *b)
{
    const struct summary_setting *x = a, *y = b;
    int order = strcmp(x->event, y->event);

    return order != 0 ? order : strcmp(x->name, y->name);
}

const struct summary_type *summary_find(const struct summary *s, const char *name)
{
    uint32_t i = intern_find(&s->type_keys, name, strlen(name));

    return i == INTERN_FAILED ? NULL : &s->types[i];
}

const struct summary_setting *summary_settings_of(const struct summary *s, const char *event,
                                                  size_t *n)
{
    size_t low = SORTED_FIRST(s->n_settings, i, strcmp(s->settings[i].event, event) >= 0), end;

    for (end = low; end < s->n_settings && strcmp(s->settings[end].event, event) == 0;)
        end++;
    *n = end - low;
    return *n == 0 ? NULL : s->settings + low;
}

static void mark_used(struct summary *s)
{
    for (size_t i = 0; i < s->n_settings; i++) {
        const struct summary_type *type = summary_find(s, s->settings[i].event);

        s->settings[i].is_used = type != NULL && type->n > 0;
    }
}

void summary_sort(struct summary *s)
{
    for (size_t i = 0; i < s->n_types && s->options.compat == 17; i++)
        s->types[i].order = (uint64_t)jdk17_bucket(s->types[i].id, s->n_types) << 32 | i;
    mark_used(s);
    if (s->n_types > 0)
        qsort(s->types, s->n_types, sizeof(s->types[0]), by_event_count);
    if (s->n_settings > 0)
        qsort(s->settings, s->n_settings, sizeof(s->settings[0]), by_event);
}

int summary_end(void *summary, struct out *out)
{
    int rc = 0;

    for (struct summary *s = summary; s != NULL && rc == 0; s = s->next) {
        summary_sort(s);
        if (s->options.json)
            summary_json(s, &out->b);
        else if (s->options.compat != 0)
            summary_compat(s, &out->b);
        else
            summary_text(s, &out->b);
        rc = out_check(out);
    }
    return rc;
}

bool summary_is_empty(const void *summary)
{
    for (const struct summary *s = summary; s != NULL; s = s->next)
        if (s->events > 0)
            return false;
    return true;
}
