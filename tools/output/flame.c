/*
 * flame.c - the command that writes a flame graph page: its options, and what they make of a
 * profile.
 *
 * jfr2flame and jfrkit flame call it. The profile comes from output.c, the page from convert/flame;
 * this file checks the options, names the page and prints what was written.
 */
#include "tools/output/flame.h"

#include "convert/flame/flame.h"
#include "convert/profile/tree.h"
#include "tools/cli/browser.h"
#include "tools/cli/internal.h"
#include "tools/cli/read_text.h"
#include "tools/output/min_group.h"
#include "tools/output/limit.h"
#include "tools/output/output.h"
#include "tools/output/page_title.h"
#include "tools/output/write.h"
#include "jfrfmt/base/amount.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FACET_STANDARD 5000
#define FACET_MOST (UINT32_C(1) << 24)

struct page_options {
    const char *title, *highlight, *theme, *palette, *min_share, *facets, *diff_norm, *split,
        *size_limit, *source_url, *min_group, *from_stacks;
    unsigned long facet_max;
    bool icicle, reverse, aggregate, diff, open;
};

struct args {
    struct page_options page;
    struct cli_profile_args profile;
};

struct job {
    const struct args *args;
    const struct cli_list *files;
    struct profile *profile;
    struct facets *facets; /* NULL with --aggregate */
    const char *diff[2];
    struct buf diff_texts[2];
    double min_share;
    struct cli_limit limit;
    size_t n_frames; /* of the tree that was written */
};

static const struct cli_option page_table[] = {
    {0, "open", NULL, "open it in a browser; without -o as RECORDING.html", CLI_FLAG,
     offsetof(struct page_options, open),
     .more = "Open the page in a browser: the program that the variable BROWSER names, else "
             "xdg-open if there is a display. Without -o the page is RECORDING.html in this "
             "folder."},
    {0, "facets", "LIST", "filters in the page: thread,state,user,...", CLI_STRING,
     offsetof(struct page_options, facets),
     .more = "Select the filters of the page, separated by commas: thread, state, event, "
             "input, and context keys. Thread, state and event are always included. "
             "Default: all with at most --facet-max values.",
     .example = "jfrkit flame --facets thread,user -o app.html app.jfr"},
    {0, "aggregate", NULL, "no filters, one kind: the smallest page", CLI_FLAG,
     offsetof(struct page_options, aggregate),
     .more = "Write only the sums of one kind of samples: the smallest page, without "
             "filters.",
     .example = "jfrkit flame --aggregate -o small.html app.jfr"},
    {0, "diff", NULL, "compare two recordings, or KEY=VALUE KEY=VALUE", CLI_FLAG,
     offsetof(struct page_options, diff),
     .more = "Compare the first two operands: two recordings, or two selections such as "
             "user=alice and user!=alice of the recordings that follow. Widths are shares "
             "of each side. A difference of less than two standard errors may be random and "
             "has no colour.",
     .example = "jfrkit flame --diff -o diff.html old.jfr new.jfr"},
    {0, "from-stacks", "FILE", "a page of lines \"a;b;c WEIGHT\" (- is stdin)", CLI_STRING,
     offsetof(struct page_options, from_stacks),
     .more =
         "Read collapsed stacks in place of recordings, as this program and other profilers write "
         "them, or a query of a database: on each line frames from the root on, separated by "
         "semicolons, then a blank or tab and a number. '-' is standard input. --weight names "
         "what is counted.",
     .example = "jfrkit convert -f collapsed app.jfr | jfrkit flame --from-stacks - -o app.html"},
    {'i', "icicle", NULL, "root at the top", CLI_FLAG, offsetof(struct page_options, icicle)},
    {'r', "reverse", NULL, "merge by callees: hot methods and their callers", CLI_FLAG,
     offsetof(struct page_options, reverse),
     .more = "Start from the callees: which methods cost most, and what calls them."},
};

