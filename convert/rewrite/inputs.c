/*
 * inputs.c - merges the chunks of several inputs by their start, with few files open at a time.
 *
 * Joining and cutting recordings read their input through it. Each input keeps the chunks that it
 * has read and not yet handed out; the earliest of all inputs is next.
 */
#include "convert/rewrite/inputs.h"

#include "jfrfmt/jfr.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <sys/resource.h>

#define MANY 200 /* inputs; each takes a descriptor */

struct input {
    const char *path;
    struct jfr_source *source;
    struct rewrite_input_chunk *chunks; /* read, not handed out yet: from `next` on */
    size_t next, n;
    bool is_plain, is_ended;
    bool is_whole; /* so far */
};

struct rewrite_inputs {
    struct rewrite_sources sources;
    struct input *inputs;
    size_t n;
    struct jfr_chunk *old; /* to look into chunks of JDK 7 and 8 */
};

static uint64_t big_endian(const uint8_t *p)
{
    struct cursor c = cur_over(p, 8);

    return cur_be(&c, 8);
}

static int64_t start_of(struct rewrite_inputs *in, const struct jfr_raw *raw)
{
    struct jfr_error ignored = {0};

    if (raw->bytes[4] != 0 || raw->bytes[5] != 0)
        return (int64_t)big_endian(raw->bytes + 32);
    if (jfr_chunk_load(in->old, raw, &ignored) != 0)
        return 0;
    return jfr_chunk_header(in->old)->start_nanos;
}

static bool is_whole(const struct jfr_raw *raw)
{
    return raw->bytes[5] != 0 && raw->declared == raw->n && raw->bytes[64] == 0 &&
           big_endian(raw->bytes + 16) != 0;
}

static int keep_input(struct rewrite_inputs *in, struct input *input, const struct jfr_raw *raw)
{
    if (!array_add(&input->chunks, input->n, sizeof(*input->chunks)))
        return JFR_E_NOMEM;
    input->chunks[input->n++] = (struct rewrite_input_chunk){*raw, input->path, start_of(in, raw),
                                                             (uint32_t)(input - in->inputs)};
    input->is_whole &= is_whole(raw);
    return 0;
}

static int by_chunk_start(const void *a, const void *b)
{
    const struct rewrite_input_chunk *x = a, *y = b;

    if (x->start_nanos != y->start_nanos)
        return x->start_nanos < y->start_nanos ? -1 : 1;
    return x->raw.index < y->raw.index ? -1 : x->raw.index > y->raw.index;
}

/* Reads the next chunk, or all of a plain file. */
static int fill_inputs(struct rewrite_inputs *in, struct input *input)
{
    input->next = input->n = 0;
    while (!input->is_ended && (input->n == 0 || input->is_plain)) {
        struct jfr_error err = {0};
        struct jfr_raw raw;
        int rc = jfr_source_next(input->source, &raw, &err);

        input->is_ended = rc == 0 || (rc < 0 && jfr_source_done(input->source));
        if (rc < 0) {
            input->is_whole = false;
            in->sources.on_damage(in->sources.ctx, input->path, &err);
        }
        if (rc > 0)
            rc = keep_input(in, input, &raw);
        if (rc == JFR_E_NOMEM)
            return rc;
    }
    if (input->n > 1)
        qsort(input->chunks, input->n, sizeof(*input->chunks), by_chunk_start);
    return 0;
}

static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static const char *path_of_input(const struct rewrite_sources *sources, size_t i)
{
    return sources->n_paths == 0 ? "-" : sources->paths[i];
}

static int open_all(struct rewrite_inputs *in, struct jfr_error *err, const char **err_path)
{
    for (size_t i = 0; i < in->n; i++) {
        struct input *input = &in->inputs[i];

        input->path = path_of_input(&in->sources, i);
        input->source = jfr_source_open(input->path, err);
        if (input->source == NULL) {
            *err_path = input->path;
            return err->code;
        }
        input->is_plain = jfr_source_size(input->source) != 0;
        input->is_whole = true;
    }
    for (size_t i = 0; i < in->n; i++)
        if (fill_inputs(in, &in->inputs[i]) != 0)
            return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return 0;
}

struct rewrite_inputs *rewrite_inputs_new(const struct rewrite_sources *sources,
                                          struct jfr_error *err, const char **err_path)
{
    struct rewrite_inputs *in = calloc(1, sizeof(*in));

    *err_path = NULL;
    if (in != NULL) {
        in->sources = *sources;
        in->n = sources->n_paths == 0 ? 1 : sources->n_paths;
        in->inputs = calloc(in->n, sizeof(*in->inputs));
        in->old = jfr_chunk_new();
    }
    if (in == NULL || in->inputs == NULL || in->old == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    } else {
        if (in->n > MANY)
            raise_limit();
        if (open_all(in, err, err_path) == 0)
            return in;
    }
    rewrite_inputs_free(in);
    return NULL;
}

/* The input whose next chunk starts first; NULL at the end. */
static struct input *earliest(struct rewrite_inputs *in)
{
    struct input *best = NULL;

    for (size_t i = 0; i < in->n; i++) {
        struct input *input = &in->inputs[i];

        if (input->next < input->n && (best == NULL || input->chunks[input->next].start_nanos <
                                                           best->chunks[best->next].start_nanos))
            best = input;
    }
    return best;
}

int rewrite_inputs_next(struct rewrite_inputs *in, struct rewrite_input_chunk *chunk)
{
    struct input *input;

    for (size_t i = 0; i < in->n; i++)
        if (in->inputs[i].next == in->inputs[i].n && !in->inputs[i].is_ended &&
            fill_inputs(in, &in->inputs[i]) != 0)
            return JFR_E_NOMEM;
    input = earliest(in);
    if (input == NULL)
        return 0;
    *chunk = input->chunks[input->next++];
    return 1;
}

void rewrite_inputs_release(struct rewrite_inputs *in, struct rewrite_input_chunk *chunk)
{
    jfr_source_release(in->inputs[chunk->input].source, &chunk->raw);
}

bool rewrite_inputs_are_whole(const struct rewrite_inputs *in)
{
    return in->n == 1 && in->inputs[0].is_plain && in->inputs[0].is_whole && in->inputs[0].n > 0;
}

void rewrite_inputs_free(struct rewrite_inputs *in)
{
    if (in == NULL)
        return;
    for (size_t i = 0; in->inputs != NULL && i < in->n; i++) {
        struct input *input = &in->inputs[i];

        for (; input->next < input->n; input->next++)
            jfr_source_release(input->source, &input->chunks[input->next].raw);
        jfr_source_close(input->source);
        free(input->chunks);
    }
    free(in->inputs);
    jfr_chunk_free(in->old);
    free(in);
}
