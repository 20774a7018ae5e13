/*
 * column.c - pages of a leaf: levels, then values by number of a dictionary or plain, packed with
 * zstd.
 *
 * parquet.c collects the levels and values of a row group; column_write() writes them when the
 * group ends. How they are encoded is decided once for the whole group: numbers of a dictionary,
 * unless the values themselves are shorter. Each page keeps its least and greatest value for the
 * page index, by which readers pass over pages (bounds.c).
 */
#include "convert/parquet/column.h"

#include "convert/parquet/bounds.h"
#include "convert/parquet/encode.h"
#include "convert/parquet/thrift.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/error.h"

#include <stdlib.h>

#define ZSTD_LEVEL 1

enum { /* of parquet.thrift */
    DATA_PAGE = 0,
    DICTIONARY_PAGE = 2,
    PLAIN = 0,
    RLE = 3,
    DELTA_BINARY_PACKED = 5,
    RLE_DICTIONARY = 8,
};

#define HASH_BYTES 16 /* of a table, for each entry of a dictionary, about */

size_t column_bytes(const struct parquet_column *c)
{
    return c->def.room + c->rep.room + c->values.room + c->dictionary.text.room +
           c->dictionary.starts.room + intern_n(&c->dictionary) * HASH_BYTES;
}

int column_put(struct column_out *out, const void *bytes, size_t n)
{
    if (out->rc == 0)
        out->rc = out->write(out->ctx, bytes, n);
    out->at += n;
    return out->rc;
}

void column_free(struct parquet_column *c)
{
    buf_free(&c->def);
    buf_free(&c->rep);
    buf_free(&c->values);
    intern_free(&c->dictionary);
    buf_free(&c->mended);
    for (size_t i = 0; i < c->n_chunks; i++)
        free(c->chunks[i].pages);
    free(c->chunks);
}

/* --- pages --- */

static void put_data_header(struct thrift *t, size_t n_levels, int encoding)
{
    struct thrift h = thrift_struct(t, 5);

    thrift_i32(&h, 1, (int32_t)n_levels);
    thrift_i32(&h, 2, encoding);
    thrift_i32(&h, 3, RLE); /* of the levels */
    thrift_i32(&h, 4, RLE);
    thrift_end(&h);
}

static void put_dictionary_header(struct thrift *t, size_t n)
{
    struct thrift h = thrift_struct(t, 7);

    thrift_i32(&h, 1, (int32_t)n);
    thrift_i32(&h, 2, PLAIN);
    thrift_end(&h);
}

/* Writes out->body as a page. */
static uint32_t end_page(struct column_chunk *chunk, int type, size_t n, int encoding,
                         struct column_out *out)
{
    size_t room = ZSTD_compressBound(out->body.n), packed = 0;
    struct thrift t;

    buf_reset(&out->packed);
    buf_reset(&out->head);
    if (buf_ok(&out->body) && buf_reserve(&out->packed, room))
        packed =
            ZSTD_compressCCtx(out->zstd, out->packed.p, room, out->body.p, out->body.n, ZSTD_LEVEL);
    if (packed == 0 || ZSTD_isError(packed)) {
        out->rc = out->rc == 0 ? JFR_E_NOMEM : out->rc;
        return 0;
    }
    t = thrift_begin(&out->head);
    thrift_i32(&t, 1, type);
    thrift_i32(&t, 2, (int32_t)out->body.n);
    thrift_i32(&t, 3, (int32_t)packed);
    if (type == DATA_PAGE)
        put_data_header(&t, n, encoding);
    else
        put_dictionary_header(&t, n);
    thrift_end(&t);
    column_put(out, out->head.p, out->head.n);
    column_put(out, out->packed.p, packed);
    chunk->raw += out->head.n + out->body.n;
    chunk->packed += out->head.n + packed;
    return (uint32_t)(out->head.n + packed);
}

/* --- how a chunk's values are encoded --- */

struct encoding {
    const struct parquet_column *c;
    int code;
    unsigned width; /* of numbers of the dictionary */
    uint32_t *rank; /* of each number of the dictionary among its values; NULL: there is none */
    uint32_t *by_rank;
};

static size_t n_values(const struct parquet_column *c)
{
    return c->values.n / (c->leaf->has_dictionary ? sizeof(uint32_t) : sizeof(int64_t));
}

static const uint32_t *ids_of(const struct parquet_column *c)
{
    return (const void *)c->values.p;
}

