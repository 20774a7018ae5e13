/*
 * libs_maps.h - /proc/self/maps, reduced to the files with executable parts.
 *
 * Not async-signal-safe.
 */
#ifndef RECORDER_NATIVE_LIBS_MAPS_H
#define RECORDER_NATIVE_LIBS_MAPS_H

#include "recorder/native/lib_file.h"

#include <stdio.h>

/* Reads maps. The number of files, and *files to be freed by libs_maps_free(); -1: cannot be read
 * or memory is exhausted. Files beyond `max` are counted in *lost. */
int libs_maps_read(struct mapped_file **files, uint32_t max, uint64_t *lost);

/* The same from an open stream; for tests. */
int libs_maps_parse(FILE *maps, struct mapped_file **files, uint32_t max, uint64_t *lost);

void libs_maps_free(struct mapped_file *files, int n);

#endif
