/*
 * where_parse.c - parses the text of --where into nodes.
 *
 * A recursive descent: or, and, not, comparison, operand. Errors name the place in the text and
 * what was expected there. where.c evaluates the nodes.
 */
#include "convert/text/timespec.h"
#include "convert/select/where_internal.h"
#include "jfrfmt/base/ascii.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token {
    T_END,
    T_WORD,
    T_NUMBER,
    T_TEXT,
    T_REGEX,
    T_OPEN,
    T_CLOSE,
    T_OR,
    T_AND,
    T_NOT,
    T_COMPARE,
    T_MATCH, /* the next token may be a regular expression */
};

struct parser {
    struct where *w;
    struct context *context;
    struct jfr_error *err;
    const char *text, *p; /* p: after the token */
    const char *start; /* of the token */
    enum token token;
    enum where_op op; /* of T_COMPARE and T_MATCH */
    char value[WHERE_TEXT_MAX + 1]; /* of a word, number, text or regular expression */
    unsigned depth;
};

static uint32_t place(const struct parser *p)
{
    return (uint32_t)(p->start - p->text) + 1;
}

static int fail_at(struct parser *p, const char *what)
{
    return jfr_fail(p->err, JFR_E_FORMAT, (uint64_t)(p->start - p->text), "character %u: %s",
                    place(p), what);
}

static int expected(struct parser *p, const char *what)
{
    int n = (int)(p->p - p->start);

    if (p->token == T_END)
        return jfr_fail(p->err, JFR_E_FORMAT, (uint64_t)(p->start - p->text),
                        "the end, character %u: expected %s", place(p), what);
    return jfr_fail(p->err, JFR_E_FORMAT, (uint64_t)(p->start - p->text),
                    "character %u: expected %s, not '%.*s'", place(p), what, n > 40 ? 40 : n,
                    p->start);
}

static int no_parse_memory(struct parser *p)
{
    return jfr_fail(p->err, JFR_E_NOMEM, 0, "out of memory");
}

/* --- tokens ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ascii_is_digit(c) || c == '_' ||
           c == '$' || c == '-' || c == '.' || (c & 0x80) != 0;
}

/* A text up to `quote`. In a regular expression only \/ is ours, all else is the pattern's. */
static int read_quoted(struct parser *p, char quote)
{
    size_t n = 0;

    for (p->p++; *p->p != '\0' && *p->p != quote; p->p++) {
        char c = *p->p;

        if (c == '\\' && p->p[1] != '\0') {
            char next = *++p->p;

            if (quote == '/' && next != '/')
                p->value[n++] = c;
            c = quote != '/' && next == 'n' ? '\n' : quote != '/' && next == 't' ? '\t' : next;
        }
        p->value[n++] = c;
    }
    p->value[n] = '\0';
    if (*p->p == '\0')
        return fail_at(p, quote == '/' ? "the pattern has no closing /" : "the text has no end");
    p->p++;
    p->token = quote == '/' ? T_REGEX : T_TEXT;
    return 0;
}

static void take(struct parser *p, size_t n)
{
    memcpy(p->value, p->p, n);
    p->value[n] = '\0';
    p->p += n;
}

static void read_where_number(struct parser *p)
{
    size_t n = p->p[0] == '-' || p->p[0] == '+';

    while (is_word(p->p[n]) || p->p[n] == '%' || (p->p[n] == '+' && (p->p[n - 1] | 32) == 'e'))
        n++;
    take(p, n);
    p->token = T_NUMBER;
}

static void read_word(struct parser *p)
{
    static const struct {
        const char *word;
        enum token token;
    } words[] = {{"and", T_AND}, {"or", T_OR}, {"not", T_NOT}};
    size_t n = 0;

    while (is_word(p->p[n]))
        n++;
    take(p, n);
    p->token = T_WORD;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(p->value, words[i].word) == 0)
            p->token = words[i].token;
}

