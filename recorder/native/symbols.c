#include "recorder/native/symbols.h"
#include "recorder/symbols/demangle.h"
#include "recorder/native/lib_file.h"
#include "recorder/native/libs.h"
#include "recorder/symbols/perf_map.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_ROOM = 4096
};

static char demangled[NAME_ROOM];

static const char *readable(const char *raw)
{
    return demangle(raw, demangled, sizeof(demangled)) ? demangled : raw;
}

static bool find_in_library(const struct lib *lib, uintptr_t pc, struct symbol *s)
{
    const struct symtab *t = lib_file_symbols(lib->file);
    const struct sym *sym;

    s->library = lib->path;
    s->vaddr = pc - lib->bias;
    s->offset = s->vaddr;
    sym = symtab_find(t, s->vaddr);
    if (sym != NULL) {
        s->raw = t->names + sym->name;
        s->name = readable(s->raw);
        s->offset = s->vaddr - sym->lo;
    }
    return true;
}

bool symbols_find(uintptr_t pc, struct symbol *s)
{
    const struct lib *lib = libs_find_any(pc);

    *s = (struct symbol){0};
    if (lib != NULL)
        return find_in_library(lib, pc, s);
    if (!perf_map_find(pc, &s->raw, &s->offset))
        return false;
    s->library = "[jit]";
    s->vaddr = pc;
    s->name = readable(s->raw);
    return true;
}

const char *symbols_file_name(const char *library)
{
    const char *slash = strrchr(library, '/');

    return slash == NULL ? library : slash + 1;
}
