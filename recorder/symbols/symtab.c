/*
 * symtab.c - reads the function symbols of an ELF file (.symtab, .dynsym, the stubs of the PLT),
 * sorts them, and finds the function of an address.
 *
 * Of several names for one address, one with a size is preferred, then the one with the higher
 * rank of its binding, then the one with fewer underscores at its beginning.
 */
#include "recorder/symbols/symtab.h"
#include "recorder/base/radix.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <stdlib.h>
#include <string.h>

enum {
    SYMBOLS_MAX = 1 << 24,
    NAME_MAX_BYTES = 1 << 16, /* of one symbol; C++ templates are long */
    NESTED_MAX = 16, /* symbols inside of another that are stepped over */
};

/* While a table is made, the two top bits of `n` rank the symbols of one address. */
enum {
    RANK_SHIFT = 30,
    SIZE_MASK = (1 << RANK_SHIFT) - 1,
};

static bool room_for_name(struct symtab *t, size_t n)
{
    return n <= UINT32_MAX / 4 - t->names_n &&
           array_reserve(&t->names, &t->names_room, t->names_n + n, 1);
}

static bool add(struct symtab *t, uint64_t lo, uint64_t n, unsigned rank, const char *name,
                size_t name_n, const char *suffix)
{
    size_t suffix_n = strlen(suffix);

    if (lo > UINT32_MAX || name_n == 0 || name_n > NAME_MAX_BYTES || t->n >= SYMBOLS_MAX)
        return false;
    if (!array_reserve(&t->syms, &t->room, t->n + 1, sizeof(*t->syms)) ||
        !room_for_name(t, name_n + suffix_n + 1))
        return false;
    if (n > SIZE_MASK)
        n = SIZE_MASK;
    t->syms[t->n++] = (struct sym){(uint32_t)lo, (uint32_t)n | rank << RANK_SHIFT, t->names_n};
    memcpy(t->names + t->names_n, name, name_n);
    memcpy(t->names + t->names_n + name_n, suffix, suffix_n + 1);
    t->names_n += (uint32_t)(name_n + suffix_n + 1);
    return true;
}

/* A name at `at` of a string table; its length, 0 = none or not terminated. */
static size_t name_at(const struct elf_part *strings, uint64_t at)
{
    const char *p;
    size_t left, n;

    if (at >= strings->n)
        return 0;
    p = (const char *)strings->bytes + at;
    left = strings->n - at;
    n = strnlen(p, left);
    return n == left ? 0 : n;
}

static bool is_code_symbol(const struct elf *e, const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);

    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_shndx == SHN_COMMON)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    /* hand-written assembly often says nothing of its symbols but where they are */
    return type == STT_NOTYPE && s->st_shndx < e->n_sections &&
           (e->sections[s->st_shndx].sh_flags & SHF_EXECINSTR) != 0;
}

/* Markers that compilers and assemblers leave: "$x", ".L4". */
static bool is_marker(const char *name)
{
    return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static unsigned symbol_rank_of(const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info), bind = ELF64_ST_BIND(s->st_info);

    if (type == STT_NOTYPE)
        return 0;
    return bind == STB_GLOBAL ? 3 : bind == STB_WEAK ? 2 : 1;
}

static void add_all_symbols(struct symtab *t, struct elf *e, const struct elf_part *symbols,
                            const struct elf_part *strings)
{
    for (uint64_t at = 0; symbols->n - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        const char *name;
        size_t n;

        memcpy(&s, symbols->bytes + at, sizeof(s));
        if (!is_code_symbol(e, &s))
            continue;
        n = name_at(strings, s.st_name);
        name = (const char *)strings->bytes + s.st_name;
        if (n > 0 && !is_marker(name))
            add(t, s.st_value, s.st_size, symbol_rank_of(&s), name, n, "");
    }
}

static bool add_section(struct symtab *t, struct elf *e, uint32_t type)
{
    const Elf64_Shdr *s = elf_section_of_type(e, type);
    struct elf_part symbols = {0}, strings = {0};
    bool is_read = false;

    if (s == NULL || s->sh_link >= e->n_sections)
        return false;
    if (elf_section_read(e, s, &symbols) &&
        elf_section_read(e, &e->sections[s->sh_link], &strings)) {
        add_all_symbols(t, e, &symbols, &strings);
        is_read = true;
    }
    elf_part_free(&symbols);
    elf_part_free(&strings);
    return is_read;
}

