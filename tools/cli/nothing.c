#include "tools/cli/nothing.h"

#include "tools/cli/report.h"

int cli_unknown_key(const struct cli_command *command, const struct context *context,
                    const char *const *paths, size_t n_paths)
{
    const char *key = context == NULL ? NULL : context_unknown_key(context);
    struct buf text = {0};

    if (key == NULL)
        return 0;
    select_explain_keys(paths, n_paths, &text);
    cli_error(command, "no event has '%s'%.*s", key, buf_ok(&text) ? (int)text.n : 0,
              text.p == NULL ? "" : (const char *)text.p);
    buf_free(&text);
    return EXIT_USAGE;
}

static int explain_nothing(const struct cli_command *command,
                           const struct explain_question *question, bool quiet)
{
    enum explain_answer answer = EXPLAIN_NOTHING;
    struct buf text = {0};

    if (select_can_look_ahead(question->paths, question->n_paths))
        answer = select_explain(question, &text);
    if (answer == EXPLAIN_UNKNOWN || (answer == EXPLAIN_NO_MATCH && !quiet))
        cli_error(command, "%.*s", (int)text.n, (const char *)text.p);
    else if (answer == EXPLAIN_NOTHING && !quiet)
        cli_error(command, "no event matches; give a file in place of standard input to see what "
                           "the recording has");
    buf_free(&text);
    return answer == EXPLAIN_UNKNOWN ? EXIT_USAGE : 0;
}

int cli_nothing(const struct cli_command *command, const struct explain_question *question,
                bool is_empty, bool quiet)
{
    int rc = cli_unknown_key(command, select_context(question->select), question->paths,
                             question->n_paths);
    bool is_error;
    char note[8];

    if (rc != 0 || !is_empty || question->select == NULL ||
        select_note(question->select, 0, &is_error, note, sizeof(note)))
        return rc;
    return explain_nothing(command, question, quiet);
}
