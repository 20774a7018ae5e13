/*
 * attach_wire.c - the messages of the attach protocol over a connected socket.
 *
 * In: a socket and a deadline. Out: whether the agent was loaded, with the words of the JVM if not.
 * JDKs differ in the form of the answer; attach_judge_load() accepts each.
 */
#include "tools/rec/attach_internal.h"
#include "tools/rec/attach.h"
#include "jfrfmt/base/now.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#define BAD_VERSION 101 /* HotSpot's ATTACH_ERROR_BADVERSION */

int64_t wire_deadline(int timeout_ms)
{
    return now_ns(CLOCK_MONOTONIC) + (int64_t)timeout_ms * 1000000;
}

int wire_left_ms(int64_t deadline)
{
    int64_t left = deadline - now_ns(CLOCK_MONOTONIC);

    return left <= 0 ? 0 : (int)(left / 1000000 + 1);
}

void wire_nap(int ms, int64_t deadline)
{
    int left = wire_left_ms(deadline);

    poll(NULL, 0, ms < left ? ms : left);
}

/* True once fd is ready for `events`; false at the deadline. */
static bool ready(int fd, short events, int64_t deadline)
{
    struct pollfd p = {fd, events, 0};
    int left, rc = 0;

    while (rc <= 0 && (left = wire_left_ms(deadline)) > 0) {
        rc = poll(&p, 1, left);
        if (rc < 0 && errno != EINTR)
            return false;
    }
    return rc > 0;
}

static int silent(struct attach_error *err)
{
    return attach_fail(err, ATTACH_E_SILENT,
                       "the JVM does not answer in time: it hangs, or it is very busy");
}

static int hung_up(struct attach_error *err)
{
    return attach_fail(
        err, ATTACH_E_PROTOCOL,
        "the JVM closed the connection without an answer: run this command as the user "
        "and group of the JVM, or as root");
}

