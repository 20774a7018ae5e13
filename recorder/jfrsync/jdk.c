/*
 * jdk.c - calls jdk.jfr through JNI: starts, dumps and stops the recording of the JDK beside ours.
 *
 * jfrsync.c calls it. After a call of a task has failed, the later calls of that task do nothing.
 */
#include "recorder/jfrsync/jdk.h"

#include "jfrfmt/base/now.h"
#include "jfrfmt/write/writer.h"

#include <stdio.h>
#include <string.h>

#define NAME "jfrkit"

static jobject jdk_recording; /* a global reference, or NULL */

/* Calls into Java until one of them fails: the others then do nothing. */
struct calls {
    JNIEnv *env;
    char *why; /* of JFRSYNC_WHY bytes, or NULL */
    bool failed;
};

static void fail_calls(struct calls *c, const char *text)
{
    if (c->why != NULL && !c->failed)
        snprintf(c->why, JFRSYNC_WHY, "%s", text);
    c->failed = true;
}

/* Copies the text of a pending exception and clears it. */
static void take_exception(struct calls *c)
{
    JNIEnv *env = c->env;
    jthrowable e = (*env)->ExceptionOccurred(env);
    jclass cls;
    jmethodID to_string;
    jstring text = NULL;
    char bytes[3 * 150 + 1] = "";

    if (e == NULL)
        return;
    (*env)->ExceptionClear(env);
    cls = (*env)->GetObjectClass(env, e);
    to_string = (*env)->GetMethodID(env, cls, "toString", "()Ljava/lang/String;");
    if (to_string != NULL)
        text = (*env)->CallObjectMethod(env, e, to_string);
    (*env)->ExceptionClear(env);
    if (text != NULL) {
        jsize n = (*env)->GetStringLength(env, text);

        (*env)->GetStringUTFRegion(env, text, 0, n < 150 ? n : 150, bytes);
    }
    fail_calls(c, bytes[0] == '\0' ? "an exception that says nothing" : bytes);
}

static jclass find(struct calls *c, const char *name)
{
    jclass cls = c->failed ? NULL : (*c->env)->FindClass(c->env, name);

    if (!c->failed && cls == NULL) {
        (*c->env)->ExceptionClear(c->env);
        fail_calls(c, "this JVM has no module jdk.jfr");
    }
    return cls;
}

static jmethodID method(struct calls *c, jclass cls, const char *name, const char *descriptor,
                        bool is_static)
{
    jmethodID id;

    if (c->failed)
        return NULL;
    id = is_static ? (*c->env)->GetStaticMethodID(c->env, cls, name, descriptor)
                   : (*c->env)->GetMethodID(c->env, cls, name, descriptor);
    take_exception(c);
    return id;
}

/* A static method, a constructor, or a method of an object, that returns an object. */
static jobject call_jdk_static(struct calls *c, const char *cls_name, const char *name,
                               const char *descriptor, const jvalue *args)
{
    jclass cls = find(c, cls_name);
    jmethodID id = method(c, cls, name, descriptor, true);
    jobject result = c->failed ? NULL : (*c->env)->CallStaticObjectMethodA(c->env, cls, id, args);

    take_exception(c);
    return result;
}

static jobject make_object(struct calls *c, const char *cls_name, const char *descriptor,
                           const jvalue *args)
{
    jclass cls = find(c, cls_name);
    jmethodID id = method(c, cls, "<init>", descriptor, false);
    jobject result = c->failed ? NULL : (*c->env)->NewObjectA(c->env, cls, id, args);

    take_exception(c);
    return result;
}

static jobject call(struct calls *c, jobject object, const char *cls_name, const char *name,
                    const char *descriptor, const jvalue *args)
{
    jclass cls = find(c, cls_name);
    jmethodID id = method(c, cls, name, descriptor, false);
    const char *returned = strrchr(descriptor, ')') + 1;
    jobject result = NULL;

    if (c->failed)
        return NULL;
    if (*returned == 'V')
        (*c->env)->CallVoidMethodA(c->env, object, id, args);
    else if (*returned == 'Z')
        (*c->env)->CallBooleanMethodA(c->env, object, id, args);
    else
        result = (*c->env)->CallObjectMethodA(c->env, object, id, args);
    take_exception(c);
    return result;
}

static jstring make_string(struct calls *c, const char *text)
{
    jstring s = c->failed ? NULL : (*c->env)->NewStringUTF(c->env, text);

    take_exception(c);
    return s;
}

/* A java.nio.file.Path. Bytes that are not ASCII are decoded as the VM decodes file names. */
static jobject path(struct calls *c, const char *text)
{
    jvalue file = {.l = make_object(c, "java/io/File", "(Ljava/lang/String;)V",
                                    &(jvalue){.l = make_string(c, text)})};

    return call(c, file.l, "java/io/File", "toPath", "()Ljava/nio/file/Path;", NULL);
}

