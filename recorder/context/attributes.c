/*
 * attributes.c - writes an attribute of a context as a constant of its own type, called by fields.c
 * for each attribute of each event.
 *
 * Values are ids of texts (values.c), or bytes that lie in the record itself. The option
 * context-redact leaves attributes out, or writes a hash that is the same for equal values in all
 * recordings of the process.
 */
#include "recorder/context/attributes.h"

#include "jfrfmt/base/hash.h"
#include "recorder/context/values.h"
#include "recorder/settings/options.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum hide {
    SHOW,
    HASH,
    DROP
};

static struct {
    int64_t type; /* 0: not declared yet */
    enum hide hide[CONTEXT_SLOTS];
    uint8_t bytes[CONTEXT_SLOTS]; /* see struct context_type */
} now;

static uint64_t hash_key[2]; /* of the process */

void attributes_begin(void)
{
    memset(&now, 0, sizeof(now));
}

int attributes_declare(struct recording *r)
{
    static const struct jfr_field_def value[] = {{"value", "java.lang.String", "Value"}};
    static const struct jfr_type_def def = {ATTRIBUTE_TYPE, JFR_TYPE_SIMPLE, "Context Value",
                                            .fields = value, .n_fields = 1};

    if (hash_key[0] == 0 && getrandom(hash_key, sizeof(hash_key), 0) < 0)
        hash_key[0] = (uint64_t)r->start_nanos;
    if (now.type == 0)
        now.type = jfr_writer_declare(r->writer, &def, 1);
    return now.type < 0 ? -1 : 0;
}

static enum hide hide_of(const char *list, const char *attribute)
{
    size_t n = strlen(attribute);

    for (const char *p = list; p != NULL && *p != '\0'; p = strchr(p, ';'), p += p != NULL) {
        if (strncmp(p, attribute, n) != 0 || p[n] != ':')
            continue;
        return strncmp(p + n + 1, "hash", 4) == 0 ? HASH : DROP;
    }
    return SHOW;
}

void attributes_look(const struct recording *r)
{
    for (size_t t = 0; t < context_n_types(); t++) {
        const struct context_type *type = context_type_at(t);

        for (size_t i = 0; i < type->n; i++) {
            now.hide[type->first + i] = hide_of(r->options->context_redact, type->attributes[i]);
            now.bytes[type->first + i] = type->bytes[i];
        }
    }
}

static void put_hashed_value(struct jfr_writer *w, const char *text, size_t n)
{
    char hex[40];
    int length = snprintf(hex, sizeof(hex), "#%016llx%016llx",
                          (unsigned long long)hash_bytes(text, n, hash_key[0]),
                          (unsigned long long)hash_bytes(text, n, hash_key[1]));

    jfr_put_key(w, jfr_writer_simple(w, now.type, hex, (size_t)length));
}

/* Returns the bytes as hexadecimal digits, or NULL if all are 0, which stands for no value. */
static const char *hex_of(const uint32_t *words, size_t n_bytes, char out[2 * UINT8_MAX], size_t *n)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t any = 0;

    *n = 2 * n_bytes;
    for (size_t i = 0; i < *n; i++) {
        any |= words[i / 8];
        out[i] = digits[words[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    return any == 0 ? NULL : out;
}

size_t attributes_put(struct jfr_writer *w, const uint32_t *words, size_t slot)
{
    size_t n_bytes = now.bytes[slot], n;
    char hex[2 * UINT8_MAX];
    const char *text = now.hide[slot] == DROP ? NULL
                       : n_bytes > 0          ? hex_of(words, n_bytes, hex, &n)
                                              : values_text(words[0], &n);

    if (text == NULL)
        jfr_put_key(w, 0);
    else if (now.hide[slot] == HASH)
        put_hashed_value(w, text, n);
    else
        jfr_put_key(w, jfr_writer_simple(w, now.type, text, n));
    return n_bytes > 0 ? n_bytes / 4 : 1;
}
