/*
 * periodic_vm.c - periodic events about the VM: its arguments, properties, threads, classes, heap.
 *
 * periodic.c calls each function on the drain thread, at the interval of its event. Values come
 * from the VM's counters (perfdata.h), where those do not exist yet or are too short from
 * java.lang.management or /proc. Arguments and properties may hold secrets, so they are written
 * through redact.h.
 */
#include "recorder/engine/periodic.h"

#include "recorder/engine/exception_count.h"
#include "recorder/engine/gc_counters.h"
#include "recorder/base/perfdata.h"
#include "recorder/base/proc.h"
#include "recorder/base/redact.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNTER_TEXT 1100 /* the VM cuts its own at 1024 */
#define LOCAL_REFS 16
#define COMMAND_LINE 16384

static int64_t counter(const char *name)
{
    const int64_t *v = perfdata_number(name);

    return v == NULL ? 0 : *v;
}

/* --- the VM --- */

/* A copy of a system property (to be freed), or NULL. */
static char *property(const struct recording *r, const char *name)
{
    char *value, *copy;

    if (r->jvmti == NULL || (*r->jvmti)->GetSystemProperty(r->jvmti, name, &value) != 0)
        return NULL;
    copy = strdup(value);
    (*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)value);
    return copy;
}

static char *counter_text(const char *name)
{
    char text[COUNTER_TEXT];

    return perfdata_text(name, text, sizeof(text)) > 0 ? strdup(text) : NULL;
}

/* Texts of an array of strings with blanks between them (to be freed). */
static char *join(JNIEnv *env, jobjectArray array)
{
    jsize n = (*env)->GetArrayLength(env, array);
    size_t length = 0;
    char *all = calloc(1, 1), *grown;

    for (jsize i = 0; i < n && all != NULL; i++) {
        jstring s = (*env)->GetObjectArrayElement(env, array, i);
        const char *text = s == NULL ? NULL : (*env)->GetStringUTFChars(env, s, NULL);

        if (text != NULL) {
            size_t more = strlen(text);

            grown = realloc(all, length + more + 2);
            if (grown != NULL) {
                all = grown;
                length += (size_t)sprintf(all + length, "%s%s", length == 0 ? "" : " ", text);
            }
            (*env)->ReleaseStringUTFChars(env, s, text);
        }
        (*env)->DeleteLocalRef(env, s);
    }
    return all;
}

/* For JDK 8, where the counter with the arguments does not exist yet: the words of the command line
 * between the launcher and the main class. Of these only the class path is not part of an option.
 */
static char *command_line_arguments(void)
{
    char text[COMMAND_LINE], *word, *end, *out = text;
    ssize_t n = proc_read("/proc/self/cmdline", text, sizeof(text));
    const char *launcher;

    if (n <= 0)
        return NULL;
    launcher = strrchr(text, '/') != NULL ? strrchr(text, '/') + 1 : text;
    if (strcmp(launcher, "java") != 0)
        return NULL;
    end = text + n;
    word = text + strnlen(text, (size_t)n) + 1;
    while (word < end && *word == '-' && strcmp(word, "-jar") != 0) {
        bool is_path = strcmp(word, "-cp") == 0 || strcmp(word, "-classpath") == 0;
        size_t length = strlen(word);

        if (!is_path) {
            if (out != text)
                *out++ = ' ';
            memmove(out, word, length);
            out += length;
        }
        word += length + 1;
        if (is_path && word < end)
            word += strlen(word) + 1;
    }
    return out == text ? NULL : strndup(text, (size_t)(out - text));
}