static const int64_t *numbers_of(const struct parquet_column *c)
{
    return (const void *)c->values.p;
}

static size_t plain_bytes(const struct parquet_column *c, uint32_t id)
{
    size_t n;

    if (c->leaf->type != PARQUET_STRING)
        return c->leaf->type == PARQUET_ID ? PARQUET_ID_BYTES : 8;
    intern_get(&c->dictionary, id, &n);
    return n + 4;
}

/* A value of the dictionary, as PLAIN has it. */
static void encode_plain_value(const struct parquet_column *c, uint32_t id, struct buf *b)
{
    size_t n;
    const char *p = intern_get(&c->dictionary, id, &n);
    int64_t number;

    if (c->leaf->type == PARQUET_STRING) {
        uint32_t length = (uint32_t)n;

        encode_plain(b, &(int64_t){length}, 1, 4);
        buf_bytes(b, p, n);
    } else if (c->leaf->type == PARQUET_ID) {
        buf_bytes(b, p, n);
    } else {
        memcpy(&number, p, sizeof(number));
        encode_plain(b, &number, 1, parquet_number_bytes(c->leaf->type));
    }
}

/* Is it smaller to write the values than a dictionary and their numbers? */
static bool is_plain_better(const struct parquet_column *c, unsigned width)
{
    size_t dictionary = c->dictionary.text.n, plain = 0, n = n_values(c);
    const uint32_t *ids = ids_of(c);

    if (intern_n(&c->dictionary) * 2 < n || dictionary < COLUMN_PAGE_BYTES / 4)
        return false;
    for (size_t i = 0; i < n; i++)
        plain += plain_bytes(c, ids[i]);
    return plain <= dictionary + n * width / 8;
}

static _Thread_local const struct parquet_column *sorted_column; /* of the running qsort() */

static int by_value(const void *a, const void *b)
{
    size_t n_a, n_b;
    const char *x = intern_get(&sorted_column->dictionary, *(const uint32_t *)a, &n_a);
    const char *y = intern_get(&sorted_column->dictionary, *(const uint32_t *)b, &n_b);

    return bounds_compare(sorted_column->leaf->type, x, n_a, y, n_b);
}

