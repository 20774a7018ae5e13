/*
 * hooks.c - replaces native methods of the JDK that read and write: each hook reads the clock,
 * calls the original, reads the clock again, and makes a record if the call was long enough.
 *
 * Hooks run on threads of the program. They keep a pending exception of the original, and cost some
 * ten nanoseconds if nothing is recorded.
 */
#include "recorder/io/hooks.h"

#include "recorder/capture/emit.h"
#include "recorder/io/caller.h"
#include "recorder/io/names.h"
#include "recorder/io/target.h"
#include "recorder/io/wait.h"
#include "recorder/base/native_hook.h"
#include "recorder/capture/near_clock.h"
#include "recorder/events/objects.h"
#include "recorder/base/throttle.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#define NS_PER_MS 1000000
#define UNAVAILABLE (-2) /* result of the natives of channels: nothing to read yet */
#define THROWN (-5) /* and: an exception is pending */
#define STREAM "java/io/FileInputStream"
#define OUTPUT "java/io/FileOutputStream"
#define RANDOM "java/io/RandomAccessFile"
#define CHANNEL "sun/nio/ch/FileDispatcherImpl"
#define UNIX_CHANNEL "sun/nio/ch/UnixFileDispatcherImpl"
#define SOCKET "sun/nio/ch/SocketDispatcher"
#define NET_INPUT "java/net/SocketInputStream" /* up to JDK 12 */
#define NET_OUTPUT "java/net/SocketOutputStream"
#define NET "sun/nio/ch/Net"
#define EPOLL "sun/nio/ch/EPoll"
#define DESCRIPTOR "Ljava/io/FileDescriptor;"

/* Natives that serve files and sockets: those of channels up to JDK 20. */
enum {
    EITHER_READ = IO_N_KINDS,
    EITHER_WRITE,
    N_THRESHOLDS
};

static _Atomic int64_t thresholds[N_THRESHOLDS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                                                   INT64_MAX, INT64_MAX, INT64_MAX};
static struct throttle throttles[IO_N_KINDS];
static jvmtiEnv *jvmti;
static jfieldID field_fd; /* FileDescriptor.fd */
static struct {
    jfieldID path;
} stream, output, random_access;

/* Returns the time, or 0 if calls of this kind are not recorded. */
static inline int64_t begin(int kind)
{
    if (atomic_load_explicit(&thresholds[kind], memory_order_relaxed) == INT64_MAX ||
        !emit_wanted())
        return 0;
    return near_clock_now();
}

static bool is_long_enough(int kind, int64_t began, int64_t *took)
{
    *took = near_clock_now() - began;
    if (*took < 0)
        *took = 0;
    return *took >= atomic_load_explicit(&thresholds[kind], memory_order_relaxed);
}

