#include "recorder/context/shim.h"

#include "recorder/context/context.h"
#include "recorder/context/java.h"
#include "recorder/context/values.h"
#include "recorder/base/log.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct shim_class {
    const char *name;
    const unsigned char *bytes;
    size_t n;
};

#include "recorder/context/shim_classes.h"

#define CONTEXT_TYPE "jdk/jfr/ContextType"
#define SERVICE "META-INF/services/jdk.jfr.ContextType$Registration"
#define FIRST_VERSION 0x000a0000 /* what GetVersion() says on 11 and later, at least */

/* Found by name: who registers natives of a class of the JDK gets a warning of the VM. */

JNIEXPORT jint JNICALL Java_jdk_jfr_ContextType_define(JNIEnv *env, jclass cls, jstring name,
                                                       jobjectArray attributes)
{
    return Java_jfrkit_Native_define(env, cls, name, attributes);
}

JNIEXPORT void JNICALL Java_jdk_jfr_ContextType_set(JNIEnv *env, jclass cls, jint type,
                                                    jobjectArray values)
{
    jsize n = (*env)->GetArrayLength(env, values);
    uint32_t ids[CONTEXT_SLOTS];

    (void)cls;
    n = n > CONTEXT_SLOTS ? CONTEXT_SLOTS : n;
    for (jsize i = 0; i < n; i++) {
        jstring text = (*env)->GetObjectArrayElement(env, values, i);
        bool is_new;

        ids[i] = text == NULL ? VALUE_NULL : context_java_value(env, text, &is_new);
        (*env)->DeleteLocalRef(env, text);
    }
    context_set_all(type & 0xff, ids, (size_t)n);
}

JNIEXPORT void JNICALL Java_jdk_jfr_ContextType_clear(JNIEnv *env, jclass cls, jint type)
{
    (void)env, (void)cls;
    context_clear(type & 0xff);
}

static bool is_there(JNIEnv *env, const char *name)
{
    jclass cls = (*env)->FindClass(env, name);

    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, cls);
    return cls != NULL;
}

static bool define_all(JNIEnv *env)
{
    for (size_t i = 0; i < sizeof(shim_classes) / sizeof(shim_classes[0]); i++) {
        const struct shim_class *s = &shim_classes[i];
        jclass cls = (*env)->DefineClass(env, s->name, NULL, (const jbyte *)s->bytes, (jsize)s->n);

        if (cls == NULL)
            return false;
        (*env)->DeleteLocalRef(env, cls);
    }
    return true;
}

static void ask_services(JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, CONTEXT_TYPE);
    jmethodID ask;

    if (cls == NULL)
        return;
    ask = (*env)->GetStaticMethodID(env, cls, "registerAll", "()V");
    if (ask != NULL)
        (*env)->CallStaticVoidMethod(env, cls, ask);
    if ((*env)->ExceptionCheck(env)) /* natives cannot be found before an attach has ended */
        log_line(LOG_INFO, "services of jdk.jfr.ContextType.Registration were not all asked");
}

/* A program that names its types by the service cannot run without the class. */
static bool has_service(JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/ClassLoader");
    jmethodID find = cls == NULL ? NULL
                                 : (*env)->GetStaticMethodID(env, cls, "getSystemResource",
                                                             "(Ljava/lang/String;)Ljava/net/URL;");
    jstring name = find == NULL ? NULL : (*env)->NewStringUTF(env, SERVICE);
    jobject url = name == NULL ? NULL : (*env)->CallStaticObjectMethod(env, cls, find, name);

    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, cls);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, url);
    return url != NULL;
}

void context_shim_define(JNIEnv *env, bool is_asked)
{
    static _Atomic bool is_done;

    if (is_done || (*env)->GetVersion(env) < FIRST_VERSION || (!is_asked && !has_service(env)) ||
        atomic_exchange(&is_done, true) || !is_there(env, "jdk/jfr/Name") ||
        is_there(env, CONTEXT_TYPE))
        return;
    if (define_all(env))
        ask_services(env);
    else
        log_line(LOG_WARNING, "jdk.jfr.ContextType cannot be defined on this VM");
    (*env)->ExceptionClear(env);
}
