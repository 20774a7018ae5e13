/*
 * boot_classes.h - classes that the agent carries as bytes, for the bootstrap loader, where every
 * class sees them.
 *
 * recorder/java/embed.sh makes tables of them. Unlike a jar that is appended to the bootstrap class
 * path they cost nothing before they are defined, and work where the agent's file is all that a
 * container has.
 */
#ifndef RECORDER_BASE_BOOT_CLASSES_H
#define RECORDER_BASE_BOOT_CLASSES_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

struct boot_class {
    const char *name; /* in internal form: "jfrkit/weave/Hooks" */
    const unsigned char *bytes; /* of the class file */
    size_t n;
};

/* Defines n classes in this order, in a VM whose live phase has begun, on a thread without a
 * pending exception. False: one could not be, and its exception is pending. */
static inline bool boot_classes_define(JNIEnv *env, const struct boot_class *classes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct boot_class *c = &classes[i];
        jclass cls = (*env)->DefineClass(env, c->name, NULL, (const jbyte *)c->bytes, (jsize)c->n);

        if (cls == NULL)
            return false;
        (*env)->DeleteLocalRef(env, cls);
    }
    return true;
}

/* Initializes a class that was defined: finding it does. Called before a thread of the program uses
 * the class, so that no such thread runs the initializer. False: an exception is pending. */
static inline bool boot_class_initialize(JNIEnv *env, const char *name)
{
    jclass cls = (*env)->FindClass(env, name);

    (*env)->DeleteLocalRef(env, cls);
    return cls != NULL;
}

#endif
