/*
 * Real recordings against JMC's own listing of them: for each event its type, times, thread,
 * visible frames and, for settings, what is set to what, as one line of text. The lines are sorted.
 */
#include "jfrfmt/jfr.h"
#include "jfrfmt/test/testing.h"
#include "jfrfmt/v0/v0.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

struct lines {
    char **line;
    size_t n;
};

static void add_line(struct lines *l, struct buf *text)
{
    buf_byte(text, 0);
    l->line = realloc(l->line, (l->n + 1) * sizeof(*l->line));
    assert_non_null(l->line);
    l->line[l->n++] = strdup((char *)text->p);
    buf_reset(text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->line[i]);
    free(l->line);
}

struct listed { /* an event of the listing, as far as it has been read */
    char type[100], thread[200], setting[3][100];
    long long start, end;
    struct buf frames;
};

static void finish_listed(struct listed *e, struct lines *l)
{
    struct buf text = {0};

    buf_byte(&e->frames, 0);
    buf_printf(&text, "%s %lld %lld [%s] %s %s %s %s", e->type, e->start < 0 ? e->end : e->start,
               e->end, e->thread, e->setting[0], e->setting[1], e->setting[2], (char *)e->frames.p);
    add_line(l, &text);
    buf_free(&text);
    buf_reset(&e->frames);
}

/* The text between two marks of a line, or nothing. */
static bool between(const char *line, const char *from, const char *to, char *out, size_t room)
{
    const char *start = strstr(line, from), *end;

    if (start == NULL)
        return false;
    start += strlen(from);
    end = strstr(start, to);
    if (end == NULL || (size_t)(end - start) >= room)
        return false;
    memcpy(out, start, (size_t)(end - start));
    out[end - start] = '\0';
    return true;
}

static void read_listing(const char *path, struct lines *l)
{
    static char line[1 << 16], a[2000], b[40];
    gzFile f = gzopen(path, "rb");
    struct listed e = {0};

    assert_non_null(f);
    while (gzgets(f, line, sizeof(line)) != NULL) {
        if (between(line, " path=\"", "\"", e.type, sizeof(e.type))) {
            e.start = -1;
            e.thread[0] = e.setting[0][0] = e.setting[1][0] = e.setting[2][0] = '\0';
        } else if (strncmp(line, "</event>", 8) == 0) {
            finish_listed(&e, l);
        } else if (between(line, "<(endTime) name=\"End Time\">", " ", b, sizeof(b))) {
            e.end = atoll(b);
        } else if (between(line, "<startTime name=\"Start Time\">", " ", b, sizeof(b))) {
            e.start = atoll(b);
        } else if (between(line, "<frame method=\"", "\" modifier", a, sizeof(a))) {
            between(line, "line=\"", "\"", b, sizeof(b));
            buf_printf(&e.frames, "%s:%s;", a, b);
        }
        between(line, "<eventThread name=\"Thread\">", "</eventThread>", e.thread, 200);
        between(line, "<settingFor name=\"Setting For\">", "</", e.setting[0], 100);
        between(line, "<name name=\"Setting Name\">", "</", e.setting[1], 100);
        between(line, "<value name=\"Setting Value\">", "</", e.setting[2], 100);
    }
    gzclose(f);
    buf_free(&e.frames);
}

static void put_frames(struct jfr_chunk *chunk, const struct jfr_field *field, uint64_t key,
                       struct buf *to)
{
    struct jfr_stacks st;
    struct jfr_frames it;
    struct jfr_frame frame;
    struct jfr_method m;
    int64_t at;

    assert_int_equal(jfr_stacks_init(&st, chunk, field), 0);
    assert_true(st.has_usual_layout);
    at = jfr_pool_find(st.traces, key);
    if (at < 0 || jfr_stacks_open(&st, (size_t)at, &it) != 0)
        return;
    while (jfr_frames_next(&it, &frame)) {
        size_t start = to->n;
        assert_true(jfr_method_get(&st, frame.method_key, &m));
        if (m.is_hidden)
            continue;
        jfr_str_append_utf8(to, m.class_name);
        for (size_t i = start; i < to->n; i++)
            to->p[i] = to->p[i] == '/' ? '.' : to->p[i];
        buf_byte(to, '#');
        jfr_str_append_utf8(to, m.name);
        jfr_str_append_utf8(to, m.descriptor);
        buf_printf(to, ":%d;", frame.line);
    }
}

enum {
    START,
    DURATION,
    EVENT_THREAD,
    SAMPLED,
    THREAD_FIELD,
    TRACE,
    ID,
    NAME,
    VALUE,
    N_WANTED
};

static void put_thread_name(struct jfr_chunk *chunk, const struct jfr_plan *p,
                            const union jfr_value *v, const char *type, struct buf *to)
{
    size_t i = strcmp(type, "jdk.ExecutionSample") == 0              ? SAMPLED
               : strcmp(type, "jdk.ThreadAllocationStatistics") == 0 ? THREAD_FIELD
                                                                     : EVENT_THREAD;
    struct jfr_thread t;

    if (jfr_plan_field(p, i) != NULL &&
        jfr_thread_get(chunk, jfr_plan_field(p, i)->type, v[i].key, &t))
        jfr_str_append_utf8(to, t.os_name);
}

