/*
 * sorted_values_test.c - values come in the order of rows and sizes, in memory and out of a file,
 * and the file is gone at the end.
 */
#include "convert/view/sorted_values.h"

#include "jfrfmt/test/testing.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#define ROWS 7

/* How many values, how many of them memory may hold, how many runs that makes while adding. */
static const struct row {
    const char *name;
    size_t n, limit, runs;
} rows[] = {
    {"none", 0, 10, 0},
    {"one", 1, 10, 0},
    {"all in memory", 9, 10, 0},
    {"exactly one run", 10, 10, 1},
    {"a run and a rest", 11, 10, 1},
    {"a run for each value", 5, 1, 5},
    {"many runs", 20000, 100, 200},
    {"runs longer than what is read at once", 30000, 10000, 3},
    {"no limit", 30000, 0, 0},
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int n_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static void add_values(struct sorted_values *s, size_t n, int64_t *sums)
{
    uint64_t random = 42;
    struct jfr_error err = {0};

    for (size_t i = 0; i < n; i++) {
        uint32_t row = (uint32_t)(next_random(&random) % ROWS);
        int64_t number = (int64_t)(next_random(&random) % 1000) - 500;
        struct view_value v = {.kind = VIEW_NUMBER, .i = number, .d = (double)number};

        v.format = VIEW_BYTES;
        sums[row] += number;
        assert_int_equal(sorted_values_add(s, row, &v, &err), 0);
    }
}

/* Reads all, in order; the sums of the rows are what was added. */
static void check_values(struct sorted_values *s, size_t n, const int64_t *sums)
{
    struct jfr_error err = {0};
    struct sorted_value v, last = {0};
    int64_t found[ROWS] = {0};
    size_t count = 0;

    assert_int_equal(sorted_values_begin(s, &err), 0);
    while (sorted_values_next(s, &v, &err) == 1) {
        struct view_value value = sorted_values_get(&v);

        assert_true(count == 0 || last.row < v.row || (last.row == v.row && last.n.i <= v.n.i));
        assert_true(value.i == v.n.i && value.d == (double)value.i && value.format == VIEW_BYTES);
        found[v.row] += v.n.i;
        last = v;
        count++;
    }
    assert_int_equal(err.code, 0);
    assert_int_equal(count, n);
    assert_memory_equal(found, sums, sizeof(found));
}

static void values_are_sorted(void **state)
{
    const struct row *r = *state;
    struct sorted_values s = {.limit = r->limit};
    int64_t sums[ROWS] = {0};
    int before = n_descriptors();

    add_values(&s, r->n, sums);
    assert_int_equal(s.run_ends.n / sizeof(uint64_t), r->runs);
    check_values(&s, r->n, sums);
    check_values(&s, r->n, sums); /* and again */
    sorted_values_free(&s);
    assert_int_equal(n_descriptors(), before);
}

/* Rows get other numbers; what is taken over goes to the file, too. */
static void values_are_taken_over(void **state)
{
    struct sorted_values from = {.limit = 0}, to = {.limit = 100};
    const uint32_t map[ROWS] = {6, 5, 4, 3, 2, 1, 0};
    int64_t sums[ROWS] = {0}, mapped[ROWS];
    struct jfr_error err = {0};

    (void)state;
    add_values(&from, 1050, sums);
    assert_int_equal(sorted_values_take(&to, &from, map, &err), 0);
    assert_int_equal(to.run_ends.n / sizeof(uint64_t), 10);
    for (int i = 0; i < ROWS; i++)
        mapped[map[i]] = sums[i];
    check_values(&to, 1050, mapped);
    sorted_values_free(&from);
    sorted_values_free(&to);
}

static void a_full_disk_is_an_error_with_advice(void **state)
{
    const struct rlimit little = {1000, RLIM_INFINITY};
    struct view_value v = {.kind = VIEW_NUMBER, .i = 1, .d = 1};
    struct sorted_values s = {.limit = 1000};
    struct rlimit before;
    struct jfr_error err = {0};
    int rc = 0;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (int i = 0; i < 1000 && rc == 0; i++)
        rc = sorted_values_add(&s, 0, &v, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, JFR_E_IO);
    assert_non_null(strstr(err.text, "cannot write a temporary file"));
    assert_non_null(strstr(err.text, "TMPDIR"));
    sorted_values_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_taken_over),
        cmocka_unit_test(a_full_disk_is_an_error_with_advice),
    };
    int failed = run_rows("sorted values", rows, values_are_sorted);

    return failed + cmocka_run_group_tests_name("sorted values", tests, NULL, NULL);
}
