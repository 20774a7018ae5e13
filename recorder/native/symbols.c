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

enum symbols_thread_kind symbols_thread_kind(const char *name)
{
    static const struct {
        const char *start;
        enum symbols_thread_kind kind;
    } table[] = {
        {"VMThread::", SYMBOLS_THREAD_VM},
        {"WatcherThread::", SYMBOLS_THREAD_VM},
        {"MonitorDeflationThread::", SYMBOLS_THREAD_VM},
        {"ServiceThread::", SYMBOLS_THREAD_VM},
        {"AsyncLogWriter::", SYMBOLS_THREAD_VM},
        {"NotificationThread::", SYMBOLS_THREAD_VM},
        {"os::signal_", SYMBOLS_THREAD_VM},
        {"signal_thread_entry", SYMBOLS_THREAD_VM},
        {"NMethodSweeper::", SYMBOLS_THREAD_VM},
        {"CompileBroker::", SYMBOLS_THREAD_JIT},
        {"CompilerThread::", SYMBOLS_THREAD_JIT},
        {"GangWorker::", SYMBOLS_THREAD_GC},
        {"AbstractGangWorker::", SYMBOLS_THREAD_GC},
        {"WorkerThread::", SYMBOLS_THREAD_GC},
        {"ConcurrentGCThread::", SYMBOLS_THREAD_GC},
        {"GCTaskThread::", SYMBOLS_THREAD_GC},
        {"G1", SYMBOLS_THREAD_GC},
        {"Shenandoah", SYMBOLS_THREAD_GC},
        {"ZDriver", SYMBOLS_THREAD_GC},
        {"ZDirector", SYMBOLS_THREAD_GC},
        {"ZThread", SYMBOLS_THREAD_GC},
        {"StringDedup", SYMBOLS_THREAD_GC},
        {"JavaMain", SYMBOLS_THREAD_JAVA},
        {"thread_entry", SYMBOLS_THREAD_JAVA},
        {"JavaThread::run", SYMBOLS_THREAD_OTHER}, /* compilers are such threads, too */
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strncmp(name, table[i].start, strlen(table[i].start)) == 0)
            return table[i].kind;
    return SYMBOLS_THREAD_OTHER;
}

const char *symbols_thread_kind_name(enum symbols_thread_kind kind)
{
    static const char *const names[] = {"other", "Java", "GC", "JIT", "VM"};

    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "other";
}
