/*
 * names.c - a table from file descriptors to the names that the program opened them by.
 *
 * Hooks of the native methods that open files and connect sockets fill it, on threads of the
 * program. An entry has the device and inode of what was opened, so a descriptor that is reused
 * without a hook gets no wrong name.
 */
#include "recorder/io/names.h"

#include "recorder/capture/emit.h"
#include "recorder/base/native_hook.h"
#include "recorder/events/objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTORS 65536 /* larger ones have no names */
#define LOCKS 64

struct name {
    dev_t dev; /* of what was opened; a socket has a number of its own, too */
    ino_t ino;
    char *text; /* NULL: none */
};

static struct name names[DESCRIPTORS];
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

void io_names_put(int fd, const char *name, size_t n)
{
    struct name new = {.text = NULL};
    struct stat st;
    char *old;

    if (fd < 0 || fd >= DESCRIPTORS || n >= IO_TARGET_MAX)
        return;
    if (n > 0 && fstat(fd, &st) == 0)
        new = (struct name){st.st_dev, st.st_ino, strndup(name, n)};
    pthread_mutex_lock(&locks[fd % LOCKS]);
    old = names[fd].text;
    names[fd] = new;
    pthread_mutex_unlock(&locks[fd % LOCKS]);
    free(old);
}

size_t io_names_get(int fd, const struct stat *st, char out[IO_TARGET_MAX])
{
    size_t n = 0;

    if (fd >= 0 && fd < DESCRIPTORS) {
        const struct name *name = &names[fd];

        pthread_mutex_lock(&locks[fd % LOCKS]);
        if (name->text != NULL && name->dev == st->st_dev && name->ino == st->st_ino) {
            n = strlen(name->text);
            memcpy(out, name->text, n);
        }
        pthread_mutex_unlock(&locks[fd % LOCKS]);
    }
    out[n] = '\0';
    return n;
}

/* --- the hooks --- */

static jfieldID field_fd; /* FileDescriptor.fd */
static jfieldID stream, output, random_access; /* their descriptors */
static _Atomic(jfieldID) holder; /* of InetAddress */
static _Atomic(jfieldID) host_name; /* of the holder; NULL: both are not looked up yet */

enum hook {
    H_OPEN,
    H_OPEN_AT,
    H_STREAM,
    H_OUTPUT,
    H_RANDOM,
    H_CONNECT,
    N_HOOKS
};

static struct native_hook hooks[N_HOOKS];

static void keep_name(JNIEnv *env, int fd, jstring name)
{
    jsize n = name == NULL ? 0 : (*env)->GetStringLength(env, name);
    char text[IO_TARGET_MAX];

    text[0] = '\0';
    if (n > 0 && n < IO_TARGET_MAX / 3) /* a character has at most three bytes */
        (*env)->GetStringUTFRegion(env, name, 0, n, text);
    io_names_put(fd, text, strlen(text));
}

/* Stores the name of a stream that was opened. If that failed, an exception is pending. */
static void note_stream(JNIEnv *env, jobject self, jfieldID field, jstring name)
{
    jobject descriptor;

    if (!emit_wanted() || field == NULL || (*env)->ExceptionCheck(env))
        return;
    descriptor = (*env)->GetObjectField(env, self, field);
    if (descriptor != NULL)
        keep_name(env, (*env)->GetIntField(env, descriptor, field_fd), name);
    (*env)->DeleteLocalRef(env, descriptor);
}

static void opened_file(jint fd, jlong path)
{
    const char *name = (const char *)(uintptr_t)path;

    if (fd >= 0 && emit_wanted())
        io_names_put(fd, name, strlen(name));
}

static jint JNICALL open_file(JNIEnv *env, jclass cls, jlong path, jint flags, jint mode)
{
    jint (*call)(JNIEnv *, jclass, jlong, jint, jint);
    jint fd;

    *(void **)&call = native_hook_original(&hooks[H_OPEN]);
    fd = call(env, cls, path, flags, mode);
    opened_file(fd, path);
    return fd;
}

static jint JNICALL open_at(JNIEnv *env, jclass cls, jint dir, jlong path, jint flags, jint mode)
{
    jint (*call)(JNIEnv *, jclass, jint, jlong, jint, jint);
    jint fd;

    *(void **)&call = native_hook_original(&hooks[H_OPEN_AT]);
    fd = call(env, cls, dir, path, flags, mode);
    opened_file(fd, path);
    return fd;
}

