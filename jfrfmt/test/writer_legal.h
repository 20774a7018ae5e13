/*
 * writer_legal.h - is this a recording that every reader takes? For the tests of the writer.
 *
 * Checks what the strictest readers insist on: chunks that fill the file, finished headers, events
 * that fill their chunk, metadata and a chain of checkpoints where the header says. Values are for
 * the readers themselves to judge. Anything found wrong is the returned text; NULL: legal.
 */
#ifndef JFRFMT_TEST_WRITER_LEGAL_H
#define JFRFMT_TEST_WRITER_LEGAL_H

#include "jfrfmt/base/cursor.h"

#include <stddef.h>
#include <stdint.h>

struct legal {
    uint64_t n_chunks;
    uint64_t n_events; /* that are neither metadata nor checkpoint, nor a chunk taken for one */
    uint64_t n_checkpoints; /* in chains */
    uint64_t n_metadata;
    int64_t nanos; /* of the last chunk */
};

static inline uint64_t legal_be(const uint8_t *p)
{
    struct cursor c = cur_over(p, 8);

    return cur_be(&c, 8);
}

/* Type of the event at p and its size, which fits in n; -1: none there. */
static inline int64_t legal_event(const uint8_t *p, uint64_t n, uint64_t *size)
{
    struct cursor c = cur_over(p, n);
    int64_t type;

    *size = cur_varint(&c);
    type = (int64_t)cur_varint(&c);
    return cur_ok(&c) && *size >= 2 && *size <= n && *size < (1u << 31) ? type : -1;
}

static inline const char *legal_chain(const uint8_t *p, uint64_t n, uint64_t at, struct legal *l)
{
    for (int i = 0; i < 100000; i++) {
        struct cursor c;
        uint64_t size;
        int64_t delta;

        if (at < 68 || at >= n || legal_event(p + at, n - at, &size) != 1)
            return "no checkpoint where the chain says";
        l->n_checkpoints++;
        c = cur_over(p + at, size);
        cur_skip_varints(&c, 4);
        delta = (int64_t)cur_varint(&c);
        if (delta == 0)
            return NULL;
        at += (uint64_t)delta;
    }
    return "a chain of checkpoints without end";
}

static inline const char *legal_chunk(const uint8_t *p, uint64_t n, struct legal *l)
{
    uint64_t size;

    if (legal_be(p + 24) >= n ||
        legal_event(p + legal_be(p + 24), n - legal_be(p + 24), &size) != 0)
        return "no metadata where the header says";
    if (p[64] != 0)
        return "a chunk that is not finished";
    if (l->n_chunks > 0 && (int64_t)legal_be(p + 32) <= l->nanos)
        return "a chunk that does not start after the one before";
    l->nanos = (int64_t)legal_be(p + 32);
    for (uint64_t at = 68; at < n; at += size) {
        int64_t type = legal_event(p + at, n - at, &size);

        if (type < 0)
            return "no event where one should be";
        l->n_events += type > 1 && type != 76;
        l->n_metadata += type == 0;
    }
    return legal_chain(p, n, legal_be(p + 16), l);
}

static inline const char *legal(const uint8_t *p, uint64_t n, struct legal *l)
{
    *l = (struct legal){0};
    if (n == 0)
        return "an empty file";
    while (n > 0) {
        const char *wrong;
        uint64_t size = n < 68 ? 0 : legal_be(p + 8);

        if (n < 68 || memcmp(p, "FLR\0", 4) != 0)
            return "bytes that are no chunk";
        if (size < 68 || size > n)
            return "a chunk longer than its file";
        wrong = legal_chunk(p, size, l);
        if (wrong != NULL)
            return wrong;
        l->n_chunks++;
        p += size;
        n -= size;
    }
    return NULL;
}

#endif
