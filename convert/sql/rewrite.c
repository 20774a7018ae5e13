/* rewrite.c - reads a query word by word, and exchanges names with dots and calls of during(). */
#include "convert/sql/rewrite.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define PARTS_MOST 16 /* of a name with dots */

struct rewriting {
    bool (*is_column)(void *ctx, const char *name);
    void *ctx;
    struct buf *b;
    struct buf name;
};

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_of_name(char c)
{
    return begins_name(c) || isdigit((unsigned char)c) || c == '$';
}

/* Returns the end of the text, quoted name or comment that starts at p, or p if none starts there.
 */
static const char *skip_quoted(const char *p, const char *end)
{
    const char *from = p;
    char close = *p == '[' ? ']' : *p;

    if (end - p >= 2 && p[0] == '-' && p[1] == '-') {
        p = memchr(p, '\n', (size_t)(end - p));
        return p == NULL ? end : p;
    }
    if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
        for (p += 2; p < end; p++)
            if (p[0] == '/' && p[-1] == '*' && p - from > 2)
                return p + 1;
        return end;
    }
    if (strchr("'\"`[", *p) == NULL || *p == '\0')
        return from;
    for (p++; p < end; p++)
        if (*p == close && (close == ']' || p + 1 == end || p[1] != close))
            return p + 1;
        else if (*p == close)
            p++;
    return end;
}

static const char *skip_name(const char *p, const char *end)
{
    while (p < end && is_of_name(*p))
        p++;
    return p;
}

static bool is_known_column(struct rewriting *r, const char *p, const char *end)
{
    buf_reset(&r->name);
    buf_bytes(&r->name, p, (size_t)(end - p));
    buf_byte(&r->name, '\0');
    return buf_ok(&r->name) && r->is_column(r->ctx, (const char *)r->name.p);
}

/* A name at p, with what follows it after dots. */
static const char *put_dotted(struct rewriting *r, const char *p, const char *end)
{
    const char *parts[PARTS_MOST], *stop = skip_name(p, end);
    size_t n = 1;

    parts[0] = p;
    while (n < PARTS_MOST && stop + 1 < end && *stop == '.' && begins_name(stop[1])) {
        parts[n++] = stop + 1;
        stop = skip_name(stop + 1, end);
    }
    for (size_t i = 0; i + 1 < n && i < 2; i++)
        if (is_known_column(r, parts[i], stop)) {
            buf_bytes(r->b, p, (size_t)(parts[i] - p));
            buf_printf(r->b, "\"%.*s\"", (int)(stop - parts[i]), parts[i]);
            return stop;
        }
    buf_bytes(r->b, p, (size_t)(stop - p));
    return stop;
}

/* The arguments of a call whose bracket opens at p. Returns what is after its end; NULL: it has
 * none, or not n of them. */
static const char *find_arguments(const char *p, const char *end, const char **starts,
                                  const char **ends, size_t n)
{
    unsigned depth = 0;
    size_t i = 0;

    starts[0] = p + 1;
    while (p < end) {
        const char *behind = skip_quoted(p, end);

        if (behind != p) {
            p = behind;
            continue;
        }
        depth += *p == '(';
        if (*p == ')' && --depth == 0) {
            ends[i] = p;
            return i + 1 == n ? p + 1 : NULL;
        }
        if (*p == ',' && depth == 1) {
            ends[i++] = p;
            if (i == n)
                return NULL;
            starts[i] = p + 1;
        }
        p++;
    }
    return NULL;
}

static void put_query(struct rewriting *r, const char *p, const char *end);

/* during(...), if it stands at p; else p. */
static const char *put_during(struct rewriting *r, const char *p, const char *end)
{
    const char *starts[3], *ends[3], *open = p + 6, *behind;

    if (end - p < 7 || strncasecmp(p, "during", 6) != 0 || is_of_name(p[6]))
        return p;
    while (open < end && isspace((unsigned char)*open))
        open++;
    behind = open < end && *open == '(' ? find_arguments(open, end, starts, ends, 3) : NULL;
    if (behind == NULL)
        return p;
    buf_str(r->b, "((");
    put_query(r, starts[0], ends[0]);
    buf_str(r->b, ") >= (");
    put_query(r, starts[1], ends[1]);
    buf_str(r->b, ") and (");
    put_query(r, starts[0], ends[0]);
    buf_str(r->b, ") < span_end(");
    put_query(r, starts[1], ends[1]);
    buf_str(r->b, ", ");
    put_query(r, starts[2], ends[2]);
    buf_str(r->b, "))");
    return behind;
}

static void put_query(struct rewriting *r, const char *p, const char *end)
{
    while (p < end) {
        const char *behind = skip_quoted(p, end);

        if (behind != p) {
            buf_bytes(r->b, p, (size_t)(behind - p));
        } else if (begins_name(*p)) {
            behind = put_during(r, p, end);
            if (behind == p)
                behind = put_dotted(r, p, end);
        } else {
            behind = p + 1;
            /* A number is no name: 1e5 */
            if (isdigit((unsigned char)*p))
                behind = skip_name(p, end);
            buf_bytes(r->b, p, (size_t)(behind - p));
        }
        p = behind;
    }
}

void rewrite_query(const char *query, size_t n, bool (*is_column)(void *ctx, const char *name),
                   void *ctx, struct buf *b)
{
    struct rewriting r = {.is_column = is_column, .ctx = ctx, .b = b};

    put_query(&r, query, query + n);
    buf_free(&r.name);
}
