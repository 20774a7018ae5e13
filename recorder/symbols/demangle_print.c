/* Writes C++ names as binutils does. Types are written in two halves around what they declare:
 * "void (*" and ")(int)". */
#include "recorder/symbols/demangle_ast.h"

#include <stdio.h>
#include <string.h>

struct printer {
    const struct dm_tree *tree;
    char *to;
    size_t n, room;
    unsigned depth, steps;
    int pack_index; /* element of packs that is meant; -1: all of them */
    bool failed;
};

static void print(struct printer *p, uint16_t node);
static void left(struct printer *p, uint16_t node);
static void right(struct printer *p, uint16_t node);

static void put(struct printer *p, const char *text, size_t n)
{
    if (p->failed || n >= p->room - p->n) {
        p->failed = true;
        return;
    }
    memcpy(p->to + p->n, text, n);
    p->n += n;
}

static void puts_(struct printer *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_number(struct printer *p, uint32_t v)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", v);
    puts_(p, text);
}

static char last(const struct printer *p)
{
    return p->n == 0 ? 0 : p->to[p->n - 1];
}

static bool enter(struct printer *p)
{
    if (++p->depth > DM_DEPTH_MAX || ++p->steps > DM_STEPS_MAX)
        p->failed = true;
    return !p->failed;
}

static const struct dm_node *at(const struct printer *p, uint16_t node)
{
    return &p->tree->nodes[node];
}

/* The element of a pack that is meant now, or the node itself; 0: the pack has no such element. */
static uint16_t chosen(const struct printer *p, uint16_t node)
{
    uint16_t item;

    if (at(p, node)->kind != DM_PACK || p->pack_index < 0)
        return node;
    item = at(p, node)->a;
    for (int i = 0; i < p->pack_index && item != 0; i++)
        item = at(p, item)->b;
    return item == 0 ? 0 : at(p, item)->a;
}

/* Commas between what is written; what writes nothing (an empty pack) has none. */
static void print_list(struct printer *p, uint16_t list)
{
    bool is_first = true;

    for (; list != 0 && !p->failed; list = at(p, list)->b) {
        size_t before = p->n, start;

        if (at(p, list)->a == 0)
            continue;
        if (!is_first)
            puts_(p, ", ");
        start = p->n;
        print(p, at(p, list)->a);
        if (p->n == start)
            p->n = before;
        else
            is_first = false;
    }
}

static void print_flags(struct printer *p, uint8_t flags)
{
    if ((flags & DM_CONST) != 0)
        puts_(p, " const");
    if ((flags & DM_VOLATILE) != 0)
        puts_(p, " volatile");
    if ((flags & DM_RESTRICT) != 0)
        puts_(p, " __restrict");
    if ((flags & DM_REF) != 0)
        puts_(p, " &");
    if ((flags & DM_REFREF) != 0)
        puts_(p, " &&");
    if ((flags & DM_NOEXCEPT) != 0)
        puts_(p, " noexcept");
}

static int pack_size(const struct printer *p, uint16_t node, unsigned depth, unsigned *steps)
{
    const struct dm_node *n = at(p, node);
    const uint16_t below[] = {n->a, n->b, n->c};

    if (node == 0 || depth > DM_DEPTH_MAX || ++*steps > DM_STEPS_MAX)
        return -1;
    if (n->kind == DM_PACK) {
        int size = 0;
        for (uint16_t i = n->a; i != 0; i = at(p, i)->b)
            size++;
        return size;
    }
    if (n->kind == DM_SPECIAL)
        return pack_size(p, n->a, depth + 1, steps);
    for (int i = 0; i < 3; i++) {
        int size = pack_size(p, below[i], depth + 1, steps);
        if (size >= 0)
            return size;
    }
    return -1;
}

static void print_expansion(struct printer *p, uint16_t pattern)
{
    unsigned steps = 0;
    int size = pack_size(p, pattern, 0, &steps), was = p->pack_index;

    if (size < 0) {
        print(p, pattern);
        puts_(p, "...");
        return;
    }
    for (int i = 0; i < size && !p->failed; i++) {
        if (i > 0)
            puts_(p, ", ");
        p->pack_index = i;
        print(p, pattern);
    }
    p->pack_index = was;
}

