/*
 * proc.c - parses the files of /proc that periodic events need.
 *
 * In: the text of a file, read by proc_read(). Out: numbers. Nothing is allocated, and a text in
 * another form than the kernel's gives false.
 */
#include "recorder/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOCKETS_MAX 1024

ssize_t proc_read(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got;

    text[0] = '\0';
    if (fd < 0)
        return -1;
    while (n < room - 1) {
        got = read(fd, text + n, room - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
    close(fd);
    return (ssize_t)n;
}

static const char *next_line(const char *p)
{
    p = strchr(p, '\n');
    return p == NULL ? NULL : p + 1;
}

static const char *value_after(const char *line, const char *word)
{
    size_t n = strlen(word);

    return strncmp(line, word, n) == 0 ? line + n : NULL;
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests are counted in
 * user and nice already. */
static void add_up_times(const char *p, struct proc_machine *out)
{
    char *end;

    for (int i = 0; i < 8; i++) {
        uint64_t v = strtoull(p, &end, 10);

        if (end == p)
            return;
        out->total += v;
        if (i != 3 && i != 4)
            out->busy += v;
        p = end;
    }
}

bool proc_machine(const char *text, struct proc_machine *out)
{
    *out = (struct proc_machine){0};
    for (const char *line = text; line != NULL && *line != '\0'; line = next_line(line)) {
        const char *p;

        if ((p = value_after(line, "cpu ")) != NULL)
            add_up_times(p, out);
        else if (value_after(line, "cpu") != NULL)
            out->n_cpus++;
        else if ((p = value_after(line, "ctxt ")) != NULL)
            out->switches = strtoull(p, NULL, 10);
    }
    return out->total > 0 && out->n_cpus > 0;
}

bool proc_times(const char *text, struct proc_times *out)
{
    /* The name is the second field and may hold anything; the last ')' ends it. */
    const char *p = strrchr(text, ')');

    return p != NULL && sscanf(p + 1,
                               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d "
                               "%*d %*d %*d %lu",
                               &out->user, &out->system, &out->start) == 3;
}

/* "Key:   123 kB" as bytes; false: the line has another key. */
static bool kilobytes(const char *line, const char *key, uint64_t *bytes)
{
    const char *p = value_after(line, key);

    if (p == NULL)
        return false;
    *bytes = strtoull(p, NULL, 10) * 1024;
    return true;
}

bool proc_memory(const char *text, struct proc_memory *out)
{
    bool has_total = false, has_available = false;

    *out = (struct proc_memory){0};
    for (const char *line = text; line != NULL; line = next_line(line)) {
        has_total |= kilobytes(line, "MemTotal:", &out->total);
        has_available |= kilobytes(line, "MemAvailable:", &out->available);
        kilobytes(line, "SwapTotal:", &out->swap_total);
        kilobytes(line, "SwapFree:", &out->swap_free);
    }
    return has_total && has_available && out->available <= out->total;
}

bool proc_resident(const char *text, struct proc_resident *out)
{
    bool has_size = false, has_peak = false;

    for (const char *line = text; line != NULL; line = next_line(line)) {
        has_size |= kilobytes(line, "VmRSS:", &out->size);
        has_peak |= kilobytes(line, "VmHWM:", &out->peak);
    }
    return has_size && has_peak;
}

bool proc_interface(const char **text, struct proc_interface *out)
{
    const char *line = *text;

    for (; line != NULL && *line != '\0'; line = next_line(line)) {
        const char *colon = strchr(line, ':'), *end = strchr(line, '\n');
        const char *name = line + strspn(line, " ");

        if (colon == NULL || (end != NULL && colon > end) ||
            (size_t)(colon - name) >= sizeof(out->name) ||
            sscanf(colon + 1, "%lu %*u %*u %*u %*u %*u %*u %*u %lu", &out->received, &out->sent) !=
                2)
            continue;
        memcpy(out->name, name, (size_t)(colon - name));
        out->name[colon - name] = '\0';
        *text = next_line(line);
        return true;
    }
    *text = NULL;
    return false;
}

/* The value of "key\t: value", or NULL. */
static const char *proc_value_of(const char *line, const char *key)
{
    const char *p = value_after(line, key);

    if (p == NULL)
        return NULL;
    p += strspn(p, " \t");
    return *p == ':' ? p + 1 + strspn(p + 1, " \t") : NULL;
}

static void copy_value(const char *p, char *out, size_t room)
{
    size_t n = strcspn(p, "\n");

    if (out[0] == '\0')
        snprintf(out, room, "%.*s", (int)n, p);
}

struct topology {
    bool socket[SOCKETS_MAX];
    unsigned cores_of_socket, socket_now;
};

static void read_topology(const char *line, struct topology *t, struct proc_processor *out)
{
    const char *p;

    if (proc_value_of(line, "processor") != NULL && line[9] != 's')
        out->threads++;
    else if ((p = proc_value_of(line, "physical id")) != NULL) {
        unsigned long id = strtoul(p, NULL, 10);

        if (id < SOCKETS_MAX && !t->socket[id]) {
            t->socket[id] = true;
            out->sockets++;
        }
    } else if ((p = proc_value_of(line, "cpu cores")) != NULL) {
        t->cores_of_socket = (unsigned)strtoul(p, NULL, 10);
    }
}

static void read_kind(const char *line, struct proc_processor *out)
{
    const char *p;

    if ((p = proc_value_of(line, "vendor_id")) != NULL ||
        (p = proc_value_of(line, "CPU implementer")) != NULL)
        copy_value(p, out->vendor, sizeof(out->vendor));
    else if ((p = proc_value_of(line, "model name")) != NULL)
        copy_value(p, out->model_name, sizeof(out->model_name));
    else if ((p = proc_value_of(line, "flags")) != NULL ||
             (p = proc_value_of(line, "Features")) != NULL)
        copy_value(p, out->flags, sizeof(out->flags));
    else if ((p = proc_value_of(line, "cpu family")) != NULL ||
             (p = proc_value_of(line, "CPU architecture")) != NULL)
        out->family = (unsigned)strtoul(p, NULL, 0);
    else if ((p = proc_value_of(line, "model")) != NULL ||
             (p = proc_value_of(line, "CPU part")) != NULL)
        out->model = (unsigned)strtoul(p, NULL, 0);
    else if ((p = proc_value_of(line, "stepping")) != NULL ||
             (p = proc_value_of(line, "CPU revision")) != NULL)
        out->stepping = (unsigned)strtoul(p, NULL, 0);
}

bool proc_processor(const char *text, struct proc_processor *out)
{
    struct topology t = {0};

    memset(out, 0, sizeof(*out));
    for (const char *line = text; line != NULL; line = next_line(line)) {
        read_topology(line, &t, out);
        read_kind(line, out);
    }
    if (out->threads == 0)
        return false;
    if (out->sockets == 0)
        out->sockets = 1;
    out->cores = t.cores_of_socket * out->sockets;
    if (out->cores == 0 || out->cores > out->threads)
        out->cores = out->threads;
    return true;
}

bool proc_has_flag(const struct proc_processor *p, const char *flag)
{
    size_t n = strlen(flag);

    for (const char *at = p->flags; (at = strstr(at, flag)) != NULL; at += n)
        if ((at == p->flags || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}
