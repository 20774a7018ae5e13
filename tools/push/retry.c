/*
 * retry.c - which answers of a server are worth another request, and how long to wait before it.
 *
 * retry_send() repeats until the time is over; retry_once() is for live.c, whose spool keeps what
 * failed.
 */
#include "tools/push/retry.h"

#include "jfrfmt/base/now.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_MS 500
#define MOST_MS 15000

static bool is_worth_a_retry(long status)
{
    return status == 408 || status == 429 ||
           (status >= 500 && status <= 599 && status != 501 && status != 505);
}

static enum retry_result result_of(long status)
{
    if (is_worth_a_retry(status))
        return RETRY_LATER;
    return status == 401 || status == 403 || status == 404 || status == 407 || status / 100 == 3
               ? RETRY_WRONG
               : RETRY_REFUSED;
}

static const char *hint_of(long status)
{
    return status == 401 || status == 403 || status == 407
               ? "; is the header with the password or token right?"
           : status == 404     ? "; is the path of the URL right?"
           : status / 100 == 3 ? "; give the address that it redirects to"
                               : "";
}

enum retry_result retry_once(const struct http_request *request, char why[RETRY_WHY],
                             int64_t *pause_ms)
{
    struct jfr_error failure = {0};
    struct http_answer answer;
    int rc = http_send(request, &answer, &failure);

    *pause_ms = answer.retry_after_s * 1000;
    if (rc == 0 && answer.status >= 200 && answer.status <= 299)
        return RETRY_SENT;
    if (rc != 0) {
        snprintf(why, RETRY_WHY, "%s", failure.text);
        return rc == JFR_E_IO ? RETRY_LATER : RETRY_WRONG;
    }
    snprintf(why, RETRY_WHY, "the server answers %ld%s%s%s", answer.status,
             answer.text[0] == '\0' ? "" : ": ", answer.text, hint_of(answer.status));
    return result_of(answer.status);
}

int64_t retry_pause(unsigned n, int64_t asked_ms, int64_t first_ms, int64_t most_ms)
{
    static bool is_seeded;
    int64_t most = n > 16 ? most_ms : first_ms << n;

    if (!is_seeded)
        srandom((unsigned)now_ns(CLOCK_MONOTONIC));
    is_seeded = true;
    most = most > most_ms ? most_ms : most;
    most = most / 2 + random() % (most / 2 + 1);
    return asked_ms > most ? asked_ms : most;
}

static void wait_for_ms(int64_t ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0)
        ;
}

int retry_send(const struct retry *how, const struct http_request *request, struct jfr_error *err)
{
    int64_t waited = 0, pause;
    char why[RETRY_WHY];

    for (unsigned n = 0;; n++) {
        switch (retry_once(request, why, &pause)) {
        case RETRY_SENT:
            return 0;
        case RETRY_WRONG:
        case RETRY_REFUSED:
            return jfr_fail(err, JFR_E_IO, 0, "%s", why);
        case RETRY_LATER:
            break;
        }
        pause = retry_pause(n, pause, FIRST_MS, MOST_MS);
        if (waited + pause > how->wait_ms)
            return jfr_fail(err, JFR_E_IO, 0, "%s (%u tries)", why, n + 1);
        how->note(how->ctx, why, pause);
        wait_for_ms(pause);
        waited += pause;
    }
}
