/*
 * otlp_resource.h - what OTLP profiles say of the program that was recorded: the resource
 * attributes of OTEL_RESOURCE_ATTRIBUTES ("host.name=web1,service.version=1.5", values with %20 for
 * a blank), and service.name of OTEL_SERVICE_NAME, as the specification of OpenTelemetry's
 * environment variables has them. None if neither is set.
 */
#ifndef CONVERT_FORMATS_OTLP_RESOURCE_H
#define CONVERT_FORMATS_OTLP_RESOURCE_H

#include "convert/formats/otlp.pb-c.h"

#include <stdbool.h>

#define OTLP_RESOURCE_MOST 64

struct otlp_resource {
    Otlp__Resource resource;
    /* private: what it points to */
    Otlp__KeyValue entries[OTLP_RESOURCE_MOST], *list[OTLP_RESOURCE_MOST];
    Otlp__AnyValue values[OTLP_RESOURCE_MOST];
    char *text;
};

/* Reads the variables. Words that are no key=value, and those after the first 64, are left out.
 * False if memory is exhausted; free it in any case, and do not copy it. */
bool otlp_resource_read(struct otlp_resource *r);
void otlp_resource_free(struct otlp_resource *r);

#endif
