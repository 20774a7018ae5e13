/*
 * context_testing.h - a recording of a small file server, for tests: what its users did is known.
 *
 *     struct server s = {.users = 3, .requests = 20, .chunks = 2, .how = SERVER_FIELDS};
 *     server_write("server.jfr", &s);
 *
 * Request i (counted from 0, over all chunks) is of user i % users ("user0", ...) and of action
 * "load" where i is even, else "store"; it runs on thread 1 + i % 2, begins at i ms and takes
 * 800 us. In it there are, on its thread: user + 1 execution samples, one read of 100 * (user + 1)
 * bytes that lasts 10 us, one write of 7 bytes, one allocation sample of 1000 bytes, a wait for a
 * monitor of 50 us, a sample of processor time of 20 ms. After it one execution sample of nobody.
 */
#ifndef CONVERT_TEST_CONTEXT_TESTING_H
#define CONVERT_TEST_CONTEXT_TESTING_H

#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <string.h>

enum server_how {
    SERVER_FIELDS = 1, /* fields NAME_user, NAME_action in every event */
    SERVER_SPANS = 2, /* an event of each request with contextual fields */
    SERVER_LATE = 4, /* spans are written a chunk later than they begin */
    SERVER_TAGS = 8, /* async-profiler's spans, their tag is the user */
    SERVER_IDS =
        16, /* Datadog's fields in every event: the span's id (user's number + 1) and name */
    SERVER_ALONE = 32, /* spans and no other events */
    SERVER_OTHER = 64, /* another recorder of the process: no spans, other keys of threads */
};

struct server {
    unsigned users, requests, chunks, how;
    /* private */
    struct jfr_writer *w;
    int64_t types;
    uint64_t stack[4], cls;
};

#define SERVER_START 1000000000 /* ticks = ns */
#define SERVER_S "java.lang.String"
#define SERVER_POOLED(name, type)       \
    {                                   \
        name, type, .flags = JFR_POOLED \
    }

enum server_type {
    SERVER_SAMPLE,
    SERVER_READ,
    SERVER_WRITE,
    SERVER_ALLOC,
    SERVER_ENTER,
    SERVER_CPU,
    SERVER_REQUEST,
    SERVER_TAG,
    SERVER_TYPES,
};

#define SERVER_ROOM 12

struct server_fields {
    struct jfr_field_def f[SERVER_ROOM];
    size_t n;
};

static inline void server_field(struct server_fields *all, const char *name, const char *type,
                                unsigned flags, enum jfr_unit unit)
{
    all->f[all->n++] = (struct jfr_field_def){name, type, .flags = flags, .unit = unit};
}

static inline void server_context_fields(struct server_fields *all, const struct server *s)
{
    if (s->how & SERVER_FIELDS) {
        server_field(all, "tracer-context_user", SERVER_S, 0, JFR_UNIT_NONE);
        server_field(all, "tracer-context_action", SERVER_S, 0, JFR_UNIT_NONE);
    }
    if (s->how & SERVER_IDS) {
        server_field(all, "spanId", "long", 0, JFR_UNIT_NONE);
        server_field(all, "contextId", "long", 0, JFR_UNIT_NONE);
        server_field(all, "spanName", SERVER_S, 0, JFR_UNIT_NONE);
    }
}

