/*
 * pusher.c - the processes that send what is recorded: their arguments, their start, their end.
 *
 * The recorded JVM never sends anything, and neither does this process: a server that hangs stops
 * nothing but the sender.
 */
#include "tools/rec/pusher.h"

#include "jfrfmt/base/array.h"
#include "tools/cli/self.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_EVERY "10s"
#define WORDS_MAX 80
#define LOOK_NS 100000000 /* between looks at senders that have not ended */

struct words {
    const char *items[WORDS_MAX];
    size_t n;
    char *made[WORDS_MAX]; /* those to be freed */
    size_t n_made;
};

static void add_push_word(struct words *w, const char *word)
{
    if (w->n < WORDS_MAX - 1)
        w->items[w->n++] = word;
}

static void free_words(struct words *w)
{
    for (size_t i = 0; i < w->n_made; i++)
        free(w->made[i]);
}

/* "jfrkit push --to URL ..." without its operand. every: whether it follows a JVM. 0, or an exit
 * code after a message. */
static int put_words(const struct pusher *p, struct words *w, bool every)
{
    const struct cli_list *options = &p->args->push_options;

    *w = (struct words){.items = {"jfrkit", "push", "--to", p->args->push}, .n = 4};
    if (every) {
        add_push_word(w, "--every");
        add_push_word(w, p->args->every == NULL ? DEFAULT_EVERY : p->args->every);
    }
    if (p->args->quiet)
        add_push_word(w, "--quiet");
    if (options->n > WORDS_MAX - 20)
        return cli_usage(p->command, "--push-with: too many");
    for (size_t i = 0; i < options->n; i++) {
        char *word;

        if (asprintf(&word, "--%s", options->items[i]) < 0)
            return cli_no_memory(p->command);
        w->made[w->n_made++] = word;
        add_push_word(w, word);
    }
    return 0;
}

/* Runs push to its end. out: its standard output, or -1. */
static int run_push(const struct pusher *p, struct words *w, const char *const *more, int out)
{
    for (; *more != NULL; more++)
        add_push_word(w, *more);
    return cli_run_self(p->command, w->items, out);
}

/* A sender asks the JVM, too, and needs the library that --agent names. 0, or an exit code after a
 * message. */
static int name_agent(const struct pusher *p)
{
    if (p->args->agent == NULL || setenv("JFRKIT_AGENT", p->args->agent, 1) == 0)
        return 0;
    return cli_no_memory(p->command);
}

int pusher_check(const struct pusher *p)
{
    static const char *const dry[] = {"--dry-run", "--", "0", NULL};
    struct words w;
    int rc, null;

    if (p->args->push == NULL)
        return p->args->every == NULL && p->args->push_options.n == 0
                   ? 0
                   : cli_usage(p->command, "--every and --push-with need --push URL");
    null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    rc = put_words(p, &w, true);
    if (rc == 0)
        rc = run_push(p, &w, dry, null);
    free_words(&w);
    if (null >= 0)
        close(null);
    return rc;
}

bool pusher_has(const struct pusher *p, pid_t jvm)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->jvms[i].pid == jvm)
            return true;
    return false;
}

int pusher_follow(struct pusher *p, pid_t jvm, const char *file)
{
    char operand[24];
    struct words w = {.n = 0};
    pid_t sender = -1;
    int rc;

    if (p->args->push == NULL || pusher_has(p, jvm))
        return 0;
    if (!array_add(&p->jvms, p->n, sizeof(*p->jvms)))
        return cli_no_memory(p->command);
    p->jvms[p->n] = (struct pusher_jvm){.pid = jvm, .file = strdup(file)};
    if (p->jvms[p->n].file == NULL)
        return cli_no_memory(p->command);
    rc = name_agent(p);
    if (rc == 0)
        rc = put_words(p, &w, true);
    if (rc == 0) {
        snprintf(operand, sizeof(operand), "%d", (int)jvm);
        add_push_word(&w, "--");
        add_push_word(&w, operand);
        sender = cli_start_self(p->command, w.items);
    }
    free_words(&w);
    p->jvms[p->n++].sender = sender > 0 ? sender : 0;
    p->has_failed |= sender <= 0;
    return sender > 0 ? 0 : EXIT_FAILED;
}

int pusher_send(struct pusher *p, const char *file, const char *path)
{
    const char *const operand[] = {"--", path, NULL};
    struct words w;
    int rc;

    if (p->args->push == NULL)
        return 0;
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->jvms[i].file, file) == 0)
            return 0;
    rc = put_words(p, &w, false);
    if (rc == 0)
        rc = run_push(p, &w, operand, -1);
    free_words(&w);
    return rc;
}

int pusher_detach(const struct pusher *p, pid_t jvm)
{
    char operand[24];
    const char *const more[] = {"--detach", "--", operand, NULL};
    struct words w = {.n = 0};
    int rc;

    if (p->args->push == NULL)
        return 0;
    snprintf(operand, sizeof(operand), "%d", (int)jvm);
    rc = name_agent(p);
    if (rc == 0)
        rc = put_words(p, &w, true);
    if (rc == 0)
        rc = run_push(p, &w, more, -1);
    free_words(&w);
    return rc;
}

/* Notes which senders have ended. Returns how many have not. */
static size_t reap_senders(struct pusher *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        int status;

        if (p->jvms[i].sender == 0)
            continue;
        if (waitpid(p->jvms[i].sender, &status, WNOHANG) == 0) {
            n++;
            continue;
        }
        p->jvms[i].sender = 0;
        p->has_failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return n;
}

int pusher_wait(struct pusher *p)
{
    const struct timespec look = {0, LOOK_NS};
    sigset_t stop, before;
    bool is_stopped = false;

    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    sigprocmask(SIG_BLOCK, &stop, &before);
    while (reap_senders(p) > 0 && !is_stopped)
        is_stopped = sigtimedwait(&stop, NULL, &look) > 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (size_t i = 0; i < p->n; i++)
        if (p->jvms[i].sender != 0)
            cli_error(p->command, "process %d continues to send what was recorded",
                      (int)p->jvms[i].sender);
    return p->has_failed ? EXIT_FAILED : 0;
}

void pusher_free(struct pusher *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->jvms[i].file);
    free(p->jvms);
}
