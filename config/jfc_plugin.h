/*
 * jfc_plugin.h - reading .jfc files from a library that is opened on demand.
 *
 * An agent must load in any process with libc alone, so what needs libxml2 is in a library of its
 * own, libjfrkit-config.so. It has one symbol, and nothing of it is called once it has answered:
 *
 *     void *lib = dlopen(".../libjfrkit-config.so", RTLD_NOW | RTLD_LOCAL);
 *     jfc_plugin_fn read = (jfc_plugin_fn)dlsym(lib, JFC_PLUGIN_SYMBOL);
 *     if (read("custom.jfc", &calls, error) != 0) ...
 *
 * Threads: one call at a time. Ownership: texts live until the call they are given to returns.
 */
#ifndef CONFIG_JFC_PLUGIN_H
#define CONFIG_JFC_PLUGIN_H

#define JFC_PLUGIN_NAME "libjfrkit-config.so"
#define JFC_PLUGIN_SYMBOL "jfrkit_config_read_1" /* the number changes with its arguments */
#define JFC_PLUGIN_ERROR 600 /* bytes of an error message, its NUL included */

struct jfc_plugin_calls {
    void *ctx;
    void (*setting)(void *ctx, const char *event, const char *setting, const char *value);
    void (*warning)(void *ctx, const char *text); /* one line with file and line number */
};

/* Reads a .jfc file: all its settings in order of first mention, then its warnings. 0, or a
 * negative enum jfc_errc and one line with file and line number; then no call was made. */
typedef int (*jfc_plugin_fn)(const char *path, const struct jfc_plugin_calls *calls,
                             char error[JFC_PLUGIN_ERROR]);

int jfrkit_config_read_1(const char *path, const struct jfc_plugin_calls *calls,
                         char error[JFC_PLUGIN_ERROR]);

#endif
