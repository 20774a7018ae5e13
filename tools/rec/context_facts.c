/* context_facts.c - one line about the contexts of a recording. */
#include "tools/rec/context_facts.h"

#include "convert/report/summary_names.h"

#include <stdlib.h>
#include <string.h>

void context_facts_add(struct context_facts *facts, const char *key, size_t n, const char *value)
{
    const struct {
        const char *key;
        const char **at;
    } known[] = {
        {"context-sources", &facts->sources},
        {"mdc-keys", &facts->keys},
        {"mdc-keys-not-recorded", &facts->other_keys},
        {"duration-ms", &facts->ms},
        {"contexts", &facts->n},
        {"context-values", &facts->n_values},
        {"contexts-dropped", &facts->dropped},
        {"context-failure", &facts->failure},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].key) == n && memcmp(known[i].key, key, n) == 0)
            *known[i].at = value;
}

static void put_clause(struct buf *b, const char *before, const char *text)
{
    if (text == NULL)
        return;
    buf_str(b, before);
    names_plain(b, text);
}

bool context_facts_put(const struct context_facts *facts, struct buf *b)
{
    double seconds = facts->ms == NULL ? 0 : atof(facts->ms) / 1e3;

    if (facts->sources == NULL)
        return false;
    put_clause(b, "contexts from ", facts->sources);
    put_clause(b, ", MDC keys ", facts->keys);
    if (facts->n != NULL && seconds > 0)
        buf_printf(b, ": %.0f a second", atof(facts->n) / seconds);
    if (facts->n_values != NULL)
        buf_printf(b, ", %s values in use", facts->n_values);
    put_clause(b, "; keys not recorded: ", facts->other_keys);
    put_clause(b, "; dropped: ", facts->dropped);
    put_clause(b, "; incomplete: ", facts->failure);
    return true;
}
