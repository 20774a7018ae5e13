/*
 * class.c - events of classes that are loaded, defined and unloaded (JVMTI).
 *
 * Off by default, since each thread that loads a class then calls the callbacks here. A class is
 * loaded once for each loader that is requested to load it, and defined once. ClassDefine is
 * recorded when the class is prepared: then it gets its methods and fields. JVMTI does not report
 * how long any of this took.
 */
#include "recorder/engine/engines.h"

#include "recorder/events/class_tags.h"
#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    LOAD,
    DEFINE,
    UNLOAD,
    N_KINDS
};

static const enum event events[N_KINDS] = {EV_CLASS_LOAD, EV_CLASS_DEFINE, EV_CLASS_UNLOAD};

static jvmtiEnv *jvmti; /* of this engine alone */
static jfieldID field_name; /* of java.lang.ClassLoader, since 9 */
static _Atomic bool is_wanted[N_KINDS], with_stack[N_KINDS];

/* Of a class: its signature, that of its loader's class ("": the boot loader), the loader's name;
 * each with its NUL. */
struct texts {
    char bytes[3 * OBJECTS_TEXT];
    size_t n;
};

static void add_loader_name(JNIEnv *env, jobject loader, char out[OBJECTS_TEXT])
{
    jstring name = field_name == NULL ? NULL : (*env)->GetObjectField(env, loader, field_name);
    const char *text = name == NULL ? NULL : (*env)->GetStringUTFChars(env, name, NULL);

    snprintf(out, OBJECTS_TEXT, "%s", text == NULL ? "" : text);
    if (text != NULL)
        (*env)->ReleaseStringUTFChars(env, name, text);
    (*env)->DeleteLocalRef(env, name);
}

static void describe(jvmtiEnv *ti, JNIEnv *env, jclass cls, struct texts *t)
{
    jobject loader = NULL;

    t->n = objects_signature(ti, cls, t->bytes) + 1;
    t->bytes[t->n] = t->bytes[t->n + 1] = '\0';
    if ((*ti)->GetClassLoader(ti, cls, &loader) == JVMTI_ERROR_NONE && loader != NULL) {
        t->n += objects_class(ti, env, loader, t->bytes + t->n) + 1;
        add_loader_name(env, loader, t->bytes + t->n);
        t->n += strlen(t->bytes + t->n) + 1;
        (*env)->DeleteLocalRef(env, loader);
    } else {
        t->n += 2;
    }
}

static void watch(jvmtiEnv *ti, jclass cls, const struct texts *t)
{
    jlong tag = 0;

    if ((*ti)->GetTag(ti, cls, &tag) != JVMTI_ERROR_NONE || class_tags_is_kept(tag))
        return;
    tag = class_tags_keep(t->bytes, t->n);
    if (tag != 0)
        (*ti)->SetTag(ti, cls, tag);
}

static void emit_class(JNIEnv *env, jthread thread, enum kind kind, const struct texts *t)
{
    if (atomic_load(&is_wanted[kind]))
        emit(&(struct emit){.engine = &engine_class,
                            .kind = (uint8_t)kind,
                            .with_stack = atomic_load(&with_stack[kind]),
                            .data = t->bytes,
                            .n_data = t->n,
                            .thread_key = objects_virtual_key(env, thread)});
}

static void JNICALL on_loaded_class(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass cls)
{
    struct texts t;

    if (!emit_wanted())
        return;
    describe(ti, env, cls, &t);
    emit_class(env, thread, LOAD, &t);
    if (atomic_load(&is_wanted[UNLOAD]))
        watch(ti, cls, &t);
}

static void JNICALL on_prepare(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass cls)
{
    struct texts t;

    if (!emit_wanted())
        return;
    describe(ti, env, cls, &t);
    emit_class(env, thread, DEFINE, &t);
}

static void JNICALL on_free(jvmtiEnv *ti, jlong tag)
{
    size_t n;
    void *bytes = class_tags_take(tag, &n);

    (void)ti;
    if (bytes != NULL && emit_wanted())
        emit(&(struct emit){.engine = &engine_class, .kind = UNLOAD, .data = bytes, .n_data = n});
    free(bytes);
}

