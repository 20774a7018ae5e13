/*
 * writer_testing.h - files that tests of the writer make, in a directory that goes with them.
 */
#ifndef JFRFMT_TEST_WRITER_TESTING_H
#define JFRFMT_TEST_WRITER_TESTING_H

#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/writer_demo.h"
#include "jfrfmt/test/writer_legal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char dir[] = "/tmp/writer_test.XXXXXX";

static inline const char *path(const char *name)
{
    static char text[4][80];
    static unsigned i;
    char *p = text[i++ % 4];

    snprintf(p, sizeof(text[0]), "%s/%s", dir, name);
    return p;
}

struct file {
    uint8_t *bytes;
    size_t n;
};

static inline struct file read_file(const char *name)
{
    struct file f = {0};
    struct stat st;
    int fd = open(name, O_RDONLY);

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    f.n = (size_t)st.st_size;
    f.bytes = malloc(f.n + 1);
    assert_int_equal(read(fd, f.bytes, f.n), f.n);
    close(fd);
    return f;
}

static inline struct legal expect_legal(const char *name)
{
    struct file f = read_file(name);
    struct legal l;
    const char *wrong = legal(f.bytes, f.n, &l);

    if (wrong != NULL)
        fail_msg("%s: %s", name, wrong);
    free(f.bytes);
    return l;
}

static inline struct jfr_writer *open_demo(const char *name, struct demo *d)
{
    struct jfr_writer_options options = {
        .start_ticks = DEMO_START_TICKS,
        .start_nanos = DEMO_START_NANOS,
        .replace = true,
        .seed = 1,
    };
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);

    assert_non_null(w);
    assert_true(demo_start(d, w));
    return w;
}

static inline int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static inline int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

#endif