/* The plain name of a class, for its constructors. */
static void print_own_name(struct printer *p, uint16_t node)
{
    for (unsigned i = 0; i < DM_DEPTH_MAX; i++) {
        const struct dm_node *n = at(p, node);

        if (n->kind == DM_TEMPLATE || n->kind == DM_TAGGED || (n->kind == DM_TEXT && n->a != 0))
            node = n->a;
        else if (n->kind == DM_SCOPED || n->kind == DM_LOCAL)
            node = n->b;
        else
            break;
    }
    print(p, node);
}

static bool is_declarator(const struct printer *p, uint16_t node)
{
    for (unsigned i = 0; i < DM_DEPTH_MAX; i++) {
        const struct dm_node *n;

        node = chosen(p, node);
        n = at(p, node);
        if (n->kind == DM_FUNCTION || n->kind == DM_ARRAY)
            return true;
        if (n->kind != DM_QUALIFIED)
            return false;
        node = n->a;
    }
    return false;
}

/* & of && is &: references collapse. The node that is referred to, and by what. */
static uint16_t collapse(const struct printer *p, uint16_t node, bool *is_lvalue)
{
    for (unsigned i = 0; i < DM_DEPTH_MAX; i++) {
        const struct dm_node *n;

        node = chosen(p, node);
        n = at(p, node);
        if (n->kind != DM_LVALUE_REF && n->kind != DM_RVALUE_REF)
            break;
        *is_lvalue = *is_lvalue || n->kind == DM_LVALUE_REF;
        node = n->a;
    }
    return node;
}

static void left_indirect(struct printer *p, uint16_t of, const char *sign)
{
    left(p, of);
    if (is_declarator(p, of))
        puts_(p, last(p) == '(' || last(p) == '*' ? "" : last(p) == ' ' ? "(" : " (");
    puts_(p, sign);
}

static void right_indirect(struct printer *p, uint16_t of)
{
    if (is_declarator(p, of))
        puts_(p, ")");
    right(p, of);
}

static void left_member_pointer(struct printer *p, const struct dm_node *n)
{
    left(p, n->b);
    puts_(p, is_declarator(p, n->b) ? (last(p) == ' ' ? "(" : " (") : " ");
    print(p, n->a);
    puts_(p, "::*");
}

static uint8_t flags_of(const struct dm_node *n)
{
    return n->flags;
}

/* What stands in front of the declared name; the whole of what is no type. */
static void left_type(struct printer *p, uint16_t node)
{
    const struct dm_node *n = at(p, node);
    bool is_lvalue = n->kind == DM_LVALUE_REF;

    switch (n->kind) {
    case DM_QUALIFIED:
        left(p, n->a);
        if (!is_declarator(p, n->a))
            print_flags(p, flags_of(n));
        break;
    case DM_POINTER:
        left_indirect(p, n->a, "*");
        break;
    case DM_LVALUE_REF:
    case DM_RVALUE_REF:
        node = collapse(p, node, &is_lvalue);
        left_indirect(p, node, is_lvalue ? "&" : "&&");
        break;
    case DM_FUNCTION:
        left(p, n->a);
        puts_(p, " ");
        break;
    case DM_ARRAY:
        left(p, n->a);
        break;
    default:
        left_member_pointer(p, n);
    }
}

static void right_type(struct printer *p, uint16_t node)
{
    const struct dm_node *n = at(p, node);
    bool is_lvalue = false;

    switch (n->kind) {
    case DM_QUALIFIED:
        right(p, n->a);
        break;
    case DM_POINTER:
        right_indirect(p, n->a);
        break;
    case DM_LVALUE_REF:
    case DM_RVALUE_REF:
        right_indirect(p, collapse(p, node, &is_lvalue));
        break;
    case DM_FUNCTION:
        puts_(p, "(");
        print_list(p, n->b);
        puts_(p, ")");
        print_flags(p, n->flags);
        right(p, n->a);
        break;
    case DM_ARRAY:
        puts_(p, last(p) == ']' ? "[" : " [");
        if (n->b != 0)
            print(p, n->b);
        puts_(p, "]");
        right(p, n->a);
        break;
    default:
        right_indirect(p, n->b);
    }
}

