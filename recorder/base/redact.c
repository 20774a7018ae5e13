/*
 * redact.c - replaces the values of secret options in command lines and texts.
 *
 * In: a text. Out: a copy without the values. It decides by names alone: after a secret name the
 * value is replaced up to the next word, or up to a separator if the option lies inside of another
 * one. Passwords in URLs are replaced, too.
 */
#include "recorder/base/redact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Words, also with a plural s; those after * also as a part of a word: "dbpassword". */
static const char *const words[] = {
    "*password", "*passwd",  "*passphrase", "*secret", "*token",  "*credential",   "*apikey",
    "pwd",       "pass",     "pin",         "auth",    "key",     "*privatekey",   "*accesskey",
    "cookie",    "*session", "signature",   "cert",    "*bearer", "authorization", "salt",
};

/* Names in which such a word is no secret: where something is, or how it is done. */
static const char *const harmless[] = {
    "java.vm.compressedOopsMode", "SESSION_MANAGER", "XDG_SESSION", "DBUS_SESSION", "SSH_AUTH_SOCK",
};

static bool is_word_end(const char *name, size_t i)
{
    unsigned char c = (unsigned char)name[i], before = (unsigned char)name[i - 1];

    return !isalnum(c) || (isupper(c) && islower(before)) || (isdigit(c) && !isdigit(before));
}

static bool matches_word(const char *word, size_t n, const char *secret)
{
    bool anywhere = secret[0] == '*';
    size_t m;

    secret += anywhere;
    m = strlen(secret);
    if (anywhere) {
        for (size_t i = 0; i + m <= n; i++)
            if (strncasecmp(word + i, secret, m) == 0)
                return true;
        return false;
    }
    return strncasecmp(word, secret, m) == 0 &&
           (n == m || (n == m + 1 && (word[m] == 's' || word[m] == 'S')));
}

static bool is_secret_n(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (n >= strlen(harmless[i]) && strncmp(name, harmless[i], strlen(harmless[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i][0] == '*' && matches_word(name, n, words[i]))
            return true;
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;

        while (end < n && !is_word_end(name, end))
            end++;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (matches_word(name + begin, end - begin, words[i]))
                return true;
        begin = end + (end < n && !isalnum((unsigned char)name[end]));
    }
    return false;
}

bool redact_is_secret(const char *name)
{
    return is_secret_n(name, strlen(name));
}

struct text {
    char *p;
    size_t n;
};

static void add(struct text *t, const char *p, size_t n)
{
    memcpy(t->p + t->n, p, n);
    t->n += n;
}

/* A word, without the password of a URL in it. */
static void add_word(struct text *t, const char *word, size_t n)
{
    const char *end = word + n, *at = NULL, *colon = NULL, *p;
    const char *scheme = memmem(word, n, "://", 3);

    if (scheme != NULL) {
        for (p = scheme + 3; p < end && *p != '/' && *p != '?' && *p != '#'; p++)
            if (*p == '@')
                at = p;
        if (at != NULL)
            colon = memchr(scheme + 3, ':', (size_t)(at - scheme - 3));
    }
    if (colon == NULL) {
        add(t, word, n);
        return;
    }
    add(t, word, (size_t)(colon + 1 - word));
    add(t, REDACTED, strlen(REDACTED));
    add_word(t, at, (size_t)(end - at));
}

/* Where the name that ends at `equals` begins: options within options are separated so. */
static const char *name_before(const char *from, const char *equals)
{
    const char *p = equals;

    while (p > from && strchr(",;&?:=", p[-1]) == NULL)
        p--;
    if (p == from && equals - p > 2 && p[0] == '-' && p[1] == 'D')
        return p + 2;
    while (p < equals && *p == '-')
        p++;
    return p;
}

/* "-Dname=value", "--name=value", "-agent:options=a=1,name=value"; *is_name: an option whose value
 * may be the next word. */
static void add_argument(struct text *t, const char *word, size_t n, bool *is_name)
{
    const char *end = word + n, *from = word, *equals;

    *is_name = false;
    while ((equals = memchr(from, '=', (size_t)(end - from))) != NULL) {
        const char *name = name_before(from, equals);

        add_word(t, from, (size_t)(equals + 1 - from));
        from = equals + 1;
        if (is_secret_n(name, (size_t)(equals - name))) {
            bool is_outer = name - word <= 2; /* may have commas in its value */

            add(t, REDACTED, strlen(REDACTED));
            while (from < end && (is_outer || strchr(",;&", *from) == NULL))
                from++;
        }
    }
    if (from == word && word[0] == '-') {
        size_t dashes = strspn(word, "-");

        *is_name = dashes <= 2 && dashes < n && is_secret_n(word + dashes, n - dashes);
    }
    add_word(t, from, (size_t)(end - from));
}

char *redact_command(const char *line)
{
    struct text t = {malloc(strlen(line) * (strlen(REDACTED) + 1) + 1), 0};
    bool is_value = false;

    if (t.p == NULL)
        return NULL;
    while (*line != '\0') {
        size_t blanks = strspn(line, " \t\n"), n;

        add(&t, line, blanks);
        line += blanks;
        n = strcspn(line, " \t\n");
        if (n == 0)
            break;
        if (is_value && line[0] != '-') {
            add(&t, REDACTED, strlen(REDACTED));
            is_value = false;
        } else {
            add_argument(&t, line, n, &is_value);
        }
        line += n;
    }
    t.p[t.n] = '\0';
    return t.p;
}
