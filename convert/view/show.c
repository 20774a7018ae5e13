/*
 * show.c - writes a value of a view as `jfr view` of JDK 25 shows it: spans, times, texts.
 *
 * In: a value, and the texts that its number may stand for.
 */
#include "convert/text/javatext.h"
#include "convert/text/shown.h"
#include "convert/view/internal.h"

#include <math.h>
#include <time.h>

static void show_view_span(struct buf *b, int64_t span)
{
    if (span == INT64_MAX)
        buf_str(b, "Indefinite");
    else
        shown_span(b, span);
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
    case VIEW_INSTANT:
        javatext_time_ns(b, v->i, 0);
        break;
    case VIEW_BYTES:
        shown_amount(b, v->d, SHOWN_BYTES);
        break;
    case VIEW_BITS:
        shown_amount(b, v->d, SHOWN_BITS);
        break;
    case VIEW_BYTE_RATE:
        shown_amount(b, v->d, SHOWN_BYTE_RATE);
        break;
    case VIEW_BIT_RATE:
        shown_amount(b, v->d, SHOWN_BIT_RATE);
        break;
    case VIEW_PERCENT:
        /* Halves up: shares of few samples are often exact ones, which printf() rounds to even. */
        buf_printf(b, "%.2f%%", floor(v->d * 10000 + 0.5 + 1e-9) / 100);
        break;
    case VIEW_HERTZ:
        buf_printf(b, "%lld Hz", (long long)v->i);
        break;
    case VIEW_ADDRESS:
        shown_address(b, v->i);
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
