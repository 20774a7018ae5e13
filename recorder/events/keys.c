/*
 * keys.c - writes threads, classes, methods and stacks as constants of the file, each once, and
 * keeps their keys for the records that name them again.
 *
 * The drain thread calls it for each record. In: the identities that records have (thread index,
 * method, frames). Out: keys in the file. keys_forget() makes all of them unknown again.
 */
#include "recorder/events/keys.h"

#include "jfrfmt/base/hash.h"
#include "jfrfmt/base/intern.h"
#include "recorder/capture/capture.h"
#include "recorder/symbols/kernel_symbols.h"
#include "recorder/capture/lost.h"
#include "recorder/vm/thread_name.h"
#include "recorder/native/name.h"
#include "recorder/capture/threads.h"
#include "jfrfmt/base/sorted.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define NAME_MAX_BYTES 1024
#define NAMES_SHIFT 41 /* above the ids of Java threads and the keys of other threads */
#define NAMES_MASK ((UINT64_C(1) << 21) - 1)
#define NAMES_TRIED 8

struct method { /* what is known of a method identity */
    uint64_t key;
    const struct line_entry *lines;
    uint32_t n_lines;
};

struct table { /* identity to anything: dense ids by intern, values beside them */
    struct intern ids;
    struct buf values;
};

struct placed { /* a frame that was written; key 0: none */
    uint64_t method, at; /* at: see place_frame() */
    uint64_t key;
    int32_t line;
};

static struct table stacks; /* hash of the frames to uint64_t */
static struct table methods; /* struct frame_id to struct method */
static struct placed placed[4096]; /* the last of each place */
static uint64_t native_class;
static struct keys_status status;

static void clear(struct table *t)
{
    intern_free(&t->ids);
    buf_free(&t->values);
}

/* The value of a key, of `size` bytes; *is_new: it is zero. NULL: no memory. */
static void *lookup(struct table *t, const void *key, size_t n, size_t size, bool *is_new)
{
    static const uint8_t zero[64];
    uint32_t id = intern_add(&t->ids, key, n);

    if (id == INTERN_FAILED)
        return NULL;
    *is_new = (size_t)id * size == t->values.n;
    if (*is_new)
        buf_bytes(&t->values, zero, size);
    return buf_ok(&t->values) ? t->values.p + (size_t)id * size : NULL;
}

void keys_open(struct recording *r)
{
    keys_close();
    memset(&status, 0, sizeof(status));
    keys_forget(r);
}

void keys_close(void)
{
    clear(&stacks);
    clear(&methods);
    memset(placed, 0, sizeof(placed));
    native_class = 0;
}

void keys_forget(struct recording *r)
{
    static uint32_t epoch; /* threads outlive recordings, with the keys they had */

    keys_close();
    r->constants_epoch = ++epoch;
}

/* Samples of a sleeping thread have the stack of its first sample asleep, whose key must stay. */
static void keep_stack(struct thread *t, void *writer)
{
    if (t->wall_stack != 0)
        jfr_writer_keep_stack(writer, t->wall_stack);
}

void keys_keep(struct recording *r)
{
    threads_each(keep_stack, r->writer);
}

void keys_status(struct keys_status *out)
{
    *out = status;
}

/* --- classes and methods --- */

uint64_t drain_class(struct recording *r, const char *signature)
{
    size_t n = strlen(signature);
    bool is_object = n > 2 && signature[0] == 'L' && signature[n - 1] == ';';
    struct jfr_class_def def = {.name = is_object ? signature + 1 : signature,
                                .name_n = is_object ? n - 2 : n};

    return n == 0 ? 0 : jfr_writer_class(r->writer, &def);
}

/* Functions of native code have no class; other producers write them as methods of a class without
 * a name, and so do we. */
static uint64_t function(struct recording *r, const char *name)
{
    if (native_class == 0)
        native_class = jfr_writer_class(r->writer, &(struct jfr_class_def){.name = ""});
    return jfr_writer_method(r->writer, native_class, name, "()L;", 0, false);
}

static void copy(char out[NAME_MAX_BYTES], const char *text, uint32_t n)
{
    n = n < NAME_MAX_BYTES - 1 ? n : NAME_MAX_BYTES - 1;
    memcpy(out, text, n);
    out[n] = 0;
}

static uint64_t java_method(struct recording *r, const struct method_info *info)
{
    char name[NAME_MAX_BYTES], descriptor[NAME_MAX_BYTES];
    struct jfr_class_def def = {
        .name = info->cls,
        .name_n = info->cls_n,
        .is_hidden = info->is_hidden,
    };
    uint64_t cls = info->cls_n > 0 ? jfr_writer_class(r->writer, &def) : 0;

    copy(name, info->name, info->name_n);
    copy(descriptor, info->descriptor, info->descriptor_n);
    return cls == 0 ? function(r, name)
                    : jfr_writer_method(r->writer, cls, name, descriptor, info->modifiers, false);
}

