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

/* Connects every copy of the API that is loaded, in whatever loader, with the recorder. Called on a
 * Java thread after the VM was initialised; the first call does it. is_attach: from Agent_OnAttach.
 */
void context_java_connect(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, bool is_attach);

/* Connects the copies that were missed by an attach: the JVM finds natives in this library only
 * after Agent_OnAttach has returned, so that a copy that is initialised between the call above and
 * that moment finds no recorder, and does not look again. Called once a second on the drain thread;
 * looks through the loaded classes in the first two seconds after an attach, and does nothing after
 * that. */
void context_java_connect_missed(jvmtiEnv *jvmti, JNIEnv *env);

/* Adds a class whose static fields `generation` and `wants` are kept up to date, as those of each
 * copy of the API are. Returns false if there is no room. */
bool context_java_add(JNIEnv *env, jclass cls);

/* Native methods that other classes have, too. */
JNIEXPORT jint JNICALL Java_jfrkit_Native_define(JNIEnv *env, jclass cls, jstring name,
                                                 jobjectArray attributes);
JNIEXPORT jobject JNICALL Java_jfrkit_Native_memory(JNIEnv *env, jclass cls);
JNIEXPORT jlong JNICALL Java_jfrkit_Native_memoryAddress(JNIEnv *env, jclass cls);

/* Returns the id of a text. *is_new: it was not in the table before. */
uint32_t context_java_value(JNIEnv *env, jstring text, bool *is_new);

/* Notifies each copy that cached ids may be invalid. */
void context_java_generation(JNIEnv *env);

/* Notifies each copy what scopes have to store: bits of these. */
enum context_wants {
    CONTEXT_WANTS_TIME = 1, /* when it began */
    CONTEXT_WANTS_UNUSED = 2 /* report its end even if nothing was recorded in it */
};
void context_java_wants(JNIEnv *env, int wants);

#endif