/* --- the engine --- */

static bool make_environment(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {
        .ClassLoad = on_loaded_class, .ClassPrepare = on_prepare, .ObjectFree = on_free};

    if (jvmti != NULL)
        return true;
    field_name = objects_field(r->env, "java/lang/ClassLoader", "name", "Ljava/lang/String;");
    return (*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) == JNI_OK &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE;
}

static bool notify(jvmtiEvent event)
{
    return (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE;
}

static void watch_all(JNIEnv *env)
{
    struct texts t;
    jclass *all;
    jint n;

    if ((*jvmti)->GetLoadedClasses(jvmti, &n, &all) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < n; i++) {
        describe(jvmti, env, all[i], &t);
        if (t.bytes[0] == 'L') /* array classes are loaded and unloaded with their elements */
            watch(jvmti, all[i], &t);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}

static bool begin_unloads(struct recording *r)
{
    jvmtiCapabilities want = {.can_tag_objects = 1, .can_generate_object_free_events = 1};

    class_tags_reset();
    if ((*jvmti)->AddCapabilities(jvmti, &want) != JVMTI_ERROR_NONE ||
        !notify(JVMTI_EVENT_OBJECT_FREE))
        return false;
    watch_all(r->env);
    return true;
}

static bool read_settings(struct recording *r)
{
    bool any = false;

    for (int kind = 0; kind < N_KINDS; kind++) {
        const struct event_settings *s = settings_of(r->settings, events[kind]);

        atomic_store(&is_wanted[kind], s->is_enabled);
        atomic_store(&with_stack[kind], s->with_stack);
        any |= s->is_enabled;
    }
    if (settings_of(r->settings, EV_CLASS_LOAD)->is_enabled &&
        settings_of(r->settings, EV_CLASS_LOAD)->threshold_ns > 0)
        log_line(LOG_INFO, "jdk.ClassLoad has no duration here; its threshold does not count");
    return any;
}

static bool notify_comings(void)
{
    bool loads = atomic_load(&is_wanted[LOAD]) || atomic_load(&is_wanted[UNLOAD]);

    return (!loads || notify(JVMTI_EVENT_CLASS_LOAD)) &&
           (!atomic_load(&is_wanted[DEFINE]) || notify(JVMTI_EVENT_CLASS_PREPARE));
}

static int start(struct recording *r)
{
    if (!read_settings(r))
        return 1;
    if (!make_environment(r) || !notify_comings()) {
        log_line(LOG_WARNING, "no events of classes: this VM does not report them");
        return -1;
    }
    if (atomic_load(&is_wanted[UNLOAD]) && !begin_unloads(r))
        log_line(LOG_WARNING, "no jdk.ClassUnload: this VM does not report them");
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_LOAD, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
    class_tags_reset();
}

/* The boot loader has this name in recordings of the JDK, and no class. */
static uint64_t loader_key(struct recording *r, const char *cls, const char *name)
{
    if (cls[0] == '\0')
        return jfr_writer_loader(r->writer, 0, "bootstrap");
    return jfr_writer_loader(r->writer, drain_class(r, cls), name[0] == '\0' ? NULL : name);
}

static void write(struct recording *r, const struct record *rec)
{
    const char *signature = record_data(rec), *loader_class = signature + strlen(signature) + 1;
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec);
    uint64_t cls = drain_class(r, signature);
    uint64_t loader = loader_key(r, loader_class, loader_class + strlen(loader_class) + 1);
    enum event e = events[rec->kind];

    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    if (e == EV_CLASS_LOAD)
        jfr_put_long(r->writer, 0); /* the duration */
    jfr_put_key(r->writer, thread);
    if (e != EV_CLASS_UNLOAD)
        jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, cls);
    jfr_put_key(r->writer, loader);
    if (e == EV_CLASS_LOAD)
        jfr_put_key(r->writer, loader); /* the initiating loader; JVMTI does not report it */
    context_event_end(r, e, rec);
}

struct engine engine_class = {
    .name = "class",
    .start = start,
    .write = write,
    .stop = stop,
};
