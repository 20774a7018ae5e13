/*
 * text.c - walks an event and writes its fields as text, those of the thread and the stack trace
 * last.
 */
#include "convert/print/text_internal.h"

#include "convert/text/javatext.h"
#include "convert/text/jsonw.h"

#define TEXT_MOST ((size_t)16 << 20) /* bytes of one event's text, roughly */
#define NESTED_MOST 200 /* structures inside one another */

/* Colours by their standard numbers, whose shades users choose in their terminal. */
#define NAME_COLOUR "\033[1;36m"
#define FIELD_COLOUR "\033[34m"
#define CONTEXT_COLOUR "\033[32m"
#define NO_COLOUR "\033[0m"

bool text_load(struct text_printer *t, struct jfr_chunk *chunk, const struct json_clock *clock,
               struct arena *traces)
{
    t->chunk = chunk;
    t->traces = traces;
    t->clock = *clock;
    t->kept = 0;
    t->classes = arena_array(jfr_chunk_arena(chunk), jfr_chunk_metadata(chunk)->n_classes,
                             sizeof(*t->classes));
    return t->classes != NULL;
}

void text_free(struct text_printer *t)
{
    buf_free(&t->line);
}

/* Replaces control characters from a place on, by which a text could command a terminal, and with
 * is_one_line those that end a line. */
static void show_controls(struct buf *b, size_t from, bool is_one_line)
{
    struct buf text = {0};
    size_t plain = from;

    while (plain < b->n && b->p[plain] >= 0x20 && b->p[plain] < 0x7f)
        plain++;
    if (plain == b->n)
        return;
    for (size_t i = from; i < b->n; i++) {
        bool is_two = b->p[i] == 0xc2 && i + 1 < b->n && b->p[i + 1] < 0xa0;
        unsigned c = is_two ? b->p[++i] : b->p[i];

        if (is_one_line && c == '\n')
            buf_str(&text, "\\n");
        else if (is_two || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            buf_printf(&text, "\\u%04x", c);
        else
            buf_byte(&text, (uint8_t)c);
    }
    if (buf_ok(&text)) {
        b->n = from;
        buf_bytes(b, text.p, text.n);
    } else {
        b->failed = true;
    }
    buf_free(&text);
}

/* Escapes the texts from a place on as their output needs it. */
static void make_fit(const struct text_printer *t, struct buf *b, size_t from)
{
    if (t->style->is_terminal || t->style->is_one_line)
        show_controls(b, from, t->style->is_one_line);
}

/* A name, in a colour; NULL: in none. */
static void put_plain_name(const struct text_printer *t, const char *colour, const char *text,
                           struct buf *b)
{
    size_t from;

    if (colour != NULL)
        buf_str(b, colour);
    from = b->n;
    buf_str(b, text);
    make_fit(t, b, from);
    if (colour != NULL)
        buf_str(b, NO_COLOUR);
}

/* The name of a field or context. oneline.c finds fields by their names, so they are plain there.
 */
static void put_field_name(const struct text_printer *t, const char *colour, const char *text,
                           struct buf *b)
{
    put_plain_name(t, t->style->has_colours && !t->style->is_one_line ? colour : NULL, text, b);
}

void text_put_name(struct text_printer *t, const char *name, struct buf *b)
{
    put_plain_name(t, t->style->has_colours ? NAME_COLOUR : NULL, name, b);
}

void text_put_str(const struct text_printer *t, struct buf *b, struct jfr_str s)
{
    size_t from = b->n;

    if (t->style->is_own)
        jfr_str_append_utf8(b, s);
    else
        javatext_string(b, s);
    make_fit(t, b, from);
}

static enum text_thing thing_of(const struct jfr_class *cls)
{
    static const char *const prefixes[] = {"jdk.types.", "com.oracle.jfr.types."}; /* of JDK 9 */
    static const struct {
        const char *name;
        enum text_thing thing;
    } things[] = {
        {"ClassLoader", TEXT_LOADER},
        {"Method", TEXT_METHOD},
        {"StackFrame", TEXT_FRAME},
        {"OldObject", TEXT_OLD_OBJECT},
    };

    if (strcmp(cls->name, "java.lang.Thread") == 0)
        return TEXT_THREAD;
    if (strcmp(cls->name, "java.lang.Class") == 0)
        return TEXT_CLASS;
    for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++)
        for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
            size_t n = strlen(prefixes[p]);

            if (strncmp(cls->name, prefixes[p], n) == 0 &&
                strcmp(cls->name + n, things[i].name) == 0)
                return things[i].thing;
        }
    return TEXT_STRUCT;
}

