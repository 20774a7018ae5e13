/*
 * select.h - the options that choose events, the same for every command.
 *
 *     struct args { struct cli_select_options select; ... };
 *     {&cli_select_set, offsetof(struct args, select)},    among the tables
 *     ...
 *     if ((rc = cli_select(&command, &args.select, &files, &select)) != 0)
 *         return rc;
 *     job of cli_run() ...; with one thread if select_is_serial(select)
 *     select_free(select);
 */
#ifndef TOOLS_CLI_SELECT_H
#define TOOLS_CLI_SELECT_H

#include "convert/select/select.h"
#include "tools/cli/cli.h"

struct cli_select_options {
    struct cli_list events, categories, threads, not_threads, states, contexts, not_contexts,
        contexts_from;
    struct select_list keys; /* set by the command: contexts that it will ask for, */
    bool all_keys; /* or all; see select_spec */
    bool is_profile; /* set by the command: see leaves_out_past of select_spec */
    const char *from, *to, *zone, *min_duration, *where, *tail, *in_scope;
    struct cli_list scope_types;
};

extern const struct cli_set cli_select_set;

/* Makes the select and resolves its times for these inputs. 0, or the exit code to leave with,
 * after a message; *select is then NULL. It borrows the options' strings. */
int cli_select(const struct cli_command *command, const struct cli_select_options *options,
               const struct cli_list *files, struct select **select);

/* Is an operand a choice of events, KEY=VALUE or KEY!=VALUE, and no file of such a name? */
bool cli_is_choice(const char *text);

/* Reports why inputs could not be looked at ahead. The exit code: EXIT_USAGE when it is for what
 * the options ask of inputs that can be read once (JFR_E_UNSUPPORTED, of no path). */
int cli_look_ahead_failed(const struct cli_command *command, const char *path,
                          const struct jfr_error *err);

/* Reports that there was no room for n contexts, if so. */
void cli_contexts_lost(const struct cli_command *command, uint64_t n);

/* Reports what the select found after a run over all inputs. EXIT_USAGE when a condition names a
 * field that nothing has, else 0. `quiet`: errors only. */
int cli_select_report(const struct cli_command *command, const struct select *select, bool quiet);

#endif
