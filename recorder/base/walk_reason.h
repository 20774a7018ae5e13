/* walk_reason.h - how walks of stacks end; one list for all walkers. */
#ifndef RECORDER_BASE_WALK_REASON_H
#define RECORDER_BASE_WALK_REASON_H

/* Why a walk ended. */
enum walk_reason {
    WALK_END, /* at the bottom */
    WALK_TRUNCATED, /* there is no more room for frames */
    WALK_NO_JAVA, /* the thread has no Java frames; not a failure */
    WALK_NOT_READY, /* class loading events are off (AsyncGetCallTrace -1) */
    WALK_GC, /* the VM collects garbage (-2) */
    WALK_UNKNOWN_NOT_JAVA, /* -3 */
    WALK_NOT_WALKABLE_NOT_JAVA, /* -4 */
    WALK_UNKNOWN_JAVA, /* -5 */
    WALK_NOT_WALKABLE_JAVA, /* -6 */
    WALK_UNKNOWN_STATE, /* -7 */
    WALK_THREAD_EXIT, /* -8 */
    WALK_DEOPT, /* -9 */
    WALK_SAFEPOINT, /* -10 */
    WALK_BAD_SP, /* the stack pointer left the stack or did not move */
    WALK_BAD_PC, /* in no known code */
    WALK_BAD_FRAME, /* a frame whose parts contradict each other */
    WALK_FAULT, /* memory that could not be read */
    WALK_LIMIT, /* too many steps */
    WALK_N_REASONS
};

/* "unknown_Java", "GC_active", ...: stable names for synthetic frames and counters. */
const char *walk_reason_name(enum walk_reason reason);

#endif
