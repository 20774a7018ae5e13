/*
 * cgroup.c - reads limits and counters of the process's control groups from the cgroup file
 * systems.
 *
 * periodic_container.c calls it for the container events. The files have other names in version 1
 * than in version 2.
 */
#include "recorder/engine/cgroup.h"

#include "recorder/base/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNLIMITED (INT64_C(1) << 60) /* version 1 says "no limit" by a number near 2^63 */
#define NS_PER_US 1000

static const char *const controllers[CGROUP_N] = {"cpu", "cpuacct", "memory", "blkio"};

/* --- the folders of the groups --- */

/* Whether `list`, separated by commas and ended by one of `ends`, has this word. */
static bool has_word(const char *list, const char *word, const char *ends)
{
    size_t n = strlen(word);

    for (const char *p = list; *p != '\0' && strchr(ends, *p) == NULL;) {
        size_t length = strcspn(p, ",: \n");

        if (length == n && strncmp(p, word, n) == 0)
            return true;
        p += length;
        if (*p == ',')
            p++;
        else
            break;
    }
    return false;
}

/* The group's path in /proc/self/cgroup: "4:memory:/path", with version 2 "0::/path". */
static bool path_of_group(const char *text, const char *controller, char path[PATH_MAX])
{
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *list = strchr(line, ':'), *colon = NULL;

        if (list != NULL && (colon = strchr(list + 1, ':')) != NULL &&
            (controller == NULL ? colon == list + 1 : has_word(list + 1, controller, ":"))) {
            snprintf(path, PATH_MAX, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
            return true;
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return false;
}

/* One line of /proc/self/mountinfo. */
struct mount {
    char root[PATH_MAX], point[PATH_MAX];
    char type[32];
    const char *options; /* of the file system, within the text */
};

static bool parse_mount(const char *line, struct mount *m)
{
    const char *dash = strstr(line, " - "), *end = strchr(line, '\n');
    int at = 0;

    if (dash == NULL || (end != NULL && dash > end) ||
        sscanf(line, "%*d %*d %*s %4095s %4095s", m->root, m->point) != 2 ||
        sscanf(dash + 3, "%31s %*s %n", m->type, &at) != 1 || at == 0)
        return false;
    m->options = dash + 3 + at;
    return true;
}

/* /proc has the path of a group from the root of the hierarchy; a mount may show a part of it only.
 */
static void join(const char *root, const struct mount *m, const char *path, char dir[PATH_MAX])
{
    size_t n = strcmp(m->root, "/") == 0 ? 0 : strlen(m->root);
    int written;

    if (strncmp(path, m->root, n) != 0 || (n > 0 && path[n] != '\0' && path[n] != '/'))
        path = ""; /* of another namespace: what is mounted is ours */
    else
        path += n;
    written = snprintf(dir, PATH_MAX, "%s%s%s", root, m->point, strcmp(path, "/") == 0 ? "" : path);
    if (written >= PATH_MAX)
        dir[0] = '\0';
    else if (access(dir, R_OK) != 0)
        snprintf(dir, PATH_MAX, "%s%s", root, m->point);
}

static bool find_dir(const char *root, const char *groups, const char *mounts,
                     const char *controller, char dir[PATH_MAX])
{
    char path[PATH_MAX];
    struct mount m;

    dir[0] = '\0';
    if (!path_of_group(groups, controller, path))
        return false;
    for (const char *line = mounts; line != NULL && *line != '\0';) {
        if (parse_mount(line, &m) &&
            (controller == NULL
                 ? strcmp(m.type, "cgroup2") == 0
                 : strcmp(m.type, "cgroup") == 0 && has_word(m.options, controller, " \n"))) {
            join(root, &m, path, dir);
            return dir[0] != '\0';
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return false;
}

bool cgroup_find(struct cgroup *c, const char *root)
{
    char path[PATH_MAX], groups[8192];
    char *mounts = malloc(PROC_TEXT * 4);
    bool found = false;

    memset(c, 0, sizeof(*c));
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    if (mounts == NULL || proc_read(path, groups, sizeof(groups)) < 0) {
        free(mounts);
        return false;
    }
    snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
    proc_read(path, mounts, PROC_TEXT * 4);
    for (int i = 0; i < CGROUP_N; i++)
        found |= find_dir(root, groups, mounts, controllers[i], c->dir[i]);
    c->version = 1;
    if (!found && (found = find_dir(root, groups, mounts, NULL, c->dir[0]))) {
        c->version = 2;
        for (int i = 1; i < CGROUP_N; i++)
            memcpy(c->dir[i], c->dir[0], PATH_MAX);
    }
    free(mounts);
    return found;
}

/* --- numbers --- */

static bool read_file(const struct cgroup *c, int controller, const char *file, char text[4096])
{
    char path[PATH_MAX + 64];

    if (c->dir[controller][0] == '\0')
        return false;
    snprintf(path, sizeof(path), "%s/%s", c->dir[controller], file);
    return proc_read(path, text, 4096) > 0;
}

/* -1: "max", too large for a limit, or no number */
static int64_t cgroup_limit(const char *text)
{
    char *end;
    int64_t v = strtoll(text, &end, 10);

    return end == text || v < 0 || v >= UNLIMITED ? -1 : v;
}

static int64_t number(const struct cgroup *c, int controller, const char *file)
{
    char text[4096];

    return read_file(c, controller, file, text) ? cgroup_limit(text) : -1;
}

/* The number after `key` in a file of "key number" lines, or -1. */
static int64_t keyed(const struct cgroup *c, int controller, const char *file, const char *key)
{
    char text[4096];
    size_t n = strlen(key);

    if (!read_file(c, controller, file, text))
        return -1;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            return cgroup_limit(line + n + 1);
    }
    return -1;
}

static int64_t scaled_counter(int64_t v, int64_t factor)
{
    return v < 0 ? -1 : v * factor;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

/* Adds up the numbers after all "key=" in io.stat. */
static int64_t sum_io(const char *text, const char *key)
{
    int64_t sum = 0;
    size_t n = strlen(key);

    for (const char *p = text; (p = strstr(p, key)) != NULL; p += n)
        if (p[n] == '=' && (p == text || p[-1] == ' '))
            sum += strtoll(p + n + 1, NULL, 10);
    return sum;
}

static void limits_2(const struct cgroup *c, struct cgroup_limits *out)
{
    char text[4096];
    int64_t weight = number(c, CGROUP_CPU, "cpu.weight");

    if (read_file(c, CGROUP_CPU, "cpu.max", text)) {
        const char *blank = strchr(text, ' ');

        out->quota_us = cgroup_limit(text);
        out->period_us = blank == NULL ? -1 : cgroup_limit(blank + 1);
    }
    if (weight > 0) /* as container runtimes map shares 2..262144 to weights 1..10000 */
        out->shares = 2 + (weight - 1) * 262142 / 9999;
    out->soft_memory = number(c, CGROUP_MEMORY, "memory.low");
    out->memory = number(c, CGROUP_MEMORY, "memory.max");
    out->memory_and_swap = plus(out->memory, number(c, CGROUP_MEMORY, "memory.swap.max"));
}

void cgroup_limits(const struct cgroup *c, struct cgroup_limits *out)
{
    *out = (struct cgroup_limits){-1, -1, -1, -1, -1, -1};
    if (c->version == 2) {
        limits_2(c, out);
        return;
    }
    out->period_us = number(c, CGROUP_CPU, "cpu.cfs_period_us");
    out->quota_us = number(c, CGROUP_CPU, "cpu.cfs_quota_us");
    out->shares = number(c, CGROUP_CPU, "cpu.shares");
    out->soft_memory = number(c, CGROUP_MEMORY, "memory.soft_limit_in_bytes");
    out->memory = number(c, CGROUP_MEMORY, "memory.limit_in_bytes");
    out->memory_and_swap = number(c, CGROUP_MEMORY, "memory.memsw.limit_in_bytes");
}

static void usage_1(const struct cgroup *c, struct cgroup_usage *out)
{
    int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);

    out->cpu_ns = number(c, CGROUP_CPUACCT, "cpuacct.usage");
    out->user_ns = scaled_counter(keyed(c, CGROUP_CPUACCT, "cpuacct.stat", "user"), tick_ns);
    out->system_ns = scaled_counter(keyed(c, CGROUP_CPUACCT, "cpuacct.stat", "system"), tick_ns);
    out->throttled_ns = keyed(c, CGROUP_CPU, "cpu.stat", "throttled_time");
    out->memory_failures = number(c, CGROUP_MEMORY, "memory.failcnt");
    out->memory = number(c, CGROUP_MEMORY, "memory.usage_in_bytes");
    out->memory_and_swap = number(c, CGROUP_MEMORY, "memory.memsw.usage_in_bytes");
    out->io_requests = keyed(c, CGROUP_BLKIO, "blkio.throttle.io_serviced", "Total");
    out->io_bytes = keyed(c, CGROUP_BLKIO, "blkio.throttle.io_service_bytes", "Total");
}

static void usage_2(const struct cgroup *c, struct cgroup_usage *out)
{
    char text[4096];

    out->cpu_ns = scaled_counter(keyed(c, CGROUP_CPU, "cpu.stat", "usage_usec"), NS_PER_US);
    out->user_ns = scaled_counter(keyed(c, CGROUP_CPU, "cpu.stat", "user_usec"), NS_PER_US);
    out->system_ns = scaled_counter(keyed(c, CGROUP_CPU, "cpu.stat", "system_usec"), NS_PER_US);
    out->throttled_ns =
        scaled_counter(keyed(c, CGROUP_CPU, "cpu.stat", "throttled_usec"), NS_PER_US);
    out->memory_failures = keyed(c, CGROUP_MEMORY, "memory.events", "max");
    out->memory = number(c, CGROUP_MEMORY, "memory.current");
    out->memory_and_swap = plus(out->memory, number(c, CGROUP_MEMORY, "memory.swap.current"));
    if (read_file(c, CGROUP_BLKIO, "io.stat", text)) {
        out->io_requests = sum_io(text, "rios") + sum_io(text, "wios");
        out->io_bytes = sum_io(text, "rbytes") + sum_io(text, "wbytes");
    }
}

void cgroup_usage(const struct cgroup *c, struct cgroup_usage *out)
{
    memset(out, 0xff, sizeof(*out)); /* all -1 */
    out->slices = keyed(c, CGROUP_CPU, "cpu.stat", "nr_periods");
    out->throttled_slices = keyed(c, CGROUP_CPU, "cpu.stat", "nr_throttled");
    if (c->version == 2)
        usage_2(c, out);
    else
        usage_1(c, out);
}
