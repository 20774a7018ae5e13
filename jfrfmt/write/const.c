/*
 * const.c - constants of the types that every recording has, put together and interned.
 *
 * Each function builds the bytes of one constant (a symbol, class, method, thread, stack) with the
 * keys of those that it refers to, and returns its key from consts.c, the same for equal content.
 * Stacks are in event order, frames first. Key 0 stands for null.
 */
#include "jfrfmt/write/writer_internal.h"

#include <string.h>

static struct buf *value(struct jfr_writer *w)
{
    buf_reset(&w->scratch);
    return &w->scratch;
}

static uint64_t intern_value(struct jfr_writer *w, uint32_t cls)
{
    if (!buf_ok(&w->scratch)) {
        w->consts.refused++;
        return 0;
    }
    return consts_intern(&w->consts, cls, w->scratch.p, w->scratch.n);
}

static void put(struct buf *b, const char *text)
{
    if (text == NULL)
        buf_byte(b, JFR_STR_NULL);
    else
        writer_put_text(b, text, strlen(text));
}

static uint64_t intern_text(struct jfr_writer *w, uint32_t cls, const char *text, size_t n)
{
    writer_put_text(value(w), text, n);
    return intern_value(w, cls);
}

uint64_t jfr_writer_symbol(struct jfr_writer *w, const char *text, size_t n)
{
    /* HotSpot writes symbols as UTF-8 with a length, the empty one too, and async-profiler's
     * converter refuses any other encoding. */
    if (n == 0) {
        buf_bytes(value(w), (const uint8_t[]){JFR_STR_UTF8, 0}, 2);
        return intern_value(w, w->known.symbol);
    }
    return intern_text(w, w->known.symbol, text, n);
}

uint64_t jfr_writer_string(struct jfr_writer *w, const char *text, size_t n)
{
    return intern_text(w, w->known.string, text, n);
}

uint64_t jfr_writer_simple(struct jfr_writer *w, int64_t type, const char *text, size_t n)
{
    writer_put_text(value(w), text, n);
    return jfr_writer_intern(w, type, w->scratch.p, w->scratch.n);
}

/* A symbol, or 0 for NULL. */
static uint64_t symbol(struct jfr_writer *w, const char *text)
{
    return text == NULL ? 0 : jfr_writer_symbol(w, text, strlen(text));
}

/* Bytes before the last '/' of a class name, where JMC cuts it. The address after the name of a
 * hidden class is not a part; arrays have no package. */
static size_t package_length(const char *name, size_t n)
{
    size_t end = n > 0 && name[0] == '[' ? 0 : n;

    while (end > 0) {
        size_t part = end;

        while (part > 0 && name[part - 1] != '/')
            part--;
        n = end - part;
        end = part == 0 ? 0 : part - 1;
        if (n < 2 || memcmp(name + part, "0x", 2) != 0)
            break;
    }
    return end;
}

static uint64_t package(struct jfr_writer *w, const char *name, size_t n, uint64_t module)
{
    uint64_t key = n == 0 ? 0 : jfr_writer_symbol(w, name, n);

    if (key == 0)
        return 0;
    buf_varint(value(w), key);
    if (w->options.with_modules) {
        buf_varint(&w->scratch, module);
        buf_byte(&w->scratch, 1);
    }
    return intern_value(w, w->known.package);
}

uint64_t jfr_writer_class(struct jfr_writer *w, const struct jfr_class_def *cls)
{
    size_t n = cls->name_n > 0 ? cls->name_n : strlen(cls->name);
    uint64_t name = jfr_writer_symbol(w, cls->name, n);
    uint64_t pack = package(w, cls->name, package_length(cls->name, n), cls->module);
    struct buf *b = value(w);

    if (name == 0)
        return 0;
    buf_varint(b, cls->loader);
    buf_varint(b, name);
    buf_varint(b, pack);
    buf_varint(b, (uint32_t)cls->modifiers);
    buf_byte(b, cls->is_hidden);
    return intern_value(w, w->known.klass);
}

uint64_t jfr_writer_loader(struct jfr_writer *w, uint64_t cls, const char *name)
{
    uint64_t key = symbol(w, name);

    buf_varint(value(w), cls);
    buf_varint(&w->scratch, key);
    return intern_value(w, w->known.loader);
}

uint64_t jfr_writer_module(struct jfr_writer *w, const char *name, const char *version,
                           const char *location, uint64_t loader)
{
    uint64_t keys[] = {symbol(w, name), symbol(w, version), symbol(w, location), loader};

    if (!w->options.with_modules)
        return 0;
    value(w);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        buf_varint(&w->scratch, keys[i]);
    return intern_value(w, w->known.module);
}

uint64_t jfr_writer_method(struct jfr_writer *w, uint64_t cls, const char *name,
                           const char *descriptor, int32_t modifiers, bool is_hidden)
{
    bool has = descriptor != NULL && strchr(descriptor, ')') != NULL;
    uint64_t name_key = symbol(w, name == NULL ? "" : name);
    uint64_t descriptor_key = symbol(w, has ? descriptor : "()V");
    struct buf *b = value(w);

    if (!consts_has(&w->consts, w->known.klass, cls) || name_key == 0 || descriptor_key == 0)
        return 0;
    buf_varint(b, cls);
    buf_varint(b, name_key);
    buf_varint(b, descriptor_key);
    buf_varint(b, (uint32_t)modifiers);
    buf_byte(b, is_hidden);
    return intern_value(w, w->known.method);
}

