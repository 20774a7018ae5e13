/*
 * firefox_tables.c - numbers the stacks, frames and functions that a thread uses, and writes their
 * tables.
 */
#include "convert/formats/firefox_tables.h"

#include "convert/profile/tree.h"
#include "convert/text/jsonw.h"

#include <stdlib.h>

struct frame {
    uint32_t name, type;
};

/* Parents by node: the last one of the depth above. */
static bool find_parents(struct firefox_tables *t)
{
    const struct tree *tree = t->tree;
    uint32_t *path = malloc((tree->n_nodes + 1) * sizeof(*path));

    t->parents = malloc(tree->n_nodes * sizeof(*t->parents));
    t->stacks = calloc(tree->n_nodes, sizeof(*t->stacks));
    for (uint32_t i = 0; i < tree->n_nodes && path != NULL && t->parents != NULL; i++) {
        path[tree->depth[i]] = i;
        t->parents[i] = i == 0 ? 0 : path[tree->depth[i] - 1];
    }
    free(path);
    return path != NULL && t->parents != NULL && t->stacks != NULL;
}

bool firefox_tables_use(struct firefox_tables *t, uint32_t node)
{
    if (t->parents == NULL && !t->failed)
        t->failed = !find_parents(t);
    for (; !t->failed && node != 0 && t->stacks[node] == 0; node = t->parents[node])
        t->stacks[node] = 1;
    return !t->failed;
}

int firefox_tables_number(struct firefox_tables *t)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i < t->tree->n_nodes && t->stacks != NULL; i++) {
        struct frame frame = {t->tree->name[i], t->tree->type[i]};

        if (t->stacks[i] == 0)
            continue;
        t->stacks[i] = ++n;
        buf_bytes(&t->used, &i, sizeof(i));
        t->failed |= intern_add(&t->frames, &frame, sizeof(frame)) == INTERN_FAILED;
    }
    return t->failed || !buf_ok(&t->used) ? JFR_E_NOMEM : 0;
}

void firefox_tables_put_stack(const struct firefox_tables *t, uint32_t node, struct buf *b)
{
    if (node == 0)
        buf_str(b, "null");
    else
        jsonw_u64(b, t->stacks[node] - 1);
}

uint32_t firefox_tables_string(struct firefox_tables *t, const char *text)
{
    uint32_t id = intern_add(&t->strings, text, strlen(text));

    t->failed |= id == INTERN_FAILED;
    return id == INTERN_FAILED ? 0 : id;
}

/* --- columns ---------------------------------------------------------------------------------- */

static void put_constant_column(struct buf *b, const char *name, const char *value, size_t n)
{
    buf_printf(b, ",\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_byte(b, ',');
        buf_str(b, value);
    }
    buf_byte(b, ']');
}

static void put_stacks(struct firefox_tables *t, struct out *out)
{
    const uint32_t *used = (const uint32_t *)(const void *)t->used.p;
    size_t n = t->used.n / sizeof(*used);
    struct buf *b = &out->b;

    buf_printf(b, "\"stackTable\":{\"length\":%zu,\n\"frame\":[", n);
    for (size_t i = 0; i < n; i++, out_check(out)) {
        struct frame frame = {t->tree->name[used[i]], t->tree->type[used[i]]};

        if (i > 0)
            buf_byte(b, ',');
        jsonw_u64(b, intern_add(&t->frames, &frame, sizeof(frame)));
    }
    buf_str(b, "],\n\"prefix\":[");
    for (size_t i = 0; i < n; i++, out_check(out)) {
        if (i > 0)
            buf_byte(b, ',');
        firefox_tables_put_stack(t, t->parents[used[i]], b);
    }
    buf_str(b, "]},\n");
}

static struct frame frame_at(const struct firefox_tables *t, uint32_t i)
{
    struct frame frame;

    memcpy(&frame, intern_get(&t->frames, i, NULL), sizeof(frame));
    return frame;
}