bool symtab_add_symtab(struct symtab *t, struct elf *e)
{
    return add_section(t, e, SHT_SYMTAB);
}

/* A pointer of the dynamic segment; glibc relocates it in memory. */
static uint64_t unrelocated(const struct elf *e, uint64_t value)
{
    return e->is_image && value >= e->at ? value - e->at : value;
}

/* .dynsym without sections: it has no length, but the strings follow it in practice. */
static bool add_dynamic(struct symtab *t, struct elf *e)
{
    struct elf_part dynamic = {0}, symbols = {0}, strings = {0};
    uint64_t at_symbols = 0, at_strings = 0, strings_n = 0;
    bool is_read = false;

    for (uint32_t i = 0; i < e->n_segments && dynamic.bytes == NULL; i++)
        if (e->segments[i].p_type == PT_DYNAMIC)
            elf_vaddr_read(e, e->segments[i].p_vaddr, e->segments[i].p_filesz, &dynamic);
    for (uint64_t at = 0; dynamic.n - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;

        memcpy(&d, dynamic.bytes + at, sizeof(d));
        if (d.d_tag == DT_NULL)
            break;
        if (d.d_tag == DT_SYMTAB)
            at_symbols = unrelocated(e, d.d_un.d_ptr);
        if (d.d_tag == DT_STRTAB)
            at_strings = unrelocated(e, d.d_un.d_ptr);
        if (d.d_tag == DT_STRSZ)
            strings_n = d.d_un.d_val;
    }
    if (at_symbols != 0 && at_strings > at_symbols &&
        elf_vaddr_read(e, at_symbols, at_strings - at_symbols, &symbols) &&
        elf_vaddr_read(e, at_strings, strings_n, &strings)) {
        add_all_symbols(t, e, &symbols, &strings);
        is_read = true;
    }
    elf_part_free(&dynamic);
    elf_part_free(&symbols);
    elf_part_free(&strings);
    return is_read;
}

bool symtab_add_dynsym(struct symtab *t, struct elf *e)
{
    return add_section(t, e, SHT_DYNSYM) || add_dynamic(t, e);
}

/* What a linkage stub jumps through. */
struct slot {
    uint64_t got;
    uint32_t symbol;
};

static int by_got(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    return x->got < y->got ? -1 : x->got > y->got;
}

/* The relocations that fill slots with functions, sorted by slot; their number. */
static size_t read_slots(struct elf *e, struct slot **slots)
{
    size_t n = 0;

    *slots = NULL;
    for (uint32_t i = 0; i < e->n_sections; i++) {
        struct elf_part part = {0};

        if (e->sections[i].sh_type != SHT_RELA || (e->sections[i].sh_flags & SHF_ALLOC) == 0 ||
            !elf_section_read(e, &e->sections[i], &part))
            continue;
        for (uint64_t at = 0; part.n - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
            Elf64_Rela r;
            uint32_t type;

            memcpy(&r, part.bytes + at, sizeof(r));
            type = (uint32_t)ELF64_R_TYPE(r.r_info);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
                continue;
            if (!array_add(slots, n, sizeof(**slots)))
                break;
            (*slots)[n++] = (struct slot){r.r_offset, (uint32_t)ELF64_R_SYM(r.r_info)};
        }
        elf_part_free(&part);
    }
    if (n > 1)
        qsort(*slots, n, sizeof(**slots), by_got);
    return n;
}

/* x86-64: [endbr64] [bnd] jmp *slot(%rip). */
static bool decode_stub(const uint8_t *code, uint64_t vaddr, uint64_t *got)
{
    unsigned at = 0;
    int32_t rel;

    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        at = 4;
    if (code[at] == 0xf2)
        at++;
    if (code[at] != 0xff || code[at + 1] != 0x25)
        return false;
    memcpy(&rel, code + at + 2, 4);
    *got = vaddr + at + 6 + (uint64_t)(int64_t)rel;
    return true;
}

