/*
 * plan.c - compiles a class and the paths of wanted fields into a list of operations.
 *
 * Fields that are not wanted become steps over bytes or varints, and adjacent steps one. A list is
 * made once per class and chunk; plan_run.c runs it over the bytes of events.
 */
#include "jfrfmt/read/chunk_internal.h"
#include "jfrfmt/read/plan_internal.h"

#define DEPTH_MAX 32 /* inline structs in inline structs */
#define OPS_MAX 4096
#define STEPS_MAX 256

/* Fields of inline structs, which can double at every level: that one plan may visit, and all plans
 * of a chunk together. Real chunks have some hundreds. */
#define INLINE_MAX 4096
#define INLINE_TOTAL_MAX (1 << 22)

struct compile {
    struct buf ops; /* of struct op */
    const struct jfr_field **fields; /* found so far, per want */
    size_t n_wants;
    size_t barrier; /* bytes of ops: steps before this place are not joined with later ones */
    size_t n_inline; /* fields of inline structs visited so far */
    size_t inline_max;
    bool failed;
};

static struct op *last_op(struct compile *cc)
{
    return cc->ops.n == 0 ? NULL
                          : (struct op *)(void *)cc->ops.p + cc->ops.n / sizeof(struct op) - 1;
}

static void emit_plan_step(struct compile *cc, enum op_code code, size_t slot, size_t n)
{
    struct op op = {.code = (uint8_t)code, .slot = (uint8_t)slot, .n = (uint32_t)n};

    if (cc->ops.n >= OPS_MAX * sizeof(op))
        cc->failed = true;
    else
        buf_bytes(&cc->ops, &op, sizeof(op));
}

/* Adds a step. Adjacent steps are joined, but not over the beginning or end of an array's elements.
 */
static void emit_step(struct compile *cc, enum op_code code, size_t n)
{
    struct op *last = last_op(cc);

    if (cc->ops.n > cc->barrier && last->code == code && last->n < UINT32_MAX / 2)
        last->n += (uint32_t)n;
    else
        emit_plan_step(cc, code, 0, n);
}

static bool may_enter(struct compile *cc, const struct jfr_class *cls, int depth)
{
    if (depth > 0)
        cc->n_inline += cls->n_fields;
    if (depth > DEPTH_MAX || cc->n_inline > cc->inline_max || cls->is_unknown)
        cc->failed = true;
    return !cc->failed;
}

static void skip_class(struct compile *cc, const struct jfr_class *cls, int depth);

static void skip_element(struct compile *cc, const struct jfr_field *f, int depth)
{
    if (f->is_pooled) {
        emit_step(cc, OP_VARINTS, 1);
        return;
    }
    switch (f->type->kind) {
    case JFR_BOOLEAN:
    case JFR_BYTE:
        emit_step(cc, OP_BYTES, 1);
        break;
    case JFR_FLOAT:
        emit_step(cc, OP_BYTES, 4);
        break;
    case JFR_DOUBLE:
        emit_step(cc, OP_BYTES, 8);
        break;
    case JFR_STRING:
        emit_plan_step(cc, OP_STRING, 0, 0);
        break;
    case JFR_STRUCT:
        skip_class(cc, f->type, depth + 1);
        break;
    default:
        emit_step(cc, OP_VARINTS, 1);
        break;
    }
}

/* An array whose elements are one kind of step is stepped over at once. */
static void skip_planned_field(struct compile *cc, const struct jfr_field *f, int depth)
{
    size_t at = cc->ops.n, body;
    struct op *head;

    if (!f->is_array) {
        skip_element(cc, f, depth);
        return;
    }
    emit_plan_step(cc, OP_ARRAY, 0, 0);
    cc->barrier = body = cc->ops.n;
    skip_element(cc, f, depth);
    cc->barrier = cc->ops.n;
    if (cc->failed || !buf_ok(&cc->ops))
        return;
    head = (struct op *)(void *)(cc->ops.p + at);
    head->n = (uint32_t)((cc->ops.n - body) / sizeof(struct op));
    if (head->n == 1 && (head[1].code == OP_VARINTS || head[1].code == OP_BYTES)) {
        head->code = head[1].code == OP_VARINTS ? OP_ARRAY_VARINTS : OP_ARRAY_BYTES;
        head->n = head[1].n;
        cc->barrier = cc->ops.n = body;
    }
}

