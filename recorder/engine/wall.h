/*
 * wall.h - samples of wall-clock time: what threads do, or wait for, at regular moments.
 *
 * A thread of the recorder's visits all threads once per interval, spread over it, in random order.
 * One that runs gets a signal and looks at its own stack. One that sleeps is left alone: no system
 * call of it returns early because of us; the VM is asked for its stack once, and as long as it has
 * not run since, visits are counted and written as one event with their number. Rounds that would
 * take more than a quarter of a processor, and those that come too late, are left out and counted.
 */
#ifndef RECORDER_ENGINE_WALL_H
#define RECORDER_ENGINE_WALL_H

#include "recorder/capture/engine.h"

extern struct engine engine_wall;

/* Samples written since the start, and signals sent. */
void engine_wall_status(int64_t *interval_ns, uint64_t *n_samples, uint64_t *n_signals);

#endif
