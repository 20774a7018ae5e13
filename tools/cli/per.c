/*
 * per.c - --per KEY: one process and one output for each value of a context key.
 *
 * Looks ahead for the values of the key, then runs the command once for each in a child process,
 * with the condition narrowed to the value and the value in the output's name. each.c does the same
 * for inputs. What a value has of characters that mean something to shells and file systems becomes
 * '_'.
 */
#include "convert/select/context_values.h"
#include "tools/cli/internal.h"
#include "tools/cli/run.h"
#include "tools/cli/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MOST 1000
#define NAME_MOST 100 /* bytes of a value in the name of a file */

/* The value of this output. */
struct value {
    const char *text; /* borrowed */
    char *file; /* what it is called, without folder and ending */
};

struct values {
    struct intern texts;
    struct value items[VALUES_MOST];
    size_t n;
};

static struct cli_select_options *select_of(const struct cli_command *command, void *args)
{
    for (size_t t = 0; command->tables[t].set != NULL; t++)
        if (command->tables[t].set == &cli_select_set && command->tables[t].only == NULL)
            return (void *)((char *)args + command->tables[t].base);
    return NULL;
}

static int check_per(const struct cli_command *command, void *args, const char *key,
                     const struct cli_list *files)
{
    const bool *each = cli_member(command, args, "each");

    if (select_of(command, args) == NULL)
        return cli_usage(command, "--per: this command knows nothing of contexts");
    if (each != NULL && *each)
        return cli_usage(command, "--per and --each: one of them");
    for (const char *p = key; *p != '\0' || p == key; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              (*p & 0x80) != 0 || (*p != '\0' && strchr("_-.$", *p) != NULL)))
            return cli_usage(command, "--per: '%s' is no key of a context", key);
    if (!select_can_look_ahead(files->items, files->n))
        return cli_usage(command, "--per is for what can be read twice");
    return -1;
}

static int by_value_text(const void *a, const void *b)
{
    return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

/* A value as a part of a file's name: what means something to shells and file systems becomes '_'.
 */
static char *part_file_name(const char *key, const char *value)
{
    char *name = NULL;
    size_t n = strlen(value);

    if (n > NAME_MOST)
        for (n = NAME_MOST; n > 0 && (value[n] & 0xc0) == 0x80;) /* not inside a character */
            n--;
    if (asprintf(&name, "%s-%.*s", key, (int)n, value) < 0)
        return NULL;
    for (char *p = name + strlen(key); *p != '\0'; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              (*p & 0x80) != 0 || strchr("_-.@+=,", *p) != NULL))
            *p = '_';
    return name;
}

/* The name, with a number appended if another output has it. NULL if out of memory. */
static char *free_name(struct intern *taken, char *name)
{
    char *own = name == NULL ? NULL : strdup(name);

    for (size_t k = 2; own != NULL; k++) {
        size_t before = intern_n(taken);
        uint32_t id = intern_add(taken, own, strlen(own));

        if (id == before)
            break;
        free(own);
        if (id == INTERN_FAILED || asprintf(&own, "%s_%zu", name, k) < 0)
            own = NULL;
    }
    free(name);
    return own;
}

/* Names the values' files: no two the same. False: memory is exhausted. */
static bool name_part_files(struct values *v, const char *key)
{
    struct intern taken = {0};
    bool ok = true;

    for (size_t i = 0; i < v->n && ok; i++) {
        v->items[i].file = free_name(&taken, part_file_name(key, v->items[i].text));
        ok = v->items[i].file != NULL;
    }
    intern_free(&taken);
    return ok;
}

/* Fills *v. -1, or the exit code after a message. */
static int find(const struct cli_command *command, const struct cli_select_options *options,
                const char *key, const struct cli_list *files, struct values *v)
{
    struct cli_select_options own = *options;
    struct select *select = NULL;
    struct jfr_error err = {0};
    const char *path = NULL;
    int rc;

    own.keys = (struct select_list){&key, 1};
    own.all_keys = false;
    rc = cli_select(command, &own, files, &select);
    if (rc != 0)
        return rc;
    rc = values_find(select, files->items, files->n, &v->texts, &err, &path);
    select_free(select);
    if (rc != 0) {
        cli_report_error(command, path, &err);
        return EXIT_FAILED;
    }
    if (intern_n(&v->texts) > VALUES_MOST)
        return cli_usage(command, "--per: '%s' has %zu values, more than %d", key,
                         intern_n(&v->texts), VALUES_MOST);
    while (v->n < intern_n(&v->texts)) {
        v->items[v->n].text = intern_get(&v->texts, (uint32_t)v->n, NULL);
        v->n++;
    }
    qsort(v->items, v->n, sizeof(*v->items), by_value_text);
    return name_part_files(v, key) ? -1 : cli_no_memory(command);
}

/* Adds to the condition that the key has this value. */
static bool narrow_to_part(struct cli_select_options *options, const char *key, const char *value)
{
    struct buf b = {0};

    if (options->where != NULL)
        buf_printf(&b, "(%s) and ", options->where);
    buf_printf(&b, "ctx.%s = '", key);
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            buf_byte(&b, '\\');
        buf_byte(&b, (uint8_t)*value);
    }
    buf_bytes(&b, "'", 2);
    options->where = cli_keep((char *)b.p);
    return buf_ok(&b);
}

static int choose_value(const struct cli_command *command, void *args, const char *key,
                        const struct values *v, size_t i)
{
    const char **output = cli_member(command, args, "output");
    bool *quiet = cli_member(command, args, "quiet");
    char *name = cli_output_of(command, args, *output, v->items[i].file);

    if (name == NULL || !narrow_to_part(select_of(command, args), key, v->items[i].text))
        return cli_no_memory(command);
    *output = cli_keep(name);
    *quiet |= i > 0; /* the first one has reported the damage */
    return -1;
}

static void free_values(struct values *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->items[i].file);
    intern_free(&v->texts);
    free(v);
}

int cli_per(const struct cli_command *command, void *args, const struct cli_list *operands)
{
    const char *const *key = cli_member(command, args, "per"), *names[VALUES_MOST];
    struct cli_list files = {0};
    struct values *v;
    size_t i;
    int rc;

    if (key == NULL || *key == NULL)
        return -1;
    if (operands->n > command->n_words)
        files =
            (struct cli_list){operands->items + command->n_words, operands->n - command->n_words};
    rc = check_per(command, args, *key, &files);
    if (rc < 0)
        rc = cli_check_outputs(command, args, "per");
    if (rc >= 0)
        return rc;
    v = calloc(1, sizeof(*v));
    rc = v == NULL ? cli_no_memory(command)
                   : find(command, select_of(command, args), *key, &files, v);
    if (rc < 0) {
        for (i = 0; i < v->n; i++)
            names[i] = v->items[i].text;
        rc = v->n > 0 ? cli_fork(command, names, v->n, &i) : EXIT_EMPTY;
        if (v->n == 0)
            cli_error(command, "--per: no event that is chosen has a value of '%s'", *key);
        if (rc < 0)
            rc = choose_value(command, args, *key, v, i);
    }
    if (v != NULL)
        free_values(v);
    return rc;
}
