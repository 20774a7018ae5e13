/*
 * error.h - what went wrong, where, and in words a user can act on.
 *
 * Threads: an error belongs to the caller that passes it. Signals: jfr_fail() is not
 * async-signal-safe.
 */
#ifndef JFRFMT_BASE_ERROR_H
#define JFRFMT_BASE_ERROR_H

#include <stdint.h>

/* Calls answer 0, or a count, when they worked and one of these when they did not. */
enum jfr_errc {
    JFR_E_IO = -1, /* the system refused; the text carries strerror() */
    JFR_E_FORMAT = -2, /* the bytes are not what the format allows */
    JFR_E_SHORT = -3, /* the bytes end too early: still being written, cut, or disk full */
    JFR_E_UNSUPPORTED = -4, /* legal perhaps, but not readable here */
    JFR_E_NOMEM = -5,
    JFR_E_LIMIT = -6, /* a bound of this library was reached */
    JFR_E_CUT = -7, /* a chunk that was never completed: the JVM was killed, or still writes it */
};

struct jfr_error {
    int code; /* an enum jfr_errc, 0 = none */
    uint32_t chunk; /* 0-based number of the chunk in its file, when about a chunk */
    uint64_t offset; /* bytes from the start of the (unwrapped) file */
    char text[200]; /* one line: no newline, no program or file name, printable only */
};

/* Records the first error only, so the cause is not painted over by its consequences. `chunk` is
 * left as it is: the caller that has the chunk sets it. Bytes of `fmt`'s result that are not
 * printable ASCII become '?'. Returns err->code, to be used as `return jfr_fail(...)`. err may not
 * be NULL.
 */
int jfr_fail(struct jfr_error *err, enum jfr_errc code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
