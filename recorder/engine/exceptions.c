/*
 * exceptions.c - events of exceptions, recorded when they are constructed.
 *
 * Each constructor of Throwable calls the native method that fills in the stack trace, which a hook
 * replaces. That costs far less than JVMTI's events of exceptions, whose capability alone slows
 * down all throwing. An exception without a stack trace is not recorded. The message is set after
 * the stack trace, so a record has a reference to the object, and the drain thread reads the
 * message a moment later.
 */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/capture/emit.h"
#include "recorder/engine/exception_count.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/log.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"
#include "recorder/base/throttle.h"

#include <string.h>

#define OUR_FRAMES 2 /* fillInStackTrace(int), fillInStackTrace() */
#define MESSAGE_MAX 4096

enum want {
    WANT_COUNT = 1,
    WANT_EXCEPTIONS = 2,
    WANT_ERRORS = 4,
    WANT_STACK = 8
};

struct throw_data {
    jobject object; /* a global reference, deleted by the drain thread */
};

static _Atomic unsigned wanted; /* enum want */
static struct throttle throttle;
static jclass error_class; /* a global reference */
static jfieldID field_message;
static jvmtiEnv *jvmti;

static jobject JNICALL hook(JNIEnv *env, jobject throwable, jint dummy);

static struct native_hook hooks[] = {
    {"java/lang/Throwable", "fillInStackTrace", "(I)Ljava/lang/Throwable;",
     (void *)(uintptr_t)hook},
};

static void emit_throw(JNIEnv *env, jobject throwable, unsigned want)
{
    int64_t now = emit_now();
    struct throw_data data;

    if (!(want & WANT_EXCEPTIONS) && !(*env)->IsInstanceOf(env, throwable, error_class))
        return;
    if (!throttle_take(&throttle, now))
        return;
    data.object = (*env)->NewGlobalRef(env, throwable);
    if (data.object == NULL)
        return;
    if (!emit(&(struct emit){.engine = &engine_exceptions,
                             .with_stack = (want & WANT_STACK) != 0,
                             .skip = OUR_FRAMES,
                             .ticks = now,
                             .data = &data,
                             .n_data = sizeof(data)}))
        (*env)->DeleteGlobalRef(env, data.object);
}

static jobject JNICALL hook(JNIEnv *env, jobject throwable, jint dummy)
{
    jobject (*original)(JNIEnv *, jobject, jint);
    unsigned want = atomic_load_explicit(&wanted, memory_order_acquire);
    jobject result;

    *(void **)&original = native_hook_original(&hooks[0]);
    result = original(env, throwable, dummy);
    if (want == 0)
        return result;
    atomic_fetch_add_explicit(&exception_count, 1, memory_order_relaxed);
    if ((want & (WANT_EXCEPTIONS | WANT_ERRORS)) != 0 && emit_wanted() &&
        !(*env)->ExceptionCheck(env))
        emit_throw(env, throwable, want);
    return result;
}

/* --- the engine --- */

static bool look_up_methods(struct recording *r)
{
    JNIEnv *env = r->env;
    jclass throwable, error;

    if (field_message != NULL)
        return true;
    if ((*r->vm)->GetEnv(r->vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return false;
    throwable = (*env)->FindClass(env, "java/lang/Throwable");
    error = throwable == NULL ? NULL : (*env)->FindClass(env, "java/lang/Error");
    if (error != NULL) {
        error_class = (*env)->NewGlobalRef(env, error);
        field_message = (*env)->GetFieldID(env, throwable, "detailMessage", "Ljava/lang/String;");
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, throwable);
    (*env)->DeleteLocalRef(env, error);
    return field_message != NULL;
}

static int start(struct recording *r)
{
    const struct event_settings *exceptions = settings_of(r->settings, EV_JAVA_EXCEPTION_THROW);
    const struct event_settings *errors = settings_of(r->settings, EV_JAVA_ERROR_THROW);
    unsigned want =
        (exceptions->is_enabled ? WANT_EXCEPTIONS : 0) | (errors->is_enabled ? WANT_ERRORS : 0) |
        (settings_of(r->settings, EV_EXCEPTION_STATISTICS)->is_enabled ? WANT_COUNT : 0);

    if (want == 0)
        return 1;
    if ((exceptions->is_enabled && exceptions->with_stack) ||
        (errors->is_enabled && errors->with_stack))
        want |= WANT_STACK;
    if (!look_up_methods(r) || native_hook_install(r->vm, r->env, hooks, 1) != 1) {
        log_line(LOG_WARNING, "no events of exceptions: Throwable.fillInStackTrace cannot be "
                              "intercepted on this VM");
        return -1;
    }
    throttle_init(&throttle, exceptions->is_enabled ? exceptions->throttle_events : SETTINGS_OFF,
                  exceptions->throttle_ns);
    atomic_store_explicit(&wanted, want, memory_order_release);
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store_explicit(&wanted, 0, memory_order_release);
}

static void write_event(struct recording *r, const struct record *rec, enum event e, uint64_t cls,
                        const char *message)
{
    const struct event_settings *s = settings_of(r->settings, e);
    uint64_t thread, stack;

    if (!s->is_enabled)
        return;
    thread = context_thread(r, rec);
    stack = s->with_stack ? drain_stack(r, rec) : 0;
    jfr_event_begin(r->writer, r->types[e], rec->ticks);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_string(r->writer, message);
    jfr_put_key(r->writer, cls);
    context_event_end(r, e, rec);
}

static void write(struct recording *r, const struct record *rec)
{
    JNIEnv *env = r->env;
    char signature[OBJECTS_TEXT], message[MESSAGE_MAX];
    struct throw_data data;
    jstring text;
    const char *chars = NULL;
    uint64_t cls;

    memcpy(&data, record_data(rec), sizeof(data));
    cls = objects_class(jvmti, env, data.object, signature) > 0 ? drain_class(r, signature) : 0;
    text = (*env)->GetObjectField(env, data.object, field_message);
    if (text != NULL && (chars = (*env)->GetStringUTFChars(env, text, NULL)) != NULL) {
        size_t n = strlen(chars);

        n = n < sizeof(message) ? n : sizeof(message) - 1;
        while (n < strlen(chars) && n > 0 && ((unsigned char)chars[n] & 0xc0) == 0x80)
            n--; /* not in the middle of a character */
        memcpy(message, chars, n);
        message[n] = '\0';
        (*env)->ReleaseStringUTFChars(env, text, chars);
    }
    write_event(r, rec, EV_JAVA_EXCEPTION_THROW, cls, chars == NULL ? NULL : message);
    if ((*env)->IsInstanceOf(env, data.object, error_class))
        write_event(r, rec, EV_JAVA_ERROR_THROW, cls, chars == NULL ? NULL : message);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, text);
    (*env)->DeleteGlobalRef(env, data.object);
}

struct engine engine_exceptions = {
    .name = "exceptions",
    .start = start,
    .write = write,
    .stop = stop,
};
