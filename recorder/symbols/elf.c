/*
 * elf.c - finds the parts of an ELF file, or of its image in memory, with every offset checked.
 *
 * native/ and symbols/ call it when a library is found: for unwind tables, symbols, build ids. An
 * image in memory is read through /proc/self/mem, so that a library that is unloaded meanwhile is a
 * failed read. Nothing is cached here.
 */
#include "recorder/symbols/elf.h"
#include "recorder/base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEGMENTS_MAX = 256,
    SECTIONS_MAX = 65536,
    PART_MAX = 1 << 30, /* no section we read is larger in honest files */
    NOTES_MAX = 1 << 16,
};

static bool fail(struct elf *e, const char *why, uint64_t where)
{
    e->why = why;
    e->where = where;
    return false;
}

/* Copies n bytes at a file offset. */
static bool elf_read(struct elf *e, uint64_t offset, void *to, uint64_t n)
{
    uint8_t *p = to;

    if (offset > e->n || n > e->n - offset)
        return fail(e, "ends too early", offset);
    if (e->fd < 0) {
        if (n > 0)
            memcpy(to, e->mem + offset, n);
        return true;
    }
    while (n > 0) {
        ssize_t got = pread(e->fd, p, n, (off_t)(e->at + offset));
        if (got <= 0)
            return fail(e, "cannot be read", offset);
        p += got;
        offset += (uint64_t)got;
        n -= (uint64_t)got;
    }
    return true;
}

/* A table of n items of `size` bytes; NULL when it does not fit. */
static void *read_table(struct elf *e, uint64_t offset, uint64_t n, uint64_t size)
{
    void *table;

    if (offset > e->n || n > (e->n - offset) / size) {
        fail(e, "table is cut off", offset);
        return NULL;
    }
    table = malloc(n * size + 1);
    if (table == NULL) {
        fail(e, "out of memory", offset);
        return NULL;
    }
    if (!elf_read(e, offset, table, n * size)) {
        free(table);
        return NULL;
    }
    return table;
}

static void read_sections(struct elf *e)
{
    Elf64_Shdr first;
    uint64_t n = e->head.e_shnum;
    uint32_t names = e->head.e_shstrndx;

    if (e->is_image || e->head.e_shoff == 0 || e->head.e_shentsize != sizeof(Elf64_Shdr) ||
        !elf_read(e, e->head.e_shoff, &first, sizeof(first)))
        return;
    if (n == 0)
        n = first.sh_size;
    if (names == SHN_XINDEX)
        names = first.sh_link;
    if (n == 0 || n > SECTIONS_MAX || names >= n)
        return;
    e->sections = read_table(e, e->head.e_shoff, n, sizeof(Elf64_Shdr));
    if (e->sections == NULL)
        return;
    e->n_sections = (uint32_t)n;
    e->names_n = e->sections[names].sh_size;
    e->names = read_table(e, e->sections[names].sh_offset, e->names_n, 1);
    if (e->names == NULL)
        e->names_n = 0;
    else
        e->names[e->names_n] = 0;
}

static bool read_head(struct elf *e)
{
    static const int one = 1;
    const uint8_t order = *(const char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Ehdr *h = &e->head;

    if (!elf_read(e, 0, h, sizeof(*h)))
        return false;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return fail(e, "not an ELF file", 0);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != order)
        return fail(e, "not of this machine", EI_CLASS);
    if (h->e_phnum > SEGMENTS_MAX)
        return fail(e, "too many segments", offsetof(Elf64_Ehdr, e_phnum));
    if (h->e_phnum > 0) {
        if (h->e_phentsize != sizeof(Elf64_Phdr))
            return fail(e, "segments of unknown size", offsetof(Elf64_Ehdr, e_phentsize));
        e->segments = read_table(e, h->e_phoff, h->e_phnum, sizeof(Elf64_Phdr));
        if (e->segments == NULL)
            return false;
        e->n_segments = h->e_phnum;
    }
    read_sections(e);
    e->why = NULL; /* a file without good sections is still of use */
    return true;
}

