/* otlp_resource.c - resource attributes out of the environment. */
#include "convert/formats/otlp_resource.h"

#include <stdlib.h>
#include <string.h>

static int digit_value(char c)
{
    const char *digits = "0123456789abcdef", *at = c == '\0' ? NULL : strchr(digits, c | 0x20);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Decodes %20 in place. */
static void decode_value(char *text)
{
    char *to = text;

    for (const char *p = text; *p != '\0'; p++) {
        int high = *p == '%' ? digit_value(p[1]) : -1, low = high < 0 ? -1 : digit_value(p[2]);

        *to++ = low < 0 ? *p : (char)(high << 4 | low);
        p += low < 0 ? 0 : 2;
    }
    *to = '\0';
}

static void add_resource(struct otlp_resource *r, const char *key, char *value)
{
    size_t i = r->resource.n_attributes;

    if (i == OTLP_RESOURCE_MOST)
        return;
    otlp__any_value__init(&r->values[i]);
    r->values[i].value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
    r->values[i].string_value = value;
    otlp__key_value__init(&r->entries[i]);
    r->entries[i].key = (char *)(uintptr_t)key;
    r->entries[i].value = &r->values[i];
    r->list[i] = &r->entries[i];
    r->resource.n_attributes++;
}

bool otlp_resource_read(struct otlp_resource *r)
{
    const char *given = getenv("OTEL_RESOURCE_ATTRIBUTES"), *service = getenv("OTEL_SERVICE_NAME");
    bool has_service = service != NULL && *service != '\0';
    char *rest, *word;

    *r = (struct otlp_resource){.text = given == NULL ? NULL : strdup(given)};
    otlp__resource__init(&r->resource);
    r->resource.attributes = r->list;
    if (has_service)
        add_resource(r, "service.name", (char *)(uintptr_t)service);
    rest = r->text;
    while ((word = strsep(&rest, ",")) != NULL) {
        char *equals = strchr(word, '=');

        word += strspn(word, " ");
        if (equals == NULL || equals <= word)
            continue;
        *equals = '\0';
        decode_value(equals + 1);
        if (!has_service || strcmp(word, "service.name") != 0)
            add_resource(r, word, equals + 1);
    }
    return given == NULL || r->text != NULL;
}

void otlp_resource_free(struct otlp_resource *r)
{
    free(r->text);
    r->text = NULL;
}
