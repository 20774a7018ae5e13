/*
 * number.c - numbers that have a meaning: times, spans, amounts, addresses.
 *
 * The JDK's tool shows the meaning of a number only where the annotation itself is declared to be a
 * content type; otherwise it writes the value as its classes print it.
 */
#include "convert/print/text_internal.h"

#include "convert/text/date.h"
#include "convert/text/javatext.h"
#include "convert/text/jsonw.h"
#include "convert/text/shown.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NS INT64_C(1000000000)

static bool has_annotation(const struct jfr_field *f, const char *name)
{
    return jfr_annotation_find(f->annotations, f->n_annotations, name) != NULL;
}

static bool has_content_type(const struct jfr_field *f)
{
    for (size_t i = 0; i < f->n_annotations; i++) {
        const struct jfr_class *type = f->annotations[i].type;

        for (size_t k = 0; k < type->n_annotations; k++)
            if (strcmp(type->annotations[k].type->name, "jdk.jfr.ContentType") == 0)
                return true;
    }
    return false;
}

/* In the order in which the tool asks. */
struct text_member text_meaning_of(const struct jfr_field *f)
{
    bool is_rate = has_annotation(f, "jdk.jfr.Frequency");
    struct text_member m = {
        .field = f, .is_shown = has_content_type(f), .is_unsigned = f->is_unsigned};

    if (jfr_unit_is_span(f->unit))
        m.meaning = TEXT_SPAN;
    else if (jfr_unit_is_time(f->unit))
        m.meaning = TEXT_TIME;
    else if (has_annotation(f, "jdk.jfr.Percentage"))
        m.meaning = TEXT_PERCENT;
    else if (f->unit == JFR_UNIT_BYTES)
        m.meaning = is_rate ? TEXT_BYTE_RATE : TEXT_BYTES;
    else if (f->unit == JFR_UNIT_BITS)
        m.meaning = is_rate ? TEXT_BIT_RATE : TEXT_BITS;
    else if (has_annotation(f, "jdk.jfr.MemoryAddress"))
        m.meaning = TEXT_ADDRESS;
    else if (is_rate)
        m.meaning = TEXT_HERTZ;
    return m;
}

/* A number with so many decimals. Java rounds half up, and looks at the digits of the shortest text
 * that reads back as the number, not at its exact value. */
