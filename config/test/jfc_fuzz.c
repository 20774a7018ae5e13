/*
 * Any bytes as a .jfc file, and its last line as an override. What was read stays within the
 * bounds, is found again, and reads back as the same from a file written with it.
 */
#include "config/jfc.h"
#include "config/jfc_value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_settings(const struct jfc *c)
{
    size_t n;
    const struct jfc_setting *s = jfc_settings(c, &n);
    bool is_harmless;

    assert(n <= JFC_SETTINGS_MAX);
    for (size_t i = 0; i < n; i++) {
        assert(strlen(s[i].event) <= JFC_NAME_MAX && s[i].event[0] != '\0');
        assert(strlen(s[i].setting) <= JFC_NAME_MAX && s[i].setting[0] != '\0');
        assert(strlen(s[i].value) <= JFC_TEXT_MAX);
        assert(jfc_get(c, s[i].event, s[i].setting) == s[i].value);
        assert(jfc_value_wrong(s[i].event, s[i].setting, s[i].value, &is_harmless) == NULL ||
               is_harmless);
    }
}

static void check_error(const struct jfc_error *err, int rc)
{
    assert(err->code == rc && (rc == 0) == (err->text[0] == '\0'));
    assert(rc == 0 || (rc >= JFC_E_LIMIT && rc != JFC_E_NOMEM && rc != JFC_E_IO));
    assert(strpbrk(err->text, "\n\r\t\x1b") == NULL);
}

static void put_escaped(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        if (strchr("<&>\r", *text) != NULL)
            fprintf(f, "&#%d;", *text);
        else
            fputc(*text, f);
}

/* Writes all settings as a .jfc and reads it: the same ones come back. */
static void check_written(const struct jfc *c)
{
    size_t n, n_again, size;
    const struct jfc_setting *s = jfc_settings(c, &n), *again;
    struct jfc *copy = jfc_new();
    struct jfc_error err = {0};
    char *text;
    FILE *f = open_memstream(&text, &size);

    fputs("<configuration version='2.0'>", f);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "<event name='%s'><setting name='%s'>", s[i].event, s[i].setting);
        put_escaped(f, s[i].value);
        fputs("</setting></event>", f);
    }
    fputs("</configuration>", f);
    fclose(f);
    jfc_read_memory(copy, "copy", text, size, &err);
    if (err.code != JFC_E_LIMIT) {
        assert(err.code == 0);
        again = jfc_settings(copy, &n_again);
        assert(n_again == n);
        for (size_t i = 0; i < n; i++)
            assert(strcmp(again[i].event, s[i].event) == 0 &&
                   strcmp(again[i].setting, s[i].setting) == 0 &&
                   strcmp(again[i].value, s[i].value) == 0);
    }
    jfc_free(copy);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const uint8_t *line = memrchr(bytes, '\n', n);
    struct jfc *c = jfc_new();
    struct jfc_error err = {0};
    char *override =
        line == NULL ? strdup("") : strndup((const char *)line + 1, (size_t)(bytes + n - line - 1));
    int rc = jfc_read_memory(c, "f.jfc", bytes, n, &err);

    check_error(&err, rc);
    check_settings(c);
    if (rc == 0)
        check_written(c);
    err = (struct jfc_error){0};
    rc = jfc_override(c, override, "-s", &err);
    check_error(&err, rc);
    check_settings(c);
    free(override);
    jfc_free(c);
    return 0;
}
