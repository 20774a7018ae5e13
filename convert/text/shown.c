/*
 * shown.c - amounts of time, bytes and addresses as the JDK's tools show them to people.
 *
 * `jfr view` and `jfr print` are compared with these functions digit by digit, so rounding follows
 * JDK 25: half of the last digit is rounded up.
 */
#include "convert/text/shown.h"

#include <math.h>

/* A span in units of so many ns, with so many decimals; half of the last one is rounded up. */
static void show_rounded(struct buf *b, uint64_t ns, uint64_t unit, unsigned decimals,
                         const char *name)
{
    uint64_t step = unit, parts = 1, n;

    for (unsigned i = 0; i < decimals; i++) {
        step /= 10;
        parts *= 10;
    }
    n = (ns + step / 2) / step;
    buf_printf(b, "%llu", (unsigned long long)(n / parts));
    if (decimals > 0)
        buf_printf(b, ".%0*llu", (int)decimals, (unsigned long long)(n % parts));
    buf_str(b, name);
}

/* A minute and more: the two largest units, the second one rounded. */
static void show_long_span(struct buf *b, uint64_t ns)
{
    uint64_t s = (ns + 500000000) / 1000000000, minutes = s / 60;

    if (ns >= UINT64_C(3600000000000))
        minutes = (ns + UINT64_C(30000000000)) / UINT64_C(60000000000);
    if (ns >= UINT64_C(86400000000000))
        minutes = (ns + UINT64_C(1800000000000)) / UINT64_C(3600000000000) * 60;
    if (minutes < 60)
        buf_printf(b, "%llu m %llu s", (unsigned long long)minutes, (unsigned long long)(s % 60));
    else if (minutes < 24 * 60)
        buf_printf(b, "%llu h %llu m", (unsigned long long)(minutes / 60),
                   (unsigned long long)(minutes % 60));
    else
        buf_printf(b, "%llu d %llu h", (unsigned long long)(minutes / 1440),
                   (unsigned long long)(minutes % 1440 / 60));
}

void shown_span(struct buf *b, int64_t span)
{
    static const struct {
        uint64_t below, unit;
        unsigned decimals;
        const char *name;
    } forms[] = {
        {1000, 1000000, 6, " ms"},          {9995, 1000000, 5, " ms"},
        {99950, 1000000, 4, " ms"},         {999500, 1000000, 3, " ms"},
        {9995000, 1000000, 2, " ms"},       {99950000, 1000000, 1, " ms"},
        {999500000, 1000000, 0, " ms"},     {9995000000, 1000000000, 2, " s"},
        {59950000000, 1000000000, 1, " s"},
    };
    uint64_t ns = span < 0 ? -(uint64_t)span : (uint64_t)span;
    size_t i = 0;

    if (span == 0) {
        buf_str(b, "0 s");
        return;
    }
    if (span < 0)
        buf_byte(b, '-');
    while (i < sizeof(forms) / sizeof(forms[0]) && ns >= forms[i].below)
        i++;
    if (i < sizeof(forms) / sizeof(forms[0]))
        show_rounded(b, ns, forms[i].unit, forms[i].decimals, forms[i].name);
    else
        show_long_span(b, ns);
}

/* Half of a tenth goes up, as in JDK 25. */
static void show_amount(struct buf *b, double v, const char *one, const char *many,
                        const char *const *units)
{
    int unit = -1;

    while (fabs(v) >= 1024 && unit < 5) {
        v /= 1024;
        unit++;
    }
    if (unit < 0)
        buf_printf(b, "%.0f %s", v, fabs(v) == 1 ? one : many);
    else
        buf_printf(b, "%.1f %s", copysign(floor(fabs(v) * 10 + 0.5) / 10, v), units[unit]);
}

void shown_amount(struct buf *b, double v, enum shown_amount what)
{
    static const struct {
        const char *one, *many, *units[6];
    } words[] = {
        [SHOWN_BYTES] = {"byte", "bytes", {"kB", "MB", "GB", "TB", "PB", "EB"}},
        [SHOWN_BITS] = {"bit", "bits", {"kbit", "Mbit", "Gbit", "Tbit", "Pbit", "Ebit"}},
        [SHOWN_BYTE_RATE] = {"byte/s", "byte/s", {"kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"}},
        [SHOWN_BIT_RATE] = {"bps", "bps", {"kbps", "Mbps", "Gbps", "Tbps", "Pbps", "Ebps"}},
    };

    show_amount(b, v, words[what].one, words[what].many, words[what].units);
}

void shown_address(struct buf *b, int64_t v)
{
    buf_printf(b, "0x%08llX", (unsigned long long)v);
}
