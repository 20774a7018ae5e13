/*
 * chunk.c - opens a chunk: header, metadata, constants, and the events after one another.
 *
 * Each event begins where the one before it ends, so a damaged size would cost all events after it.
 * Other places where an event begins are known: the header has the offsets of the newest checkpoint
 * and of the metadata event, and each checkpoint has the distance to the checkpoint before it.
 *
 *     header ── checkpoint ──────────────────────────┐
 *                   ┌──── delta ────┐                │
 *     [events .. ][cp][ev][ev]000000[cp][ev][ev] .. [cp][metadata]
 *                              │     └ reading continues here
 *                              └ damage: recorded with its place and the number of bytes that are
 * skipped
 *
 * Damage is recorded, not fatal: what is whole before and after it is delivered.
 */
#include "jfrfmt/read/chunk.h"

#include "jfrfmt/read/chunk_internal.h"
#include "jfrfmt/v0/v0.h"
#include "jfrfmt/base/sorted.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct jfr_chunk *jfr_chunk_new(void)
{
    return calloc(1, sizeof(struct jfr_chunk));
}

void jfr_chunk_free(struct jfr_chunk *chunk)
{
    if (chunk == NULL)
        return;
    cpools_free(&chunk->cpools);
    metadata_memo_free(&chunk->memo);
    arena_free(&chunk->arena);
    buf_free(&chunk->rewritten);
    buf_free(&chunk->resume);
    free(chunk);
}

void jfr_chunk_set_pool_rule(struct jfr_chunk *chunk, enum jfr_pool_rule rule)
{
    chunk->pool_rule = rule;
}

void chunk_error(struct jfr_chunk *chunk, enum jfr_errc code, uint64_t offset, const char *fmt, ...)
{
    struct jfr_error *err = &chunk->errors[chunk->n_errors];
    char text[sizeof(err->text)];
    va_list ap;

    chunk->n_damages++;
    if (chunk->n_errors == CHUNK_ERRORS_MAX)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    *err = (struct jfr_error){.chunk = chunk->header.index};
    jfr_fail(err, code, chunk->header.offset + offset, "%s", text);
    chunk->damaged[chunk->n_errors++] = 0;
}

void jfr_chunk_damaged(struct jfr_chunk *chunk, const struct jfr_event *ev, const uint8_t *where,
                       const char *what)
{
    uint64_t offset = where != NULL ? (uint64_t)(where - chunk->bytes) : ev->offset;
    size_t n = chunk->n_errors;

    for (size_t i = 0; i < n; i++) /* the events may be read more than once */
        if (chunk->damaged[i] == ev->offset)
            return;
    chunk_error(chunk, JFR_E_FORMAT, offset, "%s: %s", ev->type != NULL ? ev->type->name : "event",
                what);
    if (chunk->n_errors > n)
        chunk->damaged[n] = ev->offset;
}

size_t jfr_chunk_n_errors(const struct jfr_chunk *chunk)
{
    return chunk->n_errors;
}

const struct jfr_error *jfr_chunk_error(const struct jfr_chunk *chunk, size_t i)
{
    return &chunk->errors[i];
}

struct arena *jfr_chunk_arena(struct jfr_chunk *chunk)
{
    return &chunk->arena;
}

const struct jfr_chunk_header *jfr_chunk_header(const struct jfr_chunk *chunk)
{
    return &chunk->header;
}

const struct jfr_metadata *jfr_chunk_metadata(const struct jfr_chunk *chunk)
{
    return &chunk->metadata;
}

/* Reads the size and the type id of an event, each as a word of eight bytes. Returns the place
 * after them. NULL if there are too few bytes for that, if one is a varint of nine bytes, or if the
 * event does not fit: event_at() decides about such an event. */
static inline const uint8_t *read_event_head(const uint8_t *start, const uint8_t *end,
                                             uint64_t *size, uint64_t *type_id)
{
    const uint8_t *p;

    if (end - start < 16)
        return NULL;
    p = cur_short_varint(start, size);
    p = p == NULL ? NULL : cur_short_varint(p, type_id);
    return p == NULL || *size > (uint64_t)(end - start) || *size < (uint64_t)(p - start) ? NULL : p;
}

