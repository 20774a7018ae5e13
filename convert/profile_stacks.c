/* profile_stacks.c - the stacks of a chunk: known from an earlier one, or decoded and named. */
#include "convert/profile_worker.h"

#define BATCH 32 /* traces that the memo is asked for together */
#define HIDDEN_NAME (NO_NAME - 1) /* of a frame that is left out */

/* A stack of the chunk for the memo, once its final number is known. */
struct lesson {
    struct stack_hash hash;
    uint32_t local, n;
};

struct frame_key {
    uint64_t method;
    int32_t line, bci;
    uint64_t type;
};

static enum frame_type find_type(struct profile_worker *w, struct stack_layout *l, uint64_t key)
{
    enum frame_type type;

    type = l->stacks.type_class == NULL
               ? FRAME_UNKNOWN
               : frame_type_of(jfr_simple_text(w->chunk, l->stacks.type_class, key));
    if (key < sizeof(l->types))
        l->types[key] = (uint8_t)type;
    return type;
}

static inline enum frame_type type_of(struct profile_worker *w, struct stack_layout *l,
                                      uint64_t key)
{
    if (key < sizeof(l->types) && l->types[key] != 255)
        return (enum frame_type)l->types[key];
    return find_type(w, l, key);
}

/* Where the key stands, or may be put. */
static inline size_t memo_slot(const struct name_memo *memo, size_t mask, uint64_t key)
{
    uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    size_t h = (size_t)(mixed ^ mixed >> 32) & mask;

    while (memo[h].name != 0 && memo[h].key != key)
        h = (h + 1) & mask;
    return h;
}

/* Makes the name in w->text; nothing for a frame that is left out. */
static void append_name(struct profile_worker *w, const struct jfr_method *m,
                        const struct jfr_frame *frame, enum frame_type type)
{
    buf_reset(&w->text);
    if (!w->opt->no_hidden || !m->is_hidden)
        frame_name_append(&w->text, &w->opt->names, m, frame, type);
}

static uint32_t make_name(struct profile_worker *w, struct stack_layout *l,
                          const struct jfr_frame *frame, enum frame_type type)
{
    struct jfr_method m;

    jfr_method_get(&l->stacks, frame->method_key, &m);
    append_name(w, &m, frame, type);
    return w->text.n == 0 ? HIDDEN_NAME : intern_add(&w->sums.names, w->text.p, w->text.n);
}

static uint32_t name_by_more(struct profile_worker *w, struct stack_layout *l,
                             const struct jfr_frame *frame, enum frame_type type)
{
    struct frame_key k = {.method = frame->method_key,
                          .line = w->opt->names.lines ? frame->line : 0,
                          .bci = w->opt->names.bci ? frame->bci : 0,
                          .type = w->opt->names.tiers ? type : 0};
    uint32_t id = intern_add(&w->frame_keys, &k, sizeof(k)), name;

    if (id == INTERN_FAILED)
        return NO_NAME;
    if (id < w->frame_names.n / sizeof(name))
        return ((const uint32_t *)(const void *)w->frame_names.p)[id];
    name = make_name(w, l, frame, type);
    buf_bytes(&w->frame_names, &name, sizeof(name));
    return buf_ok(&w->frame_names) ? name : NO_NAME;
}

/* Stays half empty, so that looking up is one access mostly. False when memory is short. */
static bool grow_memo(struct profile_worker *w, struct stack_layout *l)
{
    size_t mask = 2 * l->memo_mask + 1;
    struct name_memo *memo = arena_array(jfr_chunk_arena(w->chunk), mask + 1, sizeof(*memo));

    if (memo == NULL)
        return false;
    for (size_t i = 0; i <= l->memo_mask; i++)
        if (l->memo[i].name != 0)
            memo[memo_slot(memo, mask, l->memo[i].key)] = l->memo[i];
    l->memo = memo;
    l->memo_mask = mask;
    return true;
}

static uint32_t new_name(struct profile_worker *w, struct stack_layout *l,
                         const struct jfr_frame *frame, enum frame_type type)
{
    struct name_memo *memo;

    if (2 * ++l->n_memo > l->memo_mask && !grow_memo(w, l))
        return NO_NAME;
    memo = &l->memo[memo_slot(l->memo, l->memo_mask, frame->method_key)];
    *memo = (struct name_memo){frame->method_key, make_name(w, l, frame, type) + 1};
    return memo->name - 1;
}