static const struct cli_option look_table[] = {
    {0, "facet-max", "N", "values of each filter", CLI_UNSIGNED,
     offsetof(struct page_options, facet_max), .def = "5000",
     .more = "Keep at most N values of a filter, those with the most samples; the others "
             "are grouped as \"(other)\"."},
    {0, "diff-norm", "HOW", "samples (shares, default), none, time or requests", CLI_STRING,
     offsetof(struct page_options, diff_norm),
     .more = "Divide both sides by their samples (default: shares are compared), by "
             "nothing, by their time, or by their number of requests, which is the number "
             "of values of a context key for traces, requests or spans."},
    {0, "size-limit", "SIZE", "fail if the page is larger", CLI_STRING,
     offsetof(struct page_options, size_limit), .def = "30MB",
     .more = "Fail if the page would be larger than this, and print which options make it "
             "smaller."},
    {0, "source-url", "URL", "link of a frame: https://git/x/{path}#L{line}", CLI_STRING,
     offsetof(struct page_options, source_url),
     .more = "Link the details of a frame to this address, in which {path} is "
             "com/acme/Shop.java, {class} com.acme.Shop, {method} the method and {line} the "
             "line (with --lines).",
     .example =
         "jfrkit flame --lines --source-url 'https://git.example/app/{path}#L{line}' -o app.html app.jfr"},
    {0, "split", "KEY", "thread, state or a context key as the first level", CLI_STRING,
     offsetof(struct page_options, split),
     .more = "Use threads (\"thread\"), their states (\"state\") or the values of a context key "
             "as the first level: the same as --threads, --states or --group-by.",
     .example = "jfrkit flame --split user -o app.html app.jfr"},
    {0, "min-share", "P", "leave out frames below P percent", CLI_STRING,
     offsetof(struct page_options, min_share), .def = "none",
     .more = "Remove frames with less than this share of the whole, in percent (0.01). "
             "Their weight is added to their callers."},
    {0, "min-group", "N|PCT", CLI_LEAST_HELP, CLI_STRING, offsetof(struct page_options, min_group),
     .more = "Merge groups of fewer than N samples, or of less than this share of all "
             "samples (1%). Groups are the values of each context key and the threads of "
             "the filters, merged as \"(other)\", and the root frames of --group-by, "
             "--threads, --states and --split, merged as (others). The names of merged "
             "groups are not in the page. Totals do not change. In a page with several "
             "kinds the samples of all kinds count."},
    {0, "title", "TEXT", "title of the page", CLI_STRING, offsetof(struct page_options, title),
     .def = "the file"},
    {0, "highlight", "RE", "search for RE when the page opens", CLI_STRING,
     offsetof(struct page_options, highlight)},
    {0, "theme", "NAME", "auto (default), light or dark", CLI_STRING,
     offsetof(struct page_options, theme), .more = "Select the theme; auto is the browser's."},
    {0, "palette", "NAME", "origin (default), safe, type, package, grey", CLI_STRING,
     offsetof(struct page_options, palette),
     .more = "Colour frames by origin, that is your code, libraries, JDK, JVM, native code "
             "and kernel (safe: the same, in colours for colour-blind readers), by type, "
             "that is how the frame ran, by package, or not at all. Java code of a package "
             "that jfr2flame does not know as one of the JDK or of a library is your code."},
};

static const struct cli_set own = CLI_SET(NULL, page_table, 0);
static const struct cli_set look = CLI_SET("Page", look_table, 0);

static const struct cli_table tables[] = {
    {&cli_profile_set, offsetof(struct args, profile.profile)},
    {&own, offsetof(struct args, page)},
    {&look, offsetof(struct args, page)},
    {&cli_run_set, offsetof(struct args, profile.run)},
    {&cli_select_set, offsetof(struct args, profile.select)},
    {&cli_frames_set, offsetof(struct args, profile.profile)},
    {0},
};

static const struct cli_command command = {
    .name = "jfr2flame",
    .usage = "[options] [recording ...]",
    .reads_recordings = true,
    .about = "Write an interactive flame graph: one HTML file that any browser opens.",
    .tables = tables,
    .suffix = ".html",
    .examples = "  jfrkit flame --open app.jfr\n"
                "  jfrkit flame -o app.html app.jfr\n"
                "  jfrkit flame -k alloc -u bytes -c user=alice -o alloc.html app.jfr\n"
                "  jfrkit flame --diff -o diff.html old.jfr new.jfr\n",
};

