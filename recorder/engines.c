/* engines.c - all engines, in the order of opening. One line each. */
#include "recorder/engine_cpu.h"
#include "recorder/periodic.h"

struct engine *const engines[] = {
    &engine_periodic,
    &engine_cpu,
    NULL,
};
