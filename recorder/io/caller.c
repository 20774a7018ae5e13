/*
 * caller.c - finds in the stack of a native method the method of the JDK that the program called.
 *
 * io/engine.c calls it for file and socket events: the JDK's recorder has events for some methods
 * above the native one, and which ones depends on the release.
 */
#include "recorder/io/caller.h"

#include "recorder/base/walker.h"

#include <string.h>

#define FRAMES_MAX 24 /* of the JDK between the native method and the program */

enum jdk {
    OLD = 1, /* JDKs whose recorder changes the methods when a recording begins */
    NEW = 2, /* JDKs whose methods contain the events */
};

enum what {
    READ = 1 << IO_FILE_READ | 1 << IO_SOCKET_READ,
    WRITE = 1 << IO_FILE_WRITE | 1 << IO_SOCKET_WRITE,
    FORCE = 1 << IO_FILE_FORCE,
};

/* The methods that have events. NULL: all of the class. */
static const struct call {
    const char *cls, *method;
    unsigned what, jdks;
    enum io_caller is;
} calls[] = {
    {"java/io/FileInputStream", "read", READ, OLD | NEW, IO_CALLER_STREAM},
    {"java/io/FileOutputStream", "write", WRITE, OLD | NEW, IO_CALLER_STREAM},
    {"java/io/RandomAccessFile", "read", READ, OLD, IO_CALLER_STREAM},
    {"java/io/RandomAccessFile", "write", WRITE, OLD, IO_CALLER_STREAM},
    {"java/io/RandomAccessFile", NULL, READ | WRITE, NEW, IO_CALLER_STREAM},
    {"sun/nio/ch/FileChannelImpl", "read", READ, OLD | NEW, IO_CALLER_CHANNEL},
    {"sun/nio/ch/FileChannelImpl", "write", WRITE, OLD | NEW, IO_CALLER_CHANNEL},
    {"sun/nio/ch/FileChannelImpl", "force", FORCE, OLD | NEW, IO_CALLER_CHANNEL},
    {"sun/nio/ch/SimpleAsynchronousFileChannelImpl", "force", FORCE, NEW, IO_CALLER_CHANNEL},
    {"sun/nio/ch/SocketChannelImpl", "read", READ, OLD | NEW, IO_CALLER_CHANNEL},
    {"sun/nio/ch/SocketChannelImpl", "write", WRITE, OLD | NEW, IO_CALLER_CHANNEL},
    {"java/net/Socket$SocketInputStream", "read", READ, OLD | NEW, IO_CALLER_STREAM},
    {"java/net/Socket$SocketOutputStream", "write", WRITE, OLD | NEW, IO_CALLER_STREAM},
    {"java/net/SocketInputStream", "read", READ, OLD, IO_CALLER_STREAM}, /* up to 12 */
    {"java/net/SocketOutputStream", "socketWrite", WRITE, OLD, IO_CALLER_STREAM},
    {"sun/nio/ch/SocketInputStream", "read", READ, NEW, IO_CALLER_STREAM}, /* a channel's */
    {"sun/nio/ch/SocketOutputStream", "write", WRITE, NEW, IO_CALLER_STREAM},
};

/* Classes that JDK 25 leaves out at the top. */
static const struct left_out {
    const char *cls;
    unsigned what;
} left_out[] = {
    {"java/io/DataInputStream", 1 << IO_FILE_READ},
    {"java/io/DataOutputStream", 1 << IO_FILE_WRITE},
    {"java/io/FileInputStream", 1 << IO_FILE_READ},
    {"java/io/FileOutputStream", 1 << IO_FILE_WRITE},
    {"java/io/InputStream", READ},
    {"java/io/OutputStream", WRITE},
    {"java/io/RandomAccessFile", 1 << IO_FILE_READ | 1 << IO_FILE_WRITE},
    {"java/net/Socket$SocketInputStream", 1 << IO_SOCKET_READ},
    {"java/net/Socket$SocketOutputStream", 1 << IO_SOCKET_WRITE},
    {"java/nio/channels/FileChannel", READ | WRITE | FORCE},
    {"java/nio/channels/SocketChannel", READ | WRITE},
    {"sun/nio/ch/ChannelInputStream", 1 << IO_FILE_READ},
    {"sun/nio/ch/ChannelOutputStream", 1 << IO_FILE_WRITE},
    {"sun/nio/ch/FileChannelImpl", 1 << IO_FILE_READ | 1 << IO_FILE_WRITE | FORCE},
    {"sun/nio/ch/SocketInputStream", 1 << IO_SOCKET_READ},
    {"sun/nio/ch/SocketOutputStream", 1 << IO_SOCKET_WRITE},
};

