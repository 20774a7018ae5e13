/* view_value.c - the values of events that views sum up, and how they are shown. */
#include "convert/frame_name.h"
#include "convert/javatext.h"
#include "convert/view_internal.h"

#include <math.h>
#include <time.h>

void view_values_load(struct view_values *v, struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    v->chunk = chunk;
    v->stack_field = NULL;
    intern_reset(&v->keys);
    buf_reset(&v->key_texts);
    for (size_t i = 0; i < md->n_classes && v->stack_field == NULL; i++) {
        const struct jfr_field *f =
            md->classes[i].is_event ? jfr_class_field(&md->classes[i], "stackTrace") : NULL;

        if (f != NULL && f->is_pooled && jfr_stacks_init(&v->stacks, chunk, f) == 0)
            v->stack_field = f;
    }
}

void view_values_free(struct view_values *v)
{
    intern_free(&v->keys);
    buf_free(&v->key_texts);
    buf_free(&v->text);
}

struct view_getter view_getter(const struct jfr_class *cls, const char *path, const char **paths,
                               size_t *n)
{
    struct view_getter g = {.rest = "", .slot = *n};
    char name[64];
    size_t len;

    if (*path == '@') {
        g.special = path;
        path = strncmp(path, VIEW_TYPE, sizeof(VIEW_TYPE) - 1) == 0 ? path + sizeof(VIEW_TYPE) - 1
               : strcmp(path, VIEW_LABEL) == 0                      ? NULL
                                                                    : "stackTrace";
        if (path == NULL)
            return g;
    }
    len = strcspn(path, ".");
    if (len >= sizeof(name))
        return g;
    memcpy(name, path, len);
    name[len] = '\0';
    g.field = jfr_class_field(cls, name);
    if (g.field == NULL)
        return g;
    g.rest = path[len] == '.' ? path + len + 1 : "";
    paths[(*n)++] = g.field->name;
    return g;
}

/* --- texts ------------------------------------------------------------------------------------ */

static void put_method(struct view_values *v, struct buf *b, uint64_t key)
{
    const struct name_options full = {.style = NAME_FULL};
    const struct jfr_frame none = {.line = 0};
    struct jfr_method m;

    if (v->stack_field != NULL && jfr_method_get(&v->stacks, key, &m))
        frame_name_append(b, &full, &m, &none, FRAME_UNKNOWN);
}

