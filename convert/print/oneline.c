/*
 * oneline.c - an event on one line, made of its lines:
 *
 *     2026-11-20 09:34:16.067 jdk.FileRead, duration = 7.47 ms, path = "/srv/a", ...
 *
 * Values have no line feeds of their own in this style (text_put_str).
 */
#include "convert/print/text_internal.h"

#include <string.h>

#define START "  startTime = "

struct line {
    const char *p;
    size_t n;
};

/* The next line of a text, without its line feed; the last one, before a stack trace, has none.
 * Returns false at the end. */
static bool next_text_line(struct line *rest, struct line *line)
{
    const char *end;

    if (rest->n == 0)
        return false;
    end = memchr(rest->p, '\n', rest->n);
    *line = (struct line){rest->p, end == NULL ? rest->n : (size_t)(end - rest->p)};
    rest->p += line->n + (end != NULL);
    rest->n -= line->n + (end != NULL);
    return true;
}

/* "09:34:16.067 (2026-11-20)" as "2026-11-20 09:34:16.067 ". */
static void put_start_time(struct line time, struct buf *b)
{
    const char *space = memchr(time.p, ' ', time.n);
    size_t n = space == NULL ? time.n : (size_t)(space - time.p);

    if (n + 3 < time.n && space[1] == '(') {
        buf_bytes(b, space + 2, time.n - n - 3);
        buf_byte(b, ' ');
    }
    buf_bytes(b, time.p, n);
    buf_byte(b, ' ');
}

/* A field, or a line of a value of several lines. */
static void put_line_piece(struct line line, struct buf *b)
{
    size_t indent = 0;
    bool is_end;

    while (line.n > 0 && *line.p == ' ') {
        line.p++;
        line.n--;
        indent++;
    }
    while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == ','))
        line.n--; /* after elements of arrays */
    is_end = line.n == 1 && (*line.p == '}' || *line.p == ']');
    if (!is_end && (indent <= 2 || (b->n > 0 && b->p[b->n - 1] != '{' && b->p[b->n - 1] != '[')))
        buf_byte(b, ',');
    buf_byte(b, ' ');
    buf_bytes(b, line.p, line.n);
}

void text_make_one_line(struct text_printer *t, const char *name, struct buf *b, size_t from)
{
    struct line rest = {(const char *)b->p + from, b->n - from}, line;
    size_t n_start = strlen(START);

    buf_reset(&t->line);
    t->put.head = 0;
    if (name != NULL) {
        while (next_text_line(&rest, &line))
            if (line.n > n_start && memcmp(line.p, START, n_start) == 0)
                put_start_time((struct line){line.p + n_start, line.n - n_start}, &t->line);
        text_put_name(t, name, &t->line);
        t->put.head = t->line.n;
        rest = (struct line){(const char *)b->p + from, b->n - from};
    }
    while (next_text_line(&rest, &line))
        if (name == NULL || line.n <= n_start || memcmp(line.p, START, n_start) != 0)
            put_line_piece(line, &t->line);
    if (!buf_ok(b) || !buf_ok(&t->line)) {
        b->failed = true;
        return;
    }
    b->n = from;
    buf_bytes(b, t->line.p, t->line.n);
}
