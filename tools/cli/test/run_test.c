#include "tools/cli/run.h"

#include "jfrfmt/test/testing.h"
#include "tools/test/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>

static const struct cli_command command = {.name = "jfr2x"};

/* What the run below does, and how the job around it behaves. */
struct script {
    int rc; /* of run_all */
    int error; /* it reports this code, 0 = none */
    uint64_t damages;
    bool writes; /* during the run */
    int begin_rc, end_rc;
    bool is_empty, is_cut;
};

static const struct script *script;

/* Stands in for the real one, which has its own tests. */
int run_all(const struct run_options *opt, const struct run_job *job, struct out *out,
            struct run_result *result, struct jfr_error *err, const char **err_path)
{
    (void)job;
    for (uint64_t i = 0; i < script->damages; i++) {
        struct jfr_error damage = {.chunk = (uint32_t)i, .offset = 0x1f20 + i};

        strcpy(damage.text, "bad event size 0");
        damage.code = script->is_cut && i == 0 ? JFR_E_CUT : JFR_E_FORMAT;
        opt->on_damage(opt->ctx, opt->paths[0], &damage);
    }
    if (out != NULL && script->writes)
        buf_str(&out->b, "body ");
    if (script->error != 0) {
        jfr_fail(err, script->error, 0, "not a JFR recording");
        *err_path = opt->paths[0];
    }
    *result = (struct run_result){.chunks = 3,
                                  .damages = script->damages,
                                  .bytes = 1234567,
                                  .path = opt->n_paths > 0 ? opt->paths[0] : NULL};
    if (opt->go_on != NULL)
        opt->go_on(opt->ctx, result);
    return script->rc;
}

static int begin(void *shared, struct out *out)
{
    (void)shared;
    buf_str(&out->b, "begin ");
    return script->begin_rc;
}

static int end(void *shared, struct out *out)
{
    (void)shared;
    buf_str(&out->b, "end");
    return script->end_rc;
}

static bool is_empty(const void *shared)
{
    (void)shared;
    return script->is_empty;
}

struct row {
    const char *name;
    struct script script;
    struct cli_run_options options;
    int code;
    const char *file; /* what stands in the output file; NULL: there is none */
    const char *messages;
};

#define CHUNK_1 "jfr2x: a.jfr: chunk 1, offset 0x1f20: bad event size 0\n"
#define CHUNK_2 "jfr2x: a.jfr: chunk 2, offset 0x1f21: bad event size 0\n"
#define REPAIR "; to repair it: jfrkit cut --repair -o good.jfr a.jfr\n"
#define DAMAGED_1 "jfr2x: a.jfr: damaged in 1 place, see -v; the rest was used (1.2 MB)" REPAIR
#define DAMAGED_2 "jfr2x: a.jfr: damaged in 2 places, see -v; the rest was used (1.2 MB)" REPAIR
#define CUT_OFF                                                                           \
    "jfr2x: a.jfr: cut off: the JVM was killed, or is still recording; what is there was" \
    " used (1.2 MB)" REPAIR

