/*
 * typeset_layout.c - classes compiled to flat lists of primitive values, and walked.
 *
 * The writer gets values as bytes from its caller. A walk over a class's list checks that the bytes
 * are exactly one value, and calls a function for each key of a constant in it: that is how
 * consts.c finds what a chunk needs.
 */
#include "jfrfmt/write/typeset.h"

#define DEPTH_MAX 8 /* structs in structs */
#define LEAVES_MAX 512 /* of one class */

struct building {
    struct leaf leaves[LEAVES_MAX];
    size_t n;
};

/* Appends the fields of a class; false when they are too many or too deep. */
static bool append(struct building *b, const struct jfr_class *cls, int depth);

static bool append_one(struct building *b, const struct jfr_field *f, int depth)
{
    if (!f->is_pooled && f->type->kind == JFR_STRUCT)
        return append(b, f->type, depth + 1);
    if (b->n == LEAVES_MAX)
        return false;
    b->leaves[b->n++] = (struct leaf){
        .op = f->is_pooled ? LEAF_KEY : (uint8_t)f->type->kind,
        .unit = (uint8_t)f->unit,
        .cls = f->type->index,
    };
    return true;
}

static bool append(struct building *b, const struct jfr_class *cls, int depth)
{
    if (depth > DEPTH_MAX)
        return false;
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];
        size_t array = b->n;

        if (f->is_array) {
            if (b->n == LEAVES_MAX)
                return false;
            b->leaves[b->n++] = (struct leaf){.op = LEAF_ARRAY};
        }
        if (!append_one(b, f, depth))
            return false;
        if (f->is_array)
            b->leaves[array].span = (uint16_t)(b->n - array - 1);
    }
    return true;
}

int typeset_compile(struct typeset *t, size_t index, struct jfr_error *err)
{
    const struct jfr_class *cls = t->classes[index];
    struct building b = {.n = 0};
    struct leaf *leaves;
    bool fits;

    if (cls->kind == JFR_STRUCT) {
        fits = append(&b, cls, 0);
    } else {
        b.leaves[b.n++] = (struct leaf){.op = (uint8_t)cls->kind, .cls = cls->index};
        fits = true;
    }
    if (!fits)
        return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' contains itself, or too many fields",
                        cls->name);
    leaves = arena_array(&t->arena, b.n, sizeof(*leaves));
    if (leaves == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for types");
    memcpy(leaves, b.leaves, b.n * sizeof(*leaves));
    if (strcmp(cls->name, "jdk.ActiveSetting") == 0)
        for (size_t i = 0; i < b.n && b.n == cls->n_fields; i++)
            leaves[i].is_event_id = strcmp(cls->fields[i].name, "id") == 0;
    t->layouts[index] = (struct layout){leaves, b.n};
    return 0;
}

static void skip_string(struct cursor *c)
{
    const uint8_t *encoding = cur_bytes(c, 1);

    if (encoding == NULL)
        return;
    switch (*encoding) {
    case 0:
    case 1:
        break;
    case 3:
    case 5:
        cur_bytes(c, cur_varint(c));
        break;
    case 4:
        cur_skip_varints(c, cur_varint(c));
        break;
    default:
        cur_fail(c);
    }
}

static void walk_array(const struct leaf *leaf, struct cursor *c, typeset_ref_fn fn, void *ctx)
{
    struct layout element = {leaf + 1, leaf->span};
    uint64_t n = cur_varint(c);

    if (n > cur_left(c) || (n > 0 && element.n == 0)) {
        cur_fail(c);
        return;
    }
    while (n-- > 0 && typeset_walk(&element, c, fn, ctx))
        ;
}

bool typeset_walk(const struct layout *layout, struct cursor *c, typeset_ref_fn fn, void *ctx)
{
    for (size_t i = 0; i < layout->n; i++) {
        const struct leaf *leaf = &layout->leaves[i];

        switch (leaf->op) {
        case LEAF_KEY:
            fn(ctx, leaf->cls, cur_varint(c));
            break;
        case LEAF_ARRAY:
            walk_array(leaf, c, fn, ctx);
            i += leaf->span;
            break;
        case JFR_STRING:
            skip_string(c);
            break;
        case JFR_BOOLEAN:
        case JFR_BYTE:
            cur_bytes(c, 1);
            break;
        case JFR_FLOAT:
            cur_bytes(c, 4);
            break;
        case JFR_DOUBLE:
            cur_bytes(c, 8);
            break;
        default:
            cur_varint(c);
        }
    }
    return cur_ok(c);
}
