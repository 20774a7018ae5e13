/* jfr2parquet.c - the command jfr2parquet: events as Parquet files. The options are here;
 * convert/columns makes the tables. */
#include "convert/columns/columns.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"
#include "tools/output/json.h"
#include "tools/programs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct parquet_options {
    struct cli_list partition;
    unsigned long rows;
    bool without_context;
};

struct args {
    struct parquet_options parquet;
    struct cli_select_options select;
    struct cli_run_options run;
};

#define AT(member) offsetof(struct parquet_options, member)

static const struct cli_option rows[] = {
    {0, "partition", "LIST", "folders for engines: host=web1,service=shop,day", CLI_LIST,
     AT(partition),
     .more =
         "Put the files of each table into folders of these names, which engines show as columns. KEY=VALUE is a "
         "folder of that name; day is one for each day of the events, UTC. Keys and values consist of letters, "
         "digits, dots, dashes and underscores.",
     .example =
         "jfrkit convert -f parquet --partition host=web1,service=shop,day -o lake/ app.jfr"},
    {0, "group-rows", "N", "rows of a row group at most", CLI_POSITIVE, AT(rows), .def = "1048576",
     .more = "Write a row group after so many rows, or earlier where all tables hold 64 MB.",
     .example = "jfrkit convert -f parquet --group-rows 100000 -o lake/ app.jfr"},
    {0, "no-context", NULL, "no column for the context of events", CLI_FLAG, AT(without_context),
     .more = "Leave out the column context. Then the recording is read once only."},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, parquet)},
    {&cli_select_set, offsetof(struct args, select)},
    {&cli_run_set, offsetof(struct args, run), .without = "jobs each per"},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2parquet",
    .usage = "-o FOLDER/ | -e EVENT -o FILE [options] [recording ...]",
    .reads_recordings = true,
    .about = "Write events as Parquet, for DuckDB, ClickHouse and Spark.",
    .tables = tables,
    .suffix = ".parquet",
    .examples = "  jfrkit convert -f parquet -o lake/ app.jfr # a table for each event type\n"
                "  jfrkit convert -e ExecutionSample -o samples.parquet app.jfr # one file\n",
    .notes = "\n"
             "Into a folder goes FOLDER/EVENT/NAME-ID.parquet for each recording and event type,\n"
             "and the tables stacks and frames. The same recording gives the same files again.\n",
};

/* --- options --- */

static bool is_folder_word(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("._-", text[i]) == NULL)
            return false;
    return n > 0 && text[0] != '.';
}

/* Adds one word of --partition. 0 or EXIT_USAGE. */
static int add_folder(const char *word, size_t n, struct columns_options *to, struct buf *path)
{
    const char *equals = memchr(word, '=', n);

    if (n == 3 && memcmp(word, "day", 3) == 0) {
        to->by_day = true;
        return 0;
    }
    if (equals == NULL)
        return cli_usage(&command, "--partition: %.*s needs a value: %.*s=VALUE", (int)n, word,
                         (int)n, word);
    if (!is_folder_word(word, (size_t)(equals - word)) ||
        !is_folder_word(equals + 1, n - (size_t)(equals + 1 - word)))
        return cli_usage(&command,
                         "--partition: '%.*s' is not KEY=VALUE of letters, digits and . _ -",
                         (int)n, word);
    if (path->n > 0)
        buf_byte(path, '/');
    buf_bytes(path, word, n);
    return 0;
}

static int read_partition(const struct cli_list *list, struct columns_options *to, struct buf *path)
{
    int rc = 0;

    for (size_t i = 0; i < list->n && rc == 0; i++)
        for (const char *p = list->items[i]; *p != '\0' && rc == 0;) {
            size_t n = strcspn(p, ",");

            rc = n == 0 ? 0 : add_folder(p, n, to, path);
            p += n + (p[n] == ',');
        }
    if (path->n > 0) {
        buf_byte(path, '\0');
        to->partition = (const char *)path->p;
    }
    return rc != 0 || buf_ok(path) ? rc : cli_no_memory(&command);
}

/* A folder is what ends with a slash, or is one. */
static bool is_folder(const char *path)
{
    struct stat st;
    size_t n = strlen(path);

    return (n > 0 && path[n - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static int read_target(const struct args *args, struct columns_options *to)
{
    const char *path = args->run.output;

    if (path == NULL)
        return cli_usage(&command, "where to? -o FOLDER/, or -e EVENT and -o FILE.parquet");
    to->path = path;
    to->is_folder = strcmp(path, "-") != 0 && is_folder(path);
    if (!to->is_folder && cli_refuse_terminal(&command, path, NULL, ".parquet"))
        return EXIT_USAGE;
    if (!to->is_folder && (to->partition != NULL || to->by_day))
        return cli_usage(&command, "--partition is for a folder: -o %s/", path);
    return 0;
}

/* --- the run --- */

static bool is_empty(const void *json)
{
    return json_n_events(json) == 0;
}

/* The code of a run that ended well, or EXIT_FAILED after a message. */
static int close_tables_of(struct json *json, int code, bool verbose)
{
    struct jfr_error err = {0};

    if (columns_close(json, &err) != 0) {
        cli_report_error(&command, NULL, &err);
        return EXIT_FAILED;
    }
    if (verbose)
        cli_error(&command, "%" PRIu64 " files written", columns_n_files(json));
    return code;
}

static int convert_to_tables(const struct args *args, const struct cli_list *files,
                             struct select *select, const struct columns_options *options)
{
    const struct json_options json_options = columns_json_options();
    struct cli_run_options run = args->run;
    struct jfr_error err = {0};
    struct json *json = json_new(&json_options, select, &err);
    struct run_job job;
    struct cli_work work;
    int code;

    if (json == NULL) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    columns_open(json, options);
    job = json_job(json);
    job.err = columns_error(json);
    work = (struct cli_work){.job = &job,
                             .ctx = json,
                             .pool_rule = json_pool_rule(json),
                             .is_empty = is_empty,
                             .select = select};
    run.output = NULL; /* the tables are files of their own */
    run.jobs = 1;
    code = cli_run(&command, &run, files, &work);
    if (code == EXIT_DONE || code == EXIT_DAMAGED) {
        code = close_tables_of(json, code, run.verbose);
        cli_json_report_undeclared(&command, json, run.quiet);
    } else {
        columns_abort(json);
    }
    json_free(json);
    return code;
}

int jfr2parquet_main(int argc, char **argv)
{
    struct columns_options options = {0};
    struct args args = {0};
    struct select *select = NULL;
    struct cli_list files = {0};
    struct buf partition = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = read_partition(&args.parquet.partition, &options, &partition);
    if (rc == 0)
        rc = read_target(&args, &options);
    options.rows = args.parquet.rows;
    options.has_context = args.select.all_keys = !args.parquet.without_context;
    if (rc == 0)
        rc = cli_select(&command, &args.select, &files, &select);
    if (rc == 0)
        rc = convert_to_tables(&args, &files, select, &options);
    select_free(select);
    buf_free(&partition);
    cli_free(&command, &args, &files);
    return rc;
}
