/*
 * push_state.c - reads how the sending of a recording goes, for jfrkit status and stop.
 *
 * The sender is another process, perhaps in another container, so it is not looked for: a state
 * that is older than a few intervals says that the sender has gone.
 */
#include "tools/rec/push_state.h"

#include "convert/report/summary_names.h"
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/now.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE_MOST 4096 /* bytes of the file that are read */
#define OLD_MS 90000 /* a request and its pause may take a minute each */

void push_state_folder(const char *recording, char *folder, size_t room)
{
    size_t n = strlen(recording);
    const char *name = recording;

    while (n > 1 && recording[n - 1] == '/')
        n--;
    if (strncmp(recording, "/proc/", 6) == 0)
        for (size_t i = 0; i < n; i++)
            if (recording[i] == '/')
                name = recording + i + 1;
    snprintf(folder, room, "%.*s.push", (int)(recording + n - name), name);
}

/* Opens the state; -1: there is none that can be trusted. *age_ms: since it was written. */
static int open_push_state(const char *recording, int64_t *age_ms)
{
    char folder[JVM_PATH_MAX + 80], path[JVM_PATH_MAX + 96];
    struct stat st;
    int fd;

    push_state_folder(recording, folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/" PUSH_STATE_NAME, folder);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0)) {
        close(fd);
        return -1;
    }
    *age_ms = now_ns(CLOCK_REALTIME) / 1000000 -
              (st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000);
    return fd;
}

/* Appends lines to an answer, in which each is a terminated string. */
static void append_state(struct agent_reply *reply, char *text, size_t n)
{
    char *all = realloc(reply->text, reply->n + n + 1);

    if (all == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            text[i] = '\0';
    memcpy(all + reply->n, text, n);
    reply->text = all;
    reply->n += n;
    all[reply->n] = '\0';
}

void push_state_add(const char *recording, struct agent_reply *reply)
{
    char text[STATE_MOST + 64];
    int64_t age_ms = 0;
    int fd = open_push_state(recording, &age_ms);
    ssize_t n;

    if (fd < 0)
        return;
    n = read(fd, text, STATE_MOST);
    close(fd);
    if (n <= 0 || n == STATE_MOST || text[n - 1] != '\n' || memchr(text, 0, (size_t)n) != NULL ||
        strncmp(text, "push-", 5) != 0)
        return;
    n += snprintf(text + n, sizeof(text) - (size_t)n, "push-age-ms: %lld\n", (long long)age_ms);
    append_state(reply, text, (size_t)n);
}

static long long push_number(const struct agent_reply *reply, const char *key)
{
    const char *text = agent_reply_get(reply, key);

    return text == NULL ? 0 : atoll(text);
}

bool push_state_put(const struct agent_reply *reply, struct buf *b)
{
    const char *to = agent_reply_get(reply, "push-to"),
               *state = agent_reply_get(reply, "push-state"),
               *error = agent_reply_get(reply, "push-error");
    long long n_sent = push_number(reply, "push-sent"), n_lost = push_number(reply, "push-lost");
    bool has_ended = state != NULL && strcmp(state, "ended") == 0;

    if (to == NULL)
        return false;
    buf_str(b, has_ended ? "sent to " : "sending to ");
    names_plain(b, to);
    buf_printf(b, ": %lld interval%s, ", n_sent, n_sent == 1 ? "" : "s");
    amount_put_bytes(b, push_number(reply, "push-sent-bytes"));
    buf_printf(b, "; %lld wait", push_number(reply, "push-waiting"));
    buf_printf(b, n_lost == 0 ? ", none lost" : ", %lld lost", n_lost);
    if (error != NULL) {
        buf_str(b, "; last error: ");
        names_plain(b, error);
    }
    if (!has_ended &&
        push_number(reply, "push-age-ms") > OLD_MS + 3 * push_number(reply, "push-every-ms"))
        buf_printf(b, "; no news for %lld s: is jfrkit push still running?",
                   push_number(reply, "push-age-ms") / 1000);
    return true;
}
