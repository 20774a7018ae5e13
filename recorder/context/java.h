/*
 * java.h - the Java side of contexts: natives of jfrkit.Native, and virtual threads.
 *
 * The natives are found by name in this library, but not before Agent_OnAttach has returned; so
 * those of classes that are loaded already are registered then.
 */
#ifndef RECORDER_CONTEXT_JAVA_H
#define RECORDER_CONTEXT_JAVA_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* Tells every copy of the API that is loaded, in whatever loader, that the recorder is here. On a
 * Java thread, after the VM was initialised. */
void context_java_connect(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env);

/* A native that others register, too: see jfrkit.Native. */
JNIEXPORT jint JNICALL Java_jfrkit_Native_define(JNIEnv *env, jclass cls, jstring name,
                                                 jobjectArray attributes);

/* The id of a text, and whether nobody had set it before. */
uint32_t context_java_value(JNIEnv *env, jstring text, bool *is_new);

/* Tells every copy that ids it holds may be gone. */
void context_java_generation(JNIEnv *env);

/* Tells every copy what a scope has to remember: bits of these. */
enum context_wants {
    CONTEXT_WANTS_TIME = 1, /* when it began */
    CONTEXT_WANTS_UNUSED = 2 /* its end is told even if nothing was recorded in it */
};
void context_java_wants(JNIEnv *env, int wants);

#endif
