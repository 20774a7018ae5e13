/*
 * http.c - requests by libcurl. Each has a handle of its own, so that nothing of one request, such
 * as a header with a password, is left for the next.
 */
#include "tools/push/http.h"

#include "tools/push/curl_numbers.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECT_MS 10000L

struct curl_slist;

static struct {
    void *library;
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    int (*setopt)(void *easy, int option, ...);
    int (*getinfo)(void *easy, int info, ...);
    int (*perform)(void *easy);
    void (*cleanup)(void *easy);
    const char *(*error_text)(int code);
    struct curl_slist *(*list_append)(struct curl_slist *list, const char *text);
    void (*list_free)(struct curl_slist *list);
    void *(*mime_init)(void *easy);
    void *(*mime_addpart)(void *mime);
    int (*mime_name)(void *part, const char *name);
    int (*mime_type)(void *part, const char *type);
    int (*mime_filedata)(void *part, const char *path);
    void (*mime_free)(void *mime);
} curl;

static bool find_curl_function(const char *name, void *to)
{
    *(void **)to = dlsym(curl.library, name);
    return *(void **)to != NULL;
}

static bool find_curl_functions(void)
{
    return find_curl_function("curl_global_init", &curl.global_init) &&
           find_curl_function("curl_easy_init", &curl.easy_init) &&
           find_curl_function("curl_easy_setopt", &curl.setopt) &&
           find_curl_function("curl_easy_getinfo", &curl.getinfo) &&
           find_curl_function("curl_easy_perform", &curl.perform) &&
           find_curl_function("curl_easy_cleanup", &curl.cleanup) &&
           find_curl_function("curl_easy_strerror", &curl.error_text) &&
           find_curl_function("curl_slist_append", &curl.list_append) &&
           find_curl_function("curl_slist_free_all", &curl.list_free) &&
           find_curl_function("curl_mime_init", &curl.mime_init) &&
           find_curl_function("curl_mime_addpart", &curl.mime_addpart) &&
           find_curl_function("curl_mime_name", &curl.mime_name) &&
           find_curl_function("curl_mime_type", &curl.mime_type) &&
           find_curl_function("curl_mime_filedata", &curl.mime_filedata) &&
           find_curl_function("curl_mime_free", &curl.mime_free);
}

int http_open(struct jfr_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

    for (size_t i = 0; i < 2 && curl.library == NULL; i++)
        curl.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (curl.library == NULL)
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0,
                        "needs libcurl: libcurl.so.4, of Debian's libcurl4");
    if (!find_curl_functions() || curl.global_init(NUMBER_GLOBAL_DEFAULT) != NUMBER_OK)
        return jfr_fail(err, JFR_E_UNSUPPORTED, 0, "needs libcurl 7.66 or later");
    return 0;
}

/* --- callbacks --- */

/* Keeps the beginning of the answer, in printable characters. */
static size_t take_answer(char *bytes, size_t size, size_t n, void *ctx)
{
    struct http_answer *to = ctx;
    size_t have = strlen(to->text);

    for (size_t i = 0; i < size * n && have + 1 < sizeof(to->text); i++)
        if (bytes[i] >= ' ' && bytes[i] <= '~')
            to->text[have++] = bytes[i];
        else if (have > 0 && to->text[have - 1] != ' ')
            to->text[have++] = ' ';
    to->text[have] = '\0';
    return size * n;
}

static size_t give_body(char *bytes, size_t size, size_t n, void *ctx)
{
    ssize_t got = read(*(const int *)ctx, bytes, size * n);

    return got < 0 ? 0x10000000 : (size_t)got; /* ends the transfer */
}

/* A server that requests a password, or closes an idle connection, gets the body twice. */
static int seek_body(void *ctx, int64_t offset, int origin)
{
    return lseek(*(const int *)ctx, offset, origin) < 0 ? 1 : 0;
}

/* --- one request --- */

/* What a request holds until it has ended. */
struct transfer {
    void *easy, *mime;
    struct curl_slist *headers;
    int body;
    char message[NUMBER_ERROR_BUFFER];
};

static bool add_headers(struct transfer *t, const struct http_request *request)
{
    /* Without this libcurl waits a second for a server that does not know the header. */
    t->headers = curl.list_append(NULL, "Expect:");
    for (size_t i = 0; t->headers != NULL && i < request->headers->n; i++) {
        struct curl_slist *more = curl.list_append(t->headers, request->headers->items[i]);

        if (more == NULL)
            return false;
        t->headers = more;
    }
    return t->headers != NULL;
}

