/*
 * signals.h - the signal in whose handler a thread records its own stack.
 *
 * One signal serves all engines, so handlers never nest. The sender stores a cookie of the target
 * thread (threads_cookie(t, kind)) in the value of the signal. A signal without a cookie belongs to
 * another library and is passed to the handler that was installed before ours.
 */
#ifndef RECORDER_CAPTURE_SIGNALS_H
#define RECORDER_CAPTURE_SIGNALS_H

#include "recorder/capture/engine.h"
#include "recorder/capture/threads.h"

#include <signal.h>

#define SIGNAL_KINDS 16
#define SIGNAL_CPU 0 /* kind of cookies in timers of CPU time */
#define SIGNAL_WALL 1

/* Installs our handler for the first of SIGVTALRM, SIGSTKFLT and SIGPROF that has none; idempotent.
 * Returns the signal, or -1 and a line in why. The handler is never removed, since a signal may
 * arrive late. */
int signals_install(char why[200]);

/* Returns our signal if another library has replaced our handler, else 0. */
int signals_taken(void);

/* Signals with cookies of this kind become records of the engine, with this thread state. */
void signals_route(unsigned kind, const struct engine *engine, uint16_t state);

/* Returns how many signals of this kind were delivered, in all recordings. */
uint64_t signals_came(unsigned kind);

/* From now on signals of ITIMER_PROF are samples of CPU time, one for each `interval` ns that the
 * process spent; 0: they belong to another library. ITIMER_PROF sends SIGPROF, so our handler is
 * installed for that signal, too. Returns 0, or -1 if another library has a handler for it. */
int signals_from_itimer(int64_t interval);

/* Returns how many signals were not ours and were dropped, because no handler was installed before
 * ours. */
uint64_t signals_dropped(void);

#endif
