/* call.h - the data of a record of a read, write or force. */
#ifndef RECORDER_IO_CALL_H
#define RECORDER_IO_CALL_H

#include <stdint.h>

enum io_kind {
    IO_FILE_READ,
    IO_FILE_WRITE,
    IO_FILE_FORCE,
    IO_SOCKET_READ,
    IO_SOCKET_WRITE,
    IO_N_KINDS
};

/* One call. In a record it is followed by text: the path, or the address of the peer and its host
 * name. */
struct io_call {
    int64_t bytes;
    int port;
    int32_t timeout_ms; /* of a read that waited; 0: no limit */
    uint8_t is_end; /* of file or stream; of a force: metadata too */
    uint8_t has_text;
    uint8_t n_host; /* bytes of the host name; 0: the program used an address, or accepted the
                       connection */
    uint8_t is_vain; /* nothing was read; channels return then, streams wait */
};

#endif
