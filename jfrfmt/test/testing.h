/* testing.h - what every *_test.c needs on top of cmocka: rows as tests, and guarded bytes. */
#ifndef JFRFMT_TEST_TESTING_H
#define JFRFMT_TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each row of an array of structs whose first member is its name becomes one cmocka test, so a
 * failure is reported under the row's name and the rows behind it still run. */
#define run_rows(group, rows, fn) \
    run_rows_(group, rows, sizeof((rows)[0]), sizeof(rows) / sizeof((rows)[0]), fn)

static inline int run_rows_(const char *group, const void *rows, size_t size, size_t n,
                            CMUnitTestFunction fn)
{
    struct CMUnitTest tests[n];

    for (size_t i = 0; i < n; i++) {
        const char *row = (const char *)rows + i * size;
        tests[i] = (struct CMUnitTest){.name = *(const char *const *)row,
                                       .test_func = fn,
                                       .initial_state = (void *)(uintptr_t)row};
    }
    return cmocka_run_group_tests_name(group, tests, NULL, NULL);
}

/* A copy that ends exactly at an unmapped page: reading one byte too far is a crash, not luck. */
struct guarded {
    uint8_t *bytes;
    size_t n;
    void *map;
    size_t map_n;
};

/* The n bytes at src, followed by `slack` zero bytes, then the unmapped page. */
static inline struct guarded guarded_copy(const void *src, size_t n, size_t slack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (n + slack + page - 1) / page * page;
    struct guarded g = {.n = n + slack, .map_n = room + page};

    g.map = mmap(NULL, g.map_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.map, MAP_FAILED);
    assert_int_equal(mprotect((char *)g.map + room, page, PROT_NONE), 0);
    g.bytes = (uint8_t *)g.map + room - g.n;
    memcpy(g.bytes, src, n);
    return g;
}

static inline void guarded_free(struct guarded *g)
{
    munmap(g->map, g->map_n);
}

#endif
