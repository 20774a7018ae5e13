/*
 * demangle_expr.h - what the parts of the reader of C++ names share: names (demangle_parse.c),
 * types (demangle_type.c), expressions (demangle_expr.c).
 *
 * A function that meets what it does not understand sets `failed` and returns 0; everything goes on
 * from there without harm and ends soon.
 */
#ifndef RECORDER_SYMBOLS_DEMANGLE_EXPR_H
#define RECORDER_SYMBOLS_DEMANGLE_EXPR_H

#include "recorder/symbols/demangle_ast.h"

struct dm_parser {
    struct dm_tree *tree;
    const char *p, *end;
    uint16_t subs[DM_SUBS_MAX];
    uint16_t n_subs;
    uint16_t template_args; /* list that T_ speaks of */
    uint16_t depth, lambda_depth;
    bool failed, in_conversion;
};

/* What a name tells of the function that it names. */
struct dm_name {
    uint8_t flags; /* cv-qualifiers and ref-qualifier of a member function */
    bool is_template; /* ends in template arguments: the return type follows */
    bool is_special; /* constructor, destructor, conversion: it does not */
};

struct dm_operator {
    char code[3];
    const char *text;
    uint8_t arity;
    bool is_word; /* "new", "delete" */
};

uint16_t dm_node(struct dm_parser *p, enum dm_kind kind, uint16_t a, uint16_t b);
uint16_t dm_text(struct dm_parser *p, enum dm_kind kind, const char *text, size_t n, uint16_t a);
uint16_t dm_fail(struct dm_parser *p);
bool dm_enter(struct dm_parser *p); /* one level deeper; the caller decrements depth */
char dm_peek(const struct dm_parser *p, size_t n); /* 0 behind the end */
bool dm_take(struct dm_parser *p, const char *text);
bool dm_digits(struct dm_parser *p, uint32_t *value);
void dm_add_sub(struct dm_parser *p, uint16_t node);

uint16_t dm_encoding(struct dm_parser *p);
uint16_t dm_class_name(struct dm_parser *p);
uint16_t dm_unqualified_name(struct dm_parser *p, uint16_t scope, struct dm_name *info);
uint16_t dm_template_args(struct dm_parser *p);
uint16_t dm_template_arg(struct dm_parser *p);
uint16_t dm_template_param(struct dm_parser *p);
uint16_t dm_substitution(struct dm_parser *p);

uint16_t dm_type(struct dm_parser *p);
uint16_t dm_params(struct dm_parser *p); /* list of types, up to E, the end or a suffix; 0: none */

uint16_t dm_expression(struct dm_parser *p);
uint16_t dm_literal(struct dm_parser *p); /* L ... E */
const struct dm_operator *dm_operator_at(const struct dm_parser *p); /* or NULL; takes nothing */

#endif
