#include "recorder/native_name.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void native_name(uintptr_t pc, char *out, size_t room)
{
    Dl_info info;
    const char *file;

    if (dladdr((void *)pc, &info) == 0) {
        snprintf(out, room, "[unknown_code]");
        return;
    }
    if (info.dli_sname != NULL) {
        snprintf(out, room, "%s", info.dli_sname);
        return;
    }
    file = info.dli_fname == NULL ? "?" : strrchr(info.dli_fname, '/');
    snprintf(out, room, "[%s]", file == NULL ? info.dli_fname : file + 1);
}
