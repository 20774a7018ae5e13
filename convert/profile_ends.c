/* profile_ends.c - texts of threads, states and classes, made when first met. */
#include "convert/profile_worker.h"

#include <inttypes.h>

/* Texts of threads, states and classes: local names by (purpose, class, key). */
struct end_key {
    uint64_t key;
    const struct jfr_class *cls;
    uint64_t purpose;
};

static void append_end(struct profile_worker *w, struct buf *b, int end, const struct jfr_field *f,
                       uint64_t key)
{
    struct jfr_thread thread = {0};
    struct jfr_method method = {0};
    struct name_options style = w->opt->names;

    if (end == END_THREAD) {
        if (jfr_thread_get(w->chunk, f->type, key, &thread))
            thread_name_append(b, &thread);
        else
            buf_str(b, "[no thread]");
    } else if (end == END_STATE) {
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
    if (end == END_THREAD && w->opt->thread_ids)
        buf_printf(b, "%c%" PRId64, PROFILE_ID, thread.os_id > 0 ? thread.os_id : thread.java_id);
}

uint32_t profile_end_name(struct profile_worker *w, int end, const struct jfr_field *f,
                          uint64_t key)
{
    struct end_key k = {.key = key, .cls = f->type, .purpose = (uint64_t)end};
    uint32_t id = intern_add(&w->end_keys, &k, sizeof(k)), name;

    if (id == INTERN_FAILED)
        return NO_NAME;
    if (id < w->end_names.n / sizeof(name))
        return ((const uint32_t *)(const void *)w->end_names.p)[id];
    buf_reset(&w->text);
    append_end(w, &w->text, end, f, key);
    name = intern_add(&w->sums.names, w->text.p, w->text.n);
    buf_bytes(&w->end_names, &name, sizeof(name));
    return buf_ok(&w->end_names) ? name : NO_NAME;
}