struct text_class *text_class_of(struct text_printer *t, const struct jfr_class *cls)
{
    struct text_class **place = &t->classes[cls->index], *k = *place;
    struct arena *arena = jfr_chunk_arena(t->chunk);

    if (k != NULL && k->cls == cls)
        return k;
    k = arena_alloc(arena, sizeof(*k));
    if (k == NULL)
        return NULL;
    *k = (struct text_class){.cls = cls, .thing = thing_of(cls)};
    k->members = arena_array(arena, cls->n_fields + 1, sizeof(*k->members));
    if (k->members == NULL)
        return NULL;
    for (size_t i = 0; i < cls->n_fields; i++) {
        k->members[i] = text_meaning_of(&cls->fields[i]);
        k->members[i].is_unsigned &= !t->style->is_17;
    }
    *place = k;
    return k;
}

/* --- values --- */

static void put_text_field(struct text_printer *t, const struct text_member *m, struct cursor *c,
                           unsigned indent, const char *behind, struct buf *b);

static void put_text_members(struct text_printer *t, struct text_class *k, struct cursor *c,
                             unsigned indent, struct buf *b)
{
    for (size_t i = 0; i < k->cls->n_fields; i++) {
        text_indent(b, indent);
        put_field_name(t, FIELD_COLOUR, k->cls->fields[i].name, b);
        buf_str(b, " = ");
        put_text_field(t, &k->members[i], c, indent, "", b);
    }
}

bool text_may_continue(struct text_printer *t, const struct cursor *c, const struct buf *b)
{
    if (t->n_nested < NESTED_MOST && b->n - t->start < TEXT_MOST)
        return true;
    text_note_bad(t, c->p,
                  t->n_nested < NESTED_MOST ? "the text of this event is too long"
                                            : "values are nested too deeply");
    return false;
}

/* A structure over several lines. */
static void put_braces(struct text_printer *t, struct text_class *k, struct cursor *c,
                       unsigned indent, const char *behind, struct buf *b)
{
    if (!text_may_continue(t, c, b)) {
        buf_str(b, "N/A");
        text_end_line(b, behind);
        return;
    }
    t->n_nested++;
    buf_str(b, "{\n");
    put_text_members(t, k, c, indent + 2, b);
    text_indent(b, indent);
    buf_byte(b, '}');
    text_end_line(b, behind);
    t->n_nested--;
}

/* --- stack traces --- */

static void put_before_frame(struct text_printer *t, uint64_t shown, unsigned indent, struct buf *b)
{
    if (!t->style->is_one_line)
        text_indent(b, indent + 2);
    else
        buf_str(b, shown > 0 ? " < " : " ");
}

/* The frames as far as the style wants them, without those of hidden methods. What was left out, or
 * was not recorded, is three dots. */
static void make_trace(struct text_printer *t, struct text_stacks *s, size_t place, unsigned indent,
                       struct buf *b)
{
    struct jfr_frames it;
    struct jfr_frame frame;
    struct jfr_method m;
    uint64_t n = 0, shown = 0;
    const char *behind = t->style->is_one_line ? "" : "\n";

