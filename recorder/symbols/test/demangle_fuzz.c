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

    memcpy(name + 2, bytes, n);
    name[n + 2] = 0;
    for (int scheme = 0; scheme < 2; scheme++) {
        memcpy(name, scheme == 0 ? "_Z" : "_R", 2);
        if (demangle(name, to, room))
            assert(strlen(to) < room);
    }
    free(name);
    free(to);
    return 0;
}
