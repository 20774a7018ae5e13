/*
 * complete.c - the completion of jfrkit. Each verb prints its own part (--completion=SHELL, see
 * tools/cli/completion.c); this file adds the list of verbs and the choice among the parts.
 */
#include "tools/complete.h"

#include "tools/verbs.h"

#include <stdio.h>
#include <string.h>

/* The parts of all verbs. 0, or the exit code of the first that fails. */
static int print_parts(const char *shell)
{
    const struct verb *v;
    char option[40], name[40];
    int rc = EXIT_DONE;

    snprintf(option, sizeof(option), "--completion=%s", shell);
    for (size_t i = 0; rc == EXIT_DONE && (v = verb_at(i)) != NULL; i++) {
        char *words[] = {name, option, NULL};

        snprintf(name, sizeof(name), "jfrkit %s", v->name);
        cli_call_as(name);
        rc = v->main(2, words);
    }
    cli_call_as(NULL);
    return rc;
}

static void print_names(const char *between)
{
    const struct verb *v;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        printf("%s%s", v->name, between);
    printf("help%sversion%scompletion", between, between);
}

static void print_cases(void)
{
    const struct verb *v;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        printf("    %s) _jfrkit_%s ;;\n", v->name, v->name);
}

static void print_bash(void)
{
    printf("_jfrkit() {\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        COMPREPLY=($(compgen -f -W '");
    print_names(" ");
    printf("' -- \"${COMP_WORDS[1]}\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n"
           "    help) COMPREPLY=($(compgen -W '");
    print_names(" ");
    printf(
        "' -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n"
        "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n");
    print_cases();
    printf("    esac\n"
           "}\n"
           "complete -o filenames -F _jfrkit jfrkit\n");
}

static void print_zsh(void)
{
    printf("_jfrkit() {\n"
           "    if (( CURRENT == 2 )); then\n"
           "        compadd ");
    print_names(" ");
    printf("\n"
           "        _files\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $words[1] in\n"
           "    help) compadd ");
    print_names(" ");
    printf(" ;;\n"
           "    completion) compadd bash zsh fish ;;\n");
    print_cases();
    printf("    esac\n"
           "}\n"
           "_jfrkit \"$@\"\n");
}

static void print_fish(void)
{
    const struct verb *v, *line = NULL;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        line = v->about != NULL ? v : line;
        printf("complete -c jfrkit -n __fish_use_subcommand -a %s -d '%s'\n", v->name, line->about);
    }
    printf("complete -c jfrkit -n __fish_use_subcommand -a 'help version completion'\n"
           "complete -c jfrkit -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n");
}

int complete_verbs(const struct cli_command *kit, const char *shell)
{
    bool is_bash = strcmp(shell, "bash") == 0, is_zsh = strcmp(shell, "zsh") == 0;
    int rc;

    if (!is_bash && !is_zsh && strcmp(shell, "fish") != 0)
        return cli_usage(kit, "completion: '%s' is none of bash, zsh, fish", shell);
    if (is_zsh)
        printf("#compdef jfrkit\n");
    rc = print_parts(shell);
    if (rc != EXIT_DONE)
        return rc;
    if (is_bash)
        print_bash();
    else if (is_zsh)
        print_zsh();
    else
        print_fish();
    return cli_flush(kit);
}
