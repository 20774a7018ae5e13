/*
 * shown.h - values as the JDK's tools show them to people: "12.3 ms", "1.5 MB", "0x0000BEEF".
 *
 * Amounts are rounded as in JDK 25: half of the last digit goes up.
 *
 * Threads: any. Signals: no.
 */
#ifndef CONVERT_TEXT_SHOWN_H
#define CONVERT_TEXT_SHOWN_H

#include "jfrfmt/base/buf.h"

/* Three significant digits in the unit that suits: 0.123 ms, 12.3 s, 1 m 5 s, 2 h 3 m, 1 d 2 h. */
void shown_span(struct buf *b, int64_t ns);

enum shown_amount {
    SHOWN_BYTES, /* 1.5 MB; units are powers of 1024 */
    SHOWN_BITS,
    SHOWN_BYTE_RATE, /* 1.5 MB/s */
    SHOWN_BIT_RATE, /* 1.5 Mbps */
};
void shown_amount(struct buf *b, double v, enum shown_amount what);

/* At least eight hexadecimal digits: 0x0000BEEF. */
void shown_address(struct buf *b, int64_t v);

#endif
