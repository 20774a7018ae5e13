/*
 * launch.c - runs a program with the agent in its JVMs and reports what they recorded.
 *
 * A java command gets -agentpath as its first argument; any other program gets JAVA_TOOL_OPTIONS.
 * The agents write their answers to one file, which is read when the program has ended.
 */
#include "tools/rec/launch.h"

#include "tools/rec/context_facts.h"

#include "convert/report/summary_names.h"
#include "jfrfmt/base/amount.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK "JFREC_SESSION="
#define TOOL_OPTIONS "JAVA_TOOL_OPTIONS="
#define REPLY_MAX ((size_t)1 << 20)
#define STATUS_MS 500 /* how long an agent may take to answer */
#define STOP_MS 10000

static int no_launch_memory(const struct launch *s)
{
    cli_error(s->command, "out of memory");
    return EXIT_FAILED;
}

static bool is_java(const char *program)
{
    const char *slash = strrchr(program, '/');

    return strcmp(slash == NULL ? program : slash + 1, "java") == 0;
}

/* A pattern that gives every JVM a file of its own: %p goes before the suffix. */
static void add_pid(char *pattern, size_t room)
{
    char *name = strrchr(pattern, '/') + 1, *dot = strrchr(name, '.');
    size_t at = dot == NULL || dot == name ? strlen(pattern) : (size_t)(dot - pattern);

    if (strstr(pattern, "%p") != NULL || strlen(pattern) + 4 > room)
        return;
    memmove(pattern + at + 3, pattern + at, strlen(pattern + at) + 1);
    for (int i = 0; i < 3; i++)
        pattern[at + i] = "-%p"[i];
}

/* One word of JAVA_TOOL_OPTIONS, which are split at blanks unless they are quoted. */
static void quote(struct buf *b, const char *word)
{
    for (; *word != '\0'; word++) {
        const char *q = *word == '\'' ? "\"" : strchr(" \t\n\r\f\v\"", *word) != NULL ? "'" : "";

        buf_str(b, q);
        buf_byte(b, (uint8_t)*word);
        buf_str(b, q);
    }
}

static char *take_launch_text(struct buf *b)
{
    buf_byte(b, '\0');
    if (buf_ok(b))
        return (char *)b->p;
    buf_free(b);
    return NULL;
}

/* "-agentpath:LIBRARY=OPTIONS" */
static char *agent_option(struct launch *s, int *rc)
{
    char file[JVM_PATH_MAX + 8];
    struct buf b = {0};

    snprintf(file, sizeof(file), "%s", s->file);
    if (!s->direct)
        add_pid(file, sizeof(file));
    buf_printf(&b, "-agentpath:%s=", s->library);
    {
        struct buf options = {0};

        rec_add_option(&options, "file", file);
        rec_add_option(&options, "reply", s->reply);
        if (s->args->quiet)
            rec_add_option(&options, "quiet", "true");
        *rc = rec_add_options(s->command, s->args, &s->files, &options);
        buf_bytes(&b, options.p, options.n);
        buf_free(&options);
    }
    if (*rc != 0) {
        buf_free(&b);
        return NULL;
    }
    return take_launch_text(&b);
}

/* The environment with the mark, and with JAVA_TOOL_OPTIONS unless the option stands in argv. */
static int make_environment(struct launch *s, const char *option)
{
    size_t n = 0, at = 0;
    struct buf b = {0};

    while (environ[n] != NULL)
        n++;
    s->env = calloc(n + 3, sizeof(*s->env));
    if (s->env == NULL)
        return no_launch_memory(s);
    buf_str(&b, TOOL_OPTIONS);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], TOOL_OPTIONS, strlen(TOOL_OPTIONS)) == 0 && !s->direct)
            buf_printf(&b, "%s ", environ[i] + strlen(TOOL_OPTIONS));
        else if (strncmp(environ[i], MARK, strlen(MARK)) != 0)
            s->env[at++] = environ[i];
    }
    s->env[at++] = s->mark;
    if (s->direct) {
        buf_free(&b);
        return 0;
    }
    quote(&b, option);
    s->injected = take_launch_text(&b);
    s->env[at] = s->injected;
    return s->injected == NULL ? no_launch_memory(s) : 0;
}

static int make_arguments(struct launch *s, char **argv, const char *option)
{
    size_t n = 0, at = 0;

    while (argv[n] != NULL)
        n++;
    s->argv = calloc(n + 2, sizeof(*s->argv));
    if (s->argv == NULL)
        return no_launch_memory(s);
    s->argv[at++] = argv[0];
    if (s->direct) {
        s->injected = strdup(option);
        s->argv[at++] = s->injected;
        if (s->injected == NULL)
            return no_launch_memory(s);
    }
    for (size_t i = 1; i < n; i++)
        s->argv[at++] = argv[i];
    return 0;
}

