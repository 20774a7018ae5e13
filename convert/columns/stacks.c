/*
 * stacks.c - gives stacks and frames their ids, and writes the tables in which the ids are found.
 *
 * An id is a hash of the content, so it is equal in all recordings; stacks.h has the rule. A
 * chunk's frames and stacks are identified once each, and written if no earlier chunk had them.
 */
#include "convert/columns/stacks.h"

#include "convert/text/frame_name.h"
#include "jfrfmt/base/intern.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

enum { /* columns of an event; the choice may leave out those that are no lists */
    ID,
    TOP,
    METHODS,
    LINES,
    PATH = METHODS,
};

enum part { /* of frames, as the elements of a list */
    PART_METHOD,
    PART_LINE,
    PART_FRAME,
    N_PARTS,
};

struct frame { /* of the loaded chunk */
    XXH128_canonical_t id; /* where ids are needed */
    uint32_t method; /* number of its name */
    int32_t line;
    uint32_t listed[N_PARTS]; /* dictionary numbers of its parts in the lists of a file */
    uint64_t generation[N_PARTS]; /* 1 + the generation of that file; 0: no number yet */
};

#define RECENT_FRAMES 4096

struct recent_frame { /* at a place that its bytes choose */
    uint64_t words[2]; /* the frame, followed by zeros */
    uint32_t n; /* its bytes; 0: the place is free */
    uint32_t number; /* in `known` */
};

struct stacks {
    struct parquet *stack_file, *frame_file;
    struct intern stack_ids, frame_ids; /* of all that were written */
    struct parquet_node *stack_id, *truncated, *methods, *lines, *frames, *frame_id;
    /* of the loaded chunk */
    struct json_values *values;
    const struct jfr_class *cls; /* of the traces that `layout` reads */
    bool is_readable; /* they are stacks as usual */
    bool has_ids; /* of frames */
    struct jfr_stacks layout;
    struct json_shape *frame_shape;
    struct fill frame_fill;
    struct filler *frame_filler;
    struct intern raw; /* the bytes of frames, */
    struct buf known; /* and struct frame of each */
    struct recent_frame recent[RECENT_FRAMES];
    struct intern names;
    uint32_t *method_names; /* by place in the pool of methods: number + 1; NULL: no memory */
    struct buf now; /* numbers in `known` of the frames of the stack at hand */
    struct buf listed; /* their dictionary numbers in the list at hand */
    struct buf ids, text;
};

static bool open_tables(struct stacks *s)
{
    struct parquet_node *stacks = parquet_root(s->stack_file), *element;

    s->stack_id = parquet_leaf(s->stack_file, stacks, "stack_id", PARQUET_ID, true);
    s->truncated = parquet_leaf(s->stack_file, stacks, "truncated", PARQUET_BOOLEAN, false);
    s->methods = parquet_list(s->stack_file, stacks, "methods");
    s->lines = parquet_list(s->stack_file, stacks, "lines");
    s->frames = parquet_list(s->stack_file, stacks, "frames");
    s->frame_id =
        parquet_leaf(s->frame_file, parquet_root(s->frame_file), "frame_id", PARQUET_ID, true);
    if (s->methods == NULL || s->lines == NULL || s->frames == NULL || s->frame_id == NULL)
        return false;
    element = parquet_leaf(s->stack_file, s->methods, "element", PARQUET_STRING, true);
    if (element != NULL)
        element = parquet_leaf(s->stack_file, s->lines, "element", PARQUET_INT32, true);
    if (element != NULL)
        element = parquet_leaf(s->stack_file, s->frames, "element", PARQUET_ID, true);
    return element != NULL && !parquet_failed(s->stack_file) && !parquet_failed(s->frame_file);
}

struct stacks *stacks_new(struct parquet *stack_file, struct parquet *frame_file)
{
    struct stacks *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->has_ids = stack_file != NULL;
    s->stack_file = stack_file;
    s->frame_file = frame_file;
    if (stack_file == NULL || open_tables(s))
        return s;
    stacks_free(s);
    return NULL;
}

void stacks_free(struct stacks *s)
{
    if (s == NULL)
        return;
    intern_free(&s->stack_ids);
    intern_free(&s->frame_ids);
    intern_free(&s->raw);
    intern_free(&s->names);
    fill_free(&s->frame_fill);
    buf_free(&s->known);
    buf_free(&s->now);
    buf_free(&s->listed);
    buf_free(&s->ids);
    buf_free(&s->text);
    free(s);
}

