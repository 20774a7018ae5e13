/*
 * answer.h - what `jfrkit sql` prints: answers to queries, and the tables and columns that there
 * are.
 *
 *     struct answer a = {.command = &command, .options = &options, .sql = s, .of_table = ""};
 *     work.end = answer_queries; work.ctx = &a; work.is_empty = answer_is_empty;
 *     table_free(a.result);
 *
 * Functions with `shared` take a struct answer; they return 0 or a negative code, after a message
 * if out->rc is JFR_E_LIMIT.
 */
#ifndef TOOLS_OUTPUT_ANSWER_H
#define TOOLS_OUTPUT_ANSWER_H

#include "convert/sql/sql.h"
#include "tools/output/table.h"

struct answer {
    const struct cli_command *command;
    const struct cli_table_options *options;
    struct sql *sql;
    const char *of_table; /* whose columns are listed; "": of all that have rows */
    struct table *result; /* the last one; freed by the caller */
    size_t n_rows; /* of all results */
};

/* Answers all queries that were prepared and whose rows are ready, with an empty line between them.
 */
int answer_queries(void *shared, struct out *out);

/* Lists tables with their rows and three queries that fit, or columns. */
int answer_tables(void *shared, struct out *out);
int answer_schema(void *shared, struct out *out);

bool answer_is_empty(const void *shared);

/* Of ".schema TABLE": TABLE or "". NULL: the word is something else. */
const char *answer_schema_word(const char *word);

/* The table or column that was perhaps meant by the one in a message of SQLite, or NULL. */
const char *answer_nearest(const struct sql *s, const char *message);

#endif
