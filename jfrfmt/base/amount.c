/* amount.c - numbers with the unit in which they are short. */
#include "jfrfmt/base/amount.h"

static double size_of(double v)
{
    return v < 0 ? -v : v;
}

void amount_put_bytes(struct buf *b, int64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double)bytes;
    int unit = -1;

    while (size_of(v) >= 999.95 && unit < 5) { /* what would be shown as 1000.0 */
        v /= 1000;
        unit++;
    }
    if (unit < 0)
        buf_printf(b, "%lld B", (long long)bytes);
    else
        buf_printf(b, "%.1f %s", v, units[unit]);
}

void amount_put_ns(struct buf *b, int64_t ns)
{
    double v = (double)ns, size = size_of(v);

    if (ns == 0)
        buf_str(b, "0 s");
    else if (size < 1e3)
        buf_printf(b, "%lld ns", (long long)ns);
    else if (size < 1e6)
        buf_printf(b, "%.3g us", v / 1e3);
    else if (size < 1e9)
        buf_printf(b, "%.3g ms", v / 1e6);
    else
        buf_printf(b, size < 100e9 ? "%.3g s" : "%.0f s", v / 1e9);
}

const char *amount_bytes(int64_t bytes, char text[32])
{
    struct buf b = buf_fixed(text, 32);

    amount_put_bytes(&b, bytes);
    buf_byte(&b, '\0');
    return text;
}
