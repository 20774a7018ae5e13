/*
 * jfrdiff.c - jfrkit diff: what became more and what less, between two recordings or two choices of
 * one.
 *
 * Each side is a profile of its own with its own condition; convert/report/diff compares them and
 * computes standard errors. Gates (--fail-if) decide the exit code, and only if both sides were
 * read whole.
 */
#include "convert/report/diff.h"
#include "tools/output/profile.h"
#include "tools/output/table.h"
#include "tools/cli/nothing.h"
#include "tools/cli/watch.h"
#include "tools/output/write.h"
#include "tools/output/diff_page.h"
#include "tools/programs.h"

#include <stdlib.h>
#include <string.h>

#define GATES_SHOWN 20 /* trips that are printed in words */

struct diff_options {
    bool self;
    const char *norm;
    struct cli_list fail_if;
};

struct args {
    struct diff_options diff;
    struct cli_table_options table;
    struct cli_profile_args profile;
};

struct side {
    struct args args;
    char *times; /* of a choice, cut apart */
    struct cli_list files; /* borrowed */
    struct profile *profile;
    struct run_result result;
};

struct job {
    struct side sides[DIFF_SIDES];
    struct diff *diff;
    struct diff_gate **gates;
    size_t n_gates;
};

#define AT(member) offsetof(struct args, member)
#define AT_DIFF(member) offsetof(struct args, diff) + offsetof(struct diff_options, member)

