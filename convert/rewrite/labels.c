/*
 * labels.c - collects the contexts of a recording as sets of labels and writes them as protobuf.
 *
 * Keys and values are interned once; a context is a list of pairs of their ids, interned in turn,
 * and its place in that list is its id.
 */
#include "convert/rewrite/labels.h"

#include "convert/rewrite/labels.pb-c.h"
#include "convert/text/textw.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>
#include <string.h>

struct pair {
    uint32_t key, value; /* strings */
};

struct labels {
    struct intern strings; /* their ids count from 1 */
    struct intern contexts; /* of struct pair: the labels, sorted by key */
    struct buf ids; /* of uint64_t: id + 1 by tuple of the chunk; 0: not requested yet */
    struct buf pairs, text;
};

struct labels *labels_new(void)
{
    return calloc(1, sizeof(struct labels));
}

void labels_free(struct labels *l)
{
    if (l == NULL)
        return;
    intern_free(&l->strings);
    intern_free(&l->contexts);
    buf_free(&l->ids);
    buf_free(&l->pairs);
    buf_free(&l->text);
    free(l);
}

void labels_load(struct labels *l)
{
    buf_reset(&l->ids);
}

static bool is_span_number(const char *key)
{
    return strcmp(key, "spanId") == 0 || strcmp(key, "localRootSpanId") == 0 ||
           strcmp(key, "contextId") == 0;
}

/* "web.user" as a label's name. */
static uint32_t name_of_label(struct labels *l, const char *key)
{
    buf_reset(&l->text);
    if (*key >= '0' && *key <= '9')
        buf_byte(&l->text, '_');
    for (; *key != '\0'; key++) {
        bool is_good = (*key >= 'a' && *key <= 'z') || (*key >= 'A' && *key <= 'Z') ||
                       (*key >= '0' && *key <= '9');

        buf_byte(&l->text, is_good ? (uint8_t)*key : '_');
    }
    return intern_add(&l->strings, l->text.p, l->text.n);
}

/* Protobuf strings are valid UTF-8. */
static uint32_t label_value_of(struct labels *l, const char *value, size_t n)
{
    buf_reset(&l->text);
    textw_utf8(&l->text, value, n);
    for (size_t i = 0; i < l->text.n; i++)
        if (l->text.p[i] == '\0')
            l->text.p[i] = ' ';
    return intern_add(&l->strings, l->text.p, l->text.n);
}

static int by_key(const void *a, const void *b)
{
    uint32_t x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;

    return (x > y) - (x < y);
}

static bool gather(struct labels *l, const struct context_run *r, uint32_t tuple)
{
    buf_reset(&l->pairs);
    for (size_t i = 0; i < context_n_attributes(r); i++) {
        const char *key = context_attribute(r, i);
        size_t n = 0;
        const char *text = context_attribute_text(r, tuple, i, &n);
        struct pair pair;

        if (text == NULL || is_span_number(key))
            continue;
        pair = (struct pair){name_of_label(l, key), label_value_of(l, text, n)};
        if (pair.key == INTERN_FAILED || pair.value == INTERN_FAILED)
            return false;
        buf_bytes(&l->pairs, &pair, sizeof(pair));
    }
    if (l->pairs.n > 0)
        qsort(l->pairs.p, l->pairs.n / sizeof(struct pair), sizeof(struct pair), by_key);
    return buf_ok(&l->pairs) && buf_ok(&l->text);
}

uint64_t labels_id(struct labels *l, const struct context_run *r, uint32_t tuple)
{
    size_t end = (tuple + (size_t)1) * sizeof(uint64_t);
    uint64_t *ids;
    uint32_t id;

    if (tuple == 0 || tuple == CONTEXT_NONE)
        return tuple == 0 ? 0 : LABELS_FAILED;
    if (!buf_fill(&l->ids, end))
        return LABELS_FAILED;
    ids = (uint64_t *)(void *)l->ids.p;
    if (ids[tuple] > 0)
        return ids[tuple] - 1;
    if (!gather(l, r, tuple))
        return LABELS_FAILED;
    if (l->pairs.n == 0) { /* only numbers of spans */
        ids[tuple] = 1;
        return 0;
    }
    id = intern_add(&l->contexts, l->pairs.p, l->pairs.n);
    if (id == INTERN_FAILED)
        return LABELS_FAILED;
    ids[tuple] = (uint64_t)id + 2;
    return (uint64_t)id + 1;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int put(const Labels__LabelsSnapshot *part, struct out *out)
{
    if (!buf_reserve(&out->b, labels__labels_snapshot__get_packed_size(part)))
        return JFR_E_NOMEM;
    out->b.n += labels__labels_snapshot__pack(part, out->b.p + out->b.n);
    return out_check(out);
}

/* A message in parts is the sum of them. */
static int put_label_context(const struct labels *l, uint32_t i, struct out *out)
{
    Labels__LabelsSnapshot part = LABELS__LABELS_SNAPSHOT__INIT;
    Labels__ContextEntry entry = LABELS__CONTEXT_ENTRY__INIT, *entries = &entry;
    Labels__Context context = LABELS__CONTEXT__INIT;
    size_t bytes, n;
    const char *from = intern_get(&l->contexts, i, &bytes);
    Labels__Pair *pairs, **pointers;
    int rc = JFR_E_NOMEM;

    n = bytes / sizeof(struct pair);
    pairs = calloc(n, sizeof(*pairs));
    pointers = calloc(n, sizeof(Labels__Pair *));
    for (size_t k = 0; k < n && pairs != NULL && pointers != NULL; k++) {
        struct pair p;

        memcpy(&p, from + k * sizeof(p), sizeof(p));
        labels__pair__init(&pairs[k]);
        pairs[k].key = (int64_t)p.key + 1;
        pairs[k].value = (int64_t)p.value + 1;
        pointers[k] = &pairs[k];
    }
    if (pairs != NULL && pointers != NULL) {
        context.n_labels = n;
        context.labels = pointers;
        entry.key = (int64_t)i + 1;
        entry.value = &context;
        part.n_contexts = 1;
        part.contexts = &entries;
        rc = put(&part, out);
    }
    free(pairs);
    free(pointers);
    return rc;
}

int labels_write(const struct labels *l, struct out *out)
{
    int rc = 0;

    for (uint32_t i = 0; i < intern_n(&l->contexts) && rc == 0; i++)
        rc = put_label_context(l, i, out);
    for (uint32_t i = 0; i < intern_n(&l->strings) && rc == 0; i++) {
        Labels__LabelsSnapshot part = LABELS__LABELS_SNAPSHOT__INIT;
        Labels__StringEntry entry = LABELS__STRING_ENTRY__INIT, *entries = &entry;

        entry.key = (int64_t)i + 1;
        entry.value = (char *)(uintptr_t)intern_get(&l->strings, i, NULL);
        part.n_strings = 1;
        part.strings = &entries;
        rc = put(&part, out);
    }
    return rc;
}
