/* target.h - which JVM a user means. */
#ifndef TOOLS_REC_TARGET_H
#define TOOLS_REC_TARGET_H

#include "tools/cli/cli.h"
#include "tools/rec/jvm.h"

#define REC_JVMS_MAX 4096

/* Finds the JVM with the process id `text`, or the one whose main class or jar has this name: all
 * of it, else its last part (Shop of com.acme.Shop, shop of shop.jar), else whole words of it.
 * Returns 0 and fills *out; EXIT_USAGE if the name is empty, EXIT_FAILED if no JVM or several
 * match, each after a message, which lists the candidates. */
int rec_target(const struct cli_command *command, const char *text, struct jvm *out);

/* How well `text` names a JVM whose main class or jar is `main`: 3 all of it, 2 its last part (a
 * class without its package, a jar without .jar), 1 whole words of it, 0 not at all. A part of a
 * word does not count, and an empty text names nothing. */
int rec_name_rank(const char *main, const char *text);

/* All JVMs, without this process. NULL if out of memory or /proc cannot be read, after a
 * message. The caller's to free. */
struct jvm *rec_jvms(const struct cli_command *command, size_t *n);

#endif
