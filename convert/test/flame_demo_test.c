/* A page as large as a real one: its budgets.
 *   flame_demo_test --write FILE   writes it for page_test.sh, which knows its numbers */
#include "convert/flame/flame.h"
#include "convert/test/flame_testing.h"

#include <errno.h>
#include <stdio.h>

#define PAGE_BUDGET 75000 /* bytes of skeleton, style and script */
#define NODE_BUDGET 4.5 /* bytes of text per frame, names included */

struct demo {
    struct rows rows;
    uint64_t seed;
    char *names[1 << 18];
    size_t n_names;
};

static uint32_t below(struct demo *d, uint32_t n)
{
    d->seed = d->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((d->seed >> 33) % n);
}

static struct tree_name keep(struct demo *d, const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    d->names[d->n_names++] = copy;
    return (struct tree_name){copy, (uint32_t)strlen(copy)};
}

static struct tree_name method_name(struct demo *d)
{
    static const char *const packages[] = {
        "com.acme.shop.order",
        "com.acme.shop.cart",
        "com.acme.shop.payment",
        "com.acme.json.stream",
        "io.netty.channel.epoll",
        "io.netty.handler.codec.http",
        "java.util",
        "java.util.concurrent",
        "java.lang",
        "java.util.stream",
        "org.hibernate.engine",
        "org.postgresql.core.v3",
    };
    static const char *const nouns[] = {"Order", "Cart",  "Payment", "Price", "Stream", "Buffer",
                                        "Entry", "Query", "Session", "Token", "Index",  "Batch"};
    static const char *const roles[] = {"Service", "Mapper", "Factory", "Writer", "Reader",
                                        "Cache",   "Pool",   "Handler", "Impl"};
    static const char *const verbs[] = {
        "place", "find", "apply", "encode", "decode", "lambda$run$0", "invoke", "flush",
        "parse", "get",  "put",   "accept", "fire",   "<init>",       "next",   "sort"};
    char text[160];

    snprintf(text, sizeof(text), "%s.%s%s.%s", packages[below(d, 12)], nouns[below(d, 12)],
             roles[below(d, 9)], verbs[below(d, 16)]);
    return keep(d, text);
}

static struct tree_name native_name(struct demo *d, uint8_t type)
{
    static const char *const native[] = {"libc.so.6`memcpy", "libpthread`pthread_cond_wait",
                                         "libnet.so`Java_java_net_read", "libc.so.6`malloc"};
    static const char *const cpp[] = {"G1ParScanThreadState::trim_queue(bool)",
                                      "PhaseIdealLoop::build_and_optimize()", "JavaThread::run()",
                                      "Unsafe_Park(long, bool)"};
    static const char *const kernel[] = {"do_syscall_64", "tcp_sendmsg", "futex_wait_queue_me",
                                         "ep_poll"};

    return keep(d, (type == FRAME_KERNEL ? kernel : type == FRAME_CPP ? cpp : native)[below(d, 4)]);
}

struct part {
    struct tree_name name;
    uint8_t type;
    uint64_t weight;
};

static int by_name(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int c = by_bytes(&x->name, &y->name);

    return c != 0 ? c : x->type - y->type;
}

static uint8_t some_type(struct demo *d, uint8_t above)
{
    static const uint8_t java[] = {FRAME_JIT,     FRAME_JIT, FRAME_INLINED,    FRAME_INLINED,
                                   FRAME_INLINED, FRAME_C1,  FRAME_INTERPRETED};

    if (above == FRAME_NATIVE || above == FRAME_KERNEL)
        return FRAME_KERNEL;
    if (above == FRAME_CPP)
        return FRAME_CPP;
    return below(d, 14) == 0 ? FRAME_NATIVE + (uint8_t)below(d, 2) : java[below(d, 7)];
}

/* Some callees that share `weight`; what is left over is the caller's own. */
static void grow(struct demo *d, uint32_t depth, uint8_t above, uint64_t weight)
{
    struct part parts[6];
    uint64_t left = weight;
    size_t n = depth < 5 ? 2 + below(d, 3) : 1 + below(d, 5) / 2;
    struct row *caller = &d->rows.p[d->rows.n - 1];

    if (depth > 45 || weight < 12 || (depth > 9 && below(d, 9) == 0))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t w = i + 1 == n ? left - left / 16 : left * (30 + below(d, 60)) / 100;
        uint8_t type = some_type(d, above);
        struct tree_name name =
            type >= FRAME_NATIVE && type <= FRAME_KERNEL ? native_name(d, type) : method_name(d);
        left -= w;
        parts[i] = (struct part){name, type, w};
    }
    caller->self += left;
    caller->samples = caller->self;
    qsort(parts, n, sizeof(parts[0]), by_name);
    for (size_t i = 0; i < n; i++)
        if (parts[i].weight > 0) {
            add_row(&d->rows, depth, parts[i].name, parts[i].type, 0);
            grow(d, depth + 1, parts[i].type, parts[i].weight);
        }
}