/* Returns 0 if the value is one of the words, else EXIT_USAGE after a message that lists them. */
static int read_option_word(const char *option, const char *value, const char *const words[])
{
    struct buf all = {0};
    int rc = 0;

    for (size_t i = 0; value != NULL && words[i] != NULL; i++) {
        if (strcmp(value, words[i]) == 0)
            value = NULL;
        else
            buf_printf(&all, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    buf_byte(&all, 0);
    if (value != NULL)
        rc = cli_usage(&command, "--%s: '%s' is none of %s", option, value,
                       buf_ok(&all) ? (const char *)all.p : "them");
    buf_free(&all);
    return rc;
}

static bool is_web(const char *url)
{
    return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
}

static int read_page(struct job *job)
{
    static const char *const themes[] = {"auto", "light", "dark", NULL};
    static const char *const palettes[] = {"origin", "safe", "type", "package", "grey", NULL};
    static const char *const norms[] = {"samples", "none", "time", "requests", NULL};
    const struct page_options *page = &job->args->page;
    char *end;

    if (read_option_word("theme", page->theme, themes) != 0 ||
        read_option_word("palette", page->palette, palettes) != 0 ||
        read_option_word("diff-norm", page->diff_norm, norms) != 0)
        return EXIT_USAGE;
    if (page->diff_norm != NULL && !page->diff)
        return cli_usage(&command, "--diff-norm needs --diff");
    if (page->source_url != NULL && !is_web(page->source_url))
        return cli_usage(&command, "--source-url: '%s' begins with neither https:// nor http://",
                         page->source_url);
    if (cli_limit_read(&job->limit, &command, page->size_limit,
                       "--aggregate, fewer --facets, a smaller --facet-max, --min-share 0.01 or a "
                       "filter") != 0)
        return EXIT_USAGE;
    if (page->min_share == NULL)
        return 0;
    job->min_share = strtod(page->min_share, &end) / 100;
    if (end == page->min_share || (*end != '\0' && strcmp(end, "%") != 0) ||
        !(job->min_share >= 0 && job->min_share <= 1))
        return cli_usage(&command, "--min-share: '%s' is not a number of percent", page->min_share);
    return 0;
}

/* --split is another word for the options that put something at the root. */
static int read_split_by(struct args *args)
{
    struct cli_profile_options *profile = &args->profile.profile;
    const char *key = args->page.split;

    if (key == NULL)
        return 0;
    if (strcmp(key, "thread") == 0)
        profile->threads = true;
    else if (strcmp(key, "state") == 0)
        profile->states = true;
    else if (!cli_list_add(&profile->group_by, key))
        return cli_no_memory(&command);
    return 0;
}

/* What --min-group is about: whatever stands at the root, and what can be picked. */
static int read_flame_min_group(struct args *args)
{
    const struct cli_profile_options *profile = &args->profile.profile;

    if (args->page.min_group != NULL && args->page.aggregate && !profile->threads &&
        !profile->states && profile->group_by.n == 0)
        return cli_usage(&command, "--min-group: nothing is grouped by user, thread or the like");
    return cli_min_group_read(&command, args->page.min_group, &args->profile.min_group);
}

/* Takes what is to be compared off the operands, or names two of them. 0 or an exit code. */
static int read_diff(struct job *job, struct cli_list *files)
{
    if (!job->args->page.diff)
        return 0;
    if (job->args->page.aggregate)
        return cli_usage(&command, "--diff needs the facets that --aggregate leaves out");
    if (files->n < 2 || cli_is_choice(files->items[0]) != cli_is_choice(files->items[1]))
        return cli_usage(&command, "--diff: two recordings, or two choices like user=alice");
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(files->items[i], '/');

        if (cli_is_choice(files->items[i]))
            buf_str(&job->diff_texts[i], files->items[i]);
        else
            buf_printf(&job->diff_texts[i], "input=%s",
                       slash == NULL ? files->items[i] : slash + 1);
    }
    if (!buf_ok(&job->diff_texts[0]) || !buf_ok(&job->diff_texts[1]))
        return cli_no_memory(&command);
    if (cli_is_choice(files->items[0])) {
        free((void *)(uintptr_t)files->items[0]);
        free((void *)(uintptr_t)files->items[1]);
        files->n -= 2;
        memmove(files->items, files->items + 2, files->n * sizeof(*files->items));
    } else if (strcmp((char *)job->diff_texts[0].p, (char *)job->diff_texts[1].p) == 0) {
        buf_printf(&job->diff_texts[1], " (2)"); /* as convert/profile/facets.c tells them apart */
    }
    for (int i = 0; i < 2; i++) {
        buf_byte(&job->diff_texts[i], 0);
        job->diff[i] = (const char *)job->diff_texts[i].p;
    }
    return 0;
}

static int write_tree(const struct job *job, const struct tree *tree, struct out *out)
{
    const struct page_options *page = &job->args->page;
    const char *weight = job->args->profile.profile.weight;
    struct profile_facts facts = {0};
    struct flame_options opt = {
        .title = page->title,
        .weight = weight != NULL && strcmp(weight, "samples") != 0 ? weight : NULL,
        .highlight = page->highlight,
        .theme = page->theme,
        .palette = page->palette,
        .icicle = page->icicle,
        .reverse = page->reverse,
        .min_share = job->min_share,
        .facets = job->facets,
        .facet_kind = cli_profile_kind(&job->args->profile),
        .facet_weight = cli_profile_weight(&job->args->profile),
        .is_weight_of_kind = weight == NULL,
        .facet_list = page->facets,
        .facet_max = page->facet_max > 0 && page->facet_max < FACET_MOST ? (uint32_t)page->facet_max
                                                                         : FACET_STANDARD,
        .facet_min_group = job->args->profile.min_group,
        .diff = {job->diff[0], job->diff[1]},
        .norm = page->diff_norm,
        .source_url = page->source_url,
    };
    struct buf title = {0};
    char when[100];
    int rc;

    if (job->profile != NULL) {
        facts = profile_facts(job->profile);
        opt.kind = kind_title(facts.kind);
        opt.unit = profile_unit(job->profile);
        page_title_put(job->files->n == 0 ? "-" : job->files->items[0], job->files->n, &title);
    } else {
        opt.unit = weight;
        page_title_put(page->from_stacks, 1, &title);
    }
    page_subtitle(&facts, when, sizeof(when));
    opt.subtitle = when;
    if (opt.title == NULL && buf_ok(&title) && title.n > 1)
        opt.title = (const char *)title.p;
    rc = flame_write(tree, &opt, out);
    buf_free(&title);
    return rc;
}

static int write_flame_page(void *shared, struct out *out)
{
    struct job *job = shared;
    struct tree tree = {0};
    int rc = profile_finish(job->profile);

    if (rc == 0)
        rc = profile_tree(job->profile, &tree);
    if (rc == 0 && job->facets != NULL)
        rc = facets_finish(job->facets, job->profile, &tree);
    cli_limit_set(&job->limit, out);
    if (rc == 0)
        rc = write_tree(job, &tree, out);
    job->n_frames = tree.n_nodes > 0 ? tree.n_nodes - 1 : 0;
    tree_free(&tree);
    return rc;
}

/* --- a page of lines --- */

struct lines {
    struct job *job;
    struct tree tree;
};

static int write_lines_page(void *shared, struct out *out)
{
    struct lines *lines = shared;

    cli_limit_set(&lines->job->limit, out);
    return write_tree(lines->job, &lines->tree, out);
}

static int write_page_of_lines(struct job *job)
{
    const char *path = job->args->page.from_stacks, *output = job->args->profile.run.output;
    const char *other = cli_given_beside(&command, job->args,
                                         "from-stacks weight aggregate open icicle reverse title "
                                         "highlight theme palette min-share size-limit source-url "
                                         "output quiet verbose log-json");
    struct lines lines = {.job = job};
    struct buf text = {0};
    size_t line = 0;
    bool is_read;
    int rc = EXIT_FAILED;

    if (job->files->n > 0)
        return cli_usage(&command, "--from-stacks reads no recording");
    if (other != NULL)
        return cli_usage(&command, "--%s needs recordings, not stacks", other);
    if (cli_refuse_terminal(&command, output, path, ".html"))
        return EXIT_USAGE;
    cli_signals();
    if (!out_file_add_input(path))
        return cli_no_memory(&command);
    is_read = cli_read_text(&command, path, &text);
    if (is_read && text.n == 0)
        cli_error(&command, "%s: no stacks", path);
    else if (is_read) {
        switch (tree_of_lines((const char *)text.p, text.n, &lines.tree, &line)) {
        case 0:
            rc = cli_write(&command, output, write_lines_page, &lines);
            break;
        case JFR_E_NOMEM:
            rc = cli_no_memory(&command);
            break;
        default:
            cli_error(&command, "%s, line %zu: not a stack and a number, like main;run;read 12",
                      path, line);
        }
    }
    if (job->args->page.open && rc == EXIT_DONE)
        cli_open_browser(&command, output);
    tree_free(&lines.tree);
    buf_free(&text);
    return rc;
}

/* 1234567 as "1 234 567". */
static const char *grouped(uint64_t n, char text[40])
{
    char *p = text + 39;

    *p = '\0';
    for (int digits = 0; n > 0 || digits == 0; n /= 10, digits++) {
        if (digits > 0 && digits % 3 == 0)
            *--p = ' ';
        *--p = (char)('0' + n % 10);
    }
    return p;
}

/* "app.html: 1 000 000 samples, 216 577 frames; 6.9 MB" */
static void report(const struct job *job)
{
    const char *name = job->args->profile.run.output;
    char samples[40], frames[40], size[40] = "", bytes[32];
    struct stat st;

    if (!job->args->profile.run.verbose)
        return;
    if (name == NULL || strcmp(name, "-") == 0)
        name = "standard output";
    else if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
        snprintf(size, sizeof(size), "; %s", amount_bytes(st.st_size, bytes));
    cli_error(&command, "%s: %s samples, %s frames%s", name,
              grouped(profile_facts(job->profile).samples, samples), grouped(job->n_frames, frames),
              size);
}

/* --open needs a file: RECORDING.html in this folder, if -o names none. 0 or an exit code. */
static int name_page(struct args *args, const struct cli_list *files)
{
    struct cli_run_options *run = &args->profile.run;
    const char *input = files->n == 0 ? "-" : files->items[0], *slash = strrchr(input, '/');
    const char *base = slash == NULL ? input : slash + 1;
    char *name = NULL;

    if (!args->page.open || (run->output != NULL && strcmp(run->output, "-") != 0))
        return 0;
    if (run->output != NULL || strcmp(input, "-") == 0 || base[0] == '\0' || args->page.diff)
        return cli_usage(&command, "--open: name the page, -o FILE.html");
    if (asprintf(&name, "%.*s.html", out_stem_length(base), base) < 0)
        return cli_no_memory(&command);
    run->output = cli_keep(name);
    return run->output == NULL ? cli_no_memory(&command) : 0;
}

static bool is_empty(const void *shared)
{
    return profile_n(((const struct job *)shared)->profile) == 0;
}

int cli_flame_main(int argc, char **argv)
{
    struct args args = {0};
    struct cli_list files = {0};
    struct job ctx = {.args = &args, .files = &files};
    int rc = cli_parse(&command, argc, argv, &args, &files);

    if (rc >= 0)
        return rc;
    rc = read_page(&ctx);
    if (rc == 0)
        rc = name_page(&args, &files);
    if (rc == 0 && args.page.from_stacks != NULL) {
        rc = write_page_of_lines(&ctx);
        cli_free(&command, &args, &files);
        return rc;
    }
    if (rc == 0)
        rc = read_split_by(&args);
    if (rc == 0)
        rc = read_flame_min_group(&args);
    if (rc == 0)
        rc = read_diff(&ctx, &files);
    if (rc == 0 && !args.page.aggregate) {
        ctx.facets = args.profile.facets = facets_new();
        rc = ctx.facets == NULL ? cli_no_memory(&command) : 0;
        if (rc == 0)
            facets_split_rest(ctx.facets);
    }
    if (rc == 0)
        rc = cli_profile_open(&command, &args.profile, &files, &ctx.profile);
    if (rc == 0) {
        const struct run_job job = profile_job(ctx.profile);
        struct cli_work work = {.ctx = &ctx,
                                .end = write_flame_page,
                                .is_empty = is_empty,
                                .suffix = ".html",
                                .select = args.profile.filter,
                                .kind = args.profile.profile.kind,
                                .is_profile = true};

        /* With facets the profile has all kinds: other formats need one of their own. */
        rc = cli_output_run(&command, &args.profile, &files, &job, 1,
                            ctx.facets == NULL ? ctx.profile : NULL, &work);
        if (rc == EXIT_DONE || rc == EXIT_DAMAGED) {
            cli_profile_report(&command, &args.profile, ctx.profile);
            report(&ctx);
        }
        if (args.page.open && (rc == EXIT_DONE || rc == EXIT_DAMAGED))
            cli_open_browser(&command, args.profile.run.output);
    }
    cli_profile_close(&args.profile, ctx.profile);
    facets_free(ctx.facets);
    buf_free(&ctx.diff_texts[0]);
    buf_free(&ctx.diff_texts[1]);
    cli_free(&command, &args, &files);
    return rc;
}
