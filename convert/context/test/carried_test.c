/* Contexts of events in other chunks than the one that has them: those of another recorder. */
#include "convert/context/internal.h"
#include "convert/test/context_testing.h"
#include "convert/driver/run.h"
#include "jfrfmt/test/testing.h"

#include <stdlib.h>
#include <unistd.h>

struct part {
    int64_t start;
    size_t at, n;
};

static int by_start(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static uint64_t big(const uint8_t *p)
{
    uint64_t n = 0;

    for (int i = 0; i < 8; i++)
        n = n << 8 | p[i];
    return n;
}

static size_t read_all(const char *path, uint8_t *to)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(to, 1, 1 << 22, f);
    fclose(f);
    return n;
}

static void write_all(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* The chunks of both in one file, by time or one behind the other. */
static void put_together(const char *out, const char *a, const char *b, bool by_time)
{
    uint8_t *bytes = malloc(2 << 22);
    struct part parts[64];
    size_t n, n_parts = 0;
    FILE *f = fopen(out, "wb");

    assert_non_null(bytes);
    assert_non_null(f);
    n = read_all(a, bytes);
    n += read_all(b, bytes + n);
    for (size_t at = 0; at < n; at += parts[n_parts++].n)
        parts[n_parts] = (struct part){(int64_t)big(bytes + at + 32), at, big(bytes + at + 8)};
    if (by_time)
        qsort(parts, n_parts, sizeof(parts[0]), by_start);
    for (size_t i = 0; i < n_parts; i++)
        fwrite(bytes + parts[i].at, 1, parts[i].n, f);
    fclose(f);
    free(bytes);
}

struct counts {
    struct context_run *run;
    unsigned of[3], nobody;
};

static int count_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct counts *n = worker;
    struct jfr_event ev;

    (void)out;
    assert_int_equal(context_run_load(n->run, rc->chunk), 0);
    while (jfr_chunk_next(rc->chunk, &ev) > 0) {
        const char *user;

        if (strcmp(ev.type->name, "jdk.ExecutionSample") != 0)
            continue;
        user = context_text(n->run, context_event(n->run, &ev), 0, NULL);
        if (user == NULL)
            n->nobody++;
        else
            n->of[user[4] - '0']++;
    }
    return 0;
}

static struct counts count(const char *path)
{
    struct context *c = context_new();
    struct counts n = {0};
    struct run_options opt = {.paths = &path, .n_paths = 1};
    struct run_job job = {.shared = &n, .chunk = count_chunk};
    struct run_result result;
    struct jfr_error err;
    const char *err_path;

    assert_int_equal(context_want(c, "user"), 0);
    assert_int_equal(context_look_ahead(c, &path, 1, &err, &err_path), 0);
    assert_int_equal(context_n_lost(c), 0);
    n.run = context_run_new(c);
    assert_int_equal(run_all(&opt, &job, NULL, &result, &err, &err_path), 0);
    context_run_free(n.run);
    context_free(c);
    return n;
}

struct row {
    const char *name;
    unsigned ours, ours_chunks, theirs, theirs_chunks;
    bool by_time;
    unsigned per_user; /* samples of user 0 */
};

/* clang-format off */
static const struct row rows[] = {
    {"one chunk of each", SERVER_SPANS, 1, SERVER_OTHER, 1, true, 8},
    {"many of ours", SERVER_SPANS, 6, SERVER_OTHER, 1, true, 8},
    {"many of theirs", SERVER_SPANS, 1, SERVER_OTHER, 6, true, 8},
    {"many of both", SERVER_SPANS, 5, SERVER_OTHER, 3, true, 8},
    {"spans a chunk later", SERVER_SPANS | SERVER_LATE, 4, SERVER_OTHER, 3, true, 8},
    {"one file behind the other", SERVER_SPANS, 4, SERVER_OTHER, 3, false, 8},
    {"theirs first", SERVER_SPANS | SERVER_LATE, 4, SERVER_OTHER, 1, false, 8},
    {"async-profiler's spans", SERVER_TAGS, 3, SERVER_OTHER, 2, true, 0},
    {"another process, with spans of its own", SERVER_SPANS, 2, 0, 2, true, 0},
};
/* clang-format on */

