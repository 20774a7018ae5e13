/*
 * copy.c - copies a class out of the chunk that describes it, so that it can be compared and
 * written later.
 *
 * meta.c calls it for each class of a chunk, whose memory ends with the chunk. meta_layout() gives
 * the bytes by which two classes have the same layout, meta_content() a hash of what is said of
 * them: of classes with one layout that differ in texts the newest is shown.
 */
#include "convert/meta/internal.h"

#include <ctype.h>
#include <string.h>

static const char *copy(struct arena *a, const char *text)
{
    return text == NULL ? NULL : arena_strndup(a, text, strlen(text));
}

static const char *name_of_copied(const struct jfr_class *cls)
{
    return cls == NULL || cls->name == NULL ? "" : cls->name;
}

/* Does the attribute `key` give a value of the array member `name`: "name-0"? */
static bool is_element(const char *key, const char *name)
{
    size_t n = strlen(name);

    return strncmp(key, name, n) == 0 && key[n] == '-' && isdigit((unsigned char)key[n + 1]);
}

static void copy_member(struct arena *a, const struct jfr_annotation *from,
                        const struct jfr_field *f, struct meta_member *to)
{
    const char **values = arena_array(a, from->n_attrs + 1, sizeof(*values));

    *to = (struct meta_member){.name = copy(a, f->name),
                               .is_array = f->is_array,
                               .is_text = f->type->kind == JFR_STRING,
                               .values = values};
    if (values == NULL)
        return;
    for (size_t i = 0; i < from->n_attrs; i++) {
        const struct jfr_attr *attr = &from->attrs[i];

        if (f->is_array ? is_element(attr->key, f->name) : strcmp(attr->key, f->name) == 0)
            values[to->n++] = copy(a, attr->value == NULL ? "" : attr->value);
    }
    if (to->n > 1 && !f->is_array)
        to->n = 1;
}

/* Members by the annotation's class; one that has no class here is shown without members. */
static void copy_annotation(struct arena *a, const struct jfr_annotation *from,
                            struct meta_annotation *to)
{
    const struct jfr_class *cls = from->type;
    size_t n = cls == NULL ? 0 : cls->n_fields;
    struct meta_member *members = arena_array(a, n, sizeof(*members));

    *to = (struct meta_annotation){.type = copy(a, name_of_copied(cls)), .members = members};
    for (size_t i = 0; members != NULL && i < n; i++) {
        copy_member(a, from, &cls->fields[i], &members[to->n]);
        to->n += members[to->n].n > 0 || members[to->n].is_array;
    }
}

static const struct meta_annotation *copy_annotations(struct arena *a,
                                                      const struct jfr_annotation *from, size_t n)
{
    struct meta_annotation *to = arena_array(a, n, sizeof(*to));

    for (size_t i = 0; to != NULL && i < n; i++)
        copy_annotation(a, &from[i], &to[i]);
    return to;
}

static bool is_experimental(const struct jfr_annotation *a, size_t n)
{
    return jfr_annotation_find(a, n, "jdk.jfr.Experimental") != NULL;
}

static const struct meta_field *copy_fields(struct arena *a, const struct jfr_class *cls)
{
    struct meta_field *to = arena_array(a, cls->n_fields, sizeof(*to));

    for (size_t i = 0; to != NULL && i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];

        to[i] = (struct meta_field){
            .name = copy(a, f->name == NULL ? "" : f->name),
            .type = copy(a, name_of_copied(f->type)),
            .shown = copy(a, name_of_copied(jfr_class_shown(f->type))),
            .label = copy(a, f->label),
            .description = copy(a, f->description),
            .annotations = copy_annotations(a, f->annotations, f->n_annotations),
            .n_annotations = f->n_annotations,
            .type_id = f->type->id,
            .unit = f->unit,
            .is_pooled = f->is_pooled,
            .is_array = f->is_array,
            .is_unsigned = f->is_unsigned,
            .is_contextual = f->is_contextual,
            .is_experimental = is_experimental(f->annotations, f->n_annotations),
        };
    }
    return to;
}

