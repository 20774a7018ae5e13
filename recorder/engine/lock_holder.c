/* lock_holder.c - calls ThreadMXBean through JNI, for the wall-clock sampler. Methods are looked up
 * at the first call; calls are limited per second. */
#include "recorder/engine/lock_holder.h"

#include "jfrfmt/base/now.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define MANAGEMENT "java/lang/management/"
#define SECOND INT64_C(1000000000)
#define REFS 8 /* local references of one call */

static struct {
    bool is_looked_up;
    jobject bean; /* global reference to the ThreadMXBean; NULL: there is none */
    jmethodID info, owner;
    int64_t second; /* the one that `n` calls were made in */
    unsigned n;
} management;

static bool has_thrown(JNIEnv *env)
{
    if (!(*env)->ExceptionCheck(env))
        return false;
    (*env)->ExceptionClear(env);
    return true;
}

static void find_thread_bean(JNIEnv *env)
{
    jclass factory = (*env)->FindClass(env, MANAGEMENT "ManagementFactory"), bean_class, info_class;
    jmethodID get;
    jobject bean;

    if (factory == NULL)
        return;
    get = (*env)->GetStaticMethodID(env, factory, "getThreadMXBean",
                                    "()L" MANAGEMENT "ThreadMXBean;");
    bean = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, factory, get);
    if ((*env)->ExceptionCheck(env) || bean == NULL ||
        (bean_class = (*env)->FindClass(env, MANAGEMENT "ThreadMXBean")) == NULL ||
        (info_class = (*env)->FindClass(env, MANAGEMENT "ThreadInfo")) == NULL ||
        (management.info = (*env)->GetMethodID(env, bean_class, "getThreadInfo",
                                               "(J)L" MANAGEMENT "ThreadInfo;")) == NULL ||
        (management.owner = (*env)->GetMethodID(env, info_class, "getLockOwnerId", "()J")) == NULL)
        return;
    management.bean = (*env)->NewGlobalRef(env, bean);
}

static bool is_over_limit(void)
{
    int64_t second = now_ns(CLOCK_MONOTONIC) / SECOND;

    if (second != management.second) {
        management.second = second;
        management.n = 0;
    }
    return management.n++ >= LOCK_HOLDERS_MAX;
}

int64_t lock_holder(JNIEnv *env, int64_t java_id)
{
    jobject info;
    jlong owner = 0;

    if (is_over_limit())
        return -1;
    if ((*env)->PushLocalFrame(env, REFS) != JNI_OK) {
        has_thrown(env);
        return 0;
    }
    if (!management.is_looked_up) {
        management.is_looked_up = true;
        find_thread_bean(env);
        has_thrown(env);
    }
    if (management.bean != NULL) {
        info = (*env)->CallObjectMethod(env, management.bean, management.info, (jlong)java_id);
        if (!has_thrown(env) && info != NULL)
            owner = (*env)->CallLongMethod(env, info, management.owner);
        if (has_thrown(env))
            owner = 0;
    }
    (*env)->PopLocalFrame(env, NULL);
    return owner > 0 ? owner : 0;
}
