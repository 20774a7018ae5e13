/*
 * filler.c - which columns a class has, and how each of its fields is put into them.
 *
 * fill_class() makes a filler for a class of the loaded chunk: a tree in the shape of the class,
 * with the column of each field. Columns belong to the file, and are added when a chunk declares a
 * field that none had before. A field that became another type gets a column of its own,
 * "name_type". Structures inside structures are groups down to DEPTH_MOST, or until the class
 * contains itself; what is deeper is text, as JSON. fill.c uses the filler for each event; nothing
 * is read or written here.
 */
#include "convert/columns/fill_internal.h"

#define DEPTH_MOST 12 /* structures inside one another; what lies deeper is JSON */
#define SIMPLE_MOST 8 /* classes that are shown as their one field, one inside the other */

/* --- columns --- */

static const char *const type_names[PARQUET_N_TYPES] = {
    "boolean", "int8",   "int16", "int32",  "int64", "uint8", "uint16",
    "uint32",  "uint64", "float", "double", "time",  "text",  "id",
};

const char *fill_type_name(enum parquet_type type)
{
    return type_names[type];
}

static bool is_this(const struct parquet_node *node, enum parquet_kind kind, enum parquet_type type)
{
    return node->kind == kind && (kind != PARQUET_LEAF || node->type == type);
}

/* The child with this name, kind and type, or NULL. If a child with this name has another kind or
 * type, *name becomes the name with the kind or type appended, and that child is looked for. */
static struct parquet_node *find_column(struct fill *fill, struct parquet_node *parent,
                                        const char **name, enum parquet_kind kind,
                                        enum parquet_type type)
{
    const char *what = kind == PARQUET_GROUP  ? "struct"
                       : kind == PARQUET_LIST ? "list"
                                              : type_names[type];
    struct parquet_node *node = parquet_child(parent, *name);

    while (node != NULL && !is_this(node, kind, type)) {
        buf_reset(&fill->text);
        buf_printf(&fill->text, "%s_%s", *name, what);
        *name = arena_strndup(jfr_chunk_arena(fill->values->shapes.chunk),
                              (const char *)fill->text.p, fill->text.n);
        if (*name == NULL)
            return NULL;
        node = parquet_child(parent, *name);
    }
    return node;
}

static struct parquet_node *child_called(struct fill *fill, struct parquet_node *parent,
                                         const char *name, enum parquet_kind kind,
                                         enum parquet_type type, bool has_dictionary)
{
    struct parquet_node *node = find_column(fill, parent, &name, kind, type);

    if (node != NULL || name == NULL)
        return node;
    if (kind == PARQUET_LEAF)
        return parquet_leaf(fill->file, parent, name, type, has_dictionary);
    return kind == PARQUET_LIST ? parquet_list(fill->file, parent, name)
                                : parquet_group(fill->file, parent, name);
}

struct parquet_node *fill_leaf(struct fill *fill, struct parquet_node *parent, const char *name,
                               enum parquet_type type, bool has_dictionary)
{
    return child_called(fill, parent, name, PARQUET_LEAF, type, has_dictionary);
}

struct parquet_node *fill_list(struct fill *fill, struct parquet_node *parent, const char *name)
{
    return child_called(fill, parent, name, PARQUET_LIST, PARQUET_STRING, false);
}

struct parquet_node *fill_group(struct fill *fill, struct parquet_node *parent, const char *name)
{
    return child_called(fill, parent, name, PARQUET_GROUP, PARQUET_STRING, false);
}

/* --- choosing --- */

static void put_column_path(struct buf *b, const struct parquet_node *node)
{
    if (node->parent == NULL)
        return;
    put_column_path(b, node->parent);
    buf_str(b, node->name);
    buf_byte(b, '.');
}

static bool choice_wants(struct fill *fill, const struct parquet_node *parent, const char *name,
                         const char *inner, bool is_inside)
{
    if (fill->choice == NULL)
        return true;
    buf_reset(&fill->text);
    put_column_path(&fill->text, parent);
    buf_printf(&fill->text, "%s%s%s", name, inner == NULL ? "" : ".", inner == NULL ? "" : inner);
    buf_byte(&fill->text, '\0');
    if (!buf_ok(&fill->text))
        fill->values->failed = true;
    return buf_ok(&fill->text) &&
           fill->choice->wants(fill->choice->ctx, (const char *)fill->text.p, is_inside);
}

bool fill_wants(struct fill *fill, const struct parquet_node *parent, const char *name,
                const char *inner)
{
    return choice_wants(fill, parent, name, inner, false);
}

/* --- making fillers --- */

