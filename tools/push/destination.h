/*
 * destination.h - where a recording goes, by the URL of --to: which format, which method, and the
 * URL of one recording.
 */
#ifndef TOOLS_PUSH_DESTINATION_H
#define TOOLS_PUSH_DESTINATION_H

#include "jfrfmt/base/buf.h"
#include "tools/push/body.h"

struct destination {
    const char *url; /* of --to; borrowed */
    const char *service; /* name of the application; borrowed */
    enum body_format format;
    bool is_pyroscope;
    bool is_post; /* of a recording */
};

/* Reads --to and --format (NULL: by the URL). 0, or an exit code after a message. */
int destination_read(const struct cli_command *command, const char *url, const char *format,
                     struct destination *to);

/* Appends the URL for one recording, with a NUL. recording: its path. */
void destination_put_url(const struct destination *to, const char *recording,
                         const struct body *body, struct buf *url);

/* Appends what messages show of a URL: without a password, and without what follows '?', which may
 * be a signature. */
void destination_show(const char *url, struct buf *text);

/* The name of a recording, n bytes: "app" of "/var/app.jfr.gz". Borrowed. */
const char *destination_name(const char *recording, int *n);

/* Does the path of a URL end in .gz? A recording is packed then. NULL: no. */
bool destination_is_packed(const char *url);

/* Does the URL have a name or password before the host? */
bool destination_has_password(const char *url);

const char *destination_format_name(const struct destination *to);

#endif
