/*
 * table.c - options of tables that commands share: rows, order, format, and what --by groups by.
 *
 * jfr2table, top, jfrview and jfrdiff call it. Tables themselves are in convert/report.
 */
#include "tools/output/table.h"

#include "convert/view/words.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct cli_table_options, member)

static const struct cli_option rows[] = {
    {'f', "format", "NAME", "text (default), csv, tsv, json, html or md", CLI_STRING, AT(format),
     .more = "Write text for people (1.2 MB, 310 ms), or csv and json with plain numbers: "
             "bytes, nanoseconds, shares of 1, instants in nanoseconds since 1970. tsv, "
             "html and md have what people see.",
     .example = "jfrkit table --by user -f md app.jfr"},
    {'S', "sort", "COLUMN", "sort by this column; -COLUMN: in reverse", CLI_STRING, AT(sort),
     .more = "Sort by a column, by its name in CSV and JSON, or in a view by its title; "
             "with a minus in front the other way round. Default: samples; in a comparison "
             "the size of the difference.",
     .example = "jfrkit table --by thread -S thread app.jfr"},
    {'n', "limit", "N", "only the first N rows", CLI_STRING, AT(limit),
     .more = "Print only the first N rows. Many views print at most 25 rows; with this option, or "
             "--sort, they print all of them, or N.",
     .example = "jfrkit table -n 5 app.jfr"},
    {0, "json", NULL, "short for -f json", CLI_FLAG, AT(json)},
};

static const struct cli_option fit_rows[] = {
    {0, "width", "N", "N characters in a line", CLI_UNSIGNED, AT(width), .def = "as the terminal",
     .more = "Cut texts of the table so that lines have N characters. Numbers are never cut.",
     .example = "jfrkit table --width 60 app.jfr"},
    {0, "truncate", "WHERE", "cut cells at their end (default) or beginning", CLI_STRING,
     AT(truncate), .more = "Cut texts at their end or at their beginning."},
    {0, "cell-height", "N", "up to N lines in a cell, a frame on each", CLI_UNSIGNED, AT(height),
     .more = "Use up to N lines for a cell; a stack has one frame on each line."},
};

const struct cli_set cli_table_set = CLI_SET(NULL, rows, 0);
const struct cli_set cli_fit_set = CLI_SET("Table", fit_rows, 0);

int cli_table_check(const struct cli_command *command, struct cli_table_options *options)
{
    size_t n;

    if (options->json && options->format != NULL && strcmp(options->format, "json") != 0)
        return cli_usage(command, "--json and --format %s: give one of them", options->format);
    if (options->json)
        options->format = "json";
    if (options->format != NULL && table_as_named(options->format) < 0)
        return cli_usage(command, "--format: '%s' is none of text, csv, tsv, json, html, md",
                         options->format);
    if (options->limit != NULL && !cli_read_unsigned(options->limit, &n))
        return cli_usage(command, "--limit: '%s' is not a number", options->limit);
    if (options->truncate != NULL && strcmp(options->truncate, "end") != 0 &&
        strcmp(options->truncate, "beginning") != 0)
        return cli_usage(command, "--truncate: '%s' is neither end nor beginning",
                         options->truncate);
    return 0;
}

/* Has the column any text? The columns of a view have no type. */
static bool holds_texts(const struct table *t, size_t column)
{
    size_t n;

    for (size_t row = 0; row < table_n_rows(t); row++)
        if (table_text(t, row, column, &n) != NULL)
            return true;
    return false;
}

/* Numbers are wanted largest first, texts in their order. */
static int sort(const struct cli_command *command, const char *name, struct table *t)
{
    bool other = *name == '-';

    for (size_t i = 0; i < table_n_columns(t); i++)
        if (strcmp(table_column_name(t, i), name + other) == 0) {
            bool is_text = table_column_type(t, i) == TABLE_TEXT ||
                           (table_column_type(t, i) == TABLE_ANY && holds_texts(t, i));

            table_sort(t, i, is_text ? other : !other);
            return 0;
        }
    cli_error(command, "--sort: there is no column '%s'; there are:", name + other);
    for (size_t i = 0; i < table_n_columns(t); i++)
        cli_error(command, "    %s", table_column_name(t, i));
    return CLI_REPORTED;
}

