/*
 * native_hook.c - finds the original function of a native method, and registers ours in its place.
 *
 * An original is found by its exported name in a library of the JDK, or, for classes that register
 * their methods themselves, by calling their registerNatives() while RegisterNatives leads here. A
 * class that is not loaded yet is waited for by JVMTI's NativeMethodBind.
 */
#include "recorder/base/native_hook.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LOCAL_REFS 16

/* --- originals by name --- */

/* A class or method name with JNI's escapes for what is no letter in C. */
static bool mangle(const char *name, char *out, size_t room, size_t *n)
{
    for (; *name != '\0'; name++) {
        const char *as = *name == '_' ? "_1" : *name == '$' ? "_00024" : *name == '/' ? "_" : NULL;
        char one[2] = {*name, '\0'};

        if (as == NULL)
            as = one;
        if (*n + strlen(as) >= room)
            return false;
        strcpy(out + *n, as);
        *n += strlen(as);
    }
    return true;
}

bool native_hook_symbol(const struct native_hook *h, char *out, size_t room)
{
    size_t n = 0;

    return mangle("Java/", out, room, &n) && mangle(h->cls, out, room, &n) &&
           mangle("/", out, room, &n) && mangle(h->name, out, room, &n);
}

struct search {
    const char *library;
    char path[PATH_MAX];
};

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    const char *slash = info->dlpi_name == NULL ? NULL : strrchr(info->dlpi_name, '/');

    (void)size;
    if (slash == NULL || strcmp(slash + 1, s->library) != 0)
        return 0;
    snprintf(s->path, sizeof(s->path), "%s", info->dlpi_name);
    return 1;
}

