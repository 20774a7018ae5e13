/*
 * http.h - one HTTP request that sends files, by libcurl, which is loaded when it is first needed.
 *
 *     if (http_open(&err) != 0) ...
 *     rc = http_send(&request, &answer, &err);
 *
 * TLS certificates are checked. Proxies are those of the environment (https_proxy, no_proxy).
 * Redirects are not followed: a password would go to another server. Threads: one.
 */
#ifndef TOOLS_PUSH_HTTP_H
#define TOOLS_PUSH_HTTP_H

#include "jfrfmt/base/error.h"
#include "tools/cli/cli.h"

#include <stddef.h>
#include <stdint.h>

#define HTTP_PARTS 2
#define HTTP_TEXT 200

struct http_part { /* of multipart/form-data */
    const char *name, *type;
    const char *path; /* of a file; NULL: the part is left out */
};

struct http_request {
    const char *method; /* "POST", "PUT" */
    const char *url; /* http or https */
    const struct cli_list *headers; /* "Name: value" */
    const char *body; /* the path of a file; NULL: the parts */
    struct http_part parts[HTTP_PARTS];
    int64_t timeout_ms; /* of the whole request */
    const char *cacert; /* a file of certificates; NULL: those of the system */
};

struct http_answer {
    long status; /* 200 */
    int64_t retry_after_s; /* as the server asks; 0: it does not */
    char text[HTTP_TEXT]; /* the beginning of the body, on one line */
};

/* Loads libcurl. Returns 0, or JFR_E_UNSUPPORTED and *err if it is not installed. */
int http_open(struct jfr_error *err);

/* Sends a request and reads the answer, whatever its status. 0, or negative and *err if there is no
 * answer: JFR_E_IO; JFR_E_FORMAT if the URL is no good, JFR_E_NOMEM. */
int http_send(const struct http_request *request, struct http_answer *answer,
              struct jfr_error *err);

#endif