bool cli_table_is_for_people(const struct cli_table_options *options)
{
    int as = options->format == NULL ? TABLE_AS_TEXT : table_as_named(options->format);

    return as != TABLE_AS_CSV && as != TABLE_AS_JSON;
}

int cli_table_write(const struct cli_command *command, const struct cli_table_options *options,
                    struct table *t, struct out *out)
{
    int as = options->format == NULL ? TABLE_AS_TEXT : table_as_named(options->format);
    int rc = options->sort == NULL ? 0 : sort(command, options->sort, t);
    size_t n;

    if (rc != 0)
        return rc;
    if (options->limit != NULL && cli_read_unsigned(options->limit, &n))
        table_limit(t, n);
    table_set_fit(t, (struct table_fit){
                         .width = options->width > 0 ? options->width : out_columns(out),
                         .height = options->height,
                         .from_beginning = options->truncate != NULL && *options->truncate == 'b'});
    return table_write(t, (enum table_as)as, out);
}

bool cli_dims_is_frames(const char *word)
{
    static const char *const words[] = {"method", "line", "package", "stack"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static int add(const struct cli_command *command, struct cli_profile_args *profile,
               struct cli_dims *d, const char *word)
{
    struct cli_list *attributes = &profile->profile.group_by;
    const char *attribute;
    struct jfr_error err = {0};

    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->names[i], word) == 0)
            return cli_usage(command, "--by: '%s' is named twice", word);
    if (cli_dims_is_frames(word)) {
        if (d->frames != NULL)
            return cli_usage(command, "--by: one of method, line, package, stack, not two");
        d->frames = word;
        return 0;
    }
    if (d->n == VIEW_KEYS)
        return cli_usage(command, "--by: too many words");
    d->names[d->n] = word;
    d->keys[d->n] = view_group_word(word, &d->texts, &attribute, &err);
    if (d->keys[d->n] == NULL)
        return cli_usage(command, "--by: %s", err.text);
    d->is_attribute[d->n] = attribute != NULL;
    d->ends[d->n] = strcmp(word, "thread") == 0  ? PROFILE_THREAD
                    : strcmp(word, "state") == 0 ? PROFILE_STATE
                    : attribute != NULL          ? PROFILE_KEY + (int)attributes->n
                                                 : -1;
    d->n++;
    if (attribute == NULL)
        return 0;
    if (attributes->n == PROFILE_KEYS)
        return cli_usage(command, "--by: too many words");
    return cli_list_add(attributes, attribute) ? 0 : cli_no_memory(command);
}

int cli_dims_read(const struct cli_command *command, const struct cli_list *by,
                  struct cli_profile_args *profile, struct cli_dims *dims)
{
    int rc = 0;

    if (profile->profile.group_by.n > 0)
        return cli_usage(command, "--group-by: say it with --by");
    if (!cli_list_add_words(&dims->words, by))
        return cli_no_memory(command);
    for (size_t i = 0; i < dims->words.n && rc == 0; i++)
        rc = add(command, profile, dims, dims->words.items[i]);
    if (rc == 0 && dims->n == 0 && dims->frames == NULL)
        dims->frames = "method";
    for (size_t i = 0; i < dims->n && rc == 0 && dims->frames != NULL; i++)
        if (dims->ends[i] < 0)
            rc = cli_usage(command, "--by: '%s' does not go with '%s'", dims->names[i],
                           dims->frames);
    return rc;
}

int cli_dims_profile(const struct cli_command *command, const struct cli_dims *dims,
                     struct cli_profile_args *args, const struct cli_list *files,
                     struct profile **profile)
{
    int rc;

    for (size_t i = 0; i < dims->n; i++) {
        args->profile.threads |= dims->ends[i] == PROFILE_THREAD;
        args->profile.states |= dims->ends[i] == PROFILE_STATE;
    }
    args->profile.lines |= strcmp(dims->frames, "line") == 0;
    args->profile.packages |= strcmp(dims->frames, "package") == 0;
    rc = cli_profile_read(command, args, files);
    if (rc != 0)
        return rc;
    args->opt.bare_keys = true;
    *profile = profile_new(&args->opt);
    return *profile == NULL ? cli_no_memory(command) : 0;
}

void cli_dims_free(struct cli_dims *dims)
{
    cli_list_free(&dims->words);
    arena_free(&dims->texts);
}