static inline bool server_declare(struct server *s)
{
    static const char *const names[SERVER_TYPES] = {
        "jdk.ExecutionSample",        "jdk.FileRead",         "jdk.FileWrite",
        "jdk.ObjectAllocationSample", "jdk.JavaMonitorEnter", "jdk.CPUTimeSample",
        "jfrkit.TracerContext",       "profiler.Span"};
    struct server_fields all[SERVER_TYPES] = {0};
    struct jfr_type_def types[SERVER_TYPES];

    server_field(&all[SERVER_SAMPLE], "sampledThread", "java.lang.Thread", JFR_POOLED, 0);
    server_field(&all[SERVER_SAMPLE], "stackTrace", "jdk.types.StackTrace", JFR_POOLED, 0);
    server_field(&all[SERVER_SAMPLE], "state", "jdk.types.ThreadState", JFR_POOLED, 0);
    server_field(&all[SERVER_READ], "path", SERVER_S, 0, JFR_UNIT_NONE);
    server_field(&all[SERVER_READ], "bytesRead", "long", 0, JFR_UNIT_BYTES);
    server_field(&all[SERVER_READ], "endOfFile", "boolean", 0, JFR_UNIT_NONE);
    server_field(&all[SERVER_WRITE], "path", SERVER_S, 0, JFR_UNIT_NONE);
    server_field(&all[SERVER_WRITE], "bytesWritten", "long", 0, JFR_UNIT_BYTES);
    server_field(&all[SERVER_ALLOC], "objectClass", "java.lang.Class", JFR_POOLED, 0);
    server_field(&all[SERVER_ALLOC], "weight", "long", 0, JFR_UNIT_BYTES);
    server_field(&all[SERVER_ENTER], "monitorClass", "java.lang.Class", JFR_POOLED, 0);
    server_field(&all[SERVER_CPU], "samplingPeriod", "long", 0, JFR_UNIT_NS);
    server_field(&all[SERVER_REQUEST], "user", SERVER_S, JFR_CONTEXTUAL, JFR_UNIT_NONE);
    server_field(&all[SERVER_REQUEST], "action", SERVER_S, JFR_CONTEXTUAL, JFR_UNIT_NONE);
    server_field(&all[SERVER_REQUEST], "isContinuation", "boolean", 0, JFR_UNIT_NONE);
    server_field(&all[SERVER_TAG], "tag", SERVER_S, 0, JFR_UNIT_NONE);
    for (int i = 0; i < SERVER_TYPES; i++) {
        if (i < SERVER_REQUEST)
            server_context_fields(&all[i], s);
        types[i] = (struct jfr_type_def){names[i], JFR_TYPE_EVENT, .fields = all[i].f,
                                         .n_fields = all[i].n};
        if (i == SERVER_READ || i == SERVER_WRITE || i == SERVER_ENTER)
            types[i].flags = JFR_HAS_DURATION | JFR_HAS_THREAD | JFR_HAS_STACK;
        if (i == SERVER_ALLOC || i == SERVER_CPU)
            types[i].flags = JFR_HAS_THREAD | JFR_HAS_STACK;
        if (i >= SERVER_REQUEST)
            types[i].flags = JFR_HAS_DURATION | JFR_HAS_THREAD;
    }
    s->types = jfr_writer_declare(s->w, types,
                                  s->how & SERVER_TAGS    ? SERVER_TYPES
                                  : s->how & SERVER_OTHER ? SERVER_REQUEST
                                                          : SERVER_TYPES - 1);
    return s->types >= 0;
}

/* The samples are of all threads, as from async-profiler's wall clock engine before version 4. */
static inline void server_setting(struct server *s)
{
    static const struct jfr_field_def fields[] = {
        {"id", "long"}, {"name", SERVER_S}, {"value", SERVER_S}};
    static const struct jfr_type_def setting = {"jdk.ActiveSetting", JFR_TYPE_EVENT,
                                                .fields = fields, .n_fields = 3};

    jfr_event_begin(s->w, jfr_writer_declare(s->w, &setting, 1), SERVER_START);
    jfr_put_long(s->w, s->types + SERVER_SAMPLE);
    jfr_put_string(s->w, "wall");
    jfr_put_string(s->w, "20000000");
    jfr_event_end_repeated(s->w);
}

static inline void server_constants(struct server *s)
{
    static const char *const names[] = {"run", "handle", "load", "store"};
    struct jfr_frame frames[4] = {0};

    s->cls = jfr_writer_class(s->w, &(struct jfr_class_def){.name = "com/acme/Server"});
    for (int i = 0; i < 4; i++)
        frames[3 - i] = (struct jfr_frame){
            .method_key = jfr_writer_method(s->w, s->cls, names[i], "()V", 1, false),
            .type_key = JFR_FRAME_JIT,
            .line = 10 + i};
    for (int i = 0; i < 4; i++)
        s->stack[i] = jfr_writer_stack(s->w, frames + 3 - i, (size_t)i + 1, false);
    for (int i = 0; i < 2; i++) {
        char name[16];
        struct jfr_thread_def t = {.os_name = name, .java_name = name};

        snprintf(name, sizeof(name), "http-%d", i + 1);
        t.os_id = 100 + i;
        t.java_id = 1 + i;
        jfr_writer_thread(s->w, (uint64_t)((s->how & SERVER_OTHER ? 100 : 1) + i), &t);
    }
}

struct server_request {
    unsigned number;
    bool is_set; /* there is a context */
    char user[16];
    const char *action;
    uint64_t thread;
};

static inline struct server_request server_request(const struct server *s, unsigned i)
{
    struct server_request r = {.number = i, .is_set = true};

    snprintf(r.user, sizeof(r.user), "user%u", i % s->users);
    r.action = i % 2 == 0 ? "load" : "store";
    r.thread = (s->how & SERVER_OTHER ? 100 : 1) + i % 2;
    return r;
}

