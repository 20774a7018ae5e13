/*
 * quantity.h - times and sizes as people write them, the same in every option, condition and
 * setting.
 *
 *     int64_t ns;
 *     if (quantity_time("1m30s", &ns) != QUANTITY_OK)
 *         complain();
 *
 * A time is a sum of decimal numbers with units: 20ms, 1.5 s, 1m30s; 0 needs none. Units: ns us ms
 * s m h d. A size is one decimal number and perhaps a unit: k, M, G or T, also as kB or KiB, in any
 * case of letters, powers of 1024. Blanks may stand before a unit. A number has at most 18 digits.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_QUANTITY_H
#define JFRFMT_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

enum quantity_error {
    QUANTITY_OK,
    QUANTITY_NO_NUMBER,
    QUANTITY_NO_UNIT, /* none of these */
    QUANTITY_TOO_LARGE, /* for int64_t */
};

/* Nanoseconds, bytes. Nothing is stored on an error. */
enum quantity_error quantity_time(const char *text, int64_t *ns);
enum quantity_error quantity_size(const char *text, int64_t *bytes);

/* A decimal number, digits / scale. */
struct quantity_number {
    int64_t digits, scale;
};

/* Reads a number at *p and moves *p to its end. False when there is no digit, or more than 18. */
bool quantity_number(const char **p, struct quantity_number *v);

#endif