/* --- clock --- */

/* Calls a method of jdk.jfr.internal.JVM. Up to JDK 21 some of these are methods of one object;
 * since 22 all are static. */
static int64_t ask_long(struct calls *c, jclass cls, const char *name)
{
    JNIEnv *env = c->env;
    jmethodID id = c->failed ? NULL : (*env)->GetStaticMethodID(env, cls, name, "()J");
    int64_t value = 0;
    jobject jvm;

    if (c->failed)
        return 0;
    if (id != NULL) {
        value = (*env)->CallStaticLongMethod(env, cls, id);
        take_exception(c);
        return value;
    }
    (*env)->ExceptionClear(env);
    jvm = call_jdk_static(c, "jdk/jfr/internal/JVM", "getJVM", "()Ljdk/jfr/internal/JVM;", NULL);
    id = method(c, cls, name, "()J", false);
    if (!c->failed)
        value = (*env)->CallLongMethod(env, jvm, id);
    take_exception(c);
    return value;
}

struct counter {
    struct calls *calls;
    jclass cls;
};

static int64_t read_counter(void *counter)
{
    const struct counter *c = counter;

    return ask_long(c->calls, c->cls, "counterTime");
}

bool jfrsync_jdk_clock(JNIEnv *env, struct jfr_clock *clock)
{
    struct calls c = {.env = env};
    struct counter counter = {&c, NULL};

    if ((*env)->PushLocalFrame(env, 32) != 0)
        return false;
    counter.cls = find(&c, "jdk/jfr/internal/JVM");
    *clock = (struct jfr_clock){0};
    clock->per_second = ask_long(&c, counter.cls, "getTicksFrequency");
    read_counter(&counter); /* the first call loads classes and takes longer */
    now_pair(read_counter, &counter, &clock->at_ns, &clock->ticks);
    (*env)->PopLocalFrame(env, NULL);
    if (c.failed || clock->per_second <= 0)
        *clock = (struct jfr_clock){0};
    return clock->per_second > 0;
}

/* --- settings --- */

static void put(struct calls *c, jobject map, const char *event, const char *value)
{
    char key[200];
    jvalue args[2];

    snprintf(key, sizeof(key), "%s#enabled", event);
    args[0].l = make_string(c, key);
    args[1].l = make_string(c, value);
    (*c->env)->DeleteLocalRef(
        c->env, call(c, map, "java/util/Map", "put",
                     "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", args));
    (*c->env)->DeleteLocalRef(c->env, args[0].l);
    (*c->env)->DeleteLocalRef(c->env, args[1].l);
}

/* Events that report what our samples of allocations report. */
static const char *const tlabs[] = {"jdk.ObjectAllocationInNewTLAB",
                                    "jdk.ObjectAllocationOutsideTLAB"};

static void divide_events(struct calls *c, jobject map, const bool is_ours[EV_N],
                          const bool is_left[EV_N])
{
    for (int e = 0; e < EV_N; e++)
        if (is_ours[e] || is_left[e])
            put(c, map, jdk_type((enum event)e)->name, is_ours[e] ? "false" : "true");
    for (size_t i = 0; i < sizeof(tlabs) / sizeof(tlabs[0]); i++)
        if (is_ours[EV_OBJECT_ALLOCATION_SAMPLE])
            put(c, map, tlabs[i], "false");
}

/* A jdk.jfr.Configuration, by a name of the JDK ("profile") or a file. */
static jobject configuration(struct calls *c, const char *name)
{
    static const char of_name[] = "(Ljava/lang/String;)Ljdk/jfr/Configuration;";
    static const char of_path[] = "(Ljava/nio/file/Path;)Ljdk/jfr/Configuration;";
    size_t n = strlen(name);
    bool is_file = strchr(name, '/') != NULL || (n > 4 && strcmp(name + n - 4, ".jfc") == 0);
    jvalue arg = {.l = is_file ? path(c, name) : make_string(c, name)};

    return call_jdk_static(c, "jdk/jfr/Configuration", is_file ? "create" : "getConfiguration",
                           is_file ? of_path : of_name, &arg);
}

/* The settings of several configurations: for each event and setting the last one wins. */
static jobject merged(struct calls *c, const char *names)
{
    char list[JFRSYNC_SETTINGS], *save = NULL;
    jobject map = NULL;

    snprintf(list, sizeof(list), "%s", names);
    for (char *name = strtok_r(list, ";", &save); name != NULL; name = strtok_r(NULL, ";", &save)) {
        jobject more = call(c, configuration(c, name), "jdk/jfr/Configuration", "getSettings",
                            "()Ljava/util/Map;", NULL);

        if (map == NULL)
            map = more;
        else
            call(c, map, "java/util/Map", "putAll", "(Ljava/util/Map;)V", &(jvalue){.l = more});
    }
    if (map == NULL)
        fail_calls(c, "no settings are named");
    return map;
}

