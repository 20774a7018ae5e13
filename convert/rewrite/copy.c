/*
 * copy.c - copies an event or constant into a new recording by the steps of program.c.
 *
 * Keys of constants become those of the output, ticks are moved to its clock, and redacted texts
 * are replaced. Where a program requests it, rewrite_check() walks over the value before anything
 * is written.
 */
#include "convert/rewrite/bytes.h"
#include "convert/rewrite/internal.h"

#include <stdio.h>

#define HEX 32 /* digits of a hash */

static int64_t narrow(int64_t v, unsigned bits)
{
    return bits == 64 ? v : bits == 32 ? (int32_t)v : (int16_t)v;
}

/* What does not fit in a narrow field becomes the most it can hold. */
static int64_t clamp(int64_t v, unsigned bits)
{
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;

    return v > most ? most : v < -most - 1 ? -most - 1 : v;
}

/* The values that mean "not available" and "forever" stay what they are. */
static bool is_special(int64_t v)
{
    return v == INT64_MIN || v == INT64_MAX;
}

static int64_t stamp(struct rewrite *rw, int64_t ticks)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(rw->chunk);
    int64_t v;

    if (is_special(ticks))
        return ticks;
    v = (int64_t)((uint64_t)jfr_epoch_ns(h, ticks) - (uint64_t)rw->base_nanos);
    if (v > rw->last_tick)
        rw->last_tick = v;
    return v;
}

static int64_t span(struct rewrite *rw, int64_t ticks)
{
    return is_special(ticks) || rw->is_ns ? ticks : jfr_span_ns(jfr_chunk_header(rw->chunk), ticks);
}

static void copy_varints(struct cursor *c, uint32_t n, struct buf *out)
{
    const uint8_t *from = c->p;

    if (n == 1)
        get(c);
    else
        cur_skip_varints(c, n);
    if (cur_ok(c))
        buf_bytes(out, from, (size_t)(c->p - from));
}

static void copy_string(struct rewrite *rw, const struct op *op, struct cursor *c, struct buf *out)
{
    const uint8_t *from = c->p;
    struct jfr_str s = jfr_str_read(c);
    uint64_t key = 0;

    if (!cur_ok(c))
        return;
    if (s.encoding == JFR_STR_NULL && op->bits == 1) {
        buf_byte(out, JFR_STR_EMPTY);
        return;
    }
    if (s.encoding != JFR_STR_CONSTANT) {
        buf_bytes(out, from, (size_t)(c->p - from));
        return;
    }
    if (op->code != OP_TEXT && rw->string_class != UINT32_MAX)
        key = rewrite_key(rw, rw->string_class, s.n, NULL);
    if (key == 0) {
        buf_byte(out, JFR_STR_NULL);
    } else {
        buf_byte(out, JFR_STR_CONSTANT);
        put(out, key);
    }
}

/* Writes the text of a symbol. HotSpot always writes these as UTF-8 with a length, and
 * async-profiler's converter reads no other encoding. Null and references to the pool of strings
 * are copied as they are. */
static void copy_symbol(struct rewrite *rw, const struct op *op, struct cursor *c, struct buf *out)
{
    struct cursor before = *c;
    struct jfr_str s = jfr_str_read(c);
    struct buf text = {0};

    if (!cur_ok(c))
        return;
    if (s.encoding == JFR_STR_UTF8 || s.encoding == JFR_STR_CONSTANT ||
        (s.encoding == JFR_STR_NULL && op->bits == 0)) {
        *c = before;
        copy_string(rw, op, c, out);
        return;
    }
    jfr_str_append_utf8(&text, s);
    buf_byte(out, JFR_STR_UTF8);
    put(out, text.n);
    buf_bytes(out, text.p, text.n);
    out->failed |= !buf_ok(&text);
    buf_free(&text);
}

static void copy_needed_key(struct rewrite *rw, const struct op *op, struct cursor *c,
                            struct buf *out)
{
    bool is_final;
    uint64_t key = rewrite_key(rw, op->n, get(c), &is_final);

    if (key == 0 && is_final && cur_ok(c))
        key = rewrite_stand_in(rw, op->field);
    put(out, key);
}

/* The event type with this id in the chunk; NULL: none. */
static const struct jfr_class *find_output_type(struct rewrite *rw, int64_t id)
{
    const struct jfr_class *cls = jfr_metadata_by_id(jfr_chunk_metadata(rw->chunk), id);

    return cls == NULL || !cls->is_event ? NULL : cls;
}

static void copy_type_id(struct rewrite *rw, struct cursor *c, struct buf *out)
{
    const struct jfr_class *cls = find_output_type(rw, (int64_t)get(c));

    if (cls == NULL) /* it has been checked */
        return;
    rewrite_use(rw, cls);
    put(out, (uint64_t)rw->classes[rw->in[cls->index].out].id);
}

static void copy_array(struct rewrite *rw, const struct op *op, struct cursor *c, struct buf *out)
{
    uint64_t n = get(c);

    if (n > cur_left(c) || (n > 0 && op->span == 0)) { /* elements take a byte at least */
        cur_fail(c);
        return;
    }
    put(out, n);
    if (op->span == 1 && op[1].code == OP_BYTES && op[1].n == 1) {
        const uint8_t *bytes = cur_bytes(c, n);

        if (bytes != NULL)
            buf_bytes(out, bytes, (size_t)n);
        return;
    }
    if (op->n > 0)
        n = rewrite_plain(rw, op, n, c, out);
    for (; n > 0; n--)
        if (!rewrite_copy(rw, op + 1, op + 1 + op->span, c, out))
            return;
}