/* clang-format off */
static const struct row rows[] = {
    {"all well", {.writes = true}, {0}, EXIT_DONE, "begin body end", ""},
    {"verbose", {.writes = true}, {.verbose = true}, EXIT_DONE, "begin body end",
     "jfr2x: 3 chunks, 1.2 MB, 0 damaged places\n"},
    {"empty", {.is_empty = true}, {0}, EXIT_DONE, "begin end", ""},
    {"empty with --fail-empty", {.is_empty = true}, {.fail_empty = true}, EXIT_EMPTY, NULL, ""},
    {"damaged", {.damages = 2, .writes = true}, {0}, EXIT_DAMAGED, "begin body end", DAMAGED_2},
    {"damaged and verbose", {.damages = 2}, {.verbose = true}, EXIT_DAMAGED, "begin end",
     CHUNK_1 CHUNK_2 "jfr2x: a.jfr: damaged in 2 places; the rest was used (1.2 MB)" REPAIR
     "jfr2x: 3 chunks, 1.2 MB, 2 damaged places\n"},
    {"cut off", {.damages = 2, .is_cut = true}, {0}, EXIT_DAMAGED, "begin end", CUT_OFF},
    {"damaged and quiet", {.damages = 2}, {.quiet = true}, EXIT_DAMAGED, "begin end", ""},
    {"damaged and strict", {.damages = 1, .writes = true}, {.strict = true}, EXIT_FAILED, NULL,
     DAMAGED_1 "jfr2x: the input is damaged (--strict)\n"},
    {"damaged and empty with --fail-empty", {.damages = 1, .is_empty = true}, {.fail_empty = true},
     EXIT_EMPTY, NULL, DAMAGED_1},
    {"not a recording", {.rc = JFR_E_FORMAT, .error = JFR_E_FORMAT}, {0}, EXIT_FAILED, NULL,
     "jfr2x: a.jfr: not a JFR recording\n"},
    {"quiet does not silence the reason of a failure", {.rc = JFR_E_FORMAT, .error = JFR_E_FORMAT},
     {.quiet = true}, EXIT_FAILED, NULL, "jfr2x: a.jfr: not a JFR recording\n"},
    {"out of memory without a word", {.rc = JFR_E_NOMEM}, {0}, EXIT_FAILED, NULL, "jfr2x: out of memory\n"},
    {"the beginning fails", {.begin_rc = JFR_E_NOMEM}, {0}, EXIT_FAILED, NULL, "jfr2x: out of memory\n"},
    {"the end fails", {.end_rc = JFR_E_IO}, {0}, EXIT_FAILED, NULL, "jfr2x: cannot make the output\n"},
    {"full device", {.writes = true}, {.output = "/dev/full"}, EXIT_FAILED, NULL,
     "jfr2x: cannot write /dev/full: No space left on device\n"},
    {"no such directory", {0}, {.output = "/no/where"}, EXIT_FAILED, NULL,
     "jfr2x: cannot write /no/where: No such file or directory\n"},
};
/* clang-format on */