static const struct meta_setting *copy_settings(struct arena *a, const struct jfr_class *cls)
{
    struct meta_setting *to = arena_array(a, cls->n_settings, sizeof(*to));

    for (size_t i = 0; to != NULL && i < cls->n_settings; i++) {
        const struct jfr_setting *s = &cls->settings[i];

        to[i].name = copy(a, s->name == NULL ? "" : s->name);
        to[i].type = copy(a, name_of_copied(s->type));
        to[i].default_value = copy(a, s->default_value);
    }
    return to;
}

static enum meta_kind kind_of_copied(const struct jfr_class *cls)
{
    if (cls->super == NULL)
        return META_TYPE;
    if (cls->is_event)
        return META_EVENT;
    if (strcmp(cls->super, "java.lang.annotation.Annotation") == 0)
        return META_ANNOTATION;
    return strcmp(cls->super, "jdk.jfr.SettingControl") == 0 ? META_SETTING : META_OTHER;
}

static const struct meta_member *category_of_class(const struct meta_type *t)
{
    for (size_t i = 0; i < t->n_annotations; i++)
        if (strcmp(t->annotations[i].type, "jdk.jfr.Category") == 0 && t->annotations[i].n > 0 &&
            t->annotations[i].members[0].n > 0)
            return &t->annotations[i].members[0];
    return NULL;
}

bool meta_copy(struct arena *arena, const struct jfr_class *cls, struct meta_type *t)
{
    *t = (struct meta_type){
        .kind = kind_of_copied(cls),
        .name = copy(arena, name_of_copied(cls)),
        .super = copy(arena, cls->super),
        .label = copy(arena, cls->label),
        .description = copy(arena, cls->description),
        .id = cls->id,
        .fields = copy_fields(arena, cls),
        .n_fields = cls->n_fields,
        .annotations = copy_annotations(arena, cls->annotations, cls->n_annotations),
        .n_annotations = cls->n_annotations,
        .settings = copy_settings(arena, cls),
        .n_settings = cls->n_settings,
        .is_simple = cls->is_simple,
        .is_experimental = is_experimental(cls->annotations, cls->n_annotations),
        .content = meta_content(cls),
    };
    if (arena_ok(arena))
        t->category = category_of_class(t);
    return arena_ok(arena);
}

void meta_layout(struct buf *b, const struct jfr_class *cls)
{
    buf_printf(b, "%s\n%s", name_of_copied(cls), cls->super == NULL ? "" : cls->super);
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];

        buf_printf(b, "\n%s %s%s%s", name_of_copied(f->type), f->name == NULL ? "" : f->name,
                   f->is_array ? "[]" : "", f->is_pooled ? "*" : "");
    }
}

static void mix(uint64_t *h, const char *text)
{
    for (; text != NULL && *text != 0; text++)
        *h = (*h ^ (uint8_t)*text) * 0x100000001b3u;
    *h = (*h ^ 0xff) * 0x100000001b3u;
}

static void mix_annotations(uint64_t *h, const struct jfr_annotation *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mix(h, name_of_copied(a[i].type));
        for (size_t k = 0; k < a[i].n_attrs; k++) {
            mix(h, a[i].attrs[k].key);
            mix(h, a[i].attrs[k].value);
        }
    }
}

uint64_t meta_content(const struct jfr_class *cls)
{
    uint64_t h = 0xcbf29ce484222325u;

    mix_annotations(&h, cls->annotations, cls->n_annotations);
    for (size_t i = 0; i < cls->n_fields; i++)
        mix_annotations(&h, cls->fields[i].annotations, cls->fields[i].n_annotations);
    for (size_t i = 0; i < cls->n_settings; i++) {
        mix(&h, cls->settings[i].name);
        mix(&h, cls->settings[i].default_value);
    }
    return h;
}
