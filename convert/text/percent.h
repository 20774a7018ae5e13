/* percent.h - %20 for a blank, as URLs and OpenTelemetry's environment variables have it. */
#ifndef CONVERT_TEXT_PERCENT_H
#define CONVERT_TEXT_PERCENT_H

/* Decodes a text in place. A % without two hexadecimal digits after it stays. */
void percent_decode(char *text);

#endif
