/*
 * periodic.c - the table of periodic events, and when each is written: at its period, at the
 * beginning or at the end of a chunk.
 *
 * The drain thread calls the engine at each pass. The functions that write are in periodic_*.c.
 */
#include "recorder/engine/periodic.h"

#include "recorder/base/log.h"
#include "recorder/engine/gc_counters.h"
#include "recorder/base/perfdata.h"
#include "recorder/settings/settings.h"

#define SLACK INT64_C(50000000) /* ns */
#define SHORTEST INT64_C(20000000) /* ns: a difference over less time is not written */

/* clang-format off */
static const struct periodic_row rows[] = {
    {EV_JVM_INFORMATION, periodic_jvm_information, NULL, true},
    {EV_OS_INFORMATION, periodic_os_information, NULL, true},
    {EV_CPU_INFORMATION, periodic_cpu_information, NULL, true},
    {EV_CPU_TIME_STAMP_COUNTER, periodic_time_stamp_counter, NULL, true},
    {EV_VIRTUALIZATION_INFORMATION, periodic_virtualization, NULL, true},
    {EV_CONTAINER_CONFIGURATION, periodic_container_configuration, NULL, true},
    {EV_INITIAL_SYSTEM_PROPERTY, periodic_system_properties, NULL, true},
    {EV_INITIAL_ENVIRONMENT_VARIABLE, periodic_environment, NULL, true},
    {EV_NATIVE_LIBRARY, periodic_libraries, NULL, false},
    {EV_SYSTEM_PROCESS, periodic_processes, NULL, false},
    {EV_CPU_LOAD, periodic_cpu_load, periodic_cpu_load_first, false},
    {EV_THREAD_CPU_LOAD, periodic_thread_cpu_load, periodic_thread_cpu_load_first, false},
    {EV_THREAD_CONTEXT_SWITCH_RATE, periodic_context_switches, periodic_context_switches_first, false},
    {EV_PHYSICAL_MEMORY, periodic_physical_memory, NULL, false},
    {EV_SWAP_SPACE, periodic_swap_space, NULL, false},
    {EV_RESIDENT_SET_SIZE, periodic_resident_set, NULL, false},
    {EV_NETWORK_UTILIZATION, periodic_network, periodic_network_first, false},
    {EV_CONTAINER_CPU_USAGE, periodic_container_cpu, NULL, false},
    {EV_CONTAINER_CPU_THROTTLING, periodic_container_throttling, NULL, false},
    {EV_CONTAINER_MEMORY_USAGE, periodic_container_memory, NULL, false},
    {EV_CONTAINER_IO_USAGE, periodic_container_io, NULL, false},
    {EV_JAVA_THREAD_STATISTICS, periodic_java_threads, NULL, false},
    {EV_CLASS_LOADING_STATISTICS, periodic_class_loading, NULL, false},
    {EV_EXCEPTION_STATISTICS, periodic_exceptions, NULL, false},
    {EV_COMPILER_STATISTICS, periodic_compiler, NULL, false},
    {EV_GC_HEAP_MEMORY_USAGE, periodic_heap_usage, NULL, false},
};
/* clang-format on */

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static int64_t due[N_ROWS], last[N_ROWS];
static uint64_t chunk;

void periodic_begin(struct periodic *p, enum event e)
{
    jfr_event_begin(p->w, p->r->types[e], p->now);
}

void periodic_end(struct periodic *p)
{
    if (p->is_repeated)
        jfr_event_end_repeated(p->w);
    else
        jfr_event_end(p->w);
}

void periodic_text(struct periodic *p, const char *text)
{
    jfr_put_string(p->w, text == NULL || text[0] == '\0' ? NULL : text);
}

static const struct event_settings *settings_at(const struct periodic *p, size_t row)
{
    return settings_of(p->r->settings, rows[row].event);
}

static bool is_periodic_on(const struct periodic *p, size_t row)
{
    return settings_at(p, row)->is_enabled;
}

