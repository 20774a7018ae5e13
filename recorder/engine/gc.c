/*
 * gc.c - events of the pauses of garbage collections (JVMTI), with name, cause and sizes from the
 * VM's counters, and of System.gc(), by a hook of its native method.
 *
 * Concurrent work of a collector is not recorded: JVMTI reports pauses only, so ZGC and Shenandoah
 * have an event for each pause of a cycle.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/engine/gc_counters.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/jfrsync/jfrsync.h"
#include "recorder/base/log.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"
#include "recorder/base/perfdata.h"
#include "recorder/settings/settings.h"

#include <string.h>

enum kind {
    PAUSE,
    SYSTEM_GC
};

struct gc_data {
    char name[GC_COUNTERS_TEXT], cause[GC_COUNTERS_TEXT];
    struct gc_heap before, after;
    int32_t tenuring;
    bool has_heap;
    uint8_t generation;
};

static jvmtiEnv *jvmti; /* of this engine alone */
static int64_t began; /* of the pause: there is one at a time */
static struct gc_heap before;
static int32_t gc_id;
static bool has_tried, is_listening; /* to pauses, in this recording */
static _Atomic bool wants_system_gc, system_gc_stack;

static void JNICALL hook_gc(JNIEnv *env, jobject runtime);

static struct native_hook hooks[] = {
    {"java/lang/Runtime", "gc", "()V", (void *)(uintptr_t)hook_gc},
};

/* --- in the pause --- */

static void JNICALL on_gc_start(jvmtiEnv *ti)
{
    (void)ti;
    began = emit_now();
    gc_counters_heap(&before);
}

static void JNICALL on_finish(jvmtiEnv *ti)
{
    struct gc_data data = {.before = before};

    (void)ti;
    if (began == 0 || !emit_wanted())
        return;
    gc_counters_name(data.name);
    gc_counters_cause(data.cause);
    data.generation = (uint8_t)gc_counters_generation(data.name);
    data.tenuring = (int32_t)gc_counters_tenuring();
    data.has_heap = gc_counters_heap(&data.after);
    emit(&(struct emit){.engine = &engine_gc,
                        .kind = PAUSE,
                        .ticks = began,
                        .duration = emit_now() - began,
                        .data = &data,
                        .n_data = sizeof(data)});
    began = 0;
}

/* --- System.gc() --- */

static void JNICALL hook_gc(JNIEnv *env, jobject runtime)
{
    void (*original)(JNIEnv *, jobject);
    int64_t start;

    *(void **)&original = native_hook_original(&hooks[0]);
    if (!atomic_load(&wants_system_gc) || !emit_wanted()) {
        original(env, runtime);
        return;
    }
    start = emit_now();
    original(env, runtime);
    emit(&(struct emit){.engine = &engine_gc,
                        .kind = SYSTEM_GC,
                        .with_stack = atomic_load(&system_gc_stack),
                        .ticks = start,
                        .duration = emit_now() - start});
}

/* --- the engine --- */

static const jvmtiCapabilities collections = {.can_generate_garbage_collection_events = 1};

static bool is_enabled(const struct recording *r, enum event e)
{
    return settings_of(r->settings, e)->is_enabled;
}

static bool is_on(const struct recording *r, enum event e)
{
    return is_enabled(r, e) && !jfrsync_leaves(e);
}

static bool asks_for_pauses(const struct recording *r,
                            bool (*asks)(const struct recording *r, enum event e))
{
    return asks(r, EV_GARBAGE_COLLECTION) || asks(r, EV_YOUNG_GARBAGE_COLLECTION) ||
           asks(r, EV_OLD_GARBAGE_COLLECTION) || asks(r, EV_GC_PHASE_PAUSE) ||
           asks(r, EV_GC_HEAP_SUMMARY);
}

static bool make_environment(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {
        .GarbageCollectionStart = on_gc_start,
        .GarbageCollectionFinish = on_finish,
    };

    if (jvmti != NULL)
        return true;
    return (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) == JNI_OK &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

static void set_events(jvmtiEventMode mode)
{
    (*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_GARBAGE_COLLECTION_START, NULL);
}

static void start_system_gc(struct recording *r)
{
    if (!is_on(r, EV_SYSTEM_GC))
        return;
    if (native_hook_install(r->vm, r->env, hooks, 1) != 1)
        log_line(LOG_WARNING, "no jdk.SystemGC: Runtime.gc cannot be intercepted on this VM");
    atomic_store(&system_gc_stack, settings_of(r->settings, EV_SYSTEM_GC)->with_stack);
    atomic_store(&wants_system_gc, true);
}

/* Switches the callbacks on when the events are ours. Events that were left to the JDK's recorder
 * become ours if that recorder fails to begin. */
static void listen_to_gc(struct recording *r)
{
    if (has_tried || !asks_for_pauses(r, is_on))
        return;
    has_tried = true;
    perfdata_open();
    gc_counters_open();
    began = 0;
    if (!make_environment(r) ||
        (*jvmti)->AddCapabilities(jvmti, &collections) != JVMTI_ERROR_NONE) {
        log_line(LOG_WARNING, "no events of garbage collections: this VM does not give them");
        return;
    }
    is_listening = true;
    set_events(JVMTI_ENABLE);
}

static int start(struct recording *r)
{
    has_tried = is_listening = false;
    if (!asks_for_pauses(r, is_enabled) && !is_on(r, EV_SYSTEM_GC))
        return 1;
    listen_to_gc(r);
    start_system_gc(r);
    return 0;
}

static void tick(struct recording *r, int64_t now)
{
    (void)now;
    listen_to_gc(r);
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&wants_system_gc, false);
    if (!is_listening)
        return;
    set_events(JVMTI_DISABLE);
    (*jvmti)->RelinquishCapabilities(jvmti, &collections);
}