static inline void server_begin(struct server *s, const struct server_request *r, int type,
                                int64_t at_us, int64_t duration_ns, int depth)
{
    jfr_event_begin(s->w, s->types + type,
                    SERVER_START + (int64_t)r->number * 1000000 + at_us * 1000);
    if (duration_ns >= 0)
        jfr_put_long(s->w, duration_ns);
    jfr_put_key(s->w, r->thread);
    if (depth >= 0)
        jfr_put_key(s->w, s->stack[depth]);
}

static inline void server_end(struct server *s, const struct server_request *r)
{
    if (s->how & SERVER_FIELDS) {
        jfr_put_string(s->w, r->is_set ? r->user : NULL);
        jfr_put_string(s->w, r->is_set ? r->action : NULL);
    }
    if (s->how & SERVER_IDS) {
        jfr_put_long(s->w, r->is_set ? r->number % s->users + 1 : 0);
        jfr_put_long(s->w, r->is_set ? r->number % s->users + 1 : 0);
        jfr_put_string(s->w, r->is_set ? r->user : NULL);
    }
    jfr_event_end(s->w);
}

static inline void server_span(struct server *s, unsigned i)
{
    struct server_request r = server_request(s, i);

    server_begin(s, &r, s->how & SERVER_TAGS ? SERVER_TAG : SERVER_REQUEST, 0, 800000, -1);
    jfr_put_string(s->w, r.user);
    if (!(s->how & SERVER_TAGS)) {
        jfr_put_string(s->w, r.action);
        jfr_put_boolean(s->w, false);
    }
    jfr_event_end(s->w);
}

static inline void server_sample(struct server *s, const struct server_request *r, int64_t at_us,
                                 int depth)
{
    server_begin(s, r, SERVER_SAMPLE, at_us, -1, depth);
    jfr_put_key(s->w, JFR_STATE_RUNNABLE);
    server_end(s, r);
}

static inline void server_serve(struct server *s, unsigned i)
{
    struct server_request r = server_request(s, i);
    unsigned user = i % s->users;

    for (unsigned k = 0; k <= user; k++)
        server_sample(s, &r, 100 + k, i % 2 == 0 ? 2 : 3);
    server_begin(s, &r, SERVER_READ, 200, 10000, 2);
    jfr_put_string(s->w, "/tmp/data");
    jfr_put_long(s->w, 100 * (int64_t)(user + 1));
    jfr_put_boolean(s->w, false);
    server_end(s, &r);
    server_begin(s, &r, SERVER_WRITE, 300, 5000, 1);
    jfr_put_string(s->w, "/tmp/data");
    jfr_put_long(s->w, 7);
    server_end(s, &r);
    server_begin(s, &r, SERVER_ALLOC, 400, -1, 1);
    jfr_put_key(s->w, s->cls);
    jfr_put_long(s->w, 1000);
    server_end(s, &r);
    server_begin(s, &r, SERVER_ENTER, 500, 50000, 1);
    jfr_put_key(s->w, s->cls);
    server_end(s, &r);
    server_begin(s, &r, SERVER_CPU, 600, -1, 2);
    jfr_put_long(s->w, 20000000);
    server_end(s, &r);
    r.is_set = false;
    server_sample(s, &r, 900, 0);
}

/* Writes the recording. False when it cannot. */
static inline bool server_write(const char *path, struct server *s)
{
    struct jfr_writer_options options = {.replace = true,
                                         .start_ticks = SERVER_START,
                                         .start_nanos = INT64_C(1700000000000000000),
                                         .seed = 42};
    unsigned i = 0, told = 0;
    struct jfr_error err = {0};

    s->w = jfr_writer_open(path, &options, &err);
    if (s->w == NULL || !server_declare(s)) {
        fprintf(stderr, "%s\n", s->w == NULL ? err.text : jfr_writer_error(s->w)->text);
        return false;
    }
    server_setting(s);
    server_constants(s);
    for (unsigned chunk = 0; chunk < s->chunks; chunk++) {
        unsigned until = (chunk + 1) * s->requests / s->chunks;

        if (chunk > 0)
            jfr_writer_rotate(s->w, SERVER_START + (int64_t)i * 1000000 - 1);
        for (; (s->how & SERVER_LATE) && told < i; told++)
            server_span(s, told);
        for (; i < until; i++) {
            if (!(s->how & SERVER_ALONE))
                server_serve(s, i);
            if ((s->how & (SERVER_SPANS | SERVER_TAGS)) && !(s->how & SERVER_LATE))
                server_span(s, i);
        }
    }
    for (; (s->how & SERVER_LATE) && told < i; told++)
        server_span(s, told);
    jfr_writer_flush(s->w, SERVER_START + (int64_t)i * 1000000);
    return jfr_writer_close(s->w, &err) == 0;
}

#endif
