/*
 * notes.c - the reasons for slow scopes in words, and what a recording lacks that would show more.
 *
 * In: the result of the comparison. Text, page and JSON use the same words.
 */
#include "convert/slow/write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LONG_THRESHOLD_NS 10000000

double slow_confidence(const struct slow_reason *r)
{
    return r->error_ns > 0 ? erf(r->ns / r->error_ns / sqrt(2)) : 1;
}

static void append_word(struct buf *b, const char *before, const char *text)
{
    if (*text == '\0')
        return;
    buf_bytes(b, before, strlen(before));
    buf_bytes(b, text, strlen(text));
}

void slow_put_reason(struct buf *b, const struct slow_reason *r)
{
    static const char *const words[SLOW_PARTS] = {
        [SLOW_RUNNING] = "running",
        [SLOW_RUNNABLE] = "waiting for a processor",
        [SLOW_LOCK] = "lock",
        [SLOW_IO] = "I/O",
        [SLOW_PARKED] = "waiting for another thread",
        [SLOW_ASLEEP] = "asleep",
        [SLOW_GC] = "GC pause",
        [SLOW_SAFEPOINT] = "pause of the VM",
        [SLOW_UNKNOWN] = "unknown: not seen running, and no event says why"};

    if (r->part == SLOW_PARTS) {
        append_word(b, "", r->what);
        return;
    }
    append_word(b, "", words[r->part]);
    append_word(b, r->part == SLOW_LOCK || r->part == SLOW_IO ? " " : ": ", r->what);
    append_word(b, ", held by ", r->holder);
    append_word(b, r->part == SLOW_RUNNING ? ": " : ", in ", r->where);
}

bool slow_note(const struct slow *s, size_t i, char *text, size_t room)
{
    const struct slow_facts f = slow_facts(s);
    const struct {
        bool holds;
        const char *text;
    } notes[] = {
        {!f.has_cpu && !f.has_wall,
         "no samples in these scopes: what is in no event is unknown. Record with --cpu 10ms "
         "--wall 10ms"},
        {f.has_cpu && !f.has_wall,
         "no wall-clock samples: waiting for a processor and short waits are unknown. Record with "
         "--wall 10ms"},
        {f.has_wall && !f.has_cpu,
         "no CPU samples: \"running\" may be waiting for a processor. Record with --cpu 10ms"},
        {f.lock_threshold_ns >= LONG_THRESHOLD_NS,
         "short waits for locks were not recorded. Record with -s "
         "'jdk.JavaMonitorEnter#threshold=1ms'"},
        {f.io_threshold_ns >= LONG_THRESHOLD_NS,
         "short reads and writes were not recorded. Record with -s 'jdk.FileRead#threshold=1ms' "
         "-s 'jdk.SocketRead#threshold=1ms'"},
        {f.has_too_many_pauses,
         "a chunk has more pauses than are looked into; those of some scopes are unknown"},
        {f.leaves_out_unused,
         "scopes in which nothing was recorded are missing, so quick ones are too few. Record "
         "with emit=always"},
    };

    for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++)
        if (notes[k].holds && i-- == 0) {
            snprintf(text, room, "%s", notes[k].text);
            return true;
        }
    if (f.n_unlinked_tasks == 0 || i > 0)
        return false;
    snprintf(text, room,
             "%" PRIu64 " of %" PRIu64
             " tasks on other threads belong to no known scope, or to one of several",
             f.n_unlinked_tasks, f.n_tasks);
    return true;
}
