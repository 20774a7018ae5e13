/*
 * repair.c - constants that stand for lost ones.
 *
 * The JDK's tool stops at a frame without method, at a method without class, name or descriptor,
 * and at a name that is null. Where a damaged recording has lost one, "unknown" takes its place, or
 * the empty text that of null.
 */
#include "convert/rewrite/internal.h"

#include "jfrfmt/base/string.h"

#define UNKNOWN "unknown"

static bool is_simple_name(const struct jfr_class *cls, const char *simple)
{
    return strcmp(cls->simple, simple) == 0 && !cls->is_event;
}

bool rewrite_is_needed(const struct rewrite *rw, const struct jfr_class *cls,
                       const struct jfr_field *f)
{
    static const char *const needed[][2] = {
        {"StackFrame", "method"}, {"Method", "type"}, {"Method", "name"},
        {"Method", "descriptor"}, {"Class", "name"},  {"Symbol", "string"},
    };

    if (rw->options.edit == NULL || !rw->options.edit->repair || f->is_array ||
        (!f->is_pooled && f->type->kind != JFR_STRING))
        return false;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (strcmp(f->name, needed[i][1]) == 0 && is_simple_name(cls, needed[i][0]))
            return true;
    return false;
}

static void put_text(struct buf *b, const char *text)
{
    buf_byte(b, JFR_STR_UTF8);
    buf_varint(b, strlen(text));
    buf_str(b, text);
}

/* The value of a field that is not needed. */
static void put_nothing(struct buf *b, const struct jfr_field *f)
{
    static const uint8_t sizes[] = {[JFR_FLOAT] = 4, [JFR_DOUBLE] = 8};
    unsigned n =
        f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE ? sizes[f->type->kind] : 1;

    buf_be(b, 0, f->is_pooled || f->is_array ? 1 : n);
}

/* depth: from a frame to the name of its class there are four steps. */
static uint64_t stand_in(struct rewrite *rw, const struct jfr_field *of, int depth)
{
    const struct jfr_class *cls = of->type;
    struct buf value = {0};
    uint64_t key = KEY_NONE;
    uint32_t place = UINT32_MAX; /* not known yet */
    bool is_possible = depth > 0;

    for (size_t i = 0; i < cls->n_fields && is_possible; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (f->is_pooled && rewrite_is_needed(rw, cls, f)) {
            uint64_t inner = stand_in(rw, f, depth - 1);

            buf_varint(&value, inner);
        } else if (f->type->kind == JFR_STRING && !f->is_pooled && !f->is_array) {
            put_text(&value, strcmp(of->name, "descriptor") == 0 ? "()V" : UNKNOWN);
        } else {
            put_nothing(&value, f);
            is_possible = f->is_pooled || f->is_array || f->type->kind != JFR_STRUCT;
        }
    }
    if (is_possible && buf_ok(&value)) {
        buf_reset(&rw->scratch);
        buf_bytes(&rw->scratch, value.p, value.n);
        key = rewrite_constant(rw, cls->index, hash_of(rw->in[cls->index].out, value.p, value.n),
                               &place);
    }
    buf_free(&value);
    return key == KEY_NONE ? 0 : key;
}

uint64_t rewrite_stand_in(struct rewrite *rw, const struct jfr_field *field)
{
    struct buf kept = rw->scratch; /* a constant may be being copied to it */
    uint64_t key;

    rw->scratch = (struct buf){0};
    key = stand_in(rw, field, 4);
    buf_free(&rw->scratch);
    rw->scratch = kept;
    return key;
}
