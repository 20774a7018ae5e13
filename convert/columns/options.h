/* options.h - what is to be written as tables, and where. Part of columns.h. */
#ifndef CONVERT_COLUMNS_OPTIONS_H
#define CONVERT_COLUMNS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct columns_options {
    const char *path; /* the folder, or the file */
    bool is_folder;
    bool has_context; /* the select has all_keys */
    const char *partition; /* folders between that of a type and the files: "host=a/service=b";
                              NULL: none */
    bool by_day; /* a folder day=YYYY-MM-DD below these, by the start of the event, UTC */
    uint64_t rows; /* of a row group at most; 0: COLUMNS_ROWS */
};

#endif
