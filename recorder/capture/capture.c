/*
 * capture.c - makes records: fills in thread, context and stack, and puts them into a ring.
 *
 * Signal handlers (signals.c) and hooks (emit.c) call capture() on the thread that the event
 * happens on, between capture_enter() and capture_leave(). Everything from "ASYNC-SIGNAL-SAFE from
 * here on" to "The drain thread's" may run in a signal handler, so it takes no lock and allocates
 * nothing: it uses buffers and rings that capture_open() has allocated. The drain thread reads the
 * rings with the functions at the end. Nothing here writes to the file.
 */
#include "recorder/capture/capture.h"

#include "recorder/base/pages.h"
#include "recorder/base/vm_crash.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/virtual_names.h"
#include "recorder/capture/wake.h"

#include <string.h>
#include <time.h>

#define BUFFERS 64 /* walks at a time */
#define STOP_MS 500
#define LOOK_WAITS_MAX 100 /* of a tenth of a millisecond */
/* A method has no name any more once its class is unloaded. */
#define URGENT_NS INT64_C(100000000)

struct hist capture_times;
bool (*_Atomic capture_context)(uint32_t out[RECORD_CONTEXT]);
uint64_t (*_Atomic capture_virtual)(uint32_t *number);

static struct ring rings[CAPTURE_RINGS];
static size_t ring_bytes;
static struct frame (*buffers)[RECORD_FRAMES_MAX];
static _Atomic bool is_taken[BUFFERS];
enum {
    OFF,
    ENDING, /* only ends are recorded */
    ON
};

static const struct walker *active_walker;
static int max_depth;
static _Atomic int state;
static _Atomic int n_inside;
static _Atomic bool is_urgent;

/* A record that was begun is drained, counted as lost, or still unfinished when its recording ends.
 * To count the unfinished ones, each recording has a number, which its records carry, and a
 * balance: the sum of the weights that were begun and not lost. At the end, the balance minus what
 * was drained is what was unfinished. */
#define RECORDINGS 16
#define RECORDING_SHIFT 4
/* The balance of a recording that has ended. Threads that finish late still add to it and subtract
 * from it; the value is far enough from 0 and from the maximum for that. */
#define BALANCE_CLOSED (UINT64_C(3) << 62)
static _Atomic uint32_t recording_number;
static _Atomic uint64_t begun[RECORDINGS];
static uint64_t taken; /* weights of drained records; of the drain thread */

static bool has_threads_inside(void)
{
    struct timespec ms = {0, 1000000};

    for (int i = 0; i < STOP_MS; i++) {
        if (atomic_load_explicit(&n_inside, memory_order_seq_cst) == 0)
            return false;
        nanosleep(&ms, NULL);
    }
    return true;
}

int capture_open(size_t bytes)
{
    size_t each = 1 << 16;
    uint8_t *memory;

    while (each * CAPTURE_RINGS < bytes)
        each *= 2;
    if (buffers == NULL)
        buffers = pages_take(BUFFERS * sizeof(*buffers));
    if (buffers == NULL || each == ring_bytes || (ring_bytes > 0 && has_threads_inside()))
        return buffers == NULL ? -1 : 0;
    memory = pages_take(each * CAPTURE_RINGS); /* resident as far as it is used */
    if (memory == NULL)
        return -1;
    if (ring_bytes > 0)
        pages_give(rings[0].bytes, ring_bytes * CAPTURE_RINGS);
    ring_bytes = each;
    for (int i = 0; i < CAPTURE_RINGS; i++)
        ring_init(&rings[i], memory + (size_t)i * each, each);
    return 0;
}

void capture_start(const struct walker *walker, int depth)
{
    active_walker = walker;
    max_depth = depth < RECORD_FRAMES_MAX ? depth : RECORD_FRAMES_MAX;
    recording_number = (recording_number + 1) % RECORDINGS;
    begun[recording_number] = 0;
    taken = 0;
    atomic_store_explicit(&state, ON, memory_order_seq_cst);
}

