#include "recorder/context_java.h"

#include "recorder/context.h"
#include "recorder/context_values.h"
#include "recorder/context_virtual.h"
#include "recorder/custom_java.h"
#include "recorder/emit.h"
#include "recorder/local_refs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COPIES_MAX 64 /* of the API, in loaders of their own */
#define TEXT_ROOM (4 * VALUES_TEXT_MAX)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    jweak cls;
    jfieldID generation;
} copies[COPIES_MAX];
static int n_copies;

static bool is_known(JNIEnv *env, jclass cls)
{
    for (int i = 0; i < n_copies; i++)
        if ((*env)->IsSameObject(env, copies[i].cls, cls))
            return true;
    return false;
}

/* In the place of a copy that has gone, if there is one. */
static void add_copy(JNIEnv *env, jclass cls, jfieldID generation)
{
    int i = 0;

    while (i < n_copies && !(*env)->IsSameObject(env, copies[i].cls, NULL))
        i++;
    if (i == COPIES_MAX)
        return;
    if (i == n_copies)
        n_copies++;
    else
        (*env)->DeleteWeakGlobalRef(env, copies[i].cls);
    copies[i].cls = (*env)->NewWeakGlobalRef(env, cls);
    copies[i].generation = generation;
}

void context_java_generation(JNIEnv *env, uint32_t generation)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n_copies; i++) {
        jclass cls = (*env)->NewLocalRef(env, copies[i].cls);

        if (cls == NULL)
            continue;
        (*env)->SetStaticIntField(env, cls, copies[i].generation, (jint)generation);
        (*env)->DeleteLocalRef(env, cls);
    }
    pthread_mutex_unlock(&lock);
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_attach(JNIEnv *env, jclass cls)
{
    jfieldID generation = (*env)->GetStaticFieldID(env, cls, "generation", "I");

    if (generation == NULL || context_init() != 0)
        return 0;
    pthread_mutex_lock(&lock);
    if (!is_known(env, cls))
        add_copy(env, cls, generation);
    pthread_mutex_unlock(&lock);
    return (jint)values_generation();
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
    return type == 0 ? -1 : type;
}

/* Between recordings nobody else makes room. */
static void expire(JNIEnv *env)
{
    static _Atomic int64_t last;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    if (emit_wanted() || atomic_exchange(&last, t.tv_sec) == t.tv_sec)
        return;
    values_expire(t.tv_sec, context_each_value);
    context_java_generation(env, values_generation());
}

JNIEXPORT jint JNICALL Java_jfrkit_Native_value(JNIEnv *env, jclass cls, jstring text)
{
    jsize n = (*env)->GetStringLength(env, text);
    char room[TEXT_ROOM + 1];
    uint32_t id;

    (void)cls;
    if (n > TEXT_ROOM / 3) /* more is cut anyway */
        n = TEXT_ROOM / 3;
    memset(room, 0, sizeof(room[0]));
    (*env)->GetStringUTFRegion(env, text, 0, n, room);
    id = values_intern(room, n == 0 ? 0 : strlen(room));
    if (id == VALUE_OVERFLOW)
        expire(env);
    return (jint)id;
}

JNIEXPORT jlong JNICALL Java_jfrkit_Native_open(JNIEnv *env, jclass cls, jint type,
                                                jintArray values)
{
    jsize n = (*env)->GetArrayLength(env, values);
    jint ids[CONTEXT_SLOTS] = {0};

    (void)cls;
    n = n > CONTEXT_SLOTS ? CONTEXT_SLOTS : n;
    (*env)->GetIntArrayRegion(env, values, 0, n, ids);
    return context_open(type, (const uint32_t *)ids, (size_t)n);
}

