/*
 * virtual.c - events of virtual threads that begin and end (JVMTI, JDK 21 and later).
 *
 * Off by default, since there may be millions of them.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/events/jvmti_virtual.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

enum kind {
    START,
    END
};

static jvmtiEnv *jvmti; /* of this engine alone */
static _Atomic bool with_stack;

static void emit_virtual(JNIEnv *env, jthread thread, enum kind kind)
{
    uint64_t id = emit_wanted() ? objects_virtual_key(env, thread) : 0;

    if (id != 0)
        emit(&(struct emit){.engine = &engine_virtual,
                            .kind = (uint8_t)kind,
                            .with_stack = kind == START && atomic_load(&with_stack),
                            .skip = 1, /* the JDK's method that notifies JVMTI */
                            .thread_key = id});
}

static void JNICALL on_virtual_start(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)ti;
    emit_virtual(env, thread, START);
}

static void JNICALL on_virtual_end(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)ti;
    emit_virtual(env, thread, END);
}

static int start(struct recording *r)
{
    const struct event_settings *begin = settings_of(r->settings, EV_VIRTUAL_THREAD_START);
    bool ends_too = settings_of(r->settings, EV_VIRTUAL_THREAD_END)->is_enabled;

    if ((!begin->is_enabled && !ends_too) || (*r->env)->GetVersion(r->env) < JNI_VERSION_OF_21)
        return 1;
    atomic_store(&with_stack, begin->with_stack);
    if (jvmti == NULL)
        jvmti = jvmti_virtual_new(r->vm, on_virtual_start, on_virtual_end);
    if (jvmti == NULL ||
        (begin->is_enabled && !jvmti_virtual_notify(jvmti, JVMTI_VIRTUAL_START, true)) ||
        (ends_too && !jvmti_virtual_notify(jvmti, JVMTI_VIRTUAL_END, true))) {
        log_line(LOG_WARNING, "no events of virtual threads: this VM does not report them");
        return -1;
    }
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    jvmti_virtual_notify(jvmti, JVMTI_VIRTUAL_START, false);
    jvmti_virtual_notify(jvmti, JVMTI_VIRTUAL_END, false);
}

static void write(struct recording *r, const struct record *rec)
{
    enum event e = rec->kind == START ? EV_VIRTUAL_THREAD_START : EV_VIRTUAL_THREAD_END;
    uint64_t thread = context_thread(r, rec), stack = drain_stack(r, rec);

    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    jfr_put_key(r->writer, thread);
    if (rec->kind == START)
        jfr_put_key(r->writer, stack);
    jfr_put_long(r->writer, (int64_t)rec->thread_key);
    context_event_end(r, e, rec);
}

struct engine engine_virtual = {
    .name = "virtual",
    .start = start,
    .write = write,
    .stop = stop,
};
