#include "recorder/native/name.h"

#include "recorder/native/libs.h"
#include "recorder/symbols/perf_map.h"
#include "recorder/native/symbols.h"

#include <stdio.h>

/* Finds a symbol. A library that was loaded since the last update, or new code, is found here
 * first. */
static bool find(uintptr_t pc, struct symbol *s)
{
    return symbols_find(pc, s) || (libs_update() == 1 && symbols_find(pc, s)) ||
           (perf_map_update() && symbols_find(pc, s));
}

void native_name(uintptr_t pc, char *out, size_t room)
{
    struct symbol s;

    if (!find(pc, &s))
        snprintf(out, room, "[unknown_code]");
    else if (s.name != NULL)
        snprintf(out, room, "%s", s.name);
    else
        snprintf(out, room, "[%s]", symbols_file_name(s.library));
}
