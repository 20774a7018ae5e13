/*
 * shim.c - defines the class jdk.jfr.ContextType in the VM of a program that needs it.
 *
 * The agent calls it once, on a Java thread, after the VM's initialisation. In: the bytes of the
 * classes, in shim_classes.h. Out: classes of the boot loader, in module jdk.jfr. JDKs that have
 * the class are left unchanged.
 */
#include "recorder/context/shim.h"

#include "recorder/context/context.h"
#include "recorder/context/java.h"
#include "recorder/context/values.h"
#include "recorder/base/boot_classes.h"
#include "recorder/base/log.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "recorder/context/shim_classes.h"

#define CONTEXT_TYPE "jdk/jfr/ContextType"
#define SERVICE "META-INF/services/jdk.jfr.ContextType$Registration"
#define LOCAL_REFS 16
#define FIRST_VERSION 0x000a0000 /* least GetVersion() of JDK 11 and later */

/* The VM finds these by name. Registering native methods of a class of the JDK would make it warn.
 */

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

/* --- whether a program needs it --- */

/* Returns NULL also if there is no such method or it throws. */
static jobject call_static(JNIEnv *env, const char *cls, const char *name, const char *signature,
                           jobject arg)
{
    jclass c = (*env)->FindClass(env, cls);
    jmethodID m = c == NULL ? NULL : (*env)->GetStaticMethodID(env, c, name, signature);
    jobject result = m == NULL ? NULL : (*env)->CallStaticObjectMethod(env, c, m, arg);

    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        result = NULL;
    }
    return result;
}

static bool has_module_path(JNIEnv *env)
{
    jstring key = (*env)->NewStringUTF(env, "jdk.module.path");

    return key != NULL && call_static(env, "java/lang/System", "getProperty",
                                      "(Ljava/lang/String;)Ljava/lang/String;", key) != NULL;
}

/* Looks a resource up on the class path of the application's loader. Returns false if that is not
 * possible. The public method opens all modules of the JDK, which takes 10 to 15 ms; this one does
 * not. */
static bool ask_class_path(JNIEnv *env, jstring name, jobject *url)
{
    jobject loader = call_static(env, "java/lang/ClassLoader", "getSystemClassLoader",
                                 "()Ljava/lang/ClassLoader;", NULL);
    jclass builtin = (*env)->FindClass(env, "jdk/internal/loader/BuiltinClassLoader");
    jobject path;
    jmethodID find;
    jfieldID ucp;
    jclass cls;

    if (loader == NULL || builtin == NULL || !(*env)->IsInstanceOf(env, loader, builtin))
        return false;
    ucp = (*env)->GetFieldID(env, builtin, "ucp", "Ljdk/internal/loader/URLClassPath;");
    path = ucp == NULL ? NULL : (*env)->GetObjectField(env, loader, ucp);
    if (path == NULL)
        return false;
    cls = (*env)->GetObjectClass(env, path);
    find = (*env)->GetMethodID(env, cls, "findResource", "(Ljava/lang/String;)Ljava/net/URL;");
    if (find == NULL) { /* up to 24 */
        (*env)->ExceptionClear(env);
        find = (*env)->GetMethodID(env, cls, "findResource", "(Ljava/lang/String;Z)Ljava/net/URL;");
    }
    if (find == NULL)
        return false;
    *url = (*env)->CallObjectMethod(env, path, find, name, JNI_FALSE);
    return !(*env)->ExceptionCheck(env);
}

static bool ask_loader(JNIEnv *env, jstring name)
{
    return call_static(env, "java/lang/ClassLoader", "getSystemResource",
                       "(Ljava/lang/String;)Ljava/net/URL;", name) != NULL;
}

/* A program that names its types by the service cannot run without the class. */
static bool has_service(JNIEnv *env)
{
    jobject url = NULL;
    bool has = false;
    jstring name;

    if ((*env)->PushLocalFrame(env, LOCAL_REFS) != 0)
        return false;
    name = (*env)->NewStringUTF(env, SERVICE);
    if (name != NULL && !has_module_path(env) && ask_class_path(env, name, &url)) {
        has = url != NULL;
    } else if (name != NULL) {
        (*env)->ExceptionClear(env);
        has = ask_loader(env, name);
    }
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return has;
}

void context_shim_define(JNIEnv *env, bool is_asked)
{
    static _Atomic bool is_done;
    bool has;

    if (is_done || (*env)->GetVersion(env) < FIRST_VERSION)
        return;
    has = has_service(env);
    if ((!is_asked && !has) || atomic_exchange(&is_done, true) || !is_there(env, "jdk/jfr/Name") ||
        is_there(env, CONTEXT_TYPE))
        return;
    if (!boot_classes_define(env, shim_classes, shim_classes_n))
        log_line(LOG_WARNING, "jdk.jfr.ContextType cannot be defined on this VM");
    else if (has)
        ask_services(env);
    (*env)->ExceptionClear(env);
}
