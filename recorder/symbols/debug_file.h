/*
 * debug_file.h - symbols that were split off into a debug file.
 *
 * Looked for where distributions put them: /usr/lib/debug/.build-id/xx/y.debug, then the name in
 * .gnu_debuglink beside the file, in .debug/ beside it, and under /usr/lib/debug. A file is
 * believed when its build id is the same; one without build id when its checksum is the one that
 * the link tells.
 *
 * Not async-signal-safe.
 */
#ifndef RECORDER_SYMBOLS_DEBUG_FILE_H
#define RECORDER_SYMBOLS_DEBUG_FILE_H

#include "recorder/symbols/symtab.h"

#include <stdbool.h>

/* Adds the functions of the debug file of `e`, whose path is `path`. False: there is none. */
bool symbols_debug_add(struct symtab *t, struct elf *e, const char *path);

/* The folder to look in instead of "/usr/lib/debug"; for tests. Borrowed; NULL: the default. */
void symbols_debug_root(const char *root);

#endif
