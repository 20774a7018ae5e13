/* engine_class.c - classes as they are prepared (JVMTI), which is when they get methods and fields.
 *
 * Off unless a setting asks for it: a VM tells every thread that loads a class to stop and tell. */
#include "recorder/engine_events.h"

#include "recorder/context_fields.h"
#include "recorder/emit.h"
#include "recorder/jdk_types.h"
#include "recorder/log.h"
#include "recorder/objects.h"
#include "recorder/settings.h"

static jvmtiEnv *jvmti; /* of this engine alone */
static _Atomic bool with_stack;

static void JNICALL on_prepare(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass cls)
{
    char signature[OBJECTS_TEXT];
    size_t n;

    if (!emit_wanted())
        return;
    n = objects_signature(ti, cls, signature);
    emit(&(struct emit){.engine = &engine_class,
                        .with_stack = atomic_load(&with_stack),
                        .data = signature,
                        .n_data = n + 1,
                        .thread_key = objects_virtual_key(env, thread)});
}

static int start(struct recording *r)
{
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_prepare};
    const struct event_settings *s = settings_of(r->settings, EV_CLASS_DEFINE);

    if (!s->is_enabled)
        return 1;
    objects_init(r->env);
    atomic_store(&with_stack, s->with_stack);
    if ((jvmti == NULL &&
         ((*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK ||
          (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL) !=
            JVMTI_ERROR_NONE) {
        log_line(LOG_WARNING, "no jdk.ClassDefine: this VM does not tell");
        return -1;
    }
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

static void write(struct recording *r, const struct record *rec)
{
    uint64_t thread = objects_thread(r, rec), stack = drain_stack(r, rec);
    uint64_t cls = drain_class(r, record_data(rec));

    jfr_event_begin(r->writer, r->types[EV_CLASS_DEFINE], rec->ticks);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_key(r->writer, cls);
    jfr_put_key(r->writer, 0); /* the loader: not asked for */
    context_event_end(r, EV_CLASS_DEFINE, rec);
}

struct engine engine_class = {
    .name = "class",
    .start = start,
    .write = write,
    .stop = stop,
};
