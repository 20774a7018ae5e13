/*
 * elf.h - the few parts of an ELF file that stack walking and symbols need.
 *
 *     struct elf e;
 *     if (elf_open_fd(&e, fd)) {
 *         struct elf_part frames = {0};
 *         if (elf_eh_frame(&e, &frames)) ...
 *         elf_part_free(&frames);
 *     }
 *     elf_close(&e);
 *
 * A file, a copy in memory and a library mapped into this process are read through the same
 * functions, always by copying: a file that is cut off or a library that is unloaded meanwhile is
 * a failed read, never a fault. Nothing that the file says is believed before it is checked
 * against the size of what is there. 64-bit, the byte order of this machine.
 *
 * Threads:   an elf belongs to one thread at a time.
 * Signals:   nothing here is async-signal-safe.
 * Ownership: elf_part bytes belong to the caller (elf_part_free).
 * Errors:    false, and e->why says what and e->where at which offset.
 */
#ifndef RECORDER_SYMBOLS_ELF_H
#define RECORDER_SYMBOLS_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    int fd; /* -1: mem */
    const uint8_t *mem;
    uint64_t n; /* bytes there are */
    uint64_t at; /* added to offsets: the base address when fd is /proc/self/mem */
    bool is_image; /* as loaded: offset = virtual address - the first segment's */
    Elf64_Ehdr head;
    Elf64_Phdr *segments;
    Elf64_Shdr *sections; /* NULL in an image */
    char *names; /* of sections; ends with 0 */
    uint64_t names_n;
    uint32_t n_segments, n_sections;
    const char *why;
    uint64_t where;
};

struct elf_part {
    uint8_t *bytes;
    uint64_t n;
    uint64_t vaddr; /* where it would be loaded; 0: nowhere */
};

/* The file behind fd, which stays the caller's and must outlive the elf. */
bool elf_open_fd(struct elf *e, int fd);

/* n bytes in memory, borrowed. */
bool elf_open_mem(struct elf *e, const void *bytes, uint64_t n);

/* What the loader mapped at [address, address + n) of this process, read through `self_mem`, an
 * open /proc/self/mem; the first byte must be the ELF header's. There are no sections then. */
bool elf_open_image(struct elf *e, int self_mem, uintptr_t address, uint64_t n);

/* Frees what the elf holds; also after a failed open, and twice. */
void elf_close(struct elf *e);

/* The section of that name, or NULL. Its offset and size are still the file's own words. */
const Elf64_Shdr *elf_section(const struct elf *e, const char *name);
const Elf64_Shdr *elf_section_of_type(const struct elf *e, uint32_t type);

/* Copies a section; fails for one without bytes in the file (NOBITS, compressed). */
bool elf_section_read(struct elf *e, const Elf64_Shdr *section, struct elf_part *part);

/* Copies up to n bytes from a virtual address on, as far as the segment's file bytes go. */
bool elf_vaddr_read(struct elf *e, uint64_t vaddr, uint64_t n, struct elf_part *part);

/* .eh_frame, by its section or by the header that the loader knows. */
bool elf_eh_frame(struct elf *e, struct elf_part *part);

/* .eh_frame_hdr: where the descriptions of functions are. */
bool elf_eh_frame_hdr(struct elf *e, struct elf_part *part);

/* The build id; its length (1..64), or 0. */
size_t elf_build_id(struct elf *e, uint8_t id[64]);

/* Virtual address of a byte of an executable segment, by its file offset. */
bool elf_vaddr_of_offset(const struct elf *e, uint64_t offset, uint64_t *vaddr);

/* Room for n bytes, all 0. False: memory is exhausted. */
bool elf_part_new(struct elf_part *part, uint64_t n);

void elf_part_free(struct elf_part *part);

#endif