/* Size and type of the event at `offset`; false when it does not fit in the chunk or is shorter
 * than its own head. */
static bool event_at(const struct jfr_chunk *chunk, uint64_t offset, struct jfr_event *ev)
{
    const uint8_t *start = chunk->bytes + offset;
    struct cursor c = {.p = start, .end = chunk->bytes + chunk->end};

    ev->offset = offset;
    ev->size = cur_varint(&c);
    ev->type_id = (int64_t)cur_varint(&c);
    if (!cur_ok(&c) || ev->size > chunk->end - offset || ev->size < (uint64_t)(c.p - start))
        return false;
    ev->body = (struct cursor){.p = c.p, .end = start + ev->size};
    return true;
}

struct cursor chunk_event_bytes(const struct jfr_chunk *chunk, uint64_t offset, int64_t type_id)
{
    struct jfr_event ev;

    if (offset < JFR_CHUNK_HEADER_SIZE || offset >= chunk->end || !event_at(chunk, offset, &ev) ||
        ev.type_id != type_id) {
        struct cursor none = cur_over(chunk->bytes, 0);

        cur_fail(&none);
        return none;
    }
    return cur_over(chunk->bytes + offset, ev.size);
}

static void read_header(struct jfr_chunk *chunk)
{
    struct jfr_chunk_header *h = &chunk->header;
    struct cursor c = cur_over(chunk->bytes + 4, JFR_CHUNK_HEADER_SIZE - 4);

    h->major = (uint16_t)cur_be(&c, 2);
    h->minor = (uint16_t)cur_be(&c, 2);
    h->size = cur_be(&c, 8);
    h->checkpoint = cur_be(&c, 8);
    h->metadata = cur_be(&c, 8);
    h->start_nanos = (int64_t)cur_be(&c, 8);
    h->duration_nanos = (int64_t)cur_be(&c, 8);
    h->start_ticks = (int64_t)cur_be(&c, 8);
    h->ticks_per_second = (int64_t)cur_be(&c, 8);
    h->state = (uint8_t)cur_be(&c, 1);
    cur_be(&c, 1);
    h->flags = (uint16_t)cur_be(&c, 2);
}

/* Compares what the header declares with the bytes there are, and decides where events end. */
static void judge_size(struct jfr_chunk *chunk)
{
    const struct jfr_chunk_header *h = &chunk->header;

    chunk->end = chunk->n;
    chunk->is_unfinished = h->state != 0 || h->size > chunk->n || h->metadata == 0;
    if (h->size < JFR_CHUNK_HEADER_SIZE) {
        chunk->is_unfinished = true;
        chunk_error(chunk, JFR_E_FORMAT, 8, "chunk declares a size of %llu bytes",
                    (unsigned long long)h->size);
    } else if (h->size > chunk->n) {
        chunk_error(chunk, JFR_E_CUT, chunk->n, "chunk ends after %zu of %llu bytes", chunk->n,
                    (unsigned long long)h->size);
    } else if (h->state != 0) {
        chunk_error(chunk, JFR_E_CUT, 64, "chunk was never finished (state %u)%s", h->state,
                    h->size < chunk->n ? "; what follows its last flush is read as far as it goes"
                                       : "");
    } else if (h->size < chunk->n) {
        chunk->end = h->size;
        chunk_error(chunk, JFR_E_FORMAT, h->size, "%llu bytes after the chunk belong to no chunk",
                    (unsigned long long)(chunk->n - h->size));
    }
    if (h->ticks_per_second <= 0) {
        chunk_error(chunk, JFR_E_FORMAT, 56, "chunk declares %lld ticks per second",
                    (long long)h->ticks_per_second);
        chunk->header.ticks_per_second = 1000000000;
    }
}

