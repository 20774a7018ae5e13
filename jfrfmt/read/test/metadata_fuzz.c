#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>

static void check_annotations(const struct jfr_annotation *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert(a[i].type != NULL && a[i].type->name != NULL);
        assert(jfr_annotation_find(a, n, a[i].type->name) <= &a[i]);
        for (size_t j = 0; j < a[i].n_attrs; j++)
            assert(a[i].attrs[j].key != NULL && a[i].attrs[j].value != NULL);
    }
}

static void check_class(const struct jfr_metadata *md, const struct jfr_class *cls)
{
    const struct jfr_class *same = jfr_metadata_by_id(md, cls->id);

    assert(cls->id == INT64_MIN ? same == NULL : same <= cls && same->id == cls->id);
    assert(strstr(cls->name, cls->simple) != NULL && strchr(cls->simple, '.') == NULL);
    assert(jfr_class_shown(cls) != NULL && !cls->is_unknown);
    assert(cls->kind == JFR_STRUCT || cls->n_fields == 0);
    check_annotations(cls->annotations, cls->n_annotations);
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];

        assert(f->index == i && f->name != NULL && f->type != NULL);
        assert(i > 100 || jfr_class_field(cls, f->name) >= f);
        check_annotations(f->annotations, f->n_annotations);
    }
    for (size_t i = 0; i < cls->n_settings; i++)
        check_annotations(cls->settings[i].annotations, cls->settings[i].n_annotations);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct arena arena = {0};
    struct jfr_error err = {0};
    struct jfr_metadata md;
    int rc = jfr_metadata_parse(&md, cur_over(bytes, n), 1000, &arena, &err);

    assert(rc == err.code && rc <= 0 && rc != JFR_E_NOMEM);
    if (rc == 0)
        for (size_t i = 0; i < md.n_classes; i++)
            check_class(&md, &md.classes[i]);
    else
        assert(err.offset >= 1000 && err.offset <= 1000 + n && err.text[0] != '\0');
    arena_free(&arena);
    return 0;
}

/* Type 0 behind a size of one byte, and no more strings than there may be. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    n = LLVMFuzzerMutate(bytes, n, max);
    if (seed % 2 == 0 && n > 6) {
        memset(bytes, 0, 5);
        bytes[5] &= 0x7f;
    }
    return n;
}
