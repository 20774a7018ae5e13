/*
 * program.c - compiles a class into a list of copying steps.
 *
 * A step copies a run of fields unchanged, or handles one field (a key, a time, a text to be
 * redacted). copy.c runs the list for each event, so that most bytes are copied without being
 * decoded.
 */
#include "convert/rewrite/internal.h"

#include "jfrfmt/read/plan.h"

#define OPS_MAX 4096 /* of one class */

struct compile {
    struct rewrite *rw;
    struct buf ops;
    size_t barrier; /* ops before this one stay as they are */
    bool is_needed; /* the next field */
    bool is_symbol; /* the next field is one of jdk.types.Symbol */
    bool has_type_id;
    bool failed;
};

static size_t n_ops(const struct compile *cc)
{
    return cc->ops.n / sizeof(struct op);
}

static struct op *op_at(const struct compile *cc, size_t i)
{
    return (struct op *)(void *)cc->ops.p + i;
}

static void emit_op(struct compile *cc, struct op op)
{
    if (n_ops(cc) >= OPS_MAX)
        cc->failed = true;
    else
        buf_bytes(&cc->ops, &op, sizeof(op));
}

/* Steps over plain numbers become one. */
static void emit_plain(struct compile *cc, enum op_code code, uint32_t n)
{
    if (n_ops(cc) > cc->barrier && buf_ok(&cc->ops)) {
        struct op *last = op_at(cc, n_ops(cc) - 1);

        if (last->code == code) {
            last->n += n;
            return;
        }
    }
    emit_op(cc, (struct op){.code = (uint8_t)code, .n = n});
}

static void compile_fields(struct compile *cc, const struct jfr_class *cls, int depth);

static void number(struct compile *cc, const struct jfr_field *f, uint8_t bits)
{
    if (f->unit == JFR_UNIT_TIMESTAMP_TICKS)
        emit_op(cc, (struct op){.code = OP_STAMP, .bits = bits});
    else if (f->unit == JFR_UNIT_TICKS)
        emit_op(cc, (struct op){.code = OP_SPAN, .bits = bits});
    else
        emit_plain(cc, OP_VARINTS, 1);
}

static void compile_one(struct compile *cc, const struct jfr_field *f, int depth)
{
    if (f->is_pooled) {
        emit_op(cc, (struct op){.code = cc->is_needed ? OP_NEEDED_KEY : OP_KEY,
                                .n = f->type->index,
                                .field = f});
        cc->failed |= f->type->is_unknown;
        return;
    }
    switch (f->type->kind) {
    case JFR_STRUCT:
        compile_fields(cc, f->type, depth + 1);
        break;
    case JFR_BOOLEAN:
    case JFR_BYTE:
        emit_plain(cc, OP_BYTES, 1);
        break;
    case JFR_FLOAT:
        emit_plain(cc, OP_BYTES, 4);
        break;
    case JFR_DOUBLE:
        emit_plain(cc, OP_BYTES, 8);
        break;
    case JFR_STRING:
        emit_op(cc,
                (struct op){.code = cc->is_symbol ? OP_SYMBOL : OP_STRING, .bits = cc->is_needed});
        break;
    case JFR_LONG:
        number(cc, f, 64);
        break;
    default:
        number(cc, f, f->type->kind == JFR_INT ? 32 : 16);
    }
}

/* How many numbers and keys these ops copy; 0 when there is anything else among them. */
static uint32_t count_plain(const struct op *op, uint32_t n)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (op[i].code != OP_KEY && op[i].code != OP_VARINTS)
            return 0;
        sum += op[i].code == OP_KEY ? 1 : op[i].n;
    }
    return sum;
}

