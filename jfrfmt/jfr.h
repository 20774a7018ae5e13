/*
 * jfr.h - read flight recordings of any producer and version, driven by their own metadata.
 *
 * This is the whole public surface of libjfrfmt. Data flows one way:
 *
 *     source.h    bytes of a file, pipe or archive      -> raw chunks
 *     chunk.h     raw chunk -> header, metadata.h, cpool.h, and events by pull
 *     plan.h      the wanted fields of an event, decoded
 *     stack.h     stack traces, methods, threads;  string.h  texts
 *     reader.h    all of it for the simple case: one file, events in order
 *
 * Threads, signals, ownership and errors are said in each header. Functions begin with jfr_.
 */
#ifndef JFRFMT_JFR_H
#define JFRFMT_JFR_H

#include "jfrfmt/read/chunk.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/read/cpool.h"
#include "jfrfmt/read/metadata.h"
#include "jfrfmt/read/plan.h"
#include "jfrfmt/read/reader.h"
#include "jfrfmt/read/source.h"
#include "jfrfmt/read/stack.h"
#include "jfrfmt/base/string.h"

#endif
