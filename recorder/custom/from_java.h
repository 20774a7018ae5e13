/*
 * from_java.h - the native methods of jfrkit.EventNative: events that Java programs define.
 *
 * The JVM finds them by name in this library, but only after Agent_OnAttach has returned; so those
 * of classes that are loaded by then are registered.
 */
#ifndef RECORDER_CUSTOM_FROM_JAVA_H
#define RECORDER_CUSTOM_FROM_JAVA_H

#include <jni.h>

#define CUSTOM_NATIVES 6
extern const JNINativeMethod custom_natives[CUSTOM_NATIVES];

#endif
