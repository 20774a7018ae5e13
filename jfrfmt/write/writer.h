/*
 * writer.h - write recordings that the JDK's tool, JMC and everyone else can read.
 *
 *     struct jfr_error err = {0};
 *     struct jfr_writer *w = jfr_writer_open("app.jfr", NULL, &err);
 *     int64_t sample = jfr_writer_declare(w, &sample_type, 1);
 *     uint64_t cls = jfr_writer_class(w, &(struct jfr_class_def){.name = "com/acme/Main"});
 *     uint64_t m = jfr_writer_method(w, cls, "run", "()V", 1, false);
 *     uint64_t st = jfr_writer_stack(w, &(struct jfr_frame){.method_key = m, .line = 42}, 1,
 * false); jfr_event_begin(w, sample, jfr_writer_now()); jfr_put_key(w, thread); jfr_put_key(w, st);
 *     jfr_event_end(w);
 *     jfr_writer_flush(w, 0);                    as often as losing what came since would hurt
 *     if (jfr_writer_close(w, &err) != 0) ...
 *
 * What the format asks of a whole recording is kept by the writer, not by its callers: one clock,
 * growing chunk starts, keys that never change their meaning, field lists that stay, constants in
 * every chunk that refers to them, real UTF-8, descriptors in all frames. What readers cannot take
 * is refused with an error where it is declared (jfr-format §5, §7, §16).
 *
 * A file is a finished recording at every instant: killed at any point, the process leaves one that
 * holds everything up to the last flush, with no repair. It is sparse and longer than its content
 * until it is closed. Pipes and compressed files get a whole chunk with each flush instead.
 *
 * Threads:   a writer belongs to one thread at a time.
 * Signals:   nothing here is async-signal-safe.
 * Ownership: everything given is copied.
 * Errors:    an event that is not what its type declares is dropped and counted. When the disk is
 *            full or broken the file keeps what the last good flush showed; the error is returned
 * once (jfr_writer_flush) and events are counted as lost until jfr_writer_retry(). Time:      ticks
 * are nanoseconds of CLOCK_MONOTONIC, unless the options say otherwise: then what is given becomes
 * ticks in the file, where a field's unit is ticks.
 */
#ifndef JFRFMT_WRITE_WRITER_H
#define JFRFMT_WRITE_WRITER_H

#include "jfrfmt/read/clock.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/read/stack.h"
#include "jfrfmt/read/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_writer;
struct sink_calls;

/* Zero means the default. */
struct jfr_writer_options {
    bool replace; /* an existing regular file of our own may be replaced */
    bool sync; /* flushes reach the device: survives power loss, costs milliseconds */
    bool zstd; /* one frame a chunk; also when the name ends in ".zst" */
    bool with_modules; /* jdk.types.Module, and Package refers to it */
    bool with_virtual; /* Thread.virtual; JMC logs a warning that it does not know it */
    size_t event_room; /* bytes of events between flushes: 1 MiB, 16 MiB where a flush makes a
                        * chunk. A buffer three quarters full is flushed. */
    size_t constant_room; /* bytes for constants and their tables. When set, this room and
                           * event_room are all there will be: what does not fit is refused and
                           * counted. 0: grows. */
    uint64_t extent; /* bytes by which a file is made longer beforehand: 32 MiB */
    int64_t start_ticks, start_nanos; /* where the clock begins: now */
    struct jfr_clock clock; /* how the file counts; times are given in nanoseconds all the same.
                             * Not for jfr_writer_event(). */
    int64_t first_id; /* of types: 20. Where chunks of others stand in the same file, far from their
                       * ids: the JDK's summary counts by id, whatever the chunk says that it is. */
    uint64_t seed; /* for metadata ids: random. The same seed, the same bytes. */
    const char *locale; /* "en_US" */
    int64_t gmt_offset_ms;
    const struct sink_calls *calls; /* for tests, see sink.h */
};

struct jfr_writer_stats {
    uint64_t n_events; /* written */
    uint64_t n_lost; /* that could not be written: disk, room */
    uint64_t n_lost_bytes; /* of these */
    uint64_t n_refused; /* that were not what their type declares */
    uint64_t n_constants_refused; /* for lack of room */
    uint64_t n_unresolved; /* keys in events that no constant has; written as 0 */
    uint64_t n_chunks;
    uint64_t n_bytes; /* of events and checkpoints */
    uint64_t constant_bytes; /* of memory that constants take now */
};

/* Opens a file ("-": standard output). It appears under its name with the first flush. NULL and
 * *err on failure; options may be NULL. */
struct jfr_writer *jfr_writer_open(const char *path, const struct jfr_writer_options *options,
                                   struct jfr_error *err);

/* The same for a descriptor, which the writer closes, also on failure. */
struct jfr_writer *jfr_writer_open_fd_take(int fd, const struct jfr_writer_options *options,
                                           struct jfr_error *err);

