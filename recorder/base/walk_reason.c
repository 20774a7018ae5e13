#include "recorder/base/walk_reason.h"

#include <stddef.h>

static const char *const names[WALK_N_REASONS] = {
    [WALK_END] = "end",
    [WALK_TRUNCATED] = "truncated",
    [WALK_NO_JAVA] = "no_Java_frame",
    [WALK_NOT_READY] = "no_class_load",
    [WALK_GC] = "GC_active",
    [WALK_UNKNOWN_NOT_JAVA] = "unknown_not_Java",
    [WALK_NOT_WALKABLE_NOT_JAVA] = "not_walkable_not_Java",
    [WALK_UNKNOWN_JAVA] = "unknown_Java",
    [WALK_NOT_WALKABLE_JAVA] = "not_walkable_Java",
    [WALK_UNKNOWN_STATE] = "unknown_state",
    [WALK_THREAD_EXIT] = "thread_exit",
    [WALK_DEOPT] = "deoptimization",
    [WALK_SAFEPOINT] = "safepoint",
    [WALK_BAD_SP] = "bad_stack_pointer",
    [WALK_BAD_PC] = "unknown_code",
    [WALK_BAD_FRAME] = "broken_frame",
    [WALK_FAULT] = "unreadable_memory",
    [WALK_LIMIT] = "too_many_steps",
};

const char *walk_reason_name(enum walk_reason reason)
{
    return reason < WALK_N_REASONS ? names[reason] : "unknown";
}
