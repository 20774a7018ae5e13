/* Reads names of the Itanium C++ ABI by recursive descent; rules have the ABI's names. */
#include "recorder/symbols/demangle_ast.h"
#include "recorder/symbols/demangle_expr.h"

#include <string.h>

static uint16_t parse_name(struct dm_parser *p, struct dm_name *info);

uint16_t dm_node(struct dm_parser *p, enum dm_kind kind, uint16_t a, uint16_t b)
{
    struct dm_tree *t = p->tree;

    if (p->failed || t->n == DM_NODES_MAX) {
        p->failed = true;
        return 0;
    }
    t->nodes[t->n] = (struct dm_node){.kind = (uint8_t)kind, .a = a, .b = b};
    return t->n++;
}

uint16_t dm_text(struct dm_parser *p, enum dm_kind kind, const char *text, size_t n, uint16_t a)
{
    uint16_t node = dm_node(p, kind, a, 0);

    p->tree->nodes[node].text = text;
    p->tree->nodes[node].n = (uint32_t)n;
    return node;
}

uint16_t dm_fail(struct dm_parser *p)
{
    p->failed = true;
    return 0;
}

bool dm_enter(struct dm_parser *p)
{
    if (++p->depth > DM_DEPTH_MAX)
        p->failed = true;
    return !p->failed;
}

char dm_peek(const struct dm_parser *p, size_t n)
{
    return n < (size_t)(p->end - p->p) ? p->p[n] : 0;
}

bool dm_take(struct dm_parser *p, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(p->end - p->p) < n || memcmp(p->p, text, n) != 0)
        return false;
    p->p += n;
    return true;
}

bool dm_digits(struct dm_parser *p, uint32_t *value)
{
    const char *from = p->p;
    uint64_t v = 0;

    while (p->p < p->end && *p->p >= '0' && *p->p <= '9' && v < 100000000)
        v = v * 10 + (uint64_t)(*p->p++ - '0');
    *value = (uint32_t)v;
    return p->p > from;
}

static void add_sub(struct dm_parser *p, uint16_t node)
{
    if (p->n_subs < DM_SUBS_MAX)
        p->subs[p->n_subs++] = node;
    else
        p->failed = true;
}

/* "_" is 0, "0_" is 1, ...: in base 36 with `letters`, else in base 10. */
static bool parse_index(struct dm_parser *p, bool letters, uint32_t *value)
{
    uint32_t v = 0;
    bool has_digit = false;

    for (; p->p < p->end && v < 1000000; p->p++) {
        char c = *p->p;

        if (c >= '0' && c <= '9')
            v = v * (letters ? 36 : 10) + (uint32_t)(c - '0');
        else if (letters && c >= 'A' && c <= 'Z')
            v = v * 36 + (uint32_t)(c - 'A') + 10;
        else
            break;
        has_digit = true;
    }
    *value = has_digit ? v + 1 : 0;
    return dm_take(p, "_");
}

static uint16_t parse_source_name(struct dm_parser *p)
{
    const char *from;
    uint32_t n;

    if (!dm_digits(p, &n) || n == 0 || n > (size_t)(p->end - p->p))
        return dm_fail(p);
    from = p->p;
    p->p += n;
    if (n >= 10 && memcmp(from, "_GLOBAL__N", 10) == 0)
        return dm_text(p, DM_TEXT, "(anonymous namespace)", 21, 0);
    return dm_text(p, DM_TEXT, from, n, 0);
}

static uint16_t parse_tags(struct dm_parser *p, uint16_t name)
{
    while (!p->failed && dm_take(p, "B")) {
        uint16_t tag = parse_source_name(p);
        const struct dm_node *t = &p->tree->nodes[tag];
        name = dm_text(p, DM_TAGGED, t->text, t->n, name);
    }
    return name;
}

static uint16_t parse_operator(struct dm_parser *p)
{
    const struct dm_operator *o = dm_operator_at(p);
    uint16_t node;

    if (dm_take(p, "cv")) {
        uint16_t type;
        bool was = p->in_conversion;

        p->in_conversion = true;
        type = dm_type(p);
        p->in_conversion = was;
        return dm_node(p, DM_CONVERSION, type, 0);
    }
    if (dm_take(p, "li")) {
        uint16_t name = parse_source_name(p);
        return dm_text(p, DM_SPECIAL, "operator\"\" ", 11, name);
    }
    if (o == NULL)
        return dm_fail(p);
    p->p += 2;
    node = dm_text(p, DM_TEXT, o->text, strlen(o->text), 0);
    node = dm_text(p, DM_SPECIAL, o->is_word ? "operator " : "operator", o->is_word ? 9 : 8, node);
    return node;
}

