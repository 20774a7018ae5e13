/*
 * plan_run.c - runs a compiled plan over the bytes of an event. It allocates nothing. Words that it
 * loads may reach beyond the event, but not beyond the chunk, and no value is made of such bytes.
 */
#include "jfrfmt/base/string.h"
#include "jfrfmt/read/plan_internal.h"

static double real_of(struct cursor *c, bool is_double)
{
    uint64_t bits = cur_be(c, is_double ? 8 : 4);
    uint32_t half = (uint32_t)bits;
    double d;
    float f;

    if (is_double) {
        memcpy(&d, &bits, sizeof(d));
        return d;
    }
    memcpy(&f, &half, sizeof(f));
    return (double)f;
}

static uint8_t byte_of(struct cursor *c)
{
    const uint8_t *p = cur_bytes(c, 1);

    return p == NULL ? 0 : *p;
}

static void execute(const struct op *op, size_t n, struct cursor *c, union jfr_value *out);

/* The count of elements may be wrong. The loop still ends: each element has at least a byte, or the
 * array has none to step over. */
static void step_array(const struct op *op, struct cursor *c)
{
    uint64_t count = cur_varint(c), n;

    if (op->n == 0 || !cur_ok(c))
        return;
    if (count > cur_left(c) || __builtin_mul_overflow(count, (uint64_t)op->n, &n)) {
        cur_fail(c);
        return;
    }
    if (op->code == OP_ARRAY_VARINTS)
        cur_skip_varints(c, n);
    else if (op->code == OP_ARRAY_BYTES)
        cur_bytes(c, n);
    else
        for (; count > 0 && cur_ok(c); count--)
            execute(op + 1, op->n, c, NULL);
}

/* Steps that are not a varint. */
static void execute_other(const struct op *op, struct cursor *c, union jfr_value *out)
{
    switch ((enum op_code)op->code) {
    case OP_BYTES:
        cur_bytes(c, op->n);
        break;
    case OP_STRING:
        jfr_str_skip(c);
        break;
    case OP_ARRAY:
    case OP_ARRAY_VARINTS:
    case OP_ARRAY_BYTES:
        step_array(op, c);
        break;
    case OP_S8:
        out[op->slot].i = (int8_t)byte_of(c);
        break;
    case OP_U8:
        out[op->slot].i = byte_of(c);
        break;
    case OP_BOOLEAN:
        out[op->slot].i = byte_of(c) != 0;
        break;
    case OP_FLOAT:
        out[op->slot].f = real_of(c, false);
        break;
    case OP_DOUBLE:
        out[op->slot].f = real_of(c, true);
        break;
    default:
        break;
    }
}

/* A varint as its field's type has it. */
static int64_t cut_varint(uint8_t code, uint64_t v)
{
    switch ((enum op_code)code) {
    case OP_S16:
        return (int16_t)v;
    case OP_U16:
        return (uint16_t)v;
    case OP_S32:
        return (int32_t)v;
    case OP_U32:
        return (uint32_t)v;
    default:
        return (int64_t)v;
    }
}

/* Most fields are varints. Their cursor is a copy whose address no other function gets, so that the
 * compiler keeps it in registers. */
static void execute(const struct op *op, size_t n, struct cursor *c, union jfr_value *out)
{
    struct cursor at = *c, other;

    for (const struct op *end = op + n; op < end; op++) {
        switch ((enum op_code)op->code) {
        case OP_VARINTS:
            if (op->n == 1) {
                cur_varint(&at);
            } else {
                other = at;
                cur_skip_varints(&other, op->n);
                at = other;
            }
            break;
        case OP_AT:
            out[op->slot].at = at.p;
            break;
        case OP_COPY:
            out[op->slot] = out[op->n];
            break;
        case OP_S16:
        case OP_U16:
        case OP_S32:
        case OP_U32:
        case OP_64:
            out[op->slot].i = cut_varint(op->code, cur_varint(&at));
            break;
        default:
            other = at;
            execute_other(op, &other, out);
            at = other;
            if (op->code == OP_ARRAY)
                op += op->n;
            break;
        }
    }
    *c = at;
}

/*
 * Runs a plan that reads varints alone, as most events need. Eight bytes for each may be read after
 * the body, so that all are read as words and the end is compared once: events are short. Returns
 * false if there are no such bytes, if a varint has nine bytes, or if the body ends inside a value;
 * the slots of fields are undefined then.
 */
static bool run_varints(const struct jfr_plan *plan, struct cursor body, union jfr_value *out)
{
    const uint8_t *p = body.p;

    if (p < plan->bytes || body.end > plan->limit ||
        (size_t)(plan->limit - body.end) < plan->n_steps * 8)
        return false;
    for (const struct varint_step *s = plan->steps, *end = s + plan->n_steps; s < end; s++) {
        if (s->code >= OP_S16) {
            uint64_t v = 0;

            p = cur_short_varint(p, &v);
            out[s->slot].i = s->code == OP_64 ? (int64_t)v : cut_varint(s->code, v);
        } else if (s->code == OP_VARINTS) {
            p = cur_after_varint(p);
        } else if (s->code == OP_COPY) {
            out[s->slot] = out[s->from];
        } else {
            out[s->slot].at = p;
        }
        if (p == NULL)
            return false;
    }
    return p <= body.end;
}

static void clear_values(const struct jfr_plan *plan, union jfr_value *out)
{
    for (size_t i = 0; i < plan->n_fields; i++)
        out[i].i = 0;
}

int jfr_plan_run(const struct jfr_plan *plan, struct cursor body, union jfr_value *out,
                 const uint8_t **where)
{
    clear_values(plan, out);
    if (plan->steps != NULL) {
        if (run_varints(plan, body, out))
            return 0;
        clear_values(plan, out);
    }
    execute(plan->ops, plan->n_wanted, &body, out);
    if (cur_ok(&body))
        return 0;
    if (where != NULL)
        *where = body.fail;
    return JFR_E_SHORT;
}

void jfr_plan_skip(const struct jfr_plan *plan, struct cursor *c)
{
    union jfr_value unused[JFR_PLAN_WANTS_MAX];

    execute(plan->ops, plan->n_ops, c, unused);
}
