/*
 * schema.c - the tree of columns, and its description at the end of the file.
 *
 * columns/ builds the tree with parquet_group(), parquet_list() and parquet_leaf(). A column may be
 * added while rows are written; earlier row groups get nulls for it.
 */
#include "convert/parquet/parquet_internal.h"

#include "jfrfmt/base/array.h"

#include <stdlib.h>

enum { /* of parquet.thrift: repetition, and the converted types that older readers know */
    OPTIONAL = 1,
    REPEATED = 2,
    CONVERTED_UTF8 = 0,
    CONVERTED_LIST = 3,
    CONVERTED_TIMESTAMP_MICROS = 10,
    CONVERTED_UINT_8 = 11, /* 16, 32 and 64 bits follow, then INT_8 and so on */
    CONVERTED_INT_8 = 15,
};

/* Fields of the union LogicalType. */
enum {
    LOGICAL_STRING = 1,
    LOGICAL_LIST = 3,
    LOGICAL_TIMESTAMP = 8,
    LOGICAL_INTEGER = 10,
};

/* --- making --- */

static char *mended_name(struct arena *arena, const char *name)
{
    char *copy = arena_strndup(arena, name, strlen(name));

    if (copy != NULL)
        parquet_mend((uint8_t *)copy, strlen(copy));
    return copy;
}

static size_t node_depth(const struct parquet_node *node)
{
    size_t n = 0;

    for (; node != NULL; node = node->parent)
        n++;
    return n;
}

static struct parquet_node *make_node(struct parquet *p, struct parquet_node *parent,
                                      const char *name, enum parquet_kind kind)
{
    struct parquet_node *node = arena_alloc(&p->arena, sizeof(*node));
    bool is_element = parent->kind == PARQUET_LIST;

    if (node == NULL || node_depth(parent) >= PARQUET_DEPTH ||
        !array_add(&parent->children, parent->n_children, sizeof(struct parquet_node *))) {
        p->failed = true;
        return NULL;
    }
    *node = (struct parquet_node){.name = mended_name(&p->arena, name),
                                  .kind = kind,
                                  .parent = parent,
                                  .def = (uint8_t)(parent->def + 1 + is_element),
                                  .rep = (uint8_t)(parent->rep + (kind == PARQUET_LIST))};
    if (node->name == NULL) {
        p->failed = true;
        return NULL;
    }
    parent->children[parent->n_children++] = node;
    return node;
}

struct parquet_node *parquet_root(struct parquet *p)
{
    return &p->root;
}

struct parquet_node *parquet_group(struct parquet *p, struct parquet_node *parent, const char *name)
{
    return make_node(p, parent, name, PARQUET_GROUP);
}

struct parquet_node *parquet_list(struct parquet *p, struct parquet_node *parent, const char *name)
{
    return make_node(p, parent, name, PARQUET_LIST);
}

static const struct parquet_node *first_leaf(const struct parquet_node *node,
                                             const struct parquet_node *but)
{
    const struct parquet_node *found = NULL;

    if (node == but)
        return NULL;
    if (node->kind == PARQUET_LEAF)
        return node;
    for (size_t i = 0; i < node->n_children && found == NULL; i++)
        found = first_leaf(node->children[i], but);
    return found;
}

/* In the rows that wait the new leaf is null as far inside as its nearest relative says that its
 * structures are there. */
static void fill_in(const struct parquet *p, const struct parquet_node *leaf)
{
    const struct parquet_node *relative = NULL, *inside = leaf;
    struct parquet_column *c = leaf->column;

    while (relative == NULL && inside->parent != NULL) {
        relative = first_leaf(inside->parent, inside);
        inside = inside->parent;
    }
    if (relative == NULL || inside->parent == NULL) { /* no structure that exists already */
        buf_fill(&c->def, p->rows);
        if (leaf->rep > 0)
            buf_bytes(&c->rep, c->def.p, c->def.n);
        return;
    }
    for (size_t i = 0; i < relative->column->def.n; i++) {
        uint8_t def = relative->column->def.p[i],
                rep = relative->rep > 0 ? relative->column->rep.p[i] : 0;

        if (rep > inside->rep)
            continue; /* of a list that only the relative is in */
        buf_byte(&c->def, def < inside->def ? def : inside->def);
        if (leaf->rep > 0)
            buf_byte(&c->rep, rep);
    }
}

struct parquet_node *parquet_leaf(struct parquet *p, struct parquet_node *parent, const char *name,
                                  enum parquet_type type, bool has_dictionary)
{
    struct parquet_node *node = make_node(p, parent, name, PARQUET_LEAF);
    struct parquet_column *c = calloc(1, sizeof(*c));

    if (node == NULL || c == NULL ||
        !array_add(&p->columns, p->n_columns, sizeof(struct parquet_column *))) {
        p->failed = true;
        if (node != NULL)
            parent->n_children--;
        free(c);
        return NULL;
    }
    node->type = type;
    node->has_dictionary = type == PARQUET_STRING || type == PARQUET_ID ||
                           (has_dictionary && type != PARQUET_BOOLEAN && type != PARQUET_FLOAT &&
                            type != PARQUET_DOUBLE);
    node->column = c;
    c->leaf = node;
    p->columns[p->n_columns++] = c;
    fill_in(p, node);
    return node;
}

