/*
 * types.c - classes of the loaded chunk to classes of the output, and their metadata.
 *
 * Chunks of several JVMs may give one id to different classes. So classes are compared by a hash of
 * their name, their fields and the hashes of the fields' classes; a class with a known hash is the
 * known one, and a new class keeps its id only if that is free. Fields that are hashed, removed or
 * added by the options are changed here, in the class; rewrite.c changes the values.
 */
#include "convert/rewrite/internal.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

#define ROUNDS 16 /* how deep two classes of one name are compared */
#define ID_MAX INT64_C(0x7fffffff) /* a larger one is not kept */
#define ID_MIN 2 /* smaller ones are metadata and checkpoint */

static void put_text(struct buf *b, const char *s)
{
    if (s != NULL)
        buf_bytes(b, s, strlen(s) + 1);
    buf_byte(b, s == NULL);
}

/* What makes a class what it is, but for the classes of its fields. */
static void describe(struct rewrite *rw, const struct jfr_class *cls, uint64_t twin, struct buf *b)
{
    buf_reset(b);
    put_text(b, cls->name);
    put_text(b, cls->super);
    buf_byte(b, cls->is_simple);
    buf_varint(b, twin);
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];
        const struct rewrite_rule *rule;
        enum rewrite_action action = rewrite_edit_field(rw->options.edit, cls, f, &rule);

        put_text(b, f->name);
        buf_byte(b, f->is_pooled | f->is_array << 1 | f->is_unsigned << 2);
        buf_byte(b, (uint8_t)f->unit);
        buf_byte(b, (uint8_t)action);
        put_text(b, f->type->name);
    }
}

/* How many classes before this one have its name. */
static uint64_t twins(struct rewrite *rw, struct known_table *names, const struct jfr_class *cls)
{
    struct known *k = known_at(names, hash_of(HASH_CLASS, cls->name, strlen(cls->name)));

    if (k == NULL)
        rw->rc = JFR_E_NOMEM;
    return k == NULL ? 0 : k->value++;
}

/* Hashes of the classes with all they are made of. */
static void hash_classes(struct rewrite *rw, struct hash *own, struct hash *old)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rw->chunk);

    for (int round = 0; round < ROUNDS; round++) {
        memcpy(old, own, md->n_classes * sizeof(*own));
        for (size_t i = 0; i < md->n_classes; i++) {
            const struct jfr_class *cls = &md->classes[i];

            if (cls->n_fields == 0)
                continue;
            buf_reset(&rw->scratch);
            buf_bytes(&rw->scratch, &old[i], sizeof(*old));
            for (size_t k = 0; k < cls->n_fields; k++)
                if (!cls->fields[k].type->is_unknown)
                    buf_bytes(&rw->scratch, &old[cls->fields[k].type->index], sizeof(*old));
            own[i] = hash_of(HASH_CLASS, rw->scratch.p, rw->scratch.n);
        }
    }
}

static bool is_free(struct rewrite *rw, int64_t id)
{
    struct known *k = known_at(&rw->known, hash_of(HASH_ID, &id, sizeof(id)));

    if (k == NULL)
        rw->rc = JFR_E_NOMEM;
    return k == NULL || k->value++ == 0;
}

/* The class keeps its id when no other one has it. */
static int64_t choose_id(struct rewrite *rw, int64_t preferred)
{
    if (preferred >= ID_MIN && preferred <= ID_MAX && is_free(rw, preferred))
        return preferred;
    do
        preferred = rw->next_id++;
    while (!is_free(rw, preferred));
    return preferred;
}

static struct out_class *add_output_class(struct rewrite *rw)
{
    if (!array_add(&rw->classes, rw->n_classes, sizeof(*rw->classes)))
        return NULL;
    rw->classes[rw->n_classes] = (struct out_class){0};
    return &rw->classes[rw->n_classes++];
}

static int find_class(struct rewrite *rw, const struct jfr_class *cls, struct hash hash)
{
    struct known *k = known_at(&rw->known, hash);
    struct out_class *out;

    if (k != NULL && k->value != 0) {
        rw->in[cls->index].out = (uint32_t)(k->value - 1);
        return 0;
    }
    out = k == NULL ? NULL : add_output_class(rw);
    if (out == NULL)
        return rw->rc = JFR_E_NOMEM;
    k->value = rw->n_classes;
    rw->in[cls->index].out = (uint32_t)rw->n_classes - 1;
    out->id = choose_id(rw, cls->id);
    return rw->rc;
}

/* Annotations of declared classes; for a hashed field only those that fit a text. */
static void edit_annotations(struct arena *arena, const struct jfr_annotation **list, size_t *n,
                             bool only_texts)
{
    struct jfr_annotation *kept = arena_array(arena, *n, sizeof(*kept));
    size_t n_kept = 0;

    for (size_t i = 0; i < *n && kept != NULL; i++) {
        const struct jfr_annotation *a = &(*list)[i];

        if (!a->type->is_unknown && (!only_texts || strcmp(a->type->name, "jdk.jfr.Label") == 0 ||
                                     strcmp(a->type->name, "jdk.jfr.Description") == 0))
            kept[n_kept++] = *a;
    }
    *list = kept;
    *n = n_kept;
}

/* A value of a simple type has the bytes of the type's one field. An inline field of such a type
 * gets the type of that field: HotSpot keeps values of simple types in pools, and the JDK's tool
 * refuses a recording with an inline one, or reads it, depending on the ids of its types. */