static void add_deep(struct demo *d)
{
    struct tree_name down = NAME("com.acme.deep.Recursion.down");

    add_row(&d->rows, 1, NAME("[deep]"), FRAME_ROOT, 0);
    for (uint32_t i = 2; i < 5000; i++)
        add_row(&d->rows, i, down, FRAME_JIT, i % 10 == 0);
    add_row(&d->rows, 5000, NAME("com.acme.deep.Recursion.end"), FRAME_JIT, 4501);
}

static void add_hostile(struct demo *d)
{
    static const struct tree_name names[] = {
        NAME("\"'><svg onload=window.pwned=4>"),
        NAME("</script><script>window.pwned=1</script>"),
        NAME("<!--<script>"),
        NAME("<img src=x onerror=window.pwned=2>"),
        NAME("__proto__"),
        NAME("a\0b"),
        NAME("constructor"),
        NAME("evil\xe2\x80\xae"
             "gpj.exe"),
        NAME("half\xed\xa0\x80"),
        NAME("javascript:window.pwned=3"),
    };
    char *big = malloc((1 << 20) + 1);

    assert_non_null(big);
    memset(big, 'x', 1 << 20);
    big[1 << 20] = '\0';
    d->names[d->n_names++] = big;
    add_row(&d->rows, 1, NAME("[hostile]"), FRAME_ROOT, 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add_row(&d->rows, 2, names[i], FRAME_UNKNOWN, 1000);
    add_row(&d->rows, 2, (struct tree_name){big, 1 << 20}, FRAME_UNKNOWN, 1000);
}

static void add_many(struct demo *d)
{
    char text[64];

    add_row(&d->rows, 1, NAME("[many]"), FRAME_ROOT, 0);
    for (int i = 0; i < 10000; i++) {
        snprintf(text, sizeof(text), "com.acme.gen.Lambda$%05d.run", i);
        add_row(&d->rows, 2, keep(d, text), FRAME_JIT, 1);
    }
}

/* 500000 samples: 5000 in stacks of 5000 levels, 11000 in hostile names, 10000 in as many leaves.
 */
static struct demo *demo_new(void)
{
    static const char *const threads[] = {"[http-nio-1]", "[http-nio-2]", "[http-nio-3]", "[main]"};
    static const uint32_t weights[] = {170000, 120000, 100000, 84000};
    struct demo *d = calloc(1, sizeof(*d));

    assert_non_null(d);
    d->seed = 20;
    add_row(&d->rows, 0, NAME(""), FRAME_UNKNOWN, 0);
    add_deep(d);
    add_hostile(d);
    for (size_t i = 0; i < 4; i++) {
        add_row(&d->rows, 1, keep(d, threads[i]), FRAME_ROOT, 0);
        grow(d, 2, FRAME_JIT, weights[i]);
    }
    add_many(d);
    return d;
}

static void demo_free(struct demo *d)
{
    for (size_t i = 0; i < d->n_names; i++)
        free(d->names[i]);
    free(d->rows.p);
    free(d);
}

static int keep_all(struct out *o)
{
    (void)o;
    return 0;
}

static struct buf demo_page(size_t *n_nodes)
{
    static const struct flame_options opt = {
        .title = "checkout service <b>&amp; co</b>.jfr",
        .subtitle = "2026-11-20 09:34:16 UTC, 61 s",
        .kind = "cpu",
        .unit = "samples",
        .command = "jfr2flame --kind cpu 'checkout service.jfr'",
    };
    struct demo *d = demo_new();
    struct built b = build(&d->rows, false);
    struct out o = {.drain = keep_all};

    *n_nodes = b.t.n_nodes;
    assert_int_equal(b.t.total, 500000);
    assert_int_equal(flame_write(&b.t, &opt, &o), 0);
    built_free(&b);
    demo_free(d);
    return o.b;
}

static void the_page_is_small(void **state)
{
    size_t n, data;
    struct buf page = demo_page(&n);
    const char *from, *to;

    (void)state;
    buf_byte(&page, 0);
    from = strstr((char *)page.p, "id=\"data\">\n");
    to = strstr(from, "</script>");
    data = (size_t)(to - from);
    print_message("%zu frames, %zu bytes of data, %zu of page\n", n, data, page.n - data);
    assert_true(n > 40000);
    assert_true((double)data / (double)n < NODE_BUDGET);
    assert_true(page.n - data < PAGE_BUDGET);
    buf_free(&page);
}

static int write_demo(const char *path)
{
    size_t n;
    struct buf page = demo_page(&n);
    FILE *f = fopen(path, "w");
    bool ok = f != NULL && fwrite(page.p, 1, page.n, f) == page.n;

    ok = f != NULL && fclose(f) == 0 && ok;
    buf_free(&page);
    if (!ok)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_is_small)};

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_demo(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
