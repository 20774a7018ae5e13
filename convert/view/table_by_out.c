/*
 * table_by_out.c - makes a table of the sums that table_by.c gathered.
 *
 * It decides what is known only at the end: which kind of samples is counted, where CPU time comes
 * from, which contexts count requests, and which rows are too small to be shown.
 */
#include "convert/view/table_by_internal.h"

#include <math.h>

/* The kind with samples, and its highest rank with samples. */
static void choose_rank(struct table_by *tb, int *kind, int *rank)
{
    size_t n = by_rows_n(&tb->rows);
    int ranks[N_KINDS] = {0};

    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < N_KINDS; k++)
            for (int r = ranks[k] + 1; r < RANKS; r++)
                if (by_sums_of(&tb->rows, i)->samples[k][r] > 0)
                    ranks[k] = r;
    *kind = kind_chosen(tb->opt.kind, ranks);
    tb->leaves_out_wall = kind_leaves_out_wall(tb->opt.kind, ranks, tb->is_mixed);
    *rank = ranks[*kind] > 0 ? ranks[*kind] : 1;
}

bool table_by_leaves_out_wall(const struct table_by *tb)
{
    return tb->leaves_out_wall;
}

static int allocation_rank(const struct table_by *tb)
{
    for (int r = RANKS - 1; r > 0; r--)
        for (uint32_t i = 0; i < by_rows_n(&tb->rows); i++)
            if (by_sums_of(&tb->rows, i)->allocated[r] > 0)
                return r;
    return 1;
}

/* Of contexts that share a key, as MDC and OpenTelemetry do, one: the same request is in each of
 * them. */
static uint32_t choose_request_type(const struct table_by *tb)
{
    uint64_t sums[REQUEST_TYPES] = {0};
    uint32_t best = 0;

    for (uint32_t i = 0; i < by_rows_n(&tb->rows); i++)
        for (uint32_t k = 0; k < REQUEST_TYPES; k++)
            by_plus(&sums[k], by_sums_of(&tb->rows, i)->requests[k]);
    for (uint32_t k = 1; k < REQUEST_TYPES; k++)
        if (sums[k] > sums[best])
            best = k;
    return best;
}

