/* table.h - options of all commands that print tables: the format of the table, and the fields by
 * which events are grouped into rows. */
#ifndef TOOLS_OUTPUT_TABLE_H
#define TOOLS_OUTPUT_TABLE_H

#include "convert/report/table.h"
#include "convert/view/table_by.h"
#include "tools/output/profile.h"

struct cli_table_options {
    const char *format, *sort, *limit, *truncate;
    bool json; /* short for the format "json" */
    unsigned long width, height;
};

extern const struct cli_set cli_table_set;
extern const struct cli_set cli_fit_set; /* how text is made to fit */

/* Checks the values and sets `format` for --json. 0, or EXIT_USAGE after a message. */
int cli_table_check(const struct cli_command *command, struct cli_table_options *options);

/* Is the table one that people read? Programs get CSV and JSON. */
bool cli_table_is_for_people(const struct cli_table_options *options);

/* Sorts, cuts and writes. 0, negative, or CLI_REPORTED: there is no such column. */
int cli_table_write(const struct cli_command *command, const struct cli_table_options *options,
                    struct table *t, struct out *out);

struct cli_dims {
    const char *names[VIEW_KEYS];
    const char *keys[VIEW_KEYS]; /* for table_by.h */
    bool is_attribute[VIEW_KEYS]; /* of contexts */
    int ends[VIEW_KEYS]; /* PROFILE_KEY + i, PROFILE_THREAD, PROFILE_STATE; -1: none of them */
    size_t n;
    const char *frames; /* "method", "line", "package", "stack"; NULL: none of them */
    struct cli_list words;
    struct arena texts;
};

/* Is it "method", "line", "package" or "stack"? */
bool cli_dims_is_frames(const char *word);

/* Reads --by; the keys of context among it are requested in profile->profile.group_by. 0, or the
 * exit code after a message. cli_dims_free() is to be called in any case. */
int cli_dims_read(const struct cli_command *command, const struct cli_list *by,
                  struct cli_profile_args *profile, struct cli_dims *dims);

/* Makes the profile whose methods, lines or packages a table of these dims shows; dims->frames is
 * set. 0, or the exit code after a message. cli_profile_close() is to be called in any case. */
int cli_dims_profile(const struct cli_command *command, const struct cli_dims *dims,
                     struct cli_profile_args *args, const struct cli_list *files,
                     struct profile **profile);

void cli_dims_free(struct cli_dims *dims);

#endif
