/* jfc_internal.h - what the files of config/ share: putting settings and warnings in, failing. */
#ifndef CONFIG_JFC_INTERNAL_H
#define CONFIG_JFC_INTERNAL_H

#include "config/jfc.h"

/* Records the first error only and returns its code. */
int jfc_fail(struct jfc_error *err, enum jfc_errc code, const char *file, unsigned line,
             const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A new source named `name` (copied), or NULL if out of memory. Valid until the next one. */
struct jfc_source *jfc_add_source(struct jfc *c, const char *name);

/* Copies n bytes into *slot, which belongs to a source. JFC_E_NOMEM when it cannot. */
int jfc_copy(const char **slot, const char *text, size_t n);

/* What is wrong with n bytes as the name of an event or a setting, or NULL. */
const char *jfc_name_wrong(const char *name, size_t n);

/* The n bytes without XML's blanks around them. */
const char *jfc_trim(const char *text, size_t *n);

/* Checks the value and stores it. s->from must live as long as c; the other texts are copied, and
 * the event's name is made new if it is old. */
int jfc_put(struct jfc *c, const struct jfc_setting *s, struct jfc_error *err);

/* Records a warning. The same text from the same file is kept once; lost if out of
 * memory. `from` must live as long as c. */
void jfc_warn(struct jfc *c, const char *from, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Warns of an event that does not exist, as far as the lists of jfc_known.c go. */
void jfc_check_event(struct jfc *c, const char *event, const char *from, unsigned line);

#endif
