/*
 * moment.h - time stamps as texts: 2026-11-28 09:15:02.123456, UTC, as DuckDB shows them.
 *
 * The order of the texts is that of the moments, and SQLite's functions of dates read them.
 * Threads: any. Memory: none.
 */
#ifndef CONVERT_SQL_MOMENT_H
#define CONVERT_SQL_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOMENT_CHARS 26

/* Microseconds since 1970 as MOMENT_CHARS characters. False outside of the years 0 to 9999: they
 * have no such text. */
bool moment_show(int64_t us, char text[MOMENT_CHARS]);

/* Reads a day, or a day and a time (timespec.h), in UTC where it names no zone; digits after
 * microseconds are cut off. False: it is neither. */
bool moment_read(const char *text, int64_t *us);

/* Is the text the beginning of those that moment_show() makes, so that it compares with them as its
 * moment does? */
bool moment_is_shown(const char *text);

/* Reads a text that compares with those of moment_show() as its moment does. False: it is none. */
bool moment_of_shown(const char *text, int64_t *us);

#endif
