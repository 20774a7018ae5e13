/* Any text as the value of each option that selects: it is understood, or an error says why. */
#include "convert/select/select.h"
#include "convert/text/timespec.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>
#include <stdlib.h>

static void try(const struct select_spec *spec)
{
    struct jfr_error err = {0};
    struct select *s = select_new(spec, &err);

    assert(s != NULL || (err.code < 0 && err.text[0] != '\0'));
    select_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    const char *items[1] = {text};
    const struct select_list list = {items, 1};
    struct jfr_error err = {0};
    int64_t ns;
    uint64_t size;

    assert(text != NULL);
    if (n > 0)
        memcpy(text, bytes, n);
    text[n] = '\0';
    try(&(struct select_spec){.events = list, .categories = list});
    try(&(struct select_spec){.threads = list});
    try(&(struct select_spec){.not_threads = list, .states = list});
    try(&(struct select_spec){.contexts = list});
    try(&(struct select_spec){.not_contexts = list});
    try(&(struct select_spec){.from = text, .zone = "+01:00"});
    try(&(struct select_spec){.to = text});
    try(&(struct select_spec){.to = "10s", .zone = text});
    try(&(struct select_spec){.min_duration = text});
    assert(timespec_duration(text, &ns, &err) == 0 || err.text[0] != '\0');
    err = (struct jfr_error){0};
    assert(timespec_size(text, &size, &err) == 0 || err.text[0] != '\0');
    free(text);
    return 0;
}
