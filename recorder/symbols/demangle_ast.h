/*
 * demangle_ast.h - a C++ name between reading (demangle_parse.c) and writing (demangle_print.c).
 *
 * Nodes are numbers into one array of fixed size; 0 is no node.
 */
#ifndef RECORDER_SYMBOLS_DEMANGLE_AST_H
#define RECORDER_SYMBOLS_DEMANGLE_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DM_NODES_MAX = 3000,
    DM_SUBS_MAX = 1000,
    DM_DEPTH_MAX = 150, /* of parsing and of printing */
    DM_STEPS_MAX = 50000, /* of printing: shared nodes may be printed often */
};

enum dm_kind {
    DM_NONE,
    DM_TEXT, /* text */
    DM_SCOPED, /* a::b */
    DM_TEMPLATE, /* a<list b> */
    DM_LIST, /* a, then the list b */
    DM_PACK, /* the list a as one argument */
    DM_EXPANSION, /* type a, repeated for each element of the pack inside */
    DM_QUALIFIED, /* type a with flags */
    DM_POINTER, /* to a */
    DM_LVALUE_REF,
    DM_RVALUE_REF,
    DM_FUNCTION, /* type: returns a, takes list b, flags */
    DM_ARRAY, /* of a; b the size, a text or expression, or 0 */
    DM_MEMBER_POINTER, /* to a member of class a, of type b */
    DM_ENCODING, /* a(list c), returning b if that is not 0; flags */
    DM_SPECIAL, /* text, then a */
    DM_LOCAL, /* a::b where a is an encoding */
    DM_CTOR, /* of class a */
    DM_DTOR,
    DM_CONVERSION, /* operator type a */
    DM_LAMBDA, /* parameters list a, number n */
    DM_UNNAMED, /* number n */
    DM_TAGGED, /* a with ABI tag text */
    DM_LITERAL, /* of type a, digits text */
    DM_UNARY, /* operator text, operand a */
    DM_BINARY, /* a operator text b */
    DM_TERNARY, /* a ? b : c */
    DM_CALL, /* a(list b) */
    DM_CAST, /* (type a)(list b) */
    DM_WORD_OF, /* text (a): sizeof, decltype, ... */
    DM_PARAM, /* function parameter number n in an expression */
    DM_AUTO, /* auto:n */
    DM_SUFFIX, /* a with text behind */
};

enum {
    DM_CONST = 1,
    DM_VOLATILE = 2,
    DM_RESTRICT = 4,
    DM_REF = 8, /* functions: && or & behind */
    DM_REFREF = 16,
    DM_NOEXCEPT = 32,
};

struct dm_node {
    uint8_t kind, flags;
    uint16_t a, b, c;
    uint32_t n; /* bytes of text, or a number */
    const char *text; /* into the input or static */
};

struct dm_tree {
    struct dm_node nodes[DM_NODES_MAX];
    uint16_t n;
};

/* Reads [p, end), a name behind its "_Z". The root, or 0. */
uint16_t dm_parse(struct dm_tree *t, const char *p, const char *end);

/* Writes a name and a terminator; `with_params` counts for the outermost function. */
bool dm_print(const struct dm_tree *t, uint16_t root, bool with_params, char *to, size_t room);

#endif
