/* Fields that a type gets while a recording runs, as contexts that a program defines late: what was
 * written before gets them as nulls, in a new file. */
#include "jfrfmt/read/reader.h"
#include "jfrfmt/read/stack.h"
#include "jfrfmt/test/writer_testing.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICKS INT64_C(1000)

static const struct jfr_field_def own[] = {{"bytes", "long"}};
static const struct jfr_type_def read_type = {
    "test.Read", JFR_TYPE_EVENT, .flags = JFR_HAS_DURATION, .fields = own, .n_fields = 1,
};
static const struct jfr_field_def value[] = {{"value", "java.lang.String"}};
static const struct jfr_type_def name_type = {
    "test.Name",
    JFR_TYPE_SIMPLE,
    .fields = value,
    .n_fields = 1,
};
static const struct jfr_field_def names[] = {
    {"ctx_user", "test.Name", "User", .flags = JFR_POOLED},
    {"ctx_action", "java.lang.String", "Action"},
    {"ctx_trace", "java.lang.String"},
    {"ctx_more", "java.lang.String"},
};

static void put(struct jfr_writer *w, int64_t type, int64_t bytes, const char *user)
{
    jfr_event_begin(w, type, TICKS);
    jfr_put_long(w, 0);
    jfr_put_long(w, bytes);
    if (user != NULL)
        jfr_put_key(w, jfr_writer_simple(w, jfr_writer_type(w, "test.Name"), user, strlen(user)));
    assert_int_equal(jfr_event_end(w), 0);
}

static struct jfr_writer *open_writer(const char *name, int64_t *type)
{
    struct jfr_writer_options options = {.start_ticks = 1, .replace = true, .seed = 7};
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(name, &options, &err);

    assert_non_null(w);
    assert_true(jfr_writer_declare(w, &name_type, 1) > 0);
    *type = jfr_writer_declare(w, &read_type, 1);
    assert_true(*type > 0);
    return w;
}

/* "bytes:user:action ", with - for null and nothing where a field is not there. */
static void describe(const char *name, char *out, size_t room)
{
    struct file in = read_file(name);
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(in.bytes, in.n, &err);
    struct jfr_reader *r = jfr_reader_open_source_take(src, &err);
    struct jfr_event ev;
    size_t n = 0;

    out[0] = '\0';
    while (jfr_reader_next(r, &ev) > 0) {
        struct cursor c = ev.body;

        cur_varint(&c);
        cur_varint(&c);
        n += (size_t)snprintf(out + n, room - n, "%llu", (unsigned long long)cur_varint(&c));
        for (size_t i = 3; i < ev.type->n_fields; i++) {
            const struct jfr_field *f = &ev.type->fields[i];
            struct jfr_chunk *chunk = jfr_reader_chunk(r);
            struct jfr_str s = f->is_pooled ? jfr_simple_text(chunk, f->type, cur_varint(&c))
                                            : jfr_chunk_resolve(chunk, jfr_str_read(&c));

            n += (size_t)snprintf(out + n, room - n, ":%.*s", jfr_str_is_null(s) ? 1 : (int)s.n,
                                  jfr_str_is_null(s) ? "-" : (const char *)s.p);
        }
        assert_true(cur_ok(&c));
        n += (size_t)snprintf(out + n, room - n, " ");
    }
    assert_null(jfr_reader_error(r)->text[0] != '\0' ? jfr_reader_error(r)->text : NULL);
    jfr_reader_close(r);
    free(in.bytes);
}

/* The file is legal and holds this. */
static void expect(const char *name, const char *wanted)
{
    char seen[400];

    expect_legal(path(name));
    describe(path(name), seen, sizeof(seen));
    assert_string_equal(seen, wanted);
}

static ino_t inode(const char *name)
{
    struct stat st;

    assert_int_equal(stat(path(name), &st), 0);
    return st.st_ino;
}

static void rewrite(struct jfr_writer *w, const char *name)
{
    struct jfr_error err = {0};

    assert_int_equal(jfr_writer_rewrite(w, path(name), &err), 0);
    assert_string_equal(err.text, "");
}