static void describe(struct recording *r, const struct record *rec, const struct frame *f,
                     struct method *m)
{
    const struct walker *w = (rec->flags & RECORD_JMETHODS) != 0 ? &walk_agct : r->walker;
    struct method_info info;
    char name[NAME_MAX_BYTES];

    status.n_methods++;
    if (f->method != 0 && w->describe(f->method, &info)) {
        m->key = java_method(r, &info);
        m->lines = info.lines;
        m->n_lines = info.n_lines;
    } else if (f->kind == FRAME_KERNEL) {
        m->key = function(r, kernel_symbols_name(f->pc));
    } else if (f->method == 0 && f->pc != 0) {
        native_name(f->pc, name, sizeof(name));
        m->key = function(r, name);
    } else {
        status.n_nameless++;
        m->key = function(r, f->kind == FRAME_CONTINUATION ? "[continuation]" : "[unknown_method]");
    }
}

/* The identity of the method of a frame: its own, or the address of code that has no method. */
struct frame_id {
    uint64_t method, pc;
    uint64_t is_jmethod;
};

static const struct method *method_of(struct recording *r, const struct record *rec,
                                      const struct frame *f)
{
    struct frame_id id = {f->method, f->method == 0 ? f->pc : 0,
                          (rec->flags & RECORD_JMETHODS) != 0};
    bool is_new;
    struct method *m = lookup(&methods, &id, sizeof(id), sizeof(*m), &is_new);

    if (m != NULL && is_new)
        describe(r, rec, f, m);
    return m;
}

static int32_t line_at(const struct method *m, int32_t bci)
{
    size_t behind = bci < 0 ? 0 : SORTED_FIRST(m->n_lines, i, m->lines[i].bci > bci);

    return behind == 0 ? 0 : m->lines[behind - 1].line;
}

/* Returns method and line of a frame, from a small cache, since most frames come again. Returns
 * NULL if out of memory. */
static const struct placed *place_frame(struct recording *r, const struct record *rec,
                                        const struct frame *f)
{
    bool is_jmethod = (rec->flags & RECORD_JMETHODS) != 0;
    uint64_t at = f->method == 0 ? f->pc : (uint32_t)f->bci | (uint64_t)is_jmethod << 32;
    uint64_t hash = hash_mix(f->method ^ 0x9e3779b97f4a7c15u, at ^ 0xd6e8feb86659fd93u);
    struct placed *p = &placed[hash % (sizeof(placed) / sizeof(placed[0]))];
    const struct method *m;

    if (p->key != 0 && p->method == f->method && p->at == at)
        return p;
    m = method_of(r, rec, f);
    if (m == NULL)
        return NULL;
    *p = (struct placed){f->method, at, m->key, line_at(m, f->bci)};
    return p;
}

/* --- stacks --- */

static enum jfr_frame_type shown_type_of(const struct frame *f)
{
    switch (f->kind) {
    case FRAME_INTERPRETED:
        return JFR_FRAME_INTERPRETED;
    case FRAME_COMPILED:
        return f->level >= 1 && f->level <= 3 ? JFR_FRAME_C1 : JFR_FRAME_JIT;
    case FRAME_INLINED:
        return JFR_FRAME_INLINED;
    case FRAME_C:
    case FRAME_VM:
        return JFR_FRAME_CPP;
    case FRAME_KERNEL:
        return JFR_FRAME_KERNEL;
    default:
        return JFR_FRAME_NATIVE;
    }
}

/* A walk that failed has a frame with the reason at the end of its stack. */
static bool is_failure(enum walk_reason reason)
{
    return reason > WALK_NO_JAVA;
}

static uint64_t reason_method(struct recording *r, enum walk_reason reason)
{
    char name[64];

    snprintf(name, sizeof(name), "[%s]", walk_reason_name(reason));
    return function(r, name);
}

/* Code without bytecodes is at 0, as the JDK's recorder has it: -1 takes five bytes a frame. */
static uint64_t write_stack(struct recording *r, const struct record *rec,
                            const struct frame *frames, uint32_t n_frames, enum walk_reason reason)
{
    static struct jfr_frame out[RECORD_FRAMES_MAX + 1];
    size_t n = 0;

    for (uint32_t i = 0; i < n_frames; i++) {
        const struct frame *f = &frames[i];
        const struct placed *p = f->kind == FRAME_REASON ? NULL : place_frame(r, rec, f);
        uint64_t key = p != NULL ? p->key : reason_method(r, (enum walk_reason)f->bci);

        out[n++] = (struct jfr_frame){.method_key = key,
                                      .type_key = shown_type_of(f),
                                      .line = p != NULL ? p->line : 0,
                                      .bci = f->bci > 0 ? f->bci : 0};
    }
    if (is_failure(reason))
        out[n++] = (struct jfr_frame){.method_key = reason_method(r, reason),
                                      .type_key = JFR_FRAME_NATIVE};
    status.n_stacks++;
    return n == 0 ? 0 : jfr_writer_stack(r->writer, out, n, reason == WALK_TRUNCATED);
}

