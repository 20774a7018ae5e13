/*
 * table_text.c - a table as lines of text, made to fit a width when one is requested.
 *
 * First the width of each column is found, then the widest columns become narrower until a line
 * fits. Methods lose their parameters before anything is cut, and cells may continue on further
 * lines, as the options say. Widths are counted in characters, not bytes.
 */
#include "convert/report/table_internal.h"

#include <stdlib.h>

#define WIDTH_MOST 100 /* characters of a column of text that is not the last one */
#define WIDTH_LEAST 8 /* that a column of text keeps when there is no room */
#define CUT "..."
#define STACK_BREAK " <- " /* between frames, see VIEW_STACK */

struct layout {
    const struct table *t;
    size_t *widths; /* by column; SIZE_MAX: not shown */
    size_t *least; /* that it keeps: of numbers all but the title */
    size_t last; /* column after the last one shown */
    struct buf cell;
};

/* Characters of UTF-8. */
static size_t text_width_of(const uint8_t *s, size_t n)
{
    size_t width = 0;

    for (size_t i = 0; i < n; i++)
        width += (s[i] & 0xc0) != 0x80;
    return width;
}

/* Bytes of the first `width` characters. */
static size_t bytes_of(const uint8_t *s, size_t n, size_t width)
{
    size_t i = 0;

    for (; i < n; i++)
        if ((s[i] & 0xc0) != 0x80 && width-- == 0)
            break;
    return i;
}

/* --- widths ----------------------------------------------------------------------------------- */

static size_t cells_width(struct layout *l, size_t column)
{
    size_t width = 0, most = l->t->fit.width > 0 ? SIZE_MAX : WIDTH_MOST;

    for (size_t row = 0; row < table_n_rows(l->t); row++) {
        size_t w;

        buf_reset(&l->cell);
        table_put_cell(&l->cell, l->t, row, column);
        w = text_width_of(l->cell.p, l->cell.n);
        if (w > most)
            w = most;
        if (w > width)
            width = w;
    }
    return width;
}

static size_t width_below(const struct layout *l, size_t column, size_t most)
{
    size_t w = l->widths[column];

    return w == SIZE_MAX || w <= most ? w : most > l->least[column] ? most : l->least[column];
}

/* The width of a line where columns have no more than `most`. */
static size_t line_width(const struct layout *l, size_t most)
{
    size_t width = 0;

    for (size_t i = 0; i < l->last; i++)
        if (l->widths[i] != SIZE_MAX)
            width += width_below(l, i, most) + (width > 0 ? 2 : 0);
    return width;
}

/* Takes from the widest columns what is too much. */
static void fit_widths(struct layout *l)
{
    size_t least = 0, most = l->t->fit.width;

    if (most == 0 || line_width(l, SIZE_MAX) <= most)
        return;
    while (least + 1 < most) { /* the largest limit that fits lies between them */
        size_t middle = least + (most - least) / 2;

        if (line_width(l, middle) <= l->t->fit.width)
            least = middle;
        else
            most = middle;
    }
    for (size_t i = 0; i < l->last; i++)
        l->widths[i] = width_below(l, i, least);
}

