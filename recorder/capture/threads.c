/*
 * threads.c - the registry of threads: a table of entries, and a table from thread ids to entries.
 *
 * Both lie in memory that is reserved once for the largest possible number and never freed; the
 * system backs only the pages that are touched. Writers take `lock`. Signal handlers read without
 * it: by_tid is stored last, with release order, so an entry that a handler finds there is
 * complete.
 */
#include "recorder/capture/threads.h"

#include "recorder/capture/lost.h"
#include "recorder/base/thread_local.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TID_MAX (1u << 22) /* the kernel's limit on 64-bit machines */
#define COOKIE UINT64_C(0x6a66)
#define GENERATIONS ((1u << 24) - 1)
#define NO_ROOM (1u << 31) /* instead of an index: with the sweep that last saw the thread */

static struct thread *entries;
static _Atomic uint32_t *by_tid; /* index + 1 of the live entry, or NO_ROOM */
static uint8_t *reuses; /* per number, at most 255 */
static uint32_t n_entries; /* ever used: a high-water mark */
static uint32_t *free_list, n_free;
static uint32_t *dying, n_dying; /* dead since the call before last of reclaim: */
static uint32_t n_ripe; /* the first ones of them since before the last */
static uint32_t sweep_mark;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __thread struct thread *self SIGNAL_SAFE;