JNIEXPORT jlong JNICALL Java_jfrkit_Native_open4(JNIEnv *env, jclass cls, jint type, jint a, jint b,
                                                 jint c, jint d)
{
    const uint32_t ids[] = {(uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)d};

    (void)env, (void)cls;
    return context_open(type, ids, 4);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_close(JNIEnv *env, jclass cls, jlong token)
{
    (void)env, (void)cls;
    context_close(token);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_set(JNIEnv *env, jclass cls, jint type, jint attribute,
                                              jint value)
{
    (void)env, (void)cls;
    context_set(type, (size_t)attribute, (uint32_t)value);
}

JNIEXPORT void JNICALL Java_jfrkit_Native_clear(JNIEnv *env, jclass cls, jint type)
{
    (void)env, (void)cls;
    context_clear(type);
}

static jstring text_of(JNIEnv *env, uint32_t id)
{
    char text[VALUES_TEXT_MAX + 1];
    size_t n;

    if (!values_copy(id, text, &n))
        return NULL;
    text[n] = '\0';
    return (*env)->NewStringUTF(env, text);
}

JNIEXPORT jobjectArray JNICALL Java_jfrkit_Native_capture(JNIEnv *env, jclass cls, jintArray out)
{
    uint32_t ids[CONTEXT_SLOTS];
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray texts =
        string == NULL ? NULL : (*env)->NewObjectArray(env, CONTEXT_SLOTS, string, NULL);

    (void)cls;
    if (texts == NULL)
        return NULL;
    context_get(ids);
    (*env)->SetIntArrayRegion(env, out, 0, CONTEXT_SLOTS, (const jint *)ids);
    for (int i = 0; i < CONTEXT_SLOTS; i++) {
        jstring text = ids[i] == VALUE_NULL ? NULL : text_of(env, ids[i]);

        if (text != NULL)
            (*env)->SetObjectArrayElement(env, texts, i, text);
        (*env)->DeleteLocalRef(env, text);
    }
    return texts;
}

JNIEXPORT void JNICALL Java_jfrkit_Native_put(JNIEnv *env, jclass cls, jintArray values)
{
    jint ids[CONTEXT_SLOTS] = {0};

    (void)cls;
    (*env)->GetIntArrayRegion(env, values, 0, CONTEXT_SLOTS, ids);
    context_put((const uint32_t *)ids);
}

static const JNINativeMethod natives[] = {
    {"attach", "()I", (void *)Java_jfrkit_Native_attach},
    {"define", "(Ljava/lang/String;[Ljava/lang/String;)I", (void *)Java_jfrkit_Native_define},
    {"value", "(Ljava/lang/String;)I", (void *)Java_jfrkit_Native_value},
    {"open", "(I[I)J", (void *)Java_jfrkit_Native_open},
    {"open4", "(IIIII)J", (void *)Java_jfrkit_Native_open4},
    {"close", "(J)V", (void *)Java_jfrkit_Native_close},
    {"set", "(III)V", (void *)Java_jfrkit_Native_set},
    {"clear", "(I)V", (void *)Java_jfrkit_Native_clear},
    {"capture", "([I)[Ljava/lang/String;", (void *)Java_jfrkit_Native_capture},
    {"put", "([I)V", (void *)Java_jfrkit_Native_put},
};

static void connect_class(JNIEnv *env, jclass cls, const JNINativeMethod *list, jint n)
{
    jmethodID connect;

    if ((*env)->RegisterNatives(env, cls, list, n) == JNI_OK) {
        connect = (*env)->GetStaticMethodID(env, cls, "connect", "()V");
        if (connect != NULL)
            (*env)->CallStaticVoidMethod(env, cls, connect);
    }
    (*env)->ExceptionClear(env);
}

void context_java_connect(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env)
{
    static _Atomic bool is_done;
    jclass *classes = NULL;
    jint n = 0;

    context_virtual_init(vm);
    if (atomic_exchange(&is_done, true) ||
        (*jvmti)->GetLoadedClasses(jvmti, &n, &classes) != JVMTI_ERROR_NONE)
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