void stacks_load(struct stacks *s, struct json_values *values)
{
    s->values = values;
    s->cls = NULL;
    s->frame_shape = NULL;
    s->frame_filler = NULL;
    intern_reset(&s->names);
    if (s->frame_file != NULL)
        fill_load(&s->frame_fill, values, s->frame_file);
}

/* --- frames --- */

static void forget_frames(struct stacks *s)
{
    intern_reset(&s->raw);
    buf_reset(&s->known);
    memset(s->recent, 0, sizeof(s->recent));
    s->method_names =
        arena_array(jfr_chunk_arena(s->values->shapes.chunk),
                    s->is_readable ? jfr_pool_n(s->layout.methods) : 0, sizeof(*s->method_names));
}

/* The shape of the frames of a trace. */
static struct json_shape *frame_shape_of(struct stacks *s, struct json_shape *traces)
{
    if (!json_value_compile(s->values, traces))
        return NULL;
    for (size_t i = 0; i < traces->n_members; i++)
        if (traces->members[i].is_frames)
            return traces->members[i].shape;
    return NULL;
}

static bool read_layout(struct stacks *s, struct json_shape *traces)
{
    const struct jfr_field any = {.type = traces->cls, .is_pooled = true};

    if (s->cls != traces->cls) {
        s->cls = traces->cls;
        s->frame_shape = frame_shape_of(s, traces);
        s->is_readable = s->frame_shape != NULL &&
                         jfr_stacks_init(&s->layout, s->values->shapes.chunk, &any) == 0;
        s->frame_filler = NULL;
        forget_frames(s);
    }
    return s->is_readable;
}

/* Returns the bytes of a frame: those in the trace, or those of the constant whose key is there. */
static struct cursor frame_value(struct stacks *s, struct cursor raw)
{
    int64_t i;

    if (s->layout.frame_pool == NULL)
        return raw;
    i = jfr_pool_find(s->layout.frame_pool, cur_varint(&raw));
    return i < 0 ? cur_over(NULL, 0) : jfr_pool_value(s->layout.frame_pool, (size_t)i);
}

static void write_new_frame(struct stacks *s, const struct frame *frame, struct cursor value)
{
    struct parquet_node *root = parquet_root(s->frame_file);

    fill_expire(&s->frame_fill);
    if (s->frame_filler == NULL || !fill_is_current(&s->frame_fill, s->frame_filler))
        s->frame_filler = fill_class(&s->frame_fill, s->frame_shape, root, &s->frame_id, 1);
    if (s->frame_filler == NULL) {
        s->values->failed = true;
        return;
    }
    parquet_put(s->frame_id, s->frame_id->def, 0,
                parquet_id_of_text(s->frame_id, &frame->id, sizeof(frame->id)));
    fill_object(&s->frame_fill, s->frame_filler, &value);
    parquet_end_row(s->frame_file);
}

static uint32_t name_method_of(struct stacks *s, const struct jfr_frame *frame)
{
    static const struct name_options style = {.style = NAME_DOT};
    struct jfr_method method;

    buf_reset(&s->text);
    jfr_method_get(&s->layout, frame->method_key, &method);
    frame_name_append(&s->text, &style, &method, frame, FRAME_UNKNOWN);
    return intern_add(&s->names, s->text.p, s->text.n);
}

/* The name has no line, so all frames of a method share it. */
static void name_frame(struct stacks *s, struct frame *to, const struct jfr_frame *frame)
{
    int64_t i = jfr_pool_find(s->layout.methods, frame->method_key);
    uint32_t *name = i < 0 || s->method_names == NULL ? NULL : &s->method_names[i];

    to->line = frame->line;
    if (name == NULL) {
        to->method = name_method_of(s, frame);
        return;
    }
    if (*name == 0)
        *name = name_method_of(s, frame) + 1;
    to->method = *name - 1;
}

static void identify_frame(struct stacks *s, struct frame *to, struct cursor value)
{
    buf_reset(&s->text);
    json_values_begin(s->values, &s->text);
    json_value_object(s->values, s->frame_shape, &value, &s->text);
    XXH128_canonicalFromHash(&to->id, XXH3_128bits(s->text.p, s->text.n));
}

