/* jfr2csv - prints events as CSV, one column per field. The options are here; convert/json/csv.c
 * makes the cells. */
#include "convert/json/csv_columns.h"
#include "tools/output/json.h"
#include "tools/programs.h"

struct csv_options {
    struct cli_list fields;
    bool spreadsheet;
};

struct args {
    struct csv_options csv;
    struct cli_json json; /* how many events, alone */
    struct cli_select_options select;
    struct cli_run_options run;
};

#define AT(member) offsetof(struct csv_options, member)

static const struct cli_option csv_table[] = {
    {0, "fields", "LIST", "columns: event,startTime,eventThread.javaName ...", CLI_LIST, AT(fields),
     .def = "all fields",
     .more = "Print these columns, separated by commas. The column event is the name of the "
             "type; dots lead to parts: eventThread.javaThreadId.",
     .example = "jfrkit convert -f csv -e FileRead --fields startTime,duration,path app.jfr"},
    {0, "spreadsheet", NULL, "an apostrophe before text that looks like a formula", CLI_FLAG,
     AT(spreadsheet),
     .more = "Put an apostrophe before text that begins with = + - @, a tab or a carriage "
             "return, which a spreadsheet would run as a formula. Use this if you do not "
             "trust the program that was recorded.",
     .example = "jfrkit convert -o app.csv --spreadsheet app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, csv_table, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, csv)},
    {&cli_json_set, offsetof(struct args, json), .only = "head sample"},
    {&cli_select_set, offsetof(struct args, select)},
    {&cli_run_set, offsetof(struct args, run)},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2csv",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Print events as CSV.",
    .tables = tables,
    .suffix = ".csv",
    .examples = "  jfrkit convert -o app.csv -e FileRead app.jfr\n"
                "  jfrkit convert -f csv -e FileRead --fields startTime,duration,path app.jfr\n",
};

/* The columns that were requested; else those of all events, which takes a look at the input. 0 or
 * an exit code. */
static int find_columns(const struct args *args, const struct cli_list *files,
                        struct select *select, struct csv_columns *columns)
{
    struct jfr_error err = {0};
    const char *path = NULL;

    columns->is_guarded = args->csv.spreadsheet;
    for (size_t i = 0; i < args->csv.fields.n; i++)
        if (!csv_columns_add(columns, args->csv.fields.items[i]))
            return cli_no_memory(&command);
    if (args->csv.fields.n > 0)
        return intern_n(&columns->paths) > 0 ? 0 : cli_usage(&command, "--fields: names no field");
    if (!select_can_look_ahead(files->items, files->n))
        return cli_usage(&command, "--fields is needed where the input is no plain file");
    if (csv_columns_find(columns, select, files->items, files->n, &err, &path) == 0)
        return 0;
    cli_report_error(&command, path, &err);
    return EXIT_FAILED;
}

static int convert(struct args *args, const struct cli_list *files, struct select *select,
                   struct csv_columns *columns)
{
    struct json_options opt, read;
    int rc = cli_json_options(&command, &args->json, &read);

    if (rc == 0)
        rc = find_columns(args, files, select, columns);
    if (rc != 0)
        return rc;
    opt = json_options_default("csv");
    opt.head = read.head;
    opt.sample = read.sample;
    opt.csv = columns;
    opt.fields = (struct select_list){args->csv.fields.items, args->csv.fields.n};
    return cli_json_run(&command, &args->run, files, &opt, select);
}

int jfr2csv_main(int argc, char **argv)
{
    struct csv_columns columns = {0};
    struct args args = {0};
    struct select *select = NULL;
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = cli_select(&command, &args.select, &files, &select);
    if (rc == 0)
        rc = convert(&args, &files, select, &columns);
    select_free(select);
    csv_columns_free(&columns);
    cli_free(&command, &args, &files);
    return rc;
}
