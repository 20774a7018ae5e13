/* Types of mangled C++ names. */
#include "recorder/symbols/demangle_expr.h"

#include <string.h>

static uint16_t builtin(struct dm_parser *p)
{
    static const struct {
        const char *code, *text;
    } table[] = {
        {"v", "void"},
        {"w", "wchar_t"},
        {"b", "bool"},
        {"c", "char"},
        {"a", "signed char"},
        {"h", "unsigned char"},
        {"s", "short"},
        {"t", "unsigned short"},
        {"i", "int"},
        {"j", "unsigned int"},
        {"l", "long"},
        {"m", "unsigned long"},
        {"x", "long long"},
        {"y", "unsigned long long"},
        {"n", "__int128"},
        {"o", "unsigned __int128"},
        {"f", "float"},
        {"d", "double"},
        {"e", "long double"},
        {"g", "__float128"},
        {"z", "..."},
        {"Dn", "decltype(nullptr)"},
        {"Di", "char32_t"},
        {"Ds", "char16_t"},
        {"Du", "char8_t"},
        {"Da", "auto"},
        {"Dc", "decltype(auto)"},
        {"Df", "decimal32"},
        {"Dd", "decimal64"},
        {"De", "decimal128"},
        {"Dh", "half"},
        {"DF16_", "_Float16"},
        {"DF16b", "std::bfloat16_t"},
        {"DF32_", "_Float32"},
        {"DF32x", "_Float32x"},
        {"DF64_", "_Float64"},
        {"DF64x", "_Float64x"},
        {"DF128_", "_Float128"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (dm_take(p, table[i].code))
            return dm_text(p, DM_TEXT, table[i].text, strlen(table[i].text), 0);
    return 0;
}

/* The list up to E, a suffix or the end. (v) is no parameter. */
uint16_t dm_params(struct dm_parser *p)
{
    uint16_t first = 0, last = 0;

    if (dm_peek(p, 0) == 'v') {
        p->p++;
        return 0;
    }
    while (!p->failed && p->p < p->end && dm_peek(p, 0) != 'E' && dm_peek(p, 0) != '.') {
        uint16_t item;

        if ((dm_peek(p, 0) == 'R' || dm_peek(p, 0) == 'O') && dm_peek(p, 1) == 'E')
            break; /* ref-qualifier of a function type */
        item = dm_node(p, DM_LIST, dm_type(p), 0);
        if (last == 0)
            first = item;
        else
            p->tree->nodes[last].b = item;
        last = item;
    }
    return first == 0 ? dm_fail(p) : first;
}

static uint16_t function_type(struct dm_parser *p, uint8_t flags)
{
    uint16_t result, params, node;

    if (dm_take(p, "Do"))
        flags |= DM_NOEXCEPT;
    if (!dm_take(p, "F"))
        return dm_fail(p);
    dm_take(p, "Y"); /* extern "C" */
    result = dm_type(p);
    params = dm_params(p);
    if (dm_take(p, "RE"))
        flags |= DM_REF;
    else if (dm_take(p, "OE"))
        flags |= DM_REFREF;
    else if (!dm_take(p, "E"))
        return dm_fail(p);
    node = dm_node(p, DM_FUNCTION, result, params);
    p->tree->nodes[node].flags = flags;
    return node;
}

static uint16_t array_type(struct dm_parser *p)
{
    const char *digits;
    uint16_t size = 0;
    uint32_t number;

    p->p++;
    digits = p->p;
    if (dm_peek(p, 0) >= '0' && dm_peek(p, 0) <= '9') {
        dm_digits(p, &number);
        size = dm_text(p, DM_TEXT, digits, (size_t)(p->p - digits), 0);
    } else if (dm_peek(p, 0) != '_') {
        size = dm_expression(p);
    }
    if (!dm_take(p, "_"))
        return dm_fail(p);
    return dm_node(p, DM_ARRAY, dm_type(p), size);
}

static bool is_function_ahead(const struct dm_parser *p)
{
    return dm_peek(p, 0) == 'F' || (dm_peek(p, 0) == 'D' && dm_peek(p, 1) == 'o');
}

static uint16_t qualified_type(struct dm_parser *p)
{
    uint8_t flags = 0;
    uint16_t node;

    if (dm_take(p, "r"))
        flags |= DM_RESTRICT;
    if (dm_take(p, "V"))
        flags |= DM_VOLATILE;
    if (dm_take(p, "K"))
        flags |= DM_CONST;
    if (is_function_ahead(p))
        return function_type(p, flags);
    node = dm_node(p, DM_QUALIFIED, dm_type(p), 0);
    p->tree->nodes[node].flags = flags;
    return node;
}

static uint16_t extended_type(struct dm_parser *p, bool *is_done)
{
    uint16_t node;

    *is_done = true;
    switch (dm_peek(p, 1)) {
    case 'p':
        p->p += 2;
        return dm_node(p, DM_EXPANSION, dm_type(p), 0);
    case 't':
    case 'T':
        p->p += 2;
        node = dm_text(p, DM_WORD_OF, "decltype ", 9, dm_expression(p));
        return dm_take(p, "E") ? node : dm_fail(p);
    case 'o':
        return function_type(p, 0);
    default:
        *is_done = false;
        return 0;
    }
}

/* What neither is built in nor needs more than a letter. */
static uint16_t named_type(struct dm_parser *p, bool *is_new)
{
    uint16_t node;

    *is_new = true;
    if (dm_peek(p, 0) == 'T') {
        node = dm_template_param(p);
        if (dm_peek(p, 0) == 'I' && !p->in_conversion) { /* a template template parameter */
            dm_add_sub(p, node);
            node = dm_node(p, DM_TEMPLATE, node, dm_template_args(p));
        }
        return node;
    }
    if (dm_peek(p, 0) == 'S' && dm_peek(p, 1) != 't') {
        node = dm_substitution(p);
        if (dm_peek(p, 0) != 'I') {
            *is_new = false;
            return node;
        }
        return dm_node(p, DM_TEMPLATE, node, dm_template_args(p));
    }
    return dm_class_name(p);
}

static uint16_t compound_type(struct dm_parser *p, bool *is_new)
{
    char c = dm_peek(p, 0);
    bool is_done;
    uint16_t node;

    switch (c) {
    case 'P':
        p->p++;
        return dm_node(p, DM_POINTER, dm_type(p), 0);
    case 'R':
        p->p++;
        return dm_node(p, DM_LVALUE_REF, dm_type(p), 0);
    case 'O':
        p->p++;
        return dm_node(p, DM_RVALUE_REF, dm_type(p), 0);
    case 'r':
    case 'V':
    case 'K':
        return qualified_type(p);
    case 'F':
        return function_type(p, 0);
    case 'A':
        return array_type(p);
    case 'M':
        p->p++;
        node = dm_type(p);
        return dm_node(p, DM_MEMBER_POINTER, node, dm_type(p));
    case 'D':
        node = extended_type(p, &is_done);
        return is_done ? node : dm_fail(p);
    default:
        return named_type(p, is_new);
    }
}

uint16_t dm_type(struct dm_parser *p)
{
    bool is_new = true;
    uint16_t node;

    if (!dm_enter(p))
        return 0;
    node = builtin(p);
    if (node == 0 && !p->failed) {
        node = compound_type(p, &is_new);
        if (is_new && !p->failed)
            dm_add_sub(p, node);
    }
    p->depth--;
    return p->failed ? 0 : node;
}