static bool read_sign(struct parser *p)
{
    static const struct {
        const char *sign;
        enum token token;
        enum where_op op;
    } signs[] = {
        {"(", T_OPEN},
        {")", T_CLOSE},
        {"||", T_OR},
        {"&&", T_AND},
        {"!=", T_COMPARE, WHERE_NE},
        {"!~", T_MATCH, WHERE_NO_MATCH},
        {"!", T_NOT},
        {"==", T_COMPARE, WHERE_EQ},
        {"=~", T_MATCH, WHERE_MATCH},
        {"=", T_COMPARE, WHERE_EQ},
        {"~", T_MATCH, WHERE_MATCH},
        {"<=", T_COMPARE, WHERE_LE},
        {"<", T_COMPARE, WHERE_LT},
        {">=", T_COMPARE, WHERE_GE},
        {">", T_COMPARE, WHERE_GT},
    };

    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t n = strlen(signs[i].sign);

        if (strncmp(p->p, signs[i].sign, n) == 0) {
            p->p += n;
            p->token = signs[i].token;
            p->op = signs[i].op;
            return true;
        }
    }
    return false;
}

/* The next token. 0 or *err. */
static int next(struct parser *p)
{
    bool may_be_regex = p->token == T_MATCH;
    const char *q;

    p->p += strspn(p->p, " \t\r\n");
    p->start = p->p;
    q = *p->p == '-' || *p->p == '+' ? p->p + 1 : p->p;
    if (*p->p == '\0')
        p->token = T_END;
    else if (*p->p == '\'' || *p->p == '"' || (*p->p == '/' && may_be_regex))
        return read_quoted(p, *p->p);
    else if (ascii_is_digit(*q) || (*q == '.' && ascii_is_digit(q[1])))
        read_where_number(p);
    else if (is_word(*p->p))
        read_word(p);
    else if (!read_sign(p))
        return fail_at(p, *p->p == '/' ? "a /pattern/ has to follow ~" : "unknown sign");
    return 0;
}

/* --- operands --------------------------------------------------------------------------------- */

static bool read_integer(const char *text, struct where_value *v)
{
    int base = text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10;
    char *end;

    errno = 0;
    v->kind = WHERE_INT;
    v->i = strtoll(text, &end, base);
    if (*end == '\0' && errno == 0)
        return true;
    errno = 0;
    v->i = (int64_t)strtoull(text, &end, base);
    v->is_big = true;
    return *end == '\0' && errno == 0 && *text != '-';
}

static bool read_real(const char *text, struct where_value *v)
{
    char *end;

    v->kind = WHERE_REAL;
    v->f = strtod(text, &end);
    if (*end == '%' && end[1] == '\0' && end != text) {
        v->f /= 100;
        return true;
    }
    return *end == '\0';
}

static int read_literal(struct parser *p, struct where_value *v)
{
    bool is_negative = p->value[0] == '-';
    const char *plain = p->value + (is_negative || p->value[0] == '+');
    struct jfr_error ignored = {0};
    uint64_t bytes;

    *v = (struct where_value){0};
    if (read_integer(plain, v)) {
        if (is_negative && v->is_big)
            *v = (struct where_value){.kind = WHERE_REAL, .f = -(double)(uint64_t)v->i};
        else if (is_negative)
            v->i = -v->i;
        return 0;
    }
    *v = (struct where_value){0};
    if (read_real(plain, v)) {
        v->f = is_negative ? -v->f : v->f;
        return 0;
    }
    *v = (struct where_value){.kind = WHERE_SPAN};
    if (timespec_duration(plain, &v->i, &ignored) == 0) {
        v->i = is_negative ? -v->i : v->i;
        return 0;
    }
    ignored = (struct jfr_error){0};
    *v = (struct where_value){.kind = WHERE_INT};
    if (timespec_size(plain, &bytes, &ignored) == 0) {
        v->i = is_negative ? -(int64_t)bytes : (int64_t)bytes;
        return 0;
    }
    return expected(p, "a number, a time (10ms) or a size (64kB)");
}

/* A new operand for the text of the token; NULL if out of memory or there are too many. */
static struct where_operand *new_operand(struct parser *p, bool is_path)
{
    struct where *w = p->w;
    struct where_operand *o = &w->operands[w->n_operands];
    char *copy;

    if (w->n_operands == sizeof(w->operands) / sizeof(w->operands[0]) ||
        (is_path && w->n_fields == WHERE_OPERANDS_MAX)) {
        fail_at(p, "too many fields and values");
        return NULL;
    }
    copy = strdup(p->value);
    if (copy == NULL) {
        no_parse_memory(p);
        return NULL;
    }
    w->n_operands++;
    if (is_path)
        o->path = copy;
    else
        o->text = copy;
    return o;
}

