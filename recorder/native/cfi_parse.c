/*
 * cfi_parse.c - reads the call frame information of .eh_frame: its entries, and the rules of each.
 *
 * An entry (FDE) covers a function and refers to a description (CIE) that many functions share,
 * which is read again only if the next function has another one. cfi_program.c runs the
 * instructions of an entry. The bytes may be damaged: each length and pointer is checked against
 * the section.
 */
#include "recorder/native/cfi_parse.h"
#include "recorder/native/cfi_arch.h"
#include "recorder/native/cfi_parse_internal.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    FUNCTIONS_MAX = 1 << 24,

    DW_EH_PE_omit = 0xff,
    DW_EH_PE_pcrel = 0x10,
    DW_EH_PE_indirect = 0x80,
};

uint64_t cfi_little(struct cursor *c, unsigned n)
{
    const uint8_t *p = cur_bytes(c, n);
    uint64_t v = 0;

    for (unsigned i = 0; p != NULL && i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint64_t cfi_leb_long(struct cursor *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *p = cur_bytes(c, 1);
        if (p == NULL)
            return 0;
        if (shift < 64)
            v |= (uint64_t)(*p & 0x7f) << shift;
        if (*p < 0x80)
            return v;
    }
}

int64_t cfi_sleb(struct cursor *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *p = cur_bytes(c, 1);
        if (p == NULL)
            return 0;
        if (shift < 64)
            v |= (uint64_t)(*p & 0x7f) << shift;
        if (*p < 0x80) {
            if ((*p & 0x40) != 0 && shift + 7 < 64)
                v |= ~(uint64_t)0 << (shift + 7);
            return (int64_t)v;
        }
    }
}

/* A pointer as `encoding` says; relative ones are relative to where they stand. */
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, unsigned encoding)
{
    uint64_t at = s->vaddr + (uint64_t)(c->p - s->bytes), v;

    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        v = cfi_little(c, 8);
        break;
    case 0x01:
        v = cfi_leb(c);
        break;
    case 0x09:
        v = (uint64_t)cfi_sleb(c);
        break;
    case 0x02:
        v = cfi_little(c, 2);
        break;
    case 0x0a:
        v = (uint64_t)(int64_t)(int16_t)cfi_little(c, 2);
        break;
    case 0x03:
        v = cfi_little(c, 4);
        break;
    case 0x0b:
        v = (uint64_t)(int64_t)(int32_t)cfi_little(c, 4);
        break;
    default:
        cur_fail(c);
        return 0;
    }
    if ((encoding & DW_EH_PE_indirect) != 0 ||
        ((encoding & 0x70) != 0 && (encoding & 0x70) != 0x10))
        cur_fail(c);
    return (encoding & 0x70) == DW_EH_PE_pcrel ? v + at : v;
}

/* Steps into the record at `offset`: *body is what follows its length. False: the end. */
static bool record_at(const struct cfi_section *s, uint64_t offset, struct cursor *body,
                      unsigned *id_n)
{
    struct cursor c;
    uint64_t n;
    const uint8_t *p;

    if (offset >= s->n)
        return false;
    c = cur_over(s->bytes + offset, s->n - offset);
    n = cfi_little(&c, 4);
    *id_n = 4;
    if (n == UINT32_MAX) {
        n = cfi_little(&c, 8);
        *id_n = 4; /* .eh_frame keeps four bytes, unlike .debug_frame */
    }
    if (n == 0 || !cur_ok(&c))
        return false;
    p = cur_bytes(&c, n);
    if (p == NULL)
        return false;
    *body = cur_over(p, n);
    return true;
}

static bool read_augmentation(const struct cfi_section *s, struct cursor *c, const char *text,
                              size_t text_n, struct cfi_cie *cie)
{
    struct cursor data = {0};

    for (size_t i = 0; i < text_n && cur_ok(c); i++)
        switch (text[i]) {
        case 'z': {
            uint64_t n = cfi_leb(c);
            const uint8_t *p = cur_bytes(c, n);
            if (i != 0 || p == NULL)
                return false;
            data = cur_over(p, n);
            cie->has_data = true;
            break;
        }
        case 'R':
            cie->pointers = cfi_byte(&data);
            break;
        case 'P': {
            unsigned encoding = cfi_byte(&data);
            if (encoding != DW_EH_PE_omit)
                cfi_pointer(s, &data, encoding & 0x1f);
            break;
        }
        case 'L':
            cfi_byte(&data);
            break;
        case 'S':
            cie->is_signal = true;
            break;
        case 'B': /* aarch64: return addresses signed with the B key */
            break;
        default:
            return cie->has_data; /* its data can be stepped over */
        }
    return cur_ok(c) && cur_ok(&data);
}

