/*
 * sampler.h - what the agents here share: a thread of the VM goes round and asks the others to look
 * at their own stacks in a signal handler.
 *
 *     -agentpath:NAME_agent.so=SECONDS[,NUMBER]
 */
#ifndef TEST_DATA_WORKLOAD_NATIVE_SAMPLER_H
#define TEST_DATA_WORKLOAD_NATIVE_SAMPLER_H

#include <jvmti.h>
#include <stdbool.h>

extern int sampler_number; /* of the options */

/* Of the agent: once the VM is up, false: it has said why not; in the handler, for the request of
 * that number; on the sampling thread, for each thread; when the VM ends. */
bool sampler_open(JavaVM *java, jvmtiEnv *jvmti, JNIEnv *env);
void sampler_look(void *ucontext, int request);
void sampler_visit(int tid);
void sampler_report(void);

/* Has a thread look. False: it did not in time. */
bool sampler_ask(int tid);

/* Whether it is time to end. */
bool sampler_is_stopping(void);

long sampler_now_ns(void);

/* The place in n sorted numbers below which that share of them lies. */
int sampler_quantile(int *numbers, int n, double share);

#endif
