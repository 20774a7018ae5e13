/*
 * summary_facts.c - reads the events that a tally kept, and finds out which program wrote a chunk.
 *
 * Summaries and the event reference call it once per chunk, after the pass over all events. Each
 * kind of event is one row of a table: its name, its fields, and the function that takes them.
 */
#include "convert/report/summary_facts.h"

#include "jfrfmt/read/plan.h"
#include "jfrfmt/read/stack.h"

#include <stdio.h>

#define N_TEXTS 5 /* fields of one event that are wanted at most */

struct reading {
    struct jfr_chunk *chunk;
    const struct facts_sink *sink;
    const struct jfr_class *type; /* whose plan it is */
    const struct jfr_plan *plan;
    union jfr_value v[N_TEXTS];
    struct buf text[N_TEXTS];
    bool is_null[N_TEXTS];
};

struct kind {
    const char *event;
    const char *fields[N_TEXTS];
    size_t n;
    void (*note)(struct reading *r);
};

static const char *text(struct reading *r, size_t i)
{
    return buf_ok(&r->text[i]) ? (const char *)r->text[i].p : "";
}

static void note_setting(struct reading *r)
{
    if (!r->is_null[1] && !r->is_null[2])
        r->sink->setting(r->sink->ctx, jfr_metadata_by_id(jfr_chunk_metadata(r->chunk), r->v[0].i),
                         text(r, 1), text(r, 2));
}

static void note_recording(struct reading *r)
{
    if (!r->is_null[0])
        r->sink->recording(r->sink->ctx, text(r, 0));
}

/* "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (...), built on ..." or "17.0.7+7"
 */
static void version_of(struct buf *b, const char *name, const char *version)
{
    size_t n = strlen(name);
    const char *open = version + n + 1, *close = NULL;

    if (strncmp(version, name, n) == 0 && version[n] == ' ' && *open == '(')
        close = strchr(open, ')');
    if (close != NULL) {
        buf_printf(b, "%s ", name);
        buf_bytes(b, open + 1, (size_t)(close - open) - 1);
    } else {
        buf_printf(b, "%s%s%s", name, *name != 0 && *version != 0 ? " " : "", version);
    }
}

static void note_jvm(struct reading *r)
{
    struct buf b = {0};

    version_of(&b, text(r, 0), text(r, 1));
    if (!r->is_null[3])
        buf_printf(&b, ", pid %s", text(r, 3));
    if (!r->is_null[2] && r->text[2].n > 1)
        buf_printf(&b, ", %.*s", (int)strcspn(text(r, 2), " \n"), text(r, 2));
    buf_byte(&b, 0);
    if (buf_ok(&b) && b.n > 1)
        r->sink->jvm(r->sink->ctx, (const char *)b.p);
    buf_free(&b);
}