/* Declares n types, which may refer to each other. The id of the first, or negative: then none of
 * them is declared and jfr_writer_error() says why. A type may be declared again if its fields are
 * the same. May be called at any time; readers see new types with the next flush. */
int64_t jfr_writer_declare(struct jfr_writer *w, const struct jfr_type_def *types, size_t n);

/* Adds n fields to the end of event types: texts, or constants (JFR_POOLED). An event that is
 * written without them has nulls there. If events of one of the types have been written, a chunk
 * ends first, since all events of a type have the same fields in one chunk. Returns 0, or negative
 * and jfr_writer_error(): a type is no event type, or has a field of that name; then the types
 * before it in the list have the fields. Chunks that ended before are left as they are:
 * jfr_writer_rewrite() mends that. */
int jfr_writer_extend(struct jfr_writer *w, const int64_t *types, size_t n_types,
                      const struct jfr_field_def *fields, size_t n);

/* Do events in finished chunks lack fields that their types have got? */
bool jfr_writer_needs_rewrite(const struct jfr_writer *w);

/* Gives the events of all chunks the fields that their types have got since the last call, as
 * nulls: Mission Control files the events of a type whose fields differ between chunks under two
 * names. Copies the file into a new one, which takes the name `path` by rename; the writer
 * continues there. A process that is killed meanwhile leaves the old file or the new one. Takes
 * memory for a chunk, and time for the whole file. path: the name that the file has. Streams are
 * left as they are. Returns 0, or negative and *err: nothing has changed. The next call tries
 * again, if no event of the types has been written until then; else it fails, too. */
int jfr_writer_rewrite(struct jfr_writer *w, const char *path, struct jfr_error *err);

/* The same for a file that jfr_writer_move() has left. Before jfr_writer_rewrite(). Returns its new
 * size, and the place of its last chunk, in *bytes and *chunk_at. */
int jfr_writer_rewrite_file(struct jfr_writer *w, const char *path, uint64_t *bytes,
                            uint64_t *chunk_at, struct jfr_error *err);

/* The id of a declared type, or negative. */
int64_t jfr_writer_type(const struct jfr_writer *w, const char *name);

/* --- constants ---
 * Each returns a key that stays valid for the recording, the same one for the same value; 0 when
 * there is no room (counted) or the value is not usable. Texts may be UTF-8 or modified UTF-8. Key
 * 0 as an argument means none, where readers can take that. */

uint64_t jfr_writer_symbol(struct jfr_writer *w, const char *text, size_t n);
uint64_t jfr_writer_string(struct jfr_writer *w, const char *text, size_t n);

/* A value of a simple type over String: "GCCause", "System.gc()". */
uint64_t jfr_writer_simple(struct jfr_writer *w, int64_t type, const char *text, size_t n);

struct jfr_class_def {
    const char *name; /* "java/lang/String", "[B"; the package is what stands before the last '/' */
    size_t name_n; /* 0: NUL-terminated */
    uint64_t loader;
    uint64_t module; /* of the package, with_modules only */
    int32_t modifiers;
    bool is_hidden;
};
uint64_t jfr_writer_class(struct jfr_writer *w, const struct jfr_class_def *cls);
uint64_t jfr_writer_loader(struct jfr_writer *w, uint64_t cls, const char *name);
uint64_t jfr_writer_module(struct jfr_writer *w, const char *name, const char *version,
                           const char *location, uint64_t loader);

/* A class is needed; a descriptor without ')' is written as "()V". */
uint64_t jfr_writer_method(struct jfr_writer *w, uint64_t cls, const char *name,
                           const char *descriptor, int32_t modifiers, bool is_hidden);

enum jfr_frame_type { /* keys of jdk.types.FrameType, which every writer has */
    JFR_FRAME_INTERPRETED,
    JFR_FRAME_JIT,
    JFR_FRAME_INLINED,
    JFR_FRAME_NATIVE,
    JFR_FRAME_CPP,
    JFR_FRAME_KERNEL,
    JFR_FRAME_C1,
};

/* Frames top first. Every frame needs its method: readers fail on a missing one. A method that many
 * frames have got a second, shorter key for those that come; so a stack that is put again, after
 * others, may have a second key, too. */
uint64_t jfr_writer_stack(struct jfr_writer *w, const struct jfr_frame *frames, size_t n,
                          bool is_truncated);

/* Keys of jdk.types.ThreadState, which every writer has, are JVMTI's thread states: 5 runnable. */
#define JFR_STATE_RUNNABLE 5
#define JFR_STATE_SLEEPING 225

uint64_t jfr_writer_thread_group(struct jfr_writer *w, uint64_t parent, const char *name);

struct jfr_thread_def {
    const char *os_name, *java_name; /* java_name NULL: not a Java thread */
    int64_t os_id, java_id; /* os_id: each thread its own, JMC tells threads apart by it */
    uint64_t group;
    bool is_virtual;
};