/* The VM loads the JDK's libraries with RTLD_LOCAL, so each is searched by its own handle. */
static void *exported(const char *symbol)
{
    static const char *const libraries[] = {"libjava.so", "libnio.so", "libnet.so"};
    void *found = dlsym(RTLD_DEFAULT, symbol);

    for (size_t i = 0; found == NULL && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        struct search s = {.library = libraries[i]};
        void *lib;

        if (dl_iterate_phdr(find_library, &s) == 0 ||
            (lib = dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
            continue;
        found = dlsym(lib, symbol); /* the handle is kept: originals must stay */
    }
    return found;
}

/* --- originals of classes that register them --- */

/* Some classes register their native methods by a method of their own (registerNatives), so that
 * these have no exported names. That method is called again while RegisterNatives of this thread
 * leads here, which then gets the functions. */
static struct {
    jint(JNICALL *forward)(JNIEnv *, jclass, const JNINativeMethod *, jint);
    struct native_hook *hooks;
    size_t n;
    const char *cls;
} listening;

static _Atomic pthread_t listener; /* the thread that calls registerNatives, 0: none */

static void note_call(const JNINativeMethod *method)
{
    for (size_t i = 0; i < listening.n; i++) {
        struct native_hook *h = &listening.hooks[i];

        if (strcmp(h->cls, listening.cls) == 0 && strcmp(h->name, method->name) == 0 &&
            strcmp(h->signature, method->signature) == 0 && method->fnPtr != h->function)
            atomic_store_explicit(&h->original, method->fnPtr, memory_order_release);
    }
}

static jint JNICALL listen(JNIEnv *env, jclass cls, const JNINativeMethod *methods, jint n)
{
    if (!pthread_equal(atomic_load(&listener), pthread_self()))
        return listening.forward(env, cls, methods, n);
    for (jint i = 0; i < n; i++)
        note_call(&methods[i]);
    return JNI_OK; /* they are registered already */
}

typedef jint(JNICALL *register_fn)(JNIEnv *, jclass, const JNINativeMethod *, jint);

/* Replaces RegisterNatives in JNI's function table. If it is not `from`, another agent has replaced
 * it, and it stays. */
static bool divert(jvmtiEnv *jvmti, register_fn from, register_fn to)
{
    jniNativeInterface *table;
    bool ok;

    if ((*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE)
        return false;
    if (from == NULL)
        from = listening.forward = table->RegisterNatives;
    ok = table->RegisterNatives == from;
    table->RegisterNatives = to;
    ok = ok && (*jvmti)->SetJNIFunctionTable(jvmti, table) == JVMTI_ERROR_NONE;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return ok;
}

static void ask_again(jvmtiEnv *jvmti, JNIEnv *env, jclass cls, const char *name)
{
    jmethodID method = (*env)->GetStaticMethodID(env, cls, "registerNatives", "()V");

    (*env)->ExceptionClear(env);
    if (method == NULL || !divert(jvmti, NULL, listen))
        return;
    listening.cls = name;
    atomic_store(&listener, pthread_self());
    (*env)->CallStaticVoidMethod(env, cls, method);
    (*env)->ExceptionClear(env);
    atomic_store(&listener, 0);
    divert(jvmti, listen, listening.forward);
}

/* --- classes that are not loaded --- */

#define AWAITED_MAX 64

/* Only grows: a hook is written before the number that includes it. */
static struct {
    struct native_hook *hooks[AWAITED_MAX];
    _Atomic size_t n;
} awaited;

static bool is_of_class(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method, const char *cls)
{
    size_t n = strlen(cls);
    jclass declaring;
    char *signature;
    bool is = false;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &declaring) != JVMTI_ERROR_NONE)
        return false;
    if ((*jvmti)->GetClassSignature(jvmti, declaring, &signature, NULL) == JVMTI_ERROR_NONE) {
        is = strlen(signature) == n + 2 && memcmp(signature + 1, cls, n) == 0;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, declaring);
    return is;
}

/* JVMTI's NativeMethodBind: the VM links a native method, at its first call or when its class
 * registers it. */
static void JNICALL on_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                            void *address, void **ours)
{
    size_t n = atomic_load_explicit(&awaited.n, memory_order_acquire);
    char *name, *signature;

    (void)thread;
    if (env == NULL ||
        (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    for (size_t i = 0; i < n; i++) {
        struct native_hook *h = awaited.hooks[i];

        if (strcmp(h->name, name) == 0 && strcmp(h->signature, signature) == 0 &&
            address != h->function && is_of_class(jvmti, env, method, h->cls)) {
            atomic_store_explicit(&h->original, address, memory_order_release);
            *ours = h->function;
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static bool listen_to_binds(jvmtiEnv *jvmti)
{
    static const jvmtiCapabilities binds = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_bind};

    return (*jvmti)->AddCapabilities(jvmti, &binds) == JVMTI_ERROR_NONE &&
           (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) == JVMTI_ERROR_NONE &&
           (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                              NULL) == JVMTI_ERROR_NONE;
}

/* Adds a hook to those that on_bind() waits for. Returns false if there is no room or no such
 * event. */
static bool await(jvmtiEnv *jvmti, struct native_hook *h)
{
    size_t n = atomic_load(&awaited.n);

    if (h->is_awaited)
        return true;
    if (n == AWAITED_MAX || (n == 0 && !listen_to_binds(jvmti)))
        return false;
    h->is_awaited = true;
    awaited.hooks[n] = h;
    atomic_store_explicit(&awaited.n, n + 1, memory_order_release);
    return true;
}

/* Is the class loaded by the boot loader? Calls the function that ClassLoader.findLoadedClass()
 * uses. */
static bool is_loaded(JNIEnv *env, const char *cls)
{
    static jclass(JNICALL * find)(JNIEnv *, jobject, jstring);
    jclass found;
    jstring name;

    if (find == NULL)
        *(void **)&find = dlsym(RTLD_DEFAULT, "JVM_FindLoadedClass");
    if (find == NULL || (name = (*env)->NewStringUTF(env, cls)) == NULL)
        return true; /* perhaps */
    found = find(env, NULL, name);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, found);
    return found != NULL;
}

/* Whether the hook waits for its class. If it was loaded just now, its methods may have been
 * linked before the events were on. */
static bool is_to_come(jvmtiEnv *jvmti, JNIEnv *env, struct native_hook *h)
{
    if (is_loaded(env, h->cls) || !await(jvmti, h))
        return h->is_awaited;
    if (is_loaded(env, h->cls))
        h->is_awaited = false;
    return h->is_awaited;
}

/* --- registering --- */

/* jfrkit.internal.NativeHooks: public static void install() { install0(); }
 * private static native void install0(); as of Java 5, which needs no map of its stack. */
static const uint8_t helper[] =
    "\xca\xfe\xba\xbe\0\0\0\x31\0\x0b"
    "\x07\0\x02\x01\0\x1bjfrkit/internal/NativeHooks" /* 1, 2 */
    "\x07\0\x04\x01\0\x10java/lang/Object" /* 3, 4 */
    "\x01\0\x07install\x01\0\x03()V\x01\0\x08install0" /* 5, 6, 7 */
    "\x0c\0\x07\0\x06\x0a\0\x01\0\x08" /* 8: install0()V, 9: of this class */
    "\x01\0\x04\x43ode" /* 10 */
    "\0\x21\0\x01\0\x03\0\0\0\0\0\x02"
    "\0\x09\0\x05\0\x06\0\x01\0\x0a\0\0\0\x10\0\0\0\0\0\0\0\x04\xb8\0\x09\xb1\0\0\0\0"
    "\x01\x0a\0\x07\0\x06\0\0"
    "\0\0";

static struct {
    struct native_hook *hooks;
    size_t n;
} pending;

static bool is_native(JNIEnv *env, jclass cls, const struct native_hook *h)
{
    bool found = (*env)->GetMethodID(env, cls, h->name, h->signature) != NULL;

    (*env)->ExceptionClear(env);
    if (!found)
        found = (*env)->GetStaticMethodID(env, cls, h->name, h->signature) != NULL;
    (*env)->ExceptionClear(env);
    return found;
}

static void put_in(JNIEnv *env, struct native_hook *h)
{
    JNINativeMethod method = {(char *)(uintptr_t)h->name, (char *)(uintptr_t)h->signature,
                              h->function};
    jclass cls;

    if (h->is_installed || h->is_awaited || atomic_load(&h->original) == NULL)
        return;
    cls = (*env)->FindClass(env, h->cls);
    h->is_installed = cls != NULL && (*env)->RegisterNatives(env, cls, &method, 1) == JNI_OK;
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, cls);
}

static void JNICALL install0(JNIEnv *env, jclass cls)
{
    (void)cls;
    for (size_t i = 0; i < pending.n; i++)
        put_in(env, &pending.hooks[i]);
}

static bool register_all(JNIEnv *env, struct native_hook *hooks, size_t n)
{
    static jclass cls; /* a global reference */
    JNINativeMethod method = {"install0", "()V", (void *)(uintptr_t)install0};
    jmethodID install;

    if (cls == NULL) {
        jclass local = (*env)->DefineClass(env, "jfrkit/internal/NativeHooks", NULL,
                                           (const jbyte *)helper, sizeof(helper) - 1);

        if (local == NULL || (*env)->RegisterNatives(env, local, &method, 1) != JNI_OK)
            return false;
        cls = (*env)->NewGlobalRef(env, local);
    }
    install = cls == NULL ? NULL : (*env)->GetStaticMethodID(env, cls, "install", "()V");
    if (install == NULL)
        return false;
    pending.hooks = hooks;
    pending.n = n;
    (*env)->CallStaticVoidMethod(env, cls, install);
    return !(*env)->ExceptionCheck(env);
}

static void find_originals(jvmtiEnv *jvmti, JNIEnv *env, struct native_hook *hooks, size_t n)
{
    char symbol[256];

    listening.hooks = hooks;
    listening.n = n;
    for (size_t i = 0; i < n; i++) {
        struct native_hook *h = &hooks[i];
        jclass cls;

        if (atomic_load(&h->original) != NULL || is_to_come(jvmti, env, h))
            continue;
        cls = (*env)->FindClass(env, h->cls);
        (*env)->ExceptionClear(env);
        if (cls == NULL || !is_native(env, cls, h))
            continue;
        if (native_hook_symbol(h, symbol, sizeof(symbol)))
            atomic_store_explicit(&h->original, exported(symbol), memory_order_release);
        if (atomic_load(&h->original) == NULL)
            ask_again(jvmti, env, cls, h->cls);
        (*env)->DeleteLocalRef(env, cls);
    }
}

int native_hook_install(JavaVM *vm, JNIEnv *env, struct native_hook *hooks, size_t n)
{
    static jvmtiEnv *jvmti; /* of this file alone */
    int in = 0;
    bool ok;

    if (jvmti == NULL && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return -1;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS) != 0)
        return -1;
    find_originals(jvmti, env, hooks, n);
    ok = register_all(env, hooks, n);
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    for (size_t i = 0; i < n; i++)
        in += hooks[i].is_installed ||
              (hooks[i].is_awaited && atomic_load(&hooks[i].original) != NULL);
    return ok ? in : -1;
}
