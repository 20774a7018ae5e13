/*
 * v0.h - read JFR 0.9 chunks (JDK 7, Oracle JDK 8, JRockit) by turning them into 2.1 chunks.
 *
 *     struct buf out = {0};
 *     if (v0_rewrite(bytes, n, offset, &out, &err) < 0)
 *         report(&err);
 *     if (out.n > 0)
 *         ... out.p[0..out.n) is a chunk like any other ...
 *
 * Event types and fields get the names JMC gives them (vm/prof/execution_sample becomes
 * jdk.ExecutionSample), one recording-setting event becomes one jdk.ActiveSetting for each setting,
 * and a constant that had several values over time becomes several constants.
 *
 * Threads: no shared state. Memory: bounded by a small multiple of n.
 */
#ifndef JFRFMT_V0_V0_H
#define JFRFMT_V0_V0_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Appends to *out a complete version 2.1 chunk with the events, stacks, threads and strings of the
 * 0.9 chunk at bytes[0..n). `base` is the file offset of bytes[0], for messages and for constant
 * keys that are unique in the file. Returns 0; or a negative code with *err filled. When damage is
 * met among events or constants, what is sound is in *out (still a legal chunk) and the code is
 * returned; when the metadata cannot be read or memory is exhausted, *out is as it was. */
int v0_rewrite(const uint8_t *bytes, size_t n, uint64_t base, struct buf *out,
               struct jfr_error *err);

#endif
