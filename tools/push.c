/*
 * push.c - jfrkit push: sends recordings over HTTP, as OTLP profiles, to Pyroscope, or as files.
 *
 * tools/push makes what is sent, removes what must not leave the machine, and sends it, again while
 * the server is away. One recording after the other; the first that cannot be sent ends the run.
 */
#include "jfrfmt/base/amount.h"
#include "jfrfmt/base/quantity.h"
#include "tools/cli/internal.h"
#include "tools/cli/run.h"
#include "tools/push/body.h"
#include "tools/push/destination.h"
#include "tools/push/headers.h"
#include "tools/push/live.h"
#include "tools/push/retry.h"
#include "tools/rec/target.h"
#include "tools/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_RETRY "1m"
#define DEFAULT_TIMEOUT "1m"
#define DEFAULT_SPOOL "500MB"

struct push_options {
    const char *to, *format, *service, *header_file, *cacert, *retry, *timeout;
    const char *every, *spool, *spool_folder;
    struct cli_list redact;
    bool is_post, is_unscrubbed, has_no_contexts, is_dry_run, is_detached;
};

struct args {
    struct push_options push;
    struct cli_run_options run;
};

#define AT(member) offsetof(struct push_options, member)

static const struct cli_option rows[] = {
    {0, "to", "URL", "where to send it; @FILE holds the URL", CLI_STRING, AT(to),
     .more =
         "Send to this URL. A path that ends in /v1development/profiles gets OTLP profiles, one "
         "that ends in /ingest what Pyroscope reads, any other the recording itself by PUT. In "
         "the URL of a recording, {name}, {host}, {date} and {time} are its name, this machine, "
         "and the start of the recording; a URL that ends in / gets {host}/{name}-{time}.jfr "
         "appended. One that ends in .gz gets it packed. @FILE holds the URL, for one with a "
         "signature that other users must not see: a file that only you can read.",
     .example = "jfrkit push --to http://localhost:4318/v1development/profiles --dry-run app.jfr"},
    {'f', "format", "NAME", "otlp, pyroscope, pyroscope-pprof, recording", CLI_STRING, AT(format),
     .def = "by the URL",
     .more = "Send in this format. With otlp and the pyroscope formats, a URL without a path gets "
             "the path of the server.",
     .example = "jfrkit push -f pyroscope --to http://localhost:4040 --dry-run app.jfr"},
    {0, "service", "NAME", "the name of the application", CLI_STRING, AT(service),
     .def = "OTEL_SERVICE_NAME, or the recording's name",
     .more = "Send profiles under this name. OTEL_RESOURCE_ATTRIBUTES (key=value,...) adds "
             "attributes to OTLP profiles.",
     .example = "jfrkit push --service shop --to http://localhost:4318/v1development/profiles "
                "--dry-run app.jfr"},
    {0, "header-file", "FILE", "headers, with passwords and tokens", CLI_STRING, AT(header_file),
     .more =
         "Send these headers, each a line 'Name: value'. The file must be readable by you alone. "
         "JFRKIT_PUSH_HEADERS, and with otlp OTEL_EXPORTER_OTLP_HEADERS, hold headers, too: "
         "name=value,name=value."},
    {0, "cacert", "FILE", "trust these certificates", CLI_STRING, AT(cacert),
     .def = "those of the system", .more = "Trust the certificates of this file (PEM)."},
    {0, "post", NULL, "send the recording by POST in place of PUT", CLI_FLAG, AT(is_post)},
    {0, "unscrubbed", NULL, "do not remove what often holds secrets", CLI_FLAG, AT(is_unscrubbed),
     .more = "Leave in what jfrkit cut --scrub removes: command lines, system properties, the "
             "environment.",
     .example = "jfrkit push --unscrubbed --to http://localhost:9000/jfr/ --dry-run app.jfr"},
    {0, "no-contexts", NULL, "send no users, traces and other contexts", CLI_FLAG,
     AT(has_no_contexts), .more = "Remove the context of events, as jfrkit cut --no-contexts does.",
     .example = "jfrkit push --no-contexts --to http://localhost:9000/jfr/ --dry-run app.jfr"},
    {0, "redact", "NAME=hash:SECRET|drop", "replace a field's text by a keyed hash, or drop it",
     CLI_LIST, AT(redact), .more = "See jfrkit cut.",
     .example = "jfrkit push --redact path=drop --to http://localhost:9000/jfr/ --dry-run app.jfr"},
    {0, "retry", "TIME", "try again for so long (30s)", CLI_STRING, AT(retry), .def = DEFAULT_RETRY,
     .more = "Wait so long, all pauses together, for a server that refuses, does not answer, or "
             "answers 408, 429 or 5xx. 0s: try once."},
    {0, "timeout", "TIME", "give a request up after TIME (30s)", CLI_STRING, AT(timeout),
     .def = DEFAULT_TIMEOUT, .more = "Give one request up after this time."},
    {0, "every", "TIME", "send what is new every TIME (10s), until it ends", CLI_STRING, AT(every),
     .more =
         "Send a recording while it is written: every TIME the events that are new, until the "
         "recording or the JVM ends, or with ^C. The operand is a JVM that jfrkit records, by pid "
         "or main class, a recording, or a folder. Nothing is sent twice or left out, also if "
         "this program is started again.",
     .example = "jfrkit push --every 10s --to http://localhost:4318/v1development/profiles 4711"},
    {0, "spool", "SIZE", "keep so much while the server is away", CLI_STRING, AT(spool),
     .def = DEFAULT_SPOOL,
     .more = "With --every, keep at most so much that was not sent; the oldest "
             "is deleted, counted, and reported."},
    {0, "spool-folder", "DIR", "keep it in DIR", CLI_STRING, AT(spool_folder),
     .def = "RECORDING.push",
     .more = "With --every, keep what was not sent in this folder, which the next run reads. It is "
             "made for you alone. Default: beside the recording, with .push after its name, where "
             "jfrkit status finds it; in the current folder if the JVM is in a container."},
    {0, "detach", NULL, "with --every: send in a process of its own", CLI_FLAG, AT(is_detached),
     .more = "With --every, return once another process sends, whose id is printed. Its messages "
             "are in the file log of the spool folder."},
    {0, "dry-run", NULL, "print what would be sent", CLI_FLAG, AT(is_dry_run),
     .more = "Print the request that would be sent, and send nothing. With --every, check the "
             "options and print where it would be sent.",
     .example = "jfrkit push --to http://localhost:9000/jfr/ --dry-run app.jfr"},
};

