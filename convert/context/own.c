/*
 * own.c - what an event has itself: a hash of all values, and the value of one key. Unlike tuples
 * it keeps no other value, since each event may have new ones: the id of a request.
 */
#include "convert/context/internal.h"

#include "jfrfmt/base/hash.h"

/* The hash of one value; the hash of all is a sum, since attributes have another order in another
 * chunk. */
static uint64_t hash_of_value(const struct context_run *r, size_t place, const char *text, size_t n)
{
    const char *name = r->attrs[r->places[place]].full;

    return hash_bytes(text, n, hash_text(name, strlen(name)));
}

static void own_of_tuple(const struct context_run *r, uint32_t tuple, struct context_own *own)
{
    uint32_t values[CONTEXT_ATTRIBUTES];

    if (tuple == 0)
        return;
    context_values(r, tuple, values);
    for (size_t i = 0; i < r->n_places; i++)
        if (values[i] != 0) {
            size_t n;
            const char *text = intern_get(&r->values, values[i] - 1, &n);

            own->hash += hash_of_value(r, i, text, n);
            if (r->is_trace[i])
                own->trace = hash_text(text, n);
        }
    for (uint32_t key = 0; key < r->shared->n_keys && own->text == NULL; key++) {
        own->text = context_text(r, tuple, key, &own->n);
        own->key = key;
    }
}

/* Of values that the event has as texts of its own. Returns false if out of memory. */
static bool own_of_texts(struct context_run *r, const struct context_class *k,
                         const union jfr_value *v, const uint8_t *end, struct context_own *own)
{
    uint64_t hashes[CONTEXT_ATTRIBUTES] = {0};
    uint32_t values[CONTEXT_ATTRIBUTES] = {0}; /* of keys */

    for (size_t i = k->n_fields; i-- > 0;) {
        const struct context_field *f = &k->fields[i];
        const char *text;
        size_t n;

        if (!context_value_text(r, f->field, v[CONTEXT_FIELDS + i], end, &text, &n))
            return false;
        if (text == NULL)
            continue;
        hashes[f->place] = hash_of_value(r, f->place, text, n);
        if (r->is_trace[f->place])
            own->trace = hash_text(text, n);
        if (r->is_key[f->place]) {
            uint32_t id = intern_add(&r->values, text, n);

            if (id == INTERN_FAILED)
                return false;
            values[f->place] = id + 1;
        }
    }
    for (size_t i = 0; i < r->n_places; i++)
        own->hash += hashes[i];
    for (uint32_t key = 0; key < r->shared->n_keys && own->text == NULL; key++) {
        uint32_t value = context_value_of_key(r, key, values);

        own->key = key;
        own->text = value == 0 ? NULL : intern_get(&r->values, value - 1, &own->n);
    }
    return true;
}

bool context_own_first(struct context_run *r, const struct jfr_event *ev, struct context_own *own)
{
    const struct context_class *k = &r->classes[ev->type->index];
    union jfr_value v[CONTEXT_FIELDS + CONTEXT_ATTRIBUTES];
    uint32_t tuple;

    *own = (struct context_own){.hash = 0};
    if (k->plan == NULL || k->n_fields == 0)
        return true;
    if (k->has_pooled) {
        tuple = context_own_tuple(r, ev);
        if (tuple != CONTEXT_NONE)
            own_of_tuple(r, tuple, own);
        return tuple != CONTEXT_NONE;
    }
    return jfr_plan_run(k->plan, ev->body, v, NULL) != 0 ||
           own_of_texts(r, k, v, ev->body.end, own);
}