static char *read_file(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "r");

    if (f == NULL)
        return NULL;
    text[fread(text, 1, room - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void ends(void **state)
{
    const struct row *t = *state;
    const char *name = "a.jfr";
    struct cli_list files = {&name, 1};
    struct run_job job = {0};
    struct cli_work work = {
        .job = &job, .streams = true, .begin = begin, .end = end, .is_empty = is_empty};
    struct cli_run_options options = t->options;
    char dir[] = "/tmp/cli_run_test.XXXXXX", path[64], text[256], messages[1024];
    struct printed c;
    int code;

    assert_non_null(mkdtemp(dir));
    sprintf(path, "%s/x", dir);
    if (options.output == NULL)
        options.output = path;
    script = &t->script;
    c = printed_begin(2);
    code = cli_run(&command, &options, &files, &work);
    printed_end(&c, messages, sizeof(messages));
    assert_string_equal(messages, t->messages);
    assert_int_equal(code, t->code);
    if (t->file == NULL) {
        assert_null(read_file(path, text, sizeof(text)));
    } else {
        assert_non_null(read_file(path, text, sizeof(text)));
        assert_string_equal(text, t->file);
        unlink(path);
    }
    assert_int_equal(rmdir(dir), 0); /* fails when a temporary file was left */
}

static void a_job_that_does_not_stream_gets_no_output(void **state)
{
    static const struct script writes = {.writes = true};
    struct cli_list files = {0};
    struct run_job job = {0};
    struct cli_work work = {.job = &job, .end = end};
    struct cli_run_options options = {0};
    struct printed c = printed_begin(1);
    char text[64];
    int code;

    (void)state;
    script = &writes;
    code = cli_run(&command, &options, &files, &work);
    printed_end(&c, text, sizeof(text));
    assert_int_equal(code, EXIT_DONE);
    assert_string_equal(text, "end");
}

struct damage {
    const char *name;
    const char *path;
    struct jfr_error err;
    const char *want;
};

/* clang-format off */
static const struct damage damages[] = {
    {"in a chunk", "a.jfr", {JFR_E_FORMAT, 2, 0x1f20, "bad"}, "jfr2x: a.jfr: chunk 3, offset 0x1f20: bad\n"},
    {"standard input", "-", {JFR_E_SHORT, 0, 7, "cut"}, "jfr2x: standard input: chunk 1, offset 0x7: cut\n"},
    {"the system", "a.jfr", {JFR_E_IO, 0, 0, "Input/output error"}, "jfr2x: a.jfr: Input/output error\n"},
    {"memory", "a.jfr", {JFR_E_NOMEM, 0, 0, "out of memory"}, "jfr2x: a.jfr: out of memory\n"},
    {"control bytes", "a\x1b[2J.jfr", {JFR_E_FORMAT, 0, 0, "\x1b]0;x\x07"},
     "jfr2x: a?[2J.jfr: chunk 1, offset 0x0: ?]0;x?\n"},
};
/* clang-format on */

static void reports(void **state)
{
    const struct damage *t = *state;
    struct cli_report report = {.command = &command, .has_places = true, .is_log = true};
    struct printed c = printed_begin(2);
    char text[256];

    cli_report_damage(&report, t->path, &t->err);
    cli_report_end(&report);
    printed_end(&c, text, sizeof(text));
    assert_string_equal(text, t->want);
}

struct refusal {
    const char *name;
    const char *output, *input;
    const char *want; /* NULL: not refused */
};

/* clang-format off */
static const struct refusal refusals[] = {
    {"plain file", NULL, "dir.jfr/app.jfr", "jfr2x: not written to a terminal; try -o app.html\n"},
    {"dash", "-", "app.jfr", "jfr2x: not written to a terminal; try -o app.html\n"},
    {"compressed file", NULL, "app.jfr.zst", "jfr2x: not written to a terminal; try -o app.html\n"},
    {"other ending", NULL, "app.bin", "jfr2x: not written to a terminal; try -o app.bin.html\n"},
    {"nothing but an ending", NULL, ".jfr", "jfr2x: not written to a terminal; try -o .jfr.html\n"},
    {"standard input", NULL, NULL, "jfr2x: not written to a terminal; try -o out.html\n"},
    {"standard input by name", NULL, "-", "jfr2x: not written to a terminal; try -o out.html\n"},
    {"to a file", "x.html", "app.jfr", NULL},
};
/* clang-format on */

static void refuses_a_terminal(void **state)
{
    const struct refusal *t = *state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), slave, saved = dup(1);
    struct printed c;
    char text[256];
    bool refused;

    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    fflush(NULL);
    c = printed_begin(2);
    dup2(slave, 1);
    refused = cli_refuse_terminal(&command, t->output, t->input, ".html");
    dup2(saved, 1);
    printed_end(&c, text, sizeof(text));
    close(saved);
    close(slave);
    close(terminal);
    assert_int_equal(refused, t->want != NULL);
    assert_string_equal(text, t->want == NULL ? "" : t->want);
}

static void a_pipe_is_no_terminal(void **state)
{
    struct printed c = printed_begin(1);
    char text[8];
    bool refused = cli_refuse_terminal(&command, NULL, NULL, ".html");

    (void)state;
    printed_end(&c, text, sizeof(text));
    assert_false(refused);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_does_not_stream_gets_no_output),
        cmocka_unit_test(a_pipe_is_no_terminal),
    };

    return run_rows("cli_run: how it ends", rows, ends) +
           run_rows("cli_run: damage", damages, reports) +
           run_rows("cli_run: terminal", refusals, refuses_a_terminal) +
           cmocka_run_group_tests_name("cli_run", tests, NULL, NULL);
}
