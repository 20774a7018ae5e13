/*
 * types.c - the classes of a chunk's own types, and where their fields come from.
 *
 * A 0.9 chunk declares event types, structures and constant pools. For each, v0_make_types() makes
 * a class of 2.1 with a list of columns: which field of the old value each new field is read from.
 * v0.c then writes values by these lists. Classes that 2.1 has under a name of its own (threads,
 * methods, stacks) are bound to those of builtin.c; all others are shown as they are.
 */
#include "jfrfmt/v0/builtin.h"
#include "jfrfmt/v0/names.h"

#include <stdio.h>

/* clang-format off */
static const uint8_t unit_of_content[] = {
    [V0_CONTENT_BYTES] = V0_UNIT_BYTES,  [V0_CONTENT_EPOCH_MS] = V0_UNIT_EPOCH_MS,
    [V0_CONTENT_MS] = V0_UNIT_MS,        [V0_CONTENT_NS] = V0_UNIT_NS,
    [V0_CONTENT_TICKS] = V0_UNIT_TICKS,  [V0_CONTENT_ADDRESS] = V0_UNIT_ADDRESS,
    [V0_CONTENT_PERCENT] = V0_UNIT_PERCENT,
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t class_of_pool(const struct v0_chunk *ch, uint32_t content)
{
    uint32_t cls = ch->contents[content - 1].layout.cls;

    return cls == V0_C_JAVA_THREAD ? V0_C_THREAD : cls;
}

static const struct v0_layout *inline_class(struct v0_chunk *ch, struct v0_struct *s);

static void generic_col(struct v0_chunk *ch, struct v0_col *col, const struct v0_field *f, size_t i)
{
    *col = (struct v0_col){.name = f->name,
                           .label = f->label,
                           .description = f->description,
                           .source = (uint32_t)i + 1,
                           .scale = 1,
                           .is_array = f->type == V0_ARRAY || f->type == V0_STRUCTS};
    if (f->sub != NULL) {
        col->sub = inline_class(ch, f->sub);
        col->cls = col->sub == NULL ? 0 : col->sub->cls;
        return;
    }
    col->content = v0_pool_of(ch, f);
    col->is_pooled = col->content != 0;
    if (col->is_pooled) {
        col->cls = class_of_pool(ch, col->content);
        return;
    }
    col->cls = v0_class_of_type(f->element);
    if (col->cls != V0_C_TEXT && f->content > 0 && (size_t)f->content < COUNT(unit_of_content))
        col->unit = unit_of_content[f->content];
    col->is_unsigned =
        f->element == V0_U8 || f->element == V0_U16 || f->element == V0_U32 || f->element == V0_U64;
}

/* The layout that shows a structure as it is: cols[n_head..) are its fields. */
static struct v0_col *generic_cols(struct v0_chunk *ch, struct v0_layout *l,
                                   const struct v0_struct *source, size_t n_head)
{
    struct v0_col *cols = arena_array(&ch->arena, n_head + source->n_fields, sizeof(*cols));

    if (cols == NULL)
        return NULL;
    for (size_t i = 0; i < source->n_fields; i++)
        generic_col(ch, &cols[n_head + i], &source->fields[i], i);
    l->source = source;
    l->cols = cols;
    l->n_cols = n_head + source->n_fields;
    return cols;
}

/* The class of an inline structure, made when first needed. Recursion is bounded by the depth that
 * the parser allows. NULL if out of memory. */
static const struct v0_layout *inline_class(struct v0_chunk *ch, struct v0_struct *s)
{
    struct v0_class cls = {0};
    struct v0_layout *l;
    char name[40];

    if (s->shown != NULL)
        return s->shown;
    l = arena_alloc(&ch->arena, sizeof(*l));
    if (l == NULL || generic_cols(ch, l, s, 0) == NULL)
        return NULL;
    snprintf(name, sizeof(name), "jdk.types.Struct%zu", v0_n_classes(ch));
    cls.name.n = strlen(name);
    cls.name.p = arena_strndup(&ch->arena, name, cls.name.n);
    cls.cols = l->cols;
    cls.n_cols = l->n_cols;
    l->cls = v0_add_class(ch, &cls);
    s->shown = l;
    return l;
}

/* First the class of every pool, since pools refer to each other; a generic one gets its columns
 * in make_contents(). */
static void name_contents(struct v0_chunk *ch)
{
    for (size_t i = 0; i < ch->n_contents; i++) {
        struct v0_content *t = &ch->contents[i];
        struct v0_class cls = {.label = t->label};

        t->layout.cls = v0_known_content(t->name);
        if (t->layout.cls != V0_N_BUILTIN || t->value->n_fields == 0)
            continue;
        cls.name = v0_dotted_name(&ch->arena, V0_TEXT("jdk.types"), t->name);
        t->layout.cls = v0_add_class(ch, &cls);
    }
}

static void make_content(struct v0_chunk *ch, struct v0_content *t)
{
    const struct v0_layout *bound;
    struct v0_class *cls;

    if (t->value->n_fields == 0)
        return;
    if (t->layout.cls >= V0_N_BUILTIN) {
        generic_cols(ch, &t->layout, t->value, 0);
        cls = v0_class(ch, t->layout.cls);
        cls->cols = t->layout.cols;
        cls->n_cols = t->layout.n_cols;
        cls->is_simple =
            cls->n_cols == 1 && cls->cols[0].cls == V0_C_TEXT && !cls->cols[0].is_array;
    } else {
        bound = v0_bind(ch, t->layout.cls, t->value);
        if (bound != NULL)
            t->layout = *bound;
    }
}

static bool clashes(const struct v0_event_type *t, struct v0_text name)
{
    return v0_text_is(name, "startTime") || v0_text_is(name, "duration") ||
           (t->has_thread && v0_text_is(name, "eventThread")) ||
           (t->has_stack && v0_text_is(name, "stackTrace"));
}

/* JDK 7 and 8 wrote this one in KiB and called it bytes (JDK-8157024). */
static bool is_in_kib(struct v0_text event, struct v0_text field)
{
    return v0_text_is(event, "jdk.CodeCacheStatistics") && v0_text_is(field, "unallocatedCapacity");
}

static void rename_cols(struct v0_chunk *ch, const struct v0_event_type *t, struct v0_text event,
                        struct v0_col *cols, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct v0_text *name = &cols[i].name;
        if (event.n > 0)
            *name = v0_known_field(event, *name);
        if (is_in_kib(event, *name))
            cols[i].scale = 1024;
        if (clashes(t, *name)) {
            char *s = arena_alloc(&ch->arena, name->n + 1);
            if (s == NULL)
                return;
            memcpy(s, name->p, name->n);
            s[name->n++] = '_';
            name->p = s;
        }
    }
}

