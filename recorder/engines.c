/* engines.c - all engines, in the order of opening. One line each. */
#include "recorder/engine_cpu.h"

struct engine *const engines[] = {
    &engine_cpu,
    NULL,
};
