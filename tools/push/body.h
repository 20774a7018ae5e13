/*
 * body.h - what is sent of a recording: without secrets, in the format that the server reads.
 *
 *     struct body body;
 *     rc = body_make(&command, &how, "app.jfr", &body);
 *     ... body_path(&body, BODY_MAIN) ...
 *     body_free(&body);
 *
 * Verbs of jfrkit make it, in processes of their own: cut, then convert or annotate. All files
 * are without a name, so that nothing is left of them however the program ends.
 */
#ifndef TOOLS_PUSH_BODY_H
#define TOOLS_PUSH_BODY_H

#include "tools/cli/cli.h"

#include <stdint.h>

enum body_format {
    BODY_RECORDING,
    BODY_OTLP, /* gzip */
    BODY_PPROF, /* gzip */
    BODY_LABELLED, /* a recording whose contexts are labels as Pyroscope has them, and those: gzip
                    */
};

enum body_file {
    BODY_MAIN,
    BODY_LABELS, /* of BODY_LABELLED */
    BODY_FILES,
};

struct body_how {
    enum body_format format;
    bool is_unscrubbed, has_no_contexts;
    bool is_packed; /* of BODY_RECORDING: with gzip */
    const struct cli_list *redact; /* of cut */
};

struct body {
    int fd[BODY_FILES]; /* -1: none */
    char path[BODY_FILES][32];
    int64_t start_ns, end_ns; /* of the recording, since 1970 */
};

/* Returns 0, or an exit code after a message. Call body_free() in any case. */
int body_make(const struct cli_command *command, const struct body_how *how, const char *recording,
              struct body *body);
void body_free(struct body *body);

/* The path of a file as long as the body lives; NULL: it has none. */
const char *body_path(const struct body *body, enum body_file file);

uint64_t body_bytes(const struct body *body, enum body_file file);

#endif
