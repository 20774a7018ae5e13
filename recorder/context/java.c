/*
 * java.c - the native methods of jfrkit.Native, and the copies of that class, one for each class
 * loader that has the API.
 *
 * Each copy caches ids of texts, so it has to be notified when the table of values forgets some
 * (context_java_generation). Threads of the program call the native methods.
 */
#include "recorder/context/java.h"

#include "recorder/context/context.h"
#include "recorder/context/values.h"
#include "recorder/context/virtual.h"
#include "recorder/custom/from_java.h"
#include "recorder/capture/emit.h"
#include "recorder/base/local_refs.h"
#include "jfrfmt/base/array.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COPIES_MAX 4096 /* of the API at a time, in loaders of their own */
#define SCANS_AFTER_ATTACH 2
#define TEXT_ROOM (4 * VALUES_TEXT_MAX)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct copy {
    jweak cls;
    jfieldID generation, wants;
} * copies; /* see array_add() */
static int n_copies;
static jint wants_now;

static bool is_known_class(JNIEnv *env, jclass cls)
{
    for (int i = 0; i < n_copies; i++)
        if ((*env)->IsSameObject(env, copies[i].cls, cls))
            return true;
    return false;
}

/* Adds a copy, in the place of an unloaded one if there is one. Returns false if the table is full:
 * the copy must then stay disabled, because it would not be notified when its ids are reassigned.
 */
static bool add_copy(JNIEnv *env, jclass cls, jfieldID generation, jfieldID wants)
{
    jweak weak = (*env)->NewWeakGlobalRef(env, cls);
    int i = 0;

    while (i < n_copies && !(*env)->IsSameObject(env, copies[i].cls, NULL))
        i++;
    if (weak == NULL ||
        (i == n_copies &&
         (n_copies == COPIES_MAX || !array_add(&copies, (size_t)n_copies, sizeof(*copies))))) {
        (*env)->DeleteWeakGlobalRef(env, weak);
        return false;
    }
    if (i == n_copies)
        n_copies++;
    else
        (*env)->DeleteWeakGlobalRef(env, copies[i].cls);
    copies[i] = (struct copy){weak, generation, wants};
    return true;
}

/* Writes the generation and the wants into the fields of each copy. */
static void notify_copies(JNIEnv *env)
{
    for (int i = 0; i < n_copies; i++) {
        jclass cls = (*env)->NewLocalRef(env, copies[i].cls);

        if (cls == NULL)
            continue;
        (*env)->SetStaticIntField(env, cls, copies[i].generation, (jint)values_generation());
        (*env)->SetStaticIntField(env, cls, copies[i].wants, wants_now);
        (*env)->DeleteLocalRef(env, cls);
    }
}

void context_java_generation(JNIEnv *env)
{
    pthread_mutex_lock(&lock);
    notify_copies(env);
    pthread_mutex_unlock(&lock);
}

void context_java_wants(JNIEnv *env, int wants)
{
    pthread_mutex_lock(&lock);
    if (wants_now != wants) {
        wants_now = wants;
        notify_copies(env);
    }
    pthread_mutex_unlock(&lock);
}

