/*
 * jfc.h - settings of a recording: .jfc files and overrides merged into (event, setting, value).
 *
 *     struct jfc *c = jfc_new();
 *     struct jfc_error err = {0};
 *     if (c == NULL || jfc_read_file(c, "profile.jfc", &err) < 0 ||
 *         jfc_override(c, "jdk.FileRead#threshold=0 ms", "--setting", &err) < 0)
 *         complain(err.file, err.line, err.text);
 *     threshold = jfc_get(c, "jdk.FileRead", "threshold");
 *     jfc_free(c);
 *
 * The text inside <setting> is the truth; <control> is not evaluated. What is read later wins, per
 * event and setting. `withContext` is read as a setting and as an attribute of <event>; the setting
 * wins. Texts are trimmed, names of 9 and 10 (com.oracle.jdk.X) become jdk.X. Values of settings
 * whose syntax is known are checked; a value that the JDK's recorder would ignore is an error here.
 *
 * Threads:   one at a time per struct jfc. Signals: nothing here is async-signal-safe.
 * Ownership: all texts handed out belong to the struct jfc; a value lives until it is overridden.
 * Errors:    0 or a negative enum jfc_errc, and *err. After a failure the settings may hold a part
 *            of the file: free them. What is odd but harmless is a warning, see jfc_warnings().
 */
#ifndef CONFIG_JFC_H
#define CONFIG_JFC_H

#include <stddef.h>
#include <stdint.h>

#define JFC_FILE_MAX ((size_t)1 << 20) /* bytes of a file */
#define JFC_DEPTH_MAX 32 /* elements inside each other */
#define JFC_NAME_MAX 255 /* bytes of the name of an event or a setting */
#define JFC_TEXT_MAX 4096 /* bytes of a value */
#define JFC_SETTINGS_MAX 16384 /* of all files together */
#define JFC_WARNINGS_MAX 100 /* further ones are only counted */

enum jfc_errc {
    JFC_E_IO = -1, /* the system refused; the text carries strerror() */
    JFC_E_FORMAT = -2,
    JFC_E_NOMEM = -3,
    JFC_E_LIMIT = -4, /* one of the bounds above */
};

struct jfc_error {
    int code; /* an enum jfc_errc, 0 = none */
    unsigned line; /* of the file, from 1; 0: not about a line */
    const char *file; /* as given to the call that failed, borrowed from it; NULL: an override */
    char text[300]; /* one line of UTF-8, perhaps cut, no control characters */
};

struct jfc_setting {
    const char *event, *setting, *value;
    const char *from; /* name of the file, or the name given to jfc_override() */
    unsigned line; /* in that file; 0: an override */
};

struct jfc_source { /* a file that was read */
    const char *name;
    const char *version, *label, *description, *provider; /* NULL: not given; never version */
};

struct jfc_warning {
    const char *from;
    unsigned line;
    const char *text; /* as in struct jfc_error */
};

struct jfc;

/* No settings yet. NULL if out of memory. */
struct jfc *jfc_new(void);
void jfc_free(struct jfc *c); /* NULL is allowed */

/* Merges a regular file, at most JFC_FILE_MAX bytes of UTF-8. DOCTYPE, entities and processing
 * instructions are refused, nothing else is opened. */
int jfc_read_file(struct jfc *c, const char *path, struct jfc_error *err);

/* The same for n bytes, which are called `name` in messages. */
int jfc_read_memory(struct jfc *c, const char *name, const void *bytes, size_t n,
                    struct jfc_error *err);

/* Merges "event#setting=value". Unless the text begins with '+', event and setting must be there
 * already, as with `jfr configure`. `from` is what struct jfc_setting will say; it must live as
 * long as c. */
int jfc_override(struct jfc *c, const char *text, const char *from, struct jfc_error *err);

/* The value, or NULL. */
const char *jfc_get(const struct jfc *c, const char *event, const char *setting);

/* Everything in force, in the order of first mention; *n is the number. NULL when there is none. */
const struct jfc_setting *jfc_settings(const struct jfc *c, size_t *n);
const struct jfc_source *jfc_sources(const struct jfc *c, size_t *n);

/* The first JFC_WARNINGS_MAX; *n is the number of all. */
const struct jfc_warning *jfc_warnings(const struct jfc *c, size_t *n);

#endif
