/*
 * unwrap_internal.h - what unwrap.c and its layers know of each other. Internal to jfrfmt.
 */
#ifndef JFRFMT_READ_UNWRAP_INTERNAL_H
#define JFRFMT_READ_UNWRAP_INTERNAL_H

#include "jfrfmt/read/unwrap.h"

#include <zlib.h>

/* Input and output of one step of a decoder, which moves them on. */
struct unwrap_step {
    const uint8_t *in;
    size_t n_in;
    uint8_t *out;
    size_t n_out;
    bool ended; /* the member, frame or entry is complete */
};

/* Answers NULL, or what is wrong with the input. Needs no input while it has output to give. */
const char *unwrap_inflate(z_stream *z, struct unwrap_step *st);

/* Records what is wrong at the current place of the layer below, and ends this layer; bytes that
 * the current pull has produced are still delivered. */
void unwrap_damaged(struct unwrap *u, enum jfr_errc code, const char *what);

/* gzip members, zstd and lz4 frames, any number one after the other. */
bool unwrap_is_codec(const uint8_t *bytes, size_t n);
struct unwrap *unwrap_push_codec(struct unwrap *inner, struct jfr_error *err);

/* The recordings in a zip file, one after the other. */
bool unwrap_is_zip(const uint8_t *bytes, size_t n);
struct unwrap *unwrap_push_zip(struct unwrap *inner, struct jfr_error *err);

#endif