static void a_late_field_is_null_in_what_came_before(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_writer(path("late.jfr"), &type);

    (void)state;
    put(w, type, 1, NULL);
    assert_int_equal(jfr_writer_flush(w, 2 * TICKS), 0);
    put(w, type, 300, NULL);
    assert_int_equal(jfr_writer_flush(w, 2 * TICKS), 0);
    put(w, type, 2, NULL);
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 2), 0);
    expect("late.jfr", "1 300 2 ");
    assert_true(jfr_writer_needs_rewrite(w));
    rewrite(w, "late.jfr");
    assert_false(jfr_writer_needs_rewrite(w));
    expect("late.jfr", "1:-:- 300:-:- 2:-:- ");
    put(w, type, 3, "alice");
    assert_int_equal(jfr_writer_flush(w, 3 * TICKS), 0);
    expect("late.jfr", "1:-:- 300:-:- 2:-:- 3:alice:- ");
    assert_int_equal(jfr_writer_rotate(w, 4 * TICKS), 0);
    put(w, type, 4, "bob");
    assert_int_equal(jfr_writer_extend(w, &type, 1, names + 2, 1), 0);
    rewrite(w, "late.jfr");
    expect("late.jfr", "1:-:-:- 300:-:-:- 2:-:-:- 3:alice:-:- 4:bob:-:- ");
    put(w, type, 5, "alice");
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect("late.jfr", "1:-:-:- 300:-:-:- 2:-:-:- 3:alice:-:- 4:bob:-:- 5:alice:-:- ");
}

