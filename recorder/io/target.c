/*
 * target.c - finds the path or the peer of a file descriptor by readlink() of /proc/self/fd and
 * by getpeername().
 *
 * Hooks call it after a read or write, only if the call was slow enough for an event.
 */
#include "recorder/io/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

bool io_is_socket(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

size_t io_path(int fd, char out[IO_TARGET_MAX])
{
    char name[40];
    ssize_t n;

    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    n = readlink(name, out, IO_TARGET_MAX - 1);
    if (n < 0 || out[0] != '/')
        n = 0; /* "pipe:[4711]" */
    out[n] = '\0';
    return (size_t)n;
}

static size_t inet4(const struct in_addr *a, char *out)
{
    return inet_ntop(AF_INET, a, out, IO_TARGET_MAX) == NULL ? 0 : strlen(out);
}

static size_t inet6(const struct in6_addr *a, char *out)
{
    struct in_addr v4;

    if (!IN6_IS_ADDR_V4MAPPED(a))
        return inet_ntop(AF_INET6, a, out, IO_TARGET_MAX) == NULL ? 0 : strlen(out);
    memcpy(&v4, a->s6_addr + 12, sizeof(v4));
    return inet4(&v4, out);
}

static size_t local(const struct sockaddr_un *a, socklen_t n, char *out)
{
    size_t length = n - offsetof(struct sockaddr_un, sun_path);

    if (n <= offsetof(struct sockaddr_un, sun_path) || a->sun_path[0] == '\0')
        length = 0; /* without a name, or an abstract one */
    else
        length = strnlen(a->sun_path, length);
    return (size_t)snprintf(out, IO_TARGET_MAX, "[%.*s]", (int)length, a->sun_path);
}

size_t io_peer(int fd, char out[IO_TARGET_MAX], int *port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un un;
    } a;
    socklen_t n = sizeof(a);

    out[0] = '\0';
    *port = 0;
    if (getpeername(fd, &a.any, &n) != 0)
        return 0;
    switch (a.any.sa_family) {
    case AF_INET:
        *port = ntohs(a.v4.sin_port);
        return inet4(&a.v4.sin_addr, out);
    case AF_INET6:
        *port = ntohs(a.v6.sin6_port);
        return inet6(&a.v6.sin6_addr, out);
    case AF_UNIX:
        return local(&a.un, n, out);
    default:
        return 0;
    }
}
