/*
 * headers.c - reads HTTP headers from private files and environment variables.
 *
 * A file that other users can read is refused, since headers hold passwords.
 */
#include "tools/push/headers.h"

#include "convert/text/percent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST 65536

static int refuse_file(const struct cli_command *command, const char *path, const char *why)
{
    cli_error(command, "%s: %s", path, why);
    return EXIT_FAILED;
}

/* The text of a private file, NUL-terminated. 0, or an exit code after a message. */
static int read_private(const struct cli_command *command, const char *path, char text[FILE_MOST])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = NULL;
    struct stat file;
    ssize_t n = 0;

    if (fd < 0 || fstat(fd, &file) != 0 ||
        (S_ISREG(file.st_mode) && (n = read(fd, text, FILE_MOST - 1)) < 0))
        why = strerror(errno);
    else if (!S_ISREG(file.st_mode))
        why = "is no file";
    else if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        why = "can be read by others; run: chmod 600 on it";
    else if (n == FILE_MOST - 1)
        why = "is longer than 64 kB";
    text[n < 0 ? 0 : n] = '\0';
    if (fd >= 0)
        close(fd);
    return why == NULL ? 0 : refuse_file(command, path, why);
}

static bool is_header(const char *line)
{
    const char *colon = strchr(line, ':');

    for (const char *p = line; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' && *p != '\t')
            return false;
    return colon != NULL && colon > line && strcspn(line, " \t") > (size_t)(colon - line);
}

/* Removes blanks and a carriage return from the end. */
static char *trim_end(char *line)
{
    size_t n = strlen(line);

    while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL)
        line[--n] = '\0';
    return line;
}

int headers_read(const struct cli_command *command, const char *path, struct cli_list *headers)
{
    char text[FILE_MOST], *rest = text, *line;
    int rc = read_private(command, path, text), n = 0;

    while (rc == 0 && (line = strsep(&rest, "\n")) != NULL) {
        n++;
        trim_end(line);
        if (*line == '\0' || *line == '#')
            continue;
        if (!is_header(line)) { /* without the line, which may be a password */
            cli_error(command, "%s: line %d is no header such as 'Name: value'", path, n);
            rc = EXIT_FAILED;
        } else if (!cli_list_add(headers, line)) {
            rc = cli_no_memory(command);
        }
    }
    explicit_bzero(text, sizeof(text));
    return rc;
}

int headers_of_environment(const struct cli_command *command, const char *variable,
                           struct cli_list *headers)
{
    const char *given = getenv(variable);
    char *copy = given == NULL ? NULL : strdup(given), *rest = copy, *word;
    int rc = given != NULL && copy == NULL ? cli_no_memory(command) : 0;

    while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
        char *equals = strchr(word, '='), *header = NULL;

        if (*word == '\0')
            continue;
        if (equals == NULL) {
            cli_error(command, "%s: not 'name=value,name=value'", variable);
            rc = EXIT_FAILED;
            break;
        }
        *equals = '\0';
        percent_decode(equals + 1);
        if (asprintf(&header, "%s: %s", word + strspn(word, " "), equals + 1) < 0)
            header = NULL;
        if (header != NULL && !is_header(trim_end(header)))
            rc = refuse_file(command, variable, "has a name or value that no header may have");
        else if (header == NULL || !cli_list_add(headers, header))
            rc = cli_no_memory(command);
        free(header);
    }
    free(copy);
    return rc;
}

char *headers_read_line(const struct cli_command *command, const char *path)
{
    char text[FILE_MOST], *line = NULL;

    if (read_private(command, path, text) == 0) {
        text[strcspn(text, "\r\n")] = '\0';
        line = strdup(trim_end(text));
        if (line == NULL)
            cli_no_memory(command);
    }
    explicit_bzero(text, sizeof(text));
    return line;
}