/* Both sides use sequentially consistent stores before their loads: a thread that enters later sees
 * the new state and leaves, a thread that entered earlier is in n_inside and is waited for. */
static bool change_state(int to)
{
    atomic_store_explicit(&state, to, memory_order_seq_cst);
    return !has_threads_inside();
}

bool capture_end(void)
{
    return change_state(ENDING);
}

bool capture_stop(void)
{
    return change_state(OFF);
}

static uint32_t recording_of(const struct record *rec)
{
    return (uint32_t)rec->flags >> RECORDING_SHIFT;
}

void capture_close(void)
{
    /* A thread that drops a record after this finds the balance closed, and does not count it
     * again. */
    uint64_t all =
        atomic_exchange_explicit(&begun[recording_number], BALANCE_CLOSED, memory_order_relaxed);

    lost_record(LOST_LATE, all - taken, (all - taken) * sizeof(struct record));
}

/* ASYNC-SIGNAL-SAFE from here on */

bool capture_is_on(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed) == ON;
}

static bool enter_capture(int lowest)
{
    atomic_fetch_add_explicit(&n_inside, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&state, memory_order_seq_cst) >= lowest)
        return true;
    capture_leave();
    return false;
}

bool capture_enter(void)
{
    return enter_capture(ON);
}

bool capture_enter_end(void)
{
    return enter_capture(ENDING);
}

void capture_leave(void)
{
    atomic_fetch_sub_explicit(&n_inside, 1, memory_order_seq_cst);
}

/* Takes the first free one, since the first ones are most likely in the cache. */
static int take_buffer(void)
{
    for (uint32_t b = 0; b < BUFFERS; b++) {
        if (!atomic_load_explicit(&is_taken[b], memory_order_relaxed) &&
            !atomic_exchange_explicit(&is_taken[b], true, memory_order_acquire))
            return (int)b;
    }
    return -1;
}

static void give_back(int b)
{
    atomic_store_explicit(&is_taken[b], false, memory_order_release);
}

/* The drain thread is woken early enough to drain the ring before it is full. */
static bool is_filling(const struct ring *r)
{
    return ring_used(r) > r->size / 4;
}

/* Reserves room in the thread's ring, or in one of the next two if that one is full. */
static struct record *reserve(uint32_t thread, size_t n)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct ring *r = &rings[(thread + i) % CAPTURE_RINGS];
        struct record *rec = ring_reserve(r, n);

        if (is_filling(r))
            wake();
        if (rec != NULL)
            return rec;
    }
    return NULL;
}

static bool read_current_context(uint32_t ids[RECORD_CONTEXT])
{
    bool (*read)(uint32_t *) = atomic_load_explicit(&capture_context, memory_order_acquire);

    return read != NULL && read(ids);
}

/* Returns the virtual thread that the calling thread runs, and stores its name (virtual_names.h).
 */
static uint64_t mounted(void)
{
    uintptr_t object;
    uint64_t id = active_walker == NULL || active_walker->virtual_thread == NULL
                      ? 0
                      : active_walker->virtual_thread(&object);

    if (id != 0)
        virtual_names_read(active_walker, id, object);
    return id;
}

/* Events of a carrier thread belong to the virtual thread that it runs. A virtual thread that has a
 * context is also found by its context, which works where the walker cannot find it. */
static void name_virtual(const struct capture *c, struct record *head)
{
    uint64_t (*ask)(uint32_t *) = atomic_load_explicit(&capture_virtual, memory_order_acquire);
    uint32_t number = 0;
    uint64_t with_context = ask == NULL ? 0 : ask(&number);

    if (head->thread_key == 0)
        head->thread_key = c->ucontext != NULL && with_context != 0 ? with_context : mounted();
    if (head->thread_key != 0 && head->thread_key == with_context)
        head->context = number;
}

