/*
 * vm_fake.h - a VM that consists of one class with one method, for tests: its structures are plain
 * memory, laid out as `fake_layout` says.
 */
#ifndef RECORDER_TEST_VM_FAKE_H
#define RECORDER_TEST_VM_FAKE_H

#include "recorder/vm/vm.h"

#include <stdalign.h>
#include <string.h>

enum {
    FAKE_TEXT = 64,
    FAKE_CODE = 100 /* bytes of bytecode */
};

struct fake_symbol {
    alignas(8) uint16_t length;
    char body[FAKE_TEXT];
};

struct fake_class {
    alignas(8) const struct fake_symbol *name;
    uintptr_t loader;
};

struct fake_pool {
    alignas(8) const struct fake_class *holder;
    const struct fake_symbol *entries[8];
};

struct fake_const_method {
    alignas(8) const struct fake_pool *pool;
    uint32_t flags, words;
    uint16_t name, signature, code_size, spare;
};

/* Bytecodes, line table and the index of the generic signature follow the ConstMethod. */
struct fake_body {
    struct fake_const_method head;
    uint8_t code[FAKE_CODE];
    uint8_t lines[58];
    uint16_t generic;
};

struct fake_method {
    alignas(8) const struct fake_body *body;
    uint32_t access_flags;
};

struct fake_world {
    struct vm vm;
    struct fake_symbol symbols[5]; /* class, name, descriptor, generic signature, another name */
    struct fake_class cls;
    struct fake_pool pool;
    struct fake_body body;
    struct fake_method method;
};

static inline struct vm_slot fake_slot(size_t at, uint32_t size)
{
    return (struct vm_slot){(int32_t)at, size};
}

static inline void fake_symbol_set(struct fake_symbol *s, const char *text)
{
    s->length = (uint16_t)strlen(text);
    memcpy(s->body, text, s->length);
}

#define FAKE_AT(type_, member_) fake_slot(offsetof(type_, member_), sizeof(((type_ *)0)->member_))

static inline void fake_layout(struct vm_layout *l)
{
    memset(l, 0xff, sizeof *l); /* all slots: at -1 */
    l->method.const_method = FAKE_AT(struct fake_method, body);
    l->method.access_flags = FAKE_AT(struct fake_method, access_flags);
    l->method.constants = FAKE_AT(struct fake_const_method, pool);
    l->method.flags = FAKE_AT(struct fake_const_method, flags);
    l->method.total_size = FAKE_AT(struct fake_const_method, words);
    l->method.name = FAKE_AT(struct fake_const_method, name);
    l->method.signature = FAKE_AT(struct fake_const_method, signature);
    l->method.code_size = FAKE_AT(struct fake_const_method, code_size);
    l->method.holder = FAKE_AT(struct fake_pool, holder);
    l->method.class_name = FAKE_AT(struct fake_class, name);
    l->method.loader_data = FAKE_AT(struct fake_class, loader);
    l->method.symbol_length = FAKE_AT(struct fake_symbol, length);
    l->method.symbol_body = fake_slot(offsetof(struct fake_symbol, body), 1);
    l->method.const_size = sizeof(struct fake_const_method);
    l->method.pool_header = offsetof(struct fake_pool, entries);
    l->method.has_lines = 1;
    l->method.has_generic = 2;
    memset(l->method.annotations, 0, sizeof l->method.annotations);
}

/* "com/acme/Main.run(I)V", with lines 10 at bci 0, 12 at 5, and 300 at 40 by escape. */
static inline void fake_init(struct fake_world *f)
{
    static const char *const texts[] = {"com/acme/Main", "run", "(I)V", "<T:>(I)V", "walk"};
    /* (0, +10), (5, +2), escape: bci +35, line +288, zig-zag and six bits a byte; end */
    static const uint8_t lines[] = {0xff, 0, 20, 5 << 3 | 2, 0xff, 70, 192, 6, 0};

    memset(f, 0, sizeof *f);
    fake_layout(&f->vm.l);
    f->vm.major = 17;
    for (size_t i = 0; i < 5; i++) {
        fake_symbol_set(&f->symbols[i], texts[i]);
        f->pool.entries[i + 1] = &f->symbols[i];
    }
    f->cls = (struct fake_class){&f->symbols[0], 0x1234000};
    f->pool.holder = &f->cls;
    f->body.head =
        (struct fake_const_method){&f->pool, 1 | 2, sizeof f->body / 8, 2, 3, FAKE_CODE, 0};
    memcpy(f->body.lines, lines, sizeof lines);
    f->body.generic = 4;
    f->method = (struct fake_method){&f->body, 0x40000009};
}

#endif
