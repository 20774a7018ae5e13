/*
 * print_reply.c - prints what an agent answered.
 *
 * An answer is lines "key: value", some twenty of them. A user wants to know what is recorded,
 * where and whether anything was lost: four lines. The counters are for --verbose, and --json has
 * all of them under their own names.
 */
#include "tools/rec/ask.h"

#include "convert/report/summary_names.h"
#include "convert/text/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_all(struct buf *b, const struct agent_reply *reply)
{
    struct agent_reply_line line;

    for (size_t at = 0; agent_reply_next(reply, &at, &line);) {
        buf_printf(b, "%-24.*s", line.n, line.key);
        names_plain(b, line.value);
        buf_byte(b, '\n');
    }
}

static bool is_number(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n < 16 && strspn(text, "0123456789") == n && (n == 1 || text[0] != '0');
}

static void print_json(struct buf *b, const struct agent_reply *reply)
{
    const char *before = "{\n  ";
    struct agent_reply_line line;

    for (size_t at = 0; agent_reply_next(reply, &at, &line); before = ",\n  ") {
        buf_str(b, before);
        jsonw_str(b, line.key, (size_t)line.n);
        buf_str(b, ": ");
        if (is_number(line.value))
            buf_str(b, line.value);
        else
            jsonw_str(b, line.value, strlen(line.value));
    }
    buf_str(b, before[0] == '{' ? "{}\n" : "\n}\n");
}

static void put_process(struct buf *b, const struct jvm *jvm)
{
    struct jvm_about about;

    jvm_about(jvm, &about);
    buf_printf(b, "%-11s%d ", "process", (int)jvm->pid);
    names_plain(b, about.main);
    buf_byte(b, '\n');
}

static void put_state(struct buf *b, const struct agent_reply *reply, const char *state)
{
    const char *ms = agent_reply_get(reply, "duration-ms"),
               *n = agent_reply_get(reply, "recordings");

    if (strcmp(state, "off") == 0)
        buf_printf(b, "not recording; %s recording%s ended before", n == NULL ? "0" : n,
                   n != NULL && strcmp(n, "1") == 0 ? "" : "s");
    else if (strcmp(state, "delayed") == 0)
        buf_str(b, "waiting until the delay is over");
    else if (strcmp(state, "stopping") == 0)
        buf_str(b, "completing its file");
    else
        names_plain(b, strcmp(state, "running") == 0 ? "recording" : state);
    if (ms != NULL && strcmp(state, "delayed") != 0)
        buf_printf(b, " %s %.1f s", strcmp(state, "running") == 0 ? "for" : "after",
                   atof(ms) / 1e3);
}

static void put_size(struct buf *b, const char *bytes)
{
    double n = bytes == NULL ? 0 : atof(bytes);

    if (bytes != NULL)
        buf_printf(b, n < 1e6 ? ", %.0f kB" : ", %.1f MB", n / (n < 1e6 ? 1e3 : 1e6));
}

static void print_short(struct buf *b, const struct jvm *jvm, const struct agent_reply *reply)
{
    const char *state = agent_reply_get(reply, "state"), *file = agent_reply_get(reply, "file");
    const char *events = agent_reply_get(reply, "events"), *lost = agent_reply_get(reply, "lost");
    const char *samples = agent_reply_get(reply, "samples");

    put_process(b, jvm);
    if (state != NULL) {
        buf_printf(b, "%-11s", "state");
        put_state(b, reply, state);
        buf_byte(b, '\n');
    }
    if (file != NULL) {
        buf_printf(b, "%-11s", "file");
        names_plain(b, file);
        put_size(b, agent_reply_get(reply, "bytes"));
        buf_byte(b, '\n');
    }
    if (events != NULL && samples != NULL && lost != NULL)
        buf_printf(b, "%-11s%s, %s of them samples; %s lost\n", "events", events, samples,
                   strcmp(lost, "0") == 0 ? "none" : lost);
}

int rec_print_reply(const struct rec_request *r, const struct jvm *jvm,
                    const struct agent_reply *reply)
{
    struct buf b = {0};
    bool good;

    if (r->args->json)
        print_json(&b, reply);
    else if (r->args->verbose) {
        put_process(&b, jvm);
        print_all(&b, reply);
    } else
        print_short(&b, jvm, reply);
    good = buf_ok(&b) && fwrite(b.p, 1, b.n, stdout) == b.n && fflush(stdout) == 0;
    if (!good)
        cli_error(r->command, "cannot write standard output");
    buf_free(&b);
    return good ? EXIT_DONE : EXIT_FAILED;
}