static void skip_class(struct compile *cc, const struct jfr_class *cls, int depth)
{
    if (!may_enter(cc, cls, depth))
        return;
    if (cls->kind == JFR_STRUCT) {
        for (size_t i = 0; i < cls->n_fields && !cc->failed; i++)
            skip_planned_field(cc, &cls->fields[i], depth);
    } else {
        struct jfr_field self = {.type = cls};

        skip_element(cc, &self, depth);
    }
}

static enum op_code take_code(const struct jfr_field *f)
{
    if (f->is_pooled)
        return OP_64;
    switch (f->type->kind) {
    case JFR_BOOLEAN:
        return OP_BOOLEAN;
    case JFR_BYTE:
        return f->is_unsigned ? OP_U8 : OP_S8;
    case JFR_CHAR:
        return OP_U16;
    case JFR_SHORT:
        return f->is_unsigned ? OP_U16 : OP_S16;
    case JFR_INT:
        return f->is_unsigned ? OP_U32 : OP_S32;
    case JFR_FLOAT:
        return OP_FLOAT;
    case JFR_DOUBLE:
        return OP_DOUBLE;
    default:
        return OP_64;
    }
}

static bool is_compound(const struct jfr_field *f)
{
    return f->is_array ||
           (!f->is_pooled && (f->type->kind == JFR_STRUCT || f->type->kind == JFR_STRING));
}

/* The rest of a path after this field's name: "" when it ends here, NULL when it leads
 * elsewhere. */
static const char *path_after(const char *path, const struct jfr_field *f)
{
    size_t n = 0;

    if (path == NULL)
        return NULL;
    while (f->name[n] != '\0' && f->name[n] == path[n])
        n++;
    if (f->name[n] != '\0')
        return NULL;
    if (path[n] == '\0')
        return path + n;
    return path[n] == '.' && path[n + 1] != '\0' && !f->is_array && !f->is_pooled &&
                   f->type->kind == JFR_STRUCT
               ? path + n + 1
               : NULL;
}

static void take_class(struct compile *cc, const struct jfr_class *cls, const char *const *paths,
                       int depth);

static void take_field(struct compile *cc, const struct jfr_field *f, const char *const *paths,
                       int depth)
{
    const char *inner[JFR_PLAN_WANTS_MAX];
    bool goes_in = false;
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < cc->n_wants; i++) {
        inner[i] = path_after(paths[i], f);
        if (inner[i] == NULL)
            continue;
        if (*inner[i] != '\0') {
            goes_in = true;
            continue;
        }
        cc->fields[i] = f;
        inner[i] = NULL;
        if (is_compound(f))
            emit_plan_step(cc, OP_AT, i, 0);
        else if (first == SIZE_MAX)
            emit_plan_step(cc, take_code(f), first = i, 0);
        else
            emit_plan_step(cc, OP_COPY, i, first);
    }
    if (goes_in)
        take_class(cc, f->type, inner, depth + 1);
    else if (first == SIZE_MAX)
        skip_planned_field(cc, f, depth);
}

/* Of two fields with one name the last counts: the earlier one's slot is simply overwritten. */
static void take_class(struct compile *cc, const struct jfr_class *cls, const char *const *paths,
                       int depth)
{
    if (!may_enter(cc, cls, depth))
        return;
    for (size_t i = 0; i < cls->n_fields && !cc->failed; i++)
        take_field(cc, &cls->fields[i], paths, depth);
}

static size_t count_wanted(const struct op *ops, size_t n)
{
    while (n > 0 && ops[n - 1].code <= OP_ARRAY_BYTES)
        n--;
    return n;
}

/* How many steps an op is where varints alone are read; many if it reads something else. */
static size_t n_varint_steps(const struct op *op)
{
    if (op->code == OP_VARINTS)
        return op->n;
    return op->code >= OP_AT && op->code <= OP_64 ? 1 : SIZE_MAX;
}