static enum jdk files = OLD, sockets = OLD;
static bool leaves_out;

static bool has_method(JNIEnv *env, const char *name, const char *method, const char *signature)
{
    jclass cls = (*env)->FindClass(env, name);
    bool found = cls != NULL && (*env)->GetMethodID(env, cls, method, signature) != NULL;

    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, cls);
    return found;
}

bool io_caller_leaves_out(JNIEnv *env)
{
    jclass filter = (*env)->FindClass(env, "jdk/jfr/events/StackFilter");
    bool found = filter != NULL;

    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, filter);
    return found;
}

void io_caller_start(JNIEnv *env)
{
    leaves_out = io_caller_leaves_out(env);
    files = has_method(env, "java/io/FileInputStream", "traceRead0", "()I") ? NEW : OLD;
    sockets =
        has_method(env, "java/net/Socket$SocketInputStream", "implRead", "([BII)I") ? NEW : OLD;
}

bool io_caller_is_old(void)
{
    return sockets == OLD;
}

static bool describe(struct recording *r, const struct record *rec, const struct frame *f,
                     struct method_info *info)
{
    const struct walker *w = (rec->flags & RECORD_JMETHODS) != 0 ? &walk_agct : r->walker;

    return f->method != 0 && w->describe(f->method, info);
}

static bool equals_text(const char *text, const char *of, uint32_t n)
{
    return strlen(text) == n && memcmp(text, of, n) == 0;
}

static const struct call *call_of(const struct method_info *m, enum io_kind kind)
{
    enum jdk jdk = kind >= IO_SOCKET_READ ? sockets : files;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        const struct call *c = &calls[i];

        if ((c->what & 1u << kind) != 0 && (c->jdks & jdk) != 0 &&
            equals_text(c->cls, m->cls, m->cls_n) &&
            (c->method == NULL || equals_text(c->method, m->name, m->name_n)))
            return c;
    }
    return NULL;
}

static bool is_left_out(const struct method_info *m, enum io_kind kind)
{
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
        if ((left_out[i].what & 1u << kind) != 0 && equals_text(left_out[i].cls, m->cls, m->cls_n))
            return true;
    return false;
}

/* Is it a class of the JDK that implements input and output? The program is above it. */
static bool is_inside_jdk(const struct method_info *m)
{
    static const char *const packages[] = {"sun/nio/ch/", "java/io/", "java/net/"};

    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
        size_t n = strlen(packages[i]);

        if (m->cls_n > n && memcmp(m->cls, packages[i], n) == 0)
            return true;
    }
    return false;
}

enum io_caller io_caller_of(struct recording *r, const struct record *rec, enum io_kind kind,
                            uint32_t *skip)
{
    const struct frame *frames = record_frames(rec);
    uint32_t n = rec->n_frames < FRAMES_MAX ? rec->n_frames : FRAMES_MAX;
    const struct call *call = NULL;
    struct method_info info;
    uint32_t i;

    *skip = 0;
    for (i = 0; i < n && call == NULL; i++) {
        if (!describe(r, rec, &frames[i], &info))
            return IO_CALLER_UNKNOWN;
        call = call_of(&info, kind);
        if (call == NULL && !is_inside_jdk(&info))
            return IO_CALLER_NONE;
    }
    if (call == NULL)
        return IO_CALLER_UNKNOWN;
    *skip = i - 1;
    if (leaves_out) {
        while (i < n && describe(r, rec, &frames[i], &info) && is_left_out(&info, kind))
            i++;
        *skip = i;
    }
    return call->is;
}
