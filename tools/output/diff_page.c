#include "tools/output/diff_page.h"
#include "convert/text/out.h"
#include "tools/cli/cli.h"
#include "tools/output/flame.h"
#include "tools/cli/peek.h"

#include <stdlib.h>
#include <string.h>

struct request {
    const char *format, *output, *other; /* other: an option that says nothing about a page */
    char **rest; /* the arguments for jfr2flame, without the format */
    int n;
};

static bool is_of_tables(const char *word)
{
    static const char *const names[] = {"-S", "-n", "--sort", "--limit", "--self", "--fail-if"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void read_words(struct request *r, int argc, char **argv)
{
    for (int i = 1, n; i < argc; i += n) {
        n = cli_peek(argv, i, 'f', "format", &r->format);
        if (n > 0)
            continue;
        if (is_of_tables(argv[i]))
            r->other = argv[i];
        n = cli_peek(argv, i, 'o', "output", &r->output);
        n = n == 0 ? 1 : n;
        for (int k = 0; k < n; k++)
            r->rest[r->n++] = argv[i + k];
    }
}

int diff_page_main(int argc, char **argv)
{
    static const struct cli_command command = {.name = "jfrdiff"};
    static char self[] = "jfr2flame", diff[] = "--diff";
    struct request r = {.rest = calloc((size_t)argc + 3, sizeof(*r.rest))};
    int rc = -1;

    if (r.rest == NULL)
        return cli_no_memory(&command);
    r.rest[r.n++] = self;
    r.rest[r.n++] = diff;
    read_words(&r, argc, argv);
    if (r.format == NULL ? r.other == NULL && out_is_html(r.output)
                         : strcmp(r.format, "flame") == 0)
        rc = r.other == NULL ? cli_flame_main(r.n, r.rest)
                             : cli_usage(&command, "%s says nothing about a page", r.other);
    free(r.rest);
    return rc;
}
