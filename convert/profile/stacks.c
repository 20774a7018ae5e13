/*
 * stacks.c - turns the stack traces of a chunk that events have named into stacks of the profile.
 *
 * In: places of traces in the chunk's pool, with the sums of their events (chunk.c). Out: numbers
 * of stacks, equal for equal frames in all chunks. A trace with the same bytes as one of an earlier
 * chunk is found in a memo by a hash; only the others are decoded and their frames named. It runs
 * when a chunk is merged, one worker at a time.
 */
#include "convert/profile/worker.h"

#define BATCH 32 /* traces that are looked up in the memo together */
#define HIDDEN_NAME (NO_NAME - 1) /* of a frame that is left out */

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

static inline enum frame_type type_of_frame(struct profile_worker *w, struct stack_layout *l,
                                            uint64_t key)
{
    if (key < sizeof(l->types) && l->types[key] != 255)
        return (enum frame_type)l->types[key];
    return find_type(w, l, key);
}

/* The names that were made of a method, by its place in the pool. */
static inline struct name_memo *memo_of(const struct stack_layout *l, uint64_t key)
{
    struct recent_method *r = &l->recent[(key * 0x9e3779b97f4a7c15u >> 32) % RECENT_METHODS];
    int64_t i;

    if (r->key == key && r->memo != NULL)
        return r->memo;
    i = jfr_pool_find(l->stacks.methods, key);
    *r = (struct recent_method){key, &l->memo[i < 0 ? (int64_t)jfr_pool_n(l->stacks.methods) : i]};
    return r->memo;
}

/* Makes the name in w->text; nothing for a frame that is left out. */
static void append_name(struct profile_worker *w, const struct jfr_method *m,
                        const struct jfr_frame *frame, enum frame_type type)
{
    buf_reset(&w->text);
    if (!w->opt->no_hidden || !m->is_hidden)
        frame_name_append(&w->text, &w->opt->names, m, frame, type);
}

/* Returns the profile's number of a frame's name, HIDDEN_NAME for a frame that is left out, or
 * NO_NAME if out of memory or if there are too many names. */
static uint32_t make_name(struct profile_worker *w, struct profile *p, struct stack_layout *l,
                          const struct jfr_frame *frame, enum frame_type type)
{
    struct jfr_method m;
    uint32_t name;

    jfr_method_get(&l->stacks, frame->method_key, &m);
    append_name(w, &m, frame, type);
    if (w->text.n == 0)
        return HIDDEN_NAME;
    name = intern_add(&p->names, w->text.p, w->text.n);
    return name > FRAME_NAME_MASK ? NO_NAME : name;
}

static uint32_t name_by_more(struct profile_worker *w, struct profile *p, struct stack_layout *l,
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
    name = make_name(w, p, l, frame, type);
    buf_bytes(&w->frame_names, &name, sizeof(name));
    return buf_ok(&w->frame_names) ? name : NO_NAME;
}

/* The method of a frame among those of the chunk, with its name: made when first met in any chunk.
 * NULL when memory is exhausted. */
static inline const struct name_memo *name_of(struct profile_worker *w, struct profile *p,
                                              struct stack_layout *l, const struct jfr_frame *frame,
                                              enum frame_type type)
{
    struct name_memo *m = memo_of(l, frame->method_key);
    uint32_t name;

