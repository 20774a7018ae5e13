/*
 * perfdata.h - the VM's own counters (hsperfdata), read where the VM keeps them.
 *
 *     if (perfdata_open()) {
 *         const int64_t *threads = perfdata_number("java.threads.live");
 *         if (threads != NULL) ... = *threads;      live: each read gives the current value
 *     }
 *
 * The block lies in the process's memory, also when it is not shown as a file
 * (-XX:+PerfDisableSharedMem); with -XX:-UsePerfData there is none. Its place comes from the VM's
 * exported tables (gHotSpotVMStructs). What was found stays valid until the VM ends.
 *
 * Threads: any, after perfdata_open(). Signals: reading through pointers only.
 */
#ifndef RECORDER_BASE_PERFDATA_H
#define RECORDER_BASE_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the block of this process's VM; may be called again. False: there is none. */
bool perfdata_open(void);

/* A counter, or NULL: none of this name is a number. */
const int64_t *perfdata_number(const char *name);

/* Copies a text, cut to room - 1 bytes. The number of bytes it has in the block, which the VM cuts
 * at 1023 or so; -1: none of this name is a text. */
int perfdata_text(const char *name, char *out, size_t room);

/* The text itself, live and perhaps without an end within its *n bytes; NULL: none of this name. */
const char *perfdata_live_text(const char *name, size_t *n);

/* For tests and other processes' files: looks into this block instead. False: it is not one, which
 * perfdata_number() and perfdata_text() then respect. */
bool perfdata_use(const void *block, size_t n);

#endif