static void JNICALL open_stream(JNIEnv *env, jobject self, jstring name)
{
    void (*call)(JNIEnv *, jobject, jstring);

    *(void **)&call = native_hook_original(&hooks[H_STREAM]);
    call(env, self, name);
    note_stream(env, self, stream, name);
}

static void JNICALL open_output(JNIEnv *env, jobject self, jstring name, jboolean append)
{
    void (*call)(JNIEnv *, jobject, jstring, jboolean);

    *(void **)&call = native_hook_original(&hooks[H_OUTPUT]);
    call(env, self, name, append);
    note_stream(env, self, output, name);
}

static void JNICALL open_random(JNIEnv *env, jobject self, jstring name, jint mode)
{
    void (*call)(JNIEnv *, jobject, jstring, jint);

    *(void **)&call = native_hook_original(&hooks[H_RANDOM]);
    call(env, self, name, mode);
    note_stream(env, self, random_access, name);
}

/* Looked up when there is an address: earlier it would load classes that programs without sockets
 * never need, which costs 5 to 15 ms of their start. */
static bool find_host_name(JNIEnv *env)
{
    if (atomic_load(&host_name) != NULL)
        return true;
    atomic_store(&holder, objects_field(env, "java/net/InetAddress", "holder",
                                        "Ljava/net/InetAddress$InetAddressHolder;"));
    if (atomic_load(&holder) != NULL)
        atomic_store(&host_name, objects_field(env, "java/net/InetAddress$InetAddressHolder",
                                               "hostName", "Ljava/lang/String;"));
    return atomic_load(&host_name) != NULL;
}

static void put_host(JNIEnv *env, jobject descriptor, jobject address)
{
    jobject held = (*env)->GetObjectField(env, address, atomic_load(&holder));
    jstring name = held == NULL ? NULL : (*env)->GetObjectField(env, held, atomic_load(&host_name));

    keep_name(env, (*env)->GetIntField(env, descriptor, field_fd), name);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, held);
}

static jint JNICALL connect_to(JNIEnv *env, jclass cls, jboolean prefers_6, jobject descriptor,
                               jobject address, jint port)
{
    jint (*call)(JNIEnv *, jclass, jboolean, jobject, jobject, jint);

    if (emit_wanted() && descriptor != NULL && address != NULL && find_host_name(env))
        put_host(env, descriptor, address);
    *(void **)&call = native_hook_original(&hooks[H_CONNECT]);
    return call(env, cls, prefers_6, descriptor, address, port);
}

#define ROW(hook, cls, name, signature, function) \
    [hook] = {cls, name, signature, (void *)(uintptr_t)function}

static struct native_hook hooks[N_HOOKS] = {
    ROW(H_OPEN, "sun/nio/fs/UnixNativeDispatcher", "open0", "(JII)I", open_file),
    ROW(H_OPEN_AT, "sun/nio/fs/UnixNativeDispatcher", "openat0", "(IJII)I", open_at),
    ROW(H_STREAM, "java/io/FileInputStream", "open0", "(Ljava/lang/String;)V", open_stream),
    ROW(H_OUTPUT, "java/io/FileOutputStream", "open0", "(Ljava/lang/String;Z)V", open_output),
    ROW(H_RANDOM, "java/io/RandomAccessFile", "open0", "(Ljava/lang/String;I)V", open_random),
    ROW(H_CONNECT, "sun/nio/ch/Net", "connect0",
        "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I", connect_to),
};

void io_names_install(JavaVM *vm, JNIEnv *env)
{
    static const char descriptor[] = "Ljava/io/FileDescriptor;";

    field_fd = objects_field(env, "java/io/FileDescriptor", "fd", "I");
    if (field_fd == NULL)
        return;
    stream = objects_field(env, "java/io/FileInputStream", "fd", descriptor);
    output = objects_field(env, "java/io/FileOutputStream", "fd", descriptor);
    random_access = objects_field(env, "java/io/RandomAccessFile", "fd", descriptor);
    native_hook_install(vm, env, hooks, N_HOOKS);
}