/* --- writing --- */

static uint64_t simple(struct recording *r, const char *type, const char *text)
{
    return text[0] == '\0'
               ? 0
               : jfr_writer_simple(r->writer, jfr_writer_type(r->writer, type), text, strlen(text));
}

/* The addresses of the heap are not known, so they are 0. */
static void write_heap(struct recording *r, int64_t ticks, const char *when,
                       const struct gc_heap *heap)
{
    struct jfr_writer *w = r->writer;
    uint64_t key = simple(r, "jdk.types.GCWhen", when);

    if (!is_on(r, EV_GC_HEAP_SUMMARY))
        return;
    jfr_event_begin(w, r->types[EV_GC_HEAP_SUMMARY], ticks);
    jfr_put_int(w, gc_id);
    jfr_put_key(w, key);
    jfr_put_long(w, 0);
    jfr_put_long(w, 0);
    jfr_put_long(w, heap->committed);
    jfr_put_long(w, 0);
    jfr_put_long(w, heap->reserved);
    jfr_put_long(w, heap->used);
    jfr_event_end(w);
}

static bool passes(const struct recording *r, const struct record *rec, enum event e)
{
    return is_on(r, e) && rec->duration >= settings_of(r->settings, e)->threshold_ns;
}

static void write_collection(struct recording *r, const struct record *rec, uint64_t thread,
                             const struct gc_data *data)
{
    struct jfr_writer *w = r->writer;
    uint64_t name = simple(r, "jdk.types.GCName", data->name);
    uint64_t cause = simple(r, "jdk.types.GCCause", data->cause);

    jfr_event_begin(w, r->types[EV_GARBAGE_COLLECTION], rec->ticks);
    jfr_put_long(w, rec->duration);
    jfr_put_key(w, thread);
    jfr_put_int(w, gc_id);
    jfr_put_key(w, name);
    jfr_put_key(w, cause);
    jfr_put_long(w, rec->duration);
    jfr_put_long(w, rec->duration);
    context_event_end(r, EV_GARBAGE_COLLECTION, rec);
}

/* Views and rules of readers need this event beside that of the collection. */
static void write_generation(struct recording *r, const struct record *rec,
                             const struct gc_data *data)
{
    bool is_old = data->generation == GC_OLD;
    enum event e = is_old ? EV_OLD_GARBAGE_COLLECTION : EV_YOUNG_GARBAGE_COLLECTION;

    if (data->generation == GC_WHOLE || !passes(r, rec, e))
        return;
    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    jfr_put_long(r->writer, rec->duration);
    jfr_put_int(r->writer, gc_id);
    if (!is_old)
        jfr_put_int(r->writer, data->tenuring);
    context_event_end(r, e, rec);
}

static void write_pause(struct recording *r, const struct record *rec)
{
    uint64_t thread = drain_thread(r, rec);
    struct jfr_writer *w = r->writer;
    struct gc_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    gc_id++;
    if (data.has_heap) {
        write_heap(r, rec->ticks, "Before GC", &data.before);
        write_heap(r, rec->ticks + rec->duration, "After GC", &data.after);
    }
    if (passes(r, rec, EV_GARBAGE_COLLECTION))
        write_collection(r, rec, thread, &data);
    write_generation(r, rec, &data);
    if (passes(r, rec, EV_GC_PHASE_PAUSE)) {
        jfr_event_begin(w, r->types[EV_GC_PHASE_PAUSE], rec->ticks);
        jfr_put_long(w, rec->duration);
        jfr_put_key(w, thread);
        jfr_put_int(w, gc_id);
        jfr_put_string(w, "GC Pause");
        context_event_end(r, EV_GC_PHASE_PAUSE, rec);
    }
}

static void write(struct recording *r, const struct record *rec)
{
    uint64_t thread, stack;

    if (rec->kind == PAUSE) {
        write_pause(r, rec);
    } else if (passes(r, rec, EV_SYSTEM_GC)) {
        thread = context_thread(r, rec);
        stack = drain_stack(r, rec);
        jfr_event_begin(r->writer, r->types[EV_SYSTEM_GC], rec->ticks);
        jfr_put_long(r->writer, rec->duration);
        jfr_put_key(r->writer, thread);
        jfr_put_key(r->writer, stack);
        jfr_put_boolean(r->writer, false);
        context_event_end(r, EV_SYSTEM_GC, rec);
    }
}

struct engine engine_gc = {
    .name = "gc",
    .start = start,
    .write = write,
    .tick = tick,
    .stop = stop,
};
