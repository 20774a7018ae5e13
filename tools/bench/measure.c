/*
 * measure.c - what a command costs: measure [-x] [-n RUNS] COMMAND [ARGUMENT...]
 *
 * Runs it RUNS times (1) with standard output thrown away and prints the least of each: CPU seconds
 * (user and system, of the whole process with its children), peak resident set in MB, seconds by
 * the clock. A command that fails ends it: exit code 1. With -x its cost is printed all the same,
 * and its exit code is that of measure.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cost {
    double cpu_s, rss_mb, wall_s;
};

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void become(char **command)
{
    int null = open("/dev/null", O_WRONLY);

    if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(126);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

/* The exit code of the command; 128 and more when a signal ended it; -1 when it could not be run.
 */
static int run(char **command, struct cost *cost)
{
    struct rusage used;
    double start = now();
    pid_t pid = fork();
    int status;

    if (pid == 0)
        become(command);
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
        return -1;
    cost->wall_s = now() - start;
    cost->cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
    cost->rss_mb = (double)used.ru_maxrss / 1024;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void keep_least(struct cost *least, const struct cost *c, int first)
{
    if (first || c->cpu_s < least->cpu_s)
        least->cpu_s = c->cpu_s;
    if (first || c->rss_mb < least->rss_mb)
        least->rss_mb = c->rss_mb;
    if (first || c->wall_s < least->wall_s)
        least->wall_s = c->wall_s;
}

int main(int argc, char **argv)
{
    struct cost least = {0}, cost;
    int runs = 1, tells_all, rc = 0;

    tells_all = argc > 1 && strcmp(argv[1], "-x") == 0;
    argc -= tells_all;
    argv += 1 + tells_all;
    if (argc > 2 && strcmp(argv[0], "-n") == 0) {
        runs = (int)strtol(argv[1], NULL, 10);
        argv += 2;
    }
    if (argv[0] == NULL || runs < 1) {
        fprintf(stderr, "Usage: measure [-x] [-n RUNS] COMMAND [ARGUMENT...]\n");
        return 2;
    }
    for (int i = 0; i < runs; i++) {
        rc = run(argv, &cost);
        if (rc < 0 || (rc != 0 && !tells_all)) {
            fprintf(stderr, "measure: %s failed\n", argv[0]);
            return 1;
        }
        keep_least(&least, &cost, i == 0);
    }
    printf("%.3f %.1f %.3f\n", least.cpu_s, least.rss_mb, least.wall_s);
    return rc;
}