static const struct cli_set own = CLI_SET(NULL, rows, 0);

static const struct cli_table tables[] = {
    {&own, offsetof(struct args, push)},
    {&cli_run_set, offsetof(struct args, run), .only = "quiet log-json"},
    {0},
};

static const struct cli_command command = {
    .name = "jfrkit push",
    .usage = "[options] --to URL recording ...",
    .about = "Send recordings: OTLP profiles, Pyroscope, or the file to any server.",
    .tables = tables,
    .examples =
        "  jfrkit push --to http://localhost:4318/v1development/profiles app.jfr # OTLP\n"
        "  jfrkit push -f pyroscope --to http://localhost:4040 app.jfr\n"
        "  jfrkit push --to https://example.org/{host}/{name}-{time}.jfr app.jfr # by PUT\n",
    .notes = "With --every the operand is a JVM, a recording that grows, or a folder.\n"
             "Command lines, system properties and the environment are removed before.\n"
             "Exit: 0 sent, 1 not sent.\n",
};

/* What is the same for all recordings. */
struct push {
    const struct args *args;
    struct destination to;
    struct cli_list headers; /* from files and the environment */
    struct body_how how;
    int64_t retry_ms, timeout_ms, every_ns;
    uint64_t spool_bytes;
    /* What is done with a request; with --every what came of it. */
    int (*use)(struct push *p, const struct http_request *request, const struct body *body,
               const char *recording, const char *shown);
    enum retry_result result;
    char why[RETRY_WHY];
    int64_t pause_ms;
    const char *live_name; /* with --every: what the recording is called */
};

static int read_push_time(const char *option, const char *text, const char *def, int64_t *ms)
{
    int64_t ns;

    if (quantity_time(text == NULL ? def : text, &ns) != QUANTITY_OK || ns < 0)
        return cli_usage(&command, "--%s: '%s' is no time such as 30s", option, text);
    *ms = ns / 1000000;
    return 0;
}

static int read_headers(struct push *p)
{
    const char *file = p->args->push.header_file;
    int rc = file == NULL ? 0 : headers_read(&command, file, &p->headers);

    if (rc == 0)
        rc = headers_of_environment(&command, "JFRKIT_PUSH_HEADERS", &p->headers);
    if (rc == 0 && p->to.format == BODY_OTLP)
        rc = headers_of_environment(&command, "OTEL_EXPORTER_OTLP_HEADERS", &p->headers);
    return rc;
}

