/*
 * thread_local.h - variables of a thread that signal handlers use.
 *
 *     static __thread int n_inside SIGNAL_SAFE;
 *
 * glibc may allocate memory at a thread's first access to a variable of a library that was loaded
 * late, which a signal handler must not do. Variables in the block that each thread has from its
 * start need no memory: the model "initial-exec" puts them there. musl has no room in that block
 * for libraries that are loaded late, and allocates for all threads while it loads the library.
 */
#ifndef RECORDER_BASE_THREAD_LOCAL_H
#define RECORDER_BASE_THREAD_LOCAL_H

#include <features.h>

#ifdef __GLIBC__
#define SIGNAL_SAFE __attribute__((tls_model("initial-exec")))
#else
#define SIGNAL_SAFE
#endif

#endif
