/*
 * name.h - a name for code that no Java method owns. Not async-signal-safe.
 */
#ifndef RECORDER_NATIVE_NAME_H
#define RECORDER_NATIVE_NAME_H

#include <stddef.h>
#include <stdint.h>

/* Writes the name of the function around pc, or "[libjvm.so]", or "[unknown_code]". */
void native_name(uintptr_t pc, char *out, size_t room);

#endif
