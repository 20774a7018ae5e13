/*
 * output.h - a profile written in several formats at once: the input is read once, whatever
 * --also requests beside a command's own output.
 *
 *     struct cli_work work = {.ctx = &ctx, .end = ..., .is_empty = ..., .suffix = ".html"};
 *     rc = cli_output_run(&command, &args.profile, &files, &job, 1, profile, &work);
 *
 * or, for a command that writes one of the formats of convert/formats/format.h and has no more
 * options:
 *
 *     int main(int argc, char **argv)
 *     {
 *         return cli_output_main(&about, &format_pprof, argc, argv);
 *     }
 */
#ifndef TOOLS_OUTPUT_OUTPUT_H
#define TOOLS_OUTPUT_OUTPUT_H

#include "convert/formats/format.h"
#include "tools/output/profile.h"

/* Runs the command's own jobs and those of --also over the files. `profile` is what the outputs of
 * --also may show when they need no labels; work->end has to finish it. NULL: they get one of their
 * own. work->job is set here. Returns the exit code, as cli_run(); files of --also are there when
 * the command's own output is. */
int cli_output_run(const struct cli_command *command, struct cli_profile_args *args,
                   const struct cli_list *files, const struct run_job *jobs, size_t n_jobs,
                   const struct profile *profile, struct cli_work *work);

/* Writes one of the formats as the options say, and what they ask for beside. Returns the exit
 * code. The caller closes args. */
int cli_output_format(const struct cli_command *command, const struct format *format,
                      struct cli_profile_args *args, const struct cli_list *files);

struct cli_output_about {
    const char *name, *about, *examples; /* see struct cli_command */
    const char *own; /* which of --split and --size-limit it has: "size-limit"; NULL: neither */
};

/* The whole of a command. Returns its exit code. */
int cli_output_main(const struct cli_output_about *about, const struct format *format, int argc,
                    char **argv);

#endif