    if (!t->style->is_one_line)
        buf_str(b, "[\n");
    if (jfr_stacks_open(&s->st, place, &it) != 0)
        it.left = 0;
    while (shown < t->style->stack_depth && text_may_continue(t, &it.c, b) &&
           jfr_frames_next(&it, &frame)) {
        n++;
        if (jfr_method_get(&s->st, frame.method_key, &m) && m.is_hidden)
            continue;
        put_before_frame(t, shown++, indent, b);
        text_put_method_of_stack(t, s, frame.method_key, b);
        if (frame.line >= 0) {
            buf_str(b, " line: ");
            jsonw_i64(b, frame.line);
        }
        buf_str(b, behind);
    }
    if (it.is_truncated || n == t->style->stack_depth) {
        put_before_frame(t, shown, indent, b);
        buf_str(b, "...");
        buf_str(b, behind);
    }
    if (t->style->is_one_line)
        return;
    text_indent(b, indent);
    buf_str(b, "]\n");
}

/* Writes the stack trace, the last field of an event. Its text is kept and reused for all events
 * with this trace, within a limit. */
static void put_trace(struct text_printer *t, struct text_stacks *s, size_t place, struct buf *b)
{
    struct text_kept *kept = &s->traces[place];
    size_t from = b->n;

    if (kept->text == NULL) {
        make_trace(t, s, place, 2, b);
        text_keep(t, t->traces, kept, b, from);
    }
    if (kept->text == NULL)
        return;
    b->n = from;
    t->put.tail = kept->text;
    t->put.n_tail = kept->n;
}

/* --- fields --- */

static void put_string_value(struct text_printer *t, struct jfr_str s, struct buf *b)
{
    s = jfr_chunk_resolve(t->chunk, s);
    if (jfr_str_is_null(s) || s.encoding == JFR_STR_CONSTANT) {
        buf_str(b, "N/A");
        return;
    }
    buf_byte(b, '"');
    text_put_str(t, b, s);
    buf_byte(b, '"');
}

static void put_text_number(struct text_printer *t, const struct text_member *m, enum jfr_kind kind,
                            struct cursor *c, struct buf *b)
{
    static const unsigned unused[] = {
        [JFR_BYTE] = 56, [JFR_SHORT] = 48, [JFR_INT] = 32, [JFR_LONG] = 0};
    uint64_t bits;
    uint32_t low;
    double d;
    float f;

    switch (kind) {
    case JFR_BOOLEAN:
        buf_str(b, cur_be(c, 1) != 0 ? "true" : "false");
        break;
    case JFR_CHAR: {
        uint8_t body[9];
        struct buf one = buf_fixed(body, sizeof(body));

        buf_varint(&one, (uint16_t)cur_varint(c));
        text_put_str(t, b, (struct jfr_str){body, 1, one.n, JFR_STR_UTF16});
        break;
    }
    case JFR_FLOAT:
        low = (uint32_t)cur_be(c, 4);
        memcpy(&f, &low, sizeof(f));
        text_put_real(t, m, f, true, b);
        break;
    case JFR_DOUBLE:
        bits = cur_be(c, 8);
        memcpy(&d, &bits, sizeof(d));
        text_put_real(t, m, d, false, b);
        break;
    default:
        bits = kind == JFR_BYTE ? cur_be(c, 1) : cur_varint(c);
        bits <<= unused[kind];
        text_put_whole(
            t, m, kind,
            m->is_unsigned ? (int64_t)(bits >> unused[kind]) : (int64_t)bits >> unused[kind], b);
    }
}

static void put_struct_value(struct text_printer *t, struct text_class *k, struct cursor *c,
                             unsigned indent, const char *behind, struct buf *b)
{
    if (k == NULL)
        cur_fail(c);
    else
        put_braces(t, k, c, indent, behind, b);
}

/* Writes a constant, or the value of a simple type. */
static void put_constant_value(struct text_printer *t, const struct text_member *m,
                               const struct jfr_class *cls, uint64_t key, unsigned indent,
                               const char *behind, struct buf *b);