static int parse_metadata(struct jfr_chunk *chunk, uint64_t offset, struct jfr_error *err)
{
    struct cursor event = chunk_event_bytes(chunk, offset, 0);

    if (!cur_ok(&event))
        return jfr_fail(err, JFR_E_FORMAT, chunk->header.offset + offset,
                        "no metadata event where the header says");
    return metadata_memo_parse(&chunk->memo, &chunk->metadata, event, chunk->header.offset + offset,
                               err);
}

/* The last metadata event that can be read, wherever it is: the header does not know. One at a time
 * is in memory, so the one that was found is read once more when others came after it. */
static int find_metadata(struct jfr_chunk *chunk, struct jfr_error *err)
{
    uint64_t found = 0, last = 0;
    struct jfr_event ev;
    int rc = 0;

    jfr_chunk_rewind(chunk);
    while (rc != JFR_E_NOMEM && jfr_chunk_next_any(chunk, &ev) > 0) {
        if (ev.type_id != 0)
            continue;
        *err = (struct jfr_error){.chunk = chunk->header.index};
        rc = parse_metadata(chunk, last = ev.offset, err);
        if (rc == 0)
            found = last;
    }
    jfr_chunk_rewind(chunk);
    if (rc == JFR_E_NOMEM)
        return rc;
    *err = (struct jfr_error){.chunk = chunk->header.index};
    if (found == 0)
        return JFR_E_SHORT;
    if (found == last)
        return 0;
    return parse_metadata(chunk, found, err);
}

/* A chunk without any readable metadata; of a cut one that is no wonder, since it often comes last.
 */
static int no_metadata(const struct jfr_chunk *chunk, struct jfr_error *err)
{
    const struct jfr_chunk_header *h = &chunk->header;

    if (h->metadata < chunk->n)
        return jfr_fail(err, JFR_E_SHORT, h->offset, "chunk has no metadata");
    err->code = 0;
    return jfr_fail(err, JFR_E_SHORT, h->offset + chunk->n,
                    "chunk ends after %zu of %llu bytes, before its metadata", chunk->n,
                    (unsigned long long)h->size);
}

/* The metadata event of a chunk that ends inside of it: the classes that are whole, better than
 * none. */
static int parse_cut_metadata(struct jfr_chunk *chunk)
{
    uint64_t offset = chunk->header.metadata;
    struct jfr_error err = {0};
    struct cursor event, head;

    if (offset < JFR_CHUNK_HEADER_SIZE || offset >= chunk->end)
        return JFR_E_SHORT;
    event = head = cur_over(chunk->bytes + offset, chunk->end - offset);
    if (cur_varint(&head) <= cur_left(&event) || cur_varint(&head) != 0 || !cur_ok(&head))
        return JFR_E_SHORT;
    if (metadata_memo_parse(&chunk->memo, &chunk->metadata, event, chunk->header.offset + offset,
                            &err) != 0)
        return JFR_E_SHORT;
    chunk_error(chunk, JFR_E_SHORT, chunk->end, "metadata is cut off after %zu classes",
                chunk->metadata.n_classes);
    return 0;
}

static int load_metadata(struct jfr_chunk *chunk, struct jfr_error *err)
{
    uint64_t offset = chunk->header.metadata;
    int rc = JFR_E_SHORT;

    if (offset != 0)
        rc = parse_metadata(chunk, offset, err);
    if (rc == JFR_E_NOMEM)
        return rc;
    if (rc != 0) {
        struct jfr_error why = *err;

        rc = find_metadata(chunk, err);
        if (rc == JFR_E_NOMEM)
            return rc;
        if (rc != 0 && parse_cut_metadata(chunk) == 0) {
            *err = (struct jfr_error){.chunk = chunk->header.index};
            return 0;
        }
        if (rc != 0) {
            *err = why;
            return no_metadata(chunk, err);
        }
        if (offset != 0)
            chunk_error(chunk, JFR_E_FORMAT, offset, "%s; another metadata event is used",
                        why.text);
    }
    if (chunk->metadata.n_undeclared > 0)
        chunk_error(chunk, JFR_E_FORMAT, offset, "metadata refers %llu times to undeclared classes",
                    (unsigned long long)chunk->metadata.n_undeclared);
    return 0;
}

