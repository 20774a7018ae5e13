/* engines.c - all engines, in the order of opening. One line each. */
#include "recorder/context_fields.h"
#include "recorder/engine_cpu.h"
#include "recorder/periodic.h"

struct engine *const engines[] = {
    &engine_periodic,
    &engine_context,
    &engine_cpu,
    NULL,
};
