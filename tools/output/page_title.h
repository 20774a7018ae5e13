/*
 * page_title.h - the title and the line below it of a page about recordings.
 *
 * Threads: any.
 */
#ifndef TOOLS_OUTPUT_PAGE_TITLE_H
#define TOOLS_OUTPUT_PAGE_TITLE_H

#include "convert/profile/profile.h"

/* Appends "app.jfr" or "app.jfr and 2 more" for the first of n files, and a 0 byte; nothing but
 * that for standard input alone. */
void page_title_put(const char *file, size_t n, struct buf *b);

/* Writes when the recording was made, "2026-11-20 09:34:16 UTC, 60 s", to text, which has n bytes;
 * "" if that is not known. */
void page_subtitle(const struct profile_facts *f, char *text, size_t n);

#endif
