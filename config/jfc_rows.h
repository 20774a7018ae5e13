/*
 * jfc_rows.h - settings as lines of text, for readers that have no XML at hand.
 *
 *     jfrkit settings 1
 *     jdk.FileRead#threshold=10 ms
 *     jdk.FileRead#stackTrace=true
 *
 * One setting a line, in the order of first mention; a later line wins. Backslash, newline,
 * carriage return and tab within a value are written as \\ \n \r \t. Lines beginning with '#' and
 * empty lines mean nothing. recorder/settings/settings.h reads it.
 */
#ifndef CONFIG_JFC_ROWS_H
#define CONFIG_JFC_ROWS_H

#include "config/jfc.h"

#include <stdio.h>

#define JFC_ROWS_FIRST_LINE "jfrkit settings 1"

/* Writes everything in force. 0, or JFC_E_IO when the stream says so. */
int jfc_rows_write(const struct jfc *c, FILE *out);

#endif
