/*
 * from_c.c - events that C programs define and commit: the functions that jfrkit_event.h calls.
 *
 * They run on threads of the program, attached to the VM or not. Values are packed as event.h
 * describes.
 */
#include "recorder/custom/from_c.h"

#include "recorder/custom/event.h"
#include "recorder/custom/types.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/capture/threads.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"

#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

static JavaVM *java_vm;
static jvmtiEnv *agent_jvmti;
static _Atomic bool is_ready;

void custom_c_init(JavaVM *vm, jvmtiEnv *jvmti)
{
    java_vm = vm;
    agent_jvmti = jvmti;
    atomic_store(&is_ready, true);
}

/* The bytes of an event's values, with room for no more than fit. */
struct bytes {
    uint8_t p[CUSTOM_VALUES_MAX];
    size_t n; /* more than there is room for if the event is too large */
};

static void put(struct bytes *b, const void *from, size_t n)
{
    if (n > 0 && b->n + n <= sizeof(b->p))
        memcpy(b->p + b->n, from, n);
    b->n += n;
}

/* Appends a text, cut at a character if it is too long. */
static void put_text(struct bytes *b, const char *text)
{
    size_t n = text == NULL ? 0 : strlen(text), all = n;
    int32_t size;

    if (n > CUSTOM_STRING_MAX) {
        for (n = CUSTOM_STRING_MAX; n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80;)
            n--;
        custom_cut(all - n);
    }
    size = text == NULL ? -1 : (int32_t)n;
    put(b, &size, sizeof(size));
    put(b, text, n);
}

/* Writes a thread as the registry identifies it: the system may reuse its id before the event is
 * written. */
static void put_custom_thread(struct bytes *b, int32_t tid)
{
    struct thread *t = tid == 0 ? NULL : threads_find(tid);
    int64_t id = t == NULL ? 0 : custom_thread(threads_index(t), t->generation);

    put(b, &id, sizeof(id));
    put_text(b, NULL);
}

static void put_value(struct bytes *b, const struct jk_value *v)
{
    switch (v->kind) {
    case JK_FLOAT:
    case JK_DOUBLE:
        put(b, &v->is.real, sizeof(v->is.real));
        return;
    case JK_STRING:
    case JK_CLASS:
        put_text(b, v->is.text);
        return;
    case JK_THREAD:
        put_custom_thread(b, (int32_t)v->is.number);
        return;
    default:
        put(b, &v->is.number, sizeof(v->is.number));
    }
}

/* Returns the id of the calling virtual thread, or 0. *is_java: there may be Java frames. */
static uint64_t custom_virtual_key(bool *is_java)
{
    JNIEnv *env = NULL;
    jthread thread = NULL;
    uint64_t key = 0;

    *is_java = atomic_load(&is_ready) &&
               (*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK;
    if (!*is_java || (*env)->GetVersion(env) < 0x00150000 || (*env)->ExceptionCheck(env) ||
        (*agent_jvmti)->GetCurrentThread(agent_jvmti, &thread) != JVMTI_ERROR_NONE)
        return 0;
    key = objects_virtual_key(env, thread);
    (*env)->DeleteLocalRef(env, thread);
    return key;
}

static int check(const struct custom_type *t, const struct jk_value *values, int n)
{
    if (t == NULL)
        return JK_NO_TYPE;
    if (n < 0 || (uint32_t)n != t->n_fields)
        return JK_WRONG_NUMBER;
    for (int i = 0; i < n; i++)
        if (values[i].kind != t->fields[i].kind)
            return JK_WRONG_KIND;
    return 0;
}

/* Not a function, since the frame of one that has returned cannot be walked. musl has no
 * getcontext(): events from C have no stack there. */
#ifdef __GLIBC__
#define HAS_REGISTERS(here) (getcontext(here) == 0)
#else
#define HAS_REGISTERS(here) ((void)(here), false)
#endif

static int commit(int id, int64_t began, int64_t duration, const struct jk_value *values, int n)
{
    int wrong = id < 0 ? id : check(custom_type(id), values, n);
    struct custom_event e = {.type = id, .began = began, .duration = duration};
    struct bytes b;
    bool is_java;
    ucontext_t here;

    if (wrong != 0)
        return custom_refused(wrong);
    b.n = 0;
    (void)threads_self(); /* registers the thread, so that a Thread value can name it */
    for (int i = 0; i < n; i++)
        put_value(&b, &values[i]);
    e.values = b.p;
    e.n_values = b.n;
    e.thread_key = custom_virtual_key(&is_java);
    if (!is_java && custom_type(id)->with_stack && HAS_REGISTERS(&here)) {
        e.ucontext = &here;
        e.skip = 1; /* this function */
    }
    return custom_commit(&e);
}

static int define_from_c(const struct jk_event_type *type)
{
    int id = custom_define(type);

    if (id < 0)
        log_line(LOG_WARNING, "event type '%.200s' is refused: %s",
                 type->name == NULL ? "(none)" : type->name, jk_event_text(id));
    return id;
}

__attribute__((visibility("default"))) const struct jk_event_api *jfrkit_event_api(void)
{
    static const struct jk_event_api api = {
        sizeof(api),
        (const int64_t *)(const void *)custom_thresholds,
        define_from_c,
        commit,
    };

    return &api;
}
