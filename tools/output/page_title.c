/* page_title.c - how pages are called: by the recordings, and when they were made. */
#include "tools/output/page_title.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void page_title_put(const char *file, size_t n, struct buf *b)
{
    const char *slash = strrchr(file, '/');

    if (strcmp(file, "-") != 0)
        buf_str(b, slash == NULL ? file : slash + 1);
    else if (n > 1)
        buf_str(b, "standard input");
    if (n > 1)
        buf_printf(b, " and %zu more", n - 1);
    buf_byte(b, 0);
}

void page_subtitle(const struct profile_facts *f, char *text, size_t n)
{
    time_t first = (time_t)(f->first_ns / 1000000000);
    struct tm tm;
    size_t at;

    text[0] = '\0';
    if (f->first_ns <= 0 || gmtime_r(&first, &tm) == NULL)
        return;
    at = strftime(text, n, "%Y-%m-%d %H:%M:%S UTC", &tm);
    if (f->last_ns > f->first_ns)
        snprintf(text + at, n - at, ", %.*f s", f->last_ns - f->first_ns < 10000000000 ? 1 : 0,
                 (double)(f->last_ns - f->first_ns) / 1e9);
}