uint64_t jfr_writer_stack(struct jfr_writer *w, const struct jfr_frame *frames, size_t n,
                          bool is_truncated)
{
    struct buf *b = value(w);

    buf_byte(b, is_truncated);
    buf_varint(b, n);
    for (size_t i = 0; i < n; i++) {
        if (!consts_has(&w->consts, w->known.method, frames[i].method_key))
            return 0;
        buf_varint(b, consts_short(&w->consts, w->known.method, frames[i].method_key));
        buf_varint(b, (uint32_t)frames[i].line);
        buf_varint(b, (uint32_t)frames[i].bci);
        buf_varint(b, frames[i].type_key);
    }
    return intern_value(w, w->known.stack);
}

bool jfr_writer_keep_stack(struct jfr_writer *w, uint64_t key)
{
    return consts_need(&w->consts, w->known.stack, key);
}

uint64_t jfr_writer_thread_group(struct jfr_writer *w, uint64_t parent, const char *name)
{
    buf_varint(value(w), parent);
    put(&w->scratch, name);
    return intern_value(w, w->known.group);
}

static int define(struct jfr_writer *w, uint32_t cls, uint64_t key, bool is_permanent)
{
    static const int answers[] = {
        [CONSTS_NEW] = 0,
        [CONSTS_SAME] = 0,
        [CONSTS_OTHER] = 1,
        [CONSTS_NO_ROOM] = JFR_E_LIMIT,
        [CONSTS_BAD] = JFR_E_FORMAT,
    };

    if (!buf_ok(&w->scratch)) {
        w->consts.refused++;
        return JFR_E_LIMIT;
    }
    return answers[consts_define(&w->consts, cls, key, w->scratch.p, w->scratch.n, is_permanent)];
}

int jfr_writer_thread(struct jfr_writer *w, uint64_t key, const struct jfr_thread_def *thread)
{
    struct buf *b = value(w);

    put(b, thread->os_name);
    buf_varint(b, (uint64_t)thread->os_id);
    put(b, thread->java_name);
    buf_varint(b, (uint64_t)thread->java_id);
    buf_varint(b, thread->group);
    if (w->options.with_virtual)
        buf_byte(b, thread->is_virtual);
    return define(w, w->known.thread, key, false);
}

uint64_t jfr_writer_intern(struct jfr_writer *w, int64_t type, const void *bytes, size_t n)
{
    size_t cls = typeset_index(&w->types, type);

    return cls == SIZE_MAX ? 0 : consts_intern(&w->consts, (uint32_t)cls, bytes, n);
}

int jfr_writer_define(struct jfr_writer *w, int64_t type, uint64_t key, const void *bytes, size_t n)
{
    size_t cls = typeset_index(&w->types, type);

    if (cls == SIZE_MAX)
        return JFR_E_FORMAT;
    buf_bytes(value(w), bytes, n);
    return define(w, (uint32_t)cls, key, false);
}

struct fixed {
    uint16_t key;
    const char *text;
};

static const struct fixed frame_types[] = {
    {JFR_FRAME_INTERPRETED, "Interpreted"},
    {JFR_FRAME_JIT, "JIT compiled"},
    {JFR_FRAME_INLINED, "Inlined"},
    {JFR_FRAME_NATIVE, "Native"},
    {JFR_FRAME_CPP, "C++"},
    {JFR_FRAME_KERNEL, "Kernel"},
    {JFR_FRAME_C1, "C1 compiled"},
};

static const struct fixed thread_states[] = {
    {0, "STATE_NEW"},
    {2, "STATE_TERMINATED"},
    {JFR_STATE_RUNNABLE, "STATE_RUNNABLE"},
    {JFR_STATE_SLEEPING, "STATE_SLEEPING"},
    {401, "STATE_IN_OBJECT_WAIT"},
    {417, "STATE_IN_OBJECT_WAIT_TIMED"},
    {657, "STATE_PARKED"},
    {673, "STATE_PARKED_TIMED"},
    {1025, "STATE_BLOCKED_ON_MONITOR_ENTER"},
};

static uint32_t index_of_type(const struct jfr_writer *w, const char *name)
{
    const struct jfr_class *cls = typeset_find(&w->types, name);

    return cls == NULL ? UINT32_MAX : cls->index;
}

static int define_texts(struct jfr_writer *w, const char *type, const struct fixed *rows, size_t n)
{
    uint32_t cls = index_of_type(w, type);

    for (size_t i = 0; i < n; i++) {
        int rc;

        put(value(w), rows[i].text);
        rc = define(w, cls, rows[i].key, true);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int writer_define_fixed(struct jfr_writer *w)
{
    int rc = define_texts(w, "jdk.types.FrameType", frame_types,
                          sizeof(frame_types) / sizeof(frame_types[0]));

    if (rc == 0)
        rc = define_texts(w, "jdk.types.ThreadState", thread_states,
                          sizeof(thread_states) / sizeof(thread_states[0]));
    w->known = (struct known){
        .string = index_of_type(w, "java.lang.String"),
        .symbol = index_of_type(w, "jdk.types.Symbol"),
        .klass = index_of_type(w, "java.lang.Class"),
        .loader = index_of_type(w, "jdk.types.ClassLoader"),
        .package = index_of_type(w, "jdk.types.Package"),
        .module = index_of_type(w, "jdk.types.Module"),
        .method = index_of_type(w, "jdk.types.Method"),
        .stack = index_of_type(w, "jdk.types.StackTrace"),
        .thread = index_of_type(w, "java.lang.Thread"),
        .group = index_of_type(w, "jdk.types.ThreadGroup"),
    };
    consts_favour(&w->consts, w->known.method); /* every frame has one */
    return rc;
}