static uint16_t parse_unnamed(struct dm_parser *p)
{
    bool is_lambda = dm_take(p, "Ul");
    uint16_t params = 0, node;
    uint32_t number;

    if (!is_lambda && !dm_take(p, "Ut"))
        return dm_fail(p);
    if (is_lambda) {
        p->lambda_depth++;
        params = dm_params(p);
        p->lambda_depth--;
        if (!dm_take(p, "E"))
            return dm_fail(p);
    }
    if (!parse_index(p, false, &number))
        return dm_fail(p);
    node = dm_node(p, is_lambda ? DM_LAMBDA : DM_UNNAMED, params, 0);
    p->tree->nodes[node].n = number + 1;
    return node;
}

/* `scope` is the class for constructors, which have its name. */
uint16_t dm_unqualified_name(struct dm_parser *p, uint16_t scope, struct dm_name *info)
{
    uint16_t node;
    char c, d;

    dm_take(p, "L"); /* internal linkage */
    c = dm_peek(p, 0);
    d = dm_peek(p, 1);
    if (c >= '0' && c <= '9') {
        node = parse_source_name(p);
    } else if (c == 'C' && d >= '1' && d <= '5' && scope != 0) {
        p->p += 2;
        info->is_special = true;
        node = dm_node(p, DM_CTOR, scope, 0);
    } else if (c == 'D' && d >= '0' && d <= '5' && scope != 0) {
        p->p += 2;
        info->is_special = true;
        node = dm_node(p, DM_DTOR, scope, 0);
    } else if (c == 'U') {
        node = parse_unnamed(p);
    } else {
        info->is_special = c == 'c' && d == 'v'; /* conversions tell no return type */
        node = parse_operator(p);
    }
    return parse_tags(p, node);
}

/* Arguments up to E; 0: there is none. */
static uint16_t parse_args(struct dm_parser *p, const char *opening)
{
    uint16_t first = 0, last = 0;

    if (!dm_enter(p) || !dm_take(p, opening))
        return dm_fail(p);
    while (!p->failed && !dm_take(p, "E")) {
        uint16_t item = dm_node(p, DM_LIST, dm_template_arg(p), 0);

        if (last == 0)
            first = item;
        else
            p->tree->nodes[last].b = item;
        last = item;
    }
    p->depth--;
    return first;
}

uint16_t dm_template_args(struct dm_parser *p)
{
    uint16_t args = parse_args(p, "I");

    return args == 0 ? dm_node(p, DM_LIST, 0, 0) : args; /* <> */
}

uint16_t dm_template_arg(struct dm_parser *p)
{
    uint16_t node;

    if (dm_take(p, "X")) {
        node = dm_expression(p);
        return dm_take(p, "E") ? node : dm_fail(p);
    }
    if (dm_peek(p, 0) == 'L')
        return dm_literal(p);
    if (dm_peek(p, 0) == 'J')
        return dm_node(p, DM_PACK, parse_args(p, "J"), 0);
    return dm_type(p);
}

uint16_t dm_template_param(struct dm_parser *p)
{
    uint32_t index;
    uint16_t at = p->template_args;

    if (!dm_take(p, "T") || !parse_index(p, false, &index))
        return dm_fail(p);
    if (p->lambda_depth > 0) {
        uint16_t node = dm_node(p, DM_AUTO, 0, 0);
        p->tree->nodes[node].n = index + 1;
        return node;
    }
    while (at != 0 && index > 0) {
        at = p->tree->nodes[at].b;
        index--;
    }
    if (at == 0 || p->tree->nodes[at].a == 0)
        return dm_fail(p);
    return p->tree->nodes[at].a;
}

