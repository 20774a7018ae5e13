#include "convert/page_in.h"
#include "convert/jsonw.h"
#include "jfrfmt/base/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define AS_GZIP 16 /* to window bits */
#define MOST_STACK ((uint64_t)1 << 26) /* bytes of one stack's text */
#define MOST_BYTES ((uint64_t)1 << 31) /* of all sections; of all names spelled out */

struct section {
    char name[24];
    const uint8_t *p;
    uint64_t n;
};

struct page_in {
    const char *text; /* the whole page */
    size_t n;
    struct jfr_error *err;
    uint8_t *bytes; /* the sections, one behind the other */
    struct section sections[128];
    size_t n_sections;
    uint64_t n_names, n_nodes;
    uint64_t *name_at; /* where each begins in `names`, and one more */
    char *names;
    uint32_t *path; /* names of the open frames, by depth */
    uint64_t *length; /* of the text up to there */
    uint64_t *self; /* by node */
};

bool page_in_is(const void *bytes, size_t n)
{
    static const char mark[] = "<!doctype html>\n<html lang=\"en\">";

    return n >= sizeof(mark) - 1 && memcmp(bytes, mark, sizeof(mark) - 1) == 0;
}

static int damaged(struct page_in *in, const char *what)
{
    return jfr_fail(in->err, JFR_E_FORMAT, 0, "damaged page: %s", what);
}

/* Behind the last place of `mark` in from..end; NULL when there is none. */
static const char *behind(const char *from, const char *end, const char *mark)
{
    size_t n = strlen(mark);
    const char *found = NULL;

    for (const char *p = from; (p = memmem(p, (size_t)(end - p), mark, n)) != NULL; p++)
        found = p + n;
    return found;
}

/* A number at *p, which moves behind it. False when there is none, or a huge one. */
static bool number(const char **p, const char *end, uint64_t *v)
{
    const char *from = *p;

    for (*v = 0; *p < end && **p >= '0' && **p <= '9' && *v < UINT64_MAX / 100; ++*p)
        *v = *v * 10 + (uint64_t)(**p - '0');
    return *p > from && *v < UINT64_MAX / 100;
}

static bool word(const char **p, const char *end, const char *want)
{
    size_t n = strlen(want);

    if ((size_t)(end - *p) < n || memcmp(*p, want, n) != 0)
        return false;
    *p += n;
    return true;
}

/* The member of a line of the header. Texts there hold no newlines, so they cannot look like one.
 */
static bool member(const char *head, const char *end, const char *name, uint64_t *v)
{
    const char *p = behind(head, end, name);

    return p != NULL && number(&p, end, v);
}

static bool read_section(struct page_in *in, const char **p, const char *end)
{
    struct section *s = &in->sections[in->n_sections];
    size_t n = 0;

    if (!word(p, end, "\n{\"name\":\""))
        return false;
    for (; *p < end && **p != '"' && n + 1 < sizeof(s->name); ++*p)
        s->name[n++] = **p;
    return word(p, end, "\",\"bytes\":") && number(p, end, &s->n) && word(p, end, "}");
}

/* The value of a digit of flame_pack.h, or -1. */
static int digit(char c)
{
    static const char others[] = "!\"#$%'()*+,-./:;=?@[\\]^_`{|}~";
    const char *found;

    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    found = c == '\0' ? NULL : strchr(others, c);
    return found == NULL ? -1 : (int)(found - others) + 62;
}

/* The bytes that n digits stand for. */
static size_t bytes_of(size_t n)
{
    return (n / 2 * 13 + n % 2 * 6) / 8;
}

static bool from_text(const char *from, size_t n, uint8_t *to)
{
    uint8_t *end = to + bytes_of(n);
    uint32_t bits = 0;
    unsigned have = 0;

    for (size_t i = 0; i < n; i += 2) {
        int low = digit(from[i]), high = i + 1 < n ? digit(from[i + 1]) : 0;

        if (low < 0 || high < 0)
            return false;
        bits |= (uint32_t)((low + high * 91) & 8191) << have;
        have += i + 1 < n ? 13 : 6;
        for (; have >= 8 && to < end; have -= 8, bits >>= 8)
            *to++ = (uint8_t)bits;
    }
    return true;
}

static int inflate_all(struct page_in *in, const uint8_t *packed, size_t n, uint64_t total)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)n};
    int rc;

    in->bytes = malloc(total + 1);
    if (in->bytes == NULL || inflateInit2(&z, MAX_WBITS + AS_GZIP) != Z_OK)
        return jfr_fail(in->err, JFR_E_NOMEM, 0, "out of memory");
    z.next_out = in->bytes;
    z.avail_out = (uInt)total;
    rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return rc == Z_STREAM_END && z.total_out == total ? 0 : damaged(in, "wrong checksum or size");
}