static void put_setting(struct jfr_chunk *chunk, const union jfr_value *v, struct buf *to)
{
    const struct jfr_class *cls = jfr_metadata_by_id(jfr_chunk_metadata(chunk), v[ID].i);

    assert_non_null(cls);
    buf_printf(to, "%s ", cls->label);
    for (int i = NAME; i <= VALUE; i++) {
        struct cursor c = cur_over(v[i].at, 100);
        jfr_str_append_utf8(to, jfr_str_read(&c));
        buf_byte(to, ' ');
    }
}

static void read_recording(const char *path, struct lines *l)
{
    static const char *const wanted[N_WANTED] = {
        "startTime",  "duration", "eventThread", "sampledThread", "thread",
        "stackTrace", "id",       "name",        "value"};
    struct jfr_error err = {0};
    struct jfr_reader *r = jfr_reader_open(path, &err);
    struct buf text = {0};
    struct jfr_event ev;

    assert_non_null(r);
    while (jfr_reader_next(r, &ev) > 0) {
        struct jfr_chunk *chunk = jfr_reader_chunk(r);
        const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
        const struct jfr_plan *p = jfr_plan_shared(chunk, ev.type, wanted, N_WANTED);
        union jfr_value v[N_WANTED];
        assert_int_equal(jfr_plan_run(p, ev.body, v, NULL), 0);
        buf_printf(&text, "%s %" PRId64 " %" PRId64 " [", ev.type->name,
                   jfr_epoch_ns(h, v[START].i), jfr_epoch_ns(h, v[START].i + v[DURATION].i));
        put_thread_name(chunk, p, v, ev.type->name, &text);
        buf_str(&text, "] ");
        if (strcmp(ev.type->name, "jdk.ActiveSetting") == 0)
            put_setting(chunk, v, &text);
        else
            buf_str(&text, "   ");
        if (jfr_plan_field(p, TRACE) != NULL)
            put_frames(chunk, jfr_plan_field(p, TRACE), v[TRACE].key, &text);
        add_line(l, &text);
    }
    assert_null(jfr_reader_error(r)->code ? jfr_reader_error(r)->text : NULL);
    buf_free(&text);
    jfr_reader_close(r);
}

struct real {
    const char *name;
    size_t n_events; /* as JMC counts them */
};

static const struct real reals[] = {{"7u40", 468}, {"8u40", 792}};

static void is_as_jmc_lists_it(void **state)
{
    const struct real *t = *state;
    struct lines ours = {0}, jmcs = {0};
    char path[200];

    snprintf(path, sizeof(path), "../shared/recordings/jrockit-era/%s.jfr.printout.txt.gz",
             t->name);
    read_listing(path, &jmcs);
    *strstr(path, ".printout") = '\0';
    read_recording(path, &ours);
    assert_int_equal(jmcs.n, t->n_events);
    assert_int_equal(ours.n, t->n_events);
    qsort(ours.line, ours.n, sizeof(*ours.line), by_text);
    qsort(jmcs.line, jmcs.n, sizeof(*jmcs.line), by_text);
    for (size_t i = 0; i < ours.n; i++)
        assert_string_equal(ours.line[i], jmcs.line[i]);
    free_lines(&ours);
    free_lines(&jmcs);
}

/* The first chunk of a recording, rewritten, in a new file. False when it is not here. */
static bool write_rewritten(const char *recording, char *path)
{
    struct jfr_error err = {0};
    struct jfr_source *src;
    struct buf out = {0};
    struct jfr_raw raw;
    int fd;

    if (access(recording, R_OK) != 0)
        return false;
    src = jfr_source_open(recording, &err);
    assert_non_null(src);
    assert_int_equal(jfr_source_next(src, &raw, &err), 1);
    assert_int_equal(v0_rewrite(raw.bytes, raw.n, raw.offset, &out, &err), 0);
    fd = mkstemps(path, 4);
    assert_true(fd >= 0 && write(fd, out.p, out.n) == (ssize_t)out.n);
    close(fd);
    jfr_source_release(src, &raw);
    jfr_source_close(src);
    buf_free(&out);
    return true;
}

/* Its tools are strict about what is legal. */
static void is_read_by_the_jdk(void **state)
{
    const struct real *t = *state;
    char recording[200], path[] = "/tmp/v0_test.XXXXXX.jfr", command[600];
    glob_t tools;

    snprintf(recording, sizeof(recording), "../shared/recordings/jrockit-era/%s.jfr", t->name);
    if (glob("/usr/lib/jvm/*/bin/jfr", 0, NULL, &tools) != 0 || !write_rewritten(recording, path)) {
        print_message("skip %s: no JDK here\n", t->name);
        return;
    }
    for (size_t i = 0; i < tools.gl_pathc; i++) {
        snprintf(command, sizeof(command), "'%s' summary %s >/dev/null && '%s' print %s >/dev/null",
                 tools.gl_pathv[i], path, tools.gl_pathv[i], path);
        assert_int_equal(system(command), 0);
    }
    globfree(&tools);
    unlink(path);
}

int main(void)
{
    int failed = 0;

    if (access("../shared/recordings/jrockit-era", R_OK) != 0) {
        print_message("skip recordings of JDK 7 and 8: no ../shared\n");
        return 0;
    }
    failed += run_rows("v0: real recordings are as JMC lists them", reals, is_as_jmc_lists_it);
    failed += run_rows("v0: rewritten recordings are read by the JDK", reals, is_read_by_the_jdk);
    return failed;
}