static void run(struct periodic *p, size_t row)
{
    rows[row].write(p);
    last[row] = p->now;
}

static uint64_t chunk_now(const struct recording *r)
{
    struct jfr_writer_stats stats;

    jfr_writer_stats(r->writer, &stats);
    return stats.n_chunks;
}

static struct periodic periodic_now(struct recording *r, int64_t now)
{
    return (struct periodic){.r = r, .w = r->writer, .now = now};
}

static void write_fixed(struct periodic *p)
{
    p->is_repeated = true;
    periodic_active_recording(p);
    periodic_active_settings(p);
    for (size_t i = 0; i < N_ROWS; i++)
        if (is_periodic_on(p, i) && rows[i].is_fixed && settings_at(p, i)->at_begin)
            run(p, i);
    p->is_repeated = false;
}

/* Rows at the beginning of a chunk, at its end, or at either. */
static void write_border(struct periodic *p, bool at_begin, bool at_end)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct event_settings *s = settings_at(p, i);

        if (s->is_enabled && !(rows[i].is_fixed && s->at_begin) &&
            ((at_begin && s->at_begin) || (at_end && s->at_end)))
            run(p, i);
    }
}

/* Rows that are due within this time are run now, so that one pass serves several. */
static int64_t slack(int64_t period)
{
    return period / 10 < SLACK ? period / 10 : SLACK;
}

static bool is_due(const struct periodic *p, size_t row)
{
    int64_t period = settings_at(p, row)->period_ns;

    return is_periodic_on(p, row) && period > 0 && p->now >= due[row] - slack(period);
}

static int64_t next_tick(const struct periodic *p)
{
    int64_t next = 0;

    for (size_t i = 0; i < N_ROWS; i++)
        if (is_periodic_on(p, i) && settings_at(p, i)->period_ns > 0 &&
            (next == 0 || due[i] < next))
            next = due[i];
    return next;
}

static int open_periodic(struct recording *r)
{
    struct periodic p = periodic_now(r, jfr_writer_now());

    if (perfdata_open())
        gc_counters_open();
    else if (r->vm != NULL)
        log_line(LOG_INFO, "the VM keeps no counters (UsePerfData): no class, thread and compiler "
                           "statistics");
    write_fixed(&p);
    for (size_t i = 0; i < N_ROWS; i++) {
        bool differs = rows[i].first != NULL;

        if (is_periodic_on(&p, i) && differs)
            rows[i].first(&p);
        last[i] = p.now;
        /* on the seconds of the recording, so that one pass serves all */
        due[i] = r->start_ticks + (differs ? settings_at(&p, i)->period_ns : 0);
    }
    write_border(&p, true, false);
    chunk = chunk_now(r);
    engine_periodic.next_tick = next_tick(&p);
    return 0;
}

/* Events for the end of a chunk are written when the next chunk has begun, since it is not known
 * beforehand which flush begins a chunk. They describe a state, so the moment does not matter. */
static void tick(struct recording *r, int64_t now)
{
    struct periodic p = periodic_now(r, now);
    uint64_t current = chunk_now(r);

    if (current != chunk) {
        chunk = current;
        write_border(&p, true, true);
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        int64_t period = settings_at(&p, i)->period_ns;

        if (is_due(&p, i)) {
            run(&p, i);
            due[i] += ((now - due[i]) / period + 1) * period;
        }
    }
    engine_periodic.next_tick = next_tick(&p);
}

/* Writes differences also for a recording that is shorter than a period. */
static void close_periodic(struct recording *r)
{
    struct periodic p = periodic_now(r, jfr_writer_now());

    for (size_t i = 0; i < N_ROWS; i++)
        if (is_periodic_on(&p, i) && settings_at(&p, i)->period_ns > 0 && rows[i].first != NULL &&
            p.now - last[i] >= SHORTEST)
            run(&p, i);
    write_border(&p, false, true);
}

struct engine engine_periodic = {
    .name = "periodic",
    .open = open_periodic,
    .tick = tick,
    .close = close_periodic,
};