/* Finds the data between its tags and unpacks it. */
static int unpack(struct page_in *in, uint64_t total)
{
    static const char mark[] = "id=\"data\">\n";
    const char *from = memmem(in->text, in->n, mark, sizeof(mark) - 1), *to;
    uint8_t *packed;
    int rc;

    if (from == NULL)
        return damaged(in, "no data");
    from += sizeof(mark) - 1;
    to = memchr(from, '<', (size_t)(in->text + in->n - from));
    if (to == NULL)
        return jfr_fail(in->err, JFR_E_SHORT, in->n, "the page ends inside its data");
    while (to > from && to[-1] == '\n')
        to--;
    if ((uint64_t)(to - from) > MOST_BYTES || total > (uint64_t)(to - from) * 1032 + 64)
        return damaged(in, "sections too long");
    packed = malloc(bytes_of((size_t)(to - from)) + 1);
    if (packed == NULL)
        return jfr_fail(in->err, JFR_E_NOMEM, 0, "out of memory");
    rc = from_text(from, (size_t)(to - from), packed)
             ? inflate_all(in, packed, bytes_of((size_t)(to - from)), total)
             : damaged(in, "a character that none of the data is");
    free(packed);
    return rc;
}

static int read_head(struct page_in *in)
{
    static const char mark[] = "id=\"head\">\n";
    const char *all = in->text + in->n, *head = memmem(in->text, in->n, mark, sizeof(mark) - 1);
    const char *end = head == NULL ? NULL : memmem(head, (size_t)(all - head), "</script>", 9), *p;
    uint64_t total = 0, at = 0, format;
    int rc;

    if (end == NULL)
        return jfr_fail(in->err, JFR_E_SHORT, in->n, "the page ends before its header does");
    if (!member(head, end, "{\"format\":", &format) || format < 3 || format > 4)
        return jfr_fail(in->err, JFR_E_UNSUPPORTED, 0, "a page of another version");
    p = behind(head, end, "\n\"sections\":[");
    if (!member(head, end, "\n\"names\":", &in->n_names) ||
        !member(head, end, "\n\"nodes\":", &in->n_nodes) || p == NULL)
        return damaged(in, "broken header");
    while (in->n_sections < 128 && read_section(in, &p, end)) {
        total += in->sections[in->n_sections++].n;
        if (total > MOST_BYTES)
            return jfr_fail(in->err, JFR_E_LIMIT, 0, "sections of more than 2 GiB");
        word(&p, end, ",");
    }
    rc = unpack(in, total);
    for (size_t i = 0; i < in->n_sections && rc == 0; i++) {
        in->sections[i].p = in->bytes + at;
        at += in->sections[i].n;
    }
    return rc;
}

static struct cursor section(const struct page_in *in, const char *name)
{
    for (size_t i = 0; i < in->n_sections; i++)
        if (strcmp(in->sections[i].name, name) == 0)
            return cur_over(in->sections[i].p, in->sections[i].n);
    return cur_over("", 0);
}

/* Spells the names out: each shares its beginning with the one before. */
static int read_names(struct page_in *in)
{
    struct cursor keep = section(in, "names.keep"), more = section(in, "names.more");
    struct cursor text = section(in, "names.text"), sizes = more, kept = keep;
    uint64_t total = 0, before = 0;

    if (in->n_names > cur_left(&keep) || in->n_names > cur_left(&more))
        return damaged(in, "fewer names than announced");
    for (uint64_t i = 0; i < in->n_names; i++) {
        uint64_t k = cur_varint(&kept), m = cur_varint(&sizes);

        if (k > before || m > cur_left(&text))
            return damaged(in, "a name without beginning");
        before = k + m;
        total += before;
        if (total > MOST_BYTES)
            return jfr_fail(in->err, JFR_E_LIMIT, 0, "names of more than 2 GiB");
    }
    in->name_at = calloc(in->n_names + 1, sizeof(*in->name_at));
    in->names = malloc(total + 1);
    if (in->name_at == NULL || in->names == NULL)
        return jfr_fail(in->err, JFR_E_NOMEM, 0, "out of memory");
    for (uint64_t i = 0, at = 0; i < in->n_names; i++) {
        uint64_t k = cur_varint(&keep), m = cur_varint(&more);

        if (m > cur_left(&text))
            return damaged(in, "names end too early");
        if (k > 0)
            memcpy(in->names + at, in->names + in->name_at[i - 1], k);
        memcpy(in->names + at + k, text.p, m);
        text.p += m;
        at += k + m;
        in->name_at[i + 1] = at;
    }
    return cur_ok(&keep) && cur_ok(&more) ? 0 : damaged(in, "names end too early");
}

