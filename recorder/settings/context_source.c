/*
 * context_source.c - parses the option contextsource: sources with their keys, joined by '+'.
 *
 * Options are parsed when the agent is loaded, and by jfrkit before that. Nothing is looked up
 * here: whether the program has a source is found out later.
 */
#include "recorder/settings/context_source.h"

#include <stdio.h>
#include <string.h>

#define NO_TASKS "notasks"

static const char *const names[SOURCE_TASKS] = {"mdc", "otel"};

static bool is_no_tasks(const char *word, size_t n)
{
    return n == strlen(NO_TASKS) && memcmp(word, NO_TASKS, n) == 0;
}

/* The source that n bytes name, or SOURCE_N. */
static enum source context_source_of(const char *text, size_t n)
{
    enum source s = 0;

    while (s < SOURCE_TASKS && (strlen(names[s]) != n || memcmp(names[s], text, n) != 0))
        s++;
    return s < SOURCE_TASKS ? s : SOURCE_N;
}

static int add_key(struct context_source *out, enum source s, const char *key, size_t n,
                   char why[CONTEXT_SOURCE_WHY])
{
    size_t i = out->of[s].n_keys;

    if (n == 0 || n >= CONTEXT_SOURCE_KEY || i == CONTEXT_SOURCE_KEYS) {
        snprintf(why, CONTEXT_SOURCE_WHY, "%s takes 1 to %d keys of at most %d bytes", names[s],
                 CONTEXT_SOURCE_KEYS, CONTEXT_SOURCE_KEY - 1);
        return -1;
    }
    memcpy(out->of[s].keys[i], key, n);
    out->of[s].keys[i][n] = '\0';
    out->of[s].n_keys++;
    return 0;
}

/* "mdc", "mdc=key", "notasks", or a key of the source before. */
static int add_source_word(struct context_source *out, enum source *s, const char *word, size_t n,
                           char why[CONTEXT_SOURCE_WHY])
{
    const char *equals = memchr(word, '=', n);
    size_t n_name = equals == NULL ? n : (size_t)(equals - word);
    enum source named = context_source_of(word, n_name);

    if (is_no_tasks(word, n)) {
        out->of[SOURCE_TASKS].is_wanted = false;
        return 0;
    }
    if (named == SOURCE_N && (*s == SOURCE_N || equals != NULL || out->of[*s].n_keys == 0)) {
        snprintf(
            why, CONTEXT_SOURCE_WHY,
            "'%.*s' is none of auto, none, otel, mdc, notasks, such as otel+mdc=user+requestId",
            (int)(n_name < 60 ? n_name : 60), word);
        return -1;
    }
    if (named == SOURCE_N)
        return add_key(out, *s, word, n, why);
    if (out->of[named].is_wanted) {
        snprintf(why, CONTEXT_SOURCE_WHY, "%s is given twice", names[named]);
        return -1;
    }
    *s = named;
    out->of[named].is_wanted = true;
    return equals == NULL ? 0 : add_key(out, named, equals + 1, n - n_name - 1, why);
}

int context_source_parse(const char *text, struct context_source *out, char why[CONTEXT_SOURCE_WHY])
{
    enum source last = SOURCE_N;

    memset(out, 0, sizeof(*out));
    if (text != NULL && strcmp(text, "none") == 0)
        return 0;
    out->of[SOURCE_TASKS].is_wanted = true;
    if (text == NULL || strcmp(text, "auto") == 0 || strcmp(text, NO_TASKS) == 0) {
        out->of[SOURCE_MDC].is_wanted = out->of[SOURCE_OTEL].is_wanted = true;
        out->of[SOURCE_TASKS].is_wanted = text == NULL || strcmp(text, NO_TASKS) != 0;
        return 0;
    }
    for (;; text++) {
        size_t n = strcspn(text, "+");

        if (add_source_word(out, &last, text, n, why) != 0)
            return -1;
        text += n;
        if (*text == '\0')
            return 0;
    }
}
