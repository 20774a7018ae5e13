/* Any text as the agent's options: they are read, or one line says why not; each override is taken
 * or refused, and the name of the file fits or not. */
#include "recorder/settings/options.h"
#include "recorder/settings/settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void apply(const struct rec_options *o)
{
    struct settings *s = settings_new("/nowhere/libjfrkit-config.so");
    char why[SETTINGS_WHY] = "", name[100];

    assert(s != NULL);
    for (int i = 0; i < o->n_overrides; i++)
        assert(settings_set(s, o->overrides[i], why) == 0 || why[0] != '\0');
    if (o->file != NULL && rec_options_file(o->file, 1000000000, 7, name, sizeof(name)) == 0)
        assert(strlen(name) < sizeof(name));
    settings_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1), err[200] = "", reply[64];
    struct rec_options o;
    int64_t value;

    assert(text != NULL);
    if (n > 0)
        memcpy(text, bytes, n);
    text[n] = '\0';
    if (rec_options_parse(&o, text, err) == 0) {
        apply(&o);
        rec_options_free(&o);
    } else {
        assert(err[0] != '\0' && strchr(err, '\n') == NULL);
    }
    rec_options_reply(text, reply, sizeof(reply));
    assert(memchr(reply, 0, sizeof(reply)) != NULL);
    rec_parse_time(text, &value);
    rec_parse_size(text, &value);
    free(text);
    return 0;
}