static void put_sum(struct table *t, const struct table_by *tb, enum seen what, uint64_t v)
{
    if ((tb->seen & (uint32_t)what) == 0)
        table_put_none(t);
    else
        table_put_int(t, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

/* Where CPU time comes from: of its own events, else of samples that stand for an interval each. */
static enum seen cpu_source(const struct table_by *tb)
{
    return (tb->seen & SEEN_CPU) == 0 && tb->interval_ns > 0 ? SEEN_EXECUTIONS : SEEN_CPU;
}

static uint64_t cpu_of(const struct table_by *tb, const struct by_sums *s)
{
    return cpu_source(tb) == SEEN_CPU ? s->cpu_ns : s->estimated_ns;
}

/* Says which it is. */
static void note_cpu(struct table *t, const struct table_by *tb)
{
    char text[100];
    struct buf b = buf_fixed((uint8_t *)text, sizeof(text));

    if ((tb->seen & (uint32_t)cpu_source(tb)) == 0)
        return;
    buf_str(&b, "CPU: ");
    if (cpu_source(tb) == SEEN_CPU) {
        buf_str(&b, "of jdk.CPUTimeSample");
    } else {
        buf_str(&b, "samples of jdk.ExecutionSample times ");
        if (tb->intervals_differ)
            buf_str(&b, "their interval");
        else
            table_format(&b, TABLE_NS, tb->interval_ns, 0);
    }
    buf_byte(&b, 0);
    if (buf_ok(&b))
        table_note(t, text);
}

static void note_requests(struct table *t, const struct table_by *tb)
{
    if ((tb->seen & SEEN_REQUESTS_USED) != 0)
        table_note(t, "Requests: those in which something was recorded (emit=used)");
}

/* Is key i a bucket of time? */
static bool is_time_key(const struct table_by *tb, size_t i)
{
    return strncmp(tb->opt.keys[i], VIEW_BUCKET, strlen(VIEW_BUCKET)) == 0;
}

/* False if out of memory. */
static bool put_table_keys(struct table *t, const struct table_by *tb, uint32_t row,
                           struct buf *room)
{
    const struct view_value *values = view_groups_values(&tb->rows.groups, row);
    bool ok = true;

    for (size_t i = 0; i < tb->opt.n_keys; i++)
        ok &= view_put(t, &values[i], &tb->rows.groups.texts, room);
    return ok;
}

static void put_table_sums(struct table *t, const struct table_by *tb, const struct by_sums *s,
                           const int *chosen, uint64_t total)
{
    uint64_t samples = s->samples[chosen[0]][chosen[1]];
    double share = total == 0 ? 0 : (double)samples / (double)total;

    table_put_int(t, samples > INT64_MAX ? INT64_MAX : (int64_t)samples);
    table_put_real(t, share);
    table_put_real(t, total == 0 ? 0 : sqrt(share * (1 - share) / (double)total));
    put_sum(t, tb, cpu_source(tb), cpu_of(tb, s));
    put_sum(t, tb, SEEN_ALLOCATED, s->allocated[chosen[2]]);
    put_sum(t, tb, SEEN_READ, s->read);
    put_sum(t, tb, SEEN_WRITTEN, s->written);
    put_sum(t, tb, SEEN_LOCK, s->lock_ns);
    put_sum(t, tb, SEEN_IO, s->io_ns);
    put_sum(t, tb, SEEN_REQUESTS, s->requests[chosen[3]]);
}

static bool is_empty(const struct table_by *tb, const struct by_sums *s, const int *chosen)
{
    return s->samples[chosen[0]][chosen[1]] == 0 && cpu_of(tb, s) == 0 &&
           s->allocated[chosen[2]] == 0 && s->read == 0 && s->written == 0 && s->lock_ns == 0 &&
           s->io_ns == 0 && s->requests[chosen[3]] == 0;
}

static void put_table_columns(struct table *t, const struct table_by *tb, bool is_event)
{
    static const struct {
        const char *name, *title;
        enum table_type type;
        bool is_optional;
    } columns[] = {
        {"samples", "Samples", TABLE_COUNT, false},
        {"share", "Share", TABLE_SHARE, false},
        {"error", "+-", TABLE_ERROR, false},
        {"cpu_ns", "CPU", TABLE_NS, true},
        {"allocated_bytes", "Allocated", TABLE_BYTES, true},
        {"read_bytes", "Read", TABLE_BYTES, true},
        {"written_bytes", "Written", TABLE_BYTES, true},
        {"lock_ns", "Locks", TABLE_NS, true},
        {"io_ns", "I/O", TABLE_NS, true},
        {"requests", "Requests", TABLE_COUNT, true},
    };

    for (size_t i = 0; i < tb->opt.n_keys; i++)
        table_column(t, tb->opt.names[i], tb->opt.names[i],
                     is_time_key(tb, i) ? TABLE_ANY : TABLE_TEXT);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        table_column(t, columns[i].name, i == 0 && is_event ? "Events" : columns[i].title,
                     columns[i].type);
        if (columns[i].is_optional)
            table_column_is_optional(t, tb->opt.n_keys + i);
    }
}

/* False if out of memory. */
static bool put_table_rows(struct table *t, const struct table_by *tb, const int *chosen,
                           uint64_t total)
{
    struct by_sums others = {0};
    struct buf room = {0};
    size_t n_others = 0;
    bool ok = true;

    for (uint32_t i = 0; i < by_rows_n(&tb->rows); i++) {
        const struct by_sums *s = by_sums_of(&tb->rows, i);

        if (is_empty(tb, s, chosen))
            continue;
        if (min_group_is_small(&tb->opt.min_group, s->samples[chosen[0]][chosen[1]], total)) {
            by_sums_add(&others, s);
            n_others++;
            continue;
        }
        ok &= put_table_keys(t, tb, i, &room);
        put_table_sums(t, tb, s, chosen, total);
    }
    if (n_others > 0) {
        table_put_others(t, tb->opt.n_keys);
        put_table_sums(t, tb, &others, chosen, total);
    }
    table_note_others(t, n_others);
    buf_free(&room);
    return ok;
}

/* Times in their order, then most samples first, then the other keys in theirs. */
static void sort_table_by(struct table *t, const struct table_by *tb)
{
    for (size_t i = tb->opt.n_keys; i-- > 0;)
        table_sort(t, i, false);
    table_sort(t, tb->opt.n_keys, true);
    for (size_t i = tb->opt.n_keys; i-- > 0;)
        if (is_time_key(tb, i))
            table_sort(t, i, false);
}

struct table *table_by_table(struct table_by *tb)
{
    size_t n = by_rows_n(&tb->rows);
    bool is_event = by_is_of_events(tb);
    struct buf title = {0};
    struct table *t;
    uint64_t total = 0;
    int chosen[4]; /* kind, rank, rank of allocations, type of requests */

    choose_rank(tb, &chosen[0], &chosen[1]);
    chosen[2] = allocation_rank(tb);
    chosen[3] = (int)choose_request_type(tb);
    for (uint32_t i = 0; i < n; i++)
        total = sums_plus(total, by_sums_of(&tb->rows, i)->samples[chosen[0]][chosen[1]]);
    buf_printf(&title, "%s by", is_event ? "Events" : kind_title((enum kind)chosen[0]));
    for (size_t i = 0; i < tb->opt.n_keys; i++)
        buf_printf(&title, "%s %s", i == 0 ? "" : ",", tb->opt.names[i]);
    buf_byte(&title, 0);
    t = buf_ok(&title) ? table_new((const char *)title.p) : NULL;
    buf_free(&title);
    if (t == NULL)
        return NULL;
    put_table_columns(t, tb, is_event);
    if (!put_table_rows(t, tb, chosen, total)) {
        table_free(t);
        return NULL;
    }
    sort_table_by(t, tb);
    note_cpu(t, tb);
    note_requests(t, tb);
    return t;
}