static bool is_type(const struct dm_node *n)
{
    return n->kind >= DM_QUALIFIED && n->kind <= DM_MEMBER_POINTER;
}

static void print_template(struct printer *p, const struct dm_node *n)
{
    int was = p->pack_index;

    print(p, n->a);
    puts_(p, last(p) == '<' ? " <" : "<");
    print_list(p, n->b);
    p->pack_index = was;
    puts_(p, last(p) == '>' ? " >" : ">");
}

static void print_function(struct printer *p, const struct dm_node *n)
{
    print(p, n->a);
    puts_(p, "(");
    print_list(p, n->c);
    puts_(p, ")");
    print_flags(p, n->flags);
}

static void print_encoding(struct printer *p, const struct dm_node *n, bool with_params)
{
    if (!with_params) {
        print(p, n->a);
        return;
    }
    if (n->b != 0) {
        left(p, n->b);
        if (last(p) != '(')
            puts_(p, " ");
    }
    print_function(p, n);
    if (n->b != 0)
        right(p, n->b);
}

static void print_literal(struct printer *p, const struct dm_node *n)
{
    static const struct {
        const char *type, *suffix;
    } table[] = {{"int", ""},         {"unsigned int", "u"},
                 {"long", "l"},       {"unsigned long", "ul"},
                 {"long long", "ll"}, {"unsigned long long", "ull"}};
    const struct dm_node *type = at(p, n->a);
    const char *suffix = NULL;

    if (type->kind == DM_TEXT && type->n == 4 && memcmp(type->text, "bool", 4) == 0 && n->n == 1 &&
        (n->text[0] == '0' || n->text[0] == '1')) {
        puts_(p, n->text[0] == '1' ? "true" : "false");
        return;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (type->kind == DM_TEXT && type->n == strlen(table[i].type) &&
            memcmp(type->text, table[i].type, type->n) == 0)
            suffix = table[i].suffix;
    if (suffix == NULL) {
        puts_(p, "(");
        print(p, n->a);
        puts_(p, ")");
    }
    if (n->n > 0 && n->text[0] == 'n') {
        puts_(p, "-");
        put(p, n->text + 1, n->n - 1);
    } else {
        put(p, n->text, n->n);
    }
    if (suffix != NULL)
        puts_(p, suffix);
}

static void print_operand(struct printer *p, uint16_t node)
{
    enum dm_kind kind = at(p, node)->kind;
    bool is_simple = kind == DM_TEXT || kind == DM_SCOPED || kind == DM_PARAM || kind == DM_LITERAL;

    if (!is_simple)
        puts_(p, "(");
    print(p, node);
    if (!is_simple)
        puts_(p, ")");
}

static void print_expression(struct printer *p, const struct dm_node *n)
{
    bool is_greater = n->kind == DM_BINARY && n->n == 1 && n->text[0] == '>';

    switch (n->kind) {
    case DM_UNARY:
        put(p, n->text, n->n);
        /* the address of a member function goes without its parameters */
        if (n->n == 1 && n->text[0] == '&' && at(p, n->a)->kind == DM_ENCODING &&
            at(p, at(p, n->a)->a)->kind == DM_SCOPED)
            print(p, at(p, n->a)->a);
        else
            print_operand(p, n->a);
        break;
    case DM_BINARY:
        if (is_greater)
            puts_(p, "(");
        print_operand(p, n->a);
        put(p, n->text, n->n);
        print_operand(p, n->b);
        if (is_greater)
            puts_(p, ")");
        break;
    case DM_TERNARY:
        print_operand(p, n->a);
        puts_(p, "?");
        print_operand(p, n->b);
        puts_(p, " : ");
        print_operand(p, n->c);
        break;
    case DM_CALL:
        print_operand(p, n->a);
        puts_(p, "(");
        print_list(p, n->b);
        puts_(p, ")");
        break;
    case DM_CAST:
        puts_(p, "(");
        print(p, n->a);
        puts_(p, ")(");
        print_list(p, n->b);
        puts_(p, ")");
        break;
    case DM_WORD_OF:
        put(p, n->text, n->n);
        puts_(p, "(");
        print(p, n->a);
        puts_(p, ")");
        break;
    default:
        if (n->n == 1) {
            puts_(p, "this");
            break;
        }
        puts_(p, "{parm#");
        put_number(p, n->n - 1);
        puts_(p, "}");
    }
}

static void print_special(struct printer *p, const struct dm_node *n)
{
    put(p, n->text, n->n);
    if (n->b != 0) { /* reference temporary #0 for x */
        put_number(p, n->c);
        puts_(p, " for ");
    }
    print(p, n->a);
}

static void print_name(struct printer *p, const struct dm_node *n)
{
    switch (n->kind) {
    case DM_TEXT:
        put(p, n->text, n->n);
        break;
    case DM_SCOPED:
        print(p, n->a);
        puts_(p, "::");
        print(p, n->b);
        break;
    case DM_LOCAL: /* the function's return type is left out */
        if (at(p, n->a)->kind == DM_ENCODING)
            print_function(p, at(p, n->a));
        else
            print(p, n->a);
        puts_(p, "::");
        print(p, n->b);
        break;
    case DM_TEMPLATE:
        print_template(p, n);
        break;
    case DM_TAGGED:
        print(p, n->a);
        puts_(p, "[abi:");
        put(p, n->text, n->n);
        puts_(p, "]");
        break;
    case DM_DTOR:
        puts_(p, "~");
        print_own_name(p, n->a);
        break;
    case DM_CTOR:
        print_own_name(p, n->a);
        break;
    case DM_CONVERSION:
        puts_(p, "operator ");
        print(p, n->a);
        break;
    case DM_LAMBDA:
        puts_(p, "{lambda(");
        print_list(p, n->a);
        puts_(p, ")#");
        put_number(p, n->n);
        puts_(p, "}");
        break;
    case DM_UNNAMED:
        puts_(p, "{unnamed type#");
        put_number(p, n->n);
        puts_(p, "}");
        break;
    case DM_AUTO:
        puts_(p, "auto:");
        put_number(p, n->n);
        break;
    default:
        print(p, n->a);
        print(p, n->b);
    }
}

static void left(struct printer *p, uint16_t node)
{
    const struct dm_node *n;

    node = chosen(p, node);
    n = at(p, node);
    if (node == 0 || !enter(p))
        return;
    if (is_type(n))
        left_type(p, node);
    else if (n->kind == DM_LIST || n->kind == DM_PACK)
        print_list(p, n->kind == DM_PACK ? n->a : node);
    else if (n->kind == DM_EXPANSION)
        print_expansion(p, n->a);
    else if (n->kind == DM_ENCODING)
        print_encoding(p, n, true);
    else if (n->kind == DM_LITERAL)
        print_literal(p, n);
    else if (n->kind == DM_SPECIAL)
        print_special(p, n);
    else if (n->kind >= DM_UNARY && n->kind <= DM_PARAM)
        print_expression(p, n);
    else
        print_name(p, n);
    p->depth--;
}

static void right(struct printer *p, uint16_t node)
{
    node = chosen(p, node);
    if (node == 0 || !is_type(at(p, node)) || !enter(p))
        return;
    right_type(p, node);
    p->depth--;
}

static void print(struct printer *p, uint16_t node)
{
    left(p, node);
    right(p, node);
}

bool dm_print(const struct dm_tree *t, uint16_t root, bool with_params, char *to, size_t room)
{
    struct printer p = {.tree = t, .to = to, .room = room, .pack_index = -1};

    if (root == 0 || room == 0)
        return false;
    if (t->nodes[root].kind == DM_ENCODING)
        print_encoding(&p, &t->nodes[root], with_params);
    else
        print(&p, root);
    if (p.failed)
        return false;
    to[p.n] = 0;
    return true;
}
