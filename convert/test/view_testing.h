/*
 * view_testing.h - what a view prints of a recording that a test writes.
 *
 *     static void write_recording(const char *path, const void *row);
 *     ...
 *     view_shows("exception-count", write_recording, row, "Thrown\n42\n");
 */
#ifndef CONVERT_TEST_VIEW_TESTING_H
#define CONVERT_TEST_VIEW_TESTING_H

#include "jfrfmt/test/testing.h"

#include "convert/view/view.h"
#include "jfrfmt/write/writer.h"

#include <stdlib.h>

static inline int view_keep(struct out *out)
{
    (void)out;
    return 0;
}

/* The view is `want` as tab-separated values, and nothing is damaged. */
static inline void view_shows(const char *name, void (*write)(const char *path, const void *arg),
                              const void *arg, const char *want)
{
    char path[] = "/tmp/view_test.XXXXXX";
    const char *paths[] = {path}, *err_path = NULL;
    struct run_options run = {.paths = paths, .n_paths = 1};
    struct view_run *r = view_run_new(view_named(name), NULL);
    struct out out = {.drain = view_keep};
    struct jfr_error err = {0};
    struct run_result result;
    struct run_job job = view_job(r);
    struct table *table;

    close(mkstemp(path));
    write(path, arg);
    assert_int_equal(run_all(&run, &job, NULL, &result, &err, &err_path), 0);
    unlink(path);
    assert_int_equal(result.damages, 0);
    table = view_table(r, false, true);
    assert_non_null(table);
    assert_int_equal(table_write(table, TABLE_AS_TSV, &out), 0);
    buf_byte(&out.b, 0);
    assert_string_equal((const char *)out.b.p, want);
    out_free(&out);
    table_free(table);
    view_run_free(r);
}

#endif
