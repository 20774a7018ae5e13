/*
 * metadata.c - parses the metadata event of a chunk into classes, fields, annotations and settings.
 *
 * Input: the bytes of the event, which may be damaged. Output: struct jfr_metadata in the chunk's
 * arena. metadata_find.c looks things up in it.
 */
#include "jfrfmt/read/metadata.h"

#include "jfrfmt/read/metadata_internal.h"
#include "jfrfmt/base/string.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

/* An element takes at least three bytes; one with a name and a class or id at least seven. */
#define ELEMENT_MIN 3
#define NAMED_ELEMENT_MIN 7
#define ELEMENTS_MAX (1 << 19) /* real chunks have some ten thousand */
#define STRINGS_MAX (1 << 20)
#define NUMBER_MAX 32 /* characters of a number: a text may be referred to very often */

/* Ids below this are found by one array access. In proportion, so that a small event costs little.
 */
#define DIRECT_MAX(n_classes) (256 + 32 * (n_classes))

/* A string of the table; what is asked of it often is found once. */
struct text {
    size_t simple; /* where the part after the last dot begins */
    char s[];
};

struct element {
    const char *name;
    uint64_t n_attrs, n_children;
    struct cursor attrs; /* n_attrs pairs of string indexes */
};

struct parse {
    struct cursor c;
    struct arena *arena;
    struct jfr_error *err;
    uint64_t base; /* file offset of `start` */
    const uint8_t *start;
    const char *const *strings; /* each the s of a struct text */
    uint64_t n_strings;
    uint64_t n_elements; /* read so far */
    struct jfr_metadata *md;
    bool is_cut; /* the event declares more bytes than there are */
};

/* Stands for a class that fields refer to and the metadata does not declare: its values cannot be
 * decoded. */
#define NO_ID INT64_MIN

static const struct jfr_class undeclared = {
    .id = NO_ID, .name = "?", .simple = "?", .is_unknown = true};

static int fail(struct parse *ps, enum jfr_errc code, const char *what)
{
    const uint8_t *at = ps->c.fail != NULL ? ps->c.fail : ps->c.p;

    return jfr_fail(ps->err, code, ps->base + (uint64_t)(at - ps->start), "metadata: %s", what);
}

static const char *keep_metadata_text(struct parse *ps, const struct buf *b)
{
    static const struct {
        size_t simple;
        char s[1];
    } empty = {0, ""};
    struct text *t;
    const char *dot;

    if (b->n == 0)
        return buf_ok(b) ? empty.s : NULL;
    t = buf_ok(b) ? arena_alloc(ps->arena, sizeof(*t) + b->n + 1) : NULL;
    if (t == NULL)
        return NULL;
    memcpy(t->s, b->p, b->n);
    dot = strrchr(t->s, '.');
    t->simple = dot == NULL ? 0 : (size_t)(dot + 1 - t->s);
    return t->s;
}

static const char *simple_name(const char *s)
{
    const struct text *t = (const void *)(s - offsetof(struct text, s));

    return s + t->simple;
}

static int read_strings(struct parse *ps)
{
    uint64_t n = cur_varint(&ps->c);
    const char **strings;
    struct buf text = {0};
    bool good = true;

    if (!cur_ok(&ps->c) || n > cur_left(&ps->c))
        return fail(ps, JFR_E_FORMAT, "string count is larger than the event");
    if (n > STRINGS_MAX)
        return fail(ps, JFR_E_LIMIT, "more than a million strings");
    strings = arena_array(ps->arena, n, sizeof(*strings));
    for (uint64_t i = 0; i < n && strings != NULL && good; i++) {
        struct jfr_str s = jfr_str_read(&ps->c);

        if (jfr_str_is_null(s))
            continue;
        buf_reset(&text);
        jfr_str_append_utf8(&text, s);
        strings[i] = keep_metadata_text(ps, &text);
        good = strings[i] != NULL;
    }
    buf_free(&text);
    if (strings == NULL || !good)
        return fail(ps, JFR_E_NOMEM, "out of memory");
    if (!cur_ok(&ps->c))
        return fail(ps, JFR_E_FORMAT, "string is cut off or has an unknown encoding");
    ps->strings = strings;
    ps->n_strings = n;
    return 0;
}