/* Emits `head`, then what it spans. */
static void compile_span(struct compile *cc, struct op head, const struct jfr_field *f, int depth)
{
    size_t at = n_ops(cc);

    emit_op(cc, head);
    cc->barrier = at + 1;
    if (f->is_array && head.code != OP_ARRAY)
        compile_span(cc, (struct op){.code = OP_ARRAY}, f, depth);
    else
        compile_one(cc, f, depth);
    cc->barrier = n_ops(cc);
    if (cc->failed || !buf_ok(&cc->ops))
        return;
    op_at(cc, at)->span = (uint16_t)(n_ops(cc) - at - 1);
    if (head.code == OP_ARRAY)
        op_at(cc, at)->n = count_plain(op_at(cc, at + 1), op_at(cc, at)->span);
}

static void compile_field(struct compile *cc, const struct jfr_class *cls,
                          const struct jfr_field *f, int depth)
{
    const struct rewrite_rule *rule = NULL;
    enum rewrite_action action = rewrite_edit_field(cc->rw->options.edit, cls, f, &rule);
    struct op head = {.field = f, .rule = rule, .n = 1};

    cc->is_needed = rewrite_is_needed(cc->rw, cls, f);
    cc->is_symbol = strcmp(cls->name, "jdk.types.Symbol") == 0;
    if (action == REWRITE_HASH && cc->rw->string_class == UINT32_MAX)
        action = REWRITE_DROP; /* no class for the hash */
    if (action == REWRITE_KEEP && f->is_array)
        head.code = OP_ARRAY;
    else if (action == REWRITE_KEEP)
        return compile_one(cc, f, depth);
    else
        head.code = action == REWRITE_DROP ? OP_DROP : action == REWRITE_NULL ? OP_NULL : OP_HASH;
    compile_span(cc, head, f, depth);
}

static bool is_type_id(const struct jfr_class *cls, const struct jfr_field *f)
{
    return cls->is_event && strcmp(cls->simple, "ActiveSetting") == 0 &&
           strcmp(f->name, "id") == 0 && f->type->kind == JFR_LONG && !f->is_pooled && !f->is_array;
}

static void compile_fields(struct compile *cc, const struct jfr_class *cls, int depth)
{
    if (depth > DEPTH_MAX || cls->is_unknown)
        cc->failed = true;
    for (size_t i = 0; i < cls->n_fields && !cc->failed; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (is_type_id(cls, f)) {
            emit_op(cc, (struct op){.code = OP_TYPE_ID});
            cc->has_type_id = true;
        } else {
            compile_field(cc, cls, f, depth);
        }
    }
}

/* A class with no fields that is no primitive has no values: only annotations are such. */
static void compile_class(struct compile *cc, const struct jfr_class *cls)
{
    const struct jfr_field self = {.name = "", .type = cls};

    if (cls->kind == JFR_STRUCT)
        compile_fields(cc, cls, 0);
    else if (cls->kind == JFR_STRING)
        emit_op(cc, (struct op){.code = OP_TEXT});
    else
        compile_one(cc, &self, 0);
}

const struct program *rewrite_program(struct rewrite *rw, const struct jfr_class *cls)
{
    struct program *p = &rw->in[cls->index].program;
    struct compile cc = {.rw = rw};
    void *ops;

    if (p->is_made)
        return p;
    /* The reader's limits on structs in structs hold here, too: they can double at each level. */
    cc.failed = cls->kind == JFR_STRUCT && jfr_plan_new(rw->chunk, cls, NULL, 0) == NULL;
    if (!cc.failed)
        compile_class(&cc, cls);
    ops = arena_alloc(jfr_chunk_arena(rw->chunk), cc.ops.n);
    if (ops == NULL || !buf_ok(&cc.ops) || !arena_ok(jfr_chunk_arena(rw->chunk)))
        rw->rc = JFR_E_NOMEM;
    p->is_made = true;
    p->is_checked = cc.has_type_id || (rw->options.edit != NULL && rw->options.edit->repair);
    p->is_bad = cc.failed || rw->rc != 0;
    p->ops = ops;
    if (!p->is_bad && cc.ops.n > 0) {
        memcpy(ops, cc.ops.p, cc.ops.n);
        p->n = (uint32_t)n_ops(&cc);
    }
    buf_free(&cc.ops);
    return p;
}
