/*
 * context_source.c - parses the option contextsource: sources with their keys, joined by '+'.
 *
 * Options are parsed when the agent is loaded, and by jfrkit before that. Nothing is looked up
 * here: whether the program has a source is found out later.
 */
#include "recorder/settings/context_source.h"

#include <stdio.h>
#include <string.h>

static const char *const names[SOURCE_TASKS] = {"mdc", "otel"};

/* Sets what a word says that stands for itself. Returns whether it is one. */
static bool set_switch(struct context_source *out, const char *word, size_t n)
{
    static const struct {
        const char *word;
        enum source source;
        bool is_wanted;
    } switches[] = {{"notasks", SOURCE_TASKS, false}, {"threads", SOURCE_THREADS, true}};

    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        if (strlen(switches[i].word) == n && memcmp(switches[i].word, word, n) == 0) {
            out->of[switches[i].source].is_wanted = switches[i].is_wanted;
            return true;
        }
    return false;
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

/* "mdc", "mdc=key", "notasks", "threads", or a key of the source before. */
static int add_source_word(struct context_source *out, enum source *s, const char *word, size_t n,
                           char why[CONTEXT_SOURCE_WHY])
{
    const char *equals = memchr(word, '=', n);
    size_t n_name = equals == NULL ? n : (size_t)(equals - word);
    enum source named = context_source_of(word, n_name);

    if (set_switch(out, word, n))
        return 0;
    if (named == SOURCE_N && (*s == SOURCE_N || equals != NULL || out->of[*s].n_keys == 0)) {
        snprintf(why, CONTEXT_SOURCE_WHY,
                 "'%.*s' is none of auto, none, otel, mdc, notasks, threads, such as otel+mdc=user",
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
    const char *word = text == NULL ? "auto" : text;

    memset(out, 0, sizeof(*out));
    if (strcmp(word, "none") == 0)
        return 0;
    out->of[SOURCE_TASKS].is_wanted = true;
    if (strncmp(word, "auto", 4) == 0 && (word[4] == '+' || word[4] == '\0')) {
        out->of[SOURCE_MDC].is_wanted = out->of[SOURCE_OTEL].is_wanted = true;
        word = word[4] == '+' ? word + 5 : NULL;
    }
    while (word != NULL) {
        size_t n = strcspn(word, "+");

        if (add_source_word(out, &last, word, n, why) != 0)
            return -1;
        word = word[n] == '+' ? word + n + 1 : NULL;
    }
    if (!out->of[SOURCE_TASKS].is_wanted && out->of[SOURCE_THREADS].is_wanted) {
        snprintf(why, CONTEXT_SOURCE_WHY, "threads cannot be among the words with notasks");
        return -1;
    }
    if (!out->of[SOURCE_MDC].is_wanted && !out->of[SOURCE_OTEL].is_wanted)
        out->of[SOURCE_MDC].is_wanted = out->of[SOURCE_OTEL].is_wanted = true;
    return 0;
}
