/* footer.c - the end of a Parquet file: the schema, where the pages of each row group lie, and
 * their statistics. */
#include "convert/parquet/parquet_internal.h"

#define CODEC_ZSTD 6
#define WRITER "jfrkit"

static void put_statistics(const struct column_chunk *chunk, struct thrift *t)
{
    const struct column_bounds *bounds = &chunk->bounds;
    struct thrift s = thrift_struct(t, 12);

    thrift_i64(&s, 3, (int64_t)chunk->n_nulls);
    if (bounds->are_known) {
        thrift_binary(&s, 5, bounds->most, bounds->n_most);
        thrift_binary(&s, 6, bounds->least, bounds->n_least);
        thrift_bool(&s, 7, bounds->are_exact);
        thrift_bool(&s, 8, bounds->are_exact);
    }
    thrift_end(&s);
}

/* The names from the root to a leaf. */
static void put_leaf_path(const struct parquet_node *leaf, struct thrift *t)
{
    const char *names[2 * PARQUET_DEPTH + 2];
    size_t n = 0;

    for (const struct parquet_node *node = leaf; node->parent != NULL; node = node->parent) {
        names[n++] = node->name;
        if (node->parent->kind == PARQUET_LIST)
            names[n++] = "list";
    }
    thrift_list(t, 3, THRIFT_BINARY, n);
    while (n-- > 0)
        thrift_element(t->b, names[n], strlen(names[n]));
}

static void put_encodings(const struct column_chunk *chunk, struct thrift *t)
{
    thrift_list(t, 2, THRIFT_I32, 3);
    thrift_zigzag(t->b, 0); /* PLAIN: of the dictionary, if nothing else */
    thrift_zigzag(t->b, 3); /* RLE: of the levels */
    thrift_zigzag(t->b, chunk->encoding);
}

static void put_metadata(const struct parquet_node *leaf, const struct column_chunk *chunk,
                         struct thrift *t)
{
    struct thrift m = thrift_struct(t, 3);

    thrift_i32(&m, 1, parquet_physical(leaf->type));
    put_encodings(chunk, &m);
    put_leaf_path(leaf, &m);
    thrift_i32(&m, 4, CODEC_ZSTD);
    thrift_i64(&m, 5, (int64_t)chunk->n_levels);
    thrift_i64(&m, 6, (int64_t)chunk->raw);
    thrift_i64(&m, 7, (int64_t)chunk->packed);
    thrift_i64(&m, 9, (int64_t)chunk->data_at);
    if (chunk->dictionary_at > 0)
        thrift_i64(&m, 11, (int64_t)chunk->dictionary_at);
    put_statistics(chunk, &m);
    thrift_end(&m);
}

struct group {
    struct buf *b;
    size_t i; /* which */
    uint64_t raw, packed;
};

static void put_column_chunk(void *ctx, const struct parquet_node *leaf)
{
    struct group *g = ctx;
    const struct column_chunk *chunk = &leaf->column->chunks[g->i];
    struct thrift t = thrift_begin(g->b);

    thrift_i64(&t, 2, 0); /* all that is known of it stands here */
    put_metadata(leaf, chunk, &t);
    if (chunk->offsets_n > 0) {
        thrift_i64(&t, 4, (int64_t)chunk->offsets_at);
        thrift_i32(&t, 5, (int32_t)chunk->offsets_n);
    }
    if (chunk->columns_n > 0) {
        thrift_i64(&t, 6, (int64_t)chunk->columns_at);
        thrift_i32(&t, 7, (int32_t)chunk->columns_n);
    }
    thrift_end(&t);
    g->raw += chunk->raw;
    g->packed += chunk->packed;
}

static void put_row_group(const struct parquet *p, size_t i, struct buf *b)
{
    struct group g = {b, i, 0, 0};
    struct thrift t = thrift_begin(b);

    thrift_list(&t, 1, THRIFT_STRUCT, p->n_columns);
    schema_leaves(&p->root, put_column_chunk, &g);
    thrift_i64(&t, 2, (int64_t)g.raw);
    thrift_i64(&t, 3, (int64_t)p->groups[i]);
    thrift_i64(&t, 6, (int64_t)g.packed);
    thrift_end(&t);
}

static void put_notes(const struct parquet *p, struct thrift *t)
{
    const char *text = (const char *)p->notes.p;

    if (p->n_notes == 0)
        return;
    thrift_list(t, 5, THRIFT_STRUCT, p->n_notes);
    for (size_t i = 0; i < p->n_notes; i++) {
        struct thrift note = thrift_begin(t->b);

        thrift_text(&note, 1, text);
        text += strlen(text) + 1;
        thrift_text(&note, 2, text);
        text += strlen(text) + 1;
        thrift_end(&note);
    }
}

void footer_put(const struct parquet *p, struct buf *b)
{
    struct thrift t = thrift_begin(b);

    thrift_i32(&t, 1, 2); /* version */
    thrift_list(&t, 2, THRIFT_STRUCT, schema_n(&p->root));
    schema_put(&p->root, b);
    thrift_i64(&t, 3, (int64_t)p->rows_total);
    thrift_list(&t, 4, THRIFT_STRUCT, p->n_groups);
    for (size_t i = 0; i < p->n_groups; i++)
        put_row_group(p, i, b);
    put_notes(p, &t);
    thrift_text(&t, 6, WRITER);
    /* Bounds count only where an order of values is named: that of the type. */
    thrift_list(&t, 7, THRIFT_STRUCT, p->n_columns);
    for (size_t i = 0; i < p->n_columns; i++) {
        struct thrift order = thrift_begin(b), of_type = thrift_struct(&order, 1);

        thrift_end(&of_type);
        thrift_end(&order);
    }
    thrift_end(&t);
}
