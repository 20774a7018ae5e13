#include "recorder/native_name.h"

#include "recorder/libs.h"
#include "recorder/symbols.h"

#include <stdio.h>

void native_name(uintptr_t pc, char *out, size_t room)
{
    struct symbol s;

    /* A library that was loaded since the last look is met here first. */
    if (!symbols_find(pc, &s) && (libs_update() != 1 || !symbols_find(pc, &s)))
        snprintf(out, room, "[unknown_code]");
    else if (s.name != NULL)
        snprintf(out, room, "%s", s.name);
    else
        snprintf(out, room, "[%s]", symbols_file_name(s.library));
}
