/*
 * destination.c - OTLP by its path, Pyroscope by its path, and any other URL as a place for files.
 */
#include "tools/push/destination.h"

#include "convert/text/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define OTLP_PATH "/v1development/profiles"
#define PYROSCOPE_PATH "/ingest"
#define SECOND INT64_C(1000000000)

static const struct kind {
    const char *name;
    enum body_format format;
    bool is_pyroscope, is_post;
} kinds[] = {
    {"otlp", BODY_OTLP, false, true},
    {"pyroscope", BODY_LABELLED, true, true},
    {"pyroscope-pprof", BODY_PPROF, true, true},
    {"recording", BODY_RECORDING, false, false},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What follows the host: "/path?query", or "". */
static const char *url_path(const char *url)
{
    const char *host = strstr(url, "://");

    return host == NULL ? "" : host + 3 + strcspn(host + 3, "/?");
}

static bool url_ends_with(const char *url, const char *path)
{
    const char *mine = url_path(url);
    size_t n = strcspn(mine, "?"), m = strlen(path);

    return n >= m && memcmp(mine + n - m, path, m) == 0;
}

static const struct kind *kind_for(const char *url, const char *format)
{
    if (format == NULL)
        format = url_ends_with(url, OTLP_PATH)        ? "otlp"
                 : url_ends_with(url, PYROSCOPE_PATH) ? "pyroscope"
                                                      : "recording";
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, format) == 0)
            return &kinds[i];
    return NULL;
}

int destination_read(const struct cli_command *command, const char *url, const char *format,
                     struct destination *to)
{
    const struct kind *kind;

    if (url == NULL)
        return cli_usage(command, "--to is missing: where the recording is to be sent");
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return cli_usage(command, "--to: not a URL that begins with http:// or https://");
    kind = kind_for(url, format);
    if (kind == NULL)
        return cli_usage(command,
                         "--format: '%s' is none of otlp, pyroscope, pyroscope-pprof, recording",
                         format);
    to->url = url;
    to->format = kind->format;
    to->is_pyroscope = kind->is_pyroscope;
    to->is_post |= kind->is_post;
    return 0;
}

bool destination_is_packed(const char *url)
{
    size_t n = url == NULL ? 0 : strcspn(url, "?");

    return n > 3 && memcmp(url + n - 3, ".gz", 3) == 0;
}

bool destination_has_password(const char *url)
{
    const char *host = strstr(url, "://");

    return host != NULL && memchr(host + 3, '@', strcspn(host + 3, "/?")) != NULL;
}

const char *destination_format_name(const struct destination *to)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].format == to->format)
            return kinds[i].name;
    return "";
}

/* --- URLs --- */

static void put_encoded(struct buf *url, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~", c) != NULL);

        if (is_plain)
            buf_byte(url, c);
        else
            buf_printf(url, "%%%02X", c);
    }
}

static void put_utc(struct buf *url, int64_t ns, const char *form)
{
    time_t s = (time_t)(ns / SECOND);
    struct tm t;
    char text[32];

    gmtime_r(&s, &t);
    strftime(text, sizeof(text), form, &t);
    buf_str(url, text);
}

const char *destination_name(const char *recording, int *n)
{
    const char *slash = strrchr(recording, '/'), *name = slash == NULL ? recording : slash + 1;

    *n = out_stem_length(name);
    return name;
}

static void put_recording_name(struct buf *url, const char *recording)
{
    int n;
    const char *name = destination_name(recording, &n);

    put_encoded(url, name, (size_t)n);
}

static void put_host_name(struct buf *url)
{
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    put_encoded(url, host, strlen(host));
}

/* Puts what a word in braces stands for; false: nothing. */
static bool put_word(struct buf *url, const char *word, size_t n, const char *recording,
                     const struct body *body)
{
    if (n == 6 && memcmp(word, "{name}", n) == 0)
        put_recording_name(url, recording);
    else if (n == 6 && memcmp(word, "{host}", n) == 0)
        put_host_name(url);
    else if (n == 6 && memcmp(word, "{date}", n) == 0)
        put_utc(url, body->start_ns, "%Y-%m-%d");
    else if (n == 6 && memcmp(word, "{time}", n) == 0)
        put_utc(url, body->start_ns, "%Y%m%dT%H%M%SZ");
    else
        return false;
    return true;
}

static void put_template(struct buf *url, const char *text, const char *recording,
                         const struct body *body)
{
    while (*text != '\0') {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;

        if (end != NULL && put_word(url, text, (size_t)(end + 1 - text), recording, body))
            text = end + 1;
        else
            buf_byte(url, (uint8_t)*text++);
    }
}

static void put_pyroscope_query(const struct destination *to, const struct body *body,
                                struct buf *url)
{
    buf_str(url, strchr(url_path(to->url), '?') == NULL ? "?name=" : "&name=");
    put_encoded(url, to->service, strlen(to->service));
    buf_printf(url, "&from=%" PRId64 "&until=%" PRId64 "&format=%s", body->start_ns / SECOND,
               body->end_ns / SECOND + 1, to->format == BODY_PPROF ? "pprof" : "jfr");
}

void destination_put_url(const struct destination *to, const char *recording,
                         const struct body *body, struct buf *url)
{
    const char *path = url_path(to->url);
    bool is_bare = *path == '\0' || strcmp(path, "/") == 0;

    put_template(url, to->url, recording, body);
    if (is_bare && to->format != BODY_RECORDING && url->n > 0 && url->p[url->n - 1] == '/')
        url->n--;
    if (is_bare && to->format == BODY_OTLP)
        buf_str(url, OTLP_PATH);
    else if (is_bare && to->is_pyroscope)
        buf_str(url, PYROSCOPE_PATH);
    if (to->is_pyroscope)
        put_pyroscope_query(to, body, url);
    else if (to->format == BODY_RECORDING && (*path == '\0' || path[strlen(path) - 1] == '/'))
        put_template(url, *path == '\0' ? "/{host}/{name}-{time}.jfr" : "{host}/{name}-{time}.jfr",
                     recording, body);
    buf_byte(url, '\0');
}

void destination_show(const char *url, struct buf *text)
{
    const char *host = strstr(url, "://"), *at;
    size_t n = strcspn(url, "?");

    if (host != NULL) {
        host += 3;
        at = memchr(host, '@', strcspn(host, "/?"));
        buf_bytes(text, url, (size_t)(host - url));
        url = at == NULL ? host : at + 1;
        n = strcspn(url, "?");
    }
    buf_bytes(text, url, n);
    buf_str(text, url[n] == '?' ? "?..." : "");
    buf_byte(text, '\0');
}
