/*
 * lock_holder.h - which Java thread holds the monitor that a thread waits for.
 *
 * Asks ThreadMXBean.getThreadInfo(id).getLockOwnerId(): 4 to 8 us on JDK 8 to 25, beside 300
 * threads, and no safepoint, since no stack is requested. JVMTI has two ways, which cost more: what
 * a thread waits for (can_get_current_contended_monitor) is not to be had by an agent that is
 * attached, and GetObjectMonitorUsage() stops all threads. The management classes are loaded by the
 * first call, which takes 3 ms (JDK 8) to 45 ms.
 *
 * Threads: one at a time, attached to the VM, without a pending exception; leaves none.
 */
#ifndef RECORDER_ENGINE_LOCK_HOLDER_H
#define RECORDER_ENGINE_LOCK_HOLDER_H

#include <jni.h>
#include <stdint.h>

/* Thread.getId() of the holder. 0: the thread does not wait for a monitor, the holder is a virtual
 * thread, or the JVM is without the module java.management. -1: not asked, since LOCK_HOLDERS_MAX
 * were requested in this second. */
int64_t lock_holder(JNIEnv *env, int64_t java_id);

#define LOCK_HOLDERS_MAX 100 /* a second, which take less than a thousandth of a processor */

#endif