/* What the recording wants of a new type is not known yet: scopes store everything. */
static void want_all(JNIEnv *env)
{
    if (emit_wanted())
        context_java_wants(env, CONTEXT_WANTS_TIME | CONTEXT_WANTS_UNUSED);
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_attach(JNIEnv *env, jclass cls, jint layout)
{
    jfieldID generation = (*env)->GetStaticFieldID(env, cls, "generation", "I");
    jfieldID wants = generation == NULL ? NULL : (*env)->GetStaticFieldID(env, cls, "wants", "I");
    bool is_there;

    if (wants == NULL || layout != CONTEXT_LAYOUT || context_init() != 0)
        return 0;
    pthread_mutex_lock(&lock);
    is_there = is_known_class(env, cls) || add_copy(env, cls, generation, wants);
    notify_copies(env);
    pthread_mutex_unlock(&lock);
    return is_there;
}

bool context_java_add(JNIEnv *env, jclass cls)
{
    return Java_jfrkit_Native_attach(env, cls, CONTEXT_LAYOUT) != 0;
}

JNIEXPORT jobject JNICALL Java_jfrkit_Native_memory(JNIEnv *env, jclass cls)
{
    size_t n;
    void *memory = context_memory(&n);

    (void)cls;
    return (*env)->NewDirectByteBuffer(env, memory, (jlong)n);
}

JNIEXPORT jlong JNICALL Java_jfrkit_Native_memoryAddress(JNIEnv *env, jclass cls)
{
    size_t n;

    (void)env, (void)cls;
    return (jlong)(intptr_t)context_memory(&n);
}

/* The offset of the thread's record in the memory, or -1. */
JNIEXPORT jint JNICALL Java_jfrkit_Native_record(JNIEnv *env, jclass cls)
{
    const struct context_record *r = context_own();
    size_t n;

    (void)env, (void)cls;
    return r == NULL ? -1 : (jint)((const char *)r - (const char *)context_memory(&n));
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_define(JNIEnv *env, jclass cls, jstring name,
                                                 jobjectArray attributes)
{
    jsize n = (*env)->GetArrayLength(env, attributes);
    char texts[CONTEXT_SLOTS + 1][CONTEXT_NAME_MAX];
    const char *pointers[CONTEXT_SLOTS];
    int type = -1;

    (void)cls;
    for (jsize i = -1; i < n; i++) {
        jstring s = i < 0 ? name : (*env)->GetObjectArrayElement(env, attributes, i);

        if (i >= CONTEXT_SLOTS || (*env)->GetStringUTFLength(env, s) >= CONTEXT_NAME_MAX)
            return -1;
        memset(texts[i + 1], 0, CONTEXT_NAME_MAX);
        (*env)->GetStringUTFRegion(env, s, 0, (*env)->GetStringLength(env, s), texts[i + 1]);
        if (i >= 0)
            pointers[i] = texts[i + 1];
    }
    type = context_define(texts[0], pointers, (size_t)n);
    if (type != 0)
        want_all(env);
    return type == 0 ? -1 : (jint)(context_type_at((size_t)type - 1)->first << 8) | type;
}

/* The drain thread expires values during a recording; between recordings this does. */
static void expire(JNIEnv *env)
{
    static _Atomic int64_t last;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    if (emit_wanted() || atomic_exchange(&last, t.tv_sec) == t.tv_sec)
        return;
    values_expire(t.tv_sec, context_each_value);
    context_java_generation(env);
}

static uint32_t intern_from_java(JNIEnv *env, const char *text, size_t n, bool *is_new)
{
    uint32_t id = values_intern_new(text, n, is_new);

    if (id == VALUE_OVERFLOW)
        expire(env);
    return id;
}

uint32_t context_java_value(JNIEnv *env, jstring text, bool *is_new)
{
    jsize n = (*env)->GetStringLength(env, text);
    char room[TEXT_ROOM + 1];

    if (n > TEXT_ROOM / 3) /* a longer text is cut by the table, too */
        n = TEXT_ROOM / 3;
    memset(room, 0, sizeof(room[0]));
    (*env)->GetStringUTFRegion(env, text, 0, n, room);
    return intern_from_java(env, room, n == 0 ? 0 : strlen(room), is_new);
}

/* The result of jfrkit.Native: the id, or ~id if the text is new. */
static jint id_for_java(uint32_t id, bool is_new)
{
    return is_new ? ~(jint)id : (jint)id;
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_value(JNIEnv *env, jclass cls, jstring text)
{
    bool is_new;
    uint32_t id = context_java_value(env, text, &is_new);

    (void)cls;
    return id_for_java(id, is_new);
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_valueOf(JNIEnv *env, jclass cls, jint n)
{
    struct context_record *r = context_own();
    bool is_new;
    uint32_t id;

    (void)cls;
    if (r == NULL || n < 0 || n >= CONTEXT_TEXT)
        return VALUE_NULL;
    id = intern_from_java(env, context_room(r), (size_t)n, &is_new);
    return id_for_java(id, is_new);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_close(JNIEnv *env, jclass cls, jint depth, jint serial)
{
    (void)env, (void)cls;
    context_close_at((uint32_t)depth, (uint32_t)serial);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_tooDeep(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    context_too_deep();
}

static jstring java_text_of(JNIEnv *env, uint32_t id)
{
    char text[VALUES_TEXT_MAX + 1];
    size_t n;

    if (!values_copy(id, text, &n))
        return NULL;
    text[n] = '\0';
    return (*env)->NewStringUTF(env, text);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_capture(JNIEnv *env, jclass cls, jintArray out,
                                                  jobjectArray texts)
{
    uint32_t ids[CONTEXT_SLOTS];

    (void)cls;
    context_get(ids);
    (*env)->SetIntArrayRegion(env, out, 0, CONTEXT_SLOTS, (const jint *)ids);
    for (int i = 0; i < CONTEXT_SLOTS; i++) {
        jstring text =
            ids[i] == VALUE_NULL || !context_is_text((size_t)i) ? NULL : java_text_of(env, ids[i]);

        if (text == NULL)
            continue;
        (*env)->SetObjectArrayElement(env, texts, i, text);
        (*env)->DeleteLocalRef(env, text);
    }
}

JNIEXPORT jlong JNICALL Java_jfrkit_Native_put(JNIEnv *env, jclass cls, jintArray values)
{
    jint ids[CONTEXT_SLOTS] = {0};

    (void)cls;
    (*env)->GetIntArrayRegion(env, values, 0, CONTEXT_SLOTS, ids);
    context_put(CONTEXT_ALL_TYPES, (const uint32_t *)ids);
    return context_place();
}

JNIEXPORT void JNICALL Java_jfrkit_Native_putBack(JNIEnv *env, jclass cls, jlong place,
                                                  jintArray values)
{
    jint ids[CONTEXT_SLOTS] = {0};

    (void)cls;
    (*env)->GetIntArrayRegion(env, values, 0, CONTEXT_SLOTS, ids);
    context_put_back(place, (const uint32_t *)ids);
}

/* A type as define() has it. */
JNIEXPORT void JNICALL Java_jfrkit_Native_set(JNIEnv *env, jclass cls, jint type, jintArray values)
{
    jint ids[CONTEXT_SLOTS] = {0};

    (void)cls;
    (*env)->GetIntArrayRegion(env, values, 0, (*env)->GetArrayLength(env, values), ids);
    context_set_all(type & 0xff, (const uint32_t *)ids, CONTEXT_SLOTS);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_setOne(JNIEnv *env, jclass cls, jint type, jint attribute,
                                                 jint id)
{
    (void)env, (void)cls;
    context_set(type & 0xff, (size_t)attribute, (uint32_t)id);
}

static const JNINativeMethod natives[] = {
    {"attach", "(I)I", (void *)Java_jfrkit_Native_attach},
    {"memory", "()Ljava/nio/ByteBuffer;", (void *)Java_jfrkit_Native_memory},
    {"memoryAddress", "()J", (void *)Java_jfrkit_Native_memoryAddress},
    {"record", "()I", (void *)Java_jfrkit_Native_record},
    {"define", "(Ljava/lang/String;[Ljava/lang/String;)I", (void *)Java_jfrkit_Native_define},
    {"value", "(Ljava/lang/String;)I", (void *)Java_jfrkit_Native_value},
    {"valueOf", "(I)I", (void *)Java_jfrkit_Native_valueOf},
    {"close", "(II)V", (void *)Java_jfrkit_Native_close},
    {"tooDeep", "()V", (void *)Java_jfrkit_Native_tooDeep},
    {"capture", "([I[Ljava/lang/String;)V", (void *)Java_jfrkit_Native_capture},
    {"put", "([I)J", (void *)Java_jfrkit_Native_put},
    {"putBack", "(J[I)V", (void *)Java_jfrkit_Native_putBack},
    {"set", "(I[I)V", (void *)Java_jfrkit_Native_set},
    {"setOne", "(III)V", (void *)Java_jfrkit_Native_setOne},
};

/* Has the JVM found the native methods of this copy? */
static bool is_connected(JNIEnv *env, jclass cls)
{
    jfieldID active = (*env)->GetStaticFieldID(env, cls, "ACTIVE", "Z");

    (*env)->ExceptionClear(env);
    return active != NULL && (*env)->GetStaticBooleanField(env, cls, active);
}

static void connect_class(JNIEnv *env, jclass cls, const JNINativeMethod *list, jint n)
{
    jmethodID connect;

    if (is_connected(env, cls))
        return;
    if ((*env)->RegisterNatives(env, cls, list, n) == JNI_OK) {
        connect = (*env)->GetStaticMethodID(env, cls, "connect", "()V");
        if (connect != NULL)
            (*env)->CallStaticVoidMethod(env, cls, connect);
    }
    (*env)->ExceptionClear(env);
}

static void connect_loaded(jvmtiEnv *jvmti, JNIEnv *env)
{
    jclass *classes = NULL;
    jint n = 0;

    if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes) != JVMTI_ERROR_NONE)
        return;
    local_refs_more(env, n);
    for (jint i = 0; i < n; i++) {
        char *signature = NULL;

        if ((*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) == JVMTI_ERROR_NONE &&
            strcmp(signature, "Ljfrkit/Native;") == 0)
            connect_class(env, classes[i], natives, sizeof(natives) / sizeof(natives[0]));
        else if (signature != NULL && strcmp(signature, "Ljfrkit/EventNative;") == 0)
            connect_class(env, classes[i], custom_natives, CUSTOM_NATIVES);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static _Atomic bool is_connect_done;
static _Atomic int n_scans_left;

void context_java_connect(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, bool is_attach)
{
    context_virtual_init(vm);
    if (atomic_exchange(&is_connect_done, true))
        return;
    connect_loaded(jvmti, env);
    atomic_store(&n_scans_left, is_attach ? SCANS_AFTER_ATTACH : 0);
}

void context_java_connect_missed(jvmtiEnv *jvmti, JNIEnv *env)
{
    if (atomic_load(&n_scans_left) == 0)
        return;
    atomic_fetch_sub(&n_scans_left, 1);
    connect_loaded(jvmti, env);
}