/* 24 requests of 3 users, 8 each, with 1, 2, 3 samples, and one of nobody. */
static void spans_hold_beside(void **state)
{
    const struct row *t = *state;
    char a[] = "/tmp/context_carried_a.XXXXXX", b[] = "/tmp/context_carried_b.XXXXXX",
         both[] = "/tmp/context_carried.XXXXXX";
    struct server ours = {
        .users = 3, .requests = 24, .chunks = t->ours_chunks, .how = t->ours | SERVER_ALONE};
    struct server theirs = {
        .users = 3, .requests = 24, .chunks = t->theirs_chunks, .how = t->theirs};
    struct counts n;

    close(mkstemp(a));
    close(mkstemp(b));
    close(mkstemp(both));
    assert_true(server_write(a, &ours));
    assert_true(server_write(b, &theirs));
    put_together(both, a, b, t->by_time);
    n = count(both);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(n.of[i], t->per_user * (i + 1));
    assert_int_equal(n.nobody, 24 + 48 - 6 * t->per_user);
    unlink(a);
    unlink(b);
    unlink(both);
}

/* Looks ahead at a recording and, for contexts alone, at a second one. */
static struct context *look(const char *events, const char *contexts)
{
    const char *const paths[] = {events, contexts};
    struct context *c = context_new();
    struct jfr_error err;
    const char *err_path;

    assert_non_null(c);
    assert_int_equal(context_want(c, "user"), 0);
    context_from(c, 1);
    assert_int_equal(context_look_ahead(c, paths, 2, &err, &err_path), 0);
    return c;
}

static void damage_of_what_has_contexts_only_is_noted(void **state)
{
    char cut[] = "/tmp/context_carried_cut.XXXXXX", good[] = "/tmp/context_carried.XXXXXX";
    struct server s = {.users = 3, .requests = 24, .chunks = 3, .how = SERVER_SPANS};
    uint8_t *bytes = malloc(1 << 22);
    const struct jfr_error *err;
    const char *path = NULL;
    struct context *c;
    uint64_t first;

    (void)state;
    assert_non_null(bytes);
    close(mkstemp(cut));
    close(mkstemp(good));
    assert_true(server_write(cut, &s));
    assert_true(server_write(good, &s));
    assert_true(read_all(cut, bytes) > 0);
    first = big(bytes + 8);
    assert_int_equal(truncate(cut, (off_t)(first + big(bytes + first + 8) / 2)), 0);

    c = look(good, cut);
    err = context_damage(c, 0, &path);
    assert_non_null(err);
    assert_string_equal(path, cut);
    assert_int_equal(err->chunk, 1);
    assert_true(err->offset >= first);
    for (size_t i = 1; context_damage(c, i, &path) != NULL; i++)
        assert_string_equal(path, cut);
    context_free(c);

    c = look(cut, good); /* who reads the events will tell */
    assert_null(context_damage(c, 0, &path));
    context_free(c);
    c = look(cut, cut);
    assert_null(context_damage(c, 0, &path));
    context_free(c);
    unlink(cut);
    unlink(good);
    free(bytes);
}

/* An event with a context whose user is longer than the event. */
static void a_context_that_ends_too_early_is_damage(void **state)
{
    char hurt[] = "/tmp/context_carried_hurt.XXXXXX", good[] = "/tmp/context_carried.XXXXXX";
    static const uint8_t user[] = {3, 5, 'u', 's', 'e', 'r', '1'}; /* UTF-8, its length, itself */
    struct server s = {.users = 3, .requests = 24, .chunks = 1, .how = SERVER_SPANS | SERVER_ALONE};
    uint8_t *bytes = malloc(1 << 22), *at;
    const struct jfr_error *err;
    const char *path = NULL;
    struct context *c;
    size_t n;

    (void)state;
    assert_non_null(bytes);
    close(mkstemp(hurt));
    close(mkstemp(good));
    assert_true(server_write(hurt, &s));
    assert_true(server_write(good, &s));
    n = read_all(hurt, bytes);
    at = memmem(bytes, n, user, sizeof(user));
    assert_non_null(at);
    at[1] = 0x7f;
    write_all(hurt, bytes, n);

    c = look(good, hurt);
    err = context_damage(c, 0, &path);
    assert_non_null(err);
    assert_string_equal(path, hurt);
    assert_non_null(strstr(err->text, "ends inside"));
    assert_in_range(err->offset, (uintmax_t)(at - bytes) - 40, (uintmax_t)(at - bytes) + 40);
    assert_null(context_damage(c, 1, &path));
    context_free(c);
    unlink(hurt);
    unlink(good);
    free(bytes);
}

