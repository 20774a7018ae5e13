/*
 * target.h - the path of a file descriptor, or the peer of a socket.
 *
 * Threads: any. Signals: none. Another thread may close a descriptor and open it again at any time:
 * the result is for what it is at the moment of the call.
 */
#ifndef RECORDER_IO_TARGET_H
#define RECORDER_IO_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#define IO_TARGET_MAX 4096 /* bytes of a path or an address, the NUL included */

bool io_is_socket(int fd);

/* Copies the path of a file as the kernel has it, absolute and with links resolved; "" if there is
 * none (a pipe, a device without a name). Returns its length. */
size_t io_path(int fd, char out[IO_TARGET_MAX]);

/* The other end of a socket: "127.0.0.1", "::1"; for a local one "[path]" and port 0. "": it is not
 * connected. Returns the length. */
size_t io_peer(int fd, char out[IO_TARGET_MAX], int *port);

#endif
