/*
 * group_texts.c - texts of keys, threads, states and classes, each made once in a chunk.
 *
 * A group of a profile has numbers of names, which are added to the tree as frames: "[user=alice]",
 * a thread, a state. Events have keys of constants instead. A table for the chunk has the texts
 * that were made; its callers have memos of their own in front of it. Numbers hold in the loaded
 * chunk only.
 */
#include "convert/profile/worker.h"

#include <inttypes.h>

/* Texts of threads, states and classes: local names by (purpose, class, key). */
struct group_text_key {
    uint64_t key;
    const struct jfr_class *cls;
    uint64_t purpose;
};

static void append_group_text(struct profile_worker *w, struct buf *b, int end,
                              const struct jfr_field *f, uint64_t key)
{
    struct jfr_thread thread = {0};
    struct jfr_method method = {0};
    struct name_options style = w->opt->names;

    if (end == PROFILE_THREAD) {
        if (jfr_thread_get(w->chunk, f->type, key, &thread))
            thread_name_append(b, &thread);
        else
            buf_str(b, "[no thread]");
    } else if (end == PROFILE_STATE) {
        jfr_str_append_utf8(b, jfr_simple_text(w->chunk, f->type, key));
        if (b->n == 0)
            buf_str(b, "[no state]");
    } else {
        method.class_name = jfr_class_name(w->chunk, f->type, key);
        style.package = 0;
        class_name_append(b, &style, method.class_name);
        if (b->n == 0)
            buf_str(b, "[no class]");
    }
    frame_name_clean(b, 0);
    if (end == PROFILE_THREAD && w->opt->thread_ids)
        buf_printf(b, "%c%" PRId64, PROFILE_ID, thread.os_id > 0 ? thread.os_id : thread.java_id);
}

uint32_t profile_group_text(struct profile_worker *w, int end, const struct jfr_field *f,
                            uint64_t key)
{
    struct group_text_key k = {.key = key, .cls = f->type, .purpose = (uint64_t)end};
    uint32_t id = intern_add(&w->end_keys, &k, sizeof(k)), name;

    if (id == INTERN_FAILED)
        return NO_NAME;
    if (id < w->end_names.n / sizeof(name))
        return ((const uint32_t *)(const void *)w->end_names.p)[id];
    buf_reset(&w->text);
    append_group_text(w, &w->text, end, f, key);
    name = intern_add(&w->sums.names, w->text.p, w->text.n);
    buf_bytes(&w->end_names, &name, sizeof(name));
    return buf_ok(&w->end_names) ? name : NO_NAME;
}

/* "[user=alice]", "[no user]" */
static uint32_t key_name(struct profile_worker *w, uint32_t tuple, uint32_t key)
{
    struct buf *b = &w->text;
    size_t n = 0;
    const char *text = context_text(w->contexts, tuple, key, &n);

    buf_reset(b);
    if (!w->opt->bare_keys)
        buf_printf(b, text == NULL ? "[no %s" : "[%s=", w->opt->keys[key]);
    if (text != NULL)
        buf_bytes(b, text, n);
    if (!w->opt->bare_keys)
        buf_byte(b, ']');
    frame_name_clean(b, 0);
    return buf_ok(b) ? intern_add(&w->sums.names, b->p, b->n) : INTERN_FAILED;
}

bool profile_key_names(struct profile_worker *w, uint32_t tuple, uint32_t *ends)
{
    uint32_t *names;
    size_t n = w->opt->n_keys, bytes = n * sizeof(*names), end = (tuple + (size_t)1) * bytes;

    if (!buf_fill(&w->key_names, end))
        return false;
    names = (uint32_t *)(void *)(w->key_names.p + end - bytes);
    for (uint32_t i = 0; i < n; i++) {
        if (names[i] == 0)
            names[i] = key_name(w, tuple, i) + 1;
        if (names[i] == 0) /* INTERN_FAILED + 1 */
            return false;
        ends[PROFILE_KEY + i] = names[i] - 1;
    }
    return true;
}

/* A part of a label: its marks and all else that a text has no business with become blanks. */
static void append_part(struct buf *b, const char *text, size_t n, char mark)
{
    size_t start = b->n;

    buf_bytes(b, text, n);
    for (size_t i = start; i < b->n; i++)
        if (b->p[i] < ' ' || b->p[i] == 0x7f)
            b->p[i] = ' ';
    buf_byte(b, (uint8_t)mark);
}

/* The number + 1 of the name that has all values of a tuple; 0 if out of memory. */
static uint32_t labels_of(struct profile_worker *w, uint32_t tuple)
{
    struct buf *b = &w->text;

    buf_reset(b);
    for (size_t i = 0; i < context_n_attributes(w->contexts); i++) {
        size_t n;
        const char *text = context_attribute_text(w->contexts, tuple, i, &n);
        const char *key = context_attribute(w->contexts, i);

        if (text == NULL)
            continue;
        append_part(b, key, strlen(key), PROFILE_ID);
        append_part(b, text, n, PROFILE_LABEL);
    }
    return buf_ok(b) ? intern_add(&w->sums.names, b->p, b->n) + 1 : 0;
}

bool profile_label_name(struct profile_worker *w, uint32_t tuple, uint32_t *name)
{
    size_t end = (tuple + (size_t)1) * sizeof(uint32_t);
    uint32_t *names;

    *name = NO_NAME;
    if (tuple == 0)
        return true;
    if (!buf_fill(&w->label_names, end))
        return false;
    names = (uint32_t *)(void *)w->label_names.p;
    if (names[tuple] == 0)
        names[tuple] = labels_of(w, tuple);
    *name = names[tuple] - 1;
    return names[tuple] != 0;
}
