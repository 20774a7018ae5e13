/*
 * attach.c - HotSpot's attach protocol; attach.h says what is done, and what must not happen.
 *
 * agent_call.c and ask.c call it. The parts: take on the user of the JVM, have it listen by a file
 * and SIGQUIT, connect to its socket through /proc/PID/root, load a library.
 */
#include "tools/rec/attach.h"
#include "tools/rec/attach_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define NAP_MS 20 /* first pause between two looks at the socket */
#define NAP_MOST_MS 200

int attach_fail(struct attach_error *err, enum attach_errc code, const char *fmt, ...)
{
    va_list ap;

    *err = (struct attach_error){.code = code};
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return code;
}

struct attach_identity attach_become(const struct jvm *jvm)
{
    struct attach_identity before = {geteuid(), getegid()};

    /* Newer JVMs talk to root as well: where it cannot be left, that may be enough. */
    if (before.uid == 0 && (setegid(jvm->gid) != 0 || seteuid(jvm->uid) != 0))
        errno = 0;
    return before;
}

void attach_return(struct attach_identity before)
{
    int saved = errno;

    if (geteuid() != before.uid && seteuid(before.uid) != 0)
        _exit(1); /* cannot happen; nothing must continue as another user */
    if (getegid() != before.gid && setegid(before.gid) != 0)
        _exit(1);
    errno = saved;
}