/* Identifies a frame that has the next number. False if out of memory. */
static bool add_frame(struct stacks *s, struct cursor raw, const struct jfr_frame *frame)
{
    struct cursor value = frame_value(s, raw);
    struct frame made = {0};
    size_t n_ids;
    uint32_t id;

    name_frame(s, &made, frame);
    if (s->has_ids)
        identify_frame(s, &made, value);
    buf_bytes(&s->known, &made, sizeof(made));
    if (!buf_ok(&s->known) || made.method == INTERN_FAILED)
        return false;
    if (s->frame_file == NULL)
        return true;
    n_ids = intern_n(&s->frame_ids);
    id = intern_add(&s->frame_ids, &made.id, sizeof(made.id));
    if (id == n_ids)
        write_new_frame(s, &made, value);
    return id != INTERN_FAILED;
}

/* Returns the number of a frame in the chunk. Frames with equal bytes have the same number. */
static uint32_t frame_number(struct stacks *s, struct cursor raw, const struct jfr_frame *frame)
{
    uint32_t number = intern_add(&s->raw, raw.p, cur_left(&raw));

    if (number == INTERN_FAILED || number < s->known.n / sizeof(struct frame))
        return number;
    return add_frame(s, raw, frame) ? number : INTERN_FAILED;
}

/* The n bytes from p on, n at most 8, in the place of the lowest ones. 8 bytes are readable. */
static uint64_t word_of(const uint8_t *p, size_t n)
{
    return n == 0 ? 0 : cur_word(p) << (64 - 8 * n) >> (64 - 8 * n);
}

/* The same, by the bytes themselves where the frame was met recently: most are, and few frames take
 * more than 16 bytes. `end`: of the bytes that may be read. */
static uint32_t recent_frame_number(struct stacks *s, struct cursor raw, const uint8_t *end,
                                    const struct jfr_frame *frame)
{
    size_t n = cur_left(&raw), n_low = n < 8 ? n : 8;
    struct recent_frame *recent;
    uint64_t low, high;
    uint32_t number;

    if (n == 0 || n > 16 || end - raw.p < 16)
        return frame_number(s, raw, frame);
    low = word_of(raw.p, n_low);
    high = word_of(raw.p + 8, n - n_low);
    recent = &s->recent[hash_number(low ^ high << 32) % RECENT_FRAMES];
    if (recent->words[0] == low && recent->words[1] == high && recent->n == n)
        return recent->number;
    number = frame_number(s, raw, frame);
    if (number != INTERN_FAILED)
        *recent = (struct recent_frame){{low, high}, (uint32_t)n, number};
    return number;
}

/* --- stacks --- */

/* Reads trace i: stores the numbers of its first `most` frames in s->now. Frames after damage are
 * left out, and the damage is reported. */
static bool read_stack(struct stacks *s, size_t i, size_t most, bool *is_truncated)
{
    struct jfr_frames it;
    struct jfr_frame frame;
    const uint8_t *at;
    uint32_t number;

    buf_reset(&s->now);
    *is_truncated = false;
    if (jfr_stacks_open(&s->layout, i, &it) != 0)
        return false;
    *is_truncated = it.is_truncated;
    for (at = it.c.p; most-- > 0 && jfr_frames_next(&it, &frame); at = it.c.p) {
        number = recent_frame_number(s, cur_over(at, (size_t)(it.c.p - at)), it.c.end, &frame);
        buf_bytes(&s->now, &number, sizeof(number));
        if (number == INTERN_FAILED || !buf_ok(&s->now)) {
            s->values->failed = true;
            return false;
        }
    }
    return cur_ok(&it.c);
}

static struct frame *frame_now(const struct stacks *s, size_t i)
{
    struct frame *known = (void *)s->known.p;
    const uint32_t *now = (const void *)s->now.p;

    return &known[now[i]];
}

static XXH128_canonical_t identify_stack(struct stacks *s, bool is_truncated)
{
    XXH128_canonical_t id;
    size_t n = s->now.n / sizeof(uint32_t);

    buf_reset(&s->ids);
    buf_byte(&s->ids, is_truncated);
    for (size_t i = 0; i < n; i++)
        buf_bytes(&s->ids, &frame_now(s, i)->id, sizeof(id));
    s->values->failed |= !buf_ok(&s->ids);
    XXH128_canonicalFromHash(&id, XXH3_128bits(s->ids.p, s->ids.n));
    return id;
}

