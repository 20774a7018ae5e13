/*
 * slow.h - why are some scopes (requests, spans) slow? Where the time of each went, and what the
 * slow ones do that those around the median do not.
 *
 *     struct slow *s = slow_new(&options);
 *     rc = slow_read(s, paths, n_paths, &err, &path);        which scopes there are
 *     struct run_job job = slow_job(s);
 *     run_all(..., &job, ...);                               what happened inside of some of them
 *     if (slow_finish(s) == 0) ...groups, scopes and reasons...
 *
 * A scope counts if no other scope of its thread is around it (scopes.h). Scopes are grouped by the
 * value of a key, an action for example. In each group some are slow: those above a quantile or a
 * length. They are compared with the scopes of the same group around the median, so that an action
 * that is always slow does not look like a reason.
 *
 * The wall time of a scope is the sum of its parts (enum slow_part), always. Parts come from events
 * with a duration, which are exact, and from samples where no such event says what the thread did.
 *
 * Threads: one at a time; the job on any number. Memory: 40 bytes for each scope, some 500 for each
 * of the SLOW_EXAMINED slow ones and as many others whose time is split.
 */
#ifndef CONVERT_SLOW_SLOW_H
#define CONVERT_SLOW_SLOW_H

#include "convert/driver/run.h"
#include "convert/scope/threads.h"

#define SLOW_EXAMINED 20000 /* slow scopes, and others, that are looked into; evenly chosen */
#define SLOW_SAMPLES_LEAST 10 /* with fewer samples the rest of a scope is "running or unknown" */

enum slow_part { /* of the wall time of a scope on its own thread */
    SLOW_RUNNING, /* on a processor */
    SLOW_RUNNABLE, /* able to run, but without a processor */
    SLOW_LOCK, /* entering a monitor */
    SLOW_IO, /* files and sockets */
    SLOW_PARKED, /* waiting for another thread: locks of java.util.concurrent, results, wait() */
    SLOW_ASLEEP, /* Thread.sleep() */
    SLOW_GC, /* stopped by the garbage collector */
    SLOW_SAFEPOINT, /* stopped for another operation of the VM */
    SLOW_UNKNOWN, /* nothing says it */
    SLOW_PARTS,
};

struct slow_options {
    const char *const *keys; /* of contexts: scopes are grouped by the first one that any has, and
                              * those without it do not count; none: one group */
    size_t n_keys;
    const char *const *types; /* event types that are scopes; none: see scopes.h */
    size_t n_types;
    const struct scope_filter *filter; /* which scopes count; NULL: all */
    double quantile; /* slow are those above this quantile of their group (0.99), */
    int64_t slower_ns; /* or, if it is not 0, those that last at least this long */
    size_t n_slowest; /* scopes that are listed one by one */
    bool wants_lines; /* what happened in each of these, see slow_line() */
};

struct slow_group {
    uint32_t key; /* number of its value + 1; 0: scopes without a value */
    uint64_t n, n_slow; /* scopes */
    int64_t total_ns, p50_ns, p90_ns, p99_ns, max_ns;
};

struct slow_work { /* of tasks on other threads */
    uint32_t n; /* tasks */
    int64_t wall_ns, waits_ns; /* of these; waits: locks, I/O, parked, asleep */
    int64_t cpu_ns, alloc_bytes; /* estimated from samples */
};

struct slow_scope { /* one whose time is split */
    int64_t start_ns, end_ns;
    uint32_t thread, group, type;
    bool is_slow; /* else around the median */
    double weight; /* of one around the median: slow ones that it is compared with; of a slow one
                    * 1, or 0 if its group has nothing to compare it with */
    int64_t parts[SLOW_PARTS]; /* ns, their sum is the whole; after slow_finish() */
    int64_t estimated[SLOW_PARTS]; /* how much of the part comes from samples, ns */
    int64_t error[SLOW_PARTS]; /* standard error of that, ns */
    uint64_t n_samples; /* that the estimates are from */
    int64_t cpu_ns, alloc_bytes; /* estimated */
    int64_t io_bytes;
    struct slow_work elsewhere;
    /* Filled while events are read. */
    int64_t exact[SLOW_PARTS];
    uint64_t wall[SLOW_PARTS]; /* wall-clock samples, weighted, beside exact parts */
    uint64_t n_wall, n_cpu; /* samples beside exact parts */
    int64_t gap_cpu_ns; /* of those n_cpu */
    uint32_t rank; /* among the slowest: 1 is the slowest; 0: it is not listed */
    uint32_t n_lines; /* that were kept */
};

struct slow_reason { /* what slow scopes do more than those around the median */
    enum slow_part part; /* SLOW_PARTS: who: the value of a key */
    const char *what; /* monitor, file, peer, key and value; "" for the part as such */
    const char *where; /* code of the program, "" if unknown */
    const char *holder; /* thread that held the monitor mostly, "" if unknown */
    bool is_estimated; /* from samples */
    double ns; /* of the mean excess of a slow scope that it explains */
    double share; /* of that excess, 0 to 1 */
    double error_ns; /* standard error of ns */
    uint64_t n; /* slow scopes, events or samples that it is from */
};