static int read_push(struct push *p, const char *url)
{
    const struct push_options *o = &p->args->push;
    int rc;

    p->to.is_post = o->is_post;
    p->to.service = o->service != NULL ? o->service : getenv("OTEL_SERVICE_NAME");
    if (o->service != NULL && setenv("OTEL_SERVICE_NAME", o->service, 1) != 0)
        return cli_no_memory(&command);
    rc = destination_read(&command, url, o->format, &p->to);
    p->how = (struct body_how){.format = p->to.format,
                               .is_unscrubbed = o->is_unscrubbed,
                               .has_no_contexts = o->has_no_contexts,
                               .is_packed = destination_is_packed(url),
                               .redact = &o->redact};
    if (rc == 0)
        rc = read_push_time("retry", o->retry, DEFAULT_RETRY, &p->retry_ms);
    if (rc == 0)
        rc = read_push_time("timeout", o->timeout, DEFAULT_TIMEOUT, &p->timeout_ms);
    return rc != 0 ? rc : read_headers(p);
}

/* --- one recording --- */

static void note_pause(void *ctx, const char *why, int64_t pause_ms)
{
    if (!((const struct push *)ctx)->args->run.quiet)
        cli_error(&command, "%s; next try in %.1f s", why, (double)pause_ms / 1e3);
}

/* The headers of a body, then those given. False: out of memory. */
static bool add_request_headers(const struct push *p, struct cli_list *to)
{
    static const char *const of[][2] = {
        [BODY_RECORDING] = {"Content-Type: application/octet-stream"},
        [BODY_OTLP] = {"Content-Type: application/x-protobuf", "Content-Encoding: gzip"},
        [BODY_PPROF] = {NULL},
        [BODY_LABELLED] = {NULL},
    };
    bool ok = true;

    for (int i = 0; i < 2 && of[p->to.format][i] != NULL; i++)
        ok = ok && cli_list_add(to, of[p->to.format][i]);
    for (size_t i = 0; i < p->headers.n; i++)
        ok = ok && cli_list_add(to, p->headers.items[i]);
    return ok;
}

static int print_dry(struct push *p, const struct http_request *request, const struct body *body,
                     const char *recording, const char *shown)
{
    (void)recording;
    printf("%s %s\n", request->method, shown);
    for (size_t i = 0; i < request->headers->n; i++) {
        const char *header = request->headers->items[i];
        bool is_ours = strncmp(header, "Content-", 8) == 0;

        printf("%.*s\n", (int)(is_ours ? strlen(header) : strcspn(header, ":") + 1), header);
    }
    printf("%s: %" PRIu64 " bytes\n", destination_format_name(&p->to), body_bytes(body, BODY_MAIN));
    if (body_path(body, BODY_LABELS) != NULL)
        printf("labels: %" PRIu64 " bytes\n", body_bytes(body, BODY_LABELS));
    return 0;
}

static int send_body(struct push *p, const struct http_request *request, const struct body *body,
                     const char *recording, const char *shown)
{
    const struct retry how = {p->retry_ms, note_pause, p};
    struct jfr_error err = {0};
    char size[32];

    if (retry_send(&how, request, &err) != 0) {
        cli_error(&command, "%s was not sent to %s: %s", recording, shown, err.text);
        return EXIT_FAILED;
    }
    if (!p->args->run.quiet)
        fprintf(stderr, "%s: %s: %s sent to %s\n", cli_name(&command), recording,
                amount_bytes((int64_t)body_bytes(body, BODY_MAIN), size), shown);
    return 0;
}

static int push_body(struct push *p, const struct body *body, const char *recording)
{
    struct cli_list headers = {0};
    struct http_request request = {.method = p->to.is_post ? "POST" : "PUT",
                                   .headers = &headers,
                                   .timeout_ms = p->timeout_ms,
                                   .cacert = p->args->push.cacert};
    struct buf url = {0}, shown = {0};
    int rc = 0;

    destination_put_url(&p->to, recording, body, &url);
    destination_show(buf_ok(&url) ? (const char *)url.p : "", &shown);
    if (!add_request_headers(p, &headers) || !buf_ok(&url) || !buf_ok(&shown))
        rc = cli_no_memory(&command);
    if (rc == 0) {
        request.url = (const char *)url.p;
        if (!p->to.is_pyroscope)
            request.body = body_path(body, BODY_MAIN);
        else if (p->to.format == BODY_PPROF)
            request.parts[0] = (struct http_part){"profile", "application/octet-stream",
                                                  body_path(body, BODY_MAIN)};
        else
            request.parts[0] =
                (struct http_part){"jfr", "application/octet-stream", body_path(body, BODY_MAIN)};
        request.parts[1] =
            (struct http_part){"labels", "application/octet-stream", body_path(body, BODY_LABELS)};
        rc = p->use(p, &request, body, recording, (const char *)shown.p);
    }
    cli_list_free(&headers);
    buf_free(&url);
    buf_free(&shown);
    return rc;
}

