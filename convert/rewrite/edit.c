/*
 * edit.c - which fields of events are dropped, set to null or hashed when a recording is copied.
 *
 * types.c and program.c ask for each field of each class, once in a chunk. The copying itself is in
 * copy.c. Hashes are keyed (SipHash-2-4), so that equal texts stay equal without being readable.
 */
#include "convert/rewrite/edit.h"

#include "convert/context/context.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

#define ROTATE(x, by) ((x) << (by) | (x) >> (64 - (by)))

static void sip_rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = ROTATE(v[1], 13) ^ v[0];
        v[3] = ROTATE(v[3], 16) ^ v[2];
        v[0] = ROTATE(v[0], 32) + v[3];
        v[2] += v[1];
        v[3] = ROTATE(v[3], 21) ^ v[0];
        v[1] = ROTATE(v[1], 17) ^ v[2];
        v[2] = ROTATE(v[2], 32);
    }
}

static uint64_t little_endian(const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

void siphash128(const uint64_t key[2], const void *bytes, size_t n, uint64_t out[2])
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du ^ 0xee,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    const uint8_t *p = bytes;
    uint64_t last = (uint64_t)n << 56;

    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word = little_endian(p, 8);

        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    last |= little_endian(p, n);
    v[3] ^= last;
    sip_rounds(v, 2);
    v[0] ^= last;
    v[2] ^= 0xee;
    for (int i = 0; i < 2; i++) {
        sip_rounds(v, 4);
        out[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
        v[1] ^= 0xdd;
    }
}

static int add_rule(struct rewrite_edit *edit, const char *name, size_t n, const char *secret,
                    struct jfr_error *err)
{
    static const uint64_t no_key[2];
    struct rewrite_rule rule = {.name = strndup(name, n), .is_hash = secret != NULL};

    if (rule.name == NULL || !array_add(&edit->rules, edit->n_rules, sizeof(*edit->rules))) {
        free(rule.name);
        return jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    }
    if (n == 0 || strcmp(rule.name, "startTime") == 0) {
        jfr_fail(err, JFR_E_FORMAT, 0,
                 n == 0 ? "the name of a field is empty" : "no event can do without its startTime");
        free(rule.name);
        return err->code;
    }
    if (secret != NULL)
        siphash128(no_key, secret, strlen(secret), rule.key);
    edit->rules[edit->n_rules++] = rule;
    return 0;
}

int rewrite_edit_drop(struct rewrite_edit *edit, const char *names, struct jfr_error *err)
{
    int rc = 0;

    while (rc == 0) {
        size_t n = strcspn(names, ",");

        rc = add_rule(edit, names, n, NULL, err);
        if (names[n] == '\0')
            break;
        names += n + 1;
    }
    return rc;
}

int rewrite_edit_redact(struct rewrite_edit *edit, const char *text, struct jfr_error *err)
{
    const char *equals = strchr(text, '=');
    size_t n = equals == NULL ? 0 : (size_t)(equals - text);

    if (equals != NULL && strcmp(equals, "=drop") == 0)
        return add_rule(edit, text, n, NULL, err);
    if (equals != NULL && strncmp(equals, "=hash:", 6) == 0 && equals[6] != '\0')
        return add_rule(edit, text, n, equals + 6, err);
    return jfr_fail(err, JFR_E_FORMAT, 0, "'%s' is neither NAME=hash:SECRET nor NAME=drop", text);
}

void rewrite_edit_free(struct rewrite_edit *edit)
{
    for (size_t i = 0; i < edit->n_rules; i++)
        free(edit->rules[i].name);
    free(edit->rules);
    *edit = (struct rewrite_edit){0};
}

/* Is the class the JDK's event of this name, in JDK 9 and 10 or later? */
static bool is_jdk(const struct jfr_class *cls, const char *simple)
{
    return strcmp(cls->simple, simple) == 0 &&
           (strncmp(cls->name, "jdk.", 4) == 0 || strncmp(cls->name, "com.oracle.jdk.", 15) == 0);
}

bool rewrite_edit_class(const struct rewrite_edit *edit, const struct jfr_class *cls)
{
    return edit != NULL && edit->scrub && is_jdk(cls, "InitialSystemProperty");
}

static bool is_scrubbed(const struct jfr_class *cls, const char *field)
{
    static const char *const secrets[][2] = {
        {"InitialEnvironmentVariable", "value"}, {"JVMInformation", "jvmArguments"},
        {"JVMInformation", "jvmFlags"},          {"JVMInformation", "javaArguments"},
        {"SystemProcess", "commandLine"},
    };

    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
        if (strcmp(field, secrets[i][1]) == 0 && is_jdk(cls, secrets[i][0]))
            return true;
    return false;
}

enum rewrite_action rewrite_edit_field(const struct rewrite_edit *edit, const struct jfr_class *cls,
                                       const struct jfr_field *field,
                                       const struct rewrite_rule **rule)
{
    enum jfr_kind kind = jfr_class_shown(field->type)->kind;

    if (edit == NULL)
        return REWRITE_KEEP;
    if (edit->repair && field->type->kind == JFR_STRUCT && field->type->n_fields == 0)
        return REWRITE_DROP; /* nothing can be read from it, and the JDK's tool does not try */
    if (!cls->is_event)
        return REWRITE_KEEP;
    if (edit->no_contexts && context_is_field(cls, field))
        return REWRITE_DROP;
    if (edit->scrub && is_scrubbed(cls, field->name))
        return field->type->kind == JFR_STRING || field->is_pooled ? REWRITE_NULL : REWRITE_DROP;
    for (size_t i = 0; i < edit->n_rules; i++) {
        if (strcmp(edit->rules[i].name, field->name) != 0)
            continue;
        *rule = &edit->rules[i];
        if (!edit->rules[i].is_hash || field->is_array || kind == JFR_STRUCT ||
            field->type->is_unknown)
            return REWRITE_DROP;
        return REWRITE_HASH;
    }
    return REWRITE_KEEP;
}
