/*
 * diff_gate.c - the conditions of `diff --fail-if` on a difference, which decide the exit code.
 *
 * In: the text of a condition, then rows of a comparison. Out: whether a row meets the condition,
 * that is whether its change exceeds the limit and is not by chance (p).
 */
#include "convert/report/diff.h"
#include "convert/text/html.h"

#include <math.h>
#include <stdlib.h>

struct diff_gate {
    char *text;
    struct pattern *name;
    enum diff_of of;
    bool less; /* true: fails below the limit; false: above it */
    bool is_relative;
    double limit; /* of the change, or of the new share */
    double p; /* fails only if the probability is below this; 2: always */
};

static const char *skip_gate_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/* Reads the pattern at *s: a /regular expression/, whose last slash is followed by a blank or a
 * comparison, or a glob. */
static bool read_gate_name(struct diff_gate *g, const char **s, struct jfr_error *err)
{
    const char *from = *s, *end = from;
    char *text;

    if (*from == '/') {
        for (end = from + 1; *end != '\0' && !(*end == '/' && strchr(" \t<>", end[1]) != NULL);)
            end++;
        end += *end == '/';
    } else {
        end += strcspn(from, " \t<>");
    }
    if (end == from)
        return false;
    text = strndup(from, (size_t)(end - from));
    g->name = text == NULL ? NULL : pattern_new(text, err);
    free(text);
    *s = skip_gate_blanks(end);
    return g->name != NULL;
}

static bool read_limit(struct diff_gate *g, const char **s)
{
    char *end;

    if (**s != '>' && **s != '<')
        return false;
    g->less = **s == '<';
    *s = skip_gate_blanks(*s + 1);
    g->is_relative = **s == '+' || **s == '-';
    g->limit = strtod(*s, &end) / 100;
    if (end == *s || *end != '%' || !isfinite(g->limit))
        return false;
    *s = skip_gate_blanks(end + 1);
    return true;
}

static bool read_p(struct diff_gate *g, const char **s)
{
    char *end;

    g->p = 2;
    if (**s == '\0')
        return true;
    if (**s != 'p')
        return false;
    *s = skip_gate_blanks(*s + 1);
    if (**s != '<')
        return false;
    g->p = strtod(*s + 1, &end);
    if (end == *s + 1 || !(g->p > 0 && g->p <= 1))
        return false;
    *s = skip_gate_blanks(end);
    return **s == '\0';
}

static bool read_gate(struct diff_gate *g, const char *s, struct jfr_error *err)
{
    s = skip_gate_blanks(s);
    if (strncmp(s, "total:", 6) == 0)
        s += 6;
    else if (strncmp(s, "self:", 5) == 0)
        s += 5, g->of = DIFF_SELF;
    else
        return false;
    return read_gate_name(g, &s, err) && read_limit(g, &s) && read_p(g, &s);
}

struct diff_gate *diff_gate_new(const char *text, struct jfr_error *err)
{
    struct diff_gate *g = calloc(1, sizeof(*g));

    if (g != NULL && (g->text = strdup(text)) != NULL && read_gate(g, text, err))
        return g;
    if (g == NULL || g->text == NULL)
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    else
        jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is not like 'total:/Name/ > +5%% p<0.01'", text);
    diff_gate_free(g);
    return NULL;
}

void diff_gate_free(struct diff_gate *g)
{
    if (g == NULL)
        return;
    pattern_free(g->name);
    free(g->text);
    free(g);
}

const char *diff_gate_text(const struct diff_gate *g)
{
    return g->text;
}

enum diff_of diff_gate_of(const struct diff_gate *g)
{
    return g->of;
}

bool diff_gate_trips(const struct diff_gate *g, const struct diff *d, const struct diff_row *row)
{
    struct diff_change c;
    double value;

    if ((row->sums[g->of][DIFF_BASE].samples == 0 && row->sums[g->of][DIFF_NEW].samples == 0) ||
        !pattern_match(g->name, row->name, row->n))
        return false;
    c = diff_change(d, row, g->of);
    value = g->is_relative ? c.relative : c.share[DIFF_NEW];
    return (g->less ? value < g->limit : value > g->limit) && c.p < g->p;
}

void diff_describe(struct buf *b, const struct diff *d, const struct diff_row *row, enum diff_of of)
{
    struct diff_change c = diff_change(d, row, of);

    buf_bytes(b, row->name, row->n);
    buf_str(b, of == DIFF_SELF ? " self " : " total ");
    diff_put_value(b, d, c.value[DIFF_BASE]);
    buf_str(b, " -> ");
    diff_put_value(b, d, c.value[DIFF_NEW]);
    buf_str(b, " (");
    if (isinf(c.relative))
        buf_str(b, "new");
    else
        buf_printf(b, "%+.1f%%", 100 * c.relative);
    buf_printf(b, ", p=%.2g)", c.p);
}

static size_t n_trips(const struct diff *d, const struct diff_gate *g)
{
    size_t n = 0;

    for (size_t i = 0; i < diff_n(d); i++)
        n += diff_gate_trips(g, d, diff_row(d, i));
    return n;
}

bool diff_note_gates(const struct diff *d, struct diff_gate *const *gates, size_t n,
                     struct table *t)
{
    struct buf line = {0};
    bool ok = true;

    for (size_t g = 0; g < n && ok; g++) {
        size_t trips = n_trips(d, gates[g]);

        buf_reset(&line);
        buf_printf(&line, "- `%s`: ", gates[g]->text);
        if (trips == 0)
            buf_str(&line, "passed");
        else
            buf_printf(&line, "**tripped** by %zu %s", trips, trips == 1 ? "method" : "methods");
        buf_byte(&line, 0);
        ok = buf_ok(&line);
        if (ok)
            table_note(t, (const char *)line.p);
    }
    buf_free(&line);
    return ok;
}

/* Writes the condition as a test case of JUnit. The rows that meet it are the text of its failure.
 */
static void put_case(struct buf *b, const struct diff *d, const struct diff_gate *g)
{
    size_t trips = n_trips(d, g);
    struct buf line = {0};

    buf_str(b, "  <testcase classname=\"jfrdiff\" name=\"");
    html_attr(b, g->text, strlen(g->text));
    if (trips == 0) {
        buf_str(b, "\"/>\n");
        return;
    }
    buf_printf(b, "\">\n    <failure message=\"%zu %s\">", trips,
               trips == 1 ? "method" : "methods");
    for (size_t i = 0; i < diff_n(d); i++) {
        if (!diff_gate_trips(g, d, diff_row(d, i)))
            continue;
        buf_reset(&line);
        diff_describe(&line, d, diff_row(d, i), g->of);
        html_text(b, (const char *)line.p, line.n);
        buf_byte(b, '\n');
    }
    buf_str(b, "</failure>\n  </testcase>\n");
    b->failed |= !buf_ok(&line);
    buf_free(&line);
}

int diff_write_junit(const struct diff *d, struct diff_gate *const *gates, size_t n,
                     struct out *out)
{
    size_t failures = 0;

    for (size_t i = 0; i < n; i++)
        failures += n_trips(d, gates[i]) > 0;
    buf_printf(&out->b,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<testsuite name=\"jfrdiff\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
               n, failures);
    for (size_t i = 0; i < n; i++)
        put_case(&out->b, d, gates[i]);
    buf_str(&out->b, "</testsuite>\n");
    return out_check(out);
}