static void *reserve_memory(size_t n)
{
    void *p =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

int threads_init(void)
{
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (entries == NULL) {
        by_tid = reserve_memory(TID_MAX * sizeof(*by_tid));
        reuses = reserve_memory(TID_MAX);
        free_list = reserve_memory(THREADS_MAX * sizeof(*free_list));
        dying = reserve_memory(THREADS_MAX * sizeof(*dying));
        entries = reserve_memory(THREADS_MAX * sizeof(*entries));
        if (by_tid == NULL || reuses == NULL || free_list == NULL || dying == NULL ||
            entries == NULL)
            rc = -1;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ASYNC-SIGNAL-SAFE */
struct thread *threads_find(int32_t tid)
{
    uint32_t i;

    if (entries == NULL || tid <= 0 || (uint32_t)tid >= TID_MAX)
        return NULL;
    /* Pairs with the release in add(): the entry is filled. */
    i = atomic_load_explicit(&by_tid[tid], memory_order_acquire);
    return i == 0 || (i & NO_ROOM) != 0 ? NULL : &entries[i - 1];
}

/* Counts a thread as lost once, however often its entry is requested: by_tid holds the number of
 * the sweep that saw it last. If that is neither this sweep nor the one before, the id belongs to
 * another thread by now, which is counted, too. */
static void refuse_thread(int32_t tid)
{
    uint32_t seen = atomic_load_explicit(&by_tid[tid], memory_order_relaxed);

    if ((seen & NO_ROOM) == 0 || (seen & ~NO_ROOM) + 1 < sweep_mark)
        lost_add(LOST_THREADS, 1);
    atomic_store_explicit(&by_tid[tid], NO_ROOM | sweep_mark, memory_order_relaxed);
}

static uint32_t take_index(void)
{
    if (n_free > 0)
        return free_list[--n_free];
    return n_entries < THREADS_MAX ? n_entries++ : THREADS_MAX;
}

static struct thread *add(int32_t tid)
{
    struct thread *t = threads_find(tid);
    uint32_t i;

    if (t != NULL)
        return t;
    i = take_index();
    if (i == THREADS_MAX) {
        refuse_thread(tid);
        return NULL;
    }
    t = &entries[i];
    if (atomic_load_explicit(&t->generation, memory_order_relaxed) ==
        0) /* 0 stands for no thread */
        atomic_store_explicit(&t->generation, 1, memory_order_relaxed);
    t->tid = tid;
    atomic_store_explicit(&t->java_id, 0, memory_order_relaxed);
    atomic_store_explicit(&t->vm_thread, NULL, memory_order_relaxed);
    atomic_store_explicit(&t->busy, 0, memory_order_relaxed);
    atomic_store_explicit(&t->owed, 0, memory_order_relaxed);
    atomic_store_explicit(&t->is_owing, false, memory_order_relaxed);
    atomic_store_explicit(&t->recorded, 0, memory_order_relaxed);
    t->is_ours = t->is_exiting = t->is_native = t->has_timer = false;
    atomic_store_explicit(&t->comm[0], 0, memory_order_relaxed);
    atomic_store_explicit(&t->perf, 0, memory_order_relaxed);
    t->key = 0;
    atomic_store_explicit(&t->is_renamed, false, memory_order_relaxed);
    t->wall_idle = 0;
    t->wall_asleep = t->wall_has_ids = false;
    t->wall_context = NULL;
    t->wall_stack = 0;
    t->seen = sweep_mark;
    t->reused = reuses[tid];
    reuses[tid] += reuses[tid] < 255;
    atomic_store_explicit(&t->life, THREAD_LIVE, memory_order_relaxed);
    atomic_store_explicit(&by_tid[tid], i + 1, memory_order_release);
    return t;
}

struct thread *threads_add(int32_t tid)
{
    struct thread *t;

    if (tid <= 0 || (uint32_t)tid >= TID_MAX || entries == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    t = add(tid);
    pthread_mutex_unlock(&lock);
    return t;
}

static void end(struct thread *t)
{
    uint32_t i = threads_index(t) + 1;

    if (atomic_load_explicit(&t->life, memory_order_relaxed) != THREAD_LIVE)
        return;
    atomic_store_explicit(&t->life, THREAD_DEAD, memory_order_relaxed);
    if (atomic_load_explicit(&by_tid[t->tid], memory_order_relaxed) == i)
        atomic_store_explicit(&by_tid[t->tid], 0, memory_order_release);
    dying[n_dying++] = i - 1;
}

struct thread *threads_begin(int32_t tid)
{
    struct thread *t;

    if (tid <= 0 || (uint32_t)tid >= TID_MAX || entries == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    t = threads_find(tid);
    if (t != NULL && (t->is_exiting || atomic_load(&t->java_id) != 0))
        end(t);
    t = add(tid);
    pthread_mutex_unlock(&lock);
    return t;
}

void threads_exiting(struct thread *t)
{
    pthread_mutex_lock(&lock);
    t->is_exiting = true;
    t->exited = sweep_mark;
    pthread_mutex_unlock(&lock);
}

/* Cached, since each hook needs it. The child of a fork keeps the id of its parent, which does no
 * harm: it has no drain thread, so its records are never read. */
static int32_t own_tid(void)
{
    static __thread int32_t tid SIGNAL_SAFE;

    if (tid == 0)
        tid = (int32_t)syscall(SYS_gettid);
    return tid;
}

/* An entry that was ended by mistake (the thread lives) may have been reused: then a new one is
 * made. */
struct thread *threads_self(void)
{
    if (self == NULL || atomic_load_explicit(&self->life, memory_order_relaxed) != THREAD_LIVE ||
        self->tid != own_tid())
        self = threads_add(own_tid());
    return self;
}

/* lock is held; takes the name. */
static void set_name(struct thread *t, char *name)
{
    if (t->name == NULL || name == NULL || strcmp(t->name, name) != 0)
        atomic_store_explicit(&t->is_renamed, true, memory_order_release);
    free(t->name);
    t->name = name;
}

void threads_set_java(struct thread *t, int64_t java_id, const char *name, const char *group)
{
    char *name_copy = name == NULL ? NULL : strdup(name);
    char *group_copy = group == NULL ? NULL : strdup(group);

    pthread_mutex_lock(&lock);
    set_name(t, name_copy);
    free(t->group);
    t->group = group_copy;
    atomic_store_explicit(&t->java_id, java_id, memory_order_release);
    pthread_mutex_unlock(&lock);
}

void threads_set_name(struct thread *t, const char *name)
{
    char *copy;

    pthread_mutex_lock(&lock);
    if ((t->name == NULL || strcmp(t->name, name) != 0) && (copy = strdup(name)) != NULL)
        set_name(t, copy);
    pthread_mutex_unlock(&lock);
}

char *threads_name(struct thread *t, char **group)
{
    char *copy;

    pthread_mutex_lock(&lock);
    copy = t->name == NULL ? NULL : strdup(t->name);
    *group = t->group == NULL ? NULL : strdup(t->group);
    pthread_mutex_unlock(&lock);
    return copy;
}

void threads_end(struct thread *t)
{
    pthread_mutex_lock(&lock);
    end(t);
    pthread_mutex_unlock(&lock);
}

static void reclaim(struct thread *t)
{
    uint32_t generation = atomic_load_explicit(&t->generation, memory_order_relaxed);

    free(t->name);
    free(t->group);
    t->name = t->group = NULL;
    atomic_store_explicit(&t->life, THREAD_FREE, memory_order_relaxed);
    atomic_store_explicit(&t->generation, (generation + 1) & GENERATIONS, memory_order_release);
    free_list[n_free++] = threads_index(t);
}

void threads_reclaim(void)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n_ripe; i++)
        reclaim(&entries[dying[i]]);
    memmove(dying, dying + n_ripe, (n_dying - n_ripe) * sizeof(*dying));
    n_dying -= n_ripe;
    n_ripe = n_dying;
    pthread_mutex_unlock(&lock);
}

void threads_count_anew(void)
{
    pthread_mutex_lock(&lock);
    sweep_mark += 2;
    pthread_mutex_unlock(&lock);
}

void threads_each(void (*f)(struct thread *t, void *arg), void *arg)
{
    uint32_t n;

    pthread_mutex_lock(&lock);
    n = n_entries;
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < n; i++)
        if (atomic_load_explicit(&entries[i].life, memory_order_acquire) == THREAD_LIVE)
            f(&entries[i], arg);
}

struct wanted_thread {
    int64_t java_id;
    struct thread *found;
};

static void compare_java_id(struct thread *t, void *arg)
{
    struct wanted_thread *w = arg;

    if (atomic_load_explicit(&t->java_id, memory_order_acquire) == w->java_id)
        w->found = t;
}

struct thread *threads_find_java(int64_t java_id)
{
    struct wanted_thread w = {java_id, NULL};

    threads_each(compare_java_id, &w);
    return w.found;
}

static int32_t number(const char *text)
{
    int32_t n = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (*text - '0');
    return *text == 0 ? n : 0;
}

struct sweep {
    void (*end)(struct thread *t);
    uint32_t mark;
};

static void end_unseen(struct thread *t, void *arg)
{
    struct sweep *s = arg;

    /* An entry that another thread has added during the sweep has this mark, too. */
    if (t->seen == s->mark)
        return;
    if (s->end != NULL)
        s->end(t);
    threads_end(t);
}

int threads_sweep(void (*begin)(struct thread *t), void (*end_one)(struct thread *t))
{
    DIR *tasks = opendir("/proc/self/task");
    struct sweep s = {end_one, 0};
    struct dirent *d;
    int n = 0;

    if (tasks == NULL)
        return -1;
    pthread_mutex_lock(&lock);
    s.mark = ++sweep_mark;
    pthread_mutex_unlock(&lock);
    while ((d = readdir(tasks)) != NULL) {
        int32_t tid = number(d->d_name);
        bool is_new = tid > 0 && threads_find(tid) == NULL;
        struct thread *t = tid > 0 ? threads_add(tid) : NULL;

        if (t != NULL && t->is_exiting && t->exited + 1 < s.mark) {
            if (end_one != NULL)
                end_one(t);
            threads_end(t);
            t = threads_add(tid);
            is_new = true;
        }
        if (t == NULL)
            continue;
        n++;
        t->seen = s.mark;
        if (is_new && begin != NULL)
            begin(t);
    }
    closedir(tasks);
    threads_each(end_unseen, &s);
    return n;
}

/* The kernel's encoding of a thread id. */
clockid_t threads_clock(const struct thread *t)
{
    return (clockid_t)(~(uint32_t)t->tid << 3 | 6);
}

int64_t threads_cpu(const struct thread *t)
{
    struct timespec c;

    return clock_gettime(threads_clock(t), &c) == 0 ? c.tv_sec * 1000000000 + c.tv_nsec : -1;
}

uint32_t threads_index(const struct thread *t)
{
    return (uint32_t)(t - entries);
}

/* ASYNC-SIGNAL-SAFE */
struct thread *threads_at(uint32_t index, uint32_t generation)
{
    struct thread *t;

    if (entries == NULL || index >= THREADS_MAX)
        return NULL;
    t = &entries[index];
    return atomic_load_explicit(&t->generation, memory_order_acquire) == generation ? t : NULL;
}

/* ASYNC-SIGNAL-SAFE */
uint64_t threads_cookie(const struct thread *t, unsigned kind)
{
    uint32_t generation =
        t == NULL ? 0 : atomic_load_explicit(&t->generation, memory_order_relaxed);

    return COOKIE << 48 | (uint64_t)(generation & GENERATIONS) << 24 | (uint64_t)(kind & 15) << 20 |
           (t == NULL ? 0 : threads_index(t));
}

/* ASYNC-SIGNAL-SAFE */
bool threads_is_cookie(uint64_t cookie)
{
    return cookie >> 48 == COOKIE;
}

/* ASYNC-SIGNAL-SAFE */
unsigned threads_cookie_kind(uint64_t cookie)
{
    return (unsigned)(cookie >> 20) & 15;
}

/* ASYNC-SIGNAL-SAFE */
struct thread *threads_from_cookie(uint64_t cookie)
{
    uint32_t generation = (uint32_t)(cookie >> 24) & GENERATIONS;

    return generation == 0 ? NULL : threads_at((uint32_t)cookie & (THREADS_MAX - 1), generation);
}
