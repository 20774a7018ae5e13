/* move.c - one recording in several files, and how much of a file is one. */
#include "jfrfmt/write/writer_internal.h"

uint64_t jfr_writer_used(const struct jfr_writer *w, uint64_t *chunk_at)
{
    *chunk_at = 0;
    if (!w->is_open || !sink_is_file(w->sink))
        return 0;
    *chunk_at = w->live.base;
    return w->live.cover;
}

static void enter_file(struct jfr_writer *w, struct sink *sink, int64_t now)
{
    int64_t step =
        now - w->chunk.start_ticks > w->duration ? now - w->chunk.start_ticks : w->duration;

    if (step < 1)
        step = 1;
    w->sink = sink;
    w->live = (struct live){0};
    w->error = (struct jfr_error){0};
    w->is_reported = w->is_open = false;
    w->chunk.start_ticks += step;
    w->chunk.start_nanos += step;
    w->duration = 0;
    w->is_new_chunk = true;
    consts_next_chunk(&w->consts);
}

int jfr_writer_move(struct jfr_writer *w, const char *path, int64_t now_ticks,
                    struct jfr_error *err)
{
    struct sink_options o = {.replace = w->options.replace, .calls = w->options.calls};
    struct jfr_error ignored = {0};
    struct sink *sink;

    if (!sink_is_file(w->sink))
        return jfr_fail(err, JFR_E_FORMAT, 0, "only plain files can be followed by others");
    if (now_ticks == 0)
        now_ticks = jfr_writer_now();
    writer_flush(w, now_ticks);
    sink = sink_open(path, &o, err);
    if (sink == NULL)
        return err->code;
    if (!sink_is_file(sink)) {
        sink_close(sink, &ignored);
        return jfr_fail(err, JFR_E_FORMAT, 0, "only plain files can be followed by others");
    }
    writer_finish(w);
    sink_close(w->sink, w->error.code == 0 ? &w->error : &ignored);
    *err = w->error;
    enter_file(w, sink, now_ticks);
    return 0;
}
