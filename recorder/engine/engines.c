/* engines.c - all engines, in the order of opening. One line each. */
#include "recorder/context/fields.h"
#include "recorder/capture/thread_names.h"
#include "recorder/custom/event.h"
#include "recorder/engine/cpu.h"
#include "recorder/engine/engines.h"
#include "recorder/engine/lock.h"
#include "recorder/engine/wall.h"
#include "recorder/engine/periodic.h"
#include "recorder/io/hooks.h"
#include "recorder/sources/sources.h"

/* clang-format off */
struct engine *const engines[] = {
    &engine_periodic,
    &engine_context,
    &engine_cpu,
    &engine_wall,
    &engine_alloc,
    &engine_lock,
    &engine_park,
    &engine_io,
    &engine_exceptions,
    &engine_gc,
    &engine_threads,
    &engine_names,
    &engine_virtual,
    &engine_class,
    &engine_compile,
    &engine_shutdown,
    &engine_custom,
    &engine_sources,
    NULL,
};
/* clang-format on */
