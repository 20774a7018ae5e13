/*
 * flag.h - the few things of the VM's own tables that the recorder needs beside its walker.
 */
#ifndef RECORDER_VM_FLAG_H
#define RECORDER_VM_FLAG_H

#include <stdbool.h>
#include <stddef.h>

/* Offset of a field in a VM type; -1: the tables do not have it. */
ptrdiff_t vm_field_offset(const char *type, const char *field);

/* Address of a static field; NULL: the tables do not have it. */
const void *vm_static_field(const char *type, const char *field);

/* The value of a flag of type bool. False: there is none. */
bool vm_flag_get(const char *name, bool *value);

/* Sets a flag of type bool, as -XX:+NAME would have done. False: there is none. */
bool vm_flag_set(const char *name, bool value);

#endif
