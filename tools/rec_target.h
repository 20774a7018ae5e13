/* rec_target.h - which JVM a user means. */
#ifndef TOOLS_REC_TARGET_H
#define TOOLS_REC_TARGET_H

#include "tools/cli.h"
#include "tools/jvm.h"

#define REC_JVMS_MAX 4096

/* The JVM with this pid, or the only one whose main class is `text`, ends with ".text", or holds
 * it. 0, or an exit code after a message that names the candidates. */
int rec_target(const struct cli_command *command, const char *text, struct jvm *out);

/* All JVMs, without this process. NULL when memory is short or /proc cannot be read, after a
 * message. The caller's to free. */
struct jvm *rec_jvms(const struct cli_command *command, size_t *n);

#endif