static int rewrite_v0(struct jfr_chunk *chunk, const struct jfr_raw *raw, struct jfr_error *err)
{
    struct jfr_error damage = {0};
    int rc;

    buf_reset(&chunk->rewritten);
    rc = v0_rewrite(raw->bytes, raw->n, raw->offset, &chunk->rewritten, &damage);
    if (rc == JFR_E_NOMEM || chunk->rewritten.n < JFR_CHUNK_HEADER_SIZE) {
        *err = damage;
        err->chunk = raw->index;
        return rc;
    }
    chunk->bytes = chunk->rewritten.p;
    chunk->n = chunk->rewritten.n;
    if (rc != 0)
        chunk_error(chunk, damage.code, damage.offset - raw->offset, "%s", damage.text);
    return 0;
}

static int open_bytes(struct jfr_chunk *chunk, const struct jfr_raw *raw, struct jfr_error *err)
{
    chunk->bytes = raw->bytes;
    chunk->n = raw->n;
    chunk->n_errors = chunk->n_damages = 0;
    chunk->n_inline = 0;
    chunk->has_resume = false;
    chunk->broken_before = 0;
    chunk->at = chunk->end = 0;
    chunk->header = (struct jfr_chunk_header){.index = raw->index, .offset = raw->offset};
    if (raw->n < 16 || memcmp(raw->bytes, JFR_CHUNK_MAGIC, 4) != 0)
        return jfr_fail(err, JFR_E_FORMAT, raw->offset, "not a JFR chunk");
    if (raw->bytes[4] == 0 && raw->bytes[5] == 0)
        return rewrite_v0(chunk, raw, err);
    if (raw->n < JFR_CHUNK_HEADER_SIZE)
        return jfr_fail(err, JFR_E_SHORT, raw->offset, "chunk header is cut off");
    return 0;
}

int jfr_chunk_load(struct jfr_chunk *chunk, const struct jfr_raw *raw, struct jfr_error *err)
{
    int rc;

    err->chunk = raw->index;
    arena_reset(&chunk->arena);
    chunk->metadata = (struct jfr_metadata){0};
    chunk->skip_plans = NULL;
    chunk->shared_plans = NULL;
    rc = open_bytes(chunk, raw, err);
    if (rc != 0)
        return rc;
    read_header(chunk);
    chunk->header.recording_nanos =
        raw->recording_nanos != 0 ? raw->recording_nanos : chunk->header.start_nanos;
    if (chunk->header.major < 1 || chunk->header.major > 2)
        return jfr_fail(err, JFR_E_UNSUPPORTED, raw->offset + 4, "version %u.%u is not supported",
                        chunk->header.major, chunk->header.minor);
    judge_size(chunk);
    rc = load_metadata(chunk, err);
    if (rc != 0)
        return rc;
    chunk->string_class = jfr_metadata_by_name(&chunk->metadata, "java.lang.String");
    chunk->skip_plans = arena_array(&chunk->arena, chunk->metadata.n_classes, sizeof(void *));
    chunk->shared_plans = arena_array(&chunk->arena, chunk->metadata.n_classes, sizeof(void *));
    if (!arena_ok(&chunk->arena) || cpools_reset(&chunk->cpools, chunk->metadata.n_classes) != 0)
        return jfr_fail(err, JFR_E_NOMEM, raw->offset, "out of memory");
    jfr_chunk_rewind(chunk);
    return 0;
}

void jfr_chunk_rewind(struct jfr_chunk *chunk)
{
    chunk->at = JFR_CHUNK_HEADER_SIZE;
}

/* That the events of such a chunk end somewhere has been said: what was cut off, or what was never
 * flushed. */
static bool is_end_expected(const struct jfr_chunk *chunk, uint64_t at)
{
    const struct jfr_chunk_header *h = &chunk->header;

    return h->size > chunk->n || (h->state != 0 && at >= h->size);
}

/* Follows the chain of checkpoints back from the header's, as far as each one lies before the last,
 * so that a cycle ends. What memory has no room for is left out. */