static int read_path(struct parser *p, uint16_t *operand)
{
    struct where *w = p->w;
    struct where_operand *o;
    size_t n = strlen(p->value);

    for (size_t i = 0; i < w->n_operands; i++)
        if (w->operands[i].path != NULL && strcmp(w->operands[i].path, p->value) == 0) {
            *operand = (uint16_t)i;
            return 0;
        }
    if (p->value[0] == '.' || p->value[0] == '-' || p->value[n - 1] == '.' ||
        strstr(p->value, "..") != NULL)
        return fail_at(p, "a field's name is missing beside a dot");
    o = new_operand(p, true);
    if (o == NULL)
        return p->err->code;
    *operand = (uint16_t)(o - w->operands);
    if (strcmp(o->path, "event") == 0) {
        o->source = WHERE_EVENT_NAME;
    } else if (strncmp(o->path, "ctx.", 4) == 0) {
        o->source = WHERE_CONTEXT;
        o->key = p->context == NULL ? 0 : context_want(p->context, o->path + 4);
        if (o->key == CONTEXT_NONE)
            return no_parse_memory(p);
    } else {
        o->source = strcmp(o->path, "frame") == 0 ? WHERE_FRAME : WHERE_FIELD;
        w->n_fields++;
    }
    return 0;
}

static void set_operand_text(struct where_operand *o)
{
    struct jfr_error ignored = {0};
    struct time_point point;

    o->value = (struct where_value){.kind = WHERE_TEXT, .text = o->text, .n = strlen(o->text)};
    if (timespec_point(o->text, false, &point, &ignored) == 0 &&
        point.kind == TIME_POINT_ABSOLUTE) {
        o->value.has_time = true;
        o->value.i = timespec_resolve(&point, 0, 0, 0);
    }
}

/* A field or a value, and the token after it. */
static int read_operand(struct parser *p, uint16_t *operand)
{
    static const char *const words[] = {"null", "false", "true"};
    struct where_operand *o;
    int rc = 0;

    if (p->token == T_WORD) {
        for (int i = 0; i < 3; i++) {
            if (strcmp(p->value, words[i]) != 0)
                continue;
            o = new_operand(p, false);
            if (o == NULL)
                return p->err->code;
            o->value = (struct where_value){.kind = i == 0 ? WHERE_NULL : WHERE_BOOL, .i = i == 2};
            *operand = (uint16_t)(o - p->w->operands);
            return next(p);
        }
        rc = read_path(p, operand);
        return rc != 0 ? rc : next(p);
    }
    if (p->token != T_NUMBER && p->token != T_TEXT)
        return expected(p, "a field or a value");
    o = new_operand(p, false);
    if (o == NULL)
        return p->err->code;
    *operand = (uint16_t)(o - p->w->operands);
    if (p->token == T_TEXT)
        set_operand_text(o);
    else
        rc = read_literal(p, &o->value);
    return rc != 0 ? rc : next(p);
}

/* --- expressions ------------------------------------------------------------------------------ */

static int add_node(struct parser *p, enum where_op op, uint16_t a, uint16_t b, uint32_t at,
                    uint16_t *node)
{
    struct where *w = p->w;

    if (w->n_nodes == WHERE_NODES_MAX)
        return fail_at(p, "too many conditions");
    w->nodes[w->n_nodes].op = op;
    w->nodes[w->n_nodes].a = a;
    w->nodes[w->n_nodes].b = b;
    w->nodes[w->n_nodes].at = at;
    *node = (uint16_t)w->n_nodes++;
    return 0;
}

static bool is_frame(const struct parser *p, uint16_t operand)
{
    return p->w->operands[operand].source == WHERE_FRAME;
}

static int read_match(struct parser *p, uint16_t a, enum where_op op, uint32_t at, uint16_t *node)
{
    int rc;

    if (p->token != T_REGEX && p->token != T_TEXT)
        return expected(p, "a /pattern/ or a text");
    rc = add_node(p, op, a, 0, at, node);
    if (rc != 0)
        return rc;
    p->w->nodes[*node].pattern = pattern_new_regex(p->value, p->err);
    if (p->w->nodes[*node].pattern == NULL)
        return p->err->code;
    return next(p);
}