/* The VM's arguments from java.lang.management; the counter has only 1023 bytes of them. */
static char *vm_arguments(JNIEnv *env)
{
    jobjectArray (*get)(JNIEnv *);
    jobjectArray array;
    char *all = NULL;

    *(void **)&get = dlsym(RTLD_DEFAULT, "JVM_GetVmArguments");
    if (env != NULL && get != NULL && (*env)->PushLocalFrame(env, LOCAL_REFS) == 0) {
        array = get(env);
        if (array != NULL && !(*env)->ExceptionCheck(env))
            all = join(env, array);
        (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    if (all == NULL)
        all = counter_text("java.rt.vmArgs");
    return all != NULL ? all : command_line_arguments();
}

/* Milliseconds since the epoch. */
static int64_t process_start(void)
{
    char text[1024];
    struct proc_times t;
    struct timespec now, up;

    if (proc_read("/proc/self/stat", text, sizeof(text)) <= 0 || !proc_times(text, &t) ||
        clock_gettime(CLOCK_REALTIME, &now) != 0 || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
        return 0;
    return now.tv_sec * 1000 + now.tv_nsec / 1000000 -
           (up.tv_sec * 1000 + up.tv_nsec / 1000000 -
            (int64_t)t.start * 1000 / sysconf(_SC_CLK_TCK));
}

/* Puts a text, which it frees, without secrets. */
static void put_line_take(struct periodic *p, char *text)
{
    char *line = text == NULL ? NULL : redact_command(text);

    periodic_text(p, line);
    free(line);
    free(text);
}

/* The value of os.arch, which JVMTI does not have. */
#ifdef __aarch64__
#define OS_ARCH "aarch64"
#else
#define OS_ARCH "amd64"
#endif

/* The text that the VM itself writes. Its counter does not exist yet at VMInit. */
static char *vm_version(const struct recording *r)
{
    char *name = property(r, "java.vm.name"), *version = property(r, "java.vm.version");
    char *runtime = property(r, "java.runtime.version");
    char *all = counter_text("sun.rt.internalVersion");

    if (all == NULL && name != NULL && version != NULL &&
        asprintf(&all, "%s (%s) for linux-" OS_ARCH " JRE (%s)", name, version,
                 runtime == NULL ? version : runtime) < 0)
        all = NULL;
    free(name);
    free(version);
    free(runtime);
    return all;
}

static char *first_of(char *a, char *(*other)(const char *), const char *name)
{
    return a != NULL ? a : other(name);
}

void periodic_jvm_information(struct periodic *p)
{
    char *name =
        first_of(property(p->r, "java.vm.name"), counter_text, "java.property.java.vm.name");
    char *version = vm_version(p->r);
    char *command =
        first_of(property(p->r, "sun.java.command"), counter_text, "sun.rt.javaCommand");
    int64_t began = counter("sun.rt.createVmBeginTime");

    periodic_begin(p, EV_JVM_INFORMATION);
    periodic_text(p, name);
    periodic_text(p, version);
    put_line_take(p, vm_arguments(p->r->env));
    put_line_take(p, counter_text("java.rt.vmFlags"));
    put_line_take(p, command);
    jfr_put_long(p->w, began > 0 ? began : process_start());
    jfr_put_long(p->w, getpid());
    periodic_end(p);
    free(name);
    free(version);
}

static void write_property(struct periodic *p, const char *key)
{
    char *value = property(p->r, key), *shown;

    if (value == NULL)
        return;
    shown = redact_is_secret(key) ? strdup(REDACTED) : redact_command(value);
    if (shown != NULL) {
        periodic_begin(p, EV_INITIAL_SYSTEM_PROPERTY);
        jfr_put_string(p->w, key);
        jfr_put_string(p->w, shown);
        periodic_end(p);
    }
    free(shown);
    free(value);
}

void periodic_system_properties(struct periodic *p)
{
    jvmtiEnv *jvmti = p->r->jvmti;
    char **keys;
    jint n;

    if (jvmti == NULL || (*jvmti)->GetSystemProperties(jvmti, &n, &keys) != 0)
        return;
    for (jint i = 0; i < n; i++) {
        write_property(p, keys[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)keys[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)keys);
}

/* --- its counters --- */

void periodic_class_loading(struct periodic *p)
{
    if (perfdata_number("java.cls.loadedClasses") == NULL)
        return;
    periodic_begin(p, EV_CLASS_LOADING_STATISTICS);
    jfr_put_long(p->w, counter("java.cls.loadedClasses") + counter("java.cls.sharedLoadedClasses"));
    jfr_put_long(p->w,
                 counter("java.cls.unloadedClasses") + counter("java.cls.sharedUnloadedClasses"));
    periodic_end(p);
}

void periodic_java_threads(struct periodic *p)
{
    if (perfdata_number("java.threads.live") == NULL)
        return;
    periodic_begin(p, EV_JAVA_THREAD_STATISTICS);
    jfr_put_long(p->w, counter("java.threads.live"));
    jfr_put_long(p->w, counter("java.threads.daemon"));
    jfr_put_long(p->w, counter("java.threads.started"));
    jfr_put_long(p->w, counter("java.threads.livePeak"));
    periodic_end(p);
}

/* Converts ticks of the VM's clock, which are nanoseconds unless a counter has another frequency.
 */
static int64_t counter_ms(const char *name)
{
    int64_t hertz = counter("sun.os.hrt.frequency");

    return (int64_t)((double)counter(name) * 1000 / (double)(hertz > 0 ? hertz : 1000000000));
}

void periodic_compiler(struct periodic *p)
{
    if (perfdata_number("sun.ci.totalCompiles") == NULL)
        return;
    periodic_begin(p, EV_COMPILER_STATISTICS);
    jfr_put_int(p->w, (int32_t)counter("sun.ci.totalCompiles"));
    jfr_put_int(p->w, (int32_t)counter("sun.ci.totalBailouts"));
    jfr_put_int(p->w, (int32_t)counter("sun.ci.totalInvalidates"));
    jfr_put_int(p->w, (int32_t)counter("sun.ci.osrCompiles"));
    jfr_put_int(p->w, (int32_t)counter("sun.ci.standardCompiles"));
    jfr_put_long(p->w, counter("sun.ci.osrBytes"));
    jfr_put_long(p->w, counter("sun.ci.standardBytes"));
    jfr_put_long(p->w, counter("sun.ci.nmethodSize"));
    jfr_put_long(p->w, counter("sun.ci.nmethodCodeSize"));
    jfr_put_long(p->w, counter_ms("sun.ci.peakTime")); /* 0: this VM does not count it */
    jfr_put_long(p->w, counter_ms("java.ci.totalTime"));
    periodic_end(p);
}

void periodic_exceptions(struct periodic *p)
{
    periodic_begin(p, EV_EXCEPTION_STATISTICS);
    jfr_put_long(p->w, atomic_load(&exception_count));
    periodic_end(p);
}

/* --- the heap --- */

static jlong ask_vm(JNIEnv *env, jobject runtime, jclass cls, const char *name)
{
    jmethodID method = (*env)->GetMethodID(env, cls, name, "()J");

    jlong v = method == NULL ? -1 : (*env)->CallLongMethod(env, runtime, method);

    return (*env)->ExceptionCheck(env) ? -1 : v;
}

/* For a VM without counters. */
static bool ask_runtime(JNIEnv *env, struct gc_heap *out)
{
    jlong total = -1, free_bytes = -1, max = -1;
    jobject runtime;
    jmethodID get;
    jclass cls;
    bool ok;

    if (env == NULL || (*env)->PushLocalFrame(env, LOCAL_REFS) != 0)
        return false;
    cls = (*env)->FindClass(env, "java/lang/Runtime");
    get = cls == NULL ? NULL
                      : (*env)->GetStaticMethodID(env, cls, "getRuntime", "()Ljava/lang/Runtime;");
    runtime = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, cls, get);
    if (!(*env)->ExceptionCheck(env) && runtime != NULL) {
        total = ask_vm(env, runtime, cls, "totalMemory");
        free_bytes = ask_vm(env, runtime, cls, "freeMemory");
        max = ask_vm(env, runtime, cls, "maxMemory");
    }
    ok = !(*env)->ExceptionCheck(env) && total >= free_bytes && free_bytes >= 0;
    *out = (struct gc_heap){.used = total - free_bytes, .committed = total, .reserved = max};
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return ok;
}

void periodic_heap_usage(struct periodic *p)
{
    struct gc_heap heap;

    if (!gc_counters_heap(&heap) && !ask_runtime(p->r->env, &heap))
        return;
    periodic_begin(p, EV_GC_HEAP_MEMORY_USAGE);
    jfr_put_long(p->w, heap.used);
    jfr_put_long(p->w, heap.committed);
    jfr_put_long(p->w, heap.reserved);
    periodic_end(p);
}
