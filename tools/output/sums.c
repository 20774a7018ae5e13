/*
 * sums.c - rows and sums by any field of any event: the options, and the run.
 *
 * jfr2table calls it when a sum of a field is requested. The rows are those of a view that
 * convert/view/words.c makes of the words.
 */
#include "tools/output/sums.h"

#include "convert/view/words.h"
#include "convert/select/explain.h"
#include "tools/cli/nearest.h"

#include <string.h>

#define AT(i) ((i) * sizeof(struct cli_list))

/* clang-format off */
static const struct cli_option rows[] = {
    {0, "sum", "FIELDS", "totals of these fields: bytesRead,duration", CLI_LIST, AT(0),
     .more = "Add up these fields of the selected events, in a column for each. Rows are grouped by --by, "
             "which can name fields too: path, field.state (a field, even if contexts have that name), "
             "context.user, bucket(1s) for times; line and package are those of the method on top. Select the events with -e. A dot leads into a value: "
             "objectClass.name. Rows are sorted by time, or else by the first sum.",
     .example = "jfrkit table -e jdk.FileRead --by path --sum bytesRead,duration --p99 duration app.jfr"},
    {0, "avg", "FIELDS", "averages", CLI_LIST, AT(1),
     .example = "jfrkit table -e jdk.FileRead --by user --avg bytesRead app.jfr"},
    {0, "min", "FIELDS", "smallest values", CLI_LIST, AT(2)},
    {0, "max", "FIELDS", "largest values", CLI_LIST, AT(3),
     .example = "jfrkit table -e jdk.FileRead --by 'bucket(1s)' --max duration app.jfr"},
    {0, "p50", "FIELDS", "medians", CLI_LIST, AT(4)},
    {0, "p90", "FIELDS", "90th percentiles", CLI_LIST, AT(5)},
    {0, "p95", "FIELDS", "95th percentiles", CLI_LIST, AT(6)},
    {0, "p99", "FIELDS", "99th percentiles", CLI_LIST, AT(7),
     .more = "Print 99th percentiles of these fields. A percentile between two values is as far from "
             "them as its share says. Values after the first million are kept in a "
             "temporary file in the folder TMPDIR, or /tmp: 16 bytes for each."},
    {0, "p999", "FIELDS", "99.9th percentiles", CLI_LIST, AT(8)},
    {0, "unique", "FIELDS", "numbers of different values", CLI_LIST, AT(9),
     .example = "jfrkit table -e jdk.FileRead --by thread --unique path app.jfr"},
    {0, "first", "FIELDS", "values of the first events", CLI_LIST, AT(10)},
    {0, "last", "FIELDS", "values of the last events", CLI_LIST, AT(11)},
};
/* clang-format on */

const struct cli_set cli_sums_set = CLI_SET("Sums", rows, 0);

struct sums_job {
    const struct cli_command *command;
    const struct cli_sums *what;
    const struct cli_list *files;
    struct view_run *run;
    struct table *result;
};

/* Without memory it is as if none did; the run finds out. */
bool cli_sums_are_requested(const struct cli_sums *what, const struct cli_list *files)
{
    const struct select_list events = {what->select->events.items, what->select->events.n};
    bool may_look = events.n > 0 && select_can_look_ahead(files->items, files->n), is_asked = false;
    bool has_bucket = false, has_frames = false;
    struct cli_list words = {0};

    for (size_t i = 0; i < CLI_SUMS; i++)
        is_asked |= what->options->fields[i].n > 0;
    if (cli_list_add_words(&words, what->by))
        for (size_t i = 0; i < words.n && !is_asked; i++) {
            has_bucket |= view_word_is_bucket(words.items[i]);
            has_frames |= cli_dims_is_frames(words.items[i]);
            is_asked |= view_words_only(words.items[i]) || (has_bucket && has_frames) ||
                        (may_look && view_word_is_field(words.items[i], files->items[0], &events));
        }
    cli_list_free(&words);
    return is_asked;
}

/* Appends the words of --by and then those of the sums to `texts`, which words borrows. 0 or an
 * exit code. */
static int read_sum_words(const struct cli_command *command, const struct cli_sums *what,
                          struct cli_list *texts, struct view_words *words)
{
    size_t of_sum[CLI_SUMS] = {0}, n;
    bool ok = cli_list_add_words(texts, what->by);

