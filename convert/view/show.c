/* show.c - values as `jfr view` shows them. */
#include "convert/text/javatext.h"
#include "convert/view/internal.h"

#include <math.h>
#include <time.h>

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

/* A minute and more. */
static void show_long_span(struct buf *b, uint64_t s)
{
    uint64_t minutes = s / 60;

    if (s < 3600)
        buf_printf(b, "%llu m %llu s", (unsigned long long)minutes, (unsigned long long)(s % 60));
    else if (minutes < 24 * 60)
        buf_printf(b, "%llu h %llu m", (unsigned long long)(minutes / 60),
                   (unsigned long long)(minutes % 60));
    else
        buf_printf(b, "%llu d %llu h", (unsigned long long)(minutes / 1440),
                   (unsigned long long)(minutes % 1440 / 60));
}

/* Three significant digits in the unit that suits: 0.123 ms, 12.3 s, 1 m 5 s, 2 h 3 m, 1 d 2 h. */
static void show_view_span(struct buf *b, int64_t span)
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

    if (span == INT64_MAX) {
        buf_str(b, "Indefinite");
        return;
    }
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
        show_long_span(b, (ns + 500000000) / 1000000000);
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

/* The time of day, UTC. */
static void show_time(struct buf *b, int64_t ns)
{
    time_t s = (time_t)(ns / 1000000000) - (ns % 1000000000 < 0);
    struct tm tm;

    if (gmtime_r(&s, &tm) != NULL)
        buf_printf(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void view_show(struct buf *b, const struct view_value *v, const struct intern *texts)
{
    static const char *const bytes[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    static const char *const bits[] = {"kbit", "Mbit", "Gbit", "Tbit", "Pbit", "Ebit"};
    static const char *const byte_rates[] = {"kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"};
    static const char *const bit_rates[] = {"kbps", "Mbps", "Gbps", "Tbps", "Pbps", "Ebps"};
    const char *text;
    size_t n;

    if (v->kind == VIEW_NONE)
        return;
    if (v->kind == VIEW_TEXT) {
        text = intern_get(texts, v->text, &n);
        buf_bytes(b, text, n);
        return;
    }
    switch (v->format) {
    case VIEW_SPAN:
        show_view_span(b, v->is_real ? (int64_t)v->d : v->i);
        break;
    case VIEW_TIME:
        show_time(b, v->i);
        break;
    case VIEW_BYTES:
        show_amount(b, v->d, "byte", "bytes", bytes);
        break;
    case VIEW_BITS:
        show_amount(b, v->d, "bit", "bits", bits);
        break;
    case VIEW_BYTE_RATE:
        show_amount(b, v->d, "byte/s", "byte/s", byte_rates);
        break;
    case VIEW_BIT_RATE:
        show_amount(b, v->d, "bps", "bps", bit_rates);
        break;
    case VIEW_PERCENT:
        /* Halves up: shares of few samples are often exact ones, which printf() rounds to even. */
        buf_printf(b, "%.2f%%", floor(v->d * 10000 + 0.5 + 1e-9) / 100);
        break;
    case VIEW_HERTZ:
        buf_printf(b, "%lld Hz", (long long)v->i);
        break;
    case VIEW_ADDRESS:
        buf_printf(b, "0x%08llX", (unsigned long long)v->i);
        break;
    case VIEW_REAL:
        javatext_double(b, v->d);
        break;
    default:
        if (v->is_real)
            buf_printf(b, "%.2f", v->d);
        else if (v->is_unsigned)
            buf_printf(b, "%llu", (unsigned long long)v->i);
        else
            buf_printf(b, "%lld", (long long)v->i);
    }
}