static int send_all(int fd, const char *p, size_t n, int64_t deadline, struct attach_error *err)
{
    while (n > 0) {
        ssize_t sent;

        if (!ready(fd, POLLOUT, deadline))
            return silent(err);
        sent = send(fd, p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return hung_up(err);
        p += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

/* Everything until the other side closes; *n bytes at reply, which has room for ATTACH_REPLY_MAX.
 */
static int receive_all(int fd, char *reply, size_t *n, int64_t deadline, struct attach_error *err)
{
    *n = 0;
    while (*n < ATTACH_REPLY_MAX) {
        ssize_t got;

        if (!ready(fd, POLLIN, deadline))
            return silent(err);
        got = recv(fd, reply + *n, ATTACH_REPLY_MAX - *n, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return *n == 0 ? hung_up(err) : 0; /* a reset after a reply is no harm */
        *n += got > 0 ? (size_t)got : 0;
    }
    return attach_fail(err, ATTACH_E_PROTOCOL, "the JVM's answer is longer than an answer can be");
}

/* The next line of *p without the end of line; NULL at the end. */
static char *next_wire_line(char **p)
{
    char *line = *p;

    if (*line == '\0')
        return NULL;
    *p = line + strcspn(line, "\n");
    if (**p == '\n')
        *(*p)++ = '\0';
    return line;
}

static bool parse_number(const char *text, int *value)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(text, &end, 10);
    if (end == text || (*end != '\0' && *end != '\r') || errno != 0 || v != (int)v)
        return false;
    *value = (int)v;
    return true;
}

/* The agent's own return value, in the words of JDK 8 ("0") or later ("return code: 0"). */
static bool is_agent_code(const char *line, int *value)
{
    static const char words[] = "return code: ";

    if (strncmp(line, words, sizeof(words) - 1) == 0)
        line += sizeof(words) - 1;
    return parse_number(line, value);
}

/* Lines joined by blanks, without control characters. */
static void flatten(char *text)
{
    size_t n = strlen(text);

    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
}

static int refused(char *words, struct attach_error *err)
{
    const char *advice = "";

    flatten(words);
    if (words[0] == '\0')
        return attach_fail(err, ATTACH_E_REFUSED,
                           "the JVM could not load the agent and gives no "
                           "reason");
    if (strstr(words, "live phase") != NULL) /* from JDK 21 on */
        return attach_fail(err, ATTACH_E_EARLY, "the JVM is still starting; it says: %.500s",
                           words);
    if (strstr(words, "EnableDynamicAgentLoading") != NULL)
        advice = "; or start the program with jfrkit record";
    else if (strstr(words, "failed to map segment") != NULL)
        advice = " (is its /tmp mounted noexec? --agent names another place)";
    else if (strstr(words, "cannot open shared object file") != NULL)
        advice =
            " (is the JVM in a container without glibc? name a library that it can load, --agent)";
    return attach_fail(err, ATTACH_E_REFUSED, "the JVM says: %.500s%s", words, advice);
}

int attach_judge_load(const char *reply, size_t n, struct attach_error *err)
{
    char text[4096], *p = text, *line;
    int status, code, rc;

    snprintf(text, sizeof(text), "%.*s", (int)(n < sizeof(text) ? n : sizeof(text) - 1), reply);
    line = next_wire_line(&p);
    if (line == NULL || !parse_number(line, &status))
        return attach_fail(err, ATTACH_E_PROTOCOL, "the JVM's answer is not understood: \"%.60s\"",
                           line == NULL ? "" : line);
    if (status == BAD_VERSION)
        return attach_fail(err, ATTACH_E_PROTOCOL,
                           "the JVM speaks another version of the attach "
                           "protocol");
    line = p;
    if (status == 0 && is_agent_code((line = next_wire_line(&p)) == NULL ? "" : line, &code)) {
        if (code == 0)
            return 0;
        if (code == EX_TEMPFAIL)
            return attach_fail(err, ATTACH_E_EARLY, "the JVM is still starting, or ends");
        rc = attach_fail(err, ATTACH_E_AGENT,
                         "the agent failed with code %d: the JVM's own output "
                         "says why",
                         code);
        err->agent_code = code;
        return rc;
    }
    if (line != NULL && line + strlen(line) + 1 == p)
        p[-1] = '\n'; /* the message continues */
    return refused(line == NULL ? p : line, err);
}

int attach_request_load(int fd, const char *library, const char *options, int timeout_ms,
                        struct attach_error *err)
{
    static const char head[] = "1\0load", absolute[] = "true";
    size_t n_library = strlen(library) + 1, n_options = strlen(options) + 1, n = 0, n_reply;
    char request[sizeof(head) + 2 * (ATTACH_OPTIONS_MAX + 1) + sizeof(absolute)], *reply;
    int64_t deadline = wire_deadline(timeout_ms);
    int rc;

    if (n_library - 1 > ATTACH_OPTIONS_MAX || n_options - 1 > ATTACH_OPTIONS_MAX)
        return attach_fail(err, ATTACH_E_LONG,
                           "the %s is %zu bytes long, a JVM accepts %d: shorten names or options",
                           n_library > n_options ? "library's path" : "agent's option text",
                           (n_library > n_options ? n_library : n_options) - 1, ATTACH_OPTIONS_MAX);
    memcpy(request + n, head, sizeof(head));
    memcpy(request + (n += sizeof(head)), library, n_library);
    memcpy(request + (n += n_library), absolute, sizeof(absolute));
    memcpy(request + (n += sizeof(absolute)), options, n_options);
    if ((rc = send_all(fd, request, n + n_options, deadline, err)) < 0)
        return rc;
    reply = malloc(ATTACH_REPLY_MAX);
    if (reply == NULL)
        return attach_fail(err, ATTACH_E_SYSTEM, "out of memory");
    rc = receive_all(fd, reply, &n_reply, deadline, err);
    if (rc == 0)
        rc = attach_judge_load(reply, n_reply, err);
    free(reply);
    return rc;
}
