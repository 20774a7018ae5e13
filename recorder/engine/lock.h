/* lock.h - events of monitors, and which thread holds one, for the wall-clock sampler. */
#ifndef RECORDER_ENGINE_LOCK_H
#define RECORDER_ENGINE_LOCK_H

#include "recorder/capture/engine.h"

extern struct engine engine_lock; /* JavaMonitorEnter, JavaMonitorWait */

/* Finds the thread that holds the monitor for which a Java thread waits now, and stores it for the
 * event of that wait. Does so once for each wait, and only after half of the threshold of the
 * event. Costs a lookup in a table, and 5 to 10 us if the holder is looked up. `now`: ticks.
 * Threads: the wall-clock sampler, with its own env. */
void lock_find_holder(JNIEnv *env, int64_t java_id, int64_t now);

#endif
