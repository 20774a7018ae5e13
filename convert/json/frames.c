/*
 * frames.c - the names of the frames of a stack trace, for layouts other than JSON.
 *
 * In: an entry of a pool of stack traces. Out: names in one buffer, with the place where each ends.
 * Names are made by frame_name.h, so they are those of the converters to stacks.
 */
#include "convert/json/frames.h"

#include "convert/text/frame_name.h"

void json_frames_reset(struct json_frames *f)
{
    f->cls = NULL;
}

static bool open_traces(struct json_frames *f, struct jfr_chunk *chunk, const struct jfr_class *cls)
{
    const struct jfr_field any = {.type = cls, .is_pooled = true};

    if (f->cls != cls) {
        f->is_known = jfr_stacks_init(&f->stacks, chunk, &any) == 0;
        f->cls = cls;
    }
    return f->is_known;
}

bool json_frames_read(struct json_frames *f, struct jfr_chunk *chunk,
                      const struct json_shape *shape, size_t i, size_t most)
{
    static const struct name_options style = {.lines = true};
    struct jfr_frame frame;
    struct jfr_frames it;
    struct jfr_method m;

    buf_reset(&f->text);
    buf_reset(&f->ends);
    if (!open_traces(f, chunk, shape->cls) || jfr_stacks_open(&f->stacks, i, &it) != 0)
        return false;
    for (size_t n = 0; n < most && jfr_frames_next(&it, &frame); n++) {
        jfr_method_get(&f->stacks, frame.method_key, &m);
        frame.bci = -1;
        frame_name_append(&f->text, &style, &m, &frame, FRAME_UNKNOWN);
        buf_bytes(&f->ends, &f->text.n, sizeof(f->text.n));
    }
    f->is_whole = cur_ok(&it.c);
    return buf_ok(&f->text) && buf_ok(&f->ends);
}

size_t json_frames_n(const struct json_frames *f)
{
    return f->ends.n / sizeof(size_t);
}

struct json_text json_frames_at(const struct json_frames *f, size_t k)
{
    const size_t *ends = (const size_t *)(const void *)f->ends.p;
    size_t start = k == 0 ? 0 : ends[k - 1];

    return (struct json_text){(const char *)f->text.p + start, ends[k] - start};
}

void json_frames_free(struct json_frames *f)
{
    buf_free(&f->text);
    buf_free(&f->ends);
}
