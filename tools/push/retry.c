/* retry.c - which answers are worth another try, and how long to wait for it. */
#include "tools/push/retry.h"

#include "jfrfmt/base/now.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_MS 500
#define MOST_MS 15000
#define WHY 300

static bool is_worth_a_retry(long status)
{
    return status == 408 || status == 429 ||
           (status >= 500 && status <= 599 && status != 501 && status != 505);
}

/* "503: busy", or why there was no answer. Returns whether another try may help. */
static bool weigh_answer(int rc, const struct http_answer *answer, const struct jfr_error *err,
                         char why[WHY])
{
    const char *hint = answer->status == 401 || answer->status == 403
                           ? "; is the header with the password or token right?"
                       : answer->status == 404 ? "; is the path of the URL right?"
                       : answer->status >= 300 && answer->status < 400
                           ? "; give the address that it redirects to"
                           : "";

    if (rc != 0)
        snprintf(why, WHY, "%s", err->text);
    else
        snprintf(why, WHY, "the server answers %ld%s%s%s", answer->status,
                 answer->text[0] == '\0' ? "" : ": ", answer->text, hint);
    return rc == JFR_E_IO || (rc == 0 && is_worth_a_retry(answer->status));
}

/* Between half and all of FIRST_MS * 2^n. */
static int64_t pause_after(unsigned n, const struct http_answer *answer)
{
    int64_t most = n > 5 ? MOST_MS : FIRST_MS << n, asked = answer->retry_after_s * 1000;

    most = most > MOST_MS ? MOST_MS : most;
    most = most / 2 + random() % (most / 2 + 1);
    return asked > most ? asked : most;
}

static void wait_for_ms(int64_t ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0)
        ;
}

int retry_send(const struct retry *how, const struct http_request *request, struct jfr_error *err)
{
    int64_t waited = 0;
    char why[WHY];

    srandom((unsigned)now_ns(CLOCK_MONOTONIC));
    for (unsigned n = 0;; n++) {
        struct jfr_error failure = {0};
        struct http_answer answer;
        int rc = http_send(request, &answer, &failure);
        int64_t pause = pause_after(n, &answer);
        bool is_worth = weigh_answer(rc, &answer, &failure, why);

        if (rc == 0 && answer.status >= 200 && answer.status <= 299)
            return 0;
        if (!is_worth)
            return jfr_fail(err, rc != 0 ? (enum jfr_errc)rc : JFR_E_IO, 0, "%s", why);
        if (waited + pause > how->wait_ms)
            return jfr_fail(err, JFR_E_IO, 0, "%s (%u tries)", why, n + 1);
        how->note(how->ctx, why, pause);
        wait_for_ms(pause);
        waited += pause;
    }
}
