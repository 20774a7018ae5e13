/*
 * place.c - the folders and files into which the tables of a recording are written.
 *
 * In: the options -o and --partition. Names of events and values are made safe for paths; folders
 * are created when the first row needs them.
 */
#include "convert/columns/place.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define STEM_MOST 80

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '$';
}

/* Copies at most `most` bytes, plain ones. True: nothing was changed. */
static bool copy_safely(const char *from, size_t most, char *to)
{
    bool is_same = true;
    size_t n;

    for (n = 0; from[n] != '\0' && n < most; n++) {
        bool ok = is_plain(from[n]) && !(n == 0 && from[n] == '.');

        to[n] = ok ? from[n] : '_';
        is_same &= ok;
    }
    to[n] = '\0';
    return is_same && from[n] == '\0' && n > 0;
}

void place_folder(const char *table, char to[128])
{
    if (!copy_safely(table, 100, to))
        snprintf(to + strlen(to), 128 - strlen(to), "-%08x",
                 (unsigned)XXH3_64bits(table, strlen(table)));
}

struct place place_for(const struct columns_options *options, const char *path,
                       const struct jfr_chunk_header *first)
{
    const int64_t identity[] = {first->start_nanos, first->start_ticks, first->ticks_per_second};
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    struct place place = {.options = options};
    int stem;

    if (strcmp(path, "-") == 0 || path[0] == '\0')
        name = "stdin";
    stem = out_stem_length(name);
    copy_safely(name, stem < STEM_MOST ? (size_t)stem : STEM_MOST, place.name);
    snprintf(place.name + strlen(place.name), sizeof(place.name) - strlen(place.name), "-%016llx",
             (unsigned long long)XXH3_64bits(identity, sizeof(identity)));
    return place;
}

static bool make_folders(char *path, struct jfr_error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            jfr_fail(err, JFR_E_IO, 0, "cannot make the folder %s: %s", path, strerror(errno));
            return false;
        }
        *slash = '/';
    }
    return true;
}

static void put_day(struct buf *b, int64_t day)
{
    time_t seconds = (time_t)day * 86400;
    struct tm tm;

    if (gmtime_r(&seconds, &tm) != NULL)
        buf_printf(b, "day=%04d-%02d-%02d/", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

static bool ends_with_slash(const char *path)
{
    size_t n = strlen(path);

    return n > 0 && path[n - 1] == '/';
}

struct out_file *place_open(const struct place *place, const char *table, int64_t day,
                            struct jfr_error *err)
{
    const struct columns_options *options = place->options;
    struct out_file *file = NULL;
    struct buf path = {0};
    char folder[128];

    if (!options->is_folder)
        return out_file_open(options->path, err);
    place_folder(table, folder);
    buf_printf(&path, "%s%s%s/", options->path, ends_with_slash(options->path) ? "" : "/", folder);
    if (options->partition != NULL)
        buf_printf(&path, "%s/", options->partition);
    if (options->by_day && day != PLACE_NO_DAY)
        put_day(&path, day);
    buf_printf(&path, "%s.parquet", place->name);
    buf_byte(&path, '\0');
    if (!buf_ok(&path))
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    else if (make_folders((char *)path.p, err))
        file = out_file_open_hidden((const char *)path.p, err);
    buf_free(&path);
    return file;
}
