/*
 * walk.h - what the parts of the stack walker's test agent share.
 *
 * The agent runs the walker inside a VM and compares it with what JVMTI says. It prints lines of
 * the form "WALK name key=value ..." to standard error; scripts read them.
 */
#ifndef TEST_DATA_AGENT_WALK_H
#define TEST_DATA_AGENT_WALK_H

#include "recorder/walk/vm_walker.h"

#include <jvmti.h>
#include <stdint.h>

struct agent {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    struct walk_vm_state *state;
    const char *options;
};

extern struct agent agent;

/* The number behind "name=" in the options, or `otherwise`. */
long option(const char *name, long otherwise);

/* The Method* behind a jmethodID, up to JDK 25. */
uintptr_t method_of(jmethodID id);

/* Writes a frame's method into a buffer, for messages. */
const char *frame_text(const struct vm_frame *f, char *to, size_t n);
const char *method_text(jmethodID id, char *to, size_t n);

/* Compares everything that is loaded; call at the end. */
void check_methods(JNIEnv *env);

/* Compares each compiled method when it is reported. */
void check_compiled_begin(void);
void check_compiled_end(void);

/* Walks the calling thread by the public interface, in each way there is. The number of ways that
 * did not give these frames. */
int check_api(JNIEnv *env, const jvmtiFrameInfo *frames, jint n);

/* Runs the check at start against views of the VM that are wrong, and the right one. */
void check_selftest(JNIEnv *env);

/* Samples running threads for as long as the VM runs. */
void sample_begin(JNIEnv *env, int mode);
void sample_thread(JNIEnv *env, jthread thread);
void sample_thread_end(void);
void sample_end(void);

#endif
