/*
 * cfi_program.c - runs the DWARF instructions of a function: where its caller's registers are.
 *
 * Output: a row for each address at which the rules change. The bytes may be damaged.
 */
#include "recorder/native/cfi_arch.h"
#include "recorder/native/cfi_parse_internal.h"

#include <string.h>

enum {
    STATES_MAX = 32, /* DW_CFA_remember_state that are not restored yet */
    EXPRESSION_MAX = 4096,
};

/* Instructions and operators, by their names in DWARF. */
enum {
    DW_CFA_advance_loc = 1, /* the two top bits */
    DW_CFA_offset = 2,
    DW_CFA_restore = 3,
    DW_CFA_nop = 0x00,
    DW_CFA_set_loc = 0x01,
    DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d,
    DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12,
    DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15,
    DW_CFA_val_expression = 0x16,
    DW_CFA_GNU_window_save = 0x2d, /* aarch64: toggles the signing of return addresses */
    DW_CFA_GNU_args_size = 0x2e,
    DW_CFA_GNU_negative_offset_extended = 0x2f,

    DW_OP_deref = 0x06,
    DW_OP_plus_uconst = 0x23,
    DW_OP_breg0 = 0x70,
    DW_OP_bregx = 0x92,
};

struct machine {
    struct cfi_state now, initial, stack[STATES_MAX];
    unsigned depth;
    uint64_t loc;
    const struct cfi_cie *cie;
    bool is_damaged;
};

