/*
 * settings.c - jfrkit settings: prints what .jfc files and single settings add up to.
 *
 * Each value is printed with the file and line that set it. No JVM is involved.
 */
#include "config/jfc.h"
#include "convert/text/jsonw.h"
#include "convert/report/summary_names.h"
#include "tools/output/write.h"
#include "tools/rec/rec.h"

#include <stdlib.h>
#include <string.h>

struct args {
    struct cli_list overrides;
    const char *output;
    bool json, quiet;
};

#define AT(member) offsetof(struct args, member)

static const struct cli_option options[] = {
    {'s', "setting", "E#S=VALUE", "override; +E#S=VALUE adds what no file has", CLI_LIST,
     AT(overrides), .example = "jfrkit settings --setting jdk.FileRead#threshold=5ms mine.jfc"},
    {0, "json", NULL, "files, settings and warnings as JSON", CLI_FLAG, AT(json)},
    {'o', "output", "FILE", "write to FILE", CLI_STRING, AT(output)},
    {'q', "quiet", NULL, "no warnings on standard error", CLI_FLAG, AT(quiet),
     .more = "Print no warnings on standard error; with --json they are still in the output."},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {0},
};

static const struct cli_command command = {
    .name = "jfrec settings",
    .usage = "[options] FILE.jfc ...",
    .about = "Print the settings that .jfc files add up to: event, setting, value, file.",
    .tables = tables,
    .examples = "  jfrkit settings profile.jfc\n"
                "  jfrkit settings -s jdk.FileRead#threshold=5ms profile.jfc\n",
    .notes = "Later files replace settings of earlier ones; --setting replaces all.\n"
             "Exit: 0 ok, 1 failed, 2 usage.\n",
};

/* Sorted by event, then setting. */
static int compare(const void *a, const void *b)
{
    const struct jfc_setting *const *x = a, *const *y = b;
    int c = strcmp((*x)->event, (*y)->event);

    return c != 0 ? c : strcmp((*x)->setting, (*y)->setting);
}

struct table {
    const struct jfc *jfc;
    const struct jfc_setting **rows;
    size_t n;
    bool as_json;
};

static void print_cell(struct buf *b, const char *text, size_t width)
{
    size_t n = names_plain_width(text);

    names_plain(b, text);
    for (; n < width + 2; n++)
        buf_byte(b, ' ');
}

static size_t widest_setting(size_t width, const char *text)
{
    size_t n = names_plain_width(text);

    return n > width ? n : width;
}

static void print_settings_text(struct buf *b, const struct table *t)
{
    size_t event = 5, setting = 7, value = 5;

    for (size_t i = 0; i < t->n; i++) {
        event = widest_setting(event, t->rows[i]->event);
        setting = widest_setting(setting, t->rows[i]->setting);
        value = widest_setting(value, t->rows[i]->value);
    }
    print_cell(b, "Event", event);
    print_cell(b, "Setting", setting);
    print_cell(b, "Value", value);
    buf_str(b, "From\n");
    for (size_t i = 0; i < t->n; i++) {
        const struct jfc_setting *s = t->rows[i];

        print_cell(b, s->event, event);
        print_cell(b, s->setting, setting);
        print_cell(b, s->value, value);
        names_plain(b, s->from);
        if (s->line != 0)
            buf_printf(b, ":%u", s->line);
        buf_byte(b, '\n');
    }
}

/* A key and a text; NULL is null. */
static void print_pair(struct buf *b, const char *before, const char *key, const char *value)
{
    buf_printf(b, "%s\"%s\": ", before, key);
    if (value == NULL)
        buf_str(b, "null");
    else
        jsonw_str(b, value, strlen(value));
}

static void print_sources(struct buf *b, const struct jfc *jfc)
{
    size_t n;
    const struct jfc_source *s = jfc_sources(jfc, &n);

    for (size_t i = 0; i < n; i++) {
        print_pair(b, i == 0 ? "\n    {" : ",\n    {", "file", s[i].name);
        print_pair(b, ", ", "version", s[i].version);
        print_pair(b, ", ", "label", s[i].label);
        print_pair(b, ", ", "description", s[i].description);
        print_pair(b, ", ", "provider", s[i].provider);
        buf_byte(b, '}');
    }
}

static void print_place(struct buf *b, const char *from, unsigned line)
{
    print_pair(b, ", ", "from", from);
    if (line == 0)
        buf_str(b, ", \"line\": null}");
    else
        buf_printf(b, ", \"line\": %u}", line);
}