/* Stores the wanted ops as steps if they read varints alone, not very many. */
static void list_varints(struct jfr_plan *plan, struct arena *arena)
{
    const struct op *end = plan->ops + plan->n_wanted;
    struct varint_step *steps;
    size_t n = 0;

    for (const struct op *op = plan->ops; op < end; n += n_varint_steps(op++))
        if (n_varint_steps(op) > STEPS_MAX - n)
            return;
    plan->steps = steps = arena_array(arena, n, sizeof(*steps));
    if (steps == NULL)
        return;
    for (const struct op *op = plan->ops; op < end; op++)
        for (n = n_varint_steps(op); n > 0; n--)
            steps[plan->n_steps++] = (struct varint_step){op->code, op->slot, (uint8_t)op->n};
}

const struct jfr_plan *jfr_plan_new(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                    const char *const *paths, size_t n)
{
    size_t total_left = INLINE_TOTAL_MAX - chunk->n_inline;
    struct arena *arena = &chunk->arena;
    struct jfr_plan *plan = arena_alloc(arena, sizeof(*plan));
    struct compile cc = {.n_wants = n,
                         .inline_max = total_left < INLINE_MAX ? total_left : INLINE_MAX};
    struct op *ops;

    if (plan == NULL || n > JFR_PLAN_WANTS_MAX)
        return NULL;
    cc.fields = arena_array(arena, n, sizeof(*cc.fields));
    if (cc.fields == NULL)
        return NULL;
    if (n == 0)
        skip_class(&cc, cls, 0);
    else
        take_class(&cc, cls, paths, 0);
    chunk->n_inline += cc.n_inline < total_left ? cc.n_inline : total_left;
    if (!buf_ok(&cc.ops))
        arena->failed = true; /* by which callers distinguish this from an unsuitable class */
    ops = cc.failed || !buf_ok(&cc.ops) ? NULL : arena_alloc(arena, cc.ops.n);
    if (ops != NULL) {
        if (cc.ops.n > 0)
            memcpy(ops, cc.ops.p, cc.ops.n);
        *plan = (struct jfr_plan){.bytes = chunk->bytes,
                                  .limit = chunk->bytes + chunk->n,
                                  .ops = ops,
                                  .n_ops = cc.ops.n / sizeof(*ops),
                                  .fields = cc.fields,
                                  .n_fields = n};
        plan->n_wanted = count_wanted(ops, plan->n_ops);
        list_varints(plan, arena);
    }
    buf_free(&cc.ops);
    return ops == NULL ? NULL : plan;
}

const struct jfr_field *jfr_plan_field(const struct jfr_plan *plan, size_t i)
{
    return i < plan->n_fields ? plan->fields[i] : NULL;
}

const struct jfr_plan *jfr_plan_for_skipping(struct jfr_chunk *chunk, const struct jfr_class *cls)
{
    if (cls->is_unknown || cls->index >= chunk->metadata.n_classes)
        return NULL;
    if (chunk->skip_plans[cls->index] == NULL)
        chunk->skip_plans[cls->index] = jfr_plan_new(chunk, cls, NULL, 0);
    return chunk->skip_plans[cls->index];
}

void jfr_plan_skip_values(struct jfr_chunk *chunk, const struct jfr_field *f, uint64_t n,
                          struct cursor *c)
{
    const struct jfr_plan *plan = f->is_pooled ? NULL : jfr_plan_for_skipping(chunk, f->type);

    if (n > cur_left(c) || (!f->is_pooled && plan == NULL))
        cur_fail(c);
    if (f->is_pooled)
        cur_skip_varints(c, cur_ok(c) ? n : 0);
    for (; plan != NULL && n > 0 && cur_ok(c); n--)
        jfr_plan_skip(plan, c);
}

void jfr_plan_skip_field(struct jfr_chunk *chunk, const struct jfr_field *f, struct cursor *c)
{
    jfr_plan_skip_values(chunk, f, f->is_array ? cur_varint(c) : 1, c);
}

const struct jfr_plan *jfr_plan_shared(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                       const char *const *paths, size_t n)
{
    const struct shared_plan **list;
    struct shared_plan *made;

    if (cls->is_unknown || cls->index >= chunk->metadata.n_classes)
        return NULL;
    list = &chunk->shared_plans[cls->index];
    for (const struct shared_plan *p = *list; p != NULL; p = p->next)
        if (p->paths == paths)
            return p->plan;
    made = arena_alloc(&chunk->arena, sizeof(*made));
    if (made == NULL)
        return NULL;
    *made = (struct shared_plan){*list, paths, jfr_plan_new(chunk, cls, paths, n)};
    *list = made;
    return made->plan;
}