/* The name of a frame, which mostly depends on its method only. */
static inline uint32_t name_of(struct profile_worker *w, struct stack_layout *l,
                               const struct jfr_frame *frame, enum frame_type type)
{
    const struct name_memo *memo;

    if (w->names_by_more)
        return name_by_more(w, l, frame, type);
    memo = &l->memo[memo_slot(l->memo, l->memo_mask, frame->method_key)];
    return memo->name != 0 ? memo->name - 1 : new_name(w, l, frame, type);
}

/* Reads the frames of a trace into w->decoded, top first. */
static size_t decode_frames(struct profile_worker *w, struct jfr_frames *it)
{
    size_t n;

    buf_reset(&w->decoded);
    if (!buf_reserve(&w->decoded, it->left * sizeof(struct jfr_frame)))
        return 0;
    n = jfr_frames_read(it, (struct jfr_frame *)(void *)w->decoded.p, it->left);
    if (!cur_ok(&it->c) && n > 0)
        n--;
    w->decoded.n = n * sizeof(struct jfr_frame);
    return n;
}

/* Notes for the memo which methods the decoded frames have, unless one is missing. */
static bool add_lesson(struct profile_worker *w, struct stack_hash hash, size_t local)
{
    const struct jfr_frame *frames = (const struct jfr_frame *)(const void *)w->decoded.p;
    size_t n = w->decoded.n / sizeof(*frames), before = w->lesson_frames.n;
    struct lesson lesson = {hash, (uint32_t)local, (uint32_t)n};

    for (size_t i = 0; i < n; i++) {
        uint32_t method = stack_memo_method(w->memo, frames[i].method_key);

        if (method == METHOD_UNKNOWN) {
            w->lesson_frames.n = before;
            return true;
        }
        buf_bytes(&w->lesson_frames, &method, sizeof(method));
    }
    buf_bytes(&w->lessons, &lesson, sizeof(lesson));
    return buf_ok(&w->lessons) && buf_ok(&w->lesson_frames);
}

/* Appends the frames of trace `index`, root first. False when memory is short. */
static bool add_stack(struct profile_worker *w, struct stack_layout *l, size_t index,
                      struct stack *s)
{
    const struct profile_options *opt = w->opt;
    uint32_t most = opt->depth == 0 ? UINT32_MAX : opt->depth, last = NO_NAME, *to;
    bool merges = opt->no_recursion || opt->names.package > 0;
    const struct jfr_frame *from;
    struct jfr_frames it;
    size_t left;

    jfr_stacks_open(&l->stacks, index, &it);
    left = decode_frames(w, &it);
    from = (const struct jfr_frame *)(const void *)w->decoded.p;
    if (!buf_reserve(&w->sums.frames, (left + 1) * sizeof(*to)))
        return false;
    *s = (struct stack){.start = w->sums.frames.n / sizeof(*to)};
    to = (uint32_t *)(void *)w->sums.frames.p + s->start;
    if (opt->mark_truncated && it.is_truncated) {
        uint32_t name = intern_add(&w->sums.names, "[truncated]", 11);

        if (name == NO_NAME)
            return false;
        to[s->n++] = frame_of(name, FRAME_ROOT);
    }
    while (left-- > 0 && s->n < most) {
        enum frame_type type = type_of(w, l, from[left].type_key);
        uint32_t name = name_of(w, l, &from[left], type);

        if (name == NO_NAME)
            return false;
        if ((name == last && merges) || name == HIDDEN_NAME)
            continue;
        last = name;
        to[s->n++] = frame_of(name, type);
    }
    w->sums.frames.n += s->n * sizeof(*to);
    return true;
}

/* Hashes the traces from..to that were met, so that the memo's answers are near when asked for. */
static void hash_traces(const struct profile_worker *w, const struct stack_layout *l, size_t from,
                        size_t to, struct stack_hash *hashes)
{
    for (size_t i = from; i < to; i++) {
        struct cursor bytes = jfr_pool_value(l->stacks.traces, i);

        if (!l->traces[i].is_met)
            continue;
        hashes[i - from] = stack_memo_hash(w->memo, bytes.p, cur_left(&bytes));
        stack_memo_expect(w->memo, hashes[i - from]);
    }
    for (size_t i = from; i < to; i++)
        if (l->traces[i].is_met)
            stack_memo_expect_more(w->memo, hashes[i - from]);
}

/* A trace that was met: known from an earlier chunk, or decoded now. */
static bool finish_trace(struct profile_worker *w, struct stack_layout *l, size_t index,
                         struct stack_hash hash, struct stack *s)
{
    uint32_t known = w->uses_memo ? stack_memo_find(w->memo, hash) : STACK_UNKNOWN;

