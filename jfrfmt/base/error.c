#include "jfrfmt/base/error.h"

#include <stdarg.h>
#include <stdio.h>

int jfr_fail(struct jfr_error *err, enum jfr_errc code, uint64_t offset, const char *fmt, ...)
{
    va_list ap;

    if (err->code != 0)
        return err->code;
    err->code = code;
    err->offset = offset;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    for (char *p = err->text; *p != '\0'; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    return err->code;
}
