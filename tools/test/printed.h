/* printed.h - what a tested function prints, for *_test.c. */
#ifndef TOOLS_TEST_PRINTED_H
#define TOOLS_TEST_PRINTED_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct printed {
    int fd, saved, memory;
};

/* Sends what is written to descriptor fd (1 or 2) to memory. */
static inline struct printed printed_begin(int fd)
{
    struct printed c = {fd, dup(fd), memfd_create("capture", MFD_CLOEXEC)};

    fflush(NULL);
    dup2(c.memory, fd);
    return c;
}

/* Ends it; what was written, NUL-terminated, is in text[0..room). */
static inline void printed_end(struct printed *c, char *text, size_t room)
{
    ssize_t n;

    fflush(NULL);
    dup2(c->saved, c->fd);
    n = pread(c->memory, text, room - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(c->saved);
    close(c->memory);
}

#endif
