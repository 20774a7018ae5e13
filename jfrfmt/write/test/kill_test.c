/*
 * A process that records is killed at a random moment, KILLS times (100): what it had reported as
 * flushed must be in the file. With KEEP=DIR up to ten of the files stay there, for other readers,
 * with their number of events in the name.
 */
#include "jfrfmt/test/testing.h"
#include "jfrfmt/test/writer_demo.h"
#include "jfrfmt/test/writer_legal.h"
#include "jfrfmt/test/writer_reading.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define LIFE_US 15000 /* at most, from the first flush on */

static char dir[] = "/tmp/writer_kill_test.XXXXXX";
static unsigned seed;

static void put_texts(struct demo *d, unsigned n)
{
    static char text[3000];

    memset(text, 'y', sizeof(text));
    while (n-- > 0) {
        demo_begin(d, DEMO_PROPERTY);
        jfr_put_string(d->w, "text");
        jfr_put_text(d->w, text, (size_t)rand() % sizeof(text));
        jfr_event_end(d->w);
    }
}

/* Records for ever, in small steps, and reports each flush. */
static void record(const char *file, int report, int life)
{
    struct jfr_writer_options options = {.extent = 2 << 20, .event_room = 256 << 10};
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;
    struct demo d;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    srand(seed + (unsigned)life);
    if (!demo_start(&d, jfr_writer_open(file, &options, &err)))
        _exit(1);
    for (;;) {
        demo_all(&d);
        demo_samples(&d, rand() % 500);
        put_texts(&d, (unsigned)rand() % 60);
        if (rand() % 5 == 0)
            jfr_writer_rotate(d.w, 0);
        else
            jfr_writer_flush(d.w, 0);
        jfr_writer_stats(d.w, &stats);
        if (write(report, &stats.n_events, sizeof(stats.n_events)) < 0)
            _exit(1);
    }
}

/* Events of the last report; 0: there was none. */
static uint64_t last_report(int report, uint64_t last)
{
    uint64_t n;

    while (read(report, &n, sizeof(n)) == sizeof(n))
        last = n;
    return last;
}

static uint64_t live_and_die(const char *file, int life)
{
    struct timespec pause = {0, (rand() % LIFE_US) * 1000};
    int fds[2], status;
    uint64_t first = 0;
    pid_t child;

    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        record(file, fds[1], life);
    close(fds[1]);
    if (life % 5 != 0) /* every fifth is killed wherever it is, also before its first flush */
        assert_int_equal(read(fds[0], &first, sizeof(first)), sizeof(first));
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    first = last_report(fds[0], first);
    close(fds[0]);
    return first;
}

static uint64_t expect_all(const char *file, uint64_t reported, int life)
{
    struct stat st;
    uint8_t *bytes;
    uint64_t found;
    const char *wrong;
    struct legal l;
    int fd = open(file, O_RDONLY);

    if (fd < 0 && reported == 0)
        return 0;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(bytes, MAP_FAILED);
    wrong = legal(bytes, (uint64_t)st.st_size, &l);
    if (wrong != NULL)
        fail_msg("life %d of seed %u: %s", life, seed, wrong);
    found = reading(bytes, (size_t)st.st_size, NULL, NULL);
    if (found < reported)
        fail_msg("life %d of seed %u: %llu events, %llu had been flushed", life, seed,
                 (unsigned long long)found, (unsigned long long)reported);
    munmap(bytes, (size_t)st.st_size);
    close(fd);
    return found;
}

static int n_kills(void)
{
    const char *text = getenv("KILLS");

    return text == NULL ? 100 : atoi(text);
}

static void keep(const char *file, int life, uint64_t found)
{
    int every = n_kills() < 10 ? 1 : n_kills() / 10;
    char command[300];

    if (getenv("KEEP") == NULL || life % every != 1 % every || found == 0)
        return;
    snprintf(command, sizeof(command), "cp --sparse=always '%s' '%s/killed-%d-%llu.jfr'", file,
             getenv("KEEP"), life, (unsigned long long)found);
    assert_int_equal(system(command), 0);
}

static void a_killed_process_leaves_all_that_was_flushed(void **state)
{
    uint64_t reported = 0;

    (void)state;
    seed = (unsigned)time(NULL) ^ (unsigned)getpid();
    srand(seed);
    for (int life = 0; life < n_kills(); life++) {
        char file[100];
        uint64_t n;

        snprintf(file, sizeof(file), "%s/%d.jfr", dir, life);
        n = live_and_die(file, life);
        reported += n;
        keep(file, life, expect_all(file, n, life));
        unlink(file);
    }
    assert_true(reported > 0);
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_process_leaves_all_that_was_flushed),
    };

    return cmocka_run_group_tests_name("writer and SIGKILL", tests, make_dir, remove_dir);
}
