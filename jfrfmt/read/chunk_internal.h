/* chunk_internal.h - what the files share that read a chunk. Private to jfrfmt. */
#ifndef JFRFMT_READ_CHUNK_INTERNAL_H
#define JFRFMT_READ_CHUNK_INTERNAL_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/read/chunk.h"
#include "jfrfmt/read/metadata_memo.h"

#define CHUNK_ERRORS_MAX 8

/* All constants of a chunk. The pools' memory is kept from chunk to chunk. */
struct cpools {
    struct jfr_pool **pools; /* by class index, NULL where there are no constants */
    size_t n_pools, room;
    bool is_walked;
};

struct shared_plan { /* of jfr_plan_shared() */
    const struct shared_plan *next;
    const char *const *paths;
    const struct jfr_plan *plan;
};

struct jfr_chunk {
    const uint8_t *bytes; /* borrowed from raw, or rewritten.p */
    size_t n; /* bytes there are */
    size_t end; /* where events end: n, or less when the rest belongs to no chunk */
    size_t at; /* of the next event */
    struct jfr_chunk_header header;
    struct jfr_metadata metadata; /* in the memo's memory */
    struct metadata_memo memo;
    struct arena arena;
    const struct jfr_plan **skip_plans; /* by class index, made when first needed */
    const struct shared_plan **shared_plans; /* by class index, a list each */
    const struct jfr_class *string_class;
    struct cpools cpools;
    enum jfr_pool_rule pool_rule;
    struct buf rewritten; /* a 0.9 chunk in its new form */
    struct jfr_error errors[CHUNK_ERRORS_MAX];
    uint64_t damaged[CHUNK_ERRORS_MAX]; /* by error: offset of the event; 0: it is of none */
    size_t n_errors; /* kept */
    size_t n_damages; /* found, kept or not */
    size_t n_inline; /* fields of inline structs that plans have visited */
    bool is_unfinished; /* cut, or never closed: the header may not say the last word */
    struct buf resume; /* of uint64_t, descending: offsets where an event begins for certain; see
                          find_resume() */
    bool has_resume; /* `resume` is filled in */
    uint64_t broken_before; /* damage of the event stream has been recorded for all offsets below */
};

/* Records an error of the chunk at `offset` bytes into it. */
void chunk_error(struct jfr_chunk *chunk, enum jfr_errc code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The event whose first byte is at `offset`: its bytes, size included, or an empty failed cursor
 * when it does not fit or is of another type than `type_id`. */
struct cursor chunk_event_bytes(const struct jfr_chunk *chunk, uint64_t offset, int64_t type_id);

/* Forgets all constants, keeps the memory. 0 or JFR_E_NOMEM. */
int cpools_reset(struct cpools *cp, size_t n_classes);

void cpools_free(struct cpools *cp);

#endif
