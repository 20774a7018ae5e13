/*
 * table_by_out.c - makes a table of the sums that table_by.c gathered.
 *
 * It decides what is known only at the end: which kind of samples is counted, where CPU time comes
 * from, which contexts count requests, and which rows are too small to be shown.
 */
#include "convert/view/table_by_internal.h"

#include <math.h>

enum { /* the sums of a row that are shown, in the order of their columns */
    SAMPLES,
    CPU,
    ALLOCATED,
    READ,
    WRITTEN,
    LOCKS,
    IO,
    REQUESTS,
    N_SHOWN,
};

struct shown_sums {
    int kind; /* of the samples */
    size_t of[N_SHOWN]; /* enum by_sum */
    enum seen seen[N_SHOWN]; /* without it the column is empty */
};

/* The kind with samples, and its highest rank with samples. */
static void choose_rank(struct table_by *tb, struct shown_sums *c)
{
    int ranks[N_KINDS] = {0};

    for (int k = 0; k < N_KINDS; k++)
        for (int r = 1; r < RANKS; r++)
            if (by_rows_total(&tb->rows, BY_SAMPLES + (size_t)(k * RANKS + r)) > 0)
                ranks[k] = r;
    c->kind = kind_chosen(tb->opt.kind, ranks);
    tb->leaves_out_wall = kind_leaves_out_wall(tb->opt.kind, ranks, tb->is_mixed);
    c->of[SAMPLES] =
        BY_SAMPLES + (size_t)(c->kind * RANKS + (ranks[c->kind] > 0 ? ranks[c->kind] : 1));
}

bool table_by_leaves_out_wall(const struct table_by *tb)
{
    return tb->leaves_out_wall;
}

static struct shown_sums choose_sums(struct table_by *tb)
{
    struct shown_sums c = {
        .of = {0, BY_CPU, 0, BY_READ, BY_WRITTEN, BY_LOCK, BY_IO, BY_REQUESTS},
        .seen = {0, SEEN_CPU, SEEN_ALLOCATED, SEEN_READ, SEEN_WRITTEN, SEEN_LOCK, SEEN_IO,
                 SEEN_REQUESTS},
    };
    size_t allocated = BY_ALLOCATED + RANKS - 1;

    choose_rank(tb, &c);
    if ((tb->seen & SEEN_CPU) == 0 && tb->interval_ns > 0) { /* a sample stands for an interval */
        c.of[CPU] = BY_ESTIMATED;
        c.seen[CPU] = SEEN_EXECUTIONS;
    }
    while (allocated > BY_ALLOCATED + 1 && by_rows_total(&tb->rows, allocated) == 0)
        allocated--;
    c.of[ALLOCATED] = allocated;
    /* Of contexts that share a key, as MDC and OpenTelemetry do, one: the same request is in each
     * of them. */
    for (size_t sum = BY_REQUESTS + 1; sum < BY_REQUESTS + REQUEST_TYPES; sum++)
        if (by_rows_total(&tb->rows, sum) > by_rows_total(&tb->rows, c.of[REQUESTS]))
            c.of[REQUESTS] = sum;
    return c;
}

/* Says where CPU time comes from. */
static void note_cpu(struct table *t, const struct table_by *tb, enum seen cpu_source)
{
    char text[100];
    struct buf b = buf_fixed((uint8_t *)text, sizeof(text));

    if ((tb->seen & (uint32_t)cpu_source) == 0)
        return;
    buf_str(&b, "CPU: ");
    if (cpu_source == SEEN_CPU) {
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

static void put_count(struct table *t, uint64_t n)
{
    table_put_int(t, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static void put_table_sums(struct table *t, const struct table_by *tb, const uint64_t sums[N_SHOWN],
                           const struct shown_sums *c, uint64_t total)
{
    double share = total == 0 ? 0 : (double)sums[SAMPLES] / (double)total;

    put_count(t, sums[SAMPLES]);
    table_put_real(t, share);
    table_put_real(t, total == 0 ? 0 : sqrt(share * (1 - share) / (double)total));
    for (size_t i = SAMPLES + 1; i < N_SHOWN; i++)
        if ((tb->seen & (uint32_t)c->seen[i]) == 0)
            table_put_none(t);
        else
            put_count(t, sums[i]);
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
static bool put_table_rows(struct table *t, const struct table_by *tb, const struct shown_sums *c,
                           uint64_t total)
{
    uint64_t others[N_SHOWN] = {0}, sums[N_SHOWN];
    struct buf room = {0};
    size_t n_others = 0;
    bool ok = true;

    for (uint32_t i = 0; i < by_rows_n(&tb->rows); i++) {
        bool is_empty = true;

        for (size_t k = 0; k < N_SHOWN; k++) {
            sums[k] = by_rows_get(&tb->rows, c->of[k], i);
            is_empty &= sums[k] == 0;
        }
        if (is_empty)
            continue;
        if (min_group_is_small(&tb->opt.min_group, sums[SAMPLES], total)) {
            for (size_t k = 0; k < N_SHOWN; k++)
                others[k] = sums_plus(others[k], sums[k]);
            n_others++;
            continue;
        }
        ok &= put_table_keys(t, tb, i, &room);
        put_table_sums(t, tb, sums, c, total);
    }
    if (n_others > 0) {
        table_put_others(t, tb->opt.n_keys);
        put_table_sums(t, tb, others, c, total);
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
    bool is_event = by_is_of_events(tb);
    struct shown_sums shown = choose_sums(tb);
    struct buf title = {0};
    struct table *t;

    buf_printf(&title, "%s by", is_event ? "Events" : kind_title((enum kind)shown.kind));
    for (size_t i = 0; i < tb->opt.n_keys; i++)
        buf_printf(&title, "%s %s", i == 0 ? "" : ",", tb->opt.names[i]);
    buf_byte(&title, 0);
    t = buf_ok(&title) ? table_new((const char *)title.p) : NULL;
    buf_free(&title);
    if (t == NULL)
        return NULL;
    put_table_columns(t, tb, is_event);
    if (!put_table_rows(t, tb, &shown, by_rows_total(&tb->rows, shown.of[SAMPLES]))) {
        table_free(t);
        return NULL;
    }
    sort_table_by(t, tb);
    note_cpu(t, tb, shown.seen[CPU]);
    note_requests(t, tb);
    return t;
}