struct way { /* structures around the one at hand */
    const struct way *outer;
    const struct jfr_class *cls;
    size_t depth;
    bool is_constant; /* it is, or lies in, a constant: values come again */
};

static bool is_on_way(const struct way *way, const struct jfr_class *cls)
{
    for (; way != NULL; way = way->outer)
        if (way->cls == cls)
            return true;
    return false;
}

/* The field that is shown in place of one whose class is simple; NULL: it cannot be followed. */
static const struct jfr_field *innermost_field(const struct jfr_field *f)
{
    for (int i = 0; f->type->is_simple; i++) {
        if (i == SIMPLE_MOST || f->type->n_fields == 0 || f->type->fields[0].is_array)
            return NULL;
        f = &f->type->fields[0];
    }
    return f;
}

static enum how how_shown(const struct jfr_field *shown)
{
    switch (shown->type->kind) {
    case JFR_STRUCT:
        return FILL_GROUP;
    case JFR_BOOLEAN:
        return FILL_TRUTH;
    case JFR_CHAR:
        return FILL_CHARACTER;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        return FILL_REAL;
    case JFR_STRING:
        return FILL_TEXT;
    default:
        return jfr_unit_is_time(shown->unit)   ? FILL_TIME
               : jfr_unit_is_span(shown->unit) ? FILL_SPAN
                                               : FILL_WHOLE;
    }
}

static enum parquet_type whole_type(const struct jfr_field *f)
{
    enum parquet_type type = f->type->kind == JFR_BYTE    ? PARQUET_INT8
                             : f->type->kind == JFR_SHORT ? PARQUET_INT16
                             : f->type->kind == JFR_INT   ? PARQUET_INT32
                                                          : PARQUET_INT64;

    return f->is_unsigned ? (enum parquet_type)(type + PARQUET_UINT8 - PARQUET_INT8) : type;
}

static enum parquet_type column_type(enum how how, const struct jfr_field *f)
{
    switch (how) {
    case FILL_TRUTH:
        return PARQUET_BOOLEAN;
    case FILL_REAL:
        return f->type->kind == JFR_FLOAT ? PARQUET_FLOAT : PARQUET_DOUBLE;
    case FILL_TIME:
        return PARQUET_TIME;
    case FILL_SPAN:
        return PARQUET_INT64;
    case FILL_WHOLE:
        return whole_type(f);
    default:
        return PARQUET_STRING;
    }
}

static bool make_members(struct fill *fill, struct filler *f, struct json_shape *shape,
                         const struct way *way, struct parquet_node *const *extras,
                         size_t n_extras);

static bool make_value(struct fill *fill, struct filler *f, struct parquet_node *parent,
                       const char *name, const struct way *way);

static bool make_list(struct fill *fill, struct filler *f, struct parquet_node *parent,
                      const char *name, const struct way *way)
{
    f->how = FILL_LIST;
    f->node = fill_list(fill, parent, name);
    f->inner = arena_alloc(jfr_chunk_arena(fill->values->shapes.chunk), sizeof(*f->inner));
    if (f->node == NULL || f->inner == NULL)
        return false;
    f->inner->member = f->member;
    f->n_inner = 1;
    return make_value(fill, f->inner, f->node, "element", way);
}

static struct json_shape *shown_shape(struct fill *fill, struct json_shape *shape)
{
    while (shape->cls->is_simple && json_value_compile(fill->values, shape))
        shape = shape->members[0].shape;
    return shape;
}

static bool make_group(struct fill *fill, struct filler *f, struct parquet_node *parent,
                       const char *name, const struct way *way)
{
    struct json_shape *shape = shown_shape(fill, f->member->shape);
    const struct way inside = {way, shape->cls, way->depth + 1,
                               way->is_constant || f->member->field->is_pooled};

    f->node = fill_group(fill, parent, name);
    return f->node != NULL && json_value_compile(fill->values, shape) &&
           make_members(fill, f, shape, &inside, NULL, 0);
}

static bool has_columns_left(struct fill *fill)
{
    if (parquet_n_leaves(fill->file) < FILL_LEAVES)
        return true;
    fill->is_limited = true;
    return false;
}

/* Of a field, or of an array's elements. */
static enum how find_how(struct fill *fill, const struct jfr_field *field, const struct way *way)
{
    const struct jfr_field *shown = innermost_field(field);
    bool is_json_list = field->is_array && fill->choice != NULL && fill->choice->has_json_lists;
    enum how how =
        shown == NULL || shown->type->is_unknown || is_json_list ? FILL_JSON : how_shown(shown);
    bool is_open = how == FILL_GROUP && way->depth < DEPTH_MOST && !is_on_way(way, shown->type) &&
                   shown->type->n_fields > 0;

