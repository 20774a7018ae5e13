/*
 * ask.h - one request to the agent in a running JVM, as the verbs start, status, dump, stop and
 * attach make it: the checks before, the options, the answer.
 */
#ifndef TOOLS_REC_ASK_H
#define TOOLS_REC_ASK_H

#include "tools/rec/rec.h"

struct rec_request {
    const struct cli_command *command; /* whose messages */
    const struct rec_args *args;
    const char *word; /* "start", "status", "dump", "stop" */
    const char *file; /* for start and dump: the pattern that the user gave; NULL: none */
};

/* Can the JVM be asked at all? For "start" it need not have an agent yet. 0, or an exit code after
 * a message. */
int rec_may_ask(const struct rec_request *r, const struct jvm *jvm);

/* Sends the request and waits for the answer, which is the caller's to free with
 * agent_reply_free(). For "start" the options of args are sent too. 0, or an exit code after a
 * message, with *reply empty. */
int rec_ask(const struct rec_request *r, const struct jvm *jvm, struct agent_reply *reply);

/* The same, without a message when the JVM does not answer: for requests that are repeated. */
bool rec_ask_status(const struct rec_request *r, const struct jvm *jvm, struct agent_reply *reply);

/* Prints an answer to standard output: one line, or with args->verbose all counters, or with
 * args->json as JSON. Returns the exit code. */
int rec_print_reply(const struct rec_request *r, const struct jvm *jvm,
                    const struct agent_reply *reply);

#endif
