#include "recorder/symbols/demangle.h"
#include "recorder/symbols/demangle_ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANGLED_MAX = 16384
};

/* ".constprop.0", ".part.3", ".cold": how compilers name what they split off or made special. The
 * suffix that begins here; its length. */
static size_t clone_suffix(const char *p)
{
    size_t n = 1;

    if (p[0] != '.' ||
        !((p[1] >= 'a' && p[1] <= 'z') || p[1] == '_' || (p[1] >= '0' && p[1] <= '9')))
        return 0;
    if (p[1] >= '0' && p[1] <= '9') {
        while (p[n] >= '0' && p[n] <= '9')
            n++;
        return n;
    }
    while ((p[n] >= 'a' && p[n] <= 'z') || p[n] == '_')
        n++;
    while (p[n] == '.' && p[n + 1] >= '0' && p[n + 1] <= '9') {
        n++;
        while (p[n] >= '0' && p[n] <= '9')
            n++;
    }
    return n;
}

static bool append(char *to, size_t room, const char *before, const char *text, size_t n,
                   const char *after)
{
    size_t at = strlen(to);

    return snprintf(to + at, room - at, "%s%.*s%s", before, (int)n, text, after) < (int)(room - at);
}

static bool demangle_cxx(const char *name, char *to, size_t room, bool with_params)
{
    const char *dot = strchr(name, '.');
    const char *end = dot == NULL ? name + strlen(name) : dot;
    struct dm_tree tree;
    uint16_t root = dm_parse(&tree, name, end);

    if (!dm_print(&tree, root, with_params, to, room))
        return false;
    while (*end != 0) {
        size_t n = clone_suffix(end);

        if (n == 0 || (with_params && !append(to, room, " [clone ", end, n, "]")))
            return false;
        end += n;
    }
    return true;
}

/* Rust's legacy names are nested C++ names that end in a hash: 17h and 16 digits. */
static bool is_rust(const char *name)
{
    size_t n = strlen(name);

    if (n < 20 || name[n - 1] != 'E' || strncmp(name + n - 20, "17h", 3) != 0)
        return false;
    return strspn(name + n - 17, "0123456789abcdef") == 16;
}

/* "$LT$" and the like; bytes taken, 0: none of them. */
static size_t rust_escape(const char *p, const char *end, char *c)
{
    static const struct {
        const char *code;
        char letter;
    } table[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                 {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
    char *digits_end;
    unsigned long code;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t n = strlen(table[i].code);
        if ((size_t)(end - p) >= n && memcmp(p, table[i].code, n) == 0) {
            *c = table[i].letter;
            return n;
        }
    }
    if (end - p < 4 || p[1] != 'u')
        return 0;
    code = strtoul(p + 2, &digits_end, 16);
    if (digits_end >= end || *digits_end != '$' || code < 32 || code > 126)
        return 0;
    *c = (char)code;
    return (size_t)(digits_end + 1 - p);
}

static bool demangle_rust(const char *p, char *to, size_t room)
{
    size_t at = 0;

    for (p++; *p != 'E';) { /* behind the N */
        unsigned long n = strtoul(p, (char **)&p, 10);
        const char *end;

        if (n == 0 || n > strlen(p))
            return false;
        end = p + n;
        if (*end == 'E')
            break; /* the hash */
        if (at + 2 * n + 3 > room)
            return false;
        if (at > 0)
            at += (size_t)sprintf(to + at, "::");
        if (p[0] == '_' && p[1] == '$')
            p++; /* keeps names from beginning with $ */
        while (p < end) {
            size_t taken = *p == '$' ? rust_escape(p, end, &to[at]) : 0;

            if (taken > 0) {
                p += taken;
                at++;
            } else if (p[0] == '.' && p + 1 < end && p[1] == '.') {
                at += (size_t)sprintf(to + at, "::");
                p += 2;
            } else if (*p == '$') {
                return false;
            } else {
                to[at++] = *p++;
            }
        }
    }
    to[at] = 0;
    return at > 0;
}

bool demangle(const char *mangled, char *to, size_t room, enum demangle_style style)
{
    if (room < 8 || strncmp(mangled, "_Z", 2) != 0 || strnlen(mangled, MANGLED_MAX) == MANGLED_MAX)
        return false;
    if (mangled[2] == 'N' && is_rust(mangled) && demangle_rust(mangled + 2, to, room))
        return true;
    return demangle_cxx(mangled + 2, to, room, style == DEMANGLE_FULL);
}