static void list_resume(struct jfr_chunk *chunk)
{
    uint64_t offset = chunk->header.checkpoint, last = UINT64_MAX;

    buf_reset(&chunk->resume);
    chunk->has_resume = true;
    while (offset < last && buf_ok(&chunk->resume)) {
        struct cursor c = chunk_event_bytes(chunk, offset, 1);

        for (int i = 0; i < 4; i++) /* size, type, start, duration */
            cur_varint(&c);
        last = offset;
        offset += cur_varint(&c);
        if (cur_ok(&c))
            buf_bytes(&chunk->resume, &last, sizeof(last));
        else
            offset = last; /* the chain ends */
    }
}

/* The first offset after `at` where an event begins for certain: a checkpoint of the chain, or the
 * metadata event. 0: none is known. */
static uint64_t find_resume(struct jfr_chunk *chunk, uint64_t at)
{
    const uint64_t *list;
    size_t n;
    uint64_t metadata = chunk->header.metadata, found;
    struct cursor c = chunk_event_bytes(chunk, metadata, 0);

    if (!chunk->has_resume)
        list_resume(chunk);
    list = (const uint64_t *)(const void *)chunk->resume.p;
    n = buf_ok(&chunk->resume) ? chunk->resume.n / sizeof(*list) : 0;
    n = SORTED_FIRST(n, i, list[i] <= at); /* those before it are > at */
    found = n > 0 ? list[n - 1] : 0;
    return cur_ok(&c) && metadata > at && (found == 0 || metadata < found) ? metadata : found;
}

static void record_broken(struct jfr_chunk *chunk, const struct jfr_event *ev, uint64_t at,
                          uint64_t resume)
{
    char lost[100] = "";

    if (at < chunk->broken_before)
        return; /* in an earlier pass */
    chunk->broken_before = at + 1;
    if (resume != 0)
        snprintf(
            lost, sizeof(lost), "; %llu bytes are skipped, up to the next known event at 0x%llx",
            (unsigned long long)(resume - at), (unsigned long long)(chunk->header.offset + resume));
    if (ev->size > chunk->end - at)
        chunk_error(chunk, JFR_E_FORMAT, at, "event of %llu bytes where %llu are left%s",
                    (unsigned long long)ev->size, (unsigned long long)(chunk->end - at), lost);
    else
        chunk_error(chunk, JFR_E_FORMAT, at, "event of %llu bytes, shorter than its own head%s",
                    (unsigned long long)ev->size, lost);
}

/* No event can be read where one should begin. Moves to the next place where one begins for
 * certain, or to the end, and records the damage once. Not inlined, so that the loop over events
 * needs few registers. */
__attribute__((noinline)) static void skip_damage(struct jfr_chunk *chunk,
                                                  const struct jfr_event *ev)
{
    uint64_t at = chunk->at, resume = find_resume(chunk, at);

    chunk->at = resume != 0 ? resume : chunk->end;
    if (resume != 0 || !is_end_expected(chunk, at))
        record_broken(chunk, ev, at, resume);
}

static const struct jfr_class *event_class(const struct jfr_chunk *chunk, int64_t id)
{
    const struct jfr_class *cls = jfr_metadata_by_id(&chunk->metadata, id);

    return cls != NULL && cls->is_event ? cls : NULL;
}

/* Reads the next event but not its type. */
static bool next_event(struct jfr_chunk *chunk, struct jfr_event *ev)
{
    while (chunk->at < chunk->end) {
        if (event_at(chunk, chunk->at, ev)) {
            chunk->at += ev->size;
            return true;
        }
        skip_damage(chunk, ev);
    }
    return false;
}

static bool is_metadata_or_checkpoint(int64_t type_id)
{
    return type_id == 0 || type_id == 1;
}

int jfr_chunk_next_any(struct jfr_chunk *chunk, struct jfr_event *ev)
{
    if (!next_event(chunk, ev))
        return 0;
    ev->type = is_metadata_or_checkpoint(ev->type_id) ? NULL : event_class(chunk, ev->type_id);
    return 1;
}