static const char *string_at(const struct parse *ps, uint64_t i)
{
    return i < ps->n_strings ? ps->strings[i] : NULL;
}

/* Reads an element up to its children, which follow. */
static struct element read_element(struct parse *ps)
{
    struct element e = {.name = string_at(ps, cur_varint(&ps->c))};

    e.n_attrs = cur_varint(&ps->c);
    e.attrs = ps->c;
    if (e.n_attrs > cur_left(&ps->c) / 2)
        cur_fail(&ps->c);
    cur_skip_varints(&ps->c, cur_ok(&ps->c) ? 2 * e.n_attrs : 0);
    e.n_children = cur_varint(&ps->c);
    if (e.n_children > cur_left(&ps->c) / ELEMENT_MIN || ++ps->n_elements > ELEMENTS_MAX)
        cur_fail(&ps->c);
    if (!cur_ok(&ps->c))
        return (struct element){0};
    return e;
}

/* Steps over n elements with all that is in them. */
static void skip_elements(struct parse *ps, uint64_t n)
{
    while (n > 0 && cur_ok(&ps->c))
        n += read_element(ps).n_children - 1;
}

static const char *attr(const struct parse *ps, const struct element *e, const char *key)
{
    struct cursor c = e->attrs;

    for (uint64_t i = 0; i < e->n_attrs; i++) {
        const char *k = string_at(ps, cur_varint(&c));
        const char *v = string_at(ps, cur_varint(&c));

        if (k != NULL && strcmp(k, key) == 0)
            return v;
    }
    return NULL;
}

static bool named(const struct element *e, const char *name)
{
    return e->name != NULL && strcmp(e->name, name) == 0;
}

/* As Java's Long.parseLong: a sign or none, then digits and nothing else. */
static bool parse_long(const char *s, int64_t *out)
{
    bool is_negative = s != NULL && *s == '-';
    int64_t v = 0;
    int i = 0;

    if (s == NULL)
        return false;
    s += *s == '-' || *s == '+';
    for (; s[i] >= '0' && s[i] <= '9' && i < NUMBER_MAX; i++) {
        int digit = s[i] - '0';

        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, is_negative ? -digit : digit, &v))
            return false;
    }
    if (i == 0 || s[i] != '\0')
        return false;
    *out = v;
    return true;
}

/* The JDK's tool takes any value of such an attribute for true, JMC reads it. */
static bool flag(const char *value)
{
    return value != NULL && strcmp(value, "false") != 0;
}

