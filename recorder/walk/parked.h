/*
 * parked.h - walks made by another thread while the sampled one waits: walker "parked".
 *
 * The same walks as walk_vm's, frame by frame. A thread waits at most 10 ms before it walks itself.
 */
#ifndef RECORDER_WALK_PARKED_H
#define RECORDER_WALK_PARKED_H

#include "recorder/base/walker.h"

extern const struct walker walk_parked;

/* Walks so far: made by the walking thread; made by the waiting one, for want of a slot or time. */
void walk_parked_counts(uint64_t *walked, uint64_t *alone);

#endif