static void emit_io(JNIEnv *env, int kind, int64_t began, int64_t took, const struct io_call *call,
                    const char *text, size_t n)
{
    jthread thread = NULL;
    uint64_t key;

    if (!throttle_take(&throttles[kind], began + took) ||
        (*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE)
        return;
    key = objects_virtual_key(env, thread);
    (*env)->DeleteLocalRef(env, thread);
    if (key != 0 && call->is_vain)
        return; /* most likely it waits */
    emit(&(struct emit){
        .engine = &engine_io,
        .kind = (uint8_t)kind,
        .with_stack = true,
        .skip = 1, /* the native method, which stacks of the JDK's recorder do not have */
        .ticks = began,
        .duration = took,
        .data = call,
        .n_data = sizeof(*call),
        .text = text,
        .n_text = call->has_text ? n : 0,
        .thread_key = key});
}

/* Clears a pending exception and returns it, since JNI functions must not be called while one is
 * pending. The caller throws it again. */
static jthrowable put_aside(JNIEnv *env)
{
    jthrowable thrown = NULL;

    if ((*env)->ExceptionCheck(env)) {
        thrown = (*env)->ExceptionOccurred(env);
        (*env)->ExceptionClear(env);
    }
    return thrown;
}

static void throw_again(JNIEnv *env, jthrowable thrown)
{
    if (thrown != NULL)
        (*env)->Throw(env, thrown);
    (*env)->DeleteLocalRef(env, thrown);
}

static int kind_of_call(int kind, bool is_socket)
{
    if (kind == EITHER_READ || kind == IO_FILE_READ)
        return is_socket ? IO_SOCKET_READ : IO_FILE_READ;
    if (kind == EITHER_WRITE || kind == IO_FILE_WRITE)
        return is_socket ? IO_SOCKET_WRITE : IO_FILE_WRITE;
    return kind;
}

/* Puts peer and name into text. Returns their length. */
static size_t copy_peer(int fd, const struct stat *st, char *text, struct io_call *call)
{
    size_t n = io_peer(fd, text, &call->port), n_host;

    if (n == 0)
        return 0;
    n_host = io_names_get(fd, st, text + n);
    call->n_host = n_host <= UINT8_MAX ? (uint8_t)n_host : 0;
    return n + call->n_host;
}

/* Makes a record if the descriptor is a file or socket and the call took long enough. */
static void report_fd(JNIEnv *env, int kind, int fd, int64_t began, struct io_call *call)
{
    char text[2 * IO_TARGET_MAX];
    struct stat st = {.st_mode = 0};
    int64_t took;
    size_t n;

    if (!is_long_enough(kind, began, &took))
        return;
    fstat(fd, &st); /* a closed one is neither file nor socket */
    kind = kind_of_call(kind, S_ISSOCK(st.st_mode));
    if (!is_long_enough(kind, began, &took))
        return;
    if (kind >= IO_SOCKET_READ)
        n = copy_peer(fd, &st, text, call);
    else if ((n = io_names_get(fd, &st, text)) == 0)
        n = io_path(fd, text);
    if (n == 0 && kind >= IO_SOCKET_READ && S_ISFIFO(st.st_mode))
        return;
    call->has_text = n > 0;
    emit_io(env, kind, began, took, call, text, n);
}

/* Is it an event that a call found nothing, or failed? */
static bool is_vain_recorded(int fd, int64_t n, bool has_failed, const struct io_wait *part)
{
    if (n == UNAVAILABLE)
        return part->is_over ? io_caller_is_old() : !part->has_waited;
    return n >= -1 || (has_failed && (io_caller_is_old() || !io_is_socket(fd)));
}

/* Ends a call that used a descriptor. n: bytes, -1 at the end of the data, or less. timeout_ms: the
 * limit that the call has itself, or 0. */
static void end_fd(JNIEnv *env, int kind, jobject descriptor, int64_t began, int64_t n,
                   bool is_meta, jint timeout_ms)
{
    struct io_call call = {.bytes = n > 0 ? n : 0, .is_end = is_meta || n == -1};
    bool is_write = kind == IO_FILE_WRITE || kind == IO_SOCKET_WRITE || kind == EITHER_WRITE;
    struct io_wait part;
    jthrowable thrown;
    int64_t took;
    int fd;

    if (n >= -1 && !io_wait_any() && !is_long_enough(kind, began, &took))
        return; /* most calls, which need not know their descriptor */
    thrown = put_aside(env);
    fd = descriptor == NULL ? -1 : (*env)->GetIntField(env, descriptor, field_fd);
    part = io_wait_end(env, fd, is_write, began);
    call.timeout_ms = timeout_ms != 0 ? timeout_ms : part.timeout_ms;
    call.is_vain = n == UNAVAILABLE && !part.is_over;
    if (call.is_vain)
        io_wait_for(fd, &part, near_clock_now());
    if (is_vain_recorded(fd, n, thrown != NULL, &part))
        report_fd(env, kind, fd, part.began, &call);
    throw_again(env, thrown);
}

/* The same for a stream, which has its path as the program wrote it. */
static void end_stream(JNIEnv *env, int kind, jobject object, jfieldID path, int64_t began,
                       int64_t n)
{
    struct io_call call = {.bytes = n > 0 ? n : 0, .is_end = n < 0};
    char text[IO_TARGET_MAX];
    jthrowable thrown;
    int64_t took;
    size_t length = 0;
    jstring name;

    if (!is_long_enough(kind, began, &took))
        return;
    thrown = put_aside(env);
    if (thrown != NULL)
        call = (struct io_call){.bytes = 0};
    name = path == NULL ? NULL : (*env)->GetObjectField(env, object, path);
    if (name != NULL && (*env)->GetStringUTFLength(env, name) < IO_TARGET_MAX) {
        text[0] = '\0';
        (*env)->GetStringUTFRegion(env, name, 0, (*env)->GetStringLength(env, name), text);
        length = strlen(text);
        call.has_text = 1;
    }
    emit_io(env, kind, began, took, &call, text, length);
    (*env)->DeleteLocalRef(env, name);
    throw_again(env, thrown);
}

/* --- the hooks ---
 * One function for each method, since each calls its own original. The macros are named by the
 * parameters of the methods: O object, D descriptor. */

enum hook {
    H_STREAM_READ,
    H_STREAM_READ_BYTES,
    H_OUTPUT_WRITE,
    H_OUTPUT_WRITE_BYTES,
    H_RANDOM_READ,
    H_RANDOM_READ_BYTES,
    H_RANDOM_READ_BYTES0,
    H_RANDOM_WRITE,
    H_RANDOM_WRITE_BYTES,
    H_RANDOM_WRITE_BYTES0,
    H_READ,
    H_PREAD,
    H_READV,
    H_WRITE,
    H_PWRITE,
    H_WRITEV,
    H_FORCE,
    H_UNIX_READ,
    H_UNIX_PREAD,
    H_UNIX_READV,
    H_UNIX_WRITE,
    H_UNIX_PWRITE,
    H_UNIX_WRITEV,
    H_UNIX_FORCE,
    H_SOCKET_READ,
    H_SOCKET_READV,
    H_SOCKET_WRITE,
    H_SOCKET_WRITEV,
    H_NET_READ,
    H_NET_WRITE,
    H_POLL,
    H_EPOLL,
    N_HOOKS
};

static struct native_hook hooks[N_HOOKS];

#define READ_BYTE(name, hook, of)                                                  \
    static jint JNICALL name(JNIEnv *env, jobject self)                            \
    {                                                                              \
        jint (*call)(JNIEnv *, jobject);                                           \
        int64_t began = begin(IO_FILE_READ);                                       \
        jint b;                                                                    \
                                                                                   \
        *(void **)&call = native_hook_original(&hooks[hook]);                      \
        b = call(env, self);                                                       \
        if (began != 0)                                                            \
            end_stream(env, IO_FILE_READ, self, (of).path, began, b < 0 ? -1 : 1); \
        return b;                                                                  \
    }
#define READ_BYTES(name, hook, of)                                                         \
    static jint JNICALL name(JNIEnv *env, jobject self, jbyteArray bytes, jint at, jint n) \
    {                                                                                      \
        jint (*call)(JNIEnv *, jobject, jbyteArray, jint, jint);                           \
        int64_t began = begin(IO_FILE_READ);                                               \
        jint done;                                                                         \
                                                                                           \
        *(void **)&call = native_hook_original(&hooks[hook]);                              \
        done = call(env, self, bytes, at, n);                                              \
        if (began != 0)                                                                    \
            end_stream(env, IO_FILE_READ, self, (of).path, began, done);                   \
        return done;                                                                       \
    }
#define WRITE_BYTES(name, hook, of)                                                        \
    static void JNICALL name(JNIEnv *env, jobject self, jbyteArray bytes, jint at, jint n) \
    {                                                                                      \
        void (*call)(JNIEnv *, jobject, jbyteArray, jint, jint);                           \
        int64_t began = begin(IO_FILE_WRITE);                                              \
                                                                                           \
        *(void **)&call = native_hook_original(&hooks[hook]);                              \
        call(env, self, bytes, at, n);                                                     \
        if (began != 0)                                                                    \
            end_stream(env, IO_FILE_WRITE, self, (of).path, began, n);                     \
    }
#define MOVE(name, hook, kind)                                                           \
    static jint JNICALL name(JNIEnv *env, jclass cls, jobject fd, jlong address, jint n) \
    {                                                                                    \
        jint (*call)(JNIEnv *, jclass, jobject, jlong, jint);                            \
        int64_t began = begin(kind);                                                     \
        jint done;                                                                       \
                                                                                         \
        *(void **)&call = native_hook_original(&hooks[hook]);                            \
        done = call(env, cls, fd, address, n);                                           \
        if (began != 0)                                                                  \
            end_fd(env, kind, fd, began, done, false, 0);                                \
        return done;                                                                     \
    }
#define MOVE_AT(name, hook, kind)                                                                  \
    static jint JNICALL name(JNIEnv *env, jclass cls, jobject fd, jlong address, jint n, jlong at) \
    {                                                                                              \
        jint (*call)(JNIEnv *, jclass, jobject, jlong, jint, jlong);                               \
        int64_t began = begin(kind);                                                               \
        jint done;                                                                                 \
                                                                                                   \
        *(void **)&call = native_hook_original(&hooks[hook]);                                      \
        done = call(env, cls, fd, address, n, at);                                                 \
        if (began != 0)                                                                            \
            end_fd(env, kind, fd, began, done, false, 0);                                          \
        return done;                                                                               \
    }
#define MOVE_MANY(name, hook, kind)                                                       \
    static jlong JNICALL name(JNIEnv *env, jclass cls, jobject fd, jlong address, jint n) \
    {                                                                                     \
        jlong (*call)(JNIEnv *, jclass, jobject, jlong, jint);                            \
        int64_t began = begin(kind);                                                      \
        jlong done;                                                                       \
                                                                                          \
        *(void **)&call = native_hook_original(&hooks[hook]);                             \
        done = call(env, cls, fd, address, n);                                            \
        if (began != 0)                                                                   \
            end_fd(env, kind, fd, began, done, false, 0);                                 \
        return done;                                                                      \
    }
#define FORCE(name, hook)                                                            \
    static jint JNICALL name(JNIEnv *env, jclass cls, jobject fd, jboolean metadata) \
    {                                                                                \
        jint (*call)(JNIEnv *, jclass, jobject, jboolean);                           \
        int64_t began = begin(IO_FILE_FORCE);                                        \
        jint done;                                                                   \
                                                                                     \
        *(void **)&call = native_hook_original(&hooks[hook]);                        \
        done = call(env, cls, fd, metadata);                                         \
        if (began != 0)                                                              \
            end_fd(env, IO_FILE_FORCE, fd, began, 0, metadata, 0);                   \
        return done;                                                                 \
    }
READ_BYTE(stream_read, H_STREAM_READ, stream)
READ_BYTES(stream_read_bytes, H_STREAM_READ_BYTES, stream)
READ_BYTE(random_read, H_RANDOM_READ, random_access)
READ_BYTES(random_read_bytes, H_RANDOM_READ_BYTES, random_access)
READ_BYTES(random_read_bytes0, H_RANDOM_READ_BYTES0, random_access)
WRITE_BYTES(random_write_bytes, H_RANDOM_WRITE_BYTES, random_access)
WRITE_BYTES(random_write_bytes0, H_RANDOM_WRITE_BYTES0, random_access)
MOVE(channel_read, H_READ, EITHER_READ)
MOVE_AT(channel_pread, H_PREAD, EITHER_READ)
MOVE_MANY(channel_readv, H_READV, EITHER_READ)
MOVE(channel_write, H_WRITE, EITHER_WRITE)
MOVE_AT(channel_pwrite, H_PWRITE, EITHER_WRITE)
MOVE_MANY(channel_writev, H_WRITEV, EITHER_WRITE)
FORCE(channel_force, H_FORCE)
MOVE(unix_read, H_UNIX_READ, IO_FILE_READ)
MOVE_AT(unix_pread, H_UNIX_PREAD, IO_FILE_READ)
MOVE_MANY(unix_readv, H_UNIX_READV, IO_FILE_READ)
MOVE(unix_write, H_UNIX_WRITE, IO_FILE_WRITE)
MOVE_AT(unix_pwrite, H_UNIX_PWRITE, IO_FILE_WRITE)
MOVE_MANY(unix_writev, H_UNIX_WRITEV, IO_FILE_WRITE)
FORCE(unix_force, H_UNIX_FORCE)
MOVE(socket_read, H_SOCKET_READ, IO_SOCKET_READ)
MOVE_MANY(socket_readv, H_SOCKET_READV, IO_SOCKET_READ)
MOVE(socket_write, H_SOCKET_WRITE, IO_SOCKET_WRITE)
MOVE_MANY(socket_writev, H_SOCKET_WRITEV, IO_SOCKET_WRITE)

static void JNICALL output_write(JNIEnv *env, jobject self, jint b, jboolean append)
{
    void (*call)(JNIEnv *, jobject, jint, jboolean);
    int64_t began = begin(IO_FILE_WRITE);

    *(void **)&call = native_hook_original(&hooks[H_OUTPUT_WRITE]);
    call(env, self, b, append);
    if (began != 0)
        end_stream(env, IO_FILE_WRITE, self, output.path, began, 1);
}

static void JNICALL output_write_bytes(JNIEnv *env, jobject self, jbyteArray bytes, jint at, jint n,
                                       jboolean append)
{
    void (*call)(JNIEnv *, jobject, jbyteArray, jint, jint, jboolean);
    int64_t began = begin(IO_FILE_WRITE);

    *(void **)&call = native_hook_original(&hooks[H_OUTPUT_WRITE_BYTES]);
    call(env, self, bytes, at, n, append);
    if (began != 0)
        end_stream(env, IO_FILE_WRITE, self, output.path, began, n);
}

static void JNICALL random_write(JNIEnv *env, jobject self, jint b)
{
    void (*call)(JNIEnv *, jobject, jint);
    int64_t began = begin(IO_FILE_WRITE);

    *(void **)&call = native_hook_original(&hooks[H_RANDOM_WRITE]);
    call(env, self, b);
    if (began != 0)
        end_stream(env, IO_FILE_WRITE, self, random_access.path, began, 1);
}

/* 0 bytes are the end here. */
static jint JNICALL net_read(JNIEnv *env, jobject self, jobject fd, jbyteArray bytes, jint at,
                             jint n, jint timeout)
{
    jint (*call)(JNIEnv *, jobject, jobject, jbyteArray, jint, jint, jint);
    int64_t began = begin(IO_SOCKET_READ);
    jint done;

    *(void **)&call = native_hook_original(&hooks[H_NET_READ]);
    done = call(env, self, fd, bytes, at, n, timeout);
    if (began != 0)
        end_fd(env, IO_SOCKET_READ, fd, began,
               done > 0                      ? done
               : (*env)->ExceptionCheck(env) ? THROWN
                                             : -1,
               false, timeout);
    return done;
}

static void JNICALL net_write(JNIEnv *env, jobject self, jobject fd, jbyteArray bytes, jint at,
                              jint n)
{
    void (*call)(JNIEnv *, jobject, jobject, jbyteArray, jint, jint);
    int64_t began = begin(IO_SOCKET_WRITE);

    *(void **)&call = native_hook_original(&hooks[H_NET_WRITE]);
    call(env, self, fd, bytes, at, n);
    if (began != 0)
        end_fd(env, IO_SOCKET_WRITE, fd, began, n, false, 0);
}

/* Result 0: nothing to read until the timeout, or a signal has interrupted it. */
static jint JNICALL net_poll(JNIEnv *env, jclass cls, jobject fd, jint events, jlong timeout)
{
    jint (*call)(JNIEnv *, jclass, jobject, jint, jlong);
    int mine = io_wait_mine.fd - 1;
    bool is_mine = mine >= 0 && fd != NULL && (*env)->GetIntField(env, fd, field_fd) == mine;
    int64_t began = is_mine ? near_clock_now() : 0;
    jint done;

    if (is_mine)
        io_wait_polls(mine, timeout, began);
    *(void **)&call = native_hook_original(&hooks[H_POLL]);
    done = call(env, cls, fd, events, timeout);
    if (is_mine)
        io_wait_polled(mine, done,
                       done == 0 && timeout >= 0 &&
                           near_clock_now() - began >= (timeout - 1) * NS_PER_MS); /* or so */
    return done;
}

/* Only one-shot registrations are of a waiting thread; a selector registers for more. */
static jint JNICALL epoll_control(JNIEnv *env, jclass cls, jint poller, jint what, jint fd,
                                  jint events)
{
    jint (*call)(JNIEnv *, jclass, jint, jint, jint, jint);

    if (what == EPOLL_CTL_DEL)
        io_wait_unpark(poller, fd);
    else if (((uint32_t)events & EPOLLONESHOT) != 0 && io_wait_mine.fd == fd + 1)
        io_wait_park(env, poller, fd);
    *(void **)&call = native_hook_original(&hooks[H_EPOLL]);
    return call(env, cls, poller, what, fd, events);
}

#define ROW(hook, cls, name, signature, function) \
    [hook] = {cls, name, signature, (void *)(uintptr_t)function}
#define D "(" DESCRIPTOR

static struct native_hook hooks[N_HOOKS] = {
    ROW(H_STREAM_READ, STREAM, "read0", "()I", stream_read),
    ROW(H_STREAM_READ_BYTES, STREAM, "readBytes", "([BII)I", stream_read_bytes),
    ROW(H_OUTPUT_WRITE, OUTPUT, "write", "(IZ)V", output_write),
    ROW(H_OUTPUT_WRITE_BYTES, OUTPUT, "writeBytes", "([BIIZ)V", output_write_bytes),
    ROW(H_RANDOM_READ, RANDOM, "read0", "()I", random_read),
    ROW(H_RANDOM_READ_BYTES, RANDOM, "readBytes", "([BII)I", random_read_bytes),
    ROW(H_RANDOM_READ_BYTES0, RANDOM, "readBytes0", "([BII)I", random_read_bytes0),
    ROW(H_RANDOM_WRITE, RANDOM, "write0", "(I)V", random_write),
    ROW(H_RANDOM_WRITE_BYTES, RANDOM, "writeBytes", "([BII)V", random_write_bytes),
    ROW(H_RANDOM_WRITE_BYTES0, RANDOM, "writeBytes0", "([BII)V", random_write_bytes0),
    ROW(H_READ, CHANNEL, "read0", D "JI)I", channel_read),
    ROW(H_PREAD, CHANNEL, "pread0", D "JIJ)I", channel_pread),
    ROW(H_READV, CHANNEL, "readv0", D "JI)J", channel_readv),
    ROW(H_WRITE, CHANNEL, "write0", D "JI)I", channel_write),
    ROW(H_PWRITE, CHANNEL, "pwrite0", D "JIJ)I", channel_pwrite),
    ROW(H_WRITEV, CHANNEL, "writev0", D "JI)J", channel_writev),
    ROW(H_FORCE, CHANNEL, "force0", D "Z)I", channel_force),
    ROW(H_UNIX_READ, UNIX_CHANNEL, "read0", D "JI)I", unix_read),
    ROW(H_UNIX_PREAD, UNIX_CHANNEL, "pread0", D "JIJ)I", unix_pread),
    ROW(H_UNIX_READV, UNIX_CHANNEL, "readv0", D "JI)J", unix_readv),
    ROW(H_UNIX_WRITE, UNIX_CHANNEL, "write0", D "JI)I", unix_write),
    ROW(H_UNIX_PWRITE, UNIX_CHANNEL, "pwrite0", D "JIJ)I", unix_pwrite),
    ROW(H_UNIX_WRITEV, UNIX_CHANNEL, "writev0", D "JI)J", unix_writev),
    ROW(H_UNIX_FORCE, UNIX_CHANNEL, "force0", D "Z)I", unix_force),
    ROW(H_SOCKET_READ, SOCKET, "read0", D "JI)I", socket_read),
    ROW(H_SOCKET_READV, SOCKET, "readv0", D "JI)J", socket_readv),
    ROW(H_SOCKET_WRITE, SOCKET, "write0", D "JI)I", socket_write),
    ROW(H_SOCKET_WRITEV, SOCKET, "writev0", D "JI)J", socket_writev),
    ROW(H_NET_READ, NET_INPUT, "socketRead0", D "[BIII)I", net_read),
    ROW(H_NET_WRITE, NET_OUTPUT, "socketWrite0", D "[BII)V", net_write),
    ROW(H_POLL, NET, "poll", D "IJ)I", net_poll),
    ROW(H_EPOLL, EPOLL, "ctl", "(IIII)I", epoll_control),
};

/* --- setting up --- */

static void set_either(int either, enum io_kind file, enum io_kind socket)
{
    int64_t a = atomic_load(&thresholds[file]), b = atomic_load(&thresholds[socket]);

    atomic_store(&thresholds[either], a < b ? a : b);
}

void io_hooks_set(enum io_kind kind, const struct event_settings *s)
{
    bool is_on = s != NULL && s->is_enabled;

    if (is_on)
        throttle_init(&throttles[kind], s->throttle_events, s->throttle_ns);
    atomic_store(&thresholds[kind], is_on ? s->threshold_ns : INT64_MAX);
    set_either(EITHER_READ, IO_FILE_READ, IO_SOCKET_READ);
    set_either(EITHER_WRITE, IO_FILE_WRITE, IO_SOCKET_WRITE);
}

int io_hooks_install(JavaVM *vm, JNIEnv *env)
{
    if (jvmti == NULL && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return -1;
    near_clock_init();
    io_names_install(vm, env);
    io_wait_start(jvmti, emit_now());
    field_fd = objects_field(env, "java/io/FileDescriptor", "fd", "I");
    stream.path = objects_field(env, STREAM, "path", "Ljava/lang/String;");
    output.path = objects_field(env, OUTPUT, "path", "Ljava/lang/String;");
    random_access.path = objects_field(env, RANDOM, "path", "Ljava/lang/String;");
    return field_fd == NULL ? -1 : native_hook_install(vm, env, hooks, N_HOOKS);
}
