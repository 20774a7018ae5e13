/*
 * place.h - where the tables of a recording are written.
 *
 * Internal to this folder. Threads: one.
 */
#ifndef CONVERT_COLUMNS_PLACE_H
#define CONVERT_COLUMNS_PLACE_H

#include "convert/columns/options.h"
#include "convert/text/out.h"
#include "jfrfmt/jfr.h"

#define PLACE_NO_DAY INT64_MIN

struct place { /* of the files of a recording */
    const struct columns_options *options;
    char name[128]; /* of each file, without its folder and ".parquet" */
};

/* `first` is the recording's first chunk, which tells it from others of that name. */
struct place place_for(const struct columns_options *options, const char *path,
                       const struct jfr_chunk_header *first);

/* The name of a table as that of a folder: every character but letters, digits and
 * ._-$ becomes _, and if any did, a number made of the whole name is appended, so that no two
 * tables have one folder. At most 120 bytes. */
void place_folder(const char *table, char to[128]);

/* Opens the file of a table, of a day since 1970 or PLACE_NO_DAY, with the folders that it lies in.
 * NULL and *err. */
struct out_file *place_open(const struct place *place, const char *table, int64_t day,
                            struct jfr_error *err);

#endif
