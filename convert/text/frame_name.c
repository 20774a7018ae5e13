/*
 * frame_name.c - the name of a method in a graph, in each of the styles of --names.
 *
 * In: class, method and descriptor as the recording has them. Out: a text without control
 * characters and
 * ';'. With normalize, numbers and addresses of generated classes (lambdas, proxies) are left out,
 * so that the same code has the same name in every run.
 */
#include "convert/text/frame_name.h"

#include <ctype.h>
#include <stdio.h>

int name_style_named(const char *name)
{
    static const char *const names[N_NAME_STYLES] = {"dot", "simple", "slash", "full", "jvm"};

    for (int i = 0; i < N_NAME_STYLES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool all_digits(const char *p, const char *end, bool hex)
{
    if (p == end)
        return false;
    for (; p < end; p++)
        if (!(hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)))
            return false;
    return true;
}

static bool ends_with(const char *from, const char *end, const char *text)
{
    size_t n = strlen(text);

    return (size_t)(end - from) >= n && memcmp(end - n, text, n) == 0;
}

/* Where the part after the last one of these separators begins; p when there is none. */
static const char *last_part(const char *p, const char *end, const char *separators)
{
    const char *at = end;

    while (at > p && strchr(separators, at[-1]) == NULL)
        at--;
    return at;
}

static bool is_address(const char *at, const char *end)
{
    return end - at > 2 && memcmp(at, "0x", 2) == 0 && all_digits(at + 2, end, true);
}

/* Foo$$Lambda$14/0x0000..., Foo$$Lambda/0x..., LambdaForm$MH+0x.../123: the end without what a
 * hidden class's name carries. */
static const char *without_address(const char *p, const char *end)
{
    const char *at = last_part(p, end, "/");

    if (at > p && (is_address(at, end) || all_digits(at, end, false)))
        end = at - 1;
    at = last_part(p, end, "+.");
    return at > p && is_address(at, end) ? at - 1 : end;
}

/* What generated classes are called before the number, which differs from run to run. */
static const struct {
    const char *text;
    bool hex;
    uint8_t drop; /* bytes of it that go with the number */
} numbered[] = {
    {"GeneratedMethodAccessor", false, 0},
    {"GeneratedConstructorAccessor", false, 0},
    {"GeneratedSerializationConstructorAccessor", false, 0},
    {"$Proxy", false, 0},
    {"$$Lambda$", false, 1},
    {"CGLIB$$", true, 2},
};

static const char *without_number(const char *p, const char *end)
{
    for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
        const char *at = end;

        while (at > p &&
               (numbered[i].hex ? isxdigit((unsigned char)at[-1]) : isdigit((unsigned char)at[-1])))
            at--;
        if (at < end && ends_with(p, at, numbered[i].text))
            return at - numbered[i].drop;
    }
    return end;
}

/* Leaves out what differs from run to run. The JDK numbers the packages of proxies too:
 * jdk/proxy2/$Proxy7. */
static void normalize_class(struct buf *b, size_t from)
{
    static const char package[] = "jdk/proxy";
    const char *p = (const char *)b->p + from, *end = (const char *)b->p + b->n;
    size_t n = sizeof(package) - 1, digits = 0;

    b->n = from + (size_t)(without_number(p, without_address(p, end)) - p);
    if (b->n - from < n || memcmp(p, package, n) != 0)
        return;
    while (from + n + digits < b->n && isdigit((unsigned char)p[n + digits]))
        digits++;
    memmove(b->p + from + n, b->p + from + n + digits, b->n - from - n - digits);
    b->n -= digits;
}

/* No part of a package begins with a digit: what follows such a '/' or '.' is a hidden class's
 * address. */
static bool is_separator(const struct buf *b, size_t i)
{
    return (b->p[i] == '/' || b->p[i] == '.') && !(i + 1 < b->n && isdigit(b->p[i + 1]));
}

static void dots_for_slashes(struct buf *b, size_t from)
{
    for (size_t i = from; i < b->n; i++)
        if (is_separator(b, i))
            b->p[i] = '.';
}

