/*
 * from_java.h - the Java side of events of one's own: natives of jfrkit.EventNative.
 *
 * As with contexts they are found by name in this library, but not before Agent_OnAttach has
 * returned; so those of classes that are loaded already are registered then.
 */
#ifndef RECORDER_CUSTOM_FROM_JAVA_H
#define RECORDER_CUSTOM_FROM_JAVA_H

#include <jni.h>

#define CUSTOM_NATIVES 6
extern const JNINativeMethod custom_natives[CUSTOM_NATIVES];

#endif
