/*
 * line_input.c - lines from a terminal by libedit, which is loaded when it is needed, or as they
 * come.
 */
#include "tools/cli/line_input.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_KEPT 1000

/* What libedit has under the names of readline. */
static struct {
    char *(*readline)(const char *prompt);
    int (*add_history)(const char *line);
    int (*read_history)(const char *path);
    int (*write_history)(const char *path);
    void (*stifle_history)(int n);
    char **(*matches)(const char *text, char *(*next)(const char *text, int state));
    char **(**completion)(const char *text, int start, int end);
} edit;

static struct {
    char *line; /* that was read last */
    size_t room;
    bool is_terminal, has_edit;
    char *history; /* path; NULL: none */
    const char *(*word)(void *ctx, size_t i);
    void *ctx;
    size_t next; /* word to look at for the completion at hand */
} input;

static bool find_symbol(void *library, const char *name, void *to)
{
    *(void **)to = dlsym(library, name);
    return *(void **)to != NULL;
}

static bool load_edit(void)
{
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);

    return library != NULL && find_symbol(library, "readline", &edit.readline) &&
           find_symbol(library, "add_history", &edit.add_history) &&
           find_symbol(library, "read_history", &edit.read_history) &&
           find_symbol(library, "write_history", &edit.write_history) &&
           find_symbol(library, "stifle_history", &edit.stifle_history) &&
           find_symbol(library, "rl_completion_matches", &edit.matches) &&
           find_symbol(library, "rl_attempted_completion_function", &edit.completion);
}

/* The next word that begins with the text, a copy for libedit; state 0: the first. */
static char *next_match(const char *text, int state)
{
    const char *word;

    if (state == 0)
        input.next = 0;
    while ((word = input.word(input.ctx, input.next)) != NULL) {
        input.next++;
        if (strncasecmp(word, text, strlen(text)) == 0)
            return strdup(word);
    }
    return NULL;
}

static char **complete_word(const char *text, int start, int end)
{
    (void)start, (void)end;
    return edit.matches(text, next_match);
}

static char *history_path(const char *name)
{
    const char *home = getenv("HOME");
    char *path = NULL;

    if (home == NULL || *home != '/' || asprintf(&path, "%s/.%s_history", home, name) < 0)
        return NULL;
    return path;
}

void line_input_open(const char *name, const char *(*word)(void *ctx, size_t i), void *ctx)
{
    input.word = word;
    input.ctx = ctx;
    input.is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
    input.has_edit = input.is_terminal && load_edit();
    if (!input.has_edit)
        return;
    *edit.completion = complete_word;
    input.history = history_path(name);
    if (input.history != NULL)
        edit.read_history(input.history);
    edit.stifle_history(LINES_KEPT);
}

const char *line_input_read(const char *prompt)
{
    ssize_t n;

    if (input.has_edit) {
        free(input.line);
        input.line = edit.readline(prompt);
        return input.line;
    }
    if (input.is_terminal) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    n = getline(&input.line, &input.room, stdin);
    if (n > 0 && input.line[n - 1] == '\n')
        input.line[n - 1] = '\0';
    return n < 0 ? NULL : input.line;
}

void line_input_remember(const char *text)
{
    if (input.has_edit)
        edit.add_history(text);
}

void line_input_close(void)
{
    if (input.has_edit && input.history != NULL) {
        mode_t before = umask(077);

        edit.write_history(input.history);
        umask(before);
    }
    free(input.line);
    free(input.history);
    input.line = input.history = NULL;
    input.has_edit = false;
}