/* Writes a value that is in the event itself. */
static void put_own_value(struct text_printer *t, const struct text_member *m,
                          const struct jfr_class *cls, struct cursor *c, unsigned indent,
                          const char *behind, struct buf *b)
{
    size_t from;

    if (!cur_ok(c) || (cls->is_simple && cls->n_fields == 1 && !text_may_continue(t, c, b))) {
        cur_fail(c); /* damage before it, or a simple type of itself */
        buf_str(b, "N/A");
        text_end_line(b, behind);
        return;
    }
    if (cls->is_simple && cls->n_fields == 1) {
        const struct jfr_field *f = &cls->fields[0];

        t->n_nested++;
        if (f->is_pooled)
            put_constant_value(t, m, f->type, cur_varint(c), indent, behind, b);
        else
            put_own_value(t, m, f->type, c, indent, behind, b);
        t->n_nested--;
        return;
    }
    if (cls->kind == JFR_STRUCT) {
        put_struct_value(t, cls->is_unknown ? NULL : text_class_of(t, cls), c, indent, behind, b);
        return;
    }
    from = b->n;
    if (cls->kind == JFR_STRING)
        put_string_value(t, jfr_str_read(c), b);
    else
        put_text_number(t, m, cls->kind, c, b);
    if (!cur_ok(c)) {
        b->n = from;
        buf_str(b, "N/A");
    }
    text_end_line(b, behind);
}

static void put_constant_value(struct text_printer *t, const struct text_member *m,
                               const struct jfr_class *cls, uint64_t key, unsigned indent,
                               const char *behind, struct buf *b)
{
    struct text_class *k = cls->is_unknown ? NULL : text_class_of(t, cls);
    const struct jfr_pool *pool = k == NULL ? NULL : jfr_chunk_pool(t->chunk, cls);
    int64_t i = pool == NULL ? -1 : jfr_pool_find(pool, key);
    struct cursor value;

    if (i < 0) {
        buf_str(b, "N/A");
        text_end_line(b, behind);
    } else if (k->thing == TEXT_OLD_OBJECT) {
        text_put_old_object(t, cls, key, indent, b);
    } else if (k->thing != TEXT_STRUCT && k->thing != TEXT_FRAME) {
        text_put_thing(t, k, key, b);
        text_end_line(b, behind);
    } else {
        value = jfr_pool_value(pool, (size_t)i);
        put_own_value(t, m, cls, &value, indent, behind, b);
        if (!cur_ok(&value))
            text_note_bad(t, value.fail, "a constant ends inside a value");
    }
}

static void put_text_element(struct text_printer *t, const struct text_member *m, struct cursor *c,
                             unsigned indent, const char *behind, struct buf *b)
{
    const struct jfr_field *f = m->field;

    if (f->is_pooled)
        put_constant_value(t, m, f->type, cur_varint(c), indent, behind, b);
    else
        put_own_value(t, m, f->type, c, indent, behind, b);
}

static void put_text_field(struct text_printer *t, const struct text_member *m, struct cursor *c,
                           unsigned indent, const char *behind, struct buf *b)
{
    uint64_t n;

    if (!m->field->is_array) {
        put_text_element(t, m, c, indent, behind, b);
        return;
    }
    n = cur_varint(c);
    if (n > cur_left(c))
        cur_fail(c);
    buf_str(b, "[\n");
    for (uint64_t i = 0; i < n && cur_ok(c) && text_may_continue(t, c, b); i++) {
        text_indent(b, indent + 2);
        put_text_element(t, m, c, indent + 2, i + 1 < n ? ", " : "", b);
    }
    text_indent(b, indent);
    buf_str(b, "]\n");
}

/* --- events --- */

/* A field named "duration" of 0 is not shown, whatever it is. */
static bool is_zero_duration(const struct jfr_field *f, struct cursor c)
{
    return strcmp(f->name, "duration") == 0 && f->type->kind == JFR_LONG && !f->is_array &&
           !f->is_pooled && cur_varint(&c) == 0 && cur_ok(&c);
}

/* eventThread and stackTrace are written after all other fields. */
struct late_field {
    const struct jfr_field *field; /* NULL: there is none */
    uint64_t key;
};