/* The weights: by node in a page of sums, else by stack. */
static int read_self(struct page_in *in)
{
    struct cursor sums = section(in, "tree.self"), hidden = section(in, "tree.hidden");
    struct cursor leaf = section(in, "leaf"), own = section(in, "leaf.self");
    uint64_t node = 0;

    in->self = calloc(in->n_nodes, sizeof(*in->self));
    in->path = calloc(in->n_nodes + 1, sizeof(*in->path));
    in->length = calloc(in->n_nodes + 1, sizeof(*in->length));
    if (in->self == NULL || in->path == NULL || in->length == NULL)
        return jfr_fail(in->err, JFR_E_NOMEM, 0, "out of memory");
    if (cur_left(&sums) > 0) {
        for (uint64_t i = 0; i < in->n_nodes; i++) {
            in->self[i] = cur_varint(&sums);
            if (cur_left(&hidden) > 0)
                in->self[i] += cur_varint(&hidden);
        }
        return cur_ok(&sums) ? 0 : damaged(in, "fewer weights than frames");
    }
    while (cur_left(&leaf) > 0 && cur_ok(&own)) {
        uint64_t step = cur_varint(&leaf);

        if (step >= in->n_nodes - node)
            return damaged(in, "a stack without end");
        node += step;
        in->self[node] = cur_varint(&own);
    }
    return cur_ok(&leaf) && cur_ok(&own) ? 0 : damaged(in, "fewer weights than stacks");
}

static void put_stack(const struct page_in *in, struct buf *b, uint64_t depth, uint64_t weight)
{
    for (uint64_t d = 1; d <= depth; d++) {
        uint64_t at = in->name_at[in->path[d]];

        if (d > 1)
            buf_byte(b, ';');
        buf_bytes(b, in->names + at, in->name_at[in->path[d] + 1] - at);
    }
    if (depth == 0)
        buf_str(b, "[no frames]");
    buf_byte(b, ' ');
    jsonw_u64(b, weight);
    buf_byte(b, '\n');
}

/* The name of a node; planes that are not there make it none. */
static uint64_t name_of(const struct page_in *in, const struct cursor *planes, uint64_t node)
{
    uint64_t n = cur_left(planes), id = n < in->n_nodes ? UINT64_MAX : 0;

    for (unsigned shift = 0; node < n && shift < 32; node += in->n_nodes, shift += 8)
        id |= (uint64_t)planes->p[node] << shift;
    return id;
}

static int write_stacks(struct page_in *in, struct out *out)
{
    struct cursor up = section(in, "tree.up"), names = section(in, "tree.name");
    uint64_t depth = 0, left = (uint64_t)in->n * PAGE_IN_GROWTH;
    int rc = 0;

    for (uint64_t i = 0; i < in->n_nodes && rc == 0; i++) {
        uint64_t closed = cur_varint(&up), id = name_of(in, &names, i);

        if (!cur_ok(&up) || (i > 0 && (closed > depth || id >= in->n_names)))
            return damaged(in, "a frame without caller or name");
        depth = i == 0 ? 0 : depth + 1 - closed;
        in->path[depth] = (uint32_t)id;
        if (depth > 0)
            in->length[depth] = in->length[depth - 1] + in->name_at[id + 1] - in->name_at[id] + 1;
        if (in->self[i] == 0)
            continue;
        if (in->length[depth] > MOST_STACK || in->length[depth] + 24 > left)
            return jfr_fail(in->err, JFR_E_LIMIT, 0, "stacks too long for a page of this size");
        left -= in->length[depth] + 24;
        put_stack(in, &out->b, depth, in->self[i]);
        if (!buf_ok(&out->b))
            return jfr_fail(in->err, JFR_E_NOMEM, 0, "out of memory");
        rc = out_check(out);
    }
    return rc;
}

int page_in_stacks(const void *bytes, size_t n, struct out *out, struct jfr_error *err)
{
    struct page_in *in = calloc(1, sizeof(*in));
    struct cursor up;
    int rc;

    if (in == NULL)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    in->text = bytes;
    in->n = n;
    in->err = err;
    rc = !page_in_is(bytes, n) ? damaged(in, "it does not begin like one") : read_head(in);
    up = section(in, "tree.up");
    if (rc == 0 && (in->n_nodes == 0 || in->n_nodes > cur_left(&up)))
        rc = damaged(in, "fewer frames than announced");
    if (rc == 0)
        rc = read_names(in);
    if (rc == 0)
        rc = read_self(in);
    if (rc == 0)
        rc = write_stacks(in, out);
    free(in->bytes);
    free(in->name_at);
    free(in->names);
    free(in->path);
    free(in->length);
    free(in->self);
    free(in);
    return rc;
}
