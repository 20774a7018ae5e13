#include "config/jfc_rows.h"

static void put_value(const char *value, FILE *out)
{
    for (const char *p = value; *p != '\0'; p++)
        switch (*p) {
        case '\\':
            fputs("\\\\", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\r':
            fputs("\\r", out);
            break;
        case '\t':
            fputs("\\t", out);
            break;
        default:
            fputc(*p, out);
        }
}

int jfc_rows_write(const struct jfc *c, FILE *out)
{
    size_t n;
    const struct jfc_setting *rows = jfc_settings(c, &n);

    fputs(JFC_ROWS_FIRST_LINE "\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s#%s=", rows[i].event, rows[i].setting);
        put_value(rows[i].value, out);
        fputc('\n', out);
    }
    return ferror(out) ? JFC_E_IO : 0;
}
