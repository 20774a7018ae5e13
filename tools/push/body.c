/*
 * body.c - makes the files that a request sends.
 *
 * A verb writes to standard output, which is a file without a name; the next one reads it by
 * /proc/self/fd. No other program can open these files by a name, and a killed push leaves none.
 */
#include "tools/push/body.h"

#include "jfrfmt/base/tempfile.h"
#include "jfrfmt/jfr.h"
#include "tools/cli/self.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define WORDS 16
#define BLOCK 65536

static int fail_body(const struct cli_command *command, const char *what)
{
    cli_error(command, "%s: %s; TMPDIR may name another folder", what, strerror(errno));
    return EXIT_FAILED;
}

/* A file without a name that programs started from here can open by its path. */
static int open_step(const struct cli_command *command, int *fd)
{
    *fd = tempfile_open();
    if (*fd < 0 || fcntl(*fd, F_SETFD, 0) != 0)
        return fail_body(command, "a temporary file");
    return 0;
}

static void name_descriptor(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* Runs a verb whose standard output becomes *fd, in place of what was there. */
static int run_step(const struct cli_command *command, const char *const *words, int *fd)
{
    int out = -1, rc = open_step(command, &out);

    if (rc == 0)
        rc = cli_run_self(command, words, out);
    if (rc == EXIT_DAMAGED) /* which was reported; what is good is sent */
        rc = 0;
    if (*fd >= 0)
        close(*fd);
    *fd = out;
    return rc;
}

/* --- steps --- */

/* Removes what must not leave this machine. */
static int cut_recording(const struct cli_command *command, const struct body_how *how,
                         const char *recording, struct body *body)
{
    const char *words[WORDS + 2 * 16] = {"jfrkit", "cut", "-q", "-o", "-"};
    size_t n = 5;

    if (how->redact->n > 16) {
        cli_error(command, "--redact: at most 16 names");
        return EXIT_USAGE;
    }
    if (!how->is_unscrubbed)
        words[n++] = "--scrub";
    if (how->has_no_contexts)
        words[n++] = "--no-contexts";
    for (size_t i = 0; i < how->redact->n; i++) {
        words[n++] = "--redact";
        words[n++] = how->redact->items[i];
    }
    words[n++] = "--";
    words[n++] = recording;
    return run_step(command, words, &body->fd[BODY_MAIN]);
}

static int convert_body(const struct cli_command *command, const char *format, struct body *body)
{
    char from[32];
    const char *words[] = {"jfrkit", "convert", "-q", "-f", format, "-o", "-", "--", from, NULL};

    name_descriptor(body->fd[BODY_MAIN], from);
    return run_step(command, words, &body->fd[BODY_MAIN]);
}

static int label_body(const struct cli_command *command, struct body *body)
{
    char from[32], labels[32];
    const char *words[] = {"jfrkit", "annotate", "-q", "--pyroscope", labels,
                           "-o",     "-",        "--", from,          NULL};
    int rc = open_step(command, &body->fd[BODY_LABELS]);

    name_descriptor(body->fd[BODY_MAIN], from);
    name_descriptor(body->fd[BODY_LABELS], labels);
    return rc != 0 ? rc : run_step(command, words, &body->fd[BODY_MAIN]);
}

/* Packs a file with gzip. */
static int pack_body(const struct cli_command *command, int *fd)
{
    int out = -1, rc = open_step(command, &out), copy = rc == 0 ? dup(out) : -1;
    gzFile packed = copy < 0 ? NULL : gzdopen(copy, "wb6");
    char block[BLOCK];
    ssize_t n = 0;

    if (rc == 0 && packed == NULL)
        rc = fail_body(command, "gzip");
    lseek(*fd, 0, SEEK_SET);
    while (rc == 0 && (n = read(*fd, block, sizeof(block))) > 0)
        if (gzwrite(packed, block, (unsigned)n) != n)
            rc = fail_body(command, "gzip");
    if (packed != NULL && gzclose(packed) != Z_OK && rc == 0)
        rc = fail_body(command, "gzip");
    if (rc == 0 && n < 0)
        rc = fail_body(command, "the converted recording");
    close(*fd);
    *fd = out;
    return rc;
}

/* From the first chunk's start to the last one's end. */
static int read_times(const struct cli_command *command, struct body *body)
{
    struct jfr_error err = {0};
    struct jfr_event ev;
    char path[32];
    struct jfr_reader *r;
    int rc = 1;

    name_descriptor(body->fd[BODY_MAIN], path);
    r = jfr_reader_open(path, &err);
    if (r == NULL) {
        cli_error(command, "%s", err.text);
        return EXIT_FAILED;
    }
    for (uint32_t index = UINT32_MAX; rc != 0 && rc != JFR_E_IO && rc != JFR_E_NOMEM;) {
        const struct jfr_chunk_header *h;

        rc = jfr_reader_next(r, &ev);
        h = rc > 0 ? jfr_chunk_header(jfr_reader_chunk(r)) : NULL;
        if (h == NULL || h->index == index)
            continue;
        index = h->index;
        if (body->start_ns == 0 || h->start_nanos < body->start_ns)
            body->start_ns = h->start_nanos;
        if (jfr_chunk_end_ns(h) > body->end_ns)
            body->end_ns = jfr_chunk_end_ns(h);
    }
    jfr_reader_close(r);
    return 0;
}

/* A profile of pprof is packed by its writer. */
static bool is_packed(const struct body_how *how)
{
    return how->format == BODY_OTLP || how->format == BODY_LABELLED ||
           (how->format == BODY_RECORDING && how->is_packed);
}

int body_make(const struct cli_command *command, const struct body_how *how, const char *recording,
              struct body *body)
{
    int rc;

    *body = (struct body){.fd = {-1, -1}};
    rc = cut_recording(command, how, recording, body);
    if (rc == 0)
        rc = read_times(command, body);
    if (rc == 0 && how->format == BODY_OTLP)
        rc = convert_body(command, "otlp", body);
    if (rc == 0 && how->format == BODY_PPROF)
        rc = convert_body(command, "pprof", body);
    if (rc == 0 && how->format == BODY_LABELLED)
        rc = label_body(command, body);
    for (int i = 0; i < BODY_FILES && rc == 0; i++)
        if (body->fd[i] >= 0 && is_packed(how))
            rc = pack_body(command, &body->fd[i]);
    for (int i = 0; i < BODY_FILES; i++)
        name_descriptor(body->fd[i], body->path[i]);
    return rc;
}

void body_free(struct body *body)
{
    for (int i = 0; i < BODY_FILES; i++)
        if (body->fd[i] >= 0)
            close(body->fd[i]);
    *body = (struct body){.fd = {-1, -1}};
}

const char *body_path(const struct body *body, enum body_file file)
{
    return body->fd[file] < 0 ? NULL : body->path[file];
}

uint64_t body_bytes(const struct body *body, enum body_file file)
{
    struct stat s;

    return body->fd[file] < 0 || fstat(body->fd[file], &s) != 0 ? 0 : (uint64_t)s.st_size;
}