static void add_stubs(struct symtab *t, const struct elf_part *code, const struct slot *slots,
                      size_t n_slots, const struct elf_part *symbols,
                      const struct elf_part *strings)
{
    for (uint64_t at = 0; code->n - at >= 16 || (at < code->n && code->n - at >= 8);) {
        uint8_t bytes[16] = {0};
        const struct slot *found;
        struct slot key;
        Elf64_Sym s;
        size_t n;

        memcpy(bytes, code->bytes + at, code->n - at < 16 ? code->n - at : 16);
        if (!decode_stub(bytes, code->vaddr + at, &key.got)) {
            at += 8;
            continue;
        }
        found = bsearch(&key, slots, n_slots, sizeof(*slots), by_got);
        if (found != NULL && (found->symbol + (uint64_t)1) * sizeof(s) <= symbols->n) {
            memcpy(&s, symbols->bytes + found->symbol * sizeof(s), sizeof(s));
            n = name_at(strings, s.st_name);
            if (n > 0)
                add(t, code->vaddr + at, bytes[6] == 0x66 ? 8 : 16, 1,
                    (const char *)strings->bytes + s.st_name, n, "@plt");
        }
        at += 8;
    }
}

void symtab_add_plt(struct symtab *t, struct elf *e)
{
    static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
    const Elf64_Shdr *dynsym = elf_section_of_type(e, SHT_DYNSYM);
    struct elf_part symbols = {0}, strings = {0};
    struct slot *slots = NULL;
    size_t n_slots;

    if (e->head.e_machine != EM_X86_64 || dynsym == NULL || dynsym->sh_link >= e->n_sections)
        return;
    n_slots = read_slots(e, &slots);
    if (n_slots > 0 && elf_section_read(e, dynsym, &symbols) &&
        elf_section_read(e, &e->sections[dynsym->sh_link], &strings)) {
        for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
            const Elf64_Shdr *s = elf_section(e, sections[i]);
            struct elf_part code = {0};

            if (s != NULL && elf_section_read(e, s, &code))
                add_stubs(t, &code, slots, n_slots, &symbols, &strings);
            elf_part_free(&code);
        }
    }
    free(slots);
    elf_part_free(&symbols);
    elf_part_free(&strings);
}

static unsigned underscores(const char *name)
{
    return (unsigned)strspn(name, "_");
}

/* Of two symbols at one address: one with a size, by rank, "malloc" rather than "__libc_malloc". */
static bool is_better(const struct symtab *t, const struct sym *x, const struct sym *y)
{
    uint32_t x_n = x->n & SIZE_MASK, y_n = y->n & SIZE_MASK;

    if ((x_n == 0) != (y_n == 0))
        return y_n == 0;
    if (x->n >> RANK_SHIFT != y->n >> RANK_SHIFT)
        return x->n >> RANK_SHIFT > y->n >> RANK_SHIFT;
    return underscores(t->names + x->name) < underscores(t->names + y->name);
}

void symtab_finish(struct symtab *t)
{
    uint32_t kept = 0;
    struct sym *shrunk;
    char *names;

    if (!radix_sort(t->syms, t->n, sizeof(*t->syms), sizeof(t->syms->lo)))
        t->n = 0; /* unsorted, they cannot be searched */
    for (uint32_t i = 0; i < t->n; i++) {
        if (kept == 0 || t->syms[kept - 1].lo != t->syms[i].lo)
            t->syms[kept++] = t->syms[i];
        else if (is_better(t, &t->syms[i], &t->syms[kept - 1]))
            t->syms[kept - 1] = t->syms[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        t->syms[i].n &= SIZE_MASK;
    t->n = kept;
    if (kept == 0)
        return;
    shrunk = realloc(t->syms, kept * sizeof(*shrunk));
    if (shrunk != NULL) {
        t->syms = shrunk;
        t->room = kept;
    }
    names = realloc(t->names, t->names_n);
    if (names != NULL) {
        t->names = names;
        t->names_room = t->names_n;
    }
}

const struct sym *symtab_find(const struct symtab *t, uint64_t vaddr)
{
    size_t behind = SORTED_FIRST(t->n, i, t->syms[i].lo > vaddr);

    for (size_t i = behind, steps = 0; i > 0 && steps < NESTED_MAX; i--, steps++) {
        const struct sym *s = &t->syms[i - 1];
        if (vaddr - s->lo < s->n || (s->n == 0 && steps == 0))
            return s;
    }
    return NULL;
}

uint64_t symtab_bytes(const struct symtab *t)
{
    return (uint64_t)t->room * sizeof(*t->syms) + t->names_room;
}

void symtab_free(struct symtab *t)
{
    free(t->syms);
    free(t->names);
    *t = (struct symtab){0};
}