/* A thread under a key of the caller's. 0; 1: the key has another value, which stays (a thread that
 * was renamed keeps its first name); negative: no room. */
int jfr_writer_thread(struct jfr_writer *w, uint64_t key, const struct jfr_thread_def *thread);

/* Any value, as bytes of its fields in order; every size in them is checked. Interned: its key, or
 * 0. Defined: 0, 1 or negative as above. */
uint64_t jfr_writer_intern(struct jfr_writer *w, int64_t type, const void *value, size_t n);
int jfr_writer_define(struct jfr_writer *w, int64_t type, uint64_t key, const void *value,
                      size_t n);

/* Sees to it that the chunk being written has this stack, though no event may name it: so it is not
 * forgotten at its end. False: there is none. */
bool jfr_writer_keep_stack(struct jfr_writer *w, uint64_t key);

/* Forgets, to make room, all constants but frame types, thread states, and those that the chunk
 * ending here refers to or that came in its time. The keys of what is forgotten become unknown and
 * are not given again. Begins a new chunk, unless one has just begun. */
int jfr_writer_forget(struct jfr_writer *w, int64_t now_ticks);

/* --- events ---
 * Begin, then the fields after startTime one by one in the order of the type, then end. A field of
 * an inline struct is put field by field. Fields of jfr_writer_extend() that are not put are null.
 */

int64_t jfr_writer_now(void); /* ticks */

void jfr_event_begin(struct jfr_writer *w, int64_t type, int64_t start_ticks);
void jfr_put_boolean(struct jfr_writer *w, bool v);
void jfr_put_byte(struct jfr_writer *w, int8_t v);
void jfr_put_int(struct jfr_writer *w, int32_t v); /* also for short and char */
void jfr_put_long(struct jfr_writer *w, int64_t v);
void jfr_put_float(struct jfr_writer *w, float v);
void jfr_put_double(struct jfr_writer *w, double v);
void jfr_put_key(struct jfr_writer *w, uint64_t key); /* any pooled field; 0 = none */
void jfr_put_string(struct jfr_writer *w, const char *text); /* NULL: null */
void jfr_put_text(struct jfr_writer *w, const char *text, size_t n);

/* 0; negative: the event was not what its type declares (n_refused) or lost (n_lost). */
int jfr_event_end(struct jfr_writer *w);

/* The same, and the event is repeated at the start of every later chunk: settings, JVM, OS. */
int jfr_event_end_repeated(struct jfr_writer *w);

/* A whole event as bytes: its fields in order, startTime first; every size is checked. */
int jfr_writer_event(struct jfr_writer *w, int64_t type, const void *body, size_t n);

/* --- the file ---
 * now_ticks is the end of what is written, for the chunk's duration; 0: now. */

/* Makes everything so far part of the file. 0; negative, once: it failed, events are lost from now
 * on; 1: it had failed before. */
int jfr_writer_flush(struct jfr_writer *w, int64_t now_ticks);

/* Flushes and begins a new chunk. Answers as flush does. */
int jfr_writer_rotate(struct jfr_writer *w, int64_t now_ticks);

/* Flushes, cuts the file to its content, and continues in another one, which then begins with a new
 * chunk: constants keep their keys, so that the files one after the other are one recording. 0;
 * negative and *err: the new file cannot be made, nothing has changed. *err is set with 0, too,
 * when the old file could not be finished. Plain files only. */
int jfr_writer_move(struct jfr_writer *w, const char *path, int64_t now_ticks,
                    struct jfr_error *err);

/* Bytes of the file, from its start, that hold what has been flushed; *chunk_at is where the last
 * chunk begins. A copy of them is a recording when the size in that chunk's header, 8 bytes at
 * *chunk_at + 8, is made the number of bytes from there. 0: nothing yet, or no plain file. */
uint64_t jfr_writer_used(const struct jfr_writer *w, uint64_t *chunk_at);

/* Tries again after a failure. 0; negative: this one cannot be mended. */
int jfr_writer_retry(struct jfr_writer *w);

/* The first failure since the last retry. */
const struct jfr_error *jfr_writer_error(const struct jfr_writer *w);

/* The clock of the options, asked again: the two clocks run apart by some millionths, and events
 * written from now on go along. What the chunk says of its beginning stays. */
void jfr_writer_follow(struct jfr_writer *w, const struct jfr_clock *clock);

/* Events of a type that were written, or wait for the next flush; without those that were lost. */
uint64_t jfr_writer_n_events(const struct jfr_writer *w, int64_t type);

void jfr_writer_stats(const struct jfr_writer *w, struct jfr_writer_stats *stats);

/* Flushes, cuts the file to its content, closes and frees; NULL is allowed. 0, or the first failure
 * of the writer, also in *err. A file to which nothing could ever be flushed is removed. */
int jfr_writer_close(struct jfr_writer *w, struct jfr_error *err);

#endif