/* The next event where it is not an ordinary one. */
__attribute__((noinline)) static int next_slowly(struct jfr_chunk *chunk, struct jfr_event *ev)
{
    do
        if (!next_event(chunk, ev))
            return 0;
    while (is_metadata_or_checkpoint(ev->type_id));
    ev->type = event_class(chunk, ev->type_id);
    return 1;
}

/* The index + 1 of the class of an ordinary event, which has a small id; 0: it takes another look.
 */
static inline uint32_t ordinary_class(const struct jfr_metadata *md, uint64_t type_id)
{
    return type_id >= md->n_direct ? 0 : md->direct[type_id];
}

/* Ordinary: all of its head can be read as words, and its class has a small id. */
int jfr_chunk_next(struct jfr_chunk *chunk, struct jfr_event *ev)
{
    const struct jfr_metadata *md = &chunk->metadata;
    const uint8_t *start = chunk->bytes + chunk->at, *body;
    uint64_t size, type_id;
    uint32_t i;

    body = read_event_head(start, chunk->bytes + chunk->end, &size, &type_id);
    i = body == NULL ? 0 : ordinary_class(md, type_id);
    if (i == 0 || is_metadata_or_checkpoint((int64_t)type_id))
        return next_slowly(chunk, ev);
    ev->offset = chunk->at;
    ev->size = size;
    ev->type_id = (int64_t)type_id;
    ev->body = (struct cursor){.p = body, .end = start + size};
    ev->type = md->classes[i - 1].is_event ? &md->classes[i - 1] : NULL;
    chunk->at += size;
    return 1;
}

/* Moves on to the first event that is wanted, or that is not an ordinary one. */
static void step_over_others(struct jfr_chunk *chunk, const bool *wanted)
{
    const struct jfr_metadata *md = &chunk->metadata;
    const uint8_t *p = chunk->bytes + chunk->at, *end = chunk->bytes + chunk->end;
    uint64_t size, type_id;
    uint32_t i;

    while (read_event_head(p, end, &size, &type_id) != NULL &&
           (i = ordinary_class(md, type_id)) != 0 && !wanted[i - 1])
        p += size;
    chunk->at = (uint64_t)(p - chunk->bytes);
}

int jfr_chunk_next_of(struct jfr_chunk *chunk, const bool *wanted, struct jfr_event *ev)
{
    while (jfr_chunk_next(chunk, ev) > 0) {
        if (ev->type != NULL && wanted[ev->type->index])
            return 1;
        step_over_others(chunk, wanted);
    }
    return 0;
}

struct jfr_event jfr_chunk_event_at(const struct jfr_chunk *chunk, uint64_t offset)
{
    struct jfr_event ev = {0};

    if (offset < chunk->end && event_at(chunk, offset, &ev))
        ev.type = event_class(chunk, ev.type_id);
    return ev;
}

/* Java's cast: NaN is 0, what does not fit saturates. The divisor is a double, computed as the JDK
 * and JMC do, so that the results agree to the last digit. */
static int64_t divide(int64_t ticks, int64_t per_second)
{
    const int64_t exact = INT64_C(1) << 53; /* a double has all integers up to there */
    double ns;

    if (per_second == 1000000000 && ticks < exact && ticks > -exact) /* two divisions less */
        return ticks;
    ns = (double)ticks / ((double)per_second / 1e9);
    if (ns >= 0x1p63)
        return INT64_MAX;
    return ns < -0x1p63 ? INT64_MIN : (int64_t)ns;
}

int64_t jfr_span_ns(const struct jfr_chunk_header *h, int64_t ticks)
{
    return divide(ticks, h->ticks_per_second);
}

int64_t jfr_epoch_ns(const struct jfr_chunk_header *h, int64_t ticks)
{
    int64_t since = (int64_t)((uint64_t)ticks - (uint64_t)h->start_ticks);

    return (int64_t)((uint64_t)h->start_nanos + (uint64_t)divide(since, h->ticks_per_second));
}