static void unfold(struct jfr_field *f)
{
    for (int depth = 0; depth < DEPTH_MAX && !f->is_pooled && f->type->is_simple; depth++) {
        const struct jfr_field *only = &f->type->fields[0];

        if (f->type->n_fields != 1 || only->type->is_unknown || (f->is_array && only->is_array))
            return;
        f->is_pooled = only->is_pooled;
        f->is_array |= only->is_array;
        f->type = only->type;
    }
}

static void edit_fields(struct rewrite *rw, struct jfr_class *cls, const struct jfr_class *of)
{
    struct arena *arena = jfr_chunk_arena(rw->chunk);
    struct jfr_field *fields = arena_array(arena, of->n_fields, sizeof(*fields));

    cls->fields = fields;
    cls->n_fields = 0;
    cls->sorted = NULL;
    for (size_t i = 0; i < of->n_fields && fields != NULL; i++) {
        struct jfr_field *f = &fields[cls->n_fields];
        const struct rewrite_rule *rule;
        enum rewrite_action action =
            rewrite_edit_field(rw->options.edit, of, &of->fields[i], &rule);

        if (action == REWRITE_HASH && rw->string_class == UINT32_MAX)
            action = REWRITE_DROP;
        if (of->fields[i].type->is_unknown || action == REWRITE_DROP)
            continue;
        *f = of->fields[i];
        edit_annotations(arena, &f->annotations, &f->n_annotations, action == REWRITE_HASH);
        unfold(f);
        if (action == REWRITE_HASH) {
            f->type = &jfr_chunk_metadata(rw->chunk)->classes[rw->string_class];
            f->is_pooled = false;
        }
        cls->n_fields++;
    }
}

/* Fields that are put after those of an event type. */
static void add_type_fields(struct rewrite *rw, struct jfr_class *cls, const struct jfr_class *of)
{
    struct arena *arena = jfr_chunk_arena(rw->chunk);
    const struct rewrite_extra *extra = &rw->options.extra;
    const char *const *names = NULL;
    struct jfr_field *all;
    size_t n;

    if (extra->fields == NULL || !of->is_event || rw->extra_class == UINT32_MAX)
        return;
    n = extra->fields(extra->ctx, of, &names);
    all = arena_array(arena, cls->n_fields + n, sizeof(*all));
    if (n == 0 || all == NULL)
        return;
    if (cls->n_fields > 0)
        memcpy(all, cls->fields, cls->n_fields * sizeof(*all));
    for (size_t i = 0; i < n; i++)
        all[cls->n_fields++] =
            (struct jfr_field){.name = arena_strndup(arena, names[i], strlen(names[i])),
                               .type = &jfr_chunk_metadata(rw->chunk)->classes[rw->extra_class]};
    cls->fields = all;
}

static void edit_settings(struct arena *arena, struct jfr_class *cls, const struct jfr_class *of)
{
    struct jfr_setting *settings = arena_array(arena, of->n_settings, sizeof(*settings));

    cls->settings = settings;
    cls->n_settings = 0;
    for (size_t i = 0; i < of->n_settings && settings != NULL; i++) {
        struct jfr_setting *s = &settings[cls->n_settings];

        if (of->settings[i].type->is_unknown)
            continue;
        *s = of->settings[i];
        edit_annotations(arena, &s->annotations, &s->n_annotations, false);
        cls->n_settings++;
    }
}

static int edit_classes(struct rewrite *rw)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rw->chunk);
    struct arena *arena = jfr_chunk_arena(rw->chunk);

    rw->edited = arena_array(arena, md->n_classes, sizeof(*rw->edited));
    for (size_t i = 0; i < md->n_classes && arena_ok(arena); i++) {
        struct jfr_class *cls = &rw->edited[i];

        *cls = md->classes[i];
        edit_annotations(arena, &cls->annotations, &cls->n_annotations, false);
        edit_fields(rw, cls, &md->classes[i]);
        add_type_fields(rw, cls, &md->classes[i]);
        edit_settings(arena, cls, &md->classes[i]);
    }
    return arena_ok(arena) ? 0 : (rw->rc = JFR_E_NOMEM);
}

int rewrite_classes(struct rewrite *rw)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rw->chunk);
    const struct jfr_class *string = jfr_metadata_by_name(md, "java.lang.String");
    const char *extra_type = rw->options.extra.type;
    const struct jfr_class *extra =
        extra_type == NULL ? NULL : jfr_metadata_by_name(md, extra_type);
    struct arena *arena = jfr_chunk_arena(rw->chunk);
    struct hash *own = arena_array(arena, md->n_classes, sizeof(*own));
    struct hash *old = arena_array(arena, md->n_classes, sizeof(*old));
    struct known_table names = {0};

    rw->n_in = md->n_classes;
    rw->in = arena_array(arena, md->n_classes, sizeof(*rw->in));
    rw->string_class = string == NULL ? UINT32_MAX : string->index;
    rw->extra_class = extra == NULL ? UINT32_MAX : extra->index;
    if (own == NULL || old == NULL || rw->in == NULL)
        return rw->rc = JFR_E_NOMEM;
    for (size_t i = 0; i < md->n_classes; i++) {
        describe(rw, &md->classes[i], twins(rw, &names, &md->classes[i]), &rw->scratch);
        own[i] = hash_of(HASH_CLASS, rw->scratch.p, rw->scratch.n);
    }
    known_free(&names);
    hash_classes(rw, own, old);
    for (size_t i = 0; i < md->n_classes && rw->rc == 0; i++)
        find_class(rw, &md->classes[i], own[i]);
    return rw->rc != 0 ? rw->rc : edit_classes(rw);
}