/* Only offsets that fit are kept; the rest is damage or a frame of gigabytes. */
static bool fits_int32(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

static int64_t scaled_offset(int64_t v, const struct machine *m)
{
    return __builtin_mul_overflow(v, m->cie->data_align, &v) ? INT64_MAX : v;
}

/* Finds where a rule keeps the place of a register. Returns false if that register is not tracked.
 */
static bool place_of_register(struct cfi_rule *r, uint64_t reg, uint8_t **how, uint8_t **by,
                              int32_t **offset)
{
    switch (reg) {
    case CFI_REG_FP:
        *how = &r->fp, *by = &r->fp_reg, *offset = &r->fp_offset;
        return true;
    case CFI_REG_RA:
        *how = &r->ra, *by = &r->ra_reg, *offset = &r->ra_offset;
        return true;
    case CFI_REG_BASE:
        *how = &r->base, *by = &r->base_reg, *offset = &r->base_offset;
        return true;
    default:
        return false;
    }
}

static void set_saved(struct cfi_state *st, uint64_t reg, enum cfi_saved how, uint64_t by,
                      int64_t v)
{
    uint8_t *to_how, *to_by;
    int32_t *to_offset;

    if (!place_of_register(&st->rule, reg, &to_how, &to_by, &to_offset))
        return;
    if (!fits_int32(v) || by > 255)
        how = CFI_LOST;
    *to_how = (uint8_t)how;
    *to_by = how == CFI_AT_REG ? (uint8_t)by : 0;
    *to_offset = how == CFI_AT_CFA || how == CFI_AT_REG || how == CFI_IS_CFA ? (int32_t)v : 0;
}

static void restore(struct machine *m, uint64_t reg)
{
    uint8_t *how, *by;
    int32_t *offset;

    if (place_of_register(&m->initial.rule, reg, &how, &by, &offset))
        set_saved(&m->now, reg, *how, *by, *offset);
}

static void set_none(struct cfi_rule *r, enum cfi_none why)
{
    r->cfa = CFI_CFA_NONE;
    r->cfa_reg = (uint8_t)why;
    r->cfa_offset = r->add = 0;
}

static void set_cfa(struct cfi_rule *r, enum cfi_cfa how, uint64_t reg, int64_t offset, int64_t add)
{
    if (reg >= CFI_N_REGS || !fits_int32(offset) || !fits_int32(add)) {
        set_none(r, CFI_NONE_REGISTER);
        return;
    }
    r->cfa = (uint8_t)how;
    r->cfa_reg = (uint8_t)reg;
    r->cfa_offset = (int32_t)offset;
    r->add = (int32_t)add;
}

/* register + offset at the start of an expression */
static bool read_base(struct cursor *c, uint64_t *reg, int64_t *offset)
{
    unsigned op = cfi_byte(c);

    if (op >= DW_OP_breg0 && op < DW_OP_breg0 + 32)
        *reg = op - DW_OP_breg0;
    else if (op == DW_OP_bregx)
        *reg = cfi_leb(c);
    else
        return false;
    *offset = cfi_sleb(c);
    return cur_ok(c);
}

/* sp + 8 + ((pc & 15) >= N) * 8, as linkers write it for linkage stubs */
static bool is_plt(struct cursor c, int64_t *threshold)
{
    static const uint8_t before[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
    static const uint8_t after[] = {0x2a, 0x33, 0x24, 0x22};

    if (cur_left(&c) != sizeof(before) + 1 + sizeof(after) ||
        memcmp(c.p, before, sizeof(before)) != 0 ||
        memcmp(c.p + sizeof(before) + 1, after, sizeof(after)) != 0 || c.p[sizeof(before)] < 0x30 ||
        c.p[sizeof(before)] > 0x3f)
        return false;
    *threshold = c.p[sizeof(before)] - 0x30;
    return CFI_REG_SP == 7;
}

static void cfa_expression(struct cfi_rule *r, struct cursor c)
{
    uint64_t reg;
    int64_t offset, add = 0;

    if (is_plt(c, &add)) {
        set_cfa(r, CFI_CFA_PLT, CFI_REG_SP, 8, add);
        return;
    }
    if (read_base(&c, &reg, &offset)) {
        if (cur_left(&c) == 0) {
            set_cfa(r, CFI_CFA_REG, reg, offset, 0);
            return;
        }
        if (cfi_byte(&c) == DW_OP_deref) {
            if (cur_left(&c) > 0 && cfi_byte(&c) == DW_OP_plus_uconst)
                add = (int64_t)cfi_leb(&c);
            if (cur_left(&c) == 0 && cur_ok(&c)) {
                set_cfa(r, CFI_CFA_DEREF, reg, offset, add);
                return;
            }
        }
    }
    set_none(r, CFI_NONE_EXPRESSION);
}

static void saved_expression(struct cfi_state *st, uint64_t reg, struct cursor c)
{
    uint64_t base;
    int64_t offset;

    if (read_base(&c, &base, &offset) && cur_left(&c) == 0)
        set_saved(st, reg, CFI_AT_REG, base, offset);
    else
        set_saved(st, reg, CFI_LOST, 0, 0);
}

static struct cursor block(struct cursor *c)
{
    uint64_t n = cfi_leb(c);
    const uint8_t *p = cur_bytes(c, n);

    return p == NULL || n > EXPRESSION_MAX ? (struct cursor){0} : cur_over(p, n);
}

/* How far an instruction advances; 0 for those that do not. */
static uint64_t advance(struct machine *m, const struct cfi_section *s, struct cursor *c,
                        unsigned op)
{
    if (op >> 6 == DW_CFA_advance_loc)
        return (op & 63) * m->cie->code_align;
    switch (op) {
    case DW_CFA_set_loc: {
        uint64_t to = cfi_pointer(s, c, m->cie->pointers);
        return cur_ok(c) && to > m->loc ? to - m->loc : 0;
    }
    case DW_CFA_advance_loc1:
        return cfi_byte(c) * m->cie->code_align;
    case DW_CFA_advance_loc2:
        return cfi_little(c, 2) * m->cie->code_align;
    default:
        return cfi_little(c, 4) * m->cie->code_align;
    }
}

static bool is_advance(unsigned op)
{
    return op >> 6 == DW_CFA_advance_loc || (op >= DW_CFA_set_loc && op <= DW_CFA_advance_loc4);
}

static void remember_state(struct machine *m, unsigned op)
{
    if (op == DW_CFA_remember_state && m->depth < STATES_MAX)
        m->stack[m->depth++] = m->now;
    else if (op == DW_CFA_restore_state && m->depth > 0)
        m->now = m->stack[--m->depth];
    else
        m->is_damaged = true;
}

/* Instructions that say where a register is. */
static void set_register(struct machine *m, struct cursor *c, unsigned op)
{
    uint64_t reg = cfi_leb(c);

    switch (op) {
    case DW_CFA_offset_extended:
        set_saved(&m->now, reg, CFI_AT_CFA, 0, scaled_offset((int64_t)cfi_leb(c), m));
        break;
    case DW_CFA_offset_extended_sf:
        set_saved(&m->now, reg, CFI_AT_CFA, 0, scaled_offset(cfi_sleb(c), m));
        break;
    case DW_CFA_GNU_negative_offset_extended:
        set_saved(&m->now, reg, CFI_AT_CFA, 0,
                  scaled_offset(-(int64_t)(cfi_leb(c) & INT64_MAX), m));
        break;
    case DW_CFA_restore_extended:
        restore(m, reg);
        break;
    case DW_CFA_undefined:
    case DW_CFA_register:
        if (op == DW_CFA_register)
            cfi_leb(c);
        set_saved(&m->now, reg, CFI_LOST, 0, 0);
        if (reg == CFI_REG_RA && op == DW_CFA_register)
            m->now.has_bad_ra = true;
        break;
    case DW_CFA_same_value:
        set_saved(&m->now, reg, CFI_SAME, 0, 0);
        break;
    case DW_CFA_val_offset:
        set_saved(&m->now, reg, CFI_IS_CFA, 0, scaled_offset((int64_t)cfi_leb(c), m));
        break;
    case DW_CFA_val_offset_sf:
        set_saved(&m->now, reg, CFI_IS_CFA, 0, scaled_offset(cfi_sleb(c), m));
        break;
    case DW_CFA_expression:
        saved_expression(&m->now, reg, block(c));
        break;
    case DW_CFA_val_expression:
        block(c);
        set_saved(&m->now, reg, CFI_LOST, 0, 0);
        if (reg == CFI_REG_RA)
            m->now.has_bad_ra = true;
        break;
    default:
        m->is_damaged = true;
    }
}

static void define_cfa(struct machine *m, struct cursor *c, unsigned op)
{
    struct cfi_rule *r = &m->now.rule;
    uint64_t reg = r->cfa_reg;

    switch (op) {
    case DW_CFA_def_cfa:
        reg = cfi_leb(c);
        set_cfa(r, CFI_CFA_REG, reg, (int64_t)cfi_leb(c), 0);
        break;
    case DW_CFA_def_cfa_sf:
        reg = cfi_leb(c);
        set_cfa(r, CFI_CFA_REG, reg, scaled_offset(cfi_sleb(c), m), 0);
        break;
    case DW_CFA_def_cfa_register:
        set_cfa(r, CFI_CFA_REG, cfi_leb(c), r->cfa_offset, 0);
        break;
    case DW_CFA_def_cfa_offset:
        set_cfa(r, CFI_CFA_REG, reg, (int64_t)cfi_leb(c), 0);
        break;
    case DW_CFA_def_cfa_offset_sf:
        set_cfa(r, CFI_CFA_REG, reg, scaled_offset(cfi_sleb(c), m), 0);
        break;
    default:
        cfa_expression(r, block(c));
    }
}

static void execute_cfi(struct machine *m, struct cursor *c, unsigned op)
{
    if (op >> 6 == DW_CFA_offset) {
        set_saved(&m->now, op & 63, CFI_AT_CFA, 0, scaled_offset((int64_t)cfi_leb(c), m));
    } else if (op >> 6 == DW_CFA_restore) {
        restore(m, op & 63);
    } else if (op == DW_CFA_nop || op == DW_CFA_GNU_window_save) {
        ;
    } else if (op == DW_CFA_GNU_args_size) {
        cfi_leb(c);
    } else if (op == DW_CFA_remember_state || op == DW_CFA_restore_state) {
        remember_state(m, op);
    } else if ((op >= DW_CFA_def_cfa && op <= DW_CFA_def_cfa_expression) ||
               op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_offset_sf) {
        define_cfa(m, c, op);
    } else {
        set_register(m, c, op);
    }
}

/* The state as a rule that a table keeps; `made` when it is not the state itself, which it nearly
 * always is: copying what was just written byte by byte is slow. */
static const struct cfi_rule *finished(const struct machine *m, struct cfi_rule *made)
{
    const struct cfi_rule *r = &m->now.rule;

    *made = (struct cfi_rule){.cfa = CFI_CFA_NONE, .is_signal = r->is_signal};
    if (m->is_damaged)
        made->cfa_reg = CFI_NONE_DAMAGED;
    else if (m->now.has_bad_ra || r->ra == CFI_IS_CFA)
        made->cfa_reg = CFI_NONE_REGISTER;
    else if (r->ra == CFI_LOST)
        made->cfa = CFI_CFA_END;
    else if (r->cfa == CFI_CFA_NONE)
        made->cfa_reg = r->cfa_reg;
    else
        return r;
    return made;
}

/* Runs a program, up to the end of the function; row NULL: the common one, which goes nowhere. */
static void run(struct machine *m, const struct cfi_section *s, struct cursor c, uint64_t hi,
                void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg)
{
    while (cur_left(&c) > 0 && m->loc < hi) {
        unsigned op = cfi_byte(&c);
        struct cfi_rule made;
        uint64_t by;

        if (!is_advance(op)) {
            execute_cfi(m, &c, op);
            continue;
        }
        by = advance(m, s, &c, op);
        if (by == 0 || row == NULL)
            continue;
        row(arg, m->loc, finished(m, &made));
        m->loc += by < hi - m->loc ? by : hi - m->loc;
    }
    m->is_damaged = m->is_damaged || !cur_ok(&c);
}

static void begin(struct machine *m, const struct cfi_common *common)
{
    m->depth = 0;
    m->loc = 0;
    m->cie = &common->cie;
    m->now = m->initial = common->state;
    m->is_damaged = common->is_damaged;
}

static void read_common(const struct cfi_section *s, uint64_t at, struct cfi_common *common)
{
    struct machine m;

    *common = (struct cfi_common){.at = at};
    common->is_usable = cfi_read_cie(s, at, &common->cie);
    common->state.rule.ra = CFI_SAME;
    common->state.rule.is_signal = common->cie.is_signal;
    set_none(&common->state.rule, CFI_NONE_DAMAGED);
    begin(&m, common);
    if (common->is_usable)
        run(&m, s, common->cie.program, UINT64_MAX, NULL, NULL);
    common->state = m.now;
    common->is_damaged = m.is_damaged;
}

void cfi_parse_rows(const struct cfi_section *s, const struct cfi_function *f,
                    struct cfi_common *common,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg)
{
    struct machine m; /* its stack is read where it was written only */
    struct cfi_rule made;

    if (common->at != f->cie)
        read_common(s, f->cie, common);
    if (!common->is_usable)
        return;
    begin(&m, common);
    m.loc = f->lo;
    run(&m, s, cur_over(s->bytes + f->program, f->program_n), f->hi, row, arg);
    if (m.loc < f->hi)
        row(arg, m.loc, finished(&m, &made));
}
