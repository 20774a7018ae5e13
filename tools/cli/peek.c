/*
 * peek.c - reads an option before it is known which command the arguments are for: the format of
 * jfrkit convert and the page of jfrdiff depend on -f and -o, and what else is allowed on them.
 */
#include "tools/cli/peek.h"

#include <string.h>

int cli_peek(char **argv, int i, char letter, const char *name, const char **value)
{
    const char *word = argv[i], *joined = NULL;
    size_t n = strlen(name);

    if (word[0] != '-' || word[1] == '\0')
        return 0;
    if (word[1] == '-') {
        if (strncmp(word + 2, name, n) != 0 || (word[2 + n] != '\0' && word[2 + n] != '='))
            return 0;
        joined = word[2 + n] == '=' ? word + 3 + n : NULL;
    } else {
        word += 1 + strspn(word + 1, "qv");
        if (*word != letter)
            return 0;
        joined = word[1] != '\0' ? word + 1 : NULL;
    }
    if (joined == NULL && argv[i + 1] == NULL)
        return 0;
    *value = joined != NULL ? joined : argv[i + 1];
    return joined != NULL ? 1 : 2;
}

bool cli_peek_help(const char *word)
{
    return strncmp(word, "--help", 6) == 0 || strcmp(word, "-h") == 0 ||
           strcmp(word, "--version") == 0 || strncmp(word, "--completion", 12) == 0;
}