/* 0, or negative and *err. */
static int add_body(struct transfer *t, const struct http_request *request, struct jfr_error *err)
{
    struct stat file;

    t->body = open(request->body, O_RDONLY | O_CLOEXEC);
    if (t->body < 0 || fstat(t->body, &file) != 0)
        return jfr_fail(err, JFR_E_IO, 0, "%s: %s", request->body, strerror(errno));
    curl.setopt(t->easy, NUMBER_UPLOAD, 1L);
    curl.setopt(t->easy, NUMBER_CUSTOMREQUEST, request->method);
    curl.setopt(t->easy, NUMBER_INFILESIZE_LARGE, (int64_t)file.st_size);
    curl.setopt(t->easy, NUMBER_READFUNCTION, give_body);
    curl.setopt(t->easy, NUMBER_READDATA, &t->body);
    curl.setopt(t->easy, NUMBER_SEEKFUNCTION, seek_body);
    curl.setopt(t->easy, NUMBER_SEEKDATA, &t->body);
    return 0;
}

static bool add_form(struct transfer *t, const struct http_request *request)
{
    t->mime = curl.mime_init(t->easy);
    for (size_t i = 0; t->mime != NULL && i < HTTP_PARTS; i++) {
        const struct http_part *from = &request->parts[i];
        void *part = from->path == NULL ? NULL : curl.mime_addpart(t->mime);

        if (from->path != NULL && (part == NULL || curl.mime_name(part, from->name) != NUMBER_OK ||
                                   curl.mime_filedata(part, from->path) != NUMBER_OK ||
                                   curl.mime_type(part, from->type) != NUMBER_OK))
            return false;
    }
    curl.setopt(t->easy, NUMBER_MIMEPOST, t->mime);
    return t->mime != NULL;
}

static void set_options(struct transfer *t, const struct http_request *request,
                        struct http_answer *answer)
{
    curl.setopt(t->easy, NUMBER_URL, request->url);
    curl.setopt(t->easy, NUMBER_PROTOCOLS, (long)NUMBER_HTTP_AND_HTTPS);
    curl.setopt(t->easy, NUMBER_HTTPHEADER, t->headers);
    curl.setopt(t->easy, NUMBER_USERAGENT, "jfrkit/" JFRKIT_VERSION);
    curl.setopt(t->easy, NUMBER_NOSIGNAL, 1L);
    curl.setopt(t->easy, NUMBER_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl.setopt(t->easy, NUMBER_TIMEOUT_MS, (long)request->timeout_ms);
    curl.setopt(t->easy, NUMBER_ERRORBUFFER, t->message);
    curl.setopt(t->easy, NUMBER_WRITEFUNCTION, take_answer);
    curl.setopt(t->easy, NUMBER_WRITEDATA, answer);
    if (request->cacert != NULL)
        curl.setopt(t->easy, NUMBER_CAINFO, request->cacert);
}

static int fail_transfer(const struct transfer *t, int code, struct jfr_error *err)
{
    const char *text = t->message[0] != '\0' ? t->message : curl.error_text(code);

    if (code == NUMBER_OUT_OF_MEMORY)
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return jfr_fail(err, code == NUMBER_URL_MALFORMAT ? JFR_E_FORMAT : JFR_E_IO, 0, "%s", text);
}

static int perform(struct transfer *t, const struct http_request *request,
                   struct http_answer *answer, struct jfr_error *err)
{
    int code;

    t->easy = curl.easy_init();
    if (t->easy == NULL || !add_headers(t, request))
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    if (request->body == NULL && !add_form(t, request))
        return jfr_fail(err, JFR_E_IO, 0, "the files cannot be read");
    if (request->body != NULL && add_body(t, request, err) != 0)
        return err->code;
    set_options(t, request, answer);
    code = curl.perform(t->easy);
    if (code != NUMBER_OK)
        return fail_transfer(t, code, err);
    curl.getinfo(t->easy, NUMBER_RESPONSE_CODE, &answer->status);
    curl.getinfo(t->easy, NUMBER_RETRY_AFTER, &answer->retry_after_s);
    return 0;
}

int http_send(const struct http_request *request, struct http_answer *answer, struct jfr_error *err)
{
    struct transfer t = {.body = -1};
    int rc;

    *answer = (struct http_answer){0};
    rc = perform(&t, request, answer, err);
    if (t.easy != NULL)
        curl.cleanup(t.easy);
    if (t.mime != NULL)
        curl.mime_free(t.mime);
    if (t.headers != NULL)
        curl.list_free(t.headers);
    if (t.body >= 0)
        close(t.body);
    return rc;
}