static void fill_record(struct record *rec, const struct record *head, const struct capture *c,
                        const uint32_t *ids, const struct frame *frames)
{
    uint8_t *data;

    memcpy(&rec->engine, &head->engine, sizeof(*head) - offsetof(struct record, engine));
    if (ids != NULL)
        memcpy(record_context(rec), ids, RECORD_CONTEXT * sizeof(*ids));
    data = record_data(rec);
    if (c->head.n_data > 0)
        memcpy(data, c->data, c->head.n_data);
    if (c->n_text > 0)
        memcpy(data + c->head.n_data, c->text, c->n_text);
    if ((rec->flags & RECORD_COPY) != 0)
        active_walker->copy(c->ucontext, record_frames(rec), rec->n_frames * sizeof(*frames));
    else if (rec->n_frames > 0)
        memcpy(record_frames(rec), frames, rec->n_frames * sizeof(*frames));
}

static void begin(struct record *head)
{
    uint32_t number = atomic_load_explicit(&recording_number, memory_order_relaxed);

    head->flags = (uint8_t)((head->flags & ~RECORD_NUMBER) | number << RECORDING_SHIFT);
    atomic_fetch_add_explicit(&begun[number], head->weight, memory_order_relaxed);
}

static bool lose(const struct record *head, enum lost_reason reason, uint64_t bytes)
{
    uint64_t before =
        atomic_fetch_sub_explicit(&begun[recording_of(head)], head->weight, memory_order_relaxed);

    if (before >> 63 == 0 && head->weight > 0)
        lost_record(reason, head->weight, bytes);
    return false;
}

static bool is_lasting(const struct record *head)
{
    return (head->flags & RECORD_HAS_STACK) == 0 ||
           (active_walker->is_lasting && (head->flags & RECORD_JMETHODS) == 0);
}

static bool store_record(const struct capture *c, struct record *head, const struct frame *frames)
{
    uint32_t own[RECORD_CONTEXT];
    const uint32_t *ids = c->is_other ? c->context : read_current_context(own) ? own : NULL;
    struct record *rec;
    size_t n;

    if (ids != NULL)
        head->flags |= RECORD_HAS_CONTEXT;
    if (!c->is_other)
        name_virtual(c, head);
    head->n_data = (uint16_t)(c->head.n_data + c->n_text);
    n = record_size(head);
    rec = reserve(head->thread, n);
    if (rec == NULL)
        return lose(head, LOST_FULL, n);
    fill_record(rec, head, c, ids, frames);
    ring_commit(rec, n);
    if (!is_lasting(head) && !atomic_load_explicit(&is_urgent, memory_order_relaxed) &&
        !atomic_exchange(&is_urgent, true))
        wake();
    return true;
}

/* The number of frames to leave out at the top, if there are so many. */
static int skip_frames(int skip, int n)
{
    return skip < n ? skip : n;
}

/* The number of frames between a callback of ours and the newest Java frame. They belong to the VM
 * and say nothing about the program. */
static int runtime_frames(const struct frame *frames, int n)
{
    int i = 0;

    while (i < n && (frames[i].kind == FRAME_STUB || frames[i].kind == FRAME_C ||
                     frames[i].kind == FRAME_VM))
        i++;
    return i;
}

/* The kernel's frames stand above the thread's own. */
static int put_kernel(const struct capture *c, struct frame *frames)
{
    int n = c->n_kernel < max_depth - 1 ? c->n_kernel : max_depth - 1;

    for (int i = 0; i < n; i++)
        frames[i] = (struct frame){.pc = c->kernel[i], .bci = -1, .kind = FRAME_KERNEL};
    return n;
}

/*
 * A signal may come while the thread walks its stack for a callback, most often that of an
 * allocation sample. Walkers are not re-entrant, and to drop the sample would take CPU time from
 * the threads that allocate most. So the handler leaves a note, and the interrupted walk, which has
 * the frames of the same stack, makes the record from them:
 *
 *     callback: busy = 1 ── walk ─────────────────── store ── jfrkit_sampler ── busy = 0
 *     signal:                └ owe: weight, kind, time ┘
 *
 * A frame of jfrkit_sampler() stands above the Java frames and names the sampler.
 */
