#include "tools/rec_target.h"

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

/* 3: the whole name, 2: the last part of it, 1: somewhere in it, 0: not */
static int likeness(const char *main, const char *text)
{
    size_t n = strlen(main), m = strlen(text);

    if (strcmp(main, text) == 0)
        return 3;
    if (n > m && main[n - m - 1] == '.' && strcmp(main + n - m, text) == 0)
        return 2;
    return strstr(main, text) != NULL;
}

static int by_name(const struct cli_command *command, const char *text, struct jvm *out)
{
    size_t n, candidates = 0;
    struct jvm *all = rec_jvms(command, &n);
    struct jvm_about about;
    int best = 1, like;

    if (all == NULL)
        return EXIT_FAILED;
    for (int say = 0; say < 2; say++) { /* the candidates are told once their number is known */
        for (size_t i = 0; i < n && (say == 0 || candidates > 1); i++) {
            jvm_about(&all[i], &about);
            like = likeness(about.main, text);
            if (like < best)
                continue;
            if (say == 1) {
                cli_error(command, "  %d %s", (int)all[i].pid, about.main);
                continue;
            }
            candidates = like > best ? 1 : candidates + 1;
            best = like;
            *out = all[i];
        }
        if (say == 0 && candidates == 0)
            cli_error(command, "no JVM runs a class like '%s': see jfrec list", text);
        if (say == 0 && candidates > 1)
            cli_error(command, "'%s' may be any of these, give the pid:", text);
    }
    free(all);
    return candidates == 1 ? 0 : EXIT_FAILED;
}

/* A JVM that has just been started may still be loading what makes it one. */
static int look(pid_t pid, struct jvm *out)
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

    errno = 0;
    pid = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return by_name(command, text, out);
    if (errno == 0 && pid > 0 && pid == (pid_t)pid && look((pid_t)pid, out) == 0)
        return 0;
    cli_error(command, "there is no process %s", text);
    return EXIT_FAILED;
}