struct parquet_node *parquet_child(const struct parquet_node *parent, const char *name)
{
    for (size_t i = 0; i < parent->n_children; i++)
        if (strcmp(parent->children[i]->name, name) == 0)
            return parent->children[i];
    return NULL;
}

/* --- describing --- */

void schema_leaves(const struct parquet_node *node,
                   void (*take)(void *ctx, const struct parquet_node *leaf), void *ctx)
{
    if (node->kind == PARQUET_LEAF)
        take(ctx, node);
    for (size_t i = 0; i < node->n_children; i++)
        schema_leaves(node->children[i], take, ctx);
}

size_t schema_n(const struct parquet_node *node)
{
    size_t n = node->kind == PARQUET_LIST ? 2 : 1;

    for (size_t i = 0; i < node->n_children; i++)
        n += schema_n(node->children[i]);
    return n;
}

static bool is_whole_type(enum parquet_type type)
{
    return type >= PARQUET_INT8 && type <= PARQUET_UINT64;
}

static int converted_type(enum parquet_type type)
{
    if (type >= PARQUET_UINT8 && type <= PARQUET_UINT64)
        return CONVERTED_UINT_8 + (int)(type - PARQUET_UINT8);
    if (is_whole_type(type))
        return CONVERTED_INT_8 + (int)(type - PARQUET_INT8);
    return type == PARQUET_STRING ? CONVERTED_UTF8
           : type == PARQUET_TIME ? CONVERTED_TIMESTAMP_MICROS
                                  : -1;
}

static void put_logical_type(enum parquet_type type, struct thrift *element)
{
    struct thrift logical, inner, unit, micros;

    if (converted_type(type) < 0)
        return;
    logical = thrift_struct(element, 10);
    if (type == PARQUET_STRING) {
        inner = thrift_struct(&logical, LOGICAL_STRING);
    } else if (type == PARQUET_TIME) {
        inner = thrift_struct(&logical, LOGICAL_TIMESTAMP);
        thrift_bool(&inner, 1, true); /* UTC */
        unit = thrift_struct(&inner, 2);
        micros = thrift_struct(&unit, 2);
        thrift_end(&micros);
        thrift_end(&unit);
    } else {
        bool is_signed = type <= PARQUET_INT64;
        int power = (int)(is_signed ? type - PARQUET_INT8 : type - PARQUET_UINT8);

        inner = thrift_struct(&logical, LOGICAL_INTEGER);
        buf_byte(inner.b, 1 << 4 | 3); /* a number of one byte */
        buf_byte(inner.b, (uint8_t)(8 << power));
        inner.last = 1;
        thrift_bool(&inner, 2, is_signed);
    }
    thrift_end(&inner);
    thrift_end(&logical);
}

/* Lists have three levels: the list, a repeated group "list", and in it "element". */
static void describe_list(const struct parquet_node *node, struct buf *b)
{
    struct thrift t = thrift_begin(b), logical, inner;

    thrift_i32(&t, 3, OPTIONAL);
    thrift_text(&t, 4, node->name);
    thrift_i32(&t, 5, 1);
    thrift_i32(&t, 6, CONVERTED_LIST);
    logical = thrift_struct(&t, 10);
    inner = thrift_struct(&logical, LOGICAL_LIST);
    thrift_end(&inner);
    thrift_end(&logical);
    thrift_end(&t);
    t = thrift_begin(b);
    thrift_i32(&t, 3, REPEATED);
    thrift_text(&t, 4, "list");
    thrift_i32(&t, 5, 1);
    thrift_end(&t);
}

static void describe_leaf(const struct parquet_node *node, struct buf *b)
{
    struct thrift t = thrift_begin(b);
    int converted = converted_type(node->type);

    thrift_i32(&t, 1, parquet_physical(node->type));
    if (node->type == PARQUET_ID)
        thrift_i32(&t, 2, PARQUET_ID_BYTES);
    thrift_i32(&t, 3, OPTIONAL);
    thrift_text(&t, 4, node->name);
    if (converted >= 0)
        thrift_i32(&t, 6, converted);
    put_logical_type(node->type, &t);
    thrift_end(&t);
}

static void describe_group(const struct parquet_node *node, struct buf *b)
{
    struct thrift t = thrift_begin(b);

    if (node->parent != NULL)
        thrift_i32(&t, 3, OPTIONAL);
    thrift_text(&t, 4, node->name);
    thrift_i32(&t, 5, (int32_t)node->n_children);
    thrift_end(&t);
}

void schema_put(const struct parquet_node *node, struct buf *b)
{
    if (node->kind == PARQUET_LIST)
        describe_list(node, b);
    else if (node->kind == PARQUET_LEAF)
        describe_leaf(node, b);
    else
        describe_group(node, b);
    for (size_t i = 0; i < node->n_children; i++)
        schema_put(node->children[i], b);
}