static int make_reply_file(struct launch *s)
{
    uint64_t number = 0;
    int fd;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        number = (uint64_t)getpid();
    snprintf(s->mark, sizeof(s->mark), MARK "%016llx", (unsigned long long)number);
    snprintf(s->reply, sizeof(s->reply), "/tmp/.jfrec-%016llx.reply", (unsigned long long)number);
    fd = open(s->reply, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        cli_error(s->command, "%s: %s", s->reply, strerror(errno));
        s->reply[0] = '\0';
        return EXIT_FAILED;
    }
    (void)flock(fd, LOCK_EX); /* without the lock the agent removes it: reply.h */
    s->reply_fd = fd;
    return 0;
}

/* Has the agent's library check the options before there is a JVM to read them. A library that
 * cannot be loaded here (for another libc, say) or has no such function may still work in the JVM.
 */
static int check_options(const struct launch *s, const char *option)
{
    void *library = dlopen(s->library, RTLD_NOW | RTLD_LOCAL);
    int (*check)(const char *, char *, size_t) = NULL;
    char why[1000];
    int rc = 0;

    if (library == NULL)
        return 0;
    *(void **)(void *)&check = dlsym(library, "Agent_CheckOptions");
    if (check != NULL && check(strchr(option, '=') + 1, why, sizeof(why)) != 0)
        rc = cli_usage(s->command, "the recorder refuses its options: %s", why);
    dlclose(library);
    return rc;
}

int launch_open(struct launch *s, char **argv)
{
    const char *output = s->args->output;
    struct attach_error err;
    char *option;
    int rc;

    s->direct = is_java(argv[0]) && !s->args->children;
    if (output == NULL)
        output = "recording.jfr";
    if (agent_find(s->args->agent, s->library, &err) < 0) {
        cli_error(s->command, "%s", err.text);
        return EXIT_FAILED;
    }
    if (strchr(s->library, '=') != NULL) {
        cli_error(s->command,
                  "%s: a JVM accepts no agent with '=' in its path: name another with --agent",
                  s->library);
        return EXIT_FAILED;
    }
    if ((rc = rec_absolute(s->command, output, s->file, sizeof(s->file))) != 0 ||
        (rc = make_reply_file(s)) != 0)
        return rc;
    option = agent_option(s, &rc);
    if (option == NULL)
        return rc != 0 ? rc : no_launch_memory(s);
    rc = check_options(s, option);
    if (rc == 0)
        rc = make_arguments(s, argv, option);
    if (rc == 0)
        rc = make_environment(s, option);
    free(option);
    return rc;
}

void launch_free(struct launch *s)
{
    rec_files_remove(&s->files);
    if (s->reply[0] != '\0') {
        unlink(s->reply);
        close(s->reply_fd);
    }
    free(s->injected);
    free(s->argv);
    free(s->env);
}

static bool has_mark(const struct launch *s, pid_t pid)
{
    char path[64];
    bool found = false;
    char *text = NULL;
    size_t room = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    f = fopen(path, "re");
    while (f != NULL && !found && getdelim(&text, &room, '\0', f) > 0)
        found = strcmp(text, s->mark) == 0;
    free(text);
    if (f != NULL)
        fclose(f);
    return found;
}

size_t launch_jvms(const struct launch *s, struct jvm *jvms, size_t room)
{
    int n = jvm_list(jvms, room);
    size_t kept = 0;

    for (size_t i = 0; n > 0 && i < (size_t)n && i < room; i++)
        if (jvms[i].agent[0] != '\0' && has_mark(s, jvms[i].pid))
            jvms[kept++] = jvms[i];
    return kept;
}

bool launch_status(const struct launch *s, const struct jvm *jvm, struct agent_reply *reply)
{
    struct attach_error err;

    return agent_call(jvm, s->library, "command=status", STATUS_MS, reply, &err) == 0;
}

void launch_stop(const struct launch *s, const struct jvm *jvm)
{
    struct agent_reply reply;
    struct agent_reply_line line;
    struct attach_error err;
    FILE *f;

    if (agent_call(jvm, s->library, "command=stop", STOP_MS, &reply, &err) < 0) {
        cli_error(s->command, "process %d: %s", (int)jvm->pid, err.text);
        return;
    }
    f = fopen(s->reply, "ae");
    for (size_t at = 0; f != NULL && agent_reply_next(&reply, &at, &line);)
        fprintf(f, "%.*s: %s\n", line.n, line.key, line.value);
    if (f != NULL)
        fclose(f);
    agent_reply_free(&reply);
}

