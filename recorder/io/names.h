/*
 * names.h - the names by which the program opened files and hosts.
 *
 * The kernel has the path with all links resolved and the address of a peer. The JDK's recorder
 * writes the program's own names instead, so hooks keep them. What was opened before the hooks were
 * installed has no name here.
 *
 * Threads: any. Signals: none.
 */
#ifndef RECORDER_IO_NAMES_H
#define RECORDER_IO_NAMES_H

#include "recorder/io/target.h"

#include <jvmti.h>
#include <sys/stat.h>

/* Stores the name of a descriptor; n < IO_TARGET_MAX bytes. */
void io_names_put(int fd, const char *name, size_t n);

/* Copies the name of a descriptor and returns its length; "" and 0 if there is none. st: the result
 * of fstat(), by which a descriptor is noticed that was closed and opened without a hook. */
size_t io_names_get(int fd, const struct stat *st, char out[IO_TARGET_MAX]);

/* Installs the hooks that store names. */
void io_names_install(JavaVM *vm, JNIEnv *env);

#endif
