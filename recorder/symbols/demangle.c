/*
 * demangle.c - calls libiberty, the library of binutils and gdb, and bounds what it does.
 *
 * symbols.c calls it on the drain thread, for each native function that a recording shows.
 *
 * libiberty passes a name in pieces to append(). Some damaged names describe text without end; the
 * first piece that does not fit leaves libiberty by longjmp(). libiberty holds no heap memory at
 * that moment, except for a Rust identifier with letters beyond ASCII, whose few bytes are lost.
 * Its C++ part refuses names of more than 1023 characters and bounds the depth; the length that is
 * accepted here bounds the depth of its Rust part.
 *
 * HAS_LIBIBERTY is set by the Makefile if the static library is found. Without it all names stay
 * mangled.
 */
#include "recorder/symbols/demangle.h"

#include <string.h>

#ifdef HAS_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>

#define MANGLED_MAX 4096

struct output {
    char *to;
    size_t room, n;
    jmp_buf is_full;
};

static void append(const char *piece, size_t n, void *arg)
{
    struct output *o = arg;

    if (n >= o->room - o->n)
        longjmp(o->is_full, 1);
    memcpy(o->to + o->n, piece, n);
    o->n += n;
    o->to[o->n] = '\0';
}

bool demangle(const char *mangled, char *to, size_t room)
{
    struct output o = {.to = to, .room = room};

    if (room == 0 || mangled[0] != '_' || (mangled[1] != 'Z' && mangled[1] != 'R') ||
        strnlen(mangled, MANGLED_MAX + 1) > MANGLED_MAX || setjmp(o.is_full) != 0)
        return false;
    to[0] = '\0';
    if (rust_demangle_callback(mangled, DMGL_ANSI, append, &o)) /* legacy Rust looks like C++ */
        return true;
    o.n = 0;
    return cplus_demangle_v3_callback(mangled, DMGL_ANSI | DMGL_VERBOSE, append, &o);
}

bool demangle_is_built(void)
{
    return true;
}

#else

bool demangle(const char *mangled, char *to, size_t room)
{
    (void)mangled, (void)to, (void)room;
    return false;
}

bool demangle_is_built(void)
{
    return false;
}

#endif
