/* writer.c - opening, types and closing. Events are in event.c, constants in const.c,
 * chunks in chunk.c, and how a file stays legal in live.c. */
#include "jfrfmt/write/writer_internal.h"

#include "jfrfmt/base/hash.h"
#include "jfrfmt/base/now.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
#define SCRATCH_FIXED (256 * (size_t)1024)

int64_t jfr_writer_now(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

uint64_t writer_random(struct jfr_writer *w)
{
    w->random += 0x9e3779b97f4a7c15u;
    return hash_mix(w->random, w->random ^ 0xd6e8feb86659fd93u);
}

static void start_clock(struct jfr_writer *w)
{
    int64_t ticks, nanos;

    now_pair(now_real, NULL, &ticks, &nanos);
    w->chunk.start_ticks = w->options.start_ticks == 0 ? ticks : w->options.start_ticks;
    w->chunk.start_nanos = w->options.start_nanos == 0 ? nanos : w->options.start_nanos;
    w->chunk.clock = w->options.clock;
    w->random = w->options.seed;
    if (w->random == 0 && getrandom(&w->random, sizeof(w->random), 0) < 0)
        w->random = (uint64_t)w->chunk.start_nanos;
}

/* All the memory that events will ever take, when the caller wants it bounded. */
static int make_buffers(struct jfr_writer *w)
{
    bool fixed = w->options.constant_room > 0;
    size_t room = w->options.event_room;

    if (room == 0)
        room = sink_is_file(w->sink) ? MIB : 16 * MIB;
    w->flush_at = room / 4 * 3;
    if (!buf_reserve(&w->events, room) || !buf_reserve(&w->scratch, SCRATCH_FIXED))
        return JFR_E_NOMEM;
    w->events.fixed = w->scratch.fixed = fixed;
    return 0;
}

static int prepare(struct jfr_writer *w, struct jfr_error *err)
{
    unsigned types = (w->options.with_modules ? TYPESET_MODULES : 0) |
                     (w->options.with_virtual ? TYPESET_VIRTUAL : 0);

    start_clock(w);
    w->types.first_id = w->options.first_id;
    if (typeset_init(&w->types, types, err) != 0)
        return err->code;
    if (consts_init(&w->consts, &w->types, w->options.constant_room) != 0 || make_buffers(w) != 0 ||
        writer_define_fixed(w) != 0)
        return jfr_fail(err, JFR_E_NOMEM, 0, "no memory for the writer");
    w->is_new_types = true;
    return 0;
}

static void free_writer(struct jfr_writer *w)
{
    w->events.fixed = w->scratch.fixed = false;
    buf_free(&w->events);
    buf_free(&w->scratch);
    buf_free(&w->repeated);
    buf_free(&w->metadata);
    consts_free(&w->consts);
    typeset_free(&w->types);
    free(w);
}

static struct sink_options sink_options(const struct jfr_writer_options *options)
{
    struct sink_options o = {0};

    if (options != NULL) {
        o.replace = options->replace;
        o.zstd = options->zstd;
        o.calls = options->calls;
    }
    return o;
}

/* A writer over the sink, which it owns. */
static struct jfr_writer *open_sink(struct sink *sink, const struct jfr_writer_options *options,
                                    struct jfr_error *err)
{
    struct jfr_writer *w;

    if (sink == NULL)
        return NULL;
    w = calloc(1, sizeof(*w));
    if (w == NULL) {
        sink_close(sink, err);
        jfr_fail(err, JFR_E_NOMEM, 0, "no memory for the writer");
        return NULL;
    }
    w->sink = sink;
    if (options != NULL)
        w->options = *options;
    if (prepare(w, err) == 0)
        return w;
    sink_close(sink, err);
    free_writer(w);
    return NULL;
}

struct jfr_writer *jfr_writer_open(const char *path, const struct jfr_writer_options *options,
                                   struct jfr_error *err)
{
    struct sink_options o = sink_options(options);

    return open_sink(sink_open(path, &o, err), options, err);
}

struct jfr_writer *jfr_writer_open_fd_take(int fd, const struct jfr_writer_options *options,
                                           struct jfr_error *err)
{
    struct sink_options o = sink_options(options);

    return open_sink(sink_open_fd_take(fd, &o, err), options, err);
}

int64_t jfr_writer_declare(struct jfr_writer *w, const struct jfr_type_def *types, size_t n)
{
    struct jfr_error err = {0};
    const struct jfr_class *first;

    if (typeset_add(&w->types, types, n, &err) == 0 && consts_types_added(&w->consts) != 0)
        jfr_fail(&err, JFR_E_NOMEM, 0, "no memory for types");
    w->declare_error = err;
    if (err.code != 0)
        return err.code;
    w->is_new_types = true;
    first = n > 0 ? typeset_find(&w->types, types[0].name) : NULL;
    return first == NULL ? 0 : first->id;
}

/* Is there an event of one of the types? */
static bool has_events(const struct jfr_writer *w, const int64_t *types, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t index = typeset_index(&w->types, types[i]);

        if (index != SIZE_MAX && w->types.layouts[index].n_events > 0)
            return true;
    }
    return false;
}

int jfr_writer_extend(struct jfr_writer *w, const int64_t *types, size_t n_types,
                      const struct jfr_field_def *fields, size_t n)
{
    struct jfr_error err = {0};

    if (!w->is_new_chunk && has_events(w, types, n_types))
        jfr_writer_rotate(w, 0);
    for (size_t i = 0; i < n_types && err.code == 0; i++) {
        size_t index = typeset_index(&w->types, types[i]);

        if (index == SIZE_MAX)
            jfr_fail(&err, JFR_E_FORMAT, 0, "no such type");
        else if (typeset_extend(&w->types, index, fields, n, &err) == 0)
            w->is_new_types = true;
    }
    w->declare_error = err;
    return err.code;
}

int64_t jfr_writer_type(const struct jfr_writer *w, const char *name)
{
    const struct jfr_class *cls = typeset_find(&w->types, name);

    return cls == NULL ? JFR_E_FORMAT : cls->id;
}

const struct jfr_error *jfr_writer_error(const struct jfr_writer *w)
{
    return w->error.code != 0 ? &w->error : &w->declare_error;
}

uint64_t jfr_writer_n_events(const struct jfr_writer *w, int64_t type)
{
    size_t index = typeset_index(&w->types, type);

    return index == SIZE_MAX ? 0 : w->types.layouts[index].n_events;
}

void jfr_writer_stats(const struct jfr_writer *w, struct jfr_writer_stats *stats)
{
    *stats = w->stats;
    stats->n_constants_refused = w->consts.refused;
    stats->constant_bytes = consts_bytes(&w->consts);
}

int jfr_writer_close(struct jfr_writer *w, struct jfr_error *err)
{
    struct jfr_error ignored = {0};
    int code;

    if (w == NULL)
        return 0;
    if (w->n_buffered > 0 || !w->is_open)
        writer_flush(w, jfr_writer_now());
    writer_finish(w);
    sink_close(w->sink, w->error.code == 0 ? &w->error : &ignored);
    code = w->error.code;
    if (code != 0)
        jfr_fail(err, (enum jfr_errc)code, w->error.offset, "%s", w->error.text);
    free_writer(w);
    return code;
}
