/*
 * wall.h - samples of wall-clock time: what threads do, or wait for, at regular moments.
 *
 * A thread of the recorder visits all threads once for each interval, spread over the interval, in
 * random order. A running thread gets a signal, whose handler records its stack. A sleeping thread
 * is not woken, so none of its system calls returns early because of us: JVMTI gives its stack
 * once, and as long as it has not run since, further visits are counted and written as one event
 * with their number. Rounds that would need more than a quarter of a processor, and those that are
 * late, are left out and counted.
 */
#ifndef RECORDER_ENGINE_WALL_H
#define RECORDER_ENGINE_WALL_H

#include "recorder/capture/engine.h"

extern struct engine engine_wall;

/* Samples written since the start, and signals sent. */
void engine_wall_status(int64_t *interval_ns, uint64_t *n_samples, uint64_t *n_signals);

#endif