    if (m->name != 0)
        return m;
    name = make_name(w, p, l, frame, type);
    if (name == NO_NAME)
        return NULL;
    m->name = name + 1;
    if (m->method != 0)
        *stack_memo_note(&p->memo, m->method - 1) = m->name;
    return m;
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

/* Frames of a stack as the profile numbers them, root first, and their methods in the memo. */
struct numbered {
    uint32_t *frames, *methods;
    uint32_t n, n_methods;
    bool is_known; /* the chunk defines all of its methods */
};

/* Takes over the decoded frames, which are top first. False if out of memory. */
static bool number_frames(struct profile_worker *w, struct profile *p, struct stack_layout *l,
                          size_t left, struct numbered *s)
{
    const struct jfr_frame *from = (const struct jfr_frame *)(const void *)w->decoded.p;
    uint32_t most = w->opt->depth == 0 ? UINT32_MAX : w->opt->depth, last = NO_NAME;
    bool merges = w->opt->no_recursion || w->opt->names.package > 0;

    while (left-- > 0 && s->n < most) {
        enum frame_type type = type_of_frame(w, l, from[left].type_key);
        const struct name_memo *m;
        uint32_t name;

        if (w->names_by_more) {
            name = name_by_more(w, p, l, &from[left], type);
        } else {
            m = name_of(w, p, l, &from[left], type);
            name = m == NULL ? NO_NAME : m->name - 1;
            s->is_known &= m != NULL && m->method != 0;
            s->methods[s->n_methods++] = m == NULL ? 0 : m->method - 1;
        }
        if (name == NO_NAME)
            return false;
        if ((name == last && merges) || name == HIDDEN_NAME)
            continue;
        last = name;
        s->frames[s->n++] = frame_of(name, type);
    }
    return true;
}

/* Decodes trace `index` and stores it in the memo. Returns its number in the profile, or
 * STACK_FAILED if out of memory. */
static uint32_t add_stack(struct profile_worker *w, struct profile *p, struct stack_layout *l,
                          size_t index, struct stack_hash hash)
{
    struct numbered s = {.is_known = w->uses_memo};
    struct jfr_frames it;
    uint32_t stack;
    size_t left;

    jfr_stacks_open(&l->stacks, index, &it);
    left = decode_frames(w, &it);
    s.frames = profile_numbers(&p->frames, left + 1);
    s.methods = profile_numbers(&p->methods, left + 1);
    if (!buf_ok(&w->decoded) || s.frames == NULL || s.methods == NULL)
        return STACK_FAILED;
    if (w->opt->mark_truncated && it.is_truncated) {
        uint32_t name = intern_add(&p->names, "[truncated]", 11);

        if (name > FRAME_NAME_MASK)
            return STACK_FAILED;
        s.frames[s.n++] = frame_of(name, FRAME_ROOT);
    }
    if (!number_frames(w, p, l, left, &s))
        return STACK_FAILED;
    stack = stackset_add(&p->stacks, s.frames, s.n);
    if (stack != STACK_FAILED && s.is_known &&
        !stack_memo_learn(&p->memo, hash, stack, s.methods, s.n_methods))
        return STACK_FAILED;
    return stack;
}

/* Hashes the traces from..to that were met, so that the memo's entries are in the cache when they
 * are looked up. */
static void hash_traces(const struct stack_memo *memo, const struct stack_layout *l, size_t from,
                        size_t to, struct stack_hash *hashes)
{
    for (size_t i = from; i < to; i++) {
        struct cursor bytes = jfr_pool_value(l->stacks.traces, i);

        if (!l->traces[i].is_met)
            continue;
        hashes[i - from] = stack_memo_hash(bytes.p, cur_left(&bytes));
        stack_memo_expect(memo, hashes[i - from]);
    }
    for (size_t i = from; i < to; i++)
        if (l->traces[i].is_met)
            stack_memo_expect_more(memo, hashes[i - from]);
    for (size_t i = from; i < to; i++)
        if (l->traces[i].is_met)
            stack_memo_expect_methods(memo, hashes[i - from]);
}

/* The number of a trace that was met: known from an earlier chunk, or decoded now. */
static uint32_t stack_of_trace(struct profile_worker *w, struct profile *p, struct stack_layout *l,
                               size_t index, struct stack_hash hash)
{
    uint32_t known = w->uses_memo ? stack_memo_find(&p->memo, hash) : STACK_UNKNOWN;

    return known != STACK_UNKNOWN ? known : add_stack(w, p, l, index, hash);
}

/* Adds the sums of trace `index` as a row. */
static void add_first(struct profile_worker *w, const struct stack_layout *l, size_t index)
{
    const struct trace_sums *t = &l->traces[index];
    struct sums_row row = {profile_row_key(l, index, t->group), t->samples, t->weight, t->squares};

    buf_bytes(&w->sums.firsts, &row, sizeof(row));
    if (w->opt->n_more > 0)
        buf_bytes(&w->sums.firsts_more, l->more + index * w->opt->n_more,
                  w->opt->n_more * sizeof(*l->more));
}

/* Adds rows for the traces from..to that events have named, and finds their stacks. */
static bool finish_traces(struct profile_worker *w, struct profile *p, struct stack_layout *l,
                          size_t from, size_t to)
{
    uint32_t *stacks = (uint32_t *)(void *)w->sums.stacks.p + l->base;
    struct stack_hash hashes[BATCH] = {{0}};

    if (w->uses_memo)
        hash_traces(&p->memo, l, from, to, hashes);
    for (size_t i = from; i < to; i++) {
        if (!l->traces[i].is_met)
            continue;
        add_first(w, l, i);
        stacks[i] = stack_of_trace(w, p, l, i, hashes[i - from]);
        if (stacks[i] == STACK_FAILED)
            return false;
    }
    return buf_ok(&w->sums.firsts) && buf_ok(&w->sums.firsts_more);
}

/* Events without a stack get a stack of one frame, "[no stack]". */
static bool finish_without(struct profile_worker *w, struct profile *p, struct stack_layout *l)
{
    size_t index = l->n_traces - 1;
    uint32_t name, frame, *stacks = (uint32_t *)(void *)w->sums.stacks.p + l->base;

    if (!l->traces[index].is_met)
        return true;
    add_first(w, l, index);
    name = intern_add(&p->names, "[no stack]", 10);
    if (name > FRAME_NAME_MASK)
        return false;
    frame = frame_of(name, FRAME_ROOT);
    stacks[index] = p->no_stack = stackset_add(&p->stacks, &frame, 1);
    return stacks[index] != STACK_FAILED && buf_ok(&w->sums.firsts) && buf_ok(&w->sums.firsts_more);
}

/* Goes through the traces in the order of the pool. */
static bool finish_layout(struct profile_worker *w, struct profile *p, struct stack_layout *l)
{
    size_t n = l->n_traces - 1;

    for (size_t i = 0; i < n; i += BATCH)
        if (!finish_traces(w, p, l, i, i + BATCH < n ? i + BATCH : n))
            return false;
    return finish_without(w, p, l);
}

/* What the frame types of the chunk mean. */
static uint64_t hash_types(struct profile_worker *w, struct stack_layout *l)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < jfr_pool_n(l->stacks.types); i++) {
        uint64_t key = jfr_pool_key(l->stacks.types, i);

        hash += (key * 16 + type_of_frame(w, l, key) + 1) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static void append_string(struct buf *b, const struct jfr_str *s)
{
    buf_byte(b, (uint8_t)s->encoding);
    buf_varint(b, s->n_bytes);
    buf_bytes(b, s->p, s->n_bytes);
}

/* All that the name of a frame may be made of, which is less work than the name. */
static void describe_method(struct buf *b, const struct jfr_method *m)
{
    buf_reset(b);
    append_string(b, &m->class_name);
    append_string(b, &m->name);
    append_string(b, &m->descriptor);
    buf_byte(b, m->is_hidden);
}

/* The memo pays where more stacks than methods have to be looked at. It needs the usual layout, of
 * one kind of trace, and frames whose names depend on what the memo compares. */
static bool begin_memo(struct profile_worker *w, struct profile *p, struct stack_layout *l)
{
    const struct jfr_pool *pool = l == NULL ? NULL : l->stacks.methods;
    uint64_t types;

    if (l == NULL || l->next != NULL || !l->stacks.has_usual_layout || w->names_by_more ||
        jfr_pool_n(pool) > jfr_pool_n(l->stacks.traces))
        return true;
    types = hash_types(w, l);
    if (types != p->memo.types)
        stack_memo_clear(&p->memo);
    p->memo.types = types;
    stack_memo_begin(&p->memo);
    w->uses_memo = true;
    for (size_t i = 0; i < jfr_pool_n(pool); i++) {
        uint64_t key = jfr_pool_key(pool, i);
        struct jfr_method m;
        uint32_t method;

        if (jfr_pool_find(pool, key) != (int64_t)i)
            continue;
        jfr_method_get(&l->stacks, key, &m);
        describe_method(&w->text, &m);
        method = stack_memo_define(&p->memo, key, w->text.p, w->text.n);
        if (method == METHOD_UNKNOWN || !buf_ok(&w->text))
            return false;
        l->memo[i].method = method + 1;
        l->memo[i].name = *stack_memo_note(&p->memo, method);
    }
    return true;
}

int profile_stacks_finish(struct profile_worker *w, struct profile *p)
{
    const struct stack_layout *last = w->layouts;
    size_t n = last == NULL ? 0 : last->base + last->n_traces;

    if (!buf_ok(&w->end_names) || !buf_ok(&w->end_keys.text) || !buf_ok(&w->sums.names.text) ||
        !buf_reserve(&w->sums.stacks, n * sizeof(uint32_t)) || n > UINT32_MAX)
        return JFR_E_NOMEM;
    w->sums.stacks.n = n * sizeof(uint32_t);
    if (!begin_memo(w, p, w->layouts))
        return JFR_E_NOMEM;
    for (struct stack_layout *l = w->layouts; l != NULL; l = l->next)
        if (!finish_layout(w, p, l))
            return JFR_E_NOMEM;
    return 0;
}
