/* csv.c - samples summed up, as CSV: a column for each label and each measure, and the stack
 * with ';' between its frames, root first. */
#include "convert/formats/format.h"
#include "convert/text/jsonw.h"
#include "convert/text/textw.h"

static void put_header(const struct measures *m, struct buf *b)
{
    for (size_t i = 0; i < measures_n_keys(m); i++) {
        size_t n;
        const char *key = measures_key(m, i, &n);

        textw_cell(b, key, n, false);
        buf_byte(b, ',');
    }
    for (size_t i = 0; i < measures_n(m); i++)
        buf_printf(b, "%s/%s,", measures_get(m, i)->type, measures_get(m, i)->unit);
    buf_str(b, "stack\r\n");
}

static void put_row(const struct measures *m, const struct measures_row *row, struct buf *stack,
                    struct buf *b)
{
    for (size_t i = 0; i < measures_n_keys(m); i++) {
        size_t n = 0;

        if (row->labels[i] != MEASURES_NO_VALUE) {
            const char *text = measures_name(m, row->labels[i], &n);

            textw_cell(b, text, n, false);
        }
        buf_byte(b, ',');
    }
    for (size_t i = 0; i < measures_n(m); i++) {
        jsonw_u64(b, row->values[i]);
        buf_byte(b, ',');
    }
    buf_reset(stack);
    for (uint32_t i = 0; i < row->n; i++) {
        size_t n;
        const char *text = measures_name(m, frame_name_id(row->frames[i]), &n);

        if (i > 0)
            buf_byte(stack, ';');
        buf_bytes(stack, text, n);
    }
    b->failed |= !buf_ok(stack);
    textw_cell(b, (const char *)stack->p, stack->n, false);
    buf_str(b, "\r\n");
}

static int write_measures(const struct measures *m, struct out *out)
{
    struct buf stack = {0};
    int rc;

    put_header(m, &out->b);
    rc = out_check(out);
    for (size_t i = 0; i < measures_n_rows(m) && rc == 0; i++) {
        struct measures_row row = measures_row(m, i);

        put_row(m, &row, &stack, &out->b);
        rc = out_check(out);
    }
    buf_free(&stack);
    return rc;
}

const struct format format_csv = {
    .name = "csv", .suffix = ".csv", .is_labelled = true, .measures = write_measures};