/* Standard names in full, as they are known to the user. */
static uint16_t parse_standard(struct dm_parser *p)
{
    static const struct {
        char letter;
        const char *text, *last;
    } table[] = {
        {'a', "std::allocator", "allocator"},
        {'b', "std::basic_string", "basic_string"},
        {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
         "basic_string"},
        {'i', "std::basic_istream<char, std::char_traits<char> >", "basic_istream"},
        {'o', "std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"},
        {'d', "std::basic_iostream<char, std::char_traits<char> >", "basic_iostream"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (dm_peek(p, 1) == table[i].letter) {
            uint16_t last = dm_text(p, DM_TEXT, table[i].last, strlen(table[i].last), 0);
            uint16_t node = dm_text(p, DM_TEXT, table[i].text, strlen(table[i].text), last);

            p->p += 2;
            return parse_tags(p, node);
        }
    return 0;
}

uint16_t dm_substitution(struct dm_parser *p)
{
    uint32_t index;
    uint16_t node = parse_standard(p);

    if (node != 0)
        return node;
    if (!dm_take(p, "S") || !parse_index(p, true, &index) || index >= p->n_subs)
        return dm_fail(p);
    return p->subs[index];
}

static uint8_t parse_qualifiers(struct dm_parser *p)
{
    uint8_t flags = 0;

    if (dm_take(p, "r"))
        flags |= DM_RESTRICT;
    if (dm_take(p, "V"))
        flags |= DM_VOLATILE;
    if (dm_take(p, "K"))
        flags |= DM_CONST;
    return flags;
}

static uint16_t parse_nested(struct dm_parser *p, struct dm_name *info)
{
    uint16_t at = 0;
    bool is_sub = false; /* the last step is no candidate of its own */

    if (!dm_take(p, "N"))
        return dm_fail(p);
    info->flags = parse_qualifiers(p);
    if (dm_take(p, "R"))
        info->flags |= DM_REF;
    else if (dm_take(p, "O"))
        info->flags |= DM_REFREF;
    while (!p->failed && !dm_take(p, "E")) {
        char c = dm_peek(p, 0);

        is_sub = true;
        info->is_template = false;
        if (c == 'S' && dm_peek(p, 1) == 't' && at == 0) {
            p->p += 2;
            at = dm_text(p, DM_TEXT, "std", 3, 0);
            is_sub = false;
            continue;
        }
        if (c == 'S' && at == 0) {
            at = dm_substitution(p);
            is_sub = false;
            continue;
        }
        if (c == 'T' && at == 0) {
            at = dm_template_param(p);
        } else if (c == 'I' && at != 0) {
            uint16_t args = dm_template_args(p);
            at = dm_node(p, DM_TEMPLATE, at, args);
            info->is_template = true;
            if (!p->in_conversion)
                p->template_args = args;
        } else if (c == 'D' && (dm_peek(p, 1) == 't' || dm_peek(p, 1) == 'T') && at == 0) {
            at = dm_type(p);
            is_sub = false;
            continue;
        } else {
            uint16_t name;

            dm_take(p, "M"); /* a lambda in an initialiser */
            info->is_special = false;
            name = dm_unqualified_name(p, at, info);
            at = at == 0 ? name : dm_node(p, DM_SCOPED, at, name);
        }
        add_sub(p, at);
    }
    if (is_sub && p->n_subs > 0)
        p->n_subs--;
    return at == 0 ? dm_fail(p) : at;
}

static void parse_discriminator(struct dm_parser *p)
{
    uint32_t number;

    if (!dm_take(p, "_"))
        return;
    if (dm_take(p, "_")) {
        if (!dm_digits(p, &number) || !dm_take(p, "_"))
            p->failed = true;
    } else if (dm_peek(p, 0) >= '0' && dm_peek(p, 0) <= '9') {
        p->p++;
    } else {
        p->failed = true;
    }
}

static uint16_t parse_local(struct dm_parser *p, struct dm_name *info)
{
    uint16_t function, entity;

    if (!dm_take(p, "Z"))
        return dm_fail(p);
    function = dm_encoding(p);
    if (!dm_take(p, "E"))
        return dm_fail(p);
    if (dm_take(p, "s")) {
        entity = dm_text(p, DM_TEXT, "string literal", 14, 0);
        parse_discriminator(p);
        return dm_node(p, DM_LOCAL, function, entity);
    }
    if (dm_take(p, "d")) {
        uint32_t number;

        if (!parse_index(p, false, &number))
            return dm_fail(p);
        entity = parse_name(p, info);
        entity = dm_node(p, DM_SCOPED, dm_text(p, DM_TEXT, "{default arg}", 13, 0), entity);
        return dm_node(p, DM_LOCAL, function, entity);
    }
    entity = parse_name(p, info);
    parse_discriminator(p);
    return dm_node(p, DM_LOCAL, function, entity);
}

static uint16_t parse_name(struct dm_parser *p, struct dm_name *info)
{
    uint16_t at;
    bool is_sub = false;

    if (!dm_enter(p))
        return 0;
    if (dm_peek(p, 0) == 'N') {
        at = parse_nested(p, info);
    } else if (dm_peek(p, 0) == 'Z') {
        at = parse_local(p, info);
    } else {
        if (dm_peek(p, 0) == 'S' && dm_peek(p, 1) != 't') {
            at = dm_substitution(p);
            is_sub = true;
        } else if (dm_take(p, "St")) {
            at = dm_text(p, DM_TEXT, "std", 3, 0);
            at = dm_node(p, DM_SCOPED, at, dm_unqualified_name(p, 0, info));
        } else {
            at = dm_unqualified_name(p, 0, info);
        }
        if (dm_peek(p, 0) == 'I') {
            uint16_t args;

            if (!is_sub)
                add_sub(p, at);
            args = dm_template_args(p);
            at = dm_node(p, DM_TEMPLATE, at, args);
            info->is_template = true;
            if (!p->in_conversion)
                p->template_args = args;
        } else if (is_sub) {
            dm_fail(p);
        }
    }
    p->depth--;
    return at;
}

uint16_t dm_class_name(struct dm_parser *p)
{
    uint16_t args = p->template_args, at;
    struct dm_name info = {0};

    at = parse_name(p, &info);
    p->template_args = args;
    return at;
}

void dm_add_sub(struct dm_parser *p, uint16_t node)
{
    add_sub(p, node);
}

static uint16_t parse_special(struct dm_parser *p)
{
    static const struct {
        const char *code, *text;
        bool is_name;
    } table[] = {
        {"TV", "vtable for ", false},           {"TT", "VTT for ", false},
        {"TI", "typeinfo for ", false},         {"TS", "typeinfo name for ", false},
        {"GV", "guard variable for ", true},    {"TW", "TLS wrapper function for ", true},
        {"TH", "TLS init function for ", true},
    };
    uint32_t number;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (dm_take(p, table[i].code)) {
            struct dm_name info = {0};
            uint16_t of = table[i].is_name ? parse_name(p, &info) : dm_type(p);
            return dm_text(p, DM_SPECIAL, table[i].text, strlen(table[i].text), of);
        }
    if (dm_take(p, "GR")) {
        struct dm_name info = {0};
        uint16_t of = parse_name(p, &info), node;

        parse_index(p, true, &number);
        node = dm_text(p, DM_SPECIAL, "reference temporary #", 21, of);
        p->tree->nodes[node].b = 1; /* its number stands in between */
        p->tree->nodes[node].c = (uint16_t)number;
        return node;
    }
    if (dm_take(p, "TC")) {
        uint16_t in = dm_type(p), base;

        dm_digits(p, &number);
        if (!dm_take(p, "_"))
            return dm_fail(p);
        base = dm_type(p);
        base = dm_text(p, DM_SPECIAL, "construction vtable for ", 24, base);
        return dm_node(p, DM_SUFFIX, base, dm_text(p, DM_SPECIAL, "-in-", 4, in));
    }
    if (dm_peek(p, 0) == 'T' && (dm_peek(p, 1) == 'h' || dm_peek(p, 1) == 'v')) {
        bool is_virtual = dm_peek(p, 1) == 'v';
        const char *text = is_virtual ? "virtual thunk to " : "non-virtual thunk to ";

        p->p += 2;
        for (int i = 0; i < 1 + is_virtual; i++) {
            dm_take(p, "n");
            if (!dm_digits(p, &number) || !dm_take(p, "_"))
                return dm_fail(p);
        }
        return dm_text(p, DM_SPECIAL, text, strlen(text), dm_encoding(p));
    }
    if (dm_take(p, "GTt"))
        return dm_text(p, DM_SPECIAL, "transaction clone for ", 22, dm_encoding(p));
    return dm_fail(p);
}

uint16_t dm_encoding(struct dm_parser *p)
{
    uint16_t name, node, result = 0, params, outer = p->template_args;
    struct dm_name info = {0};

    if (!dm_enter(p))
        return 0;
    if ((dm_peek(p, 0) == 'T' && dm_peek(p, 1) != '_') || dm_peek(p, 0) == 'G') {
        node = parse_special(p);
        p->depth--;
        return node;
    }
    name = parse_name(p, &info);
    if (p->p == p->end || dm_peek(p, 0) == 'E' || dm_peek(p, 0) == '.') {
        p->template_args = outer;
        p->depth--;
        return info.flags == 0 ? name : dm_fail(p); /* an object, not a function */
    }
    if (info.is_template && !info.is_special)
        result = dm_type(p);
    params = dm_params(p);
    node = dm_node(p, DM_ENCODING, name, result);
    p->tree->nodes[node].c = params;
    p->tree->nodes[node].flags = info.flags;
    p->template_args = outer;
    p->depth--;
    return node;
}

uint16_t dm_parse(struct dm_tree *t, const char *from, const char *end)
{
    struct dm_parser p = {.tree = t, .p = from, .end = end};
    uint16_t root;

    t->n = 1;
    t->nodes[0] = (struct dm_node){0};
    root = dm_encoding(&p);
    return p.failed || p.p != end ? 0 : root;
}