static bool take_late(const struct jfr_field *f, struct cursor c, struct late_field *thread,
                      struct late_field *stack)
{
    struct late_field *late = strcmp(f->name, "eventThread") == 0  ? thread
                              : strcmp(f->name, "stackTrace") == 0 ? stack
                                                                   : NULL;

    if (late != NULL && jfr_field_is_key(f))
        *late = (struct late_field){f, cur_varint(&c)};
    return late != NULL;
}

static void put_late_fields(struct text_printer *t, struct text_class *k,
                            const struct late_field *thread, const struct late_field *stack,
                            struct buf *b)
{
    struct text_class *of = thread->field == NULL ? NULL : text_class_of(t, thread->field->type);
    struct text_stacks *st = stack->field == NULL ? NULL : text_stacks_of(t, k, stack->field);
    int64_t place = st == NULL ? -1 : jfr_pool_find(st->st.traces, stack->key);
    size_t from = b->n;

    if (of != NULL && of->thing == TEXT_THREAD) {
        buf_str(b, "  ");
        put_field_name(t, FIELD_COLOUR, "eventThread", b);
        buf_str(b, " = ");
        if (text_put_thing(t, of, thread->key, b))
            buf_byte(b, '\n');
        else
            b->n = from;
    }
    if (place >= 0) {
        buf_str(b, "  ");
        put_field_name(t, FIELD_COLOUR, "stackTrace", b);
        buf_str(b, t->style->is_one_line ? " =" : " = ");
        put_trace(t, st, (size_t)place, b);
    }
}

struct text_event text_put_event(struct text_printer *t, const struct jfr_event *ev, struct buf *b)
{
    struct text_class *k = text_class_of(t, ev->type);
    struct late_field thread = {NULL, 0}, stack = {NULL, 0};
    struct cursor c = ev->body;

    t->ev = ev;
    t->start = b->n;
    t->n_nested = 0;
    if (!t->style->is_one_line) {
        text_put_name(t, ev->type->name, b);
        buf_str(b, " {\n");
    }
    t->put = (struct text_event){.head = b->n - t->start};
    for (size_t i = 0; k != NULL && i < ev->type->n_fields && cur_ok(&c); i++) {
        const struct jfr_field *f = &ev->type->fields[i];

        if (take_late(f, c, &thread, &stack) || is_zero_duration(f, c)) {
            jfr_plan_skip_field(t->chunk, f, &c);
            continue;
        }
        buf_bytes(b, "  ", 2);
        put_field_name(t, FIELD_COLOUR, f->name, b);
        buf_bytes(b, " = ", 3);
        put_text_field(t, &k->members[i], &c, 2, "", b);
    }
    if (!cur_ok(&c))
        text_note_bad(t, c.fail, "the event ends inside a value");
    if (k != NULL)
        put_late_fields(t, k, &thread, &stack, b);
    if (t->style->is_one_line)
        text_make_one_line(t, ev->type->name, b, t->start);
    return t->put;
}

bool text_is_context(const struct jfr_class *cls)
{
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].is_contextual)
            return true;
    return false;
}

void text_put_context(struct text_printer *t, const struct jfr_event *ev, struct buf *b)
{
    struct text_class *k = text_class_of(t, ev->type);
    struct cursor c = ev->body;

    t->ev = ev;
    t->start = b->n;
    t->n_nested = 0;
    for (size_t i = 0; k != NULL && i < ev->type->n_fields && cur_ok(&c); i++) {
        const struct jfr_field *f = &ev->type->fields[i];

        if (!f->is_contextual) {
            jfr_plan_skip_field(t->chunk, f, &c);
            continue;
        }
        buf_str(b, "  ");
        if (!t->style->is_one_line) {
            put_field_name(t, CONTEXT_COLOUR, "Context", b);
            buf_str(b, ": ");
        }
        put_plain_name(t, NULL, ev->type->simple, b);
        buf_byte(b, '.');
        put_plain_name(t, NULL, f->name, b);
        buf_str(b, " = ");
        put_text_field(t, &k->members[i], &c, 2, "", b);
    }
    if (t->style->is_one_line)
        text_make_one_line(t, NULL, b, t->start);
}