static bool is_platform(struct jfr_str name)
{
    static const char *const prefixes[] = {"java/", "javax/",   "jdk/",
                                           "sun/",  "com/sun/", "com/oracle/"};
    uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof(room));

    if (name.encoding == JFR_STR_UTF8 || name.encoding == JFR_STR_LATIN1)
        buf_bytes(&b, name.p, name.n_bytes < sizeof(room) ? name.n_bytes : sizeof(room));
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (b.n >= strlen(prefixes[i]) && memcmp(room, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_wanted(const struct view_values *v, const char *which, uint64_t key)
{
    struct jfr_method m;

    if (!jfr_method_get(&v->stacks, key, &m))
        return false;
    if (strcmp(which, VIEW_NOT_INIT) == 0)
        return !jfr_str_equals(m.name, "<init>");
    return strcmp(which, VIEW_APPLICATION) != 0 || !is_platform(m.class_name);
}

/* The frame that is asked for, or all of the stack. */
static void put_stack(struct view_values *v, struct buf *b, const char *which, uint64_t key)
{
    int64_t i = v->stack_field == NULL ? -1 : jfr_pool_find(v->stacks.traces, key);
    struct jfr_frames frames;
    struct jfr_frame f;

    if (i < 0 || jfr_stacks_open(&v->stacks, (size_t)i, &frames) != 0)
        return;
    while (jfr_frames_next(&frames, &f)) {
        if (!is_wanted(v, which, f.method_key))
            continue;
        if (b->n > 0)
            buf_str(b, " <- ");
        put_method(v, b, f.method_key);
        if (strcmp(which, VIEW_STACK) != 0)
            return;
    }
}

static void put_constant(struct view_values *v, struct buf *b, const struct jfr_field *f,
                         uint64_t key, const char *rest);

/* A field of a constant. */
static void put_member(struct view_values *v, struct buf *b, const struct jfr_class *cls,
                       uint64_t key, const char *rest)
{
    const struct jfr_pool *pool = jfr_chunk_pool(v->chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    const char *paths[1];
    size_t n = 0;
    struct view_getter g = view_getter(cls, rest, paths, &n);
    const struct jfr_plan *plan;
    union jfr_value value[1];
    struct cursor c;

    if (i < 0 || g.field == NULL || n != 1)
        return;
    plan = jfr_plan_new(v->chunk, cls, paths, 1);
    c = jfr_pool_value(pool, (size_t)i);
    if (plan == NULL || jfr_plan_run(plan, c, value, NULL) != 0)
        return;
    if (g.field->is_pooled) {
        put_constant(v, b, g.field, value[0].key, g.rest);
    } else if (g.field->type->kind == JFR_STRING) {
        c = cur_over(value[0].at, (size_t)(c.end - value[0].at));
        jfr_str_append_utf8(b, jfr_chunk_resolve(v->chunk, jfr_str_read(&c)));
    }
}

static void put_constant(struct view_values *v, struct buf *b, const struct jfr_field *f,
                         uint64_t key, const char *rest)
{
    const struct name_options dot = {.style = NAME_DOT};
    const char *type = f->type->name;
    struct jfr_thread thread;

    if (*rest != '\0') {
        put_member(v, b, f->type, key, rest);
    } else if (strcmp(type, "java.lang.Class") == 0) {
        struct jfr_str name = jfr_class_name(v->chunk, f->type, key);

        if (!jfr_str_is_null(name))
            class_name_append(b, &dot, name);
    } else if (strcmp(type, "java.lang.Thread") == 0) {
        if (jfr_thread_get(v->chunk, f->type, key, &thread))
            thread_name_append(b, &thread);
    } else if (strcmp(type, "jdk.types.Method") == 0) {
        put_method(v, b, key);
    } else if (strcmp(type, "jdk.types.ClassLoader") == 0) {
        put_member(v, b, f->type, key, "type");
        if (b->n == 0)
            put_member(v, b, f->type, key, "name");
    } else if (jfr_class_shown(f->type)->kind == JFR_STRING) {
        jfr_str_append_utf8(b, jfr_simple_text(v->chunk, f->type, key));
    } else {
        put_member(v, b, f->type, key, "name");
    }
}

struct view_constant { /* hashed as bytes: no padding */
    uint64_t key;
    const void *type, *rest;
};

static struct view_value text_value(struct view_values *v)
{
    uint32_t id = v->text.n == 0 || !buf_ok(&v->text) ? INTERN_FAILED
                                                      : intern_add(v->texts, v->text.p, v->text.n);

    return id == INTERN_FAILED ? (struct view_value){.kind = VIEW_NONE}
                               : (struct view_value){.kind = VIEW_TEXT, .text = id};
}

/* The text of a constant, made once. */
static struct view_value get_constant(struct view_values *v, const struct view_getter *g,
                                      uint64_t key)
{
    struct view_constant c = {key, g->field->type, g->special != NULL ? g->special : g->rest};
    uint32_t id = intern_add(&v->keys, &c, sizeof(c)), text;
    struct view_value value;

    if (id == INTERN_FAILED)
        return (struct view_value){.kind = VIEW_NONE};
    if (id < v->key_texts.n / sizeof(text)) {
        text = ((const uint32_t *)(const void *)v->key_texts.p)[id];
        return text == 0 ? (struct view_value){.kind = VIEW_NONE}
                         : (struct view_value){.kind = VIEW_TEXT, .text = text - 1};
    }
    buf_reset(&v->text);
    if (g->special != NULL)
        put_stack(v, &v->text, g->special, key);
    else
        put_constant(v, &v->text, g->field, key, g->rest);
    value = text_value(v);
    text = value.kind == VIEW_NONE ? 0 : value.text + 1;
    buf_bytes(&v->key_texts, &text, sizeof(text));
    return value;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static enum view_format format_of(const struct jfr_field *f)
{
    bool rate = jfr_annotation_find(f->annotations, f->n_annotations, "jdk.jfr.Frequency") != NULL;

    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
    case JFR_UNIT_TIMESTAMP_MS:
    case JFR_UNIT_TIMESTAMP_NS:
    case JFR_UNIT_TIMESTAMP_S:
        return VIEW_TIME;
    case JFR_UNIT_TICKS:
    case JFR_UNIT_NS:
    case JFR_UNIT_US:
    case JFR_UNIT_MS:
    case JFR_UNIT_S:
        return VIEW_SPAN;
    case JFR_UNIT_BYTES:
        return rate ? VIEW_BYTE_RATE : VIEW_BYTES;
    case JFR_UNIT_BITS:
        return rate ? VIEW_BIT_RATE : VIEW_BITS;
    case JFR_UNIT_PERCENT:
        return VIEW_PERCENT;
    case JFR_UNIT_ADDRESS:
        return VIEW_ADDRESS;
    case JFR_UNIT_HERTZ:
        return VIEW_HERTZ;
    default:
        return f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE ? VIEW_REAL : VIEW_INTEGER;
    }
}

static int64_t times(int64_t v, int64_t factor)
{
    int64_t r;

    if (v == INT64_MIN || v == INT64_MAX)
        return v;
    return __builtin_mul_overflow(v, factor, &r) ? (v < 0 ? INT64_MIN + 1 : INT64_MAX) : r;
}

static int64_t scaled(const struct jfr_chunk_header *h, const struct jfr_field *f, int64_t i)
{
    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
        return i == INT64_MIN ? i : jfr_epoch_ns(h, i);
    case JFR_UNIT_TICKS:
        return i == INT64_MIN || i == INT64_MAX ? i : jfr_span_ns(h, i);
    case JFR_UNIT_US:
        return times(i, 1000);
    case JFR_UNIT_MS:
    case JFR_UNIT_TIMESTAMP_MS:
        return times(i, 1000000);
    case JFR_UNIT_S:
    case JFR_UNIT_TIMESTAMP_S:
        return times(i, 1000000000);
    default:
        return i;
    }
}

static struct view_value get_number(struct view_values *v, const struct jfr_field *f,
                                    union jfr_value raw)
{
    struct view_value value = {.kind = VIEW_NUMBER, .format = format_of(f)};

    if (f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE) {
        value.is_real = true;
        value.d = raw.f;
        if (isnan(raw.f))
            value.kind = VIEW_NONE;
        return value;
    }
    value.is_unsigned = f->is_unsigned;
    value.i = scaled(jfr_chunk_header(v->chunk), f, raw.i);
    value.d = f->is_unsigned ? (double)(uint64_t)value.i : (double)value.i;
    if (!f->is_unsigned && value.i == INT64_MIN)
        value.kind = VIEW_NONE;
    return value;
}

static struct view_value get_label(struct view_values *v, const struct jfr_class *cls)
{
    const char *label = cls->label != NULL && *cls->label != '\0' ? cls->label : cls->name;

    buf_reset(&v->text);
    buf_str(&v->text, label);
    return text_value(v);
}

struct view_value view_get(struct view_values *v, const struct view_getter *g,
                           const struct jfr_event *ev, const union jfr_value *values)
{
    const struct jfr_field *f = g->field;
    const struct jfr_class *cls;
    struct cursor c;

    if (g->special != NULL && strcmp(g->special, VIEW_LABEL) == 0)
        return get_label(v, ev->type);
    if (f == NULL || f->is_array)
        return (struct view_value){.kind = VIEW_NONE};
    if (f->is_pooled)
        return get_constant(v, g, values[g->slot].key);
    if (g->special != NULL) {
        cls = jfr_metadata_by_id(jfr_chunk_metadata(v->chunk), values[g->slot].i);
        return cls == NULL ? (struct view_value){.kind = VIEW_NONE} : get_label(v, cls);
    }
    buf_reset(&v->text);
    if (f->type->kind == JFR_STRING) {
        c = cur_over(values[g->slot].at, (size_t)(ev->body.end - values[g->slot].at));
        jfr_str_append_utf8(&v->text, jfr_chunk_resolve(v->chunk, jfr_str_read(&c)));
        return text_value(v);
    }
    if (f->type->kind == JFR_BOOLEAN) {
        buf_str(&v->text, values[g->slot].i != 0 ? "true" : "false");
        return text_value(v);
    }
    if (f->type->kind == JFR_STRUCT)
        return (struct view_value){.kind = VIEW_NONE};
    return get_number(v, f, values[g->slot]);
}

/* --- showing ---------------------------------------------------------------------------------- */

/* Three significant digits in the unit that suits: 0.123 ms, 12.3 s, 1 m 5 s, 2 h 3 m, 1 d 2 h. */
static void show_span(struct buf *b, int64_t ns)
{
    double s = fabs((double)ns) / 1e9, ms = s * 1e3;
    int64_t whole;

    if (ns == INT64_MAX) {
        buf_str(b, "Indefinite");
        return;
    }
    if (ns == 0) {
        buf_str(b, "0 s");
        return;
    }
    if (ns < 0)
        buf_byte(b, '-');
    if (ms < 0.0009995)
        buf_printf(b, "%.6f ms", ms);
    else if (ms < 0.009995)
        buf_printf(b, "%.5f ms", ms);
    else if (ms < 0.09995)
        buf_printf(b, "%.4f ms", ms);
    else if (ms < 0.9995)
        buf_printf(b, "%.3f ms", ms);
    else if (ms < 9.995)
        buf_printf(b, "%.2f ms", ms);
    else if (ms < 99.95)
        buf_printf(b, "%.1f ms", ms);
    else if (ms < 999.5)
        buf_printf(b, "%.0f ms", ms);
    else if (s < 9.995)
        buf_printf(b, "%.2f s", s);
    else if (s < 59.95)
        buf_printf(b, "%.1f s", s);
    else {
        whole = (int64_t)(s + 0.5);
        if (whole < 3600)
            buf_printf(b, "%lld m %lld s", (long long)(whole / 60), (long long)(whole % 60));
        else if ((whole = (int64_t)s / 60) < 24 * 60)
            buf_printf(b, "%lld h %lld m", (long long)(whole / 60), (long long)(whole % 60));
        else
            buf_printf(b, "%lld d %lld h", (long long)(whole / 1440),
                       (long long)(whole % 1440 / 60));
    }
}

static void show_amount(struct buf *b, double v, const char *one, const char *many,
                        const char *const *units)
{
    int unit = -1;

    while (fabs(v) >= 1024 && unit < 5) {
        v /= 1024;
        unit++;
    }
    if (unit < 0)
        buf_printf(b, "%.0f %s", v, v == 1 ? one : many);
    else
        buf_printf(b, "%.1f %s", v, units[unit]);
}

/* The time of day, UTC. */
static void show_time(struct buf *b, int64_t ns)
{
    time_t s = (time_t)(ns / 1000000000) - (ns % 1000000000 < 0);
    struct tm tm;

    if (gmtime_r(&s, &tm) != NULL)
        buf_printf(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void view_show(struct buf *b, const struct view_value *v, const struct intern *texts)
{
    static const char *const bytes[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    static const char *const bits[] = {"kbit", "Mbit", "Gbit", "Tbit", "Pbit", "Ebit"};
    static const char *const byte_rates[] = {"kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"};
    static const char *const bit_rates[] = {"kbps", "Mbps", "Gbps", "Tbps", "Pbps", "Ebps"};
    const char *text;
    size_t n;

    if (v->kind == VIEW_NONE)
        return;
    if (v->kind == VIEW_TEXT) {
        text = intern_get(texts, v->text, &n);
        buf_bytes(b, text, n);
        return;
    }
    switch (v->format) {
    case VIEW_SPAN:
        show_span(b, v->is_real ? (int64_t)v->d : v->i);
        break;
    case VIEW_TIME:
        show_time(b, v->i);
        break;
    case VIEW_BYTES:
        show_amount(b, v->d, "byte", "bytes", bytes);
        break;
    case VIEW_BITS:
        show_amount(b, v->d, "bit", "bits", bits);
        break;
    case VIEW_BYTE_RATE:
        show_amount(b, v->d, "byte/s", "byte/s", byte_rates);
        break;
    case VIEW_BIT_RATE:
        show_amount(b, v->d, "bps", "bps", bit_rates);
        break;
    case VIEW_PERCENT:
        buf_printf(b, "%.2f%%", v->d * 100);
        break;
    case VIEW_HERTZ:
        buf_printf(b, "%lld Hz", (long long)v->i);
        break;
    case VIEW_ADDRESS:
        buf_printf(b, "0x%08llX", (unsigned long long)v->i);
        break;
    case VIEW_REAL:
        javatext_double(b, v->d);
        break;
    default:
        if (v->is_real)
            buf_printf(b, "%.2f", v->d);
        else if (v->is_unsigned)
            buf_printf(b, "%llu", (unsigned long long)v->i);
        else
            buf_printf(b, "%lld", (long long)v->i);
    }
}
