/*
 * compile.c - events of methods that were compiled (JVMTI's CompiledMethodLoad).
 *
 * JVMTI reports that code exists, not how long it took to compile, by which compiler, or at which
 * level. So the event has no such fields, and is written only if the threshold is 0. Wrappers of
 * native methods are left out, among them the intrinsics of method handles.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <string.h>

#define ACC_NATIVE 0x0100
#define TEXTS 3000 /* class, name and descriptor, each ended by NUL */

struct compile_data {
    int64_t size;
    int32_t modifiers;
    int32_t spare;
};

static jvmtiEnv *jvmti; /* of this engine alone */
static int32_t compile_id;

static const jvmtiCapabilities compiled = {.can_generate_compiled_method_load_events = 1};

static size_t put_text(char *out, size_t at, const char *text, size_t room)
{
    int n = snprintf(out + at, room, "%s", text);

    return at + (n < (int)room ? (size_t)n : room - 1) + 1;
}

/* The callback has no JNI environment; the VM frees the local reference of the class when it
 * returns. */
static void JNICALL on_load(jvmtiEnv *ti, jmethodID method, jint size, const void *address, jint n,
                            const jvmtiAddrLocationMap *map, const void *info)
{
    struct compile_data data = {.size = size};
    char cls[OBJECTS_TEXT], texts[TEXTS], *name, *descriptor;
    jclass owner;
    jint modifiers = 0;
    size_t at;

    (void)address, (void)n, (void)map, (void)info;
    if (!emit_wanted() || (*ti)->GetMethodModifiers(ti, method, &modifiers) != JVMTI_ERROR_NONE ||
        (modifiers & ACC_NATIVE) != 0)
        return;
    if ((*ti)->GetMethodDeclaringClass(ti, method, &owner) != JVMTI_ERROR_NONE ||
        objects_signature(ti, owner, cls) == 0 ||
        (*ti)->GetMethodName(ti, method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return;
    data.modifiers = modifiers;
    at = put_text(texts, 0, cls, OBJECTS_TEXT);
    at = put_text(texts, at, name, 600);
    at = put_text(texts, at, descriptor, 1000);
    (*ti)->Deallocate(ti, (unsigned char *)name);
    (*ti)->Deallocate(ti, (unsigned char *)descriptor);
    emit(&(struct emit){.engine = &engine_compile,
                        .data = &data,
                        .n_data = sizeof(data),
                        .text = texts,
                        .n_text = at});
}

static int start(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = on_load};
    const struct event_settings *s = settings_of(r->settings, EV_COMPILATION);

    if (!s->is_enabled || s->threshold_ns > 0)
        return 1;
    compile_id = 0;
    if ((jvmti == NULL &&
         ((*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK ||
          (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)) ||
        (*jvmti)->AddCapabilities(jvmti, &compiled) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                           NULL) != JVMTI_ERROR_NONE) {
        log_line(LOG_WARNING, "no jdk.Compilation: this VM does not report it");
        return -1;
    }
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                       NULL);
    (*jvmti)->RelinquishCapabilities(jvmti, &compiled);
}

static void write(struct recording *r, const struct record *rec)
{
    struct jfr_writer *w = r->writer;
    const char *cls = (const char *)record_data(rec) + sizeof(struct compile_data);
    const char *name = cls + strlen(cls) + 1, *descriptor = name + strlen(name) + 1;
    uint64_t thread = drain_thread(r, rec), method;
    struct compile_data data;

    memcpy(&data, record_data(rec), sizeof(data));
    method = jfr_writer_method(w, drain_class(r, cls), name, descriptor, data.modifiers, false);
    jfr_event_begin(w, r->types[EV_COMPILATION], rec->ticks);
    jfr_put_key(w, thread);
    jfr_put_int(w, ++compile_id);
    jfr_put_key(w, method);
    jfr_put_boolean(w, true);
    jfr_put_long(w, data.size);
    context_event_end(r, EV_COMPILATION, rec);
}

struct engine engine_compile = {
    .name = "compile",
    .start = start,
    .write = write,
    .stop = stop,
};