/* Ranks tell the least and the greatest value of a page without looking at texts. */
static bool rank_dictionary(struct encoding *e)
{
    size_t n = intern_n(&e->c->dictionary);

    e->rank = malloc((n + 1) * sizeof(*e->rank));
    e->by_rank = malloc((n + 1) * sizeof(*e->by_rank));
    if (e->rank == NULL || e->by_rank == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        e->by_rank[i] = (uint32_t)i;
    sorted_column = e->c;
    if (n > 1)
        qsort(e->by_rank, n, sizeof(*e->by_rank), by_value);
    for (size_t i = 0; i < n; i++)
        e->rank[e->by_rank[i]] = (uint32_t)i;
    return true;
}

static bool choose_encoding(struct encoding *e, struct column_chunk *chunk, struct column_out *out)
{
    const struct parquet_column *c = e->c;
    size_t n = intern_n(&c->dictionary);

    if (!c->leaf->has_dictionary) {
        e->code = c->leaf->type == PARQUET_TIME || c->leaf->type == PARQUET_INT64
                      ? DELTA_BINARY_PACKED
                      : PLAIN;
        return true;
    }
    if (!rank_dictionary(e))
        return false;
    e->width = n < 2 ? 1 : encode_width(n - 1);
    e->code = is_plain_better(c, e->width) ? PLAIN : RLE_DICTIONARY;
    if (e->code == PLAIN)
        return true;
    buf_reset(&out->body);
    for (size_t i = 0; i < n; i++)
        encode_plain_value(c, (uint32_t)i, &out->body);
    chunk->dictionary_at = out->at;
    end_page(chunk, DICTIONARY_PAGE, n, PLAIN, out);
    return true;
}

/* Values from..to without nulls. */
static void encode_values(const struct encoding *e, size_t from, size_t to, struct buf *b)
{
    const struct parquet_column *c = e->c;

    if (c->leaf->has_dictionary && e->code == RLE_DICTIONARY) {
        buf_byte(b, (uint8_t)e->width);
        encode_hybrid(b, ids_of(c) + from, to - from, e->width);
    } else if (c->leaf->has_dictionary) {
        for (size_t i = from; i < to; i++)
            encode_plain_value(c, ids_of(c)[i], b);
    } else if (e->code == DELTA_BINARY_PACKED) {
        encode_delta(b, numbers_of(c) + from, to - from);
    } else if (c->leaf->type == PARQUET_BOOLEAN) {
        encode_bits(b, numbers_of(c) + from, to - from);
    } else {
        encode_plain(b, numbers_of(c) + from, to - from, parquet_number_bytes(c->leaf->type));
    }
}

static struct column_bounds bounds_of_ranks(const struct encoding *e, uint32_t least, uint32_t most)
{
    const struct intern *dictionary = &e->c->dictionary;
    size_t n_least, n_most;
    const char *a = intern_get(dictionary, e->by_rank[least], &n_least);
    const char *b = intern_get(dictionary, e->by_rank[most], &n_most);
    int64_t both[2];

    if (e->c->leaf->type == PARQUET_STRING || e->c->leaf->type == PARQUET_ID)
        return bounds_of_texts(a, n_least, b, n_most);
    memcpy(&both[0], a, sizeof(both[0]));
    memcpy(&both[1], b, sizeof(both[1]));
    return bounds_of_numbers(e->c->leaf->type, both, 2);
}

static struct column_bounds bounds_of(const struct encoding *e, size_t from, size_t to)
{
    uint32_t least = UINT32_MAX, most = 0;

    if (from == to)
        return (struct column_bounds){0};
    if (!e->c->leaf->has_dictionary)
        return bounds_of_numbers(e->c->leaf->type, numbers_of(e->c) + from, to - from);
    for (size_t i = from; i < to; i++) {
        uint32_t rank = e->rank[ids_of(e->c)[i]];

        least = rank < least ? rank : least;
        most = rank > most ? rank : most;
    }
    return bounds_of_ranks(e, least, most);
}

/* --- chunks --- */

struct place { /* in a column's levels, values and rows */
    size_t level, value;
    uint64_t row;
};

static size_t value_bytes(const struct encoding *e, size_t i)
{
    if (!e->c->leaf->has_dictionary)
        return sizeof(int64_t);
    return e->code == RLE_DICTIONARY ? 4 : plain_bytes(e->c, ids_of(e->c)[i]);
}

/* The end of the page that begins at a place. Pages begin with a row. */
static struct place find_page_end(const struct encoding *e, struct place from)
{
    const struct parquet_column *c = e->c;
    const uint8_t *def = c->def.p, *rep = c->rep.n > 0 ? c->rep.p : NULL;
    struct place to = from;
    size_t bytes = 0;

    while (to.level < c->def.n) {
        bool begins_row = rep == NULL || rep[to.level] == 0;

        if (begins_row && to.level > from.level &&
            (to.row - from.row >= COLUMN_PAGE_ROWS || bytes >= COLUMN_PAGE_BYTES))
            break;
        to.row += begins_row;
        if (def[to.level] == c->leaf->def)
            bytes += value_bytes(e, to.value++);
        to.level++;
    }
    return to;
}

static struct column_page *add_page(struct column_chunk *chunk)
{
    if (!array_add(&chunk->pages, chunk->n_pages, sizeof(*chunk->pages)))
        return NULL;
    return &chunk->pages[chunk->n_pages++];
}

static bool write_data_page(const struct encoding *e, struct column_chunk *chunk, struct place from,
                            struct place to, struct column_out *out)
{
    const struct parquet_column *c = e->c;
    struct column_page *page = add_page(chunk);
    size_t n = to.level - from.level;

    if (page == NULL)
        return false;
    *page = (struct column_page){.offset = out->at,
                                 .first_row = from.row,
                                 .n_values = to.value - from.value,
                                 .n_nulls = n - (to.value - from.value),
                                 .bounds = bounds_of(e, from.value, to.value)};
    buf_reset(&out->body);
    if (c->rep.n > 0)
        encode_levels(&out->body, c->rep.p + from.level, n, c->leaf->rep);
    encode_levels(&out->body, c->def.p + from.level, n, c->leaf->def);
    encode_values(e, from.value, to.value, &out->body);
    page->bytes = end_page(chunk, DATA_PAGE, n, e->code, out);
    return true;
}

/* The chunk of a row group; those of groups before the column was made stay empty. */
static struct column_chunk *chunk_at(struct parquet_column *c, size_t group)
{
    while (c->n_chunks <= group) {
        if (!array_add(&c->chunks, c->n_chunks, sizeof(*c->chunks)))
            return NULL;
        c->chunks[c->n_chunks++] = (struct column_chunk){0};
    }
    return &c->chunks[group];
}

static bool write_pages(struct encoding *e, struct column_chunk *chunk, struct column_out *out)
{
    struct place from = {0}, to;

    if (!choose_encoding(e, chunk, out))
        return false;
    chunk->data_at = out->at;
    chunk->encoding = e->code;
    for (; from.level < e->c->def.n && out->rc == 0; from = to) {
        to = find_page_end(e, from);
        if (!write_data_page(e, chunk, from, to, out))
            return false;
    }
    chunk->bounds = bounds_of(e, 0, n_values(e->c));
    return true;
}

int column_write(struct parquet_column *c, size_t group, struct column_out *out)
{
    struct encoding e = {.c = c};
    struct column_chunk *chunk = chunk_at(c, group);
    bool ok = chunk != NULL && buf_ok(&c->def) && buf_ok(&c->rep) && buf_ok(&c->values);

    if (ok) {
        chunk->n_levels = c->def.n;
        chunk->n_nulls = c->def.n - n_values(c);
        ok = write_pages(&e, chunk, out);
    }
    if (!ok && out->rc == 0)
        out->rc = JFR_E_NOMEM;
    free(e.rank);
    free(e.by_rank);
    buf_free(&c->def);
    buf_free(&c->rep);
    buf_free(&c->values);
    intern_free(&c->dictionary);
    return out->rc;
}

int column_write_nulls(struct parquet_column *c, size_t group, uint64_t n_rows,
                       struct column_out *out)
{
    buf_reset(&c->def);
    buf_reset(&c->rep);
    buf_fill(&c->def, n_rows);
    buf_fill(&c->rep, c->leaf->rep > 0 ? n_rows : 0);
    return column_write(c, group, out);
}

/* --- indexes --- */

/* A chunk has one only if the bounds of all its pages are known that have a value. */
static bool has_bounds(const struct column_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n_pages; i++)
        if (chunk->pages[i].n_values > 0 && !chunk->pages[i].bounds.are_known)
            return false;
    return chunk->n_pages > 0;
}

