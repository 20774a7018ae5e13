#include "recorder/capture/lost.h"

_Atomic uint64_t lost_counts[LOST_N], lost_bytes;

static const char *const names[LOST_N] = {
    [LOST_FULL] = "buffer full",
    [LOST_BUSY] = "recorder busy on the thread",
    [LOST_NO_BUFFER] = "too many walks at once",
    [LOST_LATE] = "not finished at the end",
    [LOST_NO_THREAD] = "thread unknown",
    [LOST_THREADS] = "threads without room",
    [LOST_WAITS] = "too many waits at once",
    [LOST_UNVISITED] = "thread not visited by wall-clock samples",
    [LOST_SIGNAL] = "signal did not arrive",
    [LOST_STATE] = "state of the thread not readable",
    [LOST_TOO_LARGE] = "record too large",
    [LOST_MISSED] = "too many missed ticks",
    [LOST_TYPES] = "no room for the event type",
    [LOST_UNFIT] = "event unlike its type",
    [LOST_CUT] = "text cut",
    [LOST_MEMORY] = "no memory",
    [LOST_REFUSED] = "refused by the writer",
    [LOST_WRITER] = "not writable",
};

const char *lost_name(enum lost_reason reason)
{
    return names[reason];
}
