/*
 * tempfile.h - files without a name, for what does not fit into memory.
 *
 *     int fd = tempfile_open();
 *     ...
 *     close(fd);                                  the file is gone
 *
 * Threads: any. Signals: not async-signal-safe.
 */
#ifndef JFRFMT_BASE_TEMPFILE_H
#define JFRFMT_BASE_TEMPFILE_H

/* Opens an empty file for reading and writing in the folder TMPDIR, or else /tmp. No other process
 * can open it, and it is deleted when the descriptor is closed, also if the process is killed.
 * Returns the descriptor, or -1 with errno. */
int tempfile_open(void);

#endif
