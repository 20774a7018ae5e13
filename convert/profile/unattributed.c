/* Threads of the JVM by their names, and idle threads by the methods in which pools wait. */
#include "convert/profile/unattributed.h"

#include <string.h>

enum {
    FRAMES = 16 /* from the top, in which the method is that waits */
};

/* What a thread's name begins with. Names of the system are cut, so these are at most 15 bytes. */
static const struct {
    const char *name;
    enum unattributed what;
} threads[] = {
    {"C1 CompilerThre", UNATTRIBUTED_JIT},
    {"C2 CompilerThre", UNATTRIBUTED_JIT},
    {"JVMCI", UNATTRIBUTED_JIT},
    {"Sweeper thread", UNATTRIBUTED_JIT},
    {"GC Thread#", UNATTRIBUTED_GC},
    {"G1 ", UNATTRIBUTED_GC},
    {"ParGC Thread#", UNATTRIBUTED_GC},
    {"Gang worker#", UNATTRIBUTED_GC},
    {"CMS ", UNATTRIBUTED_GC},
    {"Concurrent Mark", UNATTRIBUTED_GC},
    {"Shenandoah", UNATTRIBUTED_GC},
    {"ZDirector", UNATTRIBUTED_GC},
    {"ZDriver", UNATTRIBUTED_GC},
    {"ZWorker", UNATTRIBUTED_GC},
    {"ZStat", UNATTRIBUTED_GC},
    {"ZUncommitter", UNATTRIBUTED_GC},
    {"ZUnmapper", UNATTRIBUTED_GC},
    {"XDirector", UNATTRIBUTED_GC},
    {"XDriver", UNATTRIBUTED_GC},
    {"XWorker", UNATTRIBUTED_GC},
    {"XStat", UNATTRIBUTED_GC},
    {"XUncommitter", UNATTRIBUTED_GC},
    {"XUnmapper", UNATTRIBUTED_GC},
    {"VM Thread", UNATTRIBUTED_JVM},
    {"VM Periodic Tas", UNATTRIBUTED_JVM},
    {"Signal Dispatch", UNATTRIBUTED_JVM},
    {"Service Thread", UNATTRIBUTED_JVM},
    {"Monitor Deflati", UNATTRIBUTED_JVM},
    {"Notification Th", UNATTRIBUTED_JVM},
    {"Attach Listener", UNATTRIBUTED_JVM},
    {"Reference Handl", UNATTRIBUTED_JVM},
    {"Finalizer", UNATTRIBUTED_JVM},
    {"Common-Cleaner", UNATTRIBUTED_JVM},
    {"JFR ", UNATTRIBUTED_JVM},
    {"jfrkit", UNATTRIBUTED_JVM},
    {"async-profiler", UNATTRIBUTED_JVM},
};

/* Methods in which workers wait for work, and their classes. */
static const struct {
    const char *cls, *method;
} idle[] = {
    {"java/util/concurrent/ThreadPoolExecutor", "getTask"},
    {"java/util/concurrent/ForkJoinPool", "awaitWork"},
    {"java/util/TimerThread", "mainLoop"},
    {"java/lang/ref/ReferenceQueue", "remove"},
    {"sun/nio/ch/SelectorImpl", "lockAndDoSelect"},
    {"org/apache/tomcat/util/threads/ThreadPoolExecutor", "getTask"},
    {"org/eclipse/jetty/util/thread/QueuedThreadPool", "idleJobPoll"},
    {"org/eclipse/jetty/util/thread/QueuedThreadPool$Runner", "idleJobPoll"},
    {"io/netty/channel/epoll/EpollEventLoop", "epollWait"},
    {"io/netty/channel/nio/NioEventLoop", "select"},
};

enum unattributed unattributed_thread(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        size_t len = strlen(threads[i].name);

        if (n >= len && memcmp(name, threads[i].name, len) == 0)
            return threads[i].what;
    }
    return UNATTRIBUTED;
}

enum unattributed unattributed_name(struct buf *memo, const struct intern *names, uint32_t name)
{
    size_t n;
    const char *text;

    if (!buf_fill(memo, name + (size_t)1))
        return UNATTRIBUTED;
    if (memo->p[name] == 0) {
        text = intern_get(names, name, &n);
        memo->p[name] = (uint8_t)(1 + unattributed_thread(text, n));
    }
    return memo->p[name] - 1U;
}

static bool has_idle_frame(const struct jfr_stacks *st, size_t index)
{
    struct jfr_frames it;
    struct jfr_frame frame;

    if (jfr_stacks_open(st, index, &it) < 0)
        return false;
    for (int n = 0; n < FRAMES && jfr_frames_next(&it, &frame); n++) {
        struct jfr_method m;

        if (!jfr_method_get(st, frame.method_key, &m))
            continue;
        for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
            if (jfr_str_equals(m.name, idle[i].method) && jfr_str_equals(m.class_name, idle[i].cls))
                return true;
    }
    return false;
}

bool unattributed_is_idle(struct unattributed_stacks *s, struct jfr_chunk *chunk,
                          const struct jfr_field *field, uint64_t key)
{
    int64_t i;

    if (s->memo == NULL) {
        if (jfr_stacks_init(&s->st, chunk, field) != 0)
            return false;
        s->memo = arena_alloc(jfr_chunk_arena(chunk), jfr_pool_n(s->st.traces) + 1);
    }
    i = jfr_pool_find(s->st.traces, key);
    if (i < 0 || s->memo == NULL)
        return false;
    if (s->memo[i] == 0)
        s->memo[i] = 1 + has_idle_frame(&s->st, (size_t)i);
    return s->memo[i] == 2;
}

void unattributed_put(struct buf *b, enum unattributed what, const char *key)
{
    static const char *const texts[N_UNATTRIBUTED] = {
        [UNATTRIBUTED_JIT] = "(JVM: JIT)",
        [UNATTRIBUTED_GC] = "(JVM: GC)",
        [UNATTRIBUTED_JVM] = "(JVM: other)",
        [UNATTRIBUTED_IDLE] = "(idle pool threads)",
    };

    if (texts[what] != NULL)
        buf_str(b, texts[what]);
    else
        buf_printf(b, "(no %s)", key);
}
