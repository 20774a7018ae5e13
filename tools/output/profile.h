/*
 * profile.h - the options that say what a profile counts and how its frames look, the same for
 * every command that writes one.
 *
 *     struct args { struct cli_profile_args profile; ... };
 *     if ((rc = cli_profile_open(&command, &args.profile, &files, &profile)) != 0)
 *         return rc;
 *     job = profile_job(profile); ... cli_run() ...
 *     cli_profile_close(&args.profile, profile);
 */
#ifndef TOOLS_OUTPUT_PROFILE_H
#define TOOLS_OUTPUT_PROFILE_H

#include "convert/profile/facets.h"
#include "convert/profile/profile.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"

struct cli_profile_options {
    struct cli_list also; /* FORMAT=FILE */
    const char *kind, *weight, *names;
    const char *package; /* number of parts, "" = all; NULL = off */
    unsigned long depth;
    struct cli_list include, exclude, group_by;
    bool keep_first, lines, bci, tiers, normalize, packages, no_recursion, no_hidden, threads,
        states, leaf_class, truncated;
};

struct cli_profile_args {
    struct cli_profile_options profile;
    struct cli_select_options select;
    struct cli_run_options run;
    struct profile_options opt; /* read by cli_profile_read() */
    struct select *filter; /* made by it */
    char *keys[PROFILE_KEYS]; /* of group_by; the same */
    size_t n_keys;
    struct pattern **patterns; /* the same; includes, then excludes */
    size_t n_patterns;
    struct facets *facets; /* set before cli_profile_open(): single samples are wanted. Borrowed. */
    struct min_group min_group; /* set before cli_profile_read(): see struct profile_options */
};

extern const struct cli_set cli_profile_set; /* what is counted; --also is for several formats */
extern const struct cli_set cli_frames_set; /* how frames look */

/* Reads the options into args->opt; patterns and filter stay with args. 0, or the exit code to
 * leave with, after a message; cli_profile_close() is to be called in any case. */
int cli_profile_read(const struct cli_command *command, struct cli_profile_args *args,
                     const struct cli_list *files);

/* Makes the profile that the options ask for. 0, or the exit code to leave with, after a message;
 * cli_profile_close() is to be called in any case. */
int cli_profile_open(const struct cli_command *command, struct cli_profile_args *args,
                     const struct cli_list *files, struct profile **profile);

/* What --weight requests, of the weights of single samples. */
enum facet_weight cli_profile_weight(const struct cli_profile_args *args);

/* What --kind requests, after cli_profile_open(); -1: nothing. */
int cli_profile_kind(const struct cli_profile_args *args);

void cli_profile_close(struct cli_profile_args *args, struct profile *profile);

/* After a run that wrote its output, unless --quiet: prints one line if leaves_out_wall, that the
 * default kind is CPU and the recording has wall-clock samples, too. cli_profile_report() calls it
 * for profiles. */
void cli_report_wall(const struct cli_command *command, const struct cli_profile_args *args,
                     bool leaves_out_wall);

/* After a run that wrote its output: says with --verbose what the profile is made of, and without
 * --quiet that a field of --weight is probably misspelt. */
void cli_profile_report(const struct cli_command *command, const struct cli_profile_args *args,
                        const struct profile *profile);

#endif
