/* lock.h - events of monitors, and which thread holds one, for the wall-clock sampler. */
#ifndef RECORDER_ENGINE_LOCK_H
#define RECORDER_ENGINE_LOCK_H

#include "recorder/capture/engine.h"

extern struct engine engine_lock; /* JavaMonitorEnter, JavaMonitorWait */

/* If the Java thread has waited for a monitor for at least half of the threshold of its event, and
 * the holder was not asked for yet: finds the thread that holds the monitor now, for the event of
 * that wait. Costs a lookup in a table, and 5 to 10 us for a wait that is asked about. `now`:
 * ticks. Threads: the wall-clock sampler, whose environment env is. */
void lock_find_holder(JNIEnv *env, int64_t java_id, int64_t now);

#endif