static int read_comparison(struct parser *p, uint16_t *node)
{
    uint32_t at = place(p);
    enum where_op op;
    bool is_match;
    uint16_t a, b;
    int rc = read_operand(p, &a);

    if (rc != 0)
        return rc;
    if (p->token != T_COMPARE && p->token != T_MATCH) {
        if (p->w->operands[a].source == WHERE_LITERAL && p->w->operands[a].value.kind != WHERE_BOOL)
            return expected(p, "a comparison (= != < <= > >= ~)");
        return add_node(p, WHERE_TRUTH, a, 0, at, node);
    }
    op = p->op;
    is_match = p->token == T_MATCH;
    if (is_frame(p, a) && op != WHERE_EQ && op != WHERE_NE && !is_match)
        return expected(p, "=, !=, ~ or !~ after 'frame'");
    rc = next(p);
    if (rc != 0 || is_match)
        return rc != 0 ? rc : read_match(p, a, op, at, node);
    rc = read_operand(p, &b);
    if (rc == 0 && is_frame(p, b))
        rc = jfr_fail(p->err, JFR_E_FORMAT, at - 1, "character %u: 'frame' stands on the left", at);
    return rc != 0 ? rc : add_node(p, op, a, b, at, node);
}

static int read_or(struct parser *p, uint16_t *node);

static int read_not(struct parser *p, uint16_t *node)
{
    bool is_not = false;
    uint32_t at = place(p);
    int rc = 0;

    for (; p->token == T_NOT && rc == 0; rc = next(p))
        is_not = !is_not;
    if (rc == 0 && p->token == T_OPEN) {
        if (++p->depth > WHERE_DEPTH_MAX)
            return fail_at(p, "too many parentheses inside one another");
        rc = next(p);
        rc = rc != 0 ? rc : read_or(p, node);
        if (rc == 0 && p->token != T_CLOSE)
            return expected(p, "'and', 'or' or ')'");
        p->depth--;
        rc = rc != 0 ? rc : next(p);
    } else if (rc == 0) {
        rc = read_comparison(p, node);
    }
    return rc == 0 && is_not ? add_node(p, WHERE_NOT, *node, 0, at, node) : rc;
}

static int read_and(struct parser *p, uint16_t *node)
{
    int rc = read_not(p, node);
    uint16_t right;

    while (rc == 0 && p->token == T_AND) {
        uint32_t at = place(p);

        rc = next(p);
        rc = rc != 0 ? rc : read_not(p, &right);
        rc = rc != 0 ? rc : add_node(p, WHERE_AND, *node, right, at, node);
    }
    return rc;
}

static int read_or(struct parser *p, uint16_t *node)
{
    int rc = read_and(p, node);
    uint16_t right;

    while (rc == 0 && p->token == T_OR) {
        uint32_t at = place(p);

        rc = next(p);
        rc = rc != 0 ? rc : read_and(p, &right);
        rc = rc != 0 ? rc : add_node(p, WHERE_OR, *node, right, at, node);
    }
    return rc;
}

int where_parse(struct where *w, const char *text, struct context *context, struct jfr_error *err)
{
    struct parser *p;
    uint16_t root = 0;
    int rc;

    if (strlen(text) > WHERE_TEXT_MAX)
        return jfr_fail(err, JFR_E_FORMAT, WHERE_TEXT_MAX, "longer than %d bytes", WHERE_TEXT_MAX);
    p = calloc(1, sizeof(*p));
    if (p == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    p->w = w;
    p->context = context;
    p->err = err;
    p->text = p->p = text;
    rc = next(p);
    rc = rc != 0 ? rc : read_or(p, &root);
    if (rc == 0 && p->token != T_END)
        rc = expected(p, "'and', 'or' or the end");
    w->root = root;
    free(p);
    return rc;
}

bool where_names_context(const char *text)
{
    for (const char *p = text; (p = strstr(p, "ctx.")) != NULL; p += 4)
        if (p == text || !is_word(p[-1]))
            return true;
    return false;
}