uint64_t drain_stack(struct recording *r, const struct record *rec)
{
    return drain_stack_below(r, rec, 0);
}

uint64_t drain_stack_below(struct recording *r, const struct record *rec, uint32_t skip)
{
    const struct frame *frames;
    enum walk_reason reason;
    XXH128_hash_t hash;
    uint64_t *key;
    uint32_t n;
    bool is_new;

    if ((rec->flags & RECORD_HAS_STACK) == 0)
        return 0;
    frames = capture_frames(rec, &n, &reason);
    skip = skip < n ? skip : n;
    frames += skip;
    n -= skip;
    status.reasons[reason < WALK_N_REASONS ? reason : WALK_UNKNOWN_STATE] += rec->weight;
    /* Stacks are compared by a hash of 128 bits, so that their frames need not be kept. */
    hash = XXH3_128bits_withSeed(frames, n * sizeof(*frames), reason | (uint64_t)rec->flags << 32);
    key = lookup(&stacks, &hash, sizeof(hash), sizeof(*key), &is_new);
    if (key == NULL)
        return 0;
    if (is_new) {
        uint64_t made = write_stack(r, rec, frames, n, reason);

        *key = made;
        return made;
    }
    return *key;
}

/* --- threads --- */

static void read_comm(int32_t tid, char out[32])
{
    char path[64];
    ssize_t n = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, out, 31);
        close(fd);
    }
    if (n <= 0) {
        snprintf(out, 32, "[tid=%d]", tid);
        return;
    }
    out[n - (out[n - 1] == '\n')] = 0;
}

/* The first name of a thread has the thread's own key (for a Java thread, its id). Each later name
 * gets a key of its own, which is the same whenever that name is used again. */
static uint64_t put_thread_key(struct recording *r, uint64_t key, const struct jfr_thread_def *def)
{
    uint64_t hash = hash_bytes(def->os_name, strlen(def->os_name), key);
    int rc = jfr_writer_thread(r->writer, key, def);

    for (uint64_t i = 0; rc > 0 && i < NAMES_TRIED; i++) {
        uint64_t other = key | (1 + ((hash + i) & NAMES_MASK)) << NAMES_SHIFT;

        rc = jfr_writer_thread(r->writer, other, def);
        if (rc == 0)
            return other;
    }
    return rc < 0 ? 0 : key;
}

static uint64_t define_thread(struct recording *r, struct thread *t, int64_t java_id)
{
    struct jfr_thread_def def = {.os_id = t->tid, .java_id = java_id};
    char *group = NULL, *name, comm[32] = "", whole[VM_THREAD_NAME];
    uint64_t key = (uint64_t)java_id;

    atomic_store(&t->is_renamed, false); /* before the name is read: a later change sets it again */
    name = threads_name(t, &group);
    if (java_id == 0)
        key = (uint64_t)t->reused << 32 | THREADS_NATIVE_KEY | (uint32_t)t->tid;
    else
        def.java_name = name;
    if (name == NULL)
        read_comm(t->tid, comm);
    def.os_name = name != NULL ? name : comm;
    if (java_id == 0 && vm_thread_name(t->tid, def.os_name, whole))
        def.os_name = whole;
    if (group != NULL)
        def.group = jfr_writer_thread_group(r->writer, 0, group);
    key = put_thread_key(r, key, &def);
    free(name);
    free(group);
    t->key = key;
    t->key_java = java_id;
    t->key_epoch = r->constants_epoch;
    return key;
}

static uint64_t thread_key(struct recording *r, struct thread *t)
{
    int64_t java_id = atomic_load_explicit(&t->java_id, memory_order_acquire);

    if (t->key != 0 && t->key_epoch == r->constants_epoch && t->key_java == java_id &&
        !atomic_load_explicit(&t->is_renamed, memory_order_acquire))
        return t->key;
    return define_thread(r, t, java_id);
}

uint64_t drain_thread(struct recording *r, const struct record *rec)
{
    struct thread *t = threads_at(rec->thread, rec->generation);

    if (rec->thread_key != 0)
        return rec->thread_key;
    return t == NULL ? 0 : thread_key(r, t);
}

uint64_t drain_tid(struct recording *r, int32_t tid)
{
    struct thread *t = threads_find(tid);

    return t == NULL ? 0 : thread_key(r, t);
}
