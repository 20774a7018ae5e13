/*
 * wait.c - when a read or write began that found nothing at first, and its time limit. The hooks of
 * native methods (hooks.c) report each step; what a platform thread is waiting for is kept in
 * thread-local storage, what virtual threads wait for in a table by descriptor, since they may
 * continue on another carrier. Nothing here calls into Java, except to find which virtual thread is
 * running.
 */
#include "recorder/io/wait.h"

#include "recorder/events/objects.h"
#include "recorder/base/thread_local.h"

#define DESCRIPTORS 65536 /* waits of virtual threads for larger ones are not known */

#define NS_PER_MS 1000000
#define BEFORE_NS \
    100000 /* from the JDK's first reading of its clock to the native method, at most */

/* The wait of a virtual thread, which may continue on another carrier. */
struct parked {
    _Atomic int64_t began; /* 0: no thread waits */
    _Atomic uint32_t key; /* of the thread */
    _Atomic int32_t poller;
};

__thread struct io_wait io_wait_mine SIGNAL_SAFE;
_Atomic int32_t io_wait_parked;

static struct parked parked[DESCRIPTORS][2]; /* reading, writing */
static _Atomic int64_t since;
static jvmtiEnv *ti;

#define READ(what) atomic_load_explicit(&(what), memory_order_relaxed)
#define WRITE(what, value) atomic_store_explicit(&(what), value, memory_order_relaxed)

void io_wait_start(jvmtiEnv *jvmti, int64_t ticks)
{
    ti = jvmti;
    atomic_store(&since, ticks);
}

static uint32_t wait_key_of(JNIEnv *env)
{
    jthread thread = NULL;
    uint32_t key = 0;

    if ((*ti)->GetCurrentThread(ti, &thread) == JVMTI_ERROR_NONE)
        key = (uint32_t)objects_virtual_key(env, thread);
    (*env)->DeleteLocalRef(env, thread);
    return key;
}

/* Taken by the thread that stored it, or by a thread that finds it abandoned. */
static int64_t take(struct parked *p)
{
    int64_t began = atomic_exchange_explicit(&p->began, 0, memory_order_acquire);

    if (began != 0)
        atomic_fetch_sub_explicit(&io_wait_parked, 1, memory_order_relaxed);
    return began;
}

struct io_wait io_wait_end(JNIEnv *env, int fd, bool is_write, int64_t began)
{
    struct io_wait mine = io_wait_mine, alone = {.is_write = is_write, .began = began};
    struct parked *p = fd < 0 || fd >= DESCRIPTORS ? NULL : &parked[fd][is_write];

    io_wait_mine.fd = 0;
    if (fd < 0 || mine.fd != fd + 1 || mine.is_write != is_write || !mine.has_waited) {
        mine = alone;
        if (p != NULL && READ(p->began) != 0) {
            uint32_t key = READ(p->key);
            int64_t before = take(p);

            if (key == wait_key_of(env)) { /* else of a descriptor that has been closed */
                mine.began = before;
                mine.has_waited = true;
            }
        }
    }
    return mine.began > READ(since) && mine.began < began ? mine : alone;
}

void io_wait_for(int fd, const struct io_wait *part, int64_t now)
{
    if (fd < 0)
        return;
    io_wait_mine = *part;
    io_wait_mine.fd = fd + 1;
    io_wait_mine.has_waited = false;
    io_wait_mine.tried = now;
}

/* The number from low to high with the most zeros at its end; the highest of several. */
static int64_t roundest(int64_t low, int64_t high)
{
    int64_t unit = 1;

    while (unit <= high / 10 && high / (unit * 10) * (unit * 10) >= low)
        unit *= 10;
    return high / unit * unit;
}

/*
 * The JDK reads a clock, calls the native method (at began), reads the clock again after it found
 * nothing (after tried, before now) and polls for what is left, rounded up to milliseconds. Another
 * process may have had the processor between any two of these steps, so the time that the JDK
 * subtracted lies between the two sums below.
 */
void io_wait_polls(int fd, int64_t timeout_ms, int64_t now)
{
    const struct io_wait *mine = &io_wait_mine;
    int64_t low, high;

    if (mine->fd != fd + 1 || mine->timeout_ms != 0 || timeout_ms <= 0)
        return;
    low = timeout_ms + (mine->tried - mine->began) / NS_PER_MS;
    high = timeout_ms + (now + BEFORE_NS - mine->began) / NS_PER_MS;
    io_wait_mine.timeout_ms =
        low < INT32_MAX ? (int32_t)roundest(low, high < INT32_MAX ? high : INT32_MAX) : INT32_MAX;
}

void io_wait_polled(int fd, int done, bool is_over)
{
    if (io_wait_mine.fd != fd + 1)
        return;
    io_wait_mine.has_waited = true;
    io_wait_mine.is_over = is_over;
    if (done < 0)
        io_wait_mine.fd = 0;
}

void io_wait_park(JNIEnv *env, int poller, int fd)
{
    struct parked *p;
    uint32_t key;

    if (fd < 0 || fd >= DESCRIPTORS || io_wait_mine.fd != fd + 1 || (key = wait_key_of(env)) == 0)
        return;
    p = &parked[fd][io_wait_mine.is_write];
    WRITE(p->key, key);
    WRITE(p->poller, poller);
    if (atomic_exchange_explicit(&p->began, io_wait_mine.began, memory_order_release) == 0)
        atomic_fetch_add_explicit(&io_wait_parked, 1, memory_order_relaxed);
    io_wait_mine.fd = 0;
}

void io_wait_unpark(int poller, int fd)
{
    if (READ(io_wait_parked) == 0 || fd < 0 || fd >= DESCRIPTORS)
        return;
    for (int i = 0; i < 2; i++)
        if (READ(parked[fd][i].began) != 0 && READ(parked[fd][i].poller) == poller)
            take(&parked[fd][i]);
}