static int note_without_spans(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct context_run *r = worker;

    (void)out;
    assert_int_equal(context_run_load(r, rc->chunk), 0);
    assert_true(r->has_spans); /* classes of them */
    return 0;
}

/* Looks ahead at some recordings. Is the last chunk of the first one taken to be without spans? */
static bool is_without_spans(const char *const *paths, size_t n)
{
    struct context *c = context_new();
    struct run_options opt = {.paths = paths, .n_paths = 1};
    struct context_run *r;
    struct run_result result;
    struct jfr_error err;
    const char *err_path;
    bool is_without;

    assert_non_null(c);
    assert_int_equal(context_want(c, "user"), 0);
    assert_int_equal(context_look_ahead(c, paths, n, &err, &err_path), 0);
    r = context_run_new(c);
    assert_non_null(r);
    assert_int_equal(run_all(&opt, &(struct run_job){.shared = r, .chunk = note_without_spans},
                             NULL, &result, &err, &err_path),
                     0);
    is_without = r->is_without_spans;
    context_run_free(r);
    context_free(c);
    return is_without;
}

static uint64_t varint(const uint8_t **p)
{
    uint64_t n = 0;

    for (int shift = 0; shift < 56; shift += 7) {
        n |= (uint64_t)(**p & 0x7f) << shift;
        if (*(*p)++ < 0x80)
            break;
    }
    return n;
}

/* Gives all events of a chunk but its metadata and constants a type that is not declared. */
static void hide_events(uint8_t *chunk)
{
    for (const uint8_t *p = chunk + 68, *at; p < chunk + big(chunk + 8);) {
        uint64_t size;

        at = p;
        size = varint(&p);
        if (varint(&p) > 1)
            chunk[p - 1 - chunk] = 0x7e; /* the highest byte of the type */
        p = at + size;
    }
}

static void only_finished_chunks_are_without_spans(void **state)
{
    char with[] = "/tmp/context_carried_with.XXXXXX", without[] = "/tmp/context_carried.XXXXXX";
    struct server s = {.users = 3, .requests = 24, .chunks = 1, .how = SERVER_SPANS | SERVER_ALONE};
    const char *const paths[] = {without, with};
    uint8_t *bytes = malloc(1 << 22);
    size_t n;

    (void)state;
    assert_non_null(bytes);
    close(mkstemp(with));
    close(mkstemp(without));
    assert_true(server_write(with, &s));
    n = read_all(with, bytes);
    hide_events(bytes);
    write_all(without, bytes, n);
    assert_false(is_without_spans(&paths[1], 1));
    assert_true(is_without_spans(paths, 1));
    assert_false(is_without_spans(paths, 2)); /* by their headers they are the same chunk */
    memset(bytes + 40, 0, 8); /* no duration: it is not closed, and events may be added to it */
    write_all(without, bytes, n);
    assert_false(is_without_spans(paths, 1));
    unlink(with);
    unlink(without);
    free(bytes);
}

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

int main(void)
{
    struct CMUnitTest tests[N_ROWS + 3] = {
        [N_ROWS] = cmocka_unit_test(damage_of_what_has_contexts_only_is_noted),
        [N_ROWS + 1] = cmocka_unit_test(a_context_that_ends_too_early_is_damage),
        [N_ROWS + 2] = cmocka_unit_test(only_finished_chunks_are_without_spans)};

    for (size_t i = 0; i < N_ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, spans_hold_beside, NULL, NULL,
                                       (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
