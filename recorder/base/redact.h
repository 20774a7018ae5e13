/*
 * redact.h - keeps secrets out of recordings: values whose name says that they are one.
 *
 *     if (redact_is_secret("db.password"))
 *         value = REDACTED;
 *     char *line = redact_command("java -Dtoken=abc Main --api-key xyz");
 *                                  "java -Dtoken=[redacted] Main --api-key [redacted]"
 *
 * A name is secret if one of its words, which case and punctuation separate, is one of a fixed
 * list (password, secret, token, key, credential, ...), wherever it stands: DB_PASSWORD, apiKey.
 */
#ifndef RECORDER_BASE_REDACT_H
#define RECORDER_BASE_REDACT_H

#include <stdbool.h>

#define REDACTED "[redacted]"

bool redact_is_secret(const char *name);

/* A copy (to be freed) of a command line, or of any text that may hold options, without the values
 * of secret options, of `name=value` within others, and without passwords in URLs
 * (scheme://user:password@host). Words are separated by blanks or newlines. NULL when memory is
 * short. */
char *redact_command(const char *line);

#endif