/* What the agents have said, as lines; the caller's to free. */
static char *read_replies(const struct launch *s)
{
    char *text = calloc(1, REPLY_MAX + 1);
    FILE *f = text == NULL ? NULL : fopen(s->reply, "re");

    if (f != NULL) {
        text[fread(text, 1, REPLY_MAX, f)] = '\0';
        fclose(f);
    }
    return text;
}

/* The files that were written, each once, in the order of their first mention. */
struct written {
    const char *files[256];
    const char *samples[256], *lost[256]; /* NULL: no agent reported the end */
    struct context_facts contexts[256];
    size_t n;
    bool ended; /* the answer that is read is the last one about its file */
    bool was_delayed; /* a JVM accepted the options and waited for --delay */
    bool was_refused; /* a JVM said why it does not record */
};

static size_t add_launch_file(struct written *w, const char *file)
{
    size_t i = 0;

    while (i < w->n && strcmp(w->files[i], file) != 0)
        i++;
    if (i == w->n && i < sizeof(w->files) / sizeof(w->files[0])) {
        w->files[i] = file;
        w->samples[i] = w->lost[i] = NULL;
        w->contexts[i] = (struct context_facts){0};
        w->n++;
    }
    return i < w->n ? i : w->n - 1;
}

static void read_launch_lines(const struct launch *s, char *text, struct written *w)
{
    size_t at = 0;

    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "error: ", 7) == 0) {
            cli_error(s->command, "not recorded: %s", line + 7);
            w->was_refused = true;
        } else if (strncmp(line, "state: ", 7) == 0) {
            w->ended = strcmp(line + 7, "stopped") == 0;
            w->was_delayed |= strcmp(line + 7, "delayed") == 0;
        } else if (strncmp(line, "file: ", 6) == 0) {
            at = add_launch_file(w, line + 6);
        } else if (w->ended && w->n > 0 && strncmp(line, "samples: ", 9) == 0) {
            w->samples[at] = line + 9;
        } else if (w->ended && w->n > 0 && strncmp(line, "lost: ", 6) == 0) {
            w->lost[at] = line + 6;
        } else if (w->ended && w->n > 0 && strstr(line, ": ") != NULL) {
            context_facts_add(&w->contexts[at], line, strcspn(line, ":"), strstr(line, ": ") + 2);
        }
    }
}

static void print_contexts(const struct launch *s, const struct context_facts *facts)
{
    struct buf b = {0};

    if (!s->args->quiet && context_facts_put(facts, &b)) {
        buf_byte(&b, '\0');
        if (buf_ok(&b))
            cli_error(s->command, "%s", (char *)b.p);
    }
    buf_free(&b);
}

static void print_file(const struct launch *s, const char *file, const char *samples,
                       const char *lost)
{
    struct buf b = {0};
    struct stat st;

    if (stat(file, &st) != 0) {
        cli_error(s->command, "%s: the recording cannot be found any more: %s", file,
                  strerror(errno));
        return;
    }
    amount_put_bytes(&b, st.st_size);
    if (samples != NULL)
        buf_printf(&b, ", %s samples", samples);
    if (lost != NULL && strcmp(lost, "0") != 0)
        buf_printf(&b, ", %s lost", lost);
    buf_byte(&b, '\0');
    if (!s->args->quiet && buf_ok(&b))
        cli_error(s->command, "%s: %s", file, (char *)b.p);
    buf_free(&b);
}

/* FILE-PID to FILE, if it is the only one and no JVM writes it any more. */
static const char *give_name(const struct launch *s, const char *file)
{
    struct jvm jvm;

    if (s->direct || strchr(s->file, '%') != NULL || launch_jvms(s, &jvm, 1) > 0 ||
        rename(file, s->file) != 0)
        return file;
    return s->file;
}

bool launch_report(const struct launch *s, char *only, const struct launch_use *use)
{
    char *text = read_replies(s);
    struct written w = {.n = 0};
    size_t n;

    only[0] = '\0';
    if (text == NULL)
        return false;
    read_launch_lines(s, text, &w);
    n = w.n;
    for (size_t i = 0; i < n; i++) {
        const char *file = n == 1 ? give_name(s, w.files[i]) : w.files[i];

        print_file(s, file, w.samples[i], w.lost[i]);
        print_contexts(s, &w.contexts[i]);
        use->file(use->ctx, w.files[i], file);
        if (n == 1)
            snprintf(only, JVM_PATH_MAX, "%s", file);
    }
    free(text);
    if (n == 0 && w.was_delayed && !w.was_refused)
        cli_error(s->command,
                  "nothing was recorded: the program ended before the delay of %s was over",
                  s->args->delay);
    return n > 0 || w.was_delayed || w.was_refused;
}
