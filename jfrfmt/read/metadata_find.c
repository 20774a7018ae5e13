/*
 * metadata_find.c - classes, fields and annotations by name.
 *
 * The number of fields is the file's to choose, and most programs look for the fields of each class
 * by name: a wide class has an index.
 */
#include "jfrfmt/read/metadata_internal.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>
#include <string.h>

#define N_UNSORTED 32 /* fields that are looked through one by one */

static int by_name(const void *a, const void *b)
{
    const struct jfr_field *x = *(const struct jfr_field *const *)a;
    const struct jfr_field *y = *(const struct jfr_field *const *)b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : x->index < y->index ? -1 : 1;
}

bool metadata_sort_fields(struct jfr_class *cls, struct arena *arena)
{
    const struct jfr_field **sorted;

    if (cls->n_fields <= N_UNSORTED)
        return true;
    sorted = arena_array(arena, cls->n_fields, sizeof(*sorted));
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < cls->n_fields; i++)
        sorted[i] = &cls->fields[i];
    qsort(sorted, cls->n_fields, sizeof(*sorted), by_name);
    cls->sorted = sorted;
    return true;
}

const struct jfr_class *jfr_metadata_by_name(const struct jfr_metadata *md, const char *name)
{
    for (size_t i = 0; i < md->n_classes; i++)
        if (strcmp(md->classes[i].name, name) == 0)
            return &md->classes[i];
    return NULL;
}

/* The last field of this name, by the index of its class. */
static const struct jfr_field *find_sorted(const struct jfr_class *cls, const char *name)
{
    size_t behind = SORTED_FIRST(cls->n_fields, i, strcmp(cls->sorted[i]->name, name) > 0);

    return behind > 0 && strcmp(cls->sorted[behind - 1]->name, name) == 0 ? cls->sorted[behind - 1]
                                                                          : NULL;
}

const struct jfr_field *jfr_class_field(const struct jfr_class *cls, const char *name)
{
    if (cls->sorted != NULL)
        return find_sorted(cls, name);
    for (size_t i = cls->n_fields; i-- > 0;)
        if (strcmp(cls->fields[i].name, name) == 0)
            return &cls->fields[i];
    return NULL;
}

const struct jfr_annotation *jfr_annotation_find(const struct jfr_annotation *a, size_t n,
                                                 const char *type_name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i].type->name, type_name) == 0)
            return &a[i];
    return NULL;
}

const char *jfr_annotation_get(const struct jfr_annotation *a, const char *key)
{
    for (size_t i = 0; i < a->n_attrs; i++)
        if (strcmp(a->attrs[i].key, key) == 0)
            return a->attrs[i].value;
    return NULL;
}

const struct jfr_class *jfr_class_shown(const struct jfr_class *cls)
{
    for (int depth = 0; depth < 32 && cls->is_simple && cls->n_fields > 0; depth++)
        cls = cls->fields[0].type;
    return cls;
}