/* The value of a simple class is that of its one field, however deep. */
static bool find_text(struct rewrite *rw, const struct jfr_field *f, struct cursor c)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        if (f->is_pooled) {
            const struct jfr_pool *pool = jfr_chunk_pool(rw->chunk, f->type);
            int64_t i = jfr_pool_find(pool, get(&c));

            if (i < 0)
                return false;
            c = jfr_pool_value(pool, (size_t)i);
        }
        if (f->type->kind == JFR_STRING) {
            struct jfr_str s = jfr_chunk_resolve(rw->chunk, jfr_str_read(&c));

            jfr_str_append_utf8(&rw->text, s);
            return !jfr_str_is_null(s);
        }
        if (f->type->kind != JFR_STRUCT)
            break;
        if (f->type->n_fields == 0)
            return false;
        f = &f->type->fields[0];
    }
    if (f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE) {
        unsigned size = f->type->kind == JFR_FLOAT ? 4 : 8;

        buf_printf(&rw->text, "%llx", (unsigned long long)cur_be(&c, size));
    } else if (f->type->kind == JFR_BOOLEAN || f->type->kind == JFR_BYTE) {
        buf_printf(&rw->text, "%d", (int8_t)cur_be(&c, 1));
    } else {
        buf_printf(&rw->text, "%lld", (long long)get(&c));
    }
    return cur_ok(&c);
}

static void put_hash(struct rewrite *rw, const struct op *op, struct cursor value, struct buf *out)
{
    uint64_t hash[2];
    char hex[HEX + 1];

    buf_reset(&rw->text);
    if (!find_text(rw, op->field, value)) {
        buf_byte(out, JFR_STR_NULL);
        return;
    }
    siphash128(op->rule->key, rw->text.p, rw->text.n, hash);
    snprintf(hex, sizeof(hex), "%016llx%016llx", (unsigned long long)hash[0],
             (unsigned long long)hash[1]);
    buf_byte(out, JFR_STR_LATIN1);
    buf_byte(out, HEX);
    buf_bytes(out, hex, HEX);
}

/* Steps over values, by the same steps by which they are copied. */
static void step_over(struct rewrite *rw, const struct op *op, const struct op *end,
                      struct cursor *c)
{
    for (; op < end && cur_ok(c); op++) {
        switch (op->code) {
        case OP_VARINTS:
            cur_skip_varints(c, op->n);
            break;
        case OP_BYTES:
            cur_bytes(c, op->n);
            break;
        case OP_STRING:
        case OP_TEXT:
        case OP_SYMBOL:
            jfr_str_skip(c);
            break;
        case OP_ARRAY: {
            uint64_t n = get(c);

            if (n > cur_left(c) || (n > 0 && op->span == 0))
                cur_fail(c);
            for (; n > 0 && cur_ok(c); n--)
                step_over(rw, op + 1, op + 1 + op->span, c);
            op += op->span;
            break;
        }
        case OP_DROP:
        case OP_NULL:
        case OP_HASH:
            break; /* what they span follows */
        case OP_TYPE_ID:
            rw->is_unknown_id = find_output_type(rw, (int64_t)get(c)) == NULL;
            break;
        default:
            get(c);
        }
    }
}

bool rewrite_check(struct rewrite *rw, const struct program *p, struct cursor c)
{
    rw->is_unknown_id = false;
    step_over(rw, p->ops, p->ops + p->n, &c);
    return cur_ok(&c);
}

static void put_replacement(struct rewrite *rw, const struct op *op, struct cursor *c,
                            struct buf *out)
{
    struct cursor value = *c;

    step_over(rw, op + 1, op + 1 + op->span, c);
    if (!cur_ok(c))
        return;
    value.end = c->p;
    if (op->code == OP_NULL)
        buf_byte(out, 0);
    else if (op->code == OP_HASH)
        put_hash(rw, op, value, out);
}

bool rewrite_copy(struct rewrite *rw, const struct op *op, const struct op *end, struct cursor *c,
                  struct buf *out)
{
    for (; op < end; op++) {
        switch (op->code) {
        case OP_VARINTS:
            copy_varints(c, op->n, out);
            break;
        case OP_BYTES: {
            const uint8_t *bytes = cur_bytes(c, op->n);

            if (bytes != NULL)
                buf_bytes(out, bytes, op->n);
            break;
        }
        case OP_KEY:
            rewrite_last_key(rw, op->n, c, out);
            break;
        case OP_NEEDED_KEY:
            copy_needed_key(rw, op, c, out);
            break;
        case OP_STRING:
        case OP_TEXT:
            copy_string(rw, op, c, out);
            break;
        case OP_SYMBOL:
            copy_symbol(rw, op, c, out);
            break;
        case OP_STAMP:
            put(out, (uint64_t)clamp(stamp(rw, narrow((int64_t)get(c), op->bits)), op->bits));
            break;
        case OP_SPAN:
            put(out, (uint64_t)clamp(span(rw, narrow((int64_t)get(c), op->bits)), op->bits));
            break;
        case OP_TYPE_ID:
            copy_type_id(rw, c, out);
            break;
        case OP_ARRAY:
            copy_array(rw, op, c, out);
            op += op->span;
            break;
        default: /* DROP, NULL, HASH */
            put_replacement(rw, op, c, out);
            op += op->span;
        }
    }
    return cur_ok(c);
}
