/*
 * signals.h - the signal that makes threads look at their own stacks, and its handler.
 *
 * One signal serves all engines, so handlers never nest. Who sends it puts a cookie of the target
 * (threads_cookie(t, kind)) into its value; signals without one are somebody else's and are passed
 * on to the handler that was there before.
 */
#ifndef RECORDER_CAPTURE_SIGNALS_H
#define RECORDER_CAPTURE_SIGNALS_H

#include "recorder/capture/engine.h"
#include "recorder/capture/threads.h"

#include <signal.h>

#define SIGNAL_KINDS 16
#define SIGNAL_CPU 0 /* kind of cookies in timers of CPU time */
#define SIGNAL_WALL 1

/* Chooses the first of SIGVTALRM, SIGSTKFLT and SIGPROF that has no handler, and installs ours;
 * idempotent. The number, or -1 and a line in why. The handler stays: a late signal must find it.
 */
int signals_install(char why[200]);

/* The number of our signal, if somebody else has put a handler in the place of ours; 0: nobody. */
int signals_taken(void);

/* Cookies of this kind make records of this engine with this kind and thread state. */
void signals_route(unsigned kind, const struct engine *engine, uint16_t state);

/* How many of this kind have been delivered in all recordings so far. */
uint64_t signals_came(unsigned kind);

/* Signals of ITIMER_PROF are samples of CPU time, one for each interval that the process spent; 0:
 * they are another library's. ITIMER_PROF sends SIGPROF, so we take that signal, too. -1: another
 * handler has it. */
int signals_from_itimer(int64_t interval);

/* Signals that were not ours, and went nowhere because nobody was there before. */
uint64_t signals_dropped(void);

#endif
