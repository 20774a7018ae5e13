/*
 * context_java.h - the Java side of contexts: natives of jfrkit.Native, and virtual threads.
 *
 * The natives are found by name in this library, but not before Agent_OnAttach has returned; so
 * those of classes that are loaded already are registered then.
 */
#ifndef RECORDER_CONTEXT_JAVA_H
#define RECORDER_CONTEXT_JAVA_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* Tells every copy of the API that is loaded, in whatever loader, that the recorder is here. On a
 * Java thread, after the VM was initialised. */
void context_java_connect(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env);

/* Natives that others register, too: see jfrkit.Native. */
JNIEXPORT jint JNICALL Java_jfrkit_Native_define(JNIEnv *env, jclass cls, jstring name,
                                                 jobjectArray attributes);
JNIEXPORT jint JNICALL Java_jfrkit_Native_value(JNIEnv *env, jclass cls, jstring text);
JNIEXPORT void JNICALL Java_jfrkit_Native_clear(JNIEnv *env, jclass cls, jint type);

/* Tells them that ids they hold may be gone. */
void context_java_generation(JNIEnv *env, uint32_t generation);

#endif