/* Where the class's own name begins. */
static size_t after_package(const struct buf *b, size_t from)
{
    size_t start = from;

    for (size_t i = from; i < b->n && b->p[i] != '+'; i++)
        if (is_separator(b, i))
            start = i + 1;
        else if (b->p[i] == '/')
            break;
    return start;
}

static void drop_package(struct buf *b, size_t from)
{
    size_t start = after_package(b, from);

    memmove(b->p + from, b->p + start, b->n - start);
    b->n -= start - from;
}

static const char *primitive(char c)
{
    static const char codes[] = "ZBCSIJFDV";
    static const char *const names[] = {"boolean", "byte",  "char",   "short", "int",
                                        "long",    "float", "double", "void"};
    const char *at = c == '\0' ? NULL : strchr(codes, c);

    return at == NULL ? NULL : names[at - codes];
}

/* [Ljava/lang/String; becomes java/lang/String, [[I becomes int; the number of dimensions. A name
 * that only looks like an array's is kept. */
static size_t strip_array(struct buf *b, size_t from)
{
    size_t n = 0, left;
    const char *name;

    while (from + n < b->n && b->p[from + n] == '[')
        n++;
    left = b->n - from - n;
    name = n > 0 && left == 1 ? primitive((char)b->p[b->n - 1]) : NULL;
    if (name != NULL) {
        b->n = from;
        buf_str(b, name);
        return n;
    }
    if (n == 0 || left < 3 || b->p[from + n] != 'L' || b->p[b->n - 1] != ';')
        return 0;
    memmove(b->p + from, b->p + from + n + 1, left - 2);
    b->n = from + left - 2;
    return n;
}

void class_name_append(struct buf *b, const struct name_options *opt, struct jfr_str name)
{
    size_t from = b->n, dimensions;

    jfr_str_append_utf8(b, name);
    if (b->n == from)
        return;
    dimensions = opt->style == NAME_JVM ? 0 : strip_array(b, from);
    if (opt->normalize)
        normalize_class(b, from);
    if (opt->style != NAME_SLASH && opt->style != NAME_JVM)
        dots_for_slashes(b, from);
    if (opt->style == NAME_SIMPLE)
        drop_package(b, from);
    while (dimensions-- > 0)
        buf_str(b, "[]");
}

/* The first parts of the package of a class name; nothing when it has none. */
static void keep_package(struct buf *b, size_t from, unsigned parts)
{
    size_t start = after_package(b, from);

    b->n = start > from ? start - 1 : from;
    for (size_t i = from; i < b->n; i++)
        if (is_separator(b, i) && --parts == 0)
            b->n = i;
}

/* One type of a descriptor, by its simple name; NULL when the rest makes no sense. */
static const char *append_type(struct buf *b, const char *p, const char *end)
{
    unsigned dimensions = 0;
    const char *name, *start;

    for (; p < end && *p == '['; p++)
        dimensions++;
    if (p == end)
        return NULL;
    name = primitive(*p);
    if (name != NULL) {
        buf_str(b, name);
        p++;
    } else {
        if (*p != 'L')
            return NULL;
        for (start = ++p; p < end && *p != ';'; p++)
            if (*p == '/')
                start = p + 1;
        if (p == end)
            return NULL;
        buf_bytes(b, start, (size_t)(p++ - start));
    }
    while (dimensions-- > 0)
        buf_str(b, "[]");
    return p;
}

/* (ILjava/lang/Object;)V as (int, Object), up to what makes no sense; nothing for what is no
 * descriptor. */
static void append_parameters(struct buf *b, struct jfr_str descriptor)
{
    struct buf raw = {0};
    const char *p, *end, *next;

    jfr_str_append_utf8(&raw, descriptor);
    if (raw.n > 0 && raw.p[0] == '(') {
        p = (const char *)raw.p + 1;
        end = p + raw.n - 1;
        buf_byte(b, '(');
        for (bool is_first = true; p < end && *p != ')'; p = next, is_first = false) {
            size_t at = b->n;

            if (!is_first)
                buf_str(b, ", ");
            next = append_type(b, p, end);
            if (next == NULL) {
                b->n = at;
                break;
            }
        }
        buf_byte(b, ')');
    }
    buf_free(&raw);
}

