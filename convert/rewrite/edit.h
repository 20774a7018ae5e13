/*
 * edit.h - what is taken out of events while they are copied: fields and secrets.
 *
 *     struct rewrite_edit edit = {0};
 *     rewrite_edit_drop(&edit, "stackTrace,path", &err);
 *     rewrite_edit_redact(&edit, "user=hash:SECRET", &err);
 *     edit.scrub = true;
 *     ...
 *     rewrite_edit_free(&edit);
 *
 * Scrubbing removes what commonly holds secrets:
 *   jdk.InitialSystemProperty         the events
 *   jdk.InitialEnvironmentVariable    value
 *   jdk.JVMInformation                jvmArguments, jvmFlags, javaArguments
 *   jdk.SystemProcess                 commandLine
 */
#ifndef CONVERT_REWRITE_EDIT_H
#define CONVERT_REWRITE_EDIT_H

#include "jfrfmt/read/metadata.h"

struct rewrite_rule {
    char *name; /* of fields of events */
    bool is_hash; /* else dropped */
    uint64_t key[2];
};

struct rewrite_edit {
    struct rewrite_rule *rules;
    size_t n_rules;
    bool scrub;
    bool repair; /* what the JDK's tool fails on is mended, see repair.c */
    bool no_contexts; /* fields that hold the context of an event are dropped */
};

/* Fields, a comma list, are left out of all events and of their types. 0, JFR_E_FORMAT for one that
 * events need, JFR_E_NOMEM. */
int rewrite_edit_drop(struct rewrite_edit *edit, const char *names, struct jfr_error *err);

/* "NAME=hash:SECRET" or "NAME=drop". A hashed field becomes a String: 32 hexadecimal digits of a
 * keyed hash (SipHash-2-4) of its text, the same for the same text and secret. Numbers are hashed
 * as decimal text; what is neither text nor number is dropped; null stays null. */
int rewrite_edit_redact(struct rewrite_edit *edit, const char *rule, struct jfr_error *err);

void rewrite_edit_free(struct rewrite_edit *edit);

enum rewrite_action {
    REWRITE_KEEP,
    REWRITE_DROP, /* the field is not there */
    REWRITE_NULL, /* the text is null */
    REWRITE_HASH,
};

/* What becomes of a field. *rule: for REWRITE_HASH. edit may be NULL. */
enum rewrite_action rewrite_edit_field(const struct rewrite_edit *edit, const struct jfr_class *cls,
                                       const struct jfr_field *field,
                                       const struct rewrite_rule **rule);

/* Is the whole event left out? */
bool rewrite_edit_class(const struct rewrite_edit *edit, const struct jfr_class *cls);

/* 128 bits of n bytes under a key. */
void siphash128(const uint64_t key[2], const void *bytes, size_t n, uint64_t out[2]);

#endif
