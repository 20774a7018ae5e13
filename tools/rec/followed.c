/* followed.c - finds a recording that is being written, and looks whether it still is. */
#include "tools/rec/followed.h"

#include "jfrfmt/base/ascii.h"
#include "tools/rec/target.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUIET_LOOKS 2 /* after so many without a change a JVM is asked whether it still records */
#define QUIET_LOOKS_MOST 120 /* which grows up to this */

int followed_find(const struct cli_command *command, const char *operand, struct followed *what)
{
    int rc;

    *what = (struct followed){.path = operand, .n_quiet_most = QUIET_LOOKS};
    if (access(operand, F_OK) == 0)
        return access(operand, R_OK) == 0 ? 0 : cli_usage(command, "%s cannot be read", operand);
    if (strchr(operand, '/') != NULL || ascii_ends_with(operand, ".jfr"))
        return cli_usage(command, "%s: no such file or folder", operand);
    rc = rec_target(command, operand, &what->written.jvm);
    if (rc == 0)
        rc = written_find(command, &what->written);
    what->is_jvm = true;
    what->path = what->written.path;
    return rc;
}

static bool has_file_changed(struct followed *what)
{
    struct timespec before = what->changed;
    struct stat st;

    if (stat(what->path, &st) == 0)
        what->changed = st.st_mtim;
    return before.tv_sec != what->changed.tv_sec || before.tv_nsec != what->changed.tv_nsec;
}

/* Asks the JVM, less and less often while it names the same file. Returns whether it records. */
static bool look_for_next(const struct cli_command *command, struct followed *what)
{
    char before[sizeof(what->written.path)];
    bool is_recorded;

    memcpy(before, what->written.path, sizeof(before));
    is_recorded = written_look(command, &what->written);
    what->n_quiet = 0;
    if (strcmp(before, what->written.path) != 0)
        what->n_quiet_most = QUIET_LOOKS;
    else if (what->n_quiet_most < QUIET_LOOKS_MOST)
        what->n_quiet_most *= 2;
    return is_recorded;
}

bool followed_has_ended(const struct cli_command *command, struct followed *what)
{
    if (!what->is_jvm)
        return false;
    if (!written_is_alive(&what->written))
        return true;
    if (has_file_changed(what)) {
        what->n_quiet = 0;
        what->n_quiet_most = QUIET_LOOKS;
    } else if (++what->n_quiet >= what->n_quiet_most) {
        return !look_for_next(command, what);
    }
    return false;
}