static void take_settings(struct calls *c, jobject recording, const struct jfrsync_wanted *w)
{
    jobject map = merged(c, w->settings);

    divide_events(c, map, w->is_ours, w->is_left);
    call(c, recording, "jdk/jfr/Recording", "setSettings", "(Ljava/util/Map;)V",
         &(jvalue){.l = map});
}

/* --- the recording --- */

static void take_limits(struct calls *c, jobject recording, const struct jfrsync_wanted *w)
{
    jobject age;

    if (w->max_size > 0)
        call(c, recording, "jdk/jfr/Recording", "setMaxSize", "(J)V", &(jvalue){.j = w->max_size});
    if (w->max_age <= 0)
        return;
    age = call_jdk_static(c, "java/time/Duration", "ofNanos", "(J)Ljava/time/Duration;",
                          &(jvalue){.j = w->max_age});
    call(c, recording, "jdk/jfr/Recording", "setMaxAge", "(Ljava/time/Duration;)V",
         &(jvalue){.l = age});
}

static jobject start(struct calls *c, const struct jfrsync_wanted *w)
{
    static const char cls[] = "jdk/jfr/Recording";
    jobject recording = make_object(c, cls, "()V", NULL);

    take_settings(c, recording, w);
    call(c, recording, cls, "setName", "(Ljava/lang/String;)V",
         &(jvalue){.l = make_string(c, NAME)});
    call(c, recording, cls, "setToDisk", "(Z)V", &(jvalue){.z = JNI_TRUE});
    take_limits(c, recording, w);
    call(c, recording, cls, "setDestination", "(Ljava/nio/file/Path;)V",
         &(jvalue){.l = path(c, w->file)});
    call(c, recording, cls, "setDumpOnExit", "(Z)V", &(jvalue){.z = JNI_TRUE});
    call(c, recording, cls, "start", "()V", NULL);
    return recording;
}

bool jfrsync_jdk_start(JNIEnv *env, const struct jfrsync_wanted *w, char why[JFRSYNC_WHY])
{
    struct calls c = {.env = env, .why = why};
    jobject recording;

    if ((*env)->PushLocalFrame(env, 64) != 0) {
        (*env)->ExceptionClear(env);
        snprintf(why, JFRSYNC_WHY, "no memory");
        return false;
    }
    recording = start(&c, w);
    jdk_recording = c.failed ? NULL : (*env)->NewGlobalRef(env, recording);
    (*env)->PopLocalFrame(env, NULL);
    return jdk_recording != NULL;
}

bool jfrsync_jdk_dump(JNIEnv *env, const char *file, char why[JFRSYNC_WHY])
{
    struct calls c = {.env = env, .why = why};

    if ((*env)->PushLocalFrame(env, 32) != 0)
        return false;
    call(&c, jdk_recording, "jdk/jfr/Recording", "dump", "(Ljava/nio/file/Path;)V",
         &(jvalue){.l = path(&c, file)});
    (*env)->PopLocalFrame(env, NULL);
    return !c.failed;
}

/* Before the VM ends, its shutdown hook stops the recording and completes the file. */
static bool is_stopped(struct calls *c)
{
    jobject state =
        call(c, jdk_recording, "jdk/jfr/Recording", "getState", "()Ljdk/jfr/RecordingState;", NULL);
    jstring name = call(c, state, "java/lang/Enum", "name", "()Ljava/lang/String;", NULL);
    char text[40] = "";

    if (c->failed || (*c->env)->GetStringLength(c->env, name) >= (jsize)sizeof(text))
        return false;
    (*c->env)->GetStringUTFRegion(c->env, name, 0, (*c->env)->GetStringLength(c->env, name), text);
    return strcmp(text, "STOPPED") == 0 || strcmp(text, "CLOSED") == 0;
}

bool jfrsync_jdk_stop(JNIEnv *env, char why[JFRSYNC_WHY])
{
    struct calls c = {.env = env, .why = why};

    if ((*env)->PushLocalFrame(env, 32) != 0)
        return false;
    if (!is_stopped(&c))
        call(&c, jdk_recording, "jdk/jfr/Recording", "stop", "()Z", NULL);
    call(&c, jdk_recording, "jdk/jfr/Recording", "close", "()V", NULL);
    (*env)->PopLocalFrame(env, NULL);
    (*env)->DeleteGlobalRef(env, jdk_recording);
    jdk_recording = NULL;
    return !c.failed;
}
