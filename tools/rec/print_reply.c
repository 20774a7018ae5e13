/*
 * print_reply.c - prints what an agent answered.
 *
 * An answer is lines "key: value", some twenty of them. A user wants to know what is recorded,
 * where and whether anything was lost: four lines. The counters are for --verbose, and --json has
 * all of them under their own names.
 */
#include "tools/rec/ask.h"

#include "tools/rec/context_facts.h"
#include "tools/rec/push_state.h"

#include "convert/report/summary_names.h"
#include "convert/text/jsonw.h"
#include "jfrfmt/base/amount.h"

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

static bool is_number_text(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n < 16 && strspn(text, "0123456789") == n && (n == 1 || text[0] != '0');
}

static void print_reply_json(struct buf *b, const struct agent_reply *reply)
{
    const char *before = "{\n  ";
    struct agent_reply_line line;

    for (size_t at = 0; agent_reply_next(reply, &at, &line); before = ",\n  ") {
        buf_str(b, before);
        jsonw_str(b, line.key, (size_t)line.n);
        buf_str(b, ": ");
        if (is_number_text(line.value))
            buf_str(b, line.value);
        else
            jsonw_str(b, line.value, strlen(line.value));
    }
    buf_str(b, before[0] == '{' ? "{}\n" : "\n}\n");
}

static void put_jvm(struct buf *b, const struct jvm *jvm, const char *before, const char *after)
{
    struct jvm_about about;

    jvm_about(jvm, &about);
    buf_printf(b, "%s%d ", before, (int)jvm->pid);
    names_plain(b, about.main);
    buf_str(b, after);
}

static void put_size(struct buf *b, const char *bytes)
{
    if (bytes == NULL)
        return;
    buf_str(b, ", ");
    amount_put_bytes(b, atoll(bytes));
}

/* "for 3.0 s, 28 samples, 259 events, 62 kB, none lost" */
static void put_counters(struct buf *b, const struct agent_reply *reply, const char *word)
{
    const char *ms = agent_reply_get(reply, "duration-ms"), *lost = agent_reply_get(reply, "lost");
    const char *events = agent_reply_get(reply, "events");
    const char *samples = agent_reply_get(reply, "samples");

    if (ms != NULL)
        buf_printf(b, " %s %.1f s", word, atof(ms) / 1e3);
    if (samples != NULL && events != NULL)
        buf_printf(b, ", %s samples, %s events", samples, events);
    put_size(b, agent_reply_get(reply, "bytes"));
    if (lost != NULL)
        buf_printf(b, ", %s lost", strcmp(lost, "0") == 0 ? "none" : lost);
}

static void put_file(struct buf *b, const char *before, const struct agent_reply *reply)
{
    const char *file = agent_reply_get(reply, "file");

    if (file == NULL)
        return;
    buf_str(b, before);
    names_plain(b, file);
}

/* Where the users come from, on a line of its own. */
static void put_reply_contexts(struct buf *b, const struct agent_reply *reply)
{
    struct context_facts facts = {0};
    struct agent_reply_line line;
    struct buf text = {0};

    for (size_t at = 0; agent_reply_next(reply, &at, &line);)
        context_facts_add(&facts, line.key, (size_t)line.n, line.value);
    if (context_facts_put(&facts, &text) && buf_ok(&text)) {
        buf_str(b, "\n  ");
        buf_bytes(b, text.p, text.n);
    }
    buf_free(&text);
}

/* How the recording is sent, on a line of its own. */
static void put_reply_push(struct buf *b, const struct agent_reply *reply)
{
    struct buf text = {0};

    if (push_state_put(reply, &text) && buf_ok(&text)) {
        buf_str(b, "\n  ");
        buf_bytes(b, text.p, text.n);
    }
    buf_free(&text);
}

/* One line: the process, what happens in it, the file, and after a start how it ends; one more if
 * there are contexts. */
static void print_line(struct buf *b, const struct rec_request *r, const struct jvm *jvm,
                       const struct agent_reply *reply)
{
    const char *state = agent_reply_get(reply, "state"), *n = agent_reply_get(reply, "recordings");

    put_jvm(b, jvm, "", ": ");
    if (strcmp(r->word, "dump") == 0) {
        put_file(b, "wrote ", reply);
        put_size(b, agent_reply_get(reply, "bytes"));
        buf_str(b, "; the recording continues");
    } else if (state != NULL && strcmp(state, "off") == 0) {
        buf_printf(b, "not recording; %s recording%s ended before", n == NULL ? "0" : n,
                   n != NULL && strcmp(n, "1") == 0 ? "" : "s");
    } else if (state != NULL && strcmp(state, "delayed") == 0) {
        buf_str(b, "waiting until the delay is over");
    } else if (state != NULL && strcmp(state, "stopping") == 0) {
        buf_str(b, "completing its file");
    } else if (strcmp(r->word, "start") == 0) {
        put_file(b, "recording to ", reply);
        buf_printf(b, "; jfrkit stop %d ends it", (int)jvm->pid);
    } else if (state != NULL && strcmp(state, "running") == 0) {
        buf_str(b, "recording");
        put_counters(b, reply, "for");
        put_file(b, ": ", reply);
        put_reply_contexts(b, reply);
    } else {
        names_plain(b, state == NULL ? "no answer" : state);
        put_counters(b, reply, "after");
        put_file(b, ": ", reply);
        put_reply_contexts(b, reply);
    }
    put_reply_push(b, reply);
    buf_byte(b, '\n');
}

int rec_print_reply(const struct rec_request *r, const struct jvm *jvm,
                    const struct agent_reply *reply)
{
    struct buf b = {0};
    bool good;

    if (r->args->json)
        print_reply_json(&b, reply);
    else if (r->args->verbose) {
        put_jvm(&b, jvm, "process                 ", "\n");
        print_all(&b, reply);
    } else
        print_line(&b, r, jvm, reply);
    good = buf_ok(&b) && fwrite(b.p, 1, b.n, stdout) == b.n && fflush(stdout) == 0;
    if (!good)
        cli_error(r->command, "cannot write standard output");
    buf_free(&b);
    return good ? EXIT_DONE : EXIT_FAILED;
}