int column_write_bounds(struct column_chunk *chunk, struct column_out *out)
{
    struct thrift t = thrift_begin(&out->head);

    if (!has_bounds(chunk))
        return out->rc;
    buf_reset(&out->head);
    thrift_list(&t, 1, THRIFT_TRUE, chunk->n_pages);
    for (size_t i = 0; i < chunk->n_pages; i++)
        buf_byte(&out->head, chunk->pages[i].n_values == 0 ? THRIFT_TRUE : THRIFT_FALSE);
    thrift_list(&t, 2, THRIFT_BINARY, chunk->n_pages);
    for (size_t i = 0; i < chunk->n_pages; i++)
        thrift_element(&out->head, chunk->pages[i].bounds.least, chunk->pages[i].bounds.n_least);
    thrift_list(&t, 3, THRIFT_BINARY, chunk->n_pages);
    for (size_t i = 0; i < chunk->n_pages; i++)
        thrift_element(&out->head, chunk->pages[i].bounds.most, chunk->pages[i].bounds.n_most);
    thrift_i32(&t, 4, 0); /* in no order */
    thrift_list(&t, 5, THRIFT_I64, chunk->n_pages);
    for (size_t i = 0; i < chunk->n_pages; i++)
        thrift_zigzag(&out->head, (int64_t)chunk->pages[i].n_nulls);
    thrift_end(&t);
    chunk->columns_at = out->at;
    chunk->columns_n = (uint32_t)out->head.n;
    return column_put(out, out->head.p, out->head.n);
}

int column_write_places(struct column_chunk *chunk, struct column_out *out)
{
    struct thrift t = thrift_begin(&out->head);

    if (chunk->n_pages == 0)
        return out->rc;
    buf_reset(&out->head);
    thrift_list(&t, 1, THRIFT_STRUCT, chunk->n_pages);
    for (size_t i = 0; i < chunk->n_pages; i++) {
        struct thrift place = thrift_begin(&out->head);

        thrift_i64(&place, 1, (int64_t)chunk->pages[i].offset);
        thrift_i32(&place, 2, (int32_t)chunk->pages[i].bytes);
        thrift_i64(&place, 3, (int64_t)chunk->pages[i].first_row);
        thrift_end(&place);
    }
    thrift_end(&t);
    chunk->offsets_at = out->at;
    chunk->offsets_n = (uint32_t)out->head.n;
    return column_put(out, out->head.p, out->head.n);
}