/* Sends a file, under the name of a recording. */
static int push_file(struct push *p, const char *path, const char *recording)
{
    struct body body;
    int rc = body_make(&command, &p->how, path, &body);

    if (rc == 0)
        rc = push_body(p, &body, recording);
    body_free(&body);
    return rc;
}

/* Names the application after the recording where it has no other name. 0 or an exit code. */
static int name_service(struct push *p, const char *recording, char **name)
{
    const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
    int n;
    const char *base = destination_name(recording, &n);

    if (asprintf(name, "%.*s", n, base) < 0)
        return cli_no_memory(&command);
    if (attributes == NULL || strstr(attributes, "service.name=") == NULL)
        setenv("OTEL_SERVICE_NAME", *name, 1);
    p->to.service = *name;
    return 0;
}

static int push_recording(struct push *p, const char *recording)
{
    const char *service = p->to.service;
    char *name = NULL;
    int rc = service == NULL ? name_service(p, recording, &name) : 0;

    if (rc == 0)
        rc = push_file(p, recording, recording);
    p->to.service = service;
    free(name);
    return rc;
}

/* --- a recording that is being written --- */

static int send_once(struct push *p, const struct http_request *request, const struct body *body,
                     const char *recording, const char *shown)
{
    (void)body, (void)recording, (void)shown;
    p->result = retry_once(request, p->why, &p->pause_ms);
    return 0;
}

static enum retry_result send_interval(void *ctx, const char *path, char why[RETRY_WHY],
                                       int64_t *pause_ms)
{
    struct push *p = ctx;

    p->result = RETRY_LATER;
    p->pause_ms = 0;
    snprintf(p->why, sizeof(p->why), "%s cannot be made ready", path);
    push_file(p, path, p->live_name);
    memcpy(why, p->why, RETRY_WHY);
    *pause_ms = p->pause_ms;
    return p->result;
}

static int read_live(struct push *p)
{
    const struct push_options *o = &p->args->push;
    const char *spool = o->spool == NULL ? DEFAULT_SPOOL : o->spool;
    int64_t bytes;

    if (quantity_time(o->every, &p->every_ns) != QUANTITY_OK || p->every_ns < 1000000000)
        return cli_usage(&command, "--every: '%s' is no time such as 10s, of at least a second",
                         o->every);
    if (quantity_size(spool, &bytes) != QUANTITY_OK || bytes <= 0)
        return cli_usage(&command, "--spool: '%s' is no size such as 500MB", spool);
    p->spool_bytes = (uint64_t)bytes;
    return 0;
}

/* What the recording is called in URLs, and the application if it has no other name: the main class
 * or jar of a JVM, else the operand. 0 or an exit code. */
static int name_live(const char *operand, char **name)
{
    const char *slash, *dot;
    struct jvm_about about;
    struct jvm jvm;
    int rc = 0;

    snprintf(about.main, sizeof(about.main), "%s", operand);
    if (access(operand, F_OK) != 0 && strchr(operand, '/') == NULL)
        rc = rec_target(&command, operand, &jvm);
    if (rc != 0)
        return rc;
    if (access(operand, F_OK) != 0)
        jvm_about(&jvm, &about);
    slash = strrchr(about.main, '/');
    slash = slash == NULL ? about.main : slash + 1;
    dot = strstr(slash, ".jar");
    *name = dot != NULL && dot[4] == '\0' ? strndup(slash, (size_t)(dot - slash)) : strdup(slash);
    return *name == NULL ? cli_no_memory(&command) : 0;
}

/* Prints where it would be sent: the URL before its templates are filled. */
static int print_live(const struct push *p, const char *shown)
{
    printf("%s %s every %.0f s\n", p->to.is_post || p->to.format != BODY_RECORDING ? "POST" : "PUT",
           shown, (double)p->every_ns / 1e9);
    return cli_flush(&command);
}