static enum jfr_kind kind_of_class(const char *name)
{
    static const struct {
        const char *name;
        enum jfr_kind kind;
    } kinds[] = {
        {"boolean", JFR_BOOLEAN}, {"byte", JFR_BYTE},     {"char", JFR_CHAR},
        {"short", JFR_SHORT},     {"int", JFR_INT},       {"long", JFR_LONG},
        {"float", JFR_FLOAT},     {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return JFR_STRUCT;
}

static void read_annotation(struct parse *ps, const struct element *e, struct jfr_annotation *a)
{
    struct cursor c = e->attrs;
    struct jfr_attr *attrs = arena_array(ps->arena, e->n_attrs, sizeof(*attrs));
    int64_t id = 0;

    a->type = &undeclared;
    a->attrs = attrs;
    if (attrs == NULL)
        return;
    for (uint64_t i = 0; i < e->n_attrs; i++) {
        const char *key = string_at(ps, cur_varint(&c));
        const char *value = string_at(ps, cur_varint(&c));

        if (key == NULL)
            continue;
        if (strcmp(key, "class") == 0) {
            const struct jfr_class *type = NULL;

            if (parse_long(value, &id))
                type = jfr_metadata_by_id(ps->md, id);
            a->type = type != NULL ? type : &undeclared;
        } else {
            attrs[a->n_attrs++] = (struct jfr_attr){key, value == NULL ? "" : value};
        }
    }
    if (a->type == &undeclared)
        ps->md->n_undeclared++;
}

/* The annotations among n children; other children are stepped over. */
static const struct jfr_annotation *read_annotations(struct parse *ps, uint64_t n, size_t *n_out)
{
    struct jfr_annotation *list = arena_array(ps->arena, n, sizeof(*list));

    *n_out = 0;
    for (uint64_t i = 0; i < n && cur_ok(&ps->c); i++) {
        struct element e = read_element(ps);

        if (list != NULL && named(&e, "annotation"))
            read_annotation(ps, &e, &list[(*n_out)++]);
        skip_elements(ps, e.n_children);
    }
    return list;
}

static const char *annotation_value(const struct jfr_annotation *a, size_t n, const char *type)
{
    const struct jfr_annotation *found = jfr_annotation_find(a, n, type);

    return found == NULL ? NULL : jfr_annotation_get(found, "value");
}

static const struct jfr_class *class_attr(struct parse *ps, const struct element *e)
{
    const struct jfr_class *cls = NULL;
    int64_t id;

    if (parse_long(attr(ps, e, "class"), &id))
        cls = jfr_metadata_by_id(ps->md, id);
    if (cls != NULL)
        return cls;
    ps->md->n_undeclared++;
    return &undeclared;
}

static void read_field(struct parse *ps, const struct element *e, struct jfr_field *f)
{
    const char *name = attr(ps, e, "name"), *dimension = attr(ps, e, "dimension");
    int64_t n_dimensions = 0;

    f->name = name == NULL ? "" : name;
    f->type = class_attr(ps, e);
    f->is_pooled = flag(attr(ps, e, "constantPool"));
    parse_long(dimension, &n_dimensions);
    f->is_array = n_dimensions == 1;
    if (n_dimensions > 1) { /* the format does not define their encoding */
        f->type = &undeclared;
        f->is_pooled = false;
    }
    f->annotations = read_annotations(ps, e->n_children, &f->n_annotations);
    f->unit = metadata_unit(f->annotations, f->n_annotations);
    f->label = annotation_value(f->annotations, f->n_annotations, "jdk.jfr.Label");
    f->description = annotation_value(f->annotations, f->n_annotations, "jdk.jfr.Description");
    f->is_unsigned =
        jfr_annotation_find(f->annotations, f->n_annotations, "jdk.jfr.Unsigned") != NULL;
    f->is_contextual =
        jfr_annotation_find(f->annotations, f->n_annotations, "jdk.jfr.Contextual") != NULL;
}

static void read_class_setting(struct parse *ps, const struct element *e, struct jfr_setting *s)
{
    const char *name = attr(ps, e, "name");

    s->name = name == NULL ? "" : name;
    s->type = class_attr(ps, e);
    s->default_value = attr(ps, e, "defaultValue");
    s->annotations = read_annotations(ps, e->n_children, &s->n_annotations);
}

/* Steps over the children of a class element and counts them. */
static void count_class_body(struct parse *ps, uint64_t n, struct jfr_class *cls)
{
    for (uint64_t i = 0; i < n && cur_ok(&ps->c); i++) {
        struct element e = read_element(ps);

        cls->n_fields += named(&e, "field");
        cls->n_settings += named(&e, "setting");
        cls->n_annotations += named(&e, "annotation");
        skip_elements(ps, e.n_children);
    }
}

/* The same children, when all classes are known by id. */
static void read_class_body(struct parse *ps, uint64_t n, struct jfr_class *cls)
{
    struct jfr_field *fields = arena_array(ps->arena, cls->n_fields, sizeof(*fields));
    struct jfr_setting *settings = arena_array(ps->arena, cls->n_settings, sizeof(*settings));
    struct jfr_annotation *annotations =
        arena_array(ps->arena, cls->n_annotations, sizeof(*annotations));

    cls->n_fields = cls->n_settings = cls->n_annotations = 0;
    if (fields == NULL || settings == NULL || annotations == NULL) {
        cur_fail(&ps->c);
        return;
    }
    for (uint64_t i = 0; i < n && cur_ok(&ps->c); i++) {
        struct element e = read_element(ps);

        if (named(&e, "field")) {
            fields[cls->n_fields].index = cls->n_fields;
            read_field(ps, &e, &fields[cls->n_fields++]);
        } else if (named(&e, "setting")) {
            read_class_setting(ps, &e, &settings[cls->n_settings++]);
        } else {
            if (named(&e, "annotation"))
                read_annotation(ps, &e, &annotations[cls->n_annotations++]);
            skip_elements(ps, e.n_children);
        }
    }
    cls->fields = fields;
    if (!metadata_sort_fields(cls, ps->arena))
        cur_fail(&ps->c);
    cls->settings = settings;
    cls->annotations = annotations;
    cls->label = annotation_value(annotations, cls->n_annotations, "jdk.jfr.Label");
    cls->description = annotation_value(annotations, cls->n_annotations, "jdk.jfr.Description");
    if (cls->n_fields > 0)
        cls->kind = JFR_STRUCT;
}

static void read_class_head(struct parse *ps, const struct element *e, struct jfr_class *cls)
{
    const char *name = attr(ps, e, "name");

    if (!parse_long(attr(ps, e, "id"), &cls->id))
        cls->id = NO_ID;
    cls->name = name == NULL ? "" : name;
    cls->simple = name == NULL ? "" : simple_name(name);
    cls->super = attr(ps, e, "superType");
    cls->is_event = cls->super != NULL && strcmp(cls->super, "jdk.jfr.Event") == 0;
    cls->is_simple = flag(attr(ps, e, "simpleType"));
    cls->kind = cls->super == NULL ? kind_of_class(cls->name) : JFR_STRUCT;
}

/* By id, and the first of the same id first. */
static int by_id(const void *a, const void *b)
{
    const struct jfr_class *const *x = a, *const *y = b;

    if ((*x)->id != (*y)->id)
        return (*x)->id < (*y)->id ? -1 : 1;
    return (*x)->index < (*y)->index ? -1 : (*x)->index > (*y)->index;
}

/* Ids of one chunk are mostly small; the others are sorted. First one wins. */
static bool index_ids(struct parse *ps)
{
    struct jfr_metadata *md = ps->md;
    const struct jfr_class **others;
    size_t n_direct = 0;
    uint32_t *direct;

    for (size_t i = 0; i < md->n_classes; i++)
        if (md->classes[i].id >= (int64_t)n_direct &&
            (uint64_t)md->classes[i].id < DIRECT_MAX(md->n_classes))
            n_direct = (size_t)md->classes[i].id + 1;
    direct = arena_array(ps->arena, n_direct, sizeof(*direct));
    others = arena_array(ps->arena, md->n_classes, sizeof(const struct jfr_class *));
    if (direct == NULL || others == NULL)
        return false;
    for (size_t i = 0; i < md->n_classes; i++) {
        int64_t id = md->classes[i].id;

        if ((uint64_t)id >= n_direct)
            others[md->n_others++] = &md->classes[i];
        else if (direct[id] == 0)
            direct[id] = (uint32_t)i + 1;
    }
    qsort(others, md->n_others, sizeof(const struct jfr_class *), by_id);
    md->direct = direct;
    md->n_direct = n_direct;
    md->others = others;
    return true;
}

static int fail_tree(struct parse *ps)
{
    if (ps->n_elements > ELEMENTS_MAX)
        return fail(ps, JFR_E_LIMIT, "more than half a million elements");
    return fail(ps, JFR_E_SHORT, "element tree is cut off");
}

/* Names and ids of the class elements. How many of the n elements are whole: all of them, or fewer
 * where the event is cut, or where there are more classes than an event of its size has names for.
 */
static uint64_t read_class_heads(struct parse *ps, uint64_t n, struct jfr_class *classes,
                                 size_t room)
{
    for (uint64_t i = 0; i < n; i++) {
        struct element e = read_element(ps);
        size_t at = ps->md->n_classes;

        if (named(&e, "class") && at == room) {
            cur_fail(&ps->c);
        } else if (named(&e, "class")) {
            classes[at].index = (uint32_t)at;
            read_class_head(ps, &e, &classes[at]);
            count_class_body(ps, e.n_children, &classes[at]);
            ps->md->n_classes += cur_ok(&ps->c);
        } else {
            skip_elements(ps, e.n_children);
        }
        if (!cur_ok(&ps->c))
            return i;
    }
    return n;
}

/* Twice over the class elements: names and ids first, so that references need no patching. */
static int read_classes(struct parse *ps, uint64_t n)
{
    struct cursor first = ps->c;
    uint64_t most = cur_left(&ps->c) / NAMED_ELEMENT_MIN, room = n < most ? n : most + 1;
    struct jfr_class *classes;

    if ((n > most && !ps->is_cut) || n > UINT32_MAX / 2)
        return fail(ps, JFR_E_FORMAT, "class count is larger than the event");
    classes = arena_array(ps->arena, room, sizeof(*classes));
    if (classes == NULL)
        return fail(ps, JFR_E_NOMEM, "out of memory");
    ps->md->classes = classes;
    n = read_class_heads(ps, n, classes, room);
    if (!cur_ok(&ps->c) && (!ps->is_cut || n == 0))
        return fail_tree(ps);
    if (!index_ids(ps))
        return fail(ps, JFR_E_NOMEM, "out of memory");
    ps->c = first;
    ps->n_elements = 0;
    for (uint64_t i = 0, at = 0; i < n && cur_ok(&ps->c); i++) {
        struct element e = read_element(ps);

        if (named(&e, "class"))
            read_class_body(ps, e.n_children, &classes[at++]);
        else
            skip_elements(ps, e.n_children);
    }
    return 0;
}

static void read_region(struct parse *ps, const struct element *e)
{
    struct jfr_metadata *md = ps->md;

    md->has_region = true;
    md->locale = attr(ps, e, "locale");
    md->gmt_offset = attr(ps, e, "gmtOffset");
    md->dst = attr(ps, e, "dst");
    parse_long(md->gmt_offset, &md->gmt_offset_ms);
    parse_long(md->dst, &md->dst_ms);
}

static int read_tree(struct parse *ps)
{
    struct element root = read_element(ps);

    for (uint64_t i = 0; i < root.n_children && cur_ok(&ps->c); i++) {
        struct element e = read_element(ps);

        if (named(&e, "metadata") && ps->md->classes == NULL) {
            int rc = read_classes(ps, e.n_children);

            if (rc != 0)
                return rc;
            if (ps->is_cut)
                break;
            continue;
        }
        if (named(&e, "region"))
            read_region(ps, &e);
        skip_elements(ps, e.n_children);
    }
    if (!arena_ok(ps->arena))
        return fail(ps, JFR_E_NOMEM, "out of memory");
    if (!cur_ok(&ps->c))
        return fail_tree(ps);
    if (ps->md->classes == NULL)
        return fail(ps, JFR_E_FORMAT, "no classes");
    return 0;
}

bool metadata_read_head(struct cursor *c, uint64_t *size, int64_t *id)
{
    *size = cur_varint(c);
    if (cur_varint(c) != 0)
        return false;
    cur_varint(c); /* start */
    cur_varint(c); /* duration */
    *id = (int64_t)cur_varint(c);
    return true;
}

int jfr_metadata_parse(struct jfr_metadata *md, struct cursor event, uint64_t base,
                       struct arena *arena, struct jfr_error *err)
{
    struct parse ps = {
        .c = event, .arena = arena, .err = err, .base = base, .start = event.p, .md = md};
    uint64_t size;
    int rc;

    *md = (struct jfr_metadata){0};
    if (!metadata_read_head(&ps.c, &size, &md->id))
        return fail(&ps, JFR_E_FORMAT, "not a metadata event");
    ps.is_cut = size > cur_left(&event);
    rc = read_strings(&ps);
    return rc != 0 ? rc : read_tree(&ps);
}

const struct jfr_class *jfr_metadata_by_id(const struct jfr_metadata *md, int64_t id)
{
    size_t first;

    if ((uint64_t)id < md->n_direct)
        return md->direct[id] == 0 ? NULL : &md->classes[md->direct[id] - 1];
    first = SORTED_FIRST(md->n_others, i, md->others[i]->id >= id);
    return id != NO_ID && first < md->n_others && md->others[first]->id == id ? md->others[first]
                                                                              : NULL;
}