static struct v0_col header_col(struct v0_chunk *ch, size_t i)
{
    static const int32_t contents[] = {0, 0, V0_CONTENT_THREAD, V0_CONTENT_STACK};
    struct v0_field key = {.type = V0_U64, .element = V0_U64, .content = contents[i]};
    struct v0_col col = v0_header_col(i);

    if (col.is_pooled)
        col.content = v0_pool_of(ch, &key);
    if (col.content != 0)
        col.cls = class_of_pool(ch, col.content);
    return col;
}

static void make_event(struct v0_chunk *ch, struct v0_event_type *t)
{
    bool has[] = {true, t->has_start, t->has_thread, t->has_stack};
    struct v0_text known = v0_known_event(t->uri, t->path);
    struct v0_class cls = {
        .label = t->label, .description = t->description, .path = t->path, .super = V0_EVENT};
    size_t n_head = (size_t)1 + t->has_start + t->has_thread + t->has_stack;
    const struct v0_layout *bound;
    struct v0_col *cols;

    if (v0_text_is(known, "jdk.ActiveSetting")) {
        bound = v0_bind(ch, V0_C_SETTINGS, t->body);
        if (bound != NULL)
            t->layout = *bound;
        return;
    }
    cols = generic_cols(ch, &t->layout, t->body, n_head);
    if (cols == NULL)
        return;
    rename_cols(ch, t, known, cols + n_head, t->body->n_fields);
    for (size_t i = 0; i < V0_N_HEADERS; i++)
        if (has[i])
            *cols++ = header_col(ch, i);
    cls.name = known.n > 0 ? known : v0_dotted_name(&ch->arena, t->uri, t->path);
    cls.cols = t->layout.cols;
    cls.n_cols = t->layout.n_cols;
    t->layout.cls = v0_add_class(ch, &cls);
}

bool v0_make_types(struct v0_chunk *ch)
{
    if (!v0_add_builtins(ch))
        return false;
    name_contents(ch);
    for (size_t i = 0; i < ch->n_contents; i++)
        make_content(ch, &ch->contents[i]);
    for (size_t i = 0; i < ch->n_events; i++)
        make_event(ch, &ch->events[i]);
    return buf_ok(&ch->classes) && arena_ok(&ch->arena);
}