static int follow_and_push(struct push *p, const char *operand, const struct rewrite_edit *edit,
                           const char *shown)
{
    const struct push_options *o = &p->args->push;
    const struct cli_list no_rules = {0};
    const struct live_how how = {.command = &command,
                                 .operand = operand,
                                 .edit = edit,
                                 .spool = o->spool_folder,
                                 .to = shown,
                                 .spool_bytes = p->spool_bytes,
                                 .every_ns = p->every_ns,
                                 .retry_ns = p->retry_ms * 1000000,
                                 .is_quiet = p->args->run.quiet,
                                 .is_detached = o->is_detached,
                                 .send = send_interval,
                                 .ctx = p};

    p->use = send_once;
    p->how = (struct body_how){.format = p->to.format,
                               .is_unscrubbed = true,
                               .is_packed = p->how.is_packed,
                               .redact = &no_rules};
    return live_run(&how);
}

static int push_live(struct push *p, const struct cli_list *operands)
{
    const struct push_options *o = &p->args->push;
    struct rewrite_edit edit = {.scrub = !o->is_unscrubbed, .no_contexts = o->has_no_contexts};
    struct jfr_error err = {0};
    struct buf shown = {0};
    char *name = NULL, *service = NULL;
    int rc = operands->n == 1 ? read_live(p)
                              : cli_usage(&command, "--every: one JVM, recording or folder");

    for (size_t i = 0; i < o->redact.n && rc == 0; i++)
        if (rewrite_edit_redact(&edit, o->redact.items[i], &err) != 0)
            rc = cli_usage(&command, "%s", err.text);
    destination_show(p->to.url, &shown);
    if (rc == 0 && !buf_ok(&shown))
        rc = cli_no_memory(&command);
    if (rc == 0 && o->is_dry_run) {
        rc = print_live(p, (const char *)shown.p);
    } else if (rc == 0) {
        rc = name_live(operands->items[0], &name);
        p->live_name = name;
        if (rc == 0 && p->to.service == NULL)
            rc = name_service(p, name, &service);
        if (rc == 0)
            rc = follow_and_push(p, operands->items[0], &edit, (const char *)shown.p);
    }
    rewrite_edit_free(&edit);
    buf_free(&shown);
    free(name);
    free(service);
    return rc;
}

/* --- the verb --- */

static int push_all(struct push *p, struct cli_list *recordings)
{
    struct cli_command expanding = command;
    struct jfr_error err = {0};
    int rc = 0;

    if (recordings->n == 0)
        return cli_usage(&command, "no recording");
    if (p->args->push.cacert != NULL && access(p->args->push.cacert, R_OK) != 0) {
        cli_error(&command, "%s: %s", p->args->push.cacert, strerror(errno));
        return EXIT_FAILED;
    }
    if (p->args->push.is_detached && p->args->push.every == NULL)
        return cli_usage(&command, "--detach needs --every");
    /* With --every, what a dry run finds good must work later, too: record --push relies on it. */
    if ((!p->args->push.is_dry_run || p->args->push.every != NULL) && http_open(&err) != 0) {
        cli_error(&command, "%s", err.text);
        return EXIT_FAILED;
    }
    if (p->args->push.every != NULL)
        return push_live(p, recordings);
    expanding.reads_recordings =
        true; /* a folder stands for its recordings, but not with --every */
    rc = cli_expand(&expanding, recordings);
    if (rc >= 0)
        return rc;
    rc = 0;
    p->use = p->args->push.is_dry_run ? print_dry : send_body;
    for (size_t i = 0; i < recordings->n && rc == 0; i++)
        rc = push_recording(p, recordings->items[i]);
    return rc != 0 ? rc : cli_flush(&command);
}

int verb_push(int argc, char **argv)
{
    struct args args = {0};
    struct push p = {.args = &args};
    struct cli_list recordings = {0};
    char *url = NULL;
    int rc = cli_parse(&command, argc, argv, &args, &recordings);

    if (rc >= 0)
        return rc;
    rc = 0;
    if (args.push.to != NULL && args.push.to[0] == '@') {
        url = headers_read_line(&command, args.push.to + 1);
        rc = url == NULL ? EXIT_FAILED : 0;
    } else if (args.push.to != NULL && destination_has_password(args.push.to))
        rc = cli_usage(&command, "--to: other users see a password on the command line; write the "
                                 "URL into a file of yours: --to @FILE");
    if (rc == 0)
        rc = read_push(&p, url != NULL ? url : args.push.to);
    if (rc == 0)
        rc = push_all(&p, &recordings);
    cli_list_free(&p.headers);
    free(url);
    cli_free(&command, &args, &recordings);
    return rc;
}
