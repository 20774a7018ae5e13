/*
 * sorted_values.c - numbers of rows, sorted in memory, or in a file if there are too many.
 *
 * The file holds runs, one after the other, each sorted by row and size. To read them in order, the
 * next value of every run is kept in a heap. Equal values come in the order in which they were
 * added: sorting is stable, and of equal values of two runs that of the earlier run comes first.
 */
#include "convert/view/sorted_values.h"
#include "jfrfmt/base/tempfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_AHEAD 4096 /* values of a run in memory */

struct sorted_run {
    uint64_t at, end; /* values of the file that are still to be read */
    struct sorted_value *values; /* READ_AHEAD of them; of memory: all */
    size_t i, n;
};

static size_t n_held(const struct sorted_values *s)
{
    return s->held.n / sizeof(struct sorted_value);
}

struct view_value sorted_values_get(const struct sorted_value *v)
{
    struct view_value value = {.kind = VIEW_NUMBER,
                               .format = (enum view_format)v->format,
                               .is_unsigned = v->is_unsigned,
                               .is_real = v->is_real};

    if (value.is_real) {
        value.d = v->n.d;
    } else {
        value.i = v->n.i;
        value.d = value.is_unsigned ? (double)(uint64_t)value.i : (double)value.i;
    }
    return value;
}

static int compare_values(const void *a, const void *b)
{
    const struct sorted_value *p = a, *q = b;
    struct view_value x, y;

    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    if ((p->is_real | q->is_real | (p->is_unsigned ^ q->is_unsigned)) == 0) {
        uint64_t sign = p->is_unsigned ? 0 : UINT64_C(1) << 63, low = (uint64_t)p->n.i ^ sign,
                 high = (uint64_t)q->n.i ^ sign;

        return (low > high) - (low < high);
    }
    x = sorted_values_get(p);
    y = sorted_values_get(q);
    return view_is_less(&x, &y) ? -1 : view_is_less(&y, &x);
}

static void sort_held(struct sorted_values *s)
{
    if (s->held.n > 0)
        qsort(s->held.p, n_held(s), sizeof(struct sorted_value), compare_values);
}

/* --- adding ----------------------------------------------------------------------------------- */