int attach_open_dir(const struct jvm *jvm, const char *path)
{
    char text[JVM_PATH_MAX + 32];

    snprintf(text, sizeof(text), "/proc/%d/root%s", (int)jvm->pid, path);
    return open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int attach_check(const struct jvm *jvm, struct attach_error *err)
{
    int pid = (int)jvm->pid;

    if (jvm->state == 'Z' || jvm->state == 'X')
        return attach_fail(err, ATTACH_E_GONE, "process %d has ended", pid);
    if (geteuid() != 0 && geteuid() != jvm->uid)
        return attach_fail(
            err, ATTACH_E_OTHER_USER,
            "process %d belongs to user %u: run this command as that user or as root", pid,
            (unsigned)jvm->uid);
    if (jvm->kind == JVM_UNKNOWN)
        return attach_fail(
            err, ATTACH_E_OTHER_USER,
            "no permission to inspect process %d: run this command as root or as its user", pid);
    if (jvm->kind == JVM_NONE)
        return attach_fail(err, ATTACH_E_NOT_JVM, "process %d is not a JVM: jfrkit list shows all",
                           pid);
    if (jvm->kind == JVM_OPENJ9)
        return attach_fail(err, ATTACH_E_NOT_JVM,
                           "process %d runs OpenJ9; jfrkit records HotSpot only", pid);
    if (jvm->state == 'T' || jvm->state == 't')
        return attach_fail(
            err, ATTACH_E_STOPPED,
            "process %d is stopped and cannot answer: continue it with kill -CONT %d", pid, pid);
    if (jvm_has_option(jvm, "-XX:+DisableAttachMechanism"))
        return attach_fail(err, ATTACH_E_DISABLED,
                           "process %d was started with -XX:+DisableAttachMechanism: start it with "
                           "jfrkit record instead",
                           pid);
    return 0;
}

/* The target's socket, reached through a descriptor so that the path fits into sun_path. */
struct place {
    const struct jvm *jvm;
    int tmp; /* the target's /tmp */
    char socket[32];
};

static bool socket_is_there(const struct place *p)
{
    struct stat st;

    return fstatat(p->tmp, p->socket, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode) &&
           (st.st_uid == p->jvm->uid || st.st_uid == 0);
}

/* Something of another user has the name of the JVM's socket: the JVM cannot replace it. */
static bool is_in_the_way(const struct place *p)
{
    struct stat st;

    return fstatat(p->tmp, p->socket, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid != p->jvm->uid;
}

/* A descriptor, or -1 and errno. EAGAIN: too many are waiting to be served. */
static int connect_here(const struct place *p)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d/%s", p->tmp, p->socket);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        int saved = errno;

        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

/* The same as the JVM's user. */
static int connect_once(const struct place *p)
{
    struct attach_identity before = attach_become(p->jvm);
    int fd = connect_here(p), saved = errno;

    attach_return(before);
    errno = saved;
    return fd;
}

/* As root, removes the socket of a killed JVM of another user that had the same pid. The new JVM
 * could not replace it. */
static void clear_way(const struct place *p)
{
    int fd;

    if (geteuid() != 0 || !is_in_the_way(p))
        return;
    fd = connect_here(p);
    if (fd >= 0)
        close(fd);
    else if (errno == ECONNREFUSED)
        (void)unlinkat(p->tmp, p->socket, 0);
}

/* Creates the file that tells the JVM to listen when it gets SIGQUIT. It is made in the JVM's /tmp,
 * or in its working folder if that fails: the JVM looks in its working folder first, but users have
 * their data there. Returns the folder, or -1 and errno. */
static int make_trigger(const struct place *p, const char *name)
{
    struct attach_identity before;
    char cwd[64];
    int dir, fd, saved;

    snprintf(cwd, sizeof(cwd), "/proc/%d/cwd", (int)p->jvm->pid);
    dir = dup(p->tmp);
    for (int i = 0; i < 2 && dir >= 0; i++) {
        before = attach_become(p->jvm);
        fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        attach_return(before);
        if (fd >= 0) {
            close(fd);
            return dir;
        }
        saved = errno;
        close(dir);
        errno = saved;
        if (i == 0)
            dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    return -1;
}

static void remove_trigger(const struct place *p, int dir, const char *name)
{
    struct attach_identity before = attach_become(p->jvm);

    unlinkat(dir, name, 0);
    attach_return(before);
    close(dir);
}

/* Sends SIGQUIT. The process is checked once more while a pidfd holds it, so that another process
 * with the same pid, which SIGQUIT would end, cannot get the signal. */
static int send_quit(const struct jvm *jvm)
{
    struct jvm now;
    int fd = (int)syscall(SYS_pidfd_open, jvm->pid, 0);
    int rc = -1;

    if (jvm_look(jvm->pid, &now) == 0 && now.kind == JVM_HOTSPOT && now.uid == jvm->uid &&
        now.catches_quit)
        rc = fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL, 0)
                     : kill(jvm->pid, SIGQUIT); /* before Linux 5.3 */
    else
        errno = ESRCH;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Waits until the JVM handles SIGQUIT, which would end it otherwise. A JVM that is starting has no
 * handler yet; one with -Xrs never has one. */
static int wait_for_handler(const struct jvm *jvm, int64_t deadline, struct attach_error *err)
{
    struct jvm now = *jvm;

    while (!now.catches_quit && wire_left_ms(deadline) > 0) {
        wire_nap(NAP_MS, deadline);
        if (jvm_look(jvm->pid, &now) < 0)
            return attach_fail(err, ATTACH_E_GONE, "process %d has ended", (int)jvm->pid);
    }
    if (now.catches_quit)
        return 0;
    return attach_fail(err, ATTACH_E_DISABLED,
                       "process %d does not handle SIGQUIT, the signal that makes a JVM listen: it "
                       "has just been started, or it was started with -Xrs and its socket in /tmp "
                       "was deleted",
                       (int)jvm->pid);
}

static int no_socket(const struct place *p, struct attach_error *err)
{
    struct jvm now;

    if (jvm_look(p->jvm->pid, &now) < 0 || now.state == 'Z')
        return attach_fail(err, ATTACH_E_GONE, "process %d has ended", (int)p->jvm->pid);
    if (now.state == 'T')
        return attach_check(&now, err);
    if (is_in_the_way(p))
        return attach_fail(err, ATTACH_E_SILENT,
                           "process %d cannot listen at /tmp/%s, which another user's process has "
                           "left there: remove that file",
                           (int)p->jvm->pid, p->socket);
    return attach_fail(err, ATTACH_E_SILENT,
                       "process %d does not listen at /tmp/%s: it hangs, or it was started with "
                       "-XX:+DisableAttachMechanism, or its /tmp is full or not writable, or that "
                       "socket was deleted and its JDK does not make it again",
                       (int)p->jvm->pid, p->socket);
}

/* A JVM that is starting may create its socket and then delete it as a file of an earlier process.
 * So the signal is sent again after half of the time. */
static int wait_for_socket(const struct place *p, int64_t deadline)
{
    int fd = -1, nap = NAP_MS, half_ms = wire_left_ms(deadline) / 2;
    struct jvm now;

    while (fd < 0 && wire_left_ms(deadline) > 0) {
        if (socket_is_there(p))
            fd = connect_once(p);
        if (fd >= 0 || jvm_look(p->jvm->pid, &now) < 0 || now.state == 'Z')
            break;
        if (half_ms > wire_left_ms(deadline)) {
            half_ms = 0;
            (void)send_quit(p->jvm);
        }
        wire_nap(nap, deadline);
        nap = nap * 2 < NAP_MOST_MS ? nap * 2 : NAP_MOST_MS;
    }
    return fd;
}

/* Asks the JVM to listen, and connects. */
static int wake_jvm(const struct place *p, int64_t deadline, struct attach_error *err)
{
    int pid = (int)p->jvm->pid, dir, fd = -1, rc = wait_for_handler(p->jvm, deadline, err);
    char name[32];

    if (rc < 0)
        return rc;
    clear_way(p);
    snprintf(name, sizeof(name), ".attach_pid%d", (int)p->jvm->nspid);
    dir = make_trigger(p, name);
    if (dir < 0)
        return attach_fail(err, ATTACH_E_SYSTEM,
                           "cannot make the file %s, which makes process %d listen, in its /tmp or "
                           "its working folder: %s",
                           name, pid, strerror(errno));
    if (send_quit(p->jvm) == 0)
        fd = wait_for_socket(p, deadline);
    else if (errno != ESRCH)
        fd =
            attach_fail(err, ATTACH_E_SYSTEM, "cannot signal process %d: %s", pid, strerror(errno));
    remove_trigger(p, dir, name);
    return fd != -1 ? fd : no_socket(p, err);
}

static int connect_place(const struct place *p, int64_t deadline, struct attach_error *err)
{
    int fd = -1;

    /* Refused: left behind by an earlier process of this number. */
    while (socket_is_there(p) && (fd = connect_once(p)) < 0 && errno == EAGAIN &&
           wire_left_ms(deadline) > 0)
        wire_nap(NAP_MS, deadline);
    if (fd >= 0)
        return fd;
    if (errno == EAGAIN && socket_is_there(p))
        return attach_fail(
            err, ATTACH_E_SILENT,
            "process %d has too many attach requests at once, or it hangs: try again",
            (int)p->jvm->pid);
    return wake_jvm(p, deadline, err);
}

/* Connects to the JVM within timeout_ms (> 0); makes it listen first if it does not. Returns a
 * non-blocking descriptor, which the caller closes. */
static int attach_connect(const struct jvm *jvm, int timeout_ms, struct attach_error *err)
{
    struct place p = {.jvm = jvm, .tmp = attach_open_dir(jvm, "/tmp")};
    int fd;

    if (p.tmp < 0)
        return attach_fail(err, errno == ENOENT ? ATTACH_E_GONE : ATTACH_E_SYSTEM,
                           "cannot enter /tmp of process %d: %s", (int)jvm->pid, strerror(errno));
    snprintf(p.socket, sizeof(p.socket), ".java_pid%d", (int)jvm->nspid);
    errno = 0;
    fd = connect_place(&p, wire_deadline(timeout_ms), err);
    close(p.tmp);
    return fd;
}

static int load_once(const struct jvm *jvm, const char *library, const char *options,
                     int64_t deadline, struct attach_error *err)
{
    int fd = attach_connect(jvm, wire_left_ms(deadline), err), left, rc;

    if (fd < 0)
        return fd;
    left = wire_left_ms(deadline);
    rc = attach_request_load(fd, library, options, left > 1000 ? left : 1000, err);
    close(fd);
    return rc;
}

int attach_load(const struct jvm *jvm, const char *library, const char *options, int timeout_ms,
                struct attach_error *err)
{
    int64_t deadline = wire_deadline(timeout_ms);
    int rc;

    while ((rc = load_once(jvm, library, options, deadline, err)) == ATTACH_E_EARLY &&
           wire_left_ms(deadline) > NAP_MS)
        wire_nap(NAP_MS, deadline);
    if (rc == 0)
        *err = (struct attach_error){0};
    return rc;
}
