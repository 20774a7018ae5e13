/* Any bytes as a name: ends, stays in its room, and what is written is one line of text. */
#include "recorder/symbols/demangle.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *name = malloc(n + 3), *to = malloc(600);
    size_t room = n == 0 ? 600 : 1 + bytes[0] * 2u;

    memcpy(name, "_Z", 2);
    memcpy(name + 2, bytes, n);
    name[n + 2] = 0;
    for (int style = 0; style < 2; style++)
        if (demangle(name, to, room, (enum demangle_style)style))
            assert(strlen(to) < room);
    free(name);
    free(to);
    return 0;
}
