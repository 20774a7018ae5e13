/*
 * objects.h - reads Java objects for engines, on the thread that an event happens on.
 *
 * Threads: any that is attached to the VM, without a pending exception, outside of the pauses of
 *          garbage collections. Signals: none.
 */
#ifndef RECORDER_EVENTS_OBJECTS_H
#define RECORDER_EVENTS_OBJECTS_H

#include "recorder/capture/engine.h"

#define OBJECTS_NAME 512 /* bytes of a thread's name; longer ones are cut */
#define OBJECTS_TEXT 1024 /* bytes of a signature that is kept, its NUL included */

/* Looks the fields up. Call it once after the VM's initialisation, before all others here. */
void objects_init(JNIEnv *env);

/* Returns a field of a class ("java/io/FileDescriptor"), or NULL without an exception if there is
 * none. May be called before objects_init(). */
jfieldID objects_field(JNIEnv *env, const char *cls, const char *name, const char *signature);

/* Signature of the object's class ("Ljava/lang/String;", "[I"), cut to fit; "" when it has none.
 * Returns its length. */
size_t objects_class(jvmtiEnv *jvmti, JNIEnv *env, jobject object, char out[OBJECTS_TEXT]);

/* The same for a class. */
size_t objects_signature(jvmtiEnv *jvmti, jclass cls, char out[OBJECTS_TEXT]);

/* Identity hash code, in place of an address: objects move. */
int64_t objects_identity(jvmtiEnv *jvmti, jobject object);

/* Thread.getId(), 0 = unknown. */
int64_t objects_thread_id(JNIEnv *env, jthread thread);

/* Thread.getName(), not by calling it: modified UTF-8, as many whole characters as surely fit in
 * `room` bytes with the NUL. Returns the bytes of the whole name; 0 and "" when it is not known. */
size_t objects_thread_name(JNIEnv *env, jthread thread, char *out, size_t room);

bool objects_is_virtual(JNIEnv *env, jthread thread);

/* For emit.thread_key: the id of a virtual thread, 0 for one of the system's. */
uint64_t objects_virtual_key(JNIEnv *env, jthread thread);

/* What the thread is parked on (Thread.parkBlocker), a local reference or NULL. */
jobject objects_park_blocker(JNIEnv *env, jthread thread);

#endif
