/* pattern.c - compares names with a glob, or with a regular expression of bounded cost. */
#include "convert/select/pattern.h"
#include "convert/select/pattern_cost.h"
#include "jfrfmt/base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tre/tre.h>

#define ON_STACK 1024 /* characters of a text that need no allocation */

struct pattern {
    bool is_regex;
    regex_t regex;
    size_t n; /* bytes of the glob */
    char glob[];
};

/* The characters of n bytes of UTF-8; `to` has room for n. */
static size_t widen_pattern(wchar_t *to, const char *s, size_t n)
{
    const uint8_t *p = (const uint8_t *)s, *end = p + n;
    wchar_t *start = to;

    while (p < end)
        *to++ = (wchar_t)utf8_next_jvm(&p, end);
    return (size_t)(to - start);
}

static struct pattern *fail(struct jfr_error *err, struct pattern *p, const char *text, size_t n,
                            const char *what, size_t place)
{
    free(p);
    if (place == SIZE_MAX)
        jfr_fail(err, JFR_E_FORMAT, 0, "'%.*s': %s", n < 60 ? (int)n : 60, text, what);
    else
        jfr_fail(err, JFR_E_FORMAT, 0, "'%.*s': %s (at character %zu)", n < 60 ? (int)n : 60, text,
                 what, place + 1);
    return NULL;
}

/* A pattern with room for the glob; NULL and *err when the text is too long. */
static struct pattern *allocate(const char *text, size_t n, struct jfr_error *err)
{
    struct pattern *p;

    if (n > PATTERN_MAX)
        return fail(err, NULL, text, n, "the pattern is too long", SIZE_MAX);
    p = calloc(1, sizeof(*p) + n);
    if (p == NULL)
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return p;
}

static struct pattern *new_regex(const char *text, size_t n, struct jfr_error *err)
{
    struct pattern *p = allocate(text, n, err);
    wchar_t re[PATTERN_MAX + 1];
    struct pattern_cost cost;
    const char *wrong;
    size_t n_re, place;
    int rc;

    if (p == NULL)
        return NULL;
    n_re = widen_pattern(re, text, n);
    wrong = pattern_cost(re, n_re, &cost, &place);
    if (wrong != NULL)
        return fail(err, p, text, n, wrong, place);
    rc = tre_regwncomp(&p->regex, re, n_re, REG_EXTENDED | REG_NOSUB);
    if (rc != REG_OK) {
        char why[80];

        tre_regerror(rc, &p->regex, why, sizeof(why));
        return fail(err, p, text, n, why, SIZE_MAX);
    }
    p->is_regex = true;
    if (!tre_have_backrefs(&p->regex) && !tre_have_approx(&p->regex))
        return p;
    pattern_free(p);
    return fail(err, NULL, text, n, "no back-references, no approximate matching", SIZE_MAX);
}

struct pattern *pattern_new_regex(const char *text, struct jfr_error *err)
{
    return new_regex(text, strlen(text), err);
}

struct pattern *pattern_new(const char *text, struct jfr_error *err)
{
    size_t n = strlen(text);
    struct pattern *p;

    if (n >= 2 && text[0] == '/' && text[n - 1] == '/')
        return new_regex(text + 1, n - 2, err);
    p = allocate(text, n, err);
    if (p == NULL)
        return NULL;
    p->n = n;
    memcpy(p->glob, text, n);
    return p;
}

void pattern_free(struct pattern *p)
{
    if (p != NULL && p->is_regex)
        tre_regfree(&p->regex);
    free(p);
}

static const char *after_char(const char *s, const char *end)
{
    do
        s++;
    while (s < end && (*s & 0xc0) == 0x80);
    return s;
}

/* Only the last star can ever need to take more: what stands before it has matched for good. */
static bool glob_matches(const char *p, const char *p_end, const char *s, const char *end)
{
    const char *behind_star = NULL, *taken = NULL;

    while (s < end) {
        if (p < p_end && *p == '*') {
            behind_star = ++p;
            taken = s;
        } else if (p < p_end && *p == '?') {
            p++;
            s = after_char(s, end);
        } else if (p < p_end && *p == *s) {
            p++;
            s++;
        } else if (behind_star != NULL) {
            p = behind_star;
            s = taken = after_char(taken, end);
        } else {
            return false;
        }
    }
    while (p < p_end && *p == '*')
        p++;
    return p == p_end;
}

static bool regex_matches(const struct pattern *p, const char *s, size_t n)
{
    wchar_t room[ON_STACK], *text = room;
    bool matches;

    room[0] = L'\0';
    if (n > ON_STACK)
        text = calloc(n, sizeof(*text));
    if (text == NULL)
        return false;
    n = widen_pattern(text, s, n);
    matches = tre_regwnexec(&p->regex, text, n, 0, NULL, 0) == REG_OK;
    if (text != room)
        free(text);
    return matches;
}

bool pattern_match(const struct pattern *p, const char *s, size_t n)
{
    return p->is_regex ? regex_matches(p, s, n) : glob_matches(p->glob, p->glob + p->n, s, s + n);
}
