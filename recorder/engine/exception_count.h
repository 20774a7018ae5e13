/* exception_count.h - exceptions made since the first recording that counts them began. */
#ifndef RECORDER_ENGINE_EXCEPTION_COUNT_H
#define RECORDER_ENGINE_EXCEPTION_COUNT_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic int64_t exception_count;

#endif
