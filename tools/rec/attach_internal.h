/* attach_internal.h - time and bytes for attach.c: deadlines, a request, a reply. */
#ifndef TOOLS_REC_ATTACH_INTERNAL_H
#define TOOLS_REC_ATTACH_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* A point in time, in ns of CLOCK_MONOTONIC, and how many ms there are until then (0 = past). */
int64_t wire_deadline(int timeout_ms);
int wire_left_ms(int64_t deadline);

/* Sleeps, but not beyond the deadline. */
void wire_nap(int ms, int64_t deadline);

#endif
