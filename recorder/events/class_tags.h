/*
 * class_tags.h - texts about classes, kept until the class is unloaded.
 *
 * A JVMTI tag on the java.lang.Class object of the class identifies the text. When that object is
 * freed, the VM reports its tag, and class_tags_take() returns the text. This is the only way to
 * notice an unloading that works on every JDK: HotSpot's own extension event is never sent by 25,
 * and has a C string in place of a class on 17.
 *
 * Threads: any, also in the pauses of garbage collections. Signals: none.
 */
#ifndef RECORDER_EVENTS_CLASS_TAGS_H
#define RECORDER_EVENTS_CLASS_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Forgets all texts and makes their tags invalid. */
void class_tags_reset(void);

/* Keeps a copy of n bytes. Returns the tag, or 0 if out of memory. */
int64_t class_tags_keep(const void *text, size_t n);

/* Is this the tag of a text that is kept? */
bool class_tags_is_kept(int64_t tag);

/* Returns the bytes of a tag, which the caller frees, and their number; NULL if there are none. */
void *class_tags_take(int64_t tag, size_t *n);

#endif