    words->n_by = texts->n;
    for (size_t i = 0; i < CLI_SUMS && ok; i++) {
        n = texts->n;
        ok = cli_list_add_words(texts, &what->options->fields[i]);
        of_sum[i] = texts->n - n;
    }
    if (!ok)
        return cli_no_memory(command);
    if (words->n_by > VIEW_WORDS)
        return cli_usage(command, "--by: too many words");
    for (n = 0; n < words->n_by; n++)
        words->by[n] = texts->items[n];
    for (size_t i = 0; i < CLI_SUMS; i++)
        for (size_t k = 0; k < of_sum[i]; k++) {
            if (words->n_sums == VIEW_WORDS)
                return cli_usage(command, "--%s: too many fields", view_words_sum(i));
            words->sums[words->n_sums++] = (struct view_words_sum){i, texts->items[n++]};
        }
    return 0;
}

/* Names what no event has. CLI_REPORTED, or 0. */
static int report_unknown_field(const struct sums_job *job)
{
    bool is_text;
    const char *word = view_unknown(job->run, &is_text), *field;
    struct buf keys = {0};
    struct nearest near;

    if (word == NULL)
        return 0;
    if (is_text) {
        cli_error(job->command, "'%s' is no number: --unique, --first and --last take texts", word);
        return CLI_REPORTED;
    }
    word += strncmp(word, "field.", 6) == 0 ? 6 : strncmp(word, "context.", 8) == 0 ? 8 : 0;
    near = nearest_to(word, strlen(word));
    for (size_t i = 0; (field = view_field(job->run, i)) != NULL; i++)
        nearest_add(&near, field);
    field = nearest_found(&near);
    if (field == NULL)
        select_explain_keys(job->files->items, job->files->n, &keys);
    cli_error(job->command, "no selected event has '%s'%s%s%s%.*s", word,
              field == NULL ? "" : ", did you mean '", field == NULL ? "" : field,
              field == NULL ? "" : "'?", buf_ok(&keys) ? (int)keys.n : 0,
              keys.p == NULL ? "" : (const char *)keys.p);
    buf_free(&keys);
    return CLI_REPORTED;
}

static int write_sums(void *shared, struct out *out)
{
    struct sums_job *job = shared;
    int rc = report_unknown_field(job);

    if (rc != 0)
        return rc;
    job->result = view_table(job->run, false, true);
    return job->result == NULL ? JFR_E_NOMEM
                               : cli_table_write(job->command, job->what->table, job->result, out);
}

static bool has_no_rows(const void *shared)
{
    const struct sums_job *job = shared;

    return job->result == NULL || table_n_rows(job->result) == 0;
}

static int run_view(const struct cli_command *command, const struct cli_sums *what,
                    const struct view *view, const struct cli_list *files)
{
    struct sums_job job = {.command = command, .what = what, .files = files};
    struct cli_work work = {.ctx = &job, .end = write_sums, .is_empty = has_no_rows};
    struct cli_run_options run = *what->run;
    struct select *select = NULL;
    struct run_job view_run;
    int rc;

    what->select->all_keys = true;
    rc = cli_select(command, what->select, files, &select);
    if (rc == 0) {
        job.run = view_run_new(view, select);
        rc = job.run == NULL ? cli_no_memory(command) : 0;
    }
    if (rc == 0) {
        view_run = view_job(job.run);
        work.job = &view_run;
        run.jobs = select_is_serial(select) ? 1 : run.jobs;
        work.select = select;
        rc = cli_run(command, &run, files, &work);
    }
    table_free(job.result);
    view_run_free(job.run);
    select_free(select);
    return rc;
}

int cli_sums_run(const struct cli_command *command, const struct cli_sums *what,
                 const struct cli_list *files)
{
    struct view_words words = {0};
    struct cli_list texts = {0};
    struct jfr_error err = {0};
    const struct view *view = NULL;
    int rc = read_sum_words(command, what, &texts, &words);

    if (rc == 0) {
        view = view_of_words(&words, &err);
        if (view == NULL)
            rc = err.code == JFR_E_NOMEM ? cli_no_memory(command)
                                         : cli_usage(command, "--by: %s", err.text);
    }
    if (rc == 0)
        rc = run_view(command, what, view, files);
    view_of_words_free(view);
    cli_list_free(&texts);
    return rc;
}
