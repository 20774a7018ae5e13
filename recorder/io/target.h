/*
 * target.h - what a file descriptor is: a file with a path, a socket with a peer, or neither.
 *
 * Threads: any. Signals: none. A descriptor may be closed and opened again by another thread at any
 * time: the answer is about what it is now.
 */
#ifndef RECORDER_IO_TARGET_H
#define RECORDER_IO_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#define IO_TARGET_MAX 4096 /* bytes of a path or an address, the NUL included */

bool io_is_socket(int fd);

/* The path of a file as the kernel knows it, absolute and resolved. "": it has none (a pipe, a
 * device without a name). Returns its length. */
size_t io_path(int fd, char out[IO_TARGET_MAX]);

/* The other end of a socket: "127.0.0.1", "::1"; for a local one "[path]" and port 0. "": it is not
 * connected. Returns the length. */
size_t io_peer(int fd, char out[IO_TARGET_MAX], int *port);

#endif