bool elf_open_fd(struct elf *e, int fd)
{
    struct stat st;

    *e = (struct elf){.fd = fd};
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
        return fail(e, "not a regular file", 0);
    e->n = (uint64_t)st.st_size;
    return read_head(e);
}

bool elf_open_mem(struct elf *e, const void *bytes, uint64_t n)
{
    *e = (struct elf){.fd = -1, .mem = bytes, .n = n};
    return read_head(e);
}

bool elf_open_image(struct elf *e, int self_mem, uintptr_t address, uint64_t n)
{
    *e = (struct elf){.fd = self_mem, .at = address, .n = n, .is_image = true};
    return self_mem >= 0 ? read_head(e) : fail(e, "memory of the process cannot be read", 0);
}

void elf_close(struct elf *e)
{
    free(e->segments);
    free(e->sections);
    free(e->names);
    e->segments = NULL;
    e->sections = NULL;
    e->names = NULL;
    e->n_segments = e->n_sections = 0;
    e->names_n = 0;
}

const Elf64_Shdr *elf_section(const struct elf *e, const char *name)
{
    for (uint32_t i = 0; i < e->n_sections; i++) {
        const Elf64_Shdr *s = &e->sections[i];
        if (s->sh_name < e->names_n && strcmp(e->names + s->sh_name, name) == 0)
            return s;
    }
    return NULL;
}

const Elf64_Shdr *elf_section_of_type(const struct elf *e, uint32_t type)
{
    for (uint32_t i = 0; i < e->n_sections; i++)
        if (e->sections[i].sh_type == type)
            return &e->sections[i];
    return NULL;
}

bool elf_part_new(struct elf_part *part, uint64_t n)
{
    part->bytes = pages_take(n + 1);
    part->n = part->bytes == NULL ? 0 : n;
    return part->bytes != NULL;
}

static bool read_part(struct elf *e, uint64_t offset, uint64_t n, struct elf_part *part)
{
    if (n > PART_MAX)
        return fail(e, "part is too large", offset);
    if (offset > e->n || n > e->n - offset)
        return fail(e, "part is cut off", offset);
    if (!elf_part_new(part, n))
        return fail(e, "out of memory", offset);
    if (elf_read(e, offset, part->bytes, n))
        return true;
    elf_part_free(part);
    return false;
}

bool elf_section_read(struct elf *e, const Elf64_Shdr *section, struct elf_part *part)
{
    *part = (struct elf_part){.vaddr = section->sh_addr};
    if (section->sh_type == SHT_NOBITS || (section->sh_flags & SHF_COMPRESSED) != 0)
        return fail(e, "section has no plain bytes", section->sh_offset);
    return read_part(e, section->sh_offset, section->sh_size, part);
}

/* In an image, offsets count from the first loaded segment. */
static uint64_t first_vaddr(const struct elf *e)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < e->n_segments; i++)
        if (e->segments[i].p_type == PT_LOAD && e->segments[i].p_vaddr < first)
            first = e->segments[i].p_vaddr;
    return first == UINT64_MAX ? 0 : first & ~(uint64_t)4095;
}

bool elf_vaddr_read(struct elf *e, uint64_t vaddr, uint64_t n, struct elf_part *part)
{
    *part = (struct elf_part){.vaddr = vaddr};
    for (uint32_t i = 0; i < e->n_segments; i++) {
        const Elf64_Phdr *s = &e->segments[i];
        uint64_t into = vaddr - s->p_vaddr;

        if (s->p_type != PT_LOAD || vaddr < s->p_vaddr || into >= s->p_filesz)
            continue;
        if (n > s->p_filesz - into)
            n = s->p_filesz - into;
        if (e->is_image)
            return read_part(e, vaddr - first_vaddr(e), n, part);
        if (s->p_offset > e->n)
            break;
        return read_part(e, s->p_offset + into, n, part);
    }
    return fail(e, "address is in no segment", vaddr);
}

