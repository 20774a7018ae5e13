#include "recorder/context/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void context_field_name(const struct context_type *t, size_t attribute, char out[CONTEXT_JAVA_MAX])
{
    snprintf(out, CONTEXT_JAVA_MAX, "%s_%s", t->name, t->attributes[attribute]);
}

/* "tracer-context" -> "jfrkit.TracerContext": an event type has a Java name. */
static void java_name(const struct context_type *t, char *out, size_t room)
{
    bool is_start = true;
    size_t n = (size_t)snprintf(out, room, "jfrkit.");

    for (const char *p = t->name; *p != '\0' && n + 1 < room; p++) {
        bool is_letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');

        if (!is_letter && !(*p >= '0' && *p <= '9' && n > 7)) {
            is_start = true;
            continue;
        }
        out[n++] = is_start && *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        is_start = false;
    }
    if (n == 7)
        n += (size_t)snprintf(out + n, room - n, "Context%td", t - context_type_at(0));
    out[n] = '\0';
}

/* Contexts with the same Java name get numbers, from the second one on. */
void context_event_name(size_t index, char out[CONTEXT_JAVA_MAX])
{
    char other[CONTEXT_JAVA_MAX];
    size_t n;

    java_name(context_type_at(index), out, CONTEXT_JAVA_MAX - 4);
    n = strlen(out);
    for (size_t i = 0; i < index; i++) {
        java_name(context_type_at(i), other, CONTEXT_JAVA_MAX - 4);
        if (strcmp(out, other) == 0) {
            snprintf(out + n, 4, "%zu", index + 1);
            break;
        }
    }
}