/* Category and subcategory of a frame's type, as firefox.c lists them. */
static void category_of(uint32_t type, unsigned *category, unsigned *sub)
{
    static const unsigned char categories[][2] = {
        [FRAME_UNKNOWN] = {1, 0}, [FRAME_INTERPRETED] = {1, 1}, [FRAME_JIT] = {1, 3},
        [FRAME_INLINED] = {1, 4}, [FRAME_NATIVE] = {2, 0},      [FRAME_CPP] = {2, 0},
        [FRAME_KERNEL] = {3, 0},  [FRAME_C1] = {1, 2},          [FRAME_ROOT] = {0, 0},
    };

    *category = categories[type][0];
    *sub = categories[type][1];
}

static uint32_t function_number(struct firefox_tables *t, uint32_t frame)
{
    uint32_t name = frame_at(t, frame).name;

    return intern_add(&t->functions, &name, sizeof(name));
}

static void put_frame_table(struct firefox_tables *t, struct out *out)
{
    size_t n = intern_n(&t->frames);
    struct buf *b = &out->b;
    unsigned category, sub;

    buf_printf(b, "\"frameTable\":{\"length\":%zu", n);
    put_constant_column(b, "address", "-1", n);
    put_constant_column(b, "inlineDepth", "0", n);
    for (int part = 0; part < 3; part++) {
        static const char *const names[] = {"category", "subcategory", "func"};

        buf_printf(b, ",\"%s\":[", names[part]);
        for (uint32_t i = 0; i < n; i++, out_check(out)) {
            category_of(frame_at(t, i).type, &category, &sub);
            if (i > 0)
                buf_byte(b, ',');
            jsonw_u64(b, part == 0 ? category : part == 1 ? sub : function_number(t, i));
        }
        buf_byte(b, ']');
    }
    put_constant_column(b, "nativeSymbol", "null", n);
    put_constant_column(b, "innerWindowID", "0", n);
    put_constant_column(b, "implementation", "null", n);
    put_constant_column(b, "line", "null", n);
    put_constant_column(b, "column", "null", n);
    buf_str(b, "},\n");
}

static void put_functions(struct firefox_tables *t, struct out *out)
{
    size_t n = intern_n(&t->functions);
    struct buf *b = &out->b;

    buf_printf(b, "\"funcTable\":{\"length\":%zu,\"name\":[", n);
    for (uint32_t i = 0; i < n; i++, out_check(out)) {
        uint32_t name;

        memcpy(&name, intern_get(&t->functions, i, NULL), sizeof(name));
        if (i > 0)
            buf_byte(b, ',');
        jsonw_u64(b, intern_add(&t->strings, t->tree->names[name].text, t->tree->names[name].n));
    }
    buf_byte(b, ']');
    put_constant_column(b, "isJS", "false", n);
    put_constant_column(b, "relevantForJS", "false", n);
    put_constant_column(b, "resource", "-1", n);
    put_constant_column(b, "fileName", "null", n);
    put_constant_column(b, "lineNumber", "null", n);
    put_constant_column(b, "columnNumber", "null", n);
    buf_str(b,
            "},\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},"
            "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
            "\"functionSize\":[]},\n");
}

void firefox_tables_put(struct firefox_tables *t, struct out *out)
{
    struct buf *b = &out->b;

    put_stacks(t, out);
    put_frame_table(t, out);
    put_functions(t, out);
    buf_str(b, "\"stringArray\":[");
    for (uint32_t i = 0; i < intern_n(&t->strings); i++, out_check(out)) {
        size_t n;
        const char *text = intern_get(&t->strings, i, &n);

        if (i > 0)
            buf_byte(b, ',');
        jsonw_str(b, text, n);
    }
    buf_byte(b, ']');
    if (t->failed)
        b->failed = true;
}

void firefox_tables_free(struct firefox_tables *t)
{
    free(t->stacks);
    free(t->parents);
    intern_free(&t->frames);
    intern_free(&t->functions);
    intern_free(&t->strings);
    buf_free(&t->used);
}