static void append_tier(struct buf *b, enum frame_type type)
{
    static const char *const marks[] = {
        [FRAME_INTERPRETED] = "_[0]", [FRAME_C1] = "_[1]",     [FRAME_INLINED] = "_[i]",
        [FRAME_JIT] = "_[j]",         [FRAME_KERNEL] = "_[k]", [FRAME_ROOT] = NULL,
    };

    if (marks[type] != NULL)
        buf_str(b, marks[type]);
}

void frame_name_clean(struct buf *b, size_t from)
{
    for (size_t i = from; i < b->n; i++) {
        if (b->p[i] < 0x20 || b->p[i] == 0x7f)
            b->p[i] = ' ';
        else if (b->p[i] == ';')
            b->p[i] = ':';
    }
}

/* async-profiler and its forks write functions of native libraries as methods with this descriptor;
 * their class is the library, or nothing. */
static bool is_function(const struct jfr_method *m)
{
    return jfr_str_equals(m->descriptor, "()L;");
}

static void append_package(struct buf *b, const struct name_options *opt,
                           const struct jfr_method *m)
{
    struct name_options style = *opt;
    size_t from = b->n;

    if (is_function(m)) {
        jfr_str_append_utf8(b, m->class_name);
        if (b->n == from)
            buf_str(b, "[native]");
        return;
    }
    if (style.style == NAME_SIMPLE)
        style.style = NAME_DOT;
    class_name_append(b, &style, m->class_name);
    if (b->n == from) {
        buf_str(b, "[unknown]");
        return;
    }
    keep_package(b, from, opt->package);
    if (b->n == from)
        buf_str(b, "[default package]");
}

/* Class and method; of a function the library, unless names are to be simple. */
static void append_method(struct buf *b, const struct name_options *opt, const struct jfr_method *m)
{
    size_t from = b->n;

    if (!is_function(m))
        class_name_append(b, opt, m->class_name);
    else if (opt->style != NAME_SIMPLE)
        jfr_str_append_utf8(b, m->class_name);
    if (b->n > from)
        buf_byte(b, '.');
    from = b->n;
    jfr_str_append_utf8(b, m->name);
    if (b->n == from)
        buf_str(b, "[unknown]");
    if (is_function(m))
        return;
    if (opt->style == NAME_FULL)
        append_parameters(b, m->descriptor);
    else if (opt->style == NAME_JVM)
        jfr_str_append_utf8(b, m->descriptor);
}

void frame_name_append(struct buf *b, const struct name_options *opt, const struct jfr_method *m,
                       const struct jfr_frame *frame, enum frame_type type)
{
    size_t from = b->n;

    if (opt->package > 0) {
        append_package(b, opt, m);
    } else {
        append_method(b, opt, m);
        if (opt->lines && frame->line > 0)
            buf_printf(b, ":%d", frame->line);
        if (opt->bci && frame->bci >= 0)
            buf_printf(b, "@%d", frame->bci);
        if (opt->tiers)
            append_tier(b, type);
    }
    frame_name_clean(b, from);
}

enum frame_type frame_type_of(struct jfr_str text)
{
    static const struct {
        const char *text;
        enum frame_type type;
    } types[] = {
        {"Interpreted", FRAME_INTERPRETED}, {"JIT compiled", FRAME_JIT}, {"Inlined", FRAME_INLINED},
        {"Native", FRAME_NATIVE},           {"C++", FRAME_CPP},          {"Kernel", FRAME_KERNEL},
        {"C1 compiled", FRAME_C1},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (jfr_str_equals(text, types[i].text))
            return types[i].type;
    return FRAME_UNKNOWN;
}

void thread_name_append(struct buf *b, const struct jfr_thread *t)
{
    size_t from = b->n;

    jfr_str_append_utf8(b, t->java_name);
    if (b->n == from)
        jfr_str_append_utf8(b, t->os_name);
    if (b->n == from)
        buf_printf(b, "[tid=%lld]", (long long)(t->java_id > 0 ? t->java_id : t->os_id));
    frame_name_clean(b, from);
}
