/*
 * completion.c - what a shell needs to complete a command's options, from their tables.
 *
 * For a program by its own name that is a whole script. For a verb ("jfrkit flame") it is a part of
 * the script of jfrkit: a function in bash and zsh, conditional lines in fish.
 */
#include "tools/cli/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "jfrkit_flame" of "jfrkit flame", which is a name of a function. */
static const char *function_name(const struct cli_command *c)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s", cli_name(c));
    for (char *p = name; *p != '\0'; p++)
        if (*p == ' ')
            *p = '_';
    return name;
}

static const char *verb_of(const struct cli_command *c)
{
    const char *blank = strchr(cli_name(c), ' ');

    return blank == NULL ? NULL : blank + 1;
}

/* Words that stand for files: these options complete to names of files. */
static bool takes_file(const struct cli_option *o)
{
    return o->arg != NULL && (strcmp(o->arg, "FILE") == 0 || strcmp(o->arg, "DIR") == 0 ||
                              strstr(o->arg, "=FILE") != NULL);
}

/* The values of "text|json|html", one by one; false when the argument is no such list. */
static bool is_choice(const char *arg)
{
    bool has_bar = false;

    if (arg == NULL)
        return false;
    for (const char *p = arg; *p != '\0'; p++) {
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '|' && *p != '-')
            return false;
        has_bar |= *p == '|';
    }
    return has_bar;
}

/* Text in single quotes, without any; its first line. */
static void put_text(const char *text)
{
    for (; *text != '\0' && *text != '\n'; text++)
        if (*text == '[' || *text == ']' || *text == ':')
            putchar(' ');
        else if (*text != '\'' && *text != '\\')
            putchar(*text);
}

static void each(const struct cli_command *c, void (*put)(const struct cli_option *o))
{
    struct cli_found f = {0};

    while (cli_next(c, &f))
        put(f.option);
}

/* --- bash ------------------------------------------------------------------------------------- */

static void bash_option(const struct cli_option *o)
{
    printf(" --%s", o->name);
    if (o->letter != 0)
        printf(" -%c", o->letter);
}

static void bash_values(const struct cli_option *o)
{
    if (o->arg == NULL)
        return;
    printf("    --%s", o->name);
    if (o->letter != 0)
        printf("|-%c", o->letter);
    if (is_choice(o->arg)) {
        printf(") COMPREPLY=($(compgen -W '");
        for (const char *p = o->arg; *p != '\0'; p++)
            putchar(*p == '|' ? ' ' : *p);
        printf("' -- \"$cur\")) ;;\n");
    } else {
        printf(") %s ;;\n",
               takes_file(o) ? "COMPREPLY=($(compgen -f -- \"$cur\"))" : "COMPREPLY=()");
    }
}

static void put_bash(const struct cli_command *c)
{
    printf("_%s() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    case $prev in\n",
           function_name(c));
    each(c, bash_values);
    printf("    *)\n"
           "        case $cur in\n"
           "        -*) COMPREPLY=($(compgen -W '--help --version");
    each(c, bash_option);
    printf("' -- \"$cur\")) ;;\n"
           "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
           "        esac ;;\n"
           "    esac\n"
           "}\n");
    if (verb_of(c) == NULL)
        printf("complete -o filenames -F _%s %s\n", function_name(c), cli_name(c));
}

/* --- zsh -------------------------------------------------------------------------------------- */

static void zsh_action(const struct cli_option *o)
{
    if (o->arg == NULL)
        return;
    printf(":");
    put_text(o->arg);
    if (takes_file(o)) {
        printf(":_files");
    } else if (is_choice(o->arg)) {
        printf(":(");
        for (const char *p = o->arg; *p != '\0'; p++)
            putchar(*p == '|' ? ' ' : *p);
        printf(")");
    } else {
        printf(": ");
    }
}

static void zsh_option(const struct cli_option *o)
{
    const char *again = o->type == CLI_LIST ? "*" : "";

    printf(" \\\n    '%s--%s%s[", again, o->name, o->arg != NULL ? "=" : "");
    put_text(o->help);
    printf("]");
    zsh_action(o);
    printf("'");
    if (o->letter == 0)
        return;
    printf(" \\\n    '%s-%c%s[", again, o->letter, o->arg != NULL ? "+" : "");
    put_text(o->help);
    printf("]");
    zsh_action(o);
    printf("'");
}

static void put_zsh(const struct cli_command *c)
{
    bool is_verb = verb_of(c) != NULL;

    printf(is_verb ? "_%s() {\n" : "#compdef %s\n", is_verb ? function_name(c) : cli_name(c));
    printf("_arguments -s \\\n"
           "    '--help[show the options]' \\\n"
           "    '--version[show the version]'");
    each(c, zsh_option);
    printf(" \\\n    '*:recording:_files'\n%s", is_verb ? "}\n" : "");
}

/* --- fish ------------------------------------------------------------------------------------- */

static char fish_command[120]; /* "jfr2flame", or "jfrkit -n '__fish_seen_subcommand_from flame'" */

static void fish_option(const struct cli_option *o)
{
    printf("complete -c %s -l %s", fish_command, o->name);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    if (takes_file(o))
        printf(" -r -F");
    else if (o->arg != NULL)
        printf(" -x");
    if (is_choice(o->arg)) {
        printf(" -a '");
        for (const char *p = o->arg; *p != '\0'; p++)
            putchar(*p == '|' ? ' ' : *p);
        printf("'");
    }
    printf(" -d '");
    put_text(o->help);
    printf("'\n");
}

static void put_fish(const struct cli_command *c)
{
    const char *verb = verb_of(c);

    if (verb == NULL)
        snprintf(fish_command, sizeof(fish_command), "%s", cli_name(c));
    else
        snprintf(fish_command, sizeof(fish_command), "jfrkit -n '__fish_seen_subcommand_from %s'",
                 verb);
    printf("complete -c %s -l help -d 'show the options'\n"
           "complete -c %s -l version -d 'show the version'\n",
           fish_command, fish_command);
    each(c, fish_option);
}

int cli_completion(const struct cli_command *command, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        put_bash(command);
    else if (strcmp(shell, "zsh") == 0)
        put_zsh(command);
    else if (strcmp(shell, "fish") == 0)
        put_fish(command);
    else
        return cli_usage(command, "--completion: '%s' is none of bash, zsh, fish", shell);
    return cli_flush(command);
}
