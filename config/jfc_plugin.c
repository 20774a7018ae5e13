#include "config/jfc_plugin.h"

#include "config/jfc.h"

#include <stdio.h>

static void deliver(const struct jfc *c, const struct jfc_plugin_calls *calls)
{
    size_t n;
    const struct jfc_setting *s = jfc_settings(c, &n);
    const struct jfc_warning *w;
    char text[JFC_PLUGIN_ERROR];

    for (size_t i = 0; i < n; i++)
        calls->setting(calls->ctx, s[i].event, s[i].setting, s[i].value);
    w = jfc_warnings(c, &n);
    for (size_t i = 0; i < n && i < JFC_WARNINGS_MAX; i++) {
        snprintf(text, sizeof(text), "%s:%u: %s", w[i].from, w[i].line, w[i].text);
        calls->warning(calls->ctx, text);
    }
}

__attribute__((visibility("default"))) int
jfrkit_config_read_1(const char *path, const struct jfc_plugin_calls *calls,
                     char error[JFC_PLUGIN_ERROR])
{
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();
    int rc = JFC_E_NOMEM;

    if (c != NULL && (rc = jfc_read_file(c, path, &err)) == 0)
        deliver(c, calls);
    else if (c == NULL)
        snprintf(error, JFC_PLUGIN_ERROR, "%s: out of memory", path);
    else if (err.line != 0)
        snprintf(error, JFC_PLUGIN_ERROR, "%s:%u: %s", path, err.line, err.text);
    else
        snprintf(error, JFC_PLUGIN_ERROR, "%s: %s", path, err.text);
    jfc_free(c);
    return rc;
}
