/* otlp_resource.c - resource attributes out of the environment. */
#include "convert/formats/otlp_resource.h"

#include "convert/text/percent.h"

#include <stdlib.h>
#include <string.h>

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
        percent_decode(equals + 1);
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