static void print_rows(struct buf *b, const struct table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        print_pair(b, i == 0 ? "\n    {" : ",\n    {", "event", t->rows[i]->event);
        print_pair(b, ", ", "setting", t->rows[i]->setting);
        print_pair(b, ", ", "value", t->rows[i]->value);
        print_place(b, t->rows[i]->from, t->rows[i]->line);
    }
}

static size_t kept_warnings(const struct jfc *jfc, const struct jfc_warning **w, size_t *n)
{
    *w = jfc_warnings(jfc, n);
    return *n < JFC_WARNINGS_MAX ? *n : JFC_WARNINGS_MAX;
}

static void print_settings_json(struct buf *b, const struct table *t)
{
    const struct jfc_warning *w;
    size_t all, n = kept_warnings(t->jfc, &w, &all);

    buf_str(b, "{\n  \"files\": [");
    print_sources(b, t->jfc);
    buf_str(b, "\n  ],\n  \"settings\": [");
    print_rows(b, t);
    buf_printf(b, "\n  ],\n  \"warnings\": %zu,\n  \"warning\": [", all);
    for (size_t i = 0; i < n; i++) {
        print_pair(b, i == 0 ? "\n    {" : ",\n    {", "text", w[i].text);
        print_place(b, w[i].from, w[i].line);
    }
    buf_str(b, "\n  ]\n}\n");
}

static void report_settings_warnings(const struct jfc *jfc)
{
    const struct jfc_warning *w;
    size_t all, n = kept_warnings(jfc, &w, &all);

    for (size_t i = 0; i < n; i++) {
        if (w[i].line == 0)
            cli_error(&command, "%s: warning: %s", w[i].from, w[i].text);
        else
            cli_error(&command, "%s:%u: warning: %s", w[i].from, w[i].line, w[i].text);
    }
    if (n < all)
        cli_error(&command, "%zu more warnings", all - n);
}

static int report_jfc_error(const struct jfc_error *err, const char *where)
{
    const char *file = err->file == NULL ? where : err->file;

    if (err->line == 0)
        cli_error(&command, "%s: %s", file, err->text);
    else
        cli_error(&command, "%s:%u: %s", file, err->line, err->text);
    return EXIT_FAILED;
}

/* 0, or an exit code after it was said. */
static int read_settings_files(struct jfc *jfc, const struct args *args,
                               const struct cli_list *files)
{
    struct jfc_error err = {0};

    for (size_t i = 0; i < files->n; i++)
        if (jfc_read_file(jfc, files->items[i], &err) < 0)
            return report_jfc_error(&err, files->items[i]);
    for (size_t i = 0; i < args->overrides.n; i++)
        if (jfc_override(jfc, args->overrides.items[i], "--setting", &err) < 0)
            return report_jfc_error(&err, "--setting");
    return EXIT_DONE;
}

static int write_settings_table(void *table, struct out *out)
{
    const struct table *t = table;

    (t->as_json ? print_settings_json : print_settings_text)(&out->b, t);
    return 0;
}

static int show_settings(const struct args *args, const struct cli_list *files)
{
    struct jfc *jfc = jfc_new();
    struct table t = {.jfc = jfc, .as_json = args->json};
    const struct jfc_setting *all;
    int rc = jfc == NULL ? cli_no_memory(&command) : EXIT_DONE;

    if (jfc != NULL && (rc = read_settings_files(jfc, args, files)) == EXIT_DONE) {
        all = jfc_settings(jfc, &t.n);
        t.rows = calloc(t.n + 1, sizeof(*t.rows));
        for (size_t i = 0; i < t.n && t.rows != NULL; i++)
            t.rows[i] = &all[i];
        if (t.rows != NULL)
            qsort(t.rows, t.n, sizeof(*t.rows), compare);
        if (!args->quiet)
            report_settings_warnings(jfc);
        rc = t.rows == NULL ? cli_no_memory(&command)
                            : cli_write(&command, args->output, write_settings_table, &t);
    }
    free(t.rows);
    jfc_free(jfc);
    return rc;
}

int rec_settings(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    cli_signals();
    if (files.n == 0 && args.overrides.n == 0)
        rc = cli_usage(&command, "which file? For example: jfrkit settings profile.jfc");
    else
        rc = show_settings(&args, &files);
    cli_free(&command, &args, &files);
    return rc;
}
