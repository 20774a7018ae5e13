/* Expressions of mangled C++ names: template arguments and what enable_if is made of. */
#include "recorder/symbols/demangle_expr.h"

#include <string.h>

const struct dm_operator *dm_operator_at(const struct dm_parser *p)
{
    static const struct dm_operator table[] = {
        {"aN", "&=", 2, false},      {"aS", "=", 2, false},    {"aa", "&&", 2, false},
        {"ad", "&", 1, false},       {"an", "&", 2, false},    {"cl", "()", 0, false},
        {"cm", ",", 2, false},       {"co", "~", 1, false},    {"dV", "/=", 2, false},
        {"da", "delete[]", 1, true}, {"de", "*", 1, false},    {"dl", "delete", 1, true},
        {"dv", "/", 2, false},       {"eO", "^=", 2, false},   {"eo", "^", 2, false},
        {"eq", "==", 2, false},      {"ge", ">=", 2, false},   {"gt", ">", 2, false},
        {"ix", "[]", 2, false},      {"lS", "<<=", 2, false},  {"le", "<=", 2, false},
        {"ls", "<<", 2, false},      {"lt", "<", 2, false},    {"mI", "-=", 2, false},
        {"mL", "*=", 2, false},      {"mi", "-", 2, false},    {"ml", "*", 2, false},
        {"mm", "--", 1, false},      {"na", "new[]", 0, true}, {"ne", "!=", 2, false},
        {"ng", "-", 1, false},       {"nt", "!", 1, false},    {"nw", "new", 0, true},
        {"oR", "|=", 2, false},      {"oo", "||", 2, false},   {"or", "|", 2, false},
        {"pL", "+=", 2, false},      {"pl", "+", 2, false},    {"pm", "->*", 2, false},
        {"pp", "++", 1, false},      {"ps", "+", 1, false},    {"pt", "->", 0, false},
        {"qu", "?", 3, false},       {"rM", "%=", 2, false},   {"rS", ">>=", 2, false},
        {"rm", "%", 2, false},       {"rs", ">>", 2, false},   {"ss", "<=>", 2, false},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (dm_peek(p, 0) == table[i].code[0] && dm_peek(p, 1) == table[i].code[1])
            return &table[i];
    return NULL;
}

uint16_t dm_literal(struct dm_parser *p)
{
    uint16_t type, node;
    const char *from;

    if (!dm_take(p, "L"))
        return dm_fail(p);
    if (dm_take(p, "_Z")) {
        node = dm_encoding(p);
        return dm_take(p, "E") ? node : dm_fail(p);
    }
    type = dm_type(p);
    from = p->p;
    while (p->p < p->end && *p->p != 'E' && p->p - from < 64)
        p->p++;
    node = dm_text(p, DM_LITERAL, from, (size_t)(p->p - from), type);
    return dm_take(p, "E") ? node : dm_fail(p);
}

static uint16_t expression_list(struct dm_parser *p)
{
    uint16_t first = 0, last = 0;

    while (!p->failed && !dm_take(p, "E")) {
        uint16_t item = dm_node(p, DM_LIST, dm_expression(p), 0);

        if (last == 0)
            first = item;
        else
            p->tree->nodes[last].b = item;
        last = item;
    }
    return first;
}

static uint16_t word_of(struct dm_parser *p, const char *text, uint16_t of)
{
    return dm_text(p, DM_WORD_OF, text, strlen(text), of);
}

/* sr TYPE NAME [ARGS]: a member of something that depends on a parameter */
static uint16_t unresolved(struct dm_parser *p)
{
    struct dm_name info = {0};
    uint16_t scope, name;

    scope = dm_type(p);
    name = dm_unqualified_name(p, scope, &info);
    if (dm_peek(p, 0) == 'I')
        name = dm_node(p, DM_TEMPLATE, name, dm_template_args(p));
    return dm_node(p, DM_SCOPED, scope, name);
}

static uint16_t parameter(struct dm_parser *p)
{
    uint32_t number = 0;
    uint16_t node;
    bool has_number;

    while (dm_peek(p, 0) == 'r' || dm_peek(p, 0) == 'V' || dm_peek(p, 0) == 'K')
        p->p++;
    has_number = dm_digits(p, &number);
    if (!dm_take(p, "_"))
        return dm_fail(p);
    node = dm_node(p, DM_PARAM, 0, 0);
    p->tree->nodes[node].n = has_number ? number + 2 : 1;
    return node;
}

static uint16_t cast(struct dm_parser *p)
{
    uint16_t type = dm_type(p), list;

    if (dm_take(p, "_"))
        list = expression_list(p);
    else
        list = dm_node(p, DM_LIST, dm_expression(p), 0);
    return dm_node(p, DM_CAST, type, list);
}

static uint16_t operation(struct dm_parser *p)
{
    const struct dm_operator *o = dm_operator_at(p);
    uint16_t a, b, node;

    if (o == NULL || o->arity == 0)
        return dm_fail(p);
    p->p += 2;
    if (o->arity == 1 && (o->code[0] == 'p' || o->code[0] == 'm') && o->code[1] == o->code[0])
        dm_take(p, "_"); /* prefix */
    a = dm_expression(p);
    if (o->arity == 1)
        return dm_text(p, DM_UNARY, o->text, strlen(o->text), a);
    b = dm_expression(p);
    if (o->arity == 2) {
        node = dm_text(p, DM_BINARY, o->text, strlen(o->text), a);
        p->tree->nodes[node].b = b;
        return node;
    }
    node = dm_node(p, DM_TERNARY, a, b);
    p->tree->nodes[node].c = dm_expression(p);
    return node;
}

static uint16_t any_expression(struct dm_parser *p)
{
    struct dm_name info = {0};
    uint16_t node;
    char c = dm_peek(p, 0);

    if (c == 'L')
        return dm_literal(p);
    if (c == 'T')
        return dm_template_param(p);
    if (dm_take(p, "sr"))
        return unresolved(p);
    if (dm_take(p, "fp"))
        return parameter(p);
    if (dm_take(p, "cl")) {
        node = dm_expression(p);
        return dm_node(p, DM_CALL, node, expression_list(p));
    }
    if (dm_take(p, "cv"))
        return cast(p);
    if (dm_take(p, "st"))
        return word_of(p, "sizeof ", dm_type(p));
    if (dm_take(p, "sz"))
        return word_of(p, "sizeof ", dm_expression(p));
    if (dm_take(p, "at"))
        return word_of(p, "alignof ", dm_type(p));
    if (dm_take(p, "az"))
        return word_of(p, "alignof ", dm_expression(p));
    if (dm_take(p, "nx"))
        return word_of(p, "noexcept ", dm_expression(p));
    if (dm_take(p, "sZ"))
        return word_of(p, "sizeof...", dm_template_param(p));
    if (dm_take(p, "sp"))
        return dm_node(p, DM_EXPANSION, dm_expression(p), 0);
    if (dm_take(p, "dt") || dm_take(p, "pt")) {
        const char *text = p->p[-2] == 'd' ? "." : "->";

        node = dm_text(p, DM_BINARY, text, strlen(text), dm_expression(p));
        p->tree->nodes[node].b = dm_unqualified_name(p, 0, &info);
        return node;
    }
    if (dm_take(p, "on") || (c >= '0' && c <= '9')) {
        node = dm_unqualified_name(p, 0, &info);
        if (dm_peek(p, 0) == 'I')
            node = dm_node(p, DM_TEMPLATE, node, dm_template_args(p));
        return node;
    }
    return operation(p);
}

uint16_t dm_expression(struct dm_parser *p)
{
    uint16_t node;

    if (!dm_enter(p))
        return 0;
    node = any_expression(p);
    p->depth--;
    return node;
}