static void put_fixed(struct buf *b, double x, unsigned decimals)
{
    uint8_t room[64];
    struct buf text = buf_fixed(room, sizeof(room) - 1);
    char digits[400] = "0";
    size_t n = 1, point = 0;
    long exponent = 0;
    const char *p = (const char *)room;

    if (!isfinite(x)) {
        buf_str(b, isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity");
        return;
    }
    javatext_double(&text, fabs(x));
    room[text.n] = '\0';
    for (; *p != '\0' && *p != 'E'; p++)
        if (*p == '.')
            point = n;
        else
            digits[n++] = *p;
    if (*p == 'E')
        exponent = strtol(p + 1, NULL, 10);
    point = point == 0 ? n : point;
    while (exponent < 0 && n < sizeof(digits) - 1) { /* zeros in front */
        memmove(digits + 1, digits, n++);
        digits[0] = '0';
        exponent++;
    }
    for (; exponent > 0; exponent--)
        point++;
    while (n < point + decimals + 1 && n < sizeof(digits))
        digits[n++] = '0';
    if (digits[point + decimals] >= '5') /* the first digit is a 0, which takes what is carried */
        for (size_t i = point + decimals; i-- > 0 && ++digits[i] > '9';)
            digits[i] = '0';
    n = strspn(digits, "0");
    if (signbit(x))
        buf_byte(b, '-');
    if (n >= point)
        buf_byte(b, '0');
    else
        buf_bytes(b, digits + n, point - n);
    if (decimals > 0) {
        buf_byte(b, '.');
        buf_bytes(b, digits + point, decimals);
    }
}

static void put_padded(struct buf *b, uint64_t v, unsigned n)
{
    char digits[20];

    for (unsigned i = n; i-- > 0; v /= 10)
        digits[i] = (char)('0' + v % 10);
    buf_bytes(b, digits, n);
}

static void put_clock_time(const struct text_printer *t, int64_t s, int64_t ns, struct buf *b)
{
    struct date date;
    int64_t day;

    s += t->clock.zone_s;
    day = divide_down(s, 86400);
    date = date_of_day(day);
    s -= day * 86400;
    put_padded(b, (uint64_t)(s / 3600), 2);
    buf_byte(b, ':');
    put_padded(b, (uint64_t)(s / 60 % 60), 2);
    buf_byte(b, ':');
    put_padded(b, (uint64_t)(s % 60), 2);
    buf_byte(b, '.');
    put_padded(b, (uint64_t)(t->style->is_exact ? ns : ns / 1000000), t->style->is_exact ? 9 : 3);
    if (t->style->is_17)
        return;
    if (date.year <= 0) /* the year of its era, which is not shown */
        date.year = 1 - date.year;
    buf_str(b, date.year > 9999 ? " (+" : " (");
    if (date.year > 9999)
        jsonw_i64(b, date.year);
    else
        put_padded(b, (uint64_t)date.year, 4);
    buf_byte(b, '-');
    put_padded(b, date.month, 2);
    buf_byte(b, '-');
    put_padded(b, date.day, 2);
    buf_byte(b, ')');
}

static void put_shown_time(const struct text_printer *t, const struct text_member *m, int64_t x,
                           struct buf *b)
{
    enum jfr_unit unit = m->field->unit;
    int64_t per_s = unit == JFR_UNIT_TIMESTAMP_MS ? 1000 : unit == JFR_UNIT_TIMESTAMP_S ? 1 : NS;
    int64_t v = unit == JFR_UNIT_TIMESTAMP_TICKS ? jfr_epoch_ns(&t->clock.header, x) : x, s;

    if (x == INT64_MIN) {
        if (m->is_shown)
            buf_str(b, "N/A");
        else
            javatext_time_missing(b);
        return;
    }
    s = divide_down(v, per_s);
    if (m->is_shown)
        put_clock_time(t, s, (v - s * per_s) * (NS / per_s), b);
    else
        javatext_time(b, s, (uint32_t)((v - s * per_s) * (NS / per_s)), t->clock.zone_s);
}

/* The longest span of a unit, which means for ever. */
static void put_longest_span(const struct text_printer *t, enum jfr_unit unit, struct buf *b)
{
    int64_t per_s = unit == JFR_UNIT_MS ? 1000 : unit == JFR_UNIT_S ? 1 : NS;
    uint64_t hours = ((uint64_t)(INT64_MAX / per_s) + 1800) / 3600;

    if (t->style->is_17)
        buf_printf(b, "%" PRIu64 " d %" PRIu64 " h", hours / 24, hours % 24);
    else
        buf_str(b, "Forever");
}

static void put_shown_span(const struct text_printer *t, const struct text_member *m, int64_t x,
                           struct buf *b)
{
    enum jfr_unit unit = m->field->unit;
    int64_t ns = json_span_ns(&t->clock, x, unit);
    int compat = t->style->is_17 ? 17 : 25;

    if (!m->is_shown && unit == JFR_UNIT_TICKS)
        javatext_span(b, x == INT64_MIN || x == INT64_MAX ? x : ns, JAVATEXT_NS, compat);
    else if (!m->is_shown)
        javatext_span(b, x, (enum javatext_unit)(unit - JFR_UNIT_NS + JAVATEXT_NS), compat);
    else if (x == INT64_MIN)
        buf_str(b, "N/A");
    else if (x == INT64_MAX)
        put_longest_span(t, unit, b);
    else if (t->style->is_exact) {
        put_fixed(b, (double)ns / 1e9, 9);
        buf_str(b, " s");
    } else
        shown_span(b, ns);
}

static void put_plain_whole(const struct text_member *m, int64_t x, struct buf *b)
{
    if (m->is_unsigned)
        jsonw_u64(b, (uint64_t)x);
    else
        jsonw_i64(b, x);
}

static void put_exact_amount(int64_t x, bool is_bytes, bool is_rate, struct buf *b)
{
    buf_printf(b, "%" PRId64 " %s%s%s", x, is_bytes ? "byte" : "bit", x > 1 ? "s" : "",
               is_rate ? "/s" : "");
}

/* A number that a field's content type describes; `whole` is what counts for amounts. */
static void put_shown_number(const struct text_printer *t, const struct text_member *m,
                             int64_t whole, double real, bool is_real, bool is_float, struct buf *b)
{
    static const enum shown_amount amounts[] = {[TEXT_BYTES] = SHOWN_BYTES,
                                                [TEXT_BITS] = SHOWN_BITS,
                                                [TEXT_BYTE_RATE] = SHOWN_BYTE_RATE,
                                                [TEXT_BIT_RATE] = SHOWN_BIT_RATE};
    bool is_rate = m->meaning == TEXT_BYTE_RATE || m->meaning == TEXT_BIT_RATE;
    bool is_bytes = m->meaning == TEXT_BYTE_RATE || m->meaning == TEXT_BYTES;

    switch (m->meaning) {
    case TEXT_PERCENT:
        put_fixed(b, 100.0 * real, t->style->is_exact ? 9 : 2);
        buf_byte(b, '%');
        break;
    case TEXT_BYTES:
    case TEXT_BITS:
    case TEXT_BYTE_RATE:
    case TEXT_BIT_RATE:
        if (t->style->is_exact)
            put_exact_amount(whole, is_bytes, is_rate, b);
        else
            shown_amount(b, (double)whole, amounts[m->meaning]);
        break;
    case TEXT_ADDRESS:
        shown_address(b, whole);
        break;
    default:
        if (!is_real)
            put_plain_whole(m, whole, b);
        else if (is_float)
            javatext_float(b, (float)real);
        else
            javatext_double(b, real);
        if (m->meaning == TEXT_HERTZ)
            buf_str(b, " Hz");
    }
}

void text_put_whole(struct text_printer *t, const struct text_member *m, enum jfr_kind kind,
                    int64_t x, struct buf *b)
{
    bool is_missing = !m->is_unsigned &&
                      ((kind == JFR_LONG && x == INT64_MIN) || (kind == JFR_INT && x == INT32_MIN));

    if (m->meaning == TEXT_TIME)
        put_shown_time(t, m, x, b);
    else if (m->meaning == TEXT_SPAN)
        put_shown_span(t, m, x, b);
    else if (is_missing)
        buf_str(b, "N/A");
    else if (m->is_shown)
        put_shown_number(t, m, x, m->is_unsigned ? (double)(uint64_t)x : (double)x, false, false,
                         b);
    else
        put_plain_whole(m, x, b);
}

/* What is too large for a whole number is as large as one can be, as in Java. */
static int64_t whole_of_real(double x)
{
    return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
}

void text_put_real(struct text_printer *t, const struct text_member *m, double x, bool is_float,
                   struct buf *b)
{
    if (isnan(x) || (isinf(x) && x < 0))
        buf_str(b, "N/A");
    else if (isinf(x) && !(m->is_shown && m->meaning != TEXT_PLAIN))
        buf_str(b, "Infinity");
    else if (m->is_shown)
        put_shown_number(t, m, whole_of_real(x), x, true, is_float, b);
    else if (is_float)
        javatext_float(b, (float)x);
    else
        javatext_double(b, x);
}
