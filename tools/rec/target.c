/*
 * target.c - finds the JVM that a user names on the command line of jfrec.
 *
 * A target is a process id, or a name: the main class or jar of a running JVM, or whole words of
 * it. A JVM that is chosen by mistake may have its recording ended, so a part of a word never
 * matches and several JVMs that match equally well are an error that lists them.
 */
#include "tools/rec/target.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct jvm *rec_jvms(const struct cli_command *command, size_t *n)
{
    struct jvm *all = calloc(REC_JVMS_MAX, sizeof(*all));
    int found = all == NULL ? -1 : jvm_list(all, REC_JVMS_MAX);

    if (found < 0) {
        cli_error(command, "cannot list processes: %s", strerror(errno));
        free(all);
        return NULL;
    }
    *n = (size_t)found < REC_JVMS_MAX ? (size_t)found : REC_JVMS_MAX;
    return all;
}

/* Letters, digits, '_' and '$', and every byte outside ASCII: what a Java name consists of. */
static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (c & 0x80) != 0;
}

/* Does `text` occur in `main` with no part of a word cut off at either end? */
static bool has_words(const char *main, const char *text)
{
    size_t m = strlen(text);

    if (!is_word_byte(text[0]) || !is_word_byte(text[m - 1]))
        return false;
    for (const char *at = main; (at = strstr(at, text)) != NULL; at++)
        if ((at == main || !is_word_byte(at[-1])) && !is_word_byte(at[m]))
            return true;
    return false;
}

int rec_name_rank(const char *main, const char *text)
{
    size_t n = strlen(main), m = strlen(text);
    bool is_jar = n > 4 && strcmp(main + n - 4, ".jar") == 0;

    if (m == 0)
        return 0;
    if (strcmp(main, text) == 0)
        return 3;
    if (is_jar && m == n - 4 && strncmp(main, text, m) == 0)
        return 2;
    if (!is_jar && n > m && main[n - m - 1] == '.' && strcmp(main + n - m, text) == 0)
        return 2;
    return has_words(main, text);
}

static int find_by_name(const struct cli_command *command, const char *text, struct jvm *out)
{
    size_t n, candidates = 0;
    struct jvm *all = rec_jvms(command, &n);
    struct jvm_about about;
    int best = 1, rank;

    if (all == NULL)
        return EXIT_FAILED;
    /* Counts the candidates, then lists them if there are several. */
    for (int say = 0; say < 2; say++) {
        for (size_t i = 0; i < n && (say == 0 || candidates > 1); i++) {
            jvm_about(&all[i], &about);
            rank = rec_name_rank(about.main, text);
            if (rank < best)
                continue;
            if (say == 1) {
                cli_error(command, "  %d %s", (int)all[i].pid, about.main);
                continue;
            }
            candidates = rank > best ? 1 : candidates + 1;
            best = rank;
            *out = all[i];
        }
        if (say == 0 && candidates == 0)
            cli_error(command,
                      "no running JVM has a main class or jar named '%s': jfrkit list shows all",
                      text);
        if (say == 0 && candidates > 1)
            cli_error(command, "'%s' matches several JVMs, give the process id of one:", text);
    }
    free(all);
    return candidates == 1 ? 0 : EXIT_FAILED;
}

/* A JVM that has just been started may still be loading what makes it one. */
static int look_for_jvm(pid_t pid, struct jvm *out)
{
    int rc, tries = 100;

    while ((rc = jvm_look(pid, out)) == 0 && out->kind == JVM_NONE && jvm_is_called_java(pid) &&
           tries-- > 0)
        poll(NULL, 0, 10);
    return rc;
}

int rec_target(const struct cli_command *command, const char *text, struct jvm *out)
{
    char *end;
    long pid;

    if (text[0] == '\0')
        return cli_usage(command,
                         "the name of the JVM is empty: give a process id or a main class");
    errno = 0;
    pid = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return find_by_name(command, text, out);
    if (errno == 0 && pid > 0 && pid == (pid_t)pid && look_for_jvm((pid_t)pid, out) == 0)
        return 0;
    cli_error(command, "there is no process %s", text);
    return EXIT_FAILED;
}