static uint32_t id_of_method(const struct stacks *s, const struct frame *frame,
                             struct parquet_node *leaf)
{
    size_t n;
    const char *name = intern_get(&s->names, frame->method, &n);

    return parquet_id_of_text(leaf, name, n);
}

/* The numbers that stand for a frame's parts in lists, all of which lie in one file. */
static uint32_t list_frame(const struct stacks *s, const struct frame *frame, enum part part,
                           struct parquet_node *leaf)
{
    if (part == PART_METHOD)
        return id_of_method(s, frame, leaf);
    if (part == PART_FRAME)
        return parquet_id_of_text(leaf, &frame->id, sizeof(frame->id));
    return frame->line > 0 ? parquet_id_of_number(leaf, frame->line) : PARQUET_NULL;
}

/* Lines that are not known are null. */
static void put_frame_list(struct stacks *s, struct fill *fill, struct parquet_node *list,
                           enum part part)
{
    uint64_t generation = parquet_generation(fill->file) + 1;
    size_t n = s->now.n / sizeof(uint32_t);
    uint32_t *numbers;

    buf_reset(&s->listed);
    if (!buf_reserve(&s->listed, s->now.n)) {
        s->values->failed = true;
        return;
    }
    numbers = (uint32_t *)(void *)s->listed.p;
    for (size_t i = 0; i < n; i++) {
        struct frame *frame = frame_now(s, i);

        if (frame->generation[part] != generation)
            frame->listed[part] = list_frame(s, frame, part, list->children[0]);
        frame->generation[part] = generation;
        numbers[i] = frame->listed[part];
    }
    fill_put_list(fill, list, numbers, n);
}

static void write_new_stack(struct stacks *s, const XXH128_canonical_t *id, bool is_truncated)
{
    struct fill fill = {.file = s->stack_file, .values = s->values};
    size_t n = intern_n(&s->stack_ids);
    uint32_t number = intern_add(&s->stack_ids, id, sizeof(*id));

    if (number == INTERN_FAILED) {
        s->values->failed = true;
        return;
    }
    if (number < n)
        return;
    parquet_put(s->stack_id, s->stack_id->def, 0, parquet_id_of_text(s->stack_id, id, sizeof(*id)));
    parquet_put(s->truncated, s->truncated->def, 0, is_truncated);
    put_frame_list(s, &fill, s->methods, PART_METHOD);
    put_frame_list(s, &fill, s->lines, PART_LINE);
    put_frame_list(s, &fill, s->frames, PART_FRAME);
    parquet_end_row(s->stack_file);
}

/* Methods from the root on. */
static void put_stack_path(struct stacks *s, struct fill *fill, struct parquet_node *leaf)
{
    size_t length;

    buf_reset(&s->text);
    for (size_t i = s->now.n / sizeof(uint32_t); i-- > 0;) {
        const char *name = intern_get(&s->names, frame_now(s, i)->method, &length);

        buf_bytes(&s->text, name, length);
        if (i > 0)
            buf_byte(&s->text, ';');
    }
    s->values->failed |= !buf_ok(&s->text);
    fill_put(fill, leaf, leaf->def, 0, parquet_id_of_text(leaf, s->text.p, s->text.n));
}

static void put_id(struct stacks *s, struct fill *fill, struct parquet_node *leaf,
                   bool is_truncated)
{
    XXH128_canonical_t id = identify_stack(s, is_truncated);

    if (leaf != NULL)
        fill_put(fill, leaf, leaf->def, 0, parquet_id_of_text(leaf, &id, sizeof(id)));
    if (s->stack_file != NULL)
        write_new_stack(s, &id, is_truncated);
}

static void put_top(struct stacks *s, struct fill *fill, struct parquet_node *leaf)
{
    if (s->now.n > 0)
        fill_put(fill, leaf, leaf->def, 0, id_of_method(s, frame_now(s, 0), leaf));
    else
        fill_null(fill, leaf, 0);
}