static int write_held(int fd, const struct buf *held, struct jfr_error *err)
{
    for (size_t done = 0; done < held->n;) {
        ssize_t n = write(fd, held->p + done, held->n - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return jfr_fail(err, JFR_E_IO, 0,
                            "cannot write a temporary file: %s; set TMPDIR to a folder with room",
                            strerror(n < 0 ? errno : ENOSPC));
        done += (size_t)n;
    }
    return 0;
}

/* Makes a run of the values that memory holds. */
static int spill(struct sorted_values *s, struct jfr_error *err)
{
    uint64_t end = s->n_spilled + n_held(s);
    int code;

    if (s->file == 0) {
        int fd = tempfile_open();

        if (fd < 0)
            return jfr_fail(err, JFR_E_IO, 0, "cannot create a temporary file: %s; set TMPDIR",
                            strerror(errno));
        s->file = fd + 1;
    }
    sort_held(s);
    code = write_held(s->file - 1, &s->held, err);
    if (code != 0)
        return code;
    s->n_spilled = end;
    buf_reset(&s->held);
    buf_bytes(&s->run_ends, &end, sizeof(end));
    return buf_ok(&s->run_ends) ? 0 : JFR_E_NOMEM;
}

static int add_sorted(struct sorted_values *s, const struct sorted_value *v, struct jfr_error *err)
{
    buf_bytes(&s->held, v, sizeof(*v));
    if (!buf_ok(&s->held))
        return JFR_E_NOMEM;
    return s->limit == 0 || n_held(s) < s->limit ? 0 : spill(s, err);
}

int sorted_values_add(struct sorted_values *s, uint32_t row, const struct view_value *v,
                      struct jfr_error *err)
{
    struct sorted_value made = {.row = row,
                                .format = (uint8_t)v->format,
                                .is_unsigned = v->is_unsigned,
                                .is_real = v->is_real};

    if (v->is_real)
        made.n.d = v->d;
    else
        made.n.i = v->i;
    return add_sorted(s, &made, err);
}

int sorted_values_take(struct sorted_values *s, const struct sorted_values *from,
                       const uint32_t *rows, struct jfr_error *err)
{
    const struct sorted_value *values = (const struct sorted_value *)(const void *)from->held.p;
    int code = 0;

    for (size_t i = 0; i < n_held(from) && code == 0; i++) {
        struct sorted_value v = values[i];

        v.row = rows[v.row];
        code = add_sorted(s, &v, err);
    }
    return code;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void free_runs(struct sorted_values *s)
{
    for (size_t i = 0; i < s->n_runs && s->file != 0; i++)
        free(s->runs[i].values);
    free(s->runs);
    free(s->heap);
    s->runs = NULL;
    s->heap = NULL;
    s->n_runs = s->n_heap = 0;
}

/* Reads on in the file. */
static int fill_run(const struct sorted_values *s, struct sorted_run *run, struct jfr_error *err)
{
    uint64_t want = run->end - run->at < READ_AHEAD ? run->end - run->at : READ_AHEAD;
    size_t bytes = (size_t)want * sizeof(*run->values), done = 0;

    while (done < bytes) {
        ssize_t n = pread(s->file - 1, (char *)run->values + done, bytes - done,
                          (off_t)(run->at * sizeof(*run->values) + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return jfr_fail(err, JFR_E_IO, 0, "cannot read a temporary file: %s",
                            n < 0 ? strerror(errno) : "it is too short");
        done += (size_t)n;
    }
    run->at += want;
    run->i = 0;
    run->n = (size_t)want;
    return 0;
}

/* Does run a have the next value before run b? */
static bool is_before(const struct sorted_values *s, uint32_t a, uint32_t b)
{
    int order = compare_values(&s->runs[a].values[s->runs[a].i], &s->runs[b].values[s->runs[b].i]);

    return order != 0 ? order < 0 : a < b;
}

/* Restores the order below the top of the heap. */
static void sift_down(struct sorted_values *s, size_t i)
{
    for (;;) {
        size_t least = i;
        uint32_t kept;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->n_heap; child++)
            if (is_before(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == i)
            return;
        kept = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = kept;
        i = least;
    }
}

static int open_file_runs(struct sorted_values *s, struct jfr_error *err)
{
    int code = n_held(s) == 0 ? 0 : spill(s, err);
    const uint64_t *ends = (const uint64_t *)(const void *)s->run_ends.p;
    size_t n = s->run_ends.n / sizeof(*ends);

    s->runs = code == 0 ? calloc(n, sizeof(*s->runs)) : NULL;
    if (s->runs == NULL)
        return code == 0 ? JFR_E_NOMEM : code;
    s->n_runs = n;
    for (size_t i = 0; i < n && code == 0; i++) {
        s->runs[i].at = i == 0 ? 0 : ends[i - 1];
        s->runs[i].end = ends[i];
        s->runs[i].values = malloc(READ_AHEAD * sizeof(*s->runs[i].values));
        code = s->runs[i].values == NULL ? JFR_E_NOMEM : fill_run(s, &s->runs[i], err);
    }
    return code;
}

int sorted_values_begin(struct sorted_values *s, struct jfr_error *err)
{
    int code = 0;

    free_runs(s);
    if (s->file != 0) {
        code = open_file_runs(s, err);
    } else {
        sort_held(s);
        s->runs = calloc(1, sizeof(*s->runs));
        if (s->runs == NULL)
            return JFR_E_NOMEM;
        s->n_runs = 1;
        s->runs[0] =
            (struct sorted_run){.values = (struct sorted_value *)(void *)s->held.p, .n = n_held(s)};
    }
    s->heap = calloc(s->n_runs + 1, sizeof(*s->heap));
    if (code != 0 || s->heap == NULL)
        return code != 0 ? code : JFR_E_NOMEM;
    for (size_t i = 0; i < s->n_runs; i++)
        if (s->runs[i].n > 0)
            s->heap[s->n_heap++] = (uint32_t)i;
    for (size_t i = s->n_heap; i-- > 0;)
        sift_down(s, i);
    return 0;
}

int sorted_values_next(struct sorted_values *s, struct sorted_value *v, struct jfr_error *err)
{
    struct sorted_run *run;
    int code = 0;

    if (s->n_heap == 0)
        return 0;
    run = &s->runs[s->heap[0]];
    *v = run->values[run->i++];
    if (run->i == run->n && run->at < run->end)
        code = fill_run(s, run, err);
    if (run->i == run->n)
        s->heap[0] = s->heap[--s->n_heap];
    if (s->n_heap > 0)
        sift_down(s, 0);
    return code == 0 ? 1 : code;
}

void sorted_values_reset(struct sorted_values *s)
{
    free_runs(s);
    if (s->file != 0)
        close(s->file - 1);
    s->file = 0;
    s->n_spilled = 0;
    buf_reset(&s->held);
    buf_reset(&s->run_ends);
}

void sorted_values_free(struct sorted_values *s)
{
    sorted_values_reset(s);
    buf_free(&s->held);
    buf_free(&s->run_ends);
}