static bool owe(struct thread *t, const struct capture *c, const struct record *head)
{
    const struct record *first = &t->owed_head;
    bool ok = c->ucontext != NULL && c->head.n_data + c->n_text == 0;

    if (!ok || atomic_exchange_explicit(&t->is_owing, true, memory_order_acquire))
        return false;
    if (atomic_load_explicit(&t->owed, memory_order_acquire) == 0)
        t->owed_head = *head;
    else
        ok = first->engine == head->engine && first->kind == head->kind &&
             first->flags == head->flags;
    if (ok)
        atomic_fetch_add_explicit(&t->owed, head->weight, memory_order_release);
    atomic_store_explicit(&t->is_owing, false, memory_order_release);
    return ok;
}

/* Moves what the note holds to *head. Returns false if it is empty. A handler that runs in between
 * adds to it. */
static bool take_owed(struct thread *t, struct record *head)
{
    if (atomic_load_explicit(&t->owed, memory_order_acquire) == 0)
        return false;
    *head = t->owed_head;
    head->weight = atomic_exchange_explicit(&t->owed, 0, memory_order_acq_rel);
    return head->weight > 0;
}

/* Stores what the note holds, with the n frames of the walk that was just stored. has_room: that
 * walk left out frames in front of these, so there is room for one more. */
static void jfrkit_sampler(struct thread *t, const struct record *walked, struct frame *frames,
                           int n, bool has_room)
{
    struct record head;

    while (take_owed(t, &head)) {
        if (has_room)
            frames[-1] =
                (struct frame){.pc = (uintptr_t)jfrkit_sampler, .bci = -1, .kind = FRAME_C};
        head.n_frames = (uint32_t)(n + has_room);
        head.reason = walked->reason;
        head.flags |= RECORD_HAS_STACK;
        store_record(&(struct capture){.head = head}, &head, frames - has_room);
    }
}

static bool walk_and_store(struct thread *t, const struct capture *c, struct record *head)
{
    enum walk_reason reason = WALK_END;
    int b = take_buffer(), n, skip, above;
    bool ok;

    if (b < 0)
        return lose(head, LOST_NO_BUFFER, sizeof(*head));
    above = put_kernel(c, buffers[b]);
    n = above + active_walker->walk(c->ucontext, buffers[b] + above, max_depth - above, &reason);
    skip = c->ucontext == NULL ? runtime_frames(buffers[b], n) : 0;
    skip += skip_frames(c->skip, n - skip);
    head->n_frames = (uint32_t)(n - skip);
    head->reason = (uint8_t)reason;
    head->flags |= RECORD_HAS_STACK;
    ok = store_record(c, head, buffers[b] + skip);
    jfrkit_sampler(t, head, buffers[b] + skip, n - skip, skip > 0);
    give_back(b);
    return ok;
}

/* Copies the stack into the ring. A copy has at most a quarter of the ring, so that several fit. */
static bool copy_and_store(const struct capture *c, struct record *head, size_t n)
{
    n = n < ring_bytes / 4 ? n : ring_bytes / 4;
    head->n_frames = (uint32_t)((n + sizeof(struct frame) - 1) / sizeof(struct frame));
    head->flags |= RECORD_HAS_STACK | RECORD_COPY;
    return store_record(c, head, NULL);
}

/* A copy has no place for the kernel's frames. */
static bool stack_and_store(struct thread *t, const struct capture *c, struct record *head)
{
    size_t n = 0;

    if (c->ucontext != NULL && c->n_kernel == 0 && active_walker->copy_size != NULL)
        n = active_walker->copy_size(c->ucontext);
    return n > 0 ? copy_and_store(c, head, n) : walk_and_store(t, c, head);
}

/* Spans that are reported only if something was recorded in them need the time of the last event.
 */
static void note_recorded(struct thread *t, const struct record *head)
{
    atomic_store_explicit(&t->recorded, head->ticks + head->duration, memory_order_relaxed);
}

/* Once the VM has begun to write its crash report, nothing is recorded, and the drain thread is
 * woken to write what is in the rings. */
static bool is_vm_crashing(void)
{
    if (!vm_crash_has_begun())
        return false;
    if (atomic_exchange(&state, OFF) != OFF)
        wake();
    return true;
}

