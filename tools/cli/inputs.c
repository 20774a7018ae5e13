/*
 * inputs.c - keeps a command from writing its output over one of its inputs, and from unpacking
 * without end.
 *
 * cli_parse() calls it for every command. The inputs are registered with convert/text/out.h, which
 * compares files by device and inode and refuses any later attempt to open one of them for writing;
 * the check here comes first, so that nothing has been read or written when the command ends.
 */
#include "convert/text/out.h"
#include "convert/text/timespec.h"
#include "jfrfmt/read/source.h"
#include "tools/cli/internal.h"

#include <string.h>

/* The member that an option of this name and type fills; NULL if the command has none. */
static const void *member(const struct cli_command *command, void *args, const char *name,
                          enum cli_type type)
{
    struct cli_found found;

    return cli_find(command, name, strlen(name), &found) && found.option->type == type
               ? cli_member(command, args, name)
               : NULL;
}

int cli_limit_unpacked(const struct cli_command *command, void *args)
{
    const char *const *size = member(command, args, "max-unpacked", CLI_STRING);
    struct jfr_error err = {0};
    uint64_t bytes;

    if (size == NULL || *size == NULL)
        return -1;
    if (timespec_size(*size, &bytes, &err) != 0)
        return cli_usage(command, "--max-unpacked: %s", err.text);
    jfr_source_limit_unpacked(bytes);
    return -1;
}

static bool add_input_list(const struct cli_list *list)
{
    bool ok = true;

    for (size_t i = 0; list != NULL && i < list->n && ok; i++)
        ok = out_file_add_input(list->items[i]);
    return ok;
}

int cli_add_inputs(const struct cli_command *command, void *args, const struct cli_list *operands)
{
    static const char *const options[] = {"context-from", "settings", "jfrsync"};
    const char *const *other = member(command, args, "diff", CLI_STRING);
    bool ok = other == NULL || *other == NULL || out_file_add_input(*other);

    for (size_t i = command->n_words; i < operands->n && ok; i++)
        ok = out_file_add_input(operands->items[i]);
    if (operands->n <= command->n_words)
        ok = out_file_add_input("-"); /* what is read when no file is named */
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && ok; i++)
        ok = add_input_list(member(command, args, options[i], CLI_LIST));
    return ok ? -1 : cli_no_memory(command);
}

static int check_output(const struct cli_command *command, const char *option, const char *path)
{
    const char *input = out_file_same_input(path);

    if (input == NULL)
        return -1;
    return cli_usage(command, "--%s: '%s' is the same file as the input '%s': name another file",
                     option, path == NULL ? "-" : path, input);
}

int cli_check_inputs(const struct cli_command *command, void *args)
{
    const char *const *output = member(command, args, "output", CLI_STRING);
    const char *const *labels = member(command, args, "pyroscope", CLI_STRING);
    const struct cli_list *also = member(command, args, "also", CLI_LIST);
    int rc = output == NULL ? -1 : check_output(command, "output", *output);

    if (rc < 0 && labels != NULL && *labels != NULL)
        rc = check_output(command, "pyroscope", *labels);
    for (size_t i = 0; also != NULL && i < also->n && rc < 0; i++) {
        const char *equals = strchr(also->items[i], '='); /* FORMAT=FILE */

        if (equals != NULL)
            rc = check_output(command, "also", equals + 1);
    }
    return rc;
}
