/*
 * code_range.h - where the code of a loaded library is.
 *
 * Threads: any. Signals: not in handlers.
 */
#ifndef RECORDER_BASE_CODE_RANGE_H
#define RECORDER_BASE_CODE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct code_range {
    uintptr_t low, high; /* high: one past the last byte */
};

/* The executable segment that holds the address. False: no loaded library has it, and *out is
 * empty. */
bool code_range_find(uintptr_t address, struct code_range *out);

#endif