static const struct cli_option options[] = {
    {0, "self", NULL, "compare self, not total samples of methods", CLI_FLAG, AT_DIFF(self),
     .more = "Compare samples that a method is on top of, not all that it is in."},
    {0, "norm", "HOW", "total (shares, default), duration (per second), none", CLI_STRING,
     AT_DIFF(norm),
     .more = "Divide by the total (shares); by the duration, for amounts per second that "
             "the recordings last, or the chosen ranges of time; or by none, for amounts as "
             "they are. Gates compare the same, but > 10% without a sign is always about "
             "shares.",
     .example = "jfrkit diff --norm duration old.jfr new.jfr"},
    {0, "fail-if", "GATE", "exit with 5 when 'total:/Json/ > +5% p<0.01'", CLI_LIST,
     AT_DIFF(fail_if),
     .more = "Exits with 5 when a method is so, and says which: total:/Json.*write/ > +5% "
             "p<0.01 when the share of a method that matches grew by more than 5 percent of "
             "what it was, with a p below 0.01. self: is about samples on top; < -5% about "
             "what became less; > 10% without a sign about the new share itself. The name "
             "is a glob or a /regular expression/; p may be missing. A method that was not "
             "there before has grown by more than any number. May be given several times; "
             "the output is written all the same.",
     .example = "jfrkit diff --fail-if 'total:/Json/ > +5% p<0.01' old.jfr new.jfr"},
    {'f', "format", "NAME", "text (default), csv, tsv, json, html, md, collapsed,\njunit, flame",
     CLI_STRING, AT(table) + offsetof(struct cli_table_options, format),
     .more = "Write text, csv, tsv, json, html or md; collapsed for stacks with two "
             "numbers, \"a;b;c 10 12\", as flame graph tools take a difference; junit for the "
             "gates as test cases; flame for the page that jfr2flame --diff makes. The page "
             "is also made without the option if the output's name ends in .html.",
     .example = "jfrkit diff -f junit -o gates.xml old.jfr new.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, options, 0);

static const struct cli_table tables[] = {
    {&own},
    {&cli_table_set, AT(table), .without = "format"},
    {&cli_profile_set, AT(profile.profile), .without = "also"},
    {&cli_run_set, AT(profile.run),
     .without = "max-memory each per"}, /* a comparison with a part is none */
    {&cli_fit_set, AT(table)},
    {&cli_select_set, AT(profile.select)},
    {&cli_frames_set, AT(profile.profile)},
    {0},
};

static const struct cli_command command = {
    .name = "jfrdiff",
    .usage = "[options] OLD NEW | KEY=VALUE KEY=VALUE [recording ...]",
    .about = "Compare two recordings, or two selections of events: what grew, what shrank.",
    .tables = tables,
    .examples = "  jfrkit diff old.jfr new.jfr\n"
                "  jfrkit diff user=alice user=bob app.jfr\n"
                "  jfrkit diff --fail-if 'total:/Json/ > +5% p<0.01' old.jfr new.jfr # for CI\n",
};

static bool is_report(const char *format, const char *name)
{
    return format != NULL && strcmp(format, name) == 0;
}

/* time=FROM..TO, either of which may be missing. */
static int add_times(struct side *s, const char *text)
{
    struct cli_select_options *select = &s->args.profile.select;
    char *dots;

    s->times = strdup(text);
    if (s->times == NULL)
        return cli_no_memory(&command);
    dots = strstr(s->times, "..");
    if (dots == NULL)
        return cli_usage(&command, "time=%s: not like time=10s..20s", text);
    *dots = '\0';
    if (*s->times != '\0')
        select->from = s->times;
    if (dots[2] != '\0')
        select->to = dots + 2;
    return 0;
}

/* 0 or an exit code. */
static int add_choice(struct side *s, const char *text)
{
    struct cli_select_options *select = &s->args.profile.select;
    bool ok;

    if (strncmp(text, "time=", 5) == 0)
        return add_times(s, text + 5);
    if (strncmp(text, "thread=", 7) == 0)
        ok = cli_list_add(&select->threads, text + 7);
    else if (strncmp(text, "thread!=", 8) == 0)
        ok = cli_list_add(&select->not_threads, text + 8);
    else
        ok = cli_list_add(&select->contexts, text);
    return ok ? 0 : cli_no_memory(&command);
}

/* Gives each side its recordings, and its condition. 0 or an exit code. */
static int read_sides(struct job *job, const struct cli_list *words)
{
    bool is_one = words->n >= 2 && cli_is_choice(words->items[0]) && cli_is_choice(words->items[1]);

    int rc = 0;

    if (!is_one && words->n != 2)
        return cli_usage(&command, "two recordings, or two choices like user=alice");
    for (int i = 0; i < DIFF_SIDES && rc == 0; i++) {
        struct side *s = &job->sides[i];

        s->files = is_one ? (struct cli_list){words->items + 2, words->n - 2}
                          : (struct cli_list){words->items + i, 1};
        if (is_one)
            rc = add_choice(s, words->items[i]);
    }
    if (rc == 0 && is_one && (words->n == 2 || strcmp(words->items[2], "-") == 0))
        return cli_usage(&command, "standard input cannot be read twice");
    return rc;
}

static int read_gates(struct job *job)
{
    const struct cli_list *list = &job->sides[0].args.diff.fail_if;
    struct jfr_error err = {0};

    job->gates = calloc(list->n + 1, sizeof(*job->gates));
    if (job->gates == NULL)
        return cli_no_memory(&command);
    for (size_t i = 0; i < list->n; i++) {
        job->gates[i] = diff_gate_new(list->items[i], &err);
        if (job->gates[i] == NULL)
            return cli_usage(&command, "--fail-if: %s", err.text);
        job->n_gates++;
    }
    return 0;
}

/* Says why one side has nothing. EXIT_USAGE when it names what its recordings do not have, else 0.
 */
static int report_missing(const struct side *s, int kind)
{
    const struct cli_profile_args *a = &s->args.profile;
    const struct explain_question question = {
        .select = a->filter,
        .kind = a->profile.kind != NULL || kind < 0 ? a->profile.kind : kind_name((enum kind)kind),
        .is_profile = true,
        .paths = s->files.items,
        .n_paths = s->files.n};

    return cli_nothing(&command, &question, profile_n(s->profile) == 0, a->run.quiet);
}

/* Reads what one side has; `kind` is that of the other one, or -1. */
static int read_side(struct side *s, int kind)
{
    struct cli_profile_args *a = &s->args.profile;
    struct cli_watch watch;
    struct run_options run = {.paths = s->files.items,
                              .n_paths = s->files.n,
                              .jobs = (unsigned)(a->run.jobs < 64 ? a->run.jobs : 64),
                              .on_damage = cli_report_damage,
                              .go_on = cli_watch_continues,
                              .ctx = &watch};
    struct jfr_error err = {0};
    const char *path = NULL;
    uint64_t damages;
    struct run_job job;
    int rc = cli_watch_start(&watch, &command, &a->run, &s->files);

    if (rc == 0)
        rc = cli_profile_read(&command, a, &s->files);
    if (rc != 0)
        return rc;
    if (select_is_serial(a->filter))
        run.jobs = 1;
    if (kind >= 0)
        a->opt.kind = kind;
    s->profile = profile_new(&a->opt);
    if (s->profile == NULL)
        return cli_no_memory(&command);
    job = profile_job(s->profile);
    damages = cli_report_contexts(&watch.report, select_context(a->filter));
    rc = run_all(&run, &job, NULL, &s->result, &err, &path);
    s->result.damages += damages;
    cli_watch_end(&watch, &s->result);
    if (rc == 0 && cli_select_report(&command, a->filter, a->run.quiet) != 0)
        return EXIT_USAGE;
    if (rc == 0 && (rc = profile_finish(s->profile)) != 0)
        jfr_fail(&err, JFR_E_NOMEM, 0, "out of memory");
    if (rc != 0)
        cli_report_error(&command, path, &err);
    if (rc != 0)
        return EXIT_FAILED;
    return report_missing(s, kind);
}

static int write_diff(void *ctx, struct out *out)
{
    const struct job *job = ctx;
    const struct args *args = &job->sides[0].args;
    struct table *t;
    int rc;

    if (is_report(args->table.format, "collapsed"))
        return diff_write_collapsed(job->sides[DIFF_BASE].profile, job->sides[DIFF_NEW].profile,
                                    out);
    if (is_report(args->table.format, "junit"))
        return diff_write_junit(job->diff, job->gates, job->n_gates, out);
    t = diff_table(job->diff, args->diff.self ? DIFF_SELF : DIFF_TOTAL);
    if (t != NULL && is_report(args->table.format, "md") &&
        !diff_note_gates(job->diff, job->gates, job->n_gates, t)) {
        table_free(t);
        t = NULL;
    }
    rc = t == NULL ? JFR_E_NOMEM : cli_table_write(&command, &args->table, t, out);
    table_free(t);
    return rc;
}

/* Says what trips; true when anything does. */
static bool report_gates(const struct job *job)
{
    struct buf line = {0};
    size_t n = 0;

    for (size_t g = 0; g < job->n_gates; g++)
        for (size_t i = 0; i < diff_n(job->diff); i++) {
            const struct diff_row *row = diff_row(job->diff, i);

            if (!diff_gate_trips(job->gates[g], job->diff, row) || n++ >= GATES_SHOWN)
                continue;
            buf_reset(&line);
            diff_describe(&line, job->diff, row, diff_gate_of(job->gates[g]));
            buf_byte(&line, 0);
            if (buf_ok(&line))
                cli_error(&command, "gate tripped: %s", (const char *)line.p);
        }
    if (n > GATES_SHOWN)
        cli_error(&command, "%zu more trips", n - GATES_SHOWN);
    buf_free(&line);
    return n > 0;
}

/* Writes what was compared, and answers as all commands do; a gate counts only for what was whole
 * enough to be written. */
static int finish(struct job *job)
{
    const struct cli_run_options *run = &job->sides[0].args.profile.run;
    struct run_result both = {.damages =
                                  job->sides[0].result.damages + job->sides[1].result.damages};
    bool empty = diff_samples(job->diff, DIFF_BASE) + diff_samples(job->diff, DIFF_NEW) == 0;
    int code = cli_exit_code(run, 0, &both, empty), rc;

    if (code == EXIT_FAILED)
        cli_error(&command, "the input is damaged (--strict)");
    if (code == EXIT_FAILED || code == EXIT_EMPTY)
        return code;
    rc = cli_write(&command, run->output, write_diff, job);
    if (rc != EXIT_DONE)
        return rc;
    return report_gates(job) ? EXIT_GATE : code;
}

static int compare(struct job *job, const struct cli_list *words)
{
    const char *format = job->sides[0].args.table.format;
    const char *how = job->sides[0].args.diff.norm;
    int norm = how == NULL ? DIFF_BY_TOTAL : diff_norm_named(how);
    int rc = is_report(format, "collapsed") || is_report(format, "junit")
                 ? 0
                 : cli_table_check(&command, &job->sides[0].args.table);

    if (rc == 0 && norm < 0)
        rc = cli_usage(&command, "--norm: '%s' is none of total, duration, none", how);
    if (rc == 0)
        rc = read_gates(job);
    if (rc == 0)
        rc = read_sides(job, words);
    cli_signals();
    if (rc == 0)
        rc = read_side(&job->sides[DIFF_BASE], -1);
    if (rc == 0)
        rc = read_side(&job->sides[DIFF_NEW],
                       (int)profile_facts(job->sides[DIFF_BASE].profile).kind);
    if (rc != 0)
        return rc;
    job->diff =
        diff_new(job->sides[DIFF_BASE].profile, job->sides[DIFF_NEW].profile, (enum diff_norm)norm);
    return job->diff != NULL ? finish(job) : cli_no_memory(&command);
}

int jfrdiff_main(int argc, char **argv)
{
    struct job job = {0};
    struct cli_list words = {0}, again = {0};
    int rc = diff_page_main(argc, argv);

    if (rc < 0)
        rc = cli_parse(&command, argc, argv, &job.sides[0].args, &words);
    if (rc >= 0)
        return rc;
    rc = cli_parse(&command, argc, argv, &job.sides[1].args, &again);
    if (rc < 0)
        rc = compare(&job, &words);
    diff_free(job.diff);
    for (size_t i = 0; i < job.n_gates; i++)
        diff_gate_free(job.gates[i]);
    free(job.gates);
    for (int i = 0; i < DIFF_SIDES; i++) {
        cli_profile_close(&job.sides[i].args.profile, job.sides[i].profile);
        free(job.sides[i].times);
    }
    cli_free(&command, &job.sides[0].args, &words);
    cli_free(&command, &job.sides[1].args, &again);
    return rc;
}
