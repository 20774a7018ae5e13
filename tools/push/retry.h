/*
 * retry.h - sends a request, again and again while the server is away or busy.
 *
 * Repeated: no answer (refused, reset, too slow), 408, 429, and 5xx but 501 and 505. Between two
 * tries it waits half a second, then twice as long each time, up to 15 s, and of that between half
 * and all, so that many senders do not come back at one moment; longer if the server requests it.
 */
#ifndef TOOLS_PUSH_RETRY_H
#define TOOLS_PUSH_RETRY_H

#include "tools/push/http.h"

#define RETRY_WHY 300

enum retry_result {
    RETRY_SENT,
    RETRY_LATER, /* another try may help */
    RETRY_WRONG, /* something is wrong with the request that a user can mend: password, path */
    RETRY_REFUSED, /* the server does not accept this body */
};

/* Sends a request once. *why: the answer, or why there was none; *pause_ms: what the server
 * requests before the next try, or 0. */
enum retry_result retry_once(const struct http_request *request, char why[RETRY_WHY],
                             int64_t *pause_ms);

/* The pause after the n-th failed request in a row, counted from 0: between half and all of
 * first_ms * 2^n, and of most_ms at most, or what the server requests if that is longer. */
int64_t retry_pause(unsigned n, int64_t asked_ms, int64_t first_ms, int64_t most_ms);

struct retry {
    int64_t wait_ms; /* that all pauses together may take */
    void (*note)(void *ctx, const char *why, int64_t pause_ms); /* before each pause */
    void *ctx;
};

/* Returns 0 if the server has taken the request (2xx); else negative, and *err says what the last
 * answer was: a status that is not repeated, or that the time is over. */
int retry_send(const struct retry *how, const struct http_request *request, struct jfr_error *err);

#endif
