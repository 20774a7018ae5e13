/*
 * class_tags.h - texts about classes, kept until the class is unloaded.
 *
 * A tag of JVMTI on the mirror of a class names the text; when the mirror has gone the VM hands
 * the tag back, and class_tags_take() the text. That is the only way to hear of an unloading that
 * works on every JDK: HotSpot's own extension event says nothing on 25, and a C string in place of
 * a class on 17.
 *
 * Threads: any, also in the pauses of garbage collections. Signals: none.
 */
#ifndef RECORDER_EVENTS_CLASS_TAGS_H
#define RECORDER_EVENTS_CLASS_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Forgets all texts; tags given before mean nothing from now on. */
void class_tags_reset(void);

/* Keeps a copy of n bytes. The tag, or 0: no memory. */
int64_t class_tags_keep(const void *text, size_t n);

/* Is this the tag of a text that is kept? */
bool class_tags_is_kept(int64_t tag);

/* The bytes of a tag, to be freed, and *n; NULL: there are none. They are kept no longer. */
void *class_tags_take(int64_t tag, size_t *n);

#endif
