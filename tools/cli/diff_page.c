#include "tools/cli/diff_page.h"
#include "tools/cli/cli.h"
#include "tools/cli/flame.h"

#include <stdlib.h>
#include <string.h>

struct request {
    const char *format, *output, *other; /* other: an option that says nothing about a page */
    char **rest; /* what jfr2flame is told; the format is left out */
    int n;
};

/* The value of the option at argv[*i], which moves to the value's word; NULL if it is another. */
static const char *value_of(int argc, char **argv, int *i, char letter, const char *name)
{
    const char *word = argv[*i];
    size_t n = strlen(name);

    if (word[0] == '-' && word[1] == letter && word[1] != '\0')
        return word[2] != '\0' ? word + 2 : *i + 1 < argc ? argv[++*i] : NULL;
    if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n) != 0)
        return NULL;
    if (word[2 + n] == '=')
        return word + 3 + n;
    return word[2 + n] == '\0' && *i + 1 < argc ? argv[++*i] : NULL;
}

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
    for (int i = 1; i < argc; i++) {
        int from = i;
        const char *value = value_of(argc, argv, &i, 'f', "format");

        if (value != NULL) {
            r->format = value;
            continue;
        }
        if (is_of_tables(argv[i]))
            r->other = argv[i];
        value = value_of(argc, argv, &i, 'o', "output");
        if (value != NULL)
            r->output = value;
        for (; from <= i; from++)
            r->rest[r->n++] = argv[from];
    }
}

static bool ends_in_html(const char *name)
{
    size_t n = name == NULL ? 0 : strlen(name);

    return n > 5 && strcmp(name + n - 5, ".html") == 0;
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
    if (r.format == NULL ? r.other == NULL && ends_in_html(r.output)
                         : strcmp(r.format, "flame") == 0)
        rc = r.other == NULL ? cli_flame_main(r.n, r.rest)
                             : cli_usage(&command, "%s says nothing about a page", r.other);
    free(r.rest);
    return rc;
}
