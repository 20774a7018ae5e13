/*
 * names.h - what the program called a file or a host when it opened it.
 *
 * The kernel knows the file behind all links and the address of a peer, a program its own names for
 * them, which the JDK's recorder tells. What was opened before a recording has none here.
 *
 * Threads: any. Signals: none.
 */
#ifndef RECORDER_IO_NAMES_H
#define RECORDER_IO_NAMES_H

#include "recorder/io/target.h"

#include <jvmti.h>
#include <sys/stat.h>

/* A descriptor has been opened; n < IO_TARGET_MAX bytes. */
void io_names_put(int fd, const char *name, size_t n);

/* The name of what a descriptor is (fstat() says that it is `st`), which may have been closed and
 * opened by who tells us nothing. "" and 0: it has none. */
size_t io_names_get(int fd, const struct stat *st, char out[IO_TARGET_MAX]);

/* Puts the hooks in that learn names. */
void io_names_install(JavaVM *vm, JNIEnv *env);

#endif
