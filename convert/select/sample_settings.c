/*
 * sample_settings.c - reads the jdk.ActiveSetting events of a chunk: the sampling interval, and
 * whether jdk.ExecutionSample events are of running threads, of all threads, or of both.
 *
 * Profiles and tables call it for each chunk before they read its events. It does not count
 * samples.
 */
#include "convert/select/sample_settings.h"

#include "convert/text/timespec.h"

#include <stdlib.h>

#define ASYNC_DEFAULT_NS 10000000

struct settings { /* how settings are read in a chunk */
    struct jfr_chunk *chunk;
    const struct jfr_class *cls; /* jdk.ActiveSetting */
    const struct jfr_plan *plan;
    int64_t sample_id;
    bool is_cpu_off; /* jdk.ExecutionSample#enabled=false, which is about samples of running threads
                      */
    bool has_own_wall; /* version 4: wall clock samples have an event type of their own */
};

static void setting_text_of(const struct settings *s, const struct jfr_event *ev, union jfr_value v,
                            char *text, size_t room)
{
    struct buf b = buf_fixed((uint8_t *)text, room - 1);
    struct cursor c = cur_over(v.at, (size_t)(ev->body.end - v.at));

    jfr_str_append_utf8(&b, jfr_chunk_resolve(s->chunk, jfr_str_read(&c)));
    text[buf_ok(&b) ? b.n : 0] = '\0';
}

static int64_t interval_of(const char *name, const char *value)
{
    struct jfr_error err = {0};
    int64_t ns;
    char *end;

    if (strcmp(name, "interval") == 0) {
        ns = strtoll(value, &end, 10);
        if (end != value && *end == '\0' && ns >= 0)
            return ns == 0 ? ASYNC_DEFAULT_NS : ns;
    } else if (strcmp(name, "period") != 0) {
        return 0;
    }
    return timespec_duration(value, &ns, &err) == 0 && ns > 0 ? ns : 0;
}

/* True when the event is a setting of samples that says anything. */
static bool read_setting(struct settings *s, const struct jfr_event *ev,
                         struct sample_settings *out)
{
    union jfr_value v[3];
    char name[32], value[64];
    int64_t ns;

    if (jfr_plan_run(s->plan, ev->body, v, NULL) != 0)
        return false;
    setting_text_of(s, ev, v[1], name, sizeof(name));
    setting_text_of(s, ev, v[2], value, sizeof(value));
    ns = v[0].i == s->sample_id ? interval_of(name, value) : 0;
    if (out->interval_ns == 0)
        out->interval_ns = ns;
    if (s->has_own_wall)
        return ns > 0;
    /* Some versions have them as settings of the recording. */
    if (v[0].i == s->sample_id && strcmp(name, "enabled") == 0)
        s->is_cpu_off = strcmp(value, "false") == 0;
    if (strcmp(name, "event") == 0 && strcmp(value, "wall") == 0)
        out->samples = KIND_SAMPLES_WALL;
    else if (strcmp(name, "wall") == 0 && strtoll(value, NULL, 10) > 0 &&
             out->samples != KIND_SAMPLES_WALL)
        out->samples = KIND_SAMPLES_BOTH;
    return ns > 0;
}

static bool is_text_field(const struct jfr_plan *plan, size_t i)
{
    const struct jfr_field *f = jfr_plan_field(plan, i);

    return f != NULL && !f->is_pooled && !f->is_array && f->type->kind == JFR_STRING;
}

static bool open_settings(struct settings *s)
{
    static const char *const paths[] = {"id", "name", "value"};
    const struct jfr_metadata *md = jfr_chunk_metadata(s->chunk);
    bool has_samples = false;

    for (size_t i = 0; i < md->n_classes; i++) {
        if (kind_is_event(&md->classes[i], "jdk.ActiveSetting"))
            s->cls = &md->classes[i];
        if (!kind_is_event(&md->classes[i], "jdk.ExecutionSample"))
            continue;
        has_samples = true;
        s->sample_id = md->classes[i].id;
    }
    for (size_t i = 0; i < md->n_classes; i++)
        s->has_own_wall |= strcmp(md->classes[i].name, "profiler.WallClockSample") == 0;
    if (s->cls == NULL || !has_samples)
        return false;
    s->plan = jfr_plan_new(s->chunk, s->cls, paths, 3);
    return s->plan != NULL && jfr_plan_field(s->plan, 0) != NULL && is_text_field(s->plan, 1) &&
           is_text_field(s->plan, 2);
}

struct sample_settings sample_settings_read(struct jfr_chunk *chunk, uint64_t most)
{
    struct sample_settings out = {0, KIND_SAMPLES_CPU};
    struct settings s = {.chunk = chunk};
    struct jfr_event ev;
    uint64_t others = 0;
    bool is_found = false;

    if (!open_settings(&s))
        return out;
    while (others <= most && jfr_chunk_next(chunk, &ev) > 0) {
        if (ev.type == s.cls)
            is_found |= read_setting(&s, &ev, &out);
        else if (is_found)
            break; /* those of an event type come one after the other */
        else
            others++;
    }
    if (s.is_cpu_off && out.samples == KIND_SAMPLES_BOTH)
        out.samples = KIND_SAMPLES_WALL;
    jfr_chunk_rewind(chunk);
    return out;
}