static const struct kind kinds[] = {
    {"jdk.ActiveSetting", {"id", "name", "value"}, 3, note_setting},
    {"jdk.ActiveRecording", {"name"}, 1, note_recording},
    {"jdk.JVMInformation", {"jvmName", "jvmVersion", "javaArguments", "pid"}, 4, note_jvm},
    {"com.oracle.jdk.ActiveSetting", {"id", "name", "value"}, 3, note_setting},
    {"com.oracle.jdk.ActiveRecording", {"name"}, 1, note_recording},
    {"com.oracle.jdk.JVMInformation",
     {"jvmName", "jvmVersion", "javaArguments", "pid"},
     4,
     note_jvm},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

void facts_keep(struct tally *t)
{
    for (size_t i = 0; i < N_KINDS; i++)
        tally_keep(t, kinds[i].event);
}

/* Appends the value of a text field as UTF-8; a pooled value is looked up. `end`: the event's end.
 */
static void facts_text(struct buf *b, struct jfr_chunk *chunk, const struct jfr_field *field,
                       union jfr_value v, const uint8_t *end)
{
    struct cursor c = cur_over(NULL, 0);

    if (field->is_array)
        return;
    if (field->is_pooled && field->type->kind != JFR_STRING) {
        jfr_str_append_utf8(b, jfr_simple_text(chunk, field->type, v.key));
        return;
    }
    if (field->is_pooled) {
        const struct jfr_pool *pool = jfr_chunk_pool(chunk, field->type);
        int64_t at = pool == NULL ? -1 : jfr_pool_find(pool, v.key);

        if (at < 0)
            return;
        c = jfr_pool_value(pool, (size_t)at);
    } else if (field->type->kind == JFR_STRING) {
        c = cur_over(v.at, (size_t)(end - v.at));
    } else {
        return;
    }
    jfr_str_append_utf8(b, jfr_chunk_resolve(chunk, jfr_str_read(&c)));
}

static void read_text(struct reading *r, size_t i, const uint8_t *end)
{
    const struct jfr_field *f = jfr_plan_field(r->plan, i);

    buf_reset(&r->text[i]);
    if (f != NULL && !f->is_array && !f->is_pooled && f->type->kind >= JFR_BOOLEAN &&
        f->type->kind <= JFR_LONG)
        buf_printf(&r->text[i], "%lld", (long long)r->v[i].i);
    else if (f != NULL)
        facts_text(&r->text[i], r->chunk, f, r->v[i], end);
    r->is_null[i] = r->text[i].n == 0;
    buf_byte(&r->text[i], 0);
}

static int read_fact_event(struct reading *r, const struct jfr_event *ev)
{
    const struct kind *k = kinds;

    while (k < kinds + N_KINDS && strcmp(k->event, ev->type->name) != 0)
        k++;
    if (k == kinds + N_KINDS)
        return 0;
    if (r->type != ev->type) {
        r->plan = jfr_plan_shared(r->chunk, ev->type, k->fields, k->n);
        r->type = ev->type;
    }
    if (r->plan == NULL || jfr_plan_run(r->plan, ev->body, r->v, NULL) < 0)
        return 0;
    for (size_t i = 0; i < k->n; i++)
        read_text(r, i, ev->body.end);
    k->note(r);
    return 0;
}

int facts_read(const struct tally *t, const struct facts_sink *sink)
{
    struct reading r = {.chunk = t->chunk, .sink = sink};
    int rc = 0;

    for (size_t i = 0; i < t->n_kept && rc == 0; i++) {
        struct jfr_event ev = jfr_chunk_event_at(t->chunk, t->kept[i]);

        if (ev.type != NULL)
            rc = read_fact_event(&r, &ev);
    }
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (!buf_ok(&r.text[i]))
            rc = JFR_E_NOMEM;
        buf_free(&r.text[i]);
    }
    return rc;
}

static bool has_type(const struct jfr_metadata *md, const char *prefix)
{
    size_t n = strlen(prefix);

    for (size_t i = 0; i < md->n_classes; i++)
        if (md->classes[i].name != NULL && strncmp(md->classes[i].name, prefix, n) == 0)
            return true;
    return false;
}

/* JMC's writer is the only one that puts stack frames into a pool. */
static bool has_pooled_frames(const struct jfr_metadata *md)
{
    const struct jfr_class *cls = jfr_metadata_by_name(md, "jdk.types.StackTrace");
    const struct jfr_field *frames = cls == NULL ? NULL : jfr_class_field(cls, "frames");

    return frames != NULL && frames->is_pooled;
}

void facts_producer(struct buf *b, struct jfr_chunk *chunk, const char *recording)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    if (recording != NULL &&
        (strncmp(recording, "async-profiler ", 15) == 0 || strncmp(recording, "jfrkit ", 7) == 0))
        buf_str(b, recording);
    else if (h->major == 0)
        buf_str(b, "JDK 7/8 or JRockit (JFR 0.9)");
    else if (has_type(md, "jdk.DataLoss") || has_type(md, "com.oracle.jdk.DataLoss"))
        buf_printf(b, "HotSpot JFR%s", has_type(md, "datadog.") ? " with Datadog's events" : "");
    else if (has_type(md, "datadog."))
        buf_str(b, "Datadog java-profiler");
    else if (has_type(md, "profiler."))
        buf_str(b, "async-profiler");
    else if (has_pooled_frames(md))
        buf_str(b, "JMC's writer API");
    else
        buf_str(b, "unknown");
}