    return how == FILL_GROUP && !(is_open && has_columns_left(fill)) ? FILL_JSON : how;
}

static bool make_value(struct fill *fill, struct filler *f, struct parquet_node *parent,
                       const char *name, const struct way *way)
{
    const struct jfr_field *shown = innermost_field(f->member->field);
    bool is_constant = way->is_constant || f->member->field->is_pooled;

    f->how = find_how(fill, f->member->field, way);
    f->field = shown == NULL ? f->member->field : shown;
    f->kind = f->field->type->kind;
    if (f->how == FILL_GROUP)
        return make_group(fill, f, parent, name, way);
    f->node = fill_leaf(fill, parent, name, column_type(f->how, f->field), is_constant);
    if (f->how == FILL_TIME) {
        buf_reset(&fill->text);
        buf_printf(&fill->text, "%s_ns", name);
        name = arena_strndup(jfr_chunk_arena(fill->values->shapes.chunk),
                             (const char *)fill->text.p, fill->text.n);
        f->ns = name == NULL || parent->kind == PARQUET_LIST
                    ? NULL
                    : fill_leaf(fill, parent, name, PARQUET_INT64, is_constant);
        return f->node != NULL && (f->ns != NULL || parent->kind == PARQUET_LIST);
    }
    return f->node != NULL;
}

static bool make_field(struct fill *fill, struct filler *f, struct parquet_node *parent,
                       const struct way *way)
{
    const struct jfr_field *field = f->member->field;

    if (f->member->shape == NULL || !has_columns_left(fill) ||
        !choice_wants(fill, parent, field->name, NULL, true)) {
        f->how = FILL_SKIP;
        return true;
    }
    if (fill->stacks != NULL && f->member->shape->is_stack && field->is_pooled &&
        !field->is_array && parent->parent == NULL) {
        f->how = FILL_STACK;
        if (fill->stacks->open(fill->stacks->ctx, fill, parent, field, f->stack))
            return true;
    }
    if (field->is_array && find_how(fill, field, way) != FILL_JSON)
        return make_list(fill, f, parent, field->name, way);
    return make_value(fill, f, parent, field->name, way);
}

static bool is_put(const struct filler *f, const struct parquet_node *node)
{
    for (size_t i = 0; i < f->n_inner; i++) {
        if (f->inner[i].node == node || f->inner[i].ns == node)
            return true;
        for (size_t k = 0; k < FILL_STACK_NODES; k++)
            if (f->inner[i].stack[k] == node)
                return true;
    }
    return false;
}

static bool is_among(struct parquet_node *const *nodes, size_t n, const struct parquet_node *node)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

static bool make_members(struct fill *fill, struct filler *f, struct json_shape *shape,
                         const struct way *way, struct parquet_node *const *extras, size_t n_extras)
{
    struct arena *arena = jfr_chunk_arena(fill->values->shapes.chunk);

    f->inner = arena_array(arena, shape->n_members, sizeof(*f->inner));
    f->n_inner = shape->n_members;
    for (size_t i = 0; i < f->n_inner && f->inner != NULL; i++) {
        f->inner[i].member = &shape->members[i];
        if (!make_field(fill, &f->inner[i], f->node, way))
            return false;
    }
    f->absent = arena_array(arena, f->node->n_children, sizeof(struct parquet_node *));
    if (f->inner == NULL || f->absent == NULL)
        return false;
    for (size_t i = 0; i < f->node->n_children; i++)
        if (!is_put(f, f->node->children[i]) && !is_among(extras, n_extras, f->node->children[i]))
            f->absent[f->n_absent++] = f->node->children[i];
    return true;
}

struct filler *fill_class(struct fill *fill, struct json_shape *shape, struct parquet_node *group,
                          struct parquet_node *const *extras, size_t n_extras)
{
    const struct way way = {.cls = shape->cls};
    struct filler *f = arena_alloc(jfr_chunk_arena(fill->values->shapes.chunk), sizeof(*f));

    if (f == NULL || !json_value_compile(fill->values, shape))
        return NULL;
    f->how = FILL_GROUP;
    f->node = group;
    if (!make_members(fill, f, shape, &way, extras, n_extras))
        return NULL;
    /* Nothing is read after a row. */
    while (fill->choice != NULL && f->n_inner > 0 && f->inner[f->n_inner - 1].how == FILL_SKIP)
        f->n_inner--;
    f->n_leaves = parquet_n_leaves(fill->file);
    return f;
}

bool fill_is_current(const struct fill *fill, const struct filler *filler)
{
    return filler->n_leaves == parquet_n_leaves(fill->file);
}