bool elf_eh_frame(struct elf *e, struct elf_part *part)
{
    const Elf64_Shdr *s = elf_section(e, ".eh_frame");

    *part = (struct elf_part){0};
    if (s != NULL && s->sh_type != SHT_NOBITS)
        return elf_section_read(e, s, part);
    for (uint32_t i = 0; i < e->n_segments; i++) {
        const Elf64_Phdr *p = &e->segments[i];
        struct elf_part head;
        int32_t rel = 0;
        bool is_known;

        if (p->p_type != PT_GNU_EH_FRAME)
            continue;
        if (!elf_vaddr_read(e, p->p_vaddr, 8, &head))
            return false;
        /* version 1; the pointer is 4 signed bytes, relative to itself */
        is_known = head.n == 8 && head.bytes[0] == 1 && head.bytes[1] == 0x1b;
        if (is_known)
            memcpy(&rel, head.bytes + 4, 4);
        elf_part_free(&head);
        if (!is_known)
            return fail(e, "unknown .eh_frame_hdr", p->p_vaddr);
        return elf_vaddr_read(e, p->p_vaddr + 4 + (uint64_t)(int64_t)rel, PART_MAX, part);
    }
    return fail(e, "no .eh_frame", 0);
}

bool elf_eh_frame_hdr(struct elf *e, struct elf_part *part)
{
    *part = (struct elf_part){0};
    for (uint32_t i = 0; i < e->n_segments; i++)
        if (e->segments[i].p_type == PT_GNU_EH_FRAME)
            return elf_vaddr_read(e, e->segments[i].p_vaddr, e->segments[i].p_filesz, part);
    return fail(e, "no .eh_frame_hdr", 0);
}

static size_t find_build_id(const struct elf_part *notes, uint8_t id[64])
{
    Elf64_Nhdr note;

    for (uint64_t at = 0; notes->n - at >= sizeof(note);) {
        uint64_t name, desc;

        memcpy(&note, notes->bytes + at, sizeof(note));
        name = at + sizeof(note);
        desc = name + ((note.n_namesz + (uint64_t)3) & ~(uint64_t)3);
        if (desc > notes->n || note.n_descsz > notes->n - desc)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 &&
            note.n_descsz <= 64 && memcmp(notes->bytes + name, "GNU", 4) == 0) {
            memcpy(id, notes->bytes + desc, note.n_descsz);
            return note.n_descsz;
        }
        at = desc + ((note.n_descsz + (uint64_t)3) & ~(uint64_t)3);
        if (at > notes->n)
            return 0;
    }
    return 0;
}

size_t elf_build_id(struct elf *e, uint8_t id[64])
{
    for (uint32_t i = 0; i < e->n_segments; i++) {
        const Elf64_Phdr *p = &e->segments[i];
        uint64_t offset = e->is_image ? p->p_vaddr - first_vaddr(e) : p->p_offset;
        struct elf_part notes = {0};
        size_t n;

        if (p->p_type != PT_NOTE || p->p_filesz > NOTES_MAX ||
            !read_part(e, offset, p->p_filesz, &notes))
            continue;
        n = find_build_id(&notes, id);
        elf_part_free(&notes);
        if (n > 0)
            return n;
    }
    return 0;
}

bool elf_vaddr_of_offset(const struct elf *e, uint64_t offset, uint64_t *vaddr)
{
    for (uint32_t i = 0; i < e->n_segments; i++) {
        const Elf64_Phdr *p = &e->segments[i];
        /* the loader maps whole pages */
        uint64_t start = p->p_offset & ~(uint64_t)4095;

        if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0 || offset < start ||
            offset - start >= p->p_filesz + (p->p_offset - start))
            continue;
        *vaddr = p->p_vaddr - (p->p_offset - start) + (offset - start);
        return true;
    }
    return false;
}

void elf_part_free(struct elf_part *part)
{
    pages_give(part->bytes, part->n + 1);
    *part = (struct elf_part){0};
}
