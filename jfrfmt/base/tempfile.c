/*
 * tempfile.c - opens files without a name: O_TMPFILE where the file system has it, else a file that
 * is deleted as soon as it is open.
 */
#include "jfrfmt/base/tempfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int tempfile_open(void)
{
    const char *dir = secure_getenv("TMPDIR");
    char path[4096];
    int fd;

    if (dir == NULL || *dir == '\0')
        dir = "/tmp";
    fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0 || snprintf(path, sizeof(path), "%s/jfr-XXXXXX", dir) >= (int)sizeof(path))
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}