bool cfi_read_cie(const struct cfi_section *s, uint64_t offset, struct cfi_cie *cie)
{
    struct cursor c;
    unsigned id_n, version;
    const char *text;
    size_t text_n;

    if (!record_at(s, offset, &c, &id_n) || cfi_little(&c, id_n) != 0)
        return false;
    *cie = (struct cfi_cie){0};
    version = cfi_byte(&c);
    if (version != 1 && version != 3 && version != 4)
        return false;
    text = (const char *)c.p;
    text_n = strnlen(text, cur_left(&c));
    if (cur_bytes(&c, text_n + (uint64_t)1) == NULL)
        return false;
    if (version == 4)
        cfi_little(&c, 2); /* address and segment sizes */
    cie->code_align = cfi_leb(&c);
    cie->data_align = cfi_sleb(&c);
    cie->ra_reg = version == 1 ? cfi_byte(&c) : cfi_leb(&c);
    if (!cur_ok(&c) || !read_augmentation(s, &c, text, text_n, cie))
        return false;
    cie->program = c;
    return true;
}

/* Thousands of functions share a common part: it is read when another one comes. */
struct last_cie {
    uint64_t at;
    bool is_usable;
    struct cfi_cie cie;
};

static bool read_fde(const struct cfi_section *s, struct cursor c, unsigned id_n, uint64_t id,
                     struct cfi_function *f, struct last_cie *last)
{
    /* the id is a distance back, from itself */
    uint64_t id_at = (uint64_t)(c.p - s->bytes) - id_n;

    if (id > id_at)
        return false;
    if (last->at != id_at - id) {
        last->at = id_at - id;
        last->is_usable = cfi_read_cie(s, last->at, &last->cie) && last->cie.ra_reg == CFI_REG_RA;
    }
    if (!last->is_usable)
        return false;
    f->cie = (uint32_t)last->at;
    f->lo = cfi_pointer(s, &c, last->cie.pointers);
    f->hi = f->lo + cfi_pointer(s, &c, last->cie.pointers & 0x0f);
    if (last->cie.has_data)
        cur_bytes(&c, cfi_leb(&c));
    f->program = (uint32_t)(c.p - s->bytes);
    f->program_n = (uint32_t)cur_left(&c);
    return cur_ok(&c) && f->lo < f->hi;
}

/* The record at an offset: a description, or what several have in common. */
static bool read_record(const struct cfi_section *s, uint64_t at, struct cursor body, unsigned id_n,
                        struct cfi_function *f, struct last_cie *last, bool *is_common)
{
    uint64_t id = cfi_little(&body, id_n);

    *is_common = id == 0;
    f->at = (uint32_t)at;
    return cur_ok(&body) && id != 0 && read_fde(s, body, id_n, id, f, last);
}

bool cfi_parse_function(const struct cfi_section *s, uint32_t offset, struct cfi_function *f)
{
    struct last_cie last = {.at = UINT64_MAX};
    struct cursor body;
    unsigned id_n;
    bool is_common;

    return record_at(s, offset, &body, &id_n) &&
           read_record(s, offset, body, id_n, f, &last, &is_common);
}

bool cfi_parse_functions(const struct cfi_section *s, struct cfi_function **functions, uint32_t *n,
                         uint64_t *skipped)
{
    struct last_cie last = {.at = UINT64_MAX};
    struct cursor body;
    unsigned id_n;

    *functions = NULL;
    *n = 0;
    if (s->n > UINT32_MAX)
        return true;
    for (uint64_t at = 0; record_at(s, at, &body, &id_n) && *n < FUNCTIONS_MAX;
         at = (uint64_t)(body.end - s->bytes)) {
        struct cfi_function f;
        bool is_common;

        if (!read_record(s, at, body, id_n, &f, &last, &is_common)) {
            *skipped += !is_common;
            continue;
        }
        if (!array_add(functions, *n, sizeof(**functions))) {
            free(*functions);
            *functions = NULL;
            *n = 0;
            return false;
        }
        (*functions)[(*n)++] = f;
    }
    return true;
}