static void take_stack(void *ctx, struct fill *fill, struct parquet_node *const *nodes,
                       struct json_shape *shape, size_t i)
{
    struct stacks *s = ctx;
    bool is_path = nodes[PATH] != NULL && nodes[PATH]->kind == PARQUET_LEAF, is_truncated = false;
    bool has_ids = nodes[ID] != NULL || s->stack_file != NULL;
    size_t most = has_ids || nodes[PATH] != NULL ? SIZE_MAX : 1;
    bool is_whole;

    if (has_ids && !s->has_ids) { /* those that are known have none */
        s->has_ids = true;
        s->cls = NULL;
    }
    is_whole = read_layout(s, shape) && read_stack(s, i, most, &is_truncated);
    if (!is_whole && fill->values->bad == NULL) {
        fill->values->bad = jfr_pool_value(shape->pool, i).p;
        fill->values->what = "a stack trace is damaged";
    }
    if (!s->is_readable) {
        for (size_t k = 0; k < FILL_STACK_NODES; k++)
            if (nodes[k] != NULL)
                fill_null(fill, nodes[k], 0);
        return;
    }
    if (has_ids)
        put_id(s, fill, nodes[ID], is_truncated);
    if (nodes[TOP] != NULL)
        put_top(s, fill, nodes[TOP]);
    if (is_path)
        put_stack_path(s, fill, nodes[PATH]);
    else if (nodes[METHODS] != NULL)
        put_frame_list(s, fill, nodes[METHODS], PART_METHOD);
    if (nodes[LINES] != NULL)
        put_frame_list(s, fill, nodes[LINES], PART_LINE);
}

/* --- columns of events --- */

static const char *column_name(struct stacks *s, const char *name, const char *end)
{
    buf_reset(&s->text);
    buf_printf(&s->text, "%s%s", name, end);
    return arena_strndup(jfr_chunk_arena(s->values->shapes.chunk), (const char *)s->text.p,
                         s->text.n);
}

static struct parquet_node *open_list(struct stacks *s, struct fill *fill,
                                      struct parquet_node *parent, const char *name,
                                      const char *end, enum parquet_type type)
{
    const char *full = column_name(s, name, end);
    struct parquet_node *list = full == NULL ? NULL : fill_list(fill, parent, full);

    return list == NULL || fill_leaf(fill, list, "element", type, true) == NULL ? NULL : list;
}

/* False: memory is exhausted. */
static bool open_wanted(struct fill *fill, struct parquet_node *parent, const char *name,
                        enum parquet_type type, struct parquet_node **node)
{
    if (name == NULL || !fill_wants(fill, parent, name, NULL))
        return name != NULL;
    *node = fill_leaf(fill, parent, name, type, true);
    return *node != NULL;
}

static bool open_id(void *ctx, struct fill *fill, struct parquet_node *parent,
                    const struct jfr_field *field, struct parquet_node **nodes)
{
    struct stacks *s = ctx;
    const struct jfr_field any = {.type = field->type, .is_pooled = true};
    struct jfr_stacks layout;
    const char *top = column_name(s, field->name, "_top");

    if (jfr_stacks_init(&layout, s->values->shapes.chunk, &any) != 0)
        return false;
    return open_wanted(fill, parent, field->name, PARQUET_ID, &nodes[ID]) &&
           open_wanted(fill, parent, top, PARQUET_STRING, &nodes[TOP]);
}

static bool open_with_path(void *ctx, struct fill *fill, struct parquet_node *parent,
                           const struct jfr_field *field, struct parquet_node **nodes)
{
    return open_id(ctx, fill, parent, field, nodes) &&
           open_wanted(fill, parent, column_name(ctx, field->name, "_path"), PARQUET_STRING,
                       &nodes[PATH]);
}

static bool open_frames(void *ctx, struct fill *fill, struct parquet_node *parent,
                        const struct jfr_field *field, struct parquet_node **nodes)
{
    if (!open_id(ctx, fill, parent, field, nodes))
        return false;
    nodes[METHODS] = open_list(ctx, fill, parent, field->name, "_methods", PARQUET_STRING);
    nodes[LINES] = open_list(ctx, fill, parent, field->name, "_lines", PARQUET_INT32);
    return nodes[METHODS] != NULL && nodes[LINES] != NULL;
}

struct fill_stacks stacks_rule(struct stacks *s, enum stacks_show show)
{
    return (struct fill_stacks){show == STACKS_LISTS  ? open_frames
                                : show == STACKS_PATH ? open_with_path
                                                      : open_id,
                                take_stack, s};
}