static void a_size_may_need_another_byte(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_writer(path("size.jfr"), &type);
    char text[140];

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_int_equal(jfr_writer_extend(w, &type, 1, names + 1, 1), 0);
    for (size_t n = 100; n < 130; n++) { /* sizes around 127 */
        jfr_event_begin(w, type, TICKS);
        jfr_put_long(w, 0);
        jfr_put_long(w, 1);
        jfr_put_text(w, text, n);
        assert_int_equal(jfr_event_end(w), 0);
    }
    assert_int_equal(jfr_writer_extend(w, &type, 1, names + 2, 2), 0);
    rewrite(w, "size.jfr");
    expect_legal(path("size.jfr"));
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void fields_have_rules(void **state)
{
    const struct jfr_field_def twice[] = {names[0], names[0]};
    const struct jfr_field_def number[] = {{"ctx_n", "long"}};
    const struct jfr_field_def pooled[] = {{"ctx_s", "java.lang.String", .flags = JFR_POOLED}};
    struct jfr_error err = {0};
    int64_t type, none, thread;
    struct jfr_writer *w = open_writer(path("rules.jfr"), &type);

    (void)state;
    none = type + 1;
    thread = jfr_writer_type(w, "java.lang.Thread");
    assert_true(jfr_writer_extend(w, &type, 1, twice, 2) < 0);
    assert_true(jfr_writer_extend(w, &type, 1, number, 1) < 0);
    assert_true(jfr_writer_extend(w, &type, 1, pooled, 1) < 0);
    assert_true(jfr_writer_extend(w, &none, 1, names, 1) < 0);
    assert_true(jfr_writer_extend(w, &thread, 1, names, 1) < 0);
    assert_true(jfr_writer_extend(w, &type, 1, own, 1) < 0);
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
    put(w, type, 1, "alice");
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect("rules.jfr", "1:alice ");
}

static void nothing_is_copied_when_no_event_lacks_a_field(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_writer(path("none.jfr"), &type);
    ino_t before;

    (void)state;
    assert_int_equal(jfr_writer_flush(w, 2 * TICKS), 0);
    before = inode("none.jfr");
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
    assert_false(jfr_writer_needs_rewrite(w));
    put(w, type, 1, "alice");
    rewrite(w, "none.jfr");
    assert_int_equal(jfr_writer_flush(w, 3 * TICKS), 0);
    assert_int_equal(inode("none.jfr"), before);
    expect("none.jfr", "1:alice ");
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void an_event_that_is_repeated_has_no_late_fields(void **state)
{
    struct jfr_error err = {0};
    struct jfr_writer_stats stats;
    int64_t type;
    struct jfr_writer *w = open_writer(path("repeated.jfr"), &type);

    (void)state;
    jfr_event_begin(w, type, TICKS);
    jfr_put_long(w, 0);
    jfr_put_long(w, 5);
    assert_int_equal(jfr_event_end_repeated(w), 0);
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
    rewrite(w, "repeated.jfr");
    put(w, type, 6, "alice"); /* the chunk begins with 5, once more */
    assert_int_equal(jfr_writer_flush(w, 3 * TICKS), 0);
    expect("repeated.jfr", "5:- 5:- 6:alice ");
    jfr_event_begin(w, type, TICKS);
    jfr_put_long(w, 0);
    jfr_put_long(w, 7);
    assert_true(jfr_event_end_repeated(w) < 0);
    jfr_writer_stats(w, &stats);
    assert_int_equal(stats.n_refused, 1);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

static void files_of_a_row_are_rewritten(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_writer(path("row-1.jfr"), &type);
    uint64_t bytes, chunk_at;
    struct stat st;

    (void)state;
    put(w, type, 1, NULL);
    assert_int_equal(jfr_writer_rotate(w, 2 * TICKS), 0);
    put(w, type, 2, NULL);
    assert_int_equal(jfr_writer_move(w, path("row-2.jfr"), 3 * TICKS, &err), 0);
    put(w, type, 3, NULL);
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
    assert_int_equal(jfr_writer_rewrite_file(w, path("row-1.jfr"), &bytes, &chunk_at, &err), 0);
    rewrite(w, "row-2.jfr");
    put(w, type, 4, "alice");
    assert_int_equal(jfr_writer_close(w, &err), 0);
    expect("row-1.jfr", "1:- 2:- ");
    expect("row-2.jfr", "3:- 4:alice ");
    assert_int_equal(stat(path("row-1.jfr"), &st), 0);
    assert_int_equal(st.st_size, bytes);
    assert_true(chunk_at > 68 && chunk_at < bytes);
}

static void a_copy_that_fails_leaves_the_file(void **state)
{
    struct jfr_error err = {0};
    int64_t type;
    struct jfr_writer *w = open_writer(path("failed.jfr"), &type);

    (void)state;
    put(w, type, 1, NULL);
    assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
    assert_int_equal(mkdir(path("taken"), 0700), 0);
    assert_true(jfr_writer_rewrite(w, path("taken"), &err) < 0); /* a folder has the name */
    assert_true(err.text[0] != '\0');
    expect("failed.jfr", "1 ");
    assert_int_equal(rmdir(path("taken")), 0);
    rewrite(w, "failed.jfr");
    expect("failed.jfr", "1:- ");
    assert_int_equal(jfr_writer_extend(w, &type, 1, names + 1, 1), 0);
    put(w, type, 2, "alice"); /* after a chunk whose events lack a field */
    err = (struct jfr_error){0};
    assert_true(jfr_writer_rewrite(w, path("failed.jfr"), &err) < 0);
    assert_int_equal(jfr_writer_rotate(w, 3 * TICKS), 0);
    expect("failed.jfr", "1:- 2:alice:- ");
    err = (struct jfr_error){0};
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

/* The child's work: one rewrite, of which the parent sees every system call. */
static void rewrite_traced(struct jfr_writer *w, const char *name)
{
    struct jfr_error err = {0};

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(2);
    raise(SIGSTOP);
    _exit(jfr_writer_rewrite(w, path(name), &err) == 0 ? 0 : 1);
}

/* Lets a process go on for n entries to system calls or returns from them, and kills it there.
 * False: it had ended before. */
static bool kill_at_stop(pid_t pid, int n)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (int i = 0; i < n && WIFSTOPPED(status); i++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
    }
    if (WIFSTOPPED(status)) {
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return true;
    }
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip(); /* ptrace is not allowed */
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

static void one_that_is_killed_leaves_the_old_file_or_the_new_one(void **state)
{
    int n_old = 0, n_new = 0;
    bool is_killed = true;

    (void)state;
    for (int n = 0; is_killed; n++) {
        int64_t type;
        struct jfr_writer *w = open_writer(path("killed.jfr"), &type);
        struct jfr_error err = {0};
        char seen[400];
        pid_t pid;

        put(w, type, 1, NULL);
        assert_int_equal(jfr_writer_rotate(w, 2 * TICKS), 0);
        put(w, type, 2, NULL);
        assert_int_equal(jfr_writer_extend(w, &type, 1, names, 1), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            rewrite_traced(w, "killed.jfr");
        is_killed = kill_at_stop(pid, n);
        describe(path("killed.jfr"), seen, sizeof(seen));
        if (strcmp(seen, "1 2 ") == 0)
            n_old++;
        else if (strcmp(seen, "1:- 2:- ") == 0)
            n_new++;
        else
            fail_msg("killed at stop %d: %s", n, seen);
        /* The parent's writer knows nothing of the new file. */
        assert_int_equal(jfr_writer_close(w, &err), 0);
    }
    assert_true(n_old > 10);
    assert_true(n_new > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_field_is_null_in_what_came_before),
        cmocka_unit_test(a_size_may_need_another_byte),
        cmocka_unit_test(fields_have_rules),
        cmocka_unit_test(nothing_is_copied_when_no_event_lacks_a_field),
        cmocka_unit_test(an_event_that_is_repeated_has_no_late_fields),
        cmocka_unit_test(files_of_a_row_are_rewritten),
        cmocka_unit_test(a_copy_that_fails_leaves_the_file),
        cmocka_unit_test(one_that_is_killed_leaves_the_old_file_or_the_new_one),
    };

    return cmocka_run_group_tests_name("writer: rewrite", tests, make_dir, remove_dir);
}
