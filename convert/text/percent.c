/* percent.c - decodes percent-encoded texts. */
#include "convert/text/percent.h"

#include <string.h>

static int hex_value(char c)
{
    const char *digits = "0123456789abcdef", *at = c == '\0' ? NULL : strchr(digits, c | 0x20);

    return at == NULL ? -1 : (int)(at - digits);
}

void percent_decode(char *text)
{
    char *to = text;

    for (const char *p = text; *p != '\0'; p++) {
        int high = *p == '%' ? hex_value(p[1]) : -1, low = high < 0 ? -1 : hex_value(p[2]);

        *to++ = low < 0 ? *p : (char)(high << 4 | low);
        p += low < 0 ? 0 : 2;
    }
    *to = '\0';
}