struct slow_facts {
    uint64_t n_events; /* of the recordings */
    int64_t first_ns, last_ns; /* of all scopes */
    uint64_t n_scopes, n_slow, n_slow_examined, n_median_examined;
    int64_t slow_mean_ns, median_mean_ns; /* of those compared */
    const char *key; /* by which scopes are grouped; NULL: none */
    bool has_cpu, has_wall; /* samples of these kinds were met in scopes */
    int64_t lock_threshold_ns, io_threshold_ns; /* shorter ones were not recorded; -1: unknown */
    bool has_too_many_pauses; /* of some scopes they were left out */
    bool has_too_many_lines; /* of some listed scopes they were left out */
    bool leaves_out_unused; /* scopes in which nothing was recorded are not in the recording */
    uint64_t n_tasks, n_unlinked_tasks;
};

#define SLOW_BUCKETS 252

struct slow_bucket { /* of the lengths of all scopes */
    uint64_t n, n_slow;
};

struct slow;

struct slow *slow_new(const struct slow_options *options); /* NULL if out of memory */
void slow_free(struct slow *s); /* NULL is allowed */

/* Reads all scopes and chooses those whose time is split. Returns 0, or a negative code with *err
 * and *err_path. */
int slow_read(struct slow *s, const char *const *paths, size_t n_paths, struct jfr_error *err,
              const char **err_path);

/* The job that reads what happens inside of them. Its `shared` is s. */
struct run_job slow_job(struct slow *s);

/* Where a time on a thread lies: in no chosen scope, in one around the median, in a slow one, or in
 * the slowest ones: PLACE_SLOWEST + i is that of slow_slowest(i). Tasks lie where their scope does.
 * `key` is that of the thread among the constants of `cls`. After slow_read(), on any number of
 * threads at once. */
enum slow_place {
    PLACE_NONE,
    PLACE_MEDIAN,
    PLACE_SLOW,
    PLACE_SLOWEST,
};
uint32_t slow_place(const struct slow *s, struct scope_threads *threads,
                    const struct jfr_class *cls, uint64_t key, int64_t ns);

/* Splits the time of each scope and ranks the reasons. Returns 0 or JFR_E_NOMEM. */
int slow_finish(struct slow *s);

struct slow_facts slow_facts(const struct slow *s);

/* Groups, those with the most time first. */
size_t slow_n_groups(const struct slow *s);
const struct slow_group *slow_group(const struct slow *s, size_t i);
const char *slow_key_text(const struct slow *s, uint32_t key); /* "" for 0 */

/* Bucket i of the lengths, i < SLOW_BUCKETS, and the least length that it counts. There are four
 * in each power of two. */
struct slow_bucket slow_bucket(const struct slow *s, size_t i);
int64_t slow_bucket_from(size_t i); /* ns; i <= SLOW_BUCKETS - 4 */

/* A scope whose time is split, and the numbers of the slowest ones, the slowest first. */
const struct slow_scope *slow_scope(const struct slow *s, size_t i);
size_t slow_n_slowest(const struct slow *s);
size_t slow_slowest(const struct slow *s, size_t i);

/* Values of a scope, as "key=value", and "thread=name": value k; NULL: there is no such. */
const char *slow_scope_value(const struct slow *s, size_t scope, size_t k);
const char *slow_scope_type(const struct slow *s, size_t scope);

/* What happened in a listed scope: a stretch of its own time line, a wait in one of its tasks, or a
 * sample. */
struct slow_line {
    int64_t start_ns, end_ns; /* of a sample: both the same */
    uint32_t thread; /* number of the thread, as in struct slow_task */
    const char *name; /* of the thread, "" if unknown */
    bool is_task, is_cpu; /* of a task; a CPU sample */
    enum slow_part part;
    const char *what, *where; /* as in struct slow_reason */
};

/* Line k of the i-th slowest scope: its own ones first, then those of tasks by thread, each in the
 * order of time. False: it has no more. */
bool slow_line(const struct slow *s, size_t i, size_t k, struct slow_line *line);

struct slow_task {
    uint32_t thread;
    int64_t start_ns, end_ns;
};

/* The next task of the i-th slowest scope, by thread and time; *at is 0 at first. False: it has no
 * more. */
bool slow_next_task(const struct slow *s, size_t i, size_t *at, struct slow_task *task);

/* Reasons, that which explains most first. */
size_t slow_n_reasons(const struct slow *s);
const struct slow_reason *slow_reason(const struct slow *s, size_t i);

const char *slow_part_name(enum slow_part part); /* "running", "GC pause" */
const char *slow_part_word(enum slow_part part); /* for programs: "running", "gc" */

#endif
