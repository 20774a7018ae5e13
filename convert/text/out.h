/*
 * out.h - where a command's output goes: a file that appears whole or not at all, or a stream.
 *
 *     struct out_file *f = out_file_open("app.html", &err);    NULL or "-": standard output
 *     struct out o = out_to(f);
 *     buf_str(&o.b, "..."); rc = out_check(&o);                   now and then
 *     rc = out_flush(&o);
 *     rc = out_file_commit(f, &err)  or  out_file_abort(f);
 *
 * A named file is written as NAME.XXXXXX beside it, mode 0600, never through a symbolic link, and
 * renamed by commit; an aborted or interrupted one leaves nothing behind. Formats only ever see a
 * struct out: they append to o->b and call out_check().
 *
 * Threads: a struct out belongs to one thread. Errors: the first failed write sticks.
 */
#ifndef CONVERT_TEXT_OUT_H
#define CONVERT_TEXT_OUT_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/error.h"

#include <stdbool.h>

#define OUT_HIGH ((size_t)256 << 10) /* bytes a format may gather before they are passed on */

#define OUT_UNFINISHED 512 /* files at a time; what is not in use takes no memory */

struct out_file;

struct out {
    struct buf b; /* what a format appends to */
    int (*drain)(struct out *o); /* passes b on and empties it, or waits for its turn; 0 or < 0 */
    void *ctx; /* drain's */
    int rc; /* first failure, sticky */
};

/* Registers the file that `path` names as an input of this process ("-": standard input), so that
 * no output replaces it. Only regular files count; a path that names none is ignored. Not
 * thread-safe: called while the command line is read. Returns false if memory is exhausted. */
bool out_file_add_input(const char *path);

/* Returns the registered input that is the same file as `path` (NULL or "-": standard output), by
 * device and inode, so that hard and symbolic links count; NULL if there is none. The name belongs
 * to this module. Thread-safe once all inputs are registered. */
const char *out_file_same_input(const char *path);

/* The length of a recording's name without the endings that say what it is and how it is packed:
 * what an output made of it is called after. */
int out_stem_length(const char *name);

/* Does the name of an output end in ".html"? NULL: no. */
bool out_is_html(const char *name);

/* NULL and *err when the file cannot be made (message with the name and the reason). A path that
 * exists is replaced on commit if it is a regular file, else opened as it is (a fifo, /dev/null).
 * A path that names a registered input is refused. */
struct out_file *out_file_open(const char *path, struct jfr_error *err);

/* The same, but it is written as .NAME.XXXXXX: programs that read whole folders, as engines do,
 * pass over such a file if a killed process leaves it behind. */
struct out_file *out_file_open_hidden(const char *path, struct jfr_error *err);

/* Writes n bytes; short writes and EINTR are handled. 0 or JFR_E_IO, sticky. */
int out_file_write(struct out_file *f, const void *p, size_t n);

/* Can bytes be changed after they were written? True for a named file that is not there yet. */
bool out_file_can_patch(const struct out_file *f);

/* Changes n bytes at `at`, which were written before. 0 or JFR_E_IO, sticky. */
int out_file_patch(struct out_file *f, uint64_t at, const void *p, size_t n);

/* Flushes, closes and renames. 0, or JFR_E_IO and *err: the first failure of any write so far
 * included. Frees f in any case; on failure nothing is left under the final name. */
int out_file_commit(struct out_file *f, struct jfr_error *err);

/* Removes what was written so far and frees f. NULL is allowed. Standard output keeps what it got.
 */
void out_file_abort(struct out_file *f);

/* Removes the unfinished files of this process; async-signal-safe, for a handler of SIGINT/SIGTERM.
 */
void out_file_cleanup(void);

/* An output whose bytes go straight to f. */
struct out out_to(struct out_file *f);

/* The columns of the terminal that the output goes to; 0: it goes elsewhere. */
unsigned out_columns(const struct out *o);

/* Passes the gathered bytes on when there are many. 0 or the sticky error. */
static inline int out_check(struct out *o)
{
    return o->b.n < OUT_HIGH ? o->rc : o->drain(o);
}

/* Passes everything on. 0, or the sticky error (JFR_E_NOMEM when the buffer had failed). */
int out_flush(struct out *o);

/* Frees the buffer; out_flush() comes first. */
void out_free(struct out *o);

#endif