static bool lay_out(struct layout *l)
{
    size_t n = l->t->n_columns;

    l->widths = calloc(n + 1, sizeof(*l->widths));
    l->least = calloc(n + 1, sizeof(*l->least));
    if (l->widths == NULL || l->least == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *title = table_columns(l->t)[i].title;
        size_t width = text_width_of((const uint8_t *)title, strlen(title));
        size_t cells = table_is_shown(l->t, i) ? cells_width(l, i) : SIZE_MAX;

        l->widths[i] = cells > width ? cells : width;
        l->least[i] = table_is_left(l->t, i) ? WIDTH_LEAST : cells;
        if (cells != SIZE_MAX)
            l->last = i + 1;
    }
    fit_widths(l);
    return buf_ok(&l->cell);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void pad_cell(struct buf *b, size_t width, size_t have)
{
    for (; have < width; have++)
        buf_byte(b, ' ');
}

/* A text, no more than `width` characters of it. */
static void put_cut(struct buf *o, const uint8_t *s, size_t n, size_t width, bool from_beginning)
{
    size_t have = text_width_of(s, n), keep = width > strlen(CUT) ? width - strlen(CUT) : 0, skip;

    if (have <= width) {
        buf_bytes(o, s, n);
    } else if (from_beginning) {
        skip = bytes_of(s, n, have - keep);
        buf_str(o, CUT);
        buf_bytes(o, s + skip, n - skip);
    } else {
        buf_bytes(o, s, bytes_of(s, n, keep));
        buf_str(o, CUT);
    }
}

/* Of a method that is too long for one line the parameters go first: "java.util.List.of(...)". */
static void shorten_method(struct buf *cell, size_t width)
{
    const uint8_t *open = cell->n == 0 ? NULL : memchr(cell->p, '(', cell->n);
    size_t name = open == NULL ? 0 : (size_t)(open - cell->p);

    if (text_width_of(cell->p, cell->n) <= width || name == 0 || cell->p[cell->n - 1] != ')' ||
        memchr(cell->p, ' ', name) != NULL || cell->n - name < strlen("(" CUT ")"))
        return;
    cell->n = name;
    buf_str(cell, "(" CUT ")");
}

/* Where line `k` of a cell begins and ends; the last one that there may be has all the rest. False:
 * there is none. */
static bool table_line_of(const struct buf *cell, size_t width, size_t height, size_t k,
                          size_t *from, size_t *to)
{
    const uint8_t *p;
    bool is_stack = memmem(cell->p, cell->n, STACK_BREAK, strlen(STACK_BREAK)) != NULL;

    *from = 0;
    for (size_t i = 0;; i++) {
        *to = cell->n;
        p = is_stack ? memmem(cell->p + *from, cell->n - *from, STACK_BREAK, strlen(STACK_BREAK))
                     : NULL;
        if (i + 1 < height && p != NULL)
            *to = (size_t)(p - cell->p);
        else if (i + 1 < height && !is_stack)
            *to = *from + bytes_of(cell->p + *from, cell->n - *from, width);
        if (i == k)
            return true;
        if (*to == cell->n)
            return false;
        *from = *to + (p != NULL ? strlen(STACK_BREAK) : 0);
    }
}

/* Line `k` of a row; row SIZE_MAX: the titles. False: no cell has so many. */
static bool put_line(struct layout *l, size_t row, size_t k, struct buf *o)
{
    const struct table_fit *fit = &l->t->fit;
    size_t height = fit->height > 1 && row != SIZE_MAX ? fit->height : 1, start = o->n;
    bool any = false;

    for (size_t i = 0; i < l->last; i++) {
        size_t width = l->widths[i], from = 0, to = 0, begin, used;
        bool right = !table_is_left(l->t, i);

        if (width == SIZE_MAX)
            continue;
        buf_reset(&l->cell);
        if (row == SIZE_MAX)
            buf_str(&l->cell, table_columns(l->t)[i].title);
        else
            table_put_cell(&l->cell, l->t, row, i);
        if (fit->width > 0 && height == 1 && row != SIZE_MAX)
            shorten_method(&l->cell, width);
        if (table_line_of(&l->cell, width, height, k, &from, &to))
            any = true;
        else
            from = to;
        if (o->n > start)
            buf_str(o, "  ");
        begin = o->n;
        if (right)
            pad_cell(o, width, text_width_of(l->cell.p + from, to - from));
        put_cut(o, l->cell.p + from, to - from, fit->width > 0 ? width : SIZE_MAX,
                fit->from_beginning && row != SIZE_MAX);
        used = text_width_of(o->p + begin, o->n - begin);
        if (!right && i + 1 < l->last)
            pad_cell(o, width, used);
    }
    if (any)
        buf_byte(o, '\n');
    else
        o->n = start;
    return any;
}

int table_write_text(const struct table *t, struct out *out)
{
    struct layout l = {.t = t};
    size_t height = t->fit.height > 1 ? t->fit.height : 1;
    int rc = lay_out(&l) ? 0 : JFR_E_NOMEM;

    if (rc == 0)
        put_line(&l, SIZE_MAX, 0, &out->b);
    for (size_t row = 0; row < table_n_rows(t) && rc == 0; row++) {
        for (size_t k = 0; k < height && put_line(&l, row, k, &out->b); k++)
            ;
        rc = out_check(out);
    }
    table_put_notes(t, "", "\n", false, &out->b);
    free(l.widths);
    free(l.least);
    buf_free(&l.cell);
    return rc;
}