bool capture(struct thread *t, const struct capture *c)
{
    struct record head = c->head;
    bool ok;

    if (c->with_stack && is_vm_crashing())
        return false;
    head.thread = threads_index(t);
    head.generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
    if (c->head.n_data + c->n_text > RECORD_DATA_MAX) {
        lost_record(LOST_TOO_LARGE, c->head.weight, c->head.n_data + c->n_text);
        return false;
    }
    begin(&head);
    if (!c->is_aside)
        note_recorded(t, &head);
    if (!c->with_stack)
        return store_record(c, &head, NULL);
    if (atomic_exchange_explicit(&t->busy, 1, memory_order_acquire) != 0)
        return owe(t, c, &head) || lose(&head, LOST_BUSY, sizeof(head));
    ok = stack_and_store(t, c, &head);
    atomic_store_explicit(&t->busy, 0, memory_order_release);
    if (take_owed(t, &head)) /* noted after the frames were given back, or while a copy was made */
        lose(&head, LOST_BUSY, sizeof(head));
    return ok;
}

bool capture_other(struct thread *t, const struct record *head, const struct frame *frames,
                   const uint32_t *context)
{
    struct capture c = {.head = *head, .is_other = true, .context = context};
    struct record filled = *head;

    filled.thread = threads_index(t);
    filled.generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
    begin(&filled);
    note_recorded(t, head);
    return store_record(&c, &filled, frames);
}

/* --- for the drain thread --- */

int64_t capture_patience(void)
{
    for (int i = 0; i < CAPTURE_RINGS; i++)
        if (is_filling(&rings[i]))
            return 0;
    return atomic_load(&is_urgent) ? URGENT_NS : INT64_MAX;
}

void capture_begin_drain(void)
{
    atomic_store(&is_urgent, false);
}

/* Skips records of earlier recordings: capture_close() has counted them as lost. */
const struct record *capture_peek(int ring)
{
    uint32_t number = atomic_load_explicit(&recording_number, memory_order_relaxed);
    struct record *rec;

    while ((rec = ring_peek(&rings[ring])) != NULL && recording_of(rec) != number)
        ring_release(&rings[ring], rec);
    return rec;
}

const struct frame *capture_frames(const struct record *rec, uint32_t *n, enum walk_reason *reason)
{
    static struct frame walked[RECORD_FRAMES_MAX];

    *n = rec->n_frames;
    *reason = (enum walk_reason)rec->reason;
    if ((rec->flags & RECORD_COPY) == 0)
        return record_frames(rec);
    *n = (uint32_t)active_walker->walk_copy(record_frames(rec), walked, max_depth, reason);
    return walked;
}

void capture_release(int ring, const struct record *rec)
{
    taken += rec->weight;
    ring_release(&rings[ring], (void *)(uintptr_t)rec);
}

static uint64_t marks[CAPTURE_RINGS];

void capture_mark(void)
{
    for (int i = 0; i < CAPTURE_RINGS; i++)
        marks[i] = ring_next(&rings[i]);
}

const struct record *capture_peek_marked(int ring)
{
    const struct record *rec = capture_peek(ring);

    return rec != NULL && ring_oldest(&rings[ring]) < marks[ring] ? rec : NULL;
}

static void look(const struct ring *r, void (*f)(struct record *rec, void *arg), void *arg)
{
    uint32_t number = atomic_load_explicit(&recording_number, memory_order_relaxed);
    uint64_t at = ring_oldest(r), end = ring_next(r);

    for (int tries = 0; at < end && tries < LOOK_WAITS_MAX;) {
        struct record *rec = ring_look(r, &at, end);

        if (rec != NULL && recording_of(rec) == number) {
            f(rec, arg);
        } else if (rec == NULL && at < end) {
            nanosleep(&(struct timespec){0, 100000}, NULL);
            tries++;
        }
    }
}

void capture_look(void (*f)(struct record *rec, void *arg), void *arg)
{
    for (int i = 0; i < CAPTURE_RINGS; i++)
        look(&rings[i], f, arg);
}
