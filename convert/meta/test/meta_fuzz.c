/* Bytes -> a summary and the metadata in every format. JSON has to be whole, and no name of a page
 * may become a tag: those that the program writes are counted. */
#include "convert/meta/meta.h"
#include "convert/test/summary_testing.h"
#include "jfrfmt/base/utf8.h"

#include <assert.h>

/* Reads one JSON value; every string has to be closed and every bracket to match. */
static void check_json(const uint8_t *p, const uint8_t *end)
{
    char open[64];
    size_t depth = 0;

    for (; p < end; p++) {
        if (*p == '"') {
            for (p++; p < end && *p != '"'; p++) {
                assert(*p >= 0x20);
                p += *p == '\\';
            }
            assert(p < end);
        } else if (*p == '{' || *p == '[') {
            assert(depth < sizeof(open));
            open[depth++] = *p == '{' ? '}' : ']';
        } else if (*p == '}' || *p == ']') {
            assert(depth > 0 && open[depth - 1] == (char)*p);
            depth--;
        } else {
            assert(*p < 0x7f && strchr(" \n,:-+.0123456789eEtrufalsn", *p) != NULL);
        }
    }
    assert(depth == 0);
}

/* Every '<' begins one of the tags that the program writes, and they nest. */
static void check_html(const char *p)
{
    static const char *const tags[] = {
        "!DOCTYPE html>",
        "html ",
        "head>",
        "meta ",
        "title>",
        "style>",
        "body>",
        "input ",
        "header>",
        "h1>",
        "small",
        "dl>",
        "div>",
        "dt>",
        "dd>",
        "p",
        "nav>",
        "output",
        "label ",
        "ul>",
        "li",
        "a ",
        "span>",
        "details",
        "summary>",
        "main>",
        "section",
        "h2>",
        "i>",
        "article",
        "h3>",
        "code>",
        "b ",
        "table ",
        "tr>",
        "th>",
        "td",
        "br>",
        "script>",
        "meter ",
    };
    size_t opened[64] = {0}, closed[64] = {0};

    while ((p = strchr(p, '<')) != NULL) {
        bool is_end = p[1] == '/';
        size_t i = 0, n = sizeof(tags) / sizeof(tags[0]);

        p += 1 + is_end;
        while (i < n && strncmp(p, tags[i], strcspn(tags[i], " >")) != 0)
            i++;
        for (size_t k = i + 1; k < n; k++) /* the longest one that fits */
            if (strncmp(p, tags[k], strcspn(tags[k], " >")) == 0 &&
                strcspn(tags[k], " >") > strcspn(tags[i], " >"))
                i = k;
        assert(i < n);
        (is_end ? closed : opened)[i]++;
        if (strncmp(p, "script>", 7) == 0 && !is_end)
            p = strstr(p, "</script>");
    }
    for (size_t i = 0; i < 64; i++)
        assert(closed[i] == 0 || opened[i] == closed[i]);
}

static void run(const char *path, struct run_job job, int (*end)(void *, struct out *),
                struct out *out)
{
    struct run_options options = {.paths = &path, .n_paths = 1, .jobs = 1};
    struct run_result result;
    struct jfr_error err = {0};
    const char *err_path;

    if (run_all(&options, &job, NULL, &result, &err, &err_path) == 0)
        assert(end(job.shared, out) == 0);
    buf_byte(&out->b, 0);
    assert(buf_ok(&out->b));
}

static void summarize(const char *path, bool json)
{
    struct summary *s = summary_new(&(struct summary_options){.json = json, .chunks = true});
    struct out out = made_out();

    run(path, summary_job(s), summary_end, &out);
    if (json)
        check_json(out.b.p, out.b.p + out.b.n - 1);
    for (size_t i = 0; i + 1 < out.b.n; i++)
        assert(out.b.p[i] >= 0x20 || out.b.p[i] == '\n');
    summary_free(s);
    buf_free(&out.b);
}

static void describe(const char *path, struct meta_options options)
{
    struct meta *m = meta_new(&options);
    struct out out = made_out();

    run(path, meta_job(m), meta_end, &out);
    if (options.format == META_JSON)
        check_json(out.b.p, out.b.p + out.b.n - 1);
    else if (options.format == META_HTML)
        check_html((const char *)out.b.p);
    meta_free(m);
    buf_free(&out.b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char path[64];
    FILE *f;

    if (path[0] == 0)
        snprintf(path, sizeof(path), "/dev/shm/meta_fuzz-%d", (int)getpid());
    f = fopen(path, "wb");
    assert(f != NULL);
    fwrite(bytes, 1, n, f);
    fclose(f);
    summarize(path, true);
    summarize(path, false);
    describe(path, (struct meta_options){.settings = true, .ids = true});
    describe(path, (struct meta_options){.format = META_JSON, .used = true});
    describe(path, (struct meta_options){.format = META_HTML});
    unlink(path);
    return 0;
}