    if (known != STACK_UNKNOWN) {
        *s = (struct stack){.start = known, .n = STACK_KNOWN};
        return true;
    }
    return add_stack(w, l, index, s) && (!w->uses_memo || add_lesson(w, hash, l->base + index));
}

/* Makes rows of what stands with the traces from..to. */
static bool finish_traces(struct profile_worker *w, struct stack_layout *l, size_t from, size_t to)
{
    struct stack_hash hashes[BATCH] = {{0}};

    if (w->uses_memo)
        hash_traces(w, l, from, to, hashes);
    for (size_t i = from; i < to; i++) {
        const struct trace_sums *t = &l->traces[i];
        struct sums_row row = {(uint64_t)t->group << 32 | (l->base + i), t->samples, t->weight,
                               t->squares};
        struct stack *s = (struct stack *)(void *)w->sums.stacks.p + l->base + i;

        s->n = STACK_UNUSED;
        if (!t->is_met)
            continue;
        buf_bytes(&w->sums.firsts, &row, sizeof(row));
        if (!finish_trace(w, l, i, hashes[i - from], s))
            return false;
    }
    return buf_ok(&w->sums.firsts);
}

/* Goes through the traces in the order of the pool. */
static bool finish_layout(struct profile_worker *w, struct stack_layout *l)
{
    size_t n = jfr_pool_n(l->stacks.traces);

    for (size_t i = 0; i < n; i += BATCH)
        if (!finish_traces(w, l, i, i + BATCH < n ? i + BATCH : n))
            return false;
    return true;
}

/* What the frame types of the chunk mean. */
static uint64_t hash_types(struct profile_worker *w, struct stack_layout *l)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < jfr_pool_n(l->stacks.types); i++) {
        uint64_t key = jfr_pool_key(l->stacks.types, i);

        hash += (key * 16 + type_of(w, l, key) + 1) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

/* The memo pays where more stacks than methods have to be looked at. It needs the usual layout, of
 * one kind of trace, and frames whose names depend on what the memo compares. */
static bool begin_memo(struct profile_worker *w, struct stack_layout *l)
{
    const struct jfr_pool *pool = l == NULL ? NULL : l->stacks.methods;
    uint64_t types;

    if (l == NULL || l->next != NULL || !l->stacks.has_usual_layout || w->names_by_more ||
        jfr_pool_n(pool) > jfr_pool_n(l->stacks.traces))
        return true;
    types = hash_types(w, l);
    if (types != w->memo->types)
        stack_memo_clear(w->memo);
    w->memo->types = types;
    if (!stack_memo_begin(w->memo))
        return false;
    w->uses_memo = true;
    for (size_t i = 0; i < jfr_pool_n(pool); i++) {
        struct jfr_frame frame = {.method_key = jfr_pool_key(pool, i), .line = -1, .bci = -1};
        struct jfr_method m;

        if (jfr_pool_find(pool, frame.method_key) != (int64_t)i)
            continue;
        jfr_method_get(&l->stacks, frame.method_key, &m);
        append_name(w, &m, &frame, FRAME_UNKNOWN);
        if (stack_memo_define(w->memo, frame.method_key, w->text.p, w->text.n) == METHOD_UNKNOWN)
            return false;
    }
    return true;
}

bool profile_worker_learn(struct profile_worker *w, const uint32_t *stacks)
{
    const uint32_t *frames = (const uint32_t *)(const void *)w->lesson_frames.p;
    const struct lesson *lessons = (const struct lesson *)(const void *)w->lessons.p;

    for (size_t i = 0; i < w->lessons.n / sizeof(*lessons); i++) {
        if (!stack_memo_learn(w->memo, lessons[i].hash, stacks[lessons[i].local], frames,
                              lessons[i].n))
            return false;
        frames += lessons[i].n;
    }
    return true;
}

int profile_stacks_finish(struct profile_worker *w)
{
    const struct stack_layout *last = w->layouts;
    size_t n = last == NULL ? 0 : last->base + jfr_pool_n(last->stacks.traces);

    if (!buf_ok(&w->end_names) || !buf_ok(&w->end_keys.text) || !buf_ok(&w->sums.names.text) ||
        !buf_reserve(&w->sums.stacks, n * sizeof(struct stack)) || n > UINT32_MAX)
        return JFR_E_NOMEM;
    w->sums.stacks.n = n * sizeof(struct stack);
    if (!begin_memo(w, w->layouts))
        return JFR_E_NOMEM;
    for (struct stack_layout *l = w->layouts; l != NULL; l = l->next)
        if (!finish_layout(w, l))
            return JFR_E_NOMEM;
    return 0;
}
