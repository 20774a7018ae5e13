/*
 * jsoncmp.c - compares the events of two JSON listings in the layout of `jfr print --json`.
 *
 *     jsoncmp [--float32] WANT GOT
 *
 * Events are compared as a multiset, since the order of events that end at the same instant is
 * free; whether the order is the same is said too. Strings are compared as they are escaped,
 * integers digit by digit, decimal numbers as doubles, with --float32 as floats (the JDK 17 tool
 * prints more digits than a float has). Events that have no equal are paired by type and start
 * time and compared value by value: the first paths that differ are shown. Exit code 1 if anything
 * differs, 2 for files that are not such listings.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN 5 /* differences printed */
#define DEPTH 600 /* JSON levels */
#define PATH 1000 /* bytes of a path that is shown */

struct event {
    const char *p; /* its opening brace */
    uint64_t hash; /* of the canonical content */
    uint64_t key; /* of type and start time */
    uint32_t n_values;
};

struct listing {
    const char *name, *p, *end;
    struct event *events;
    size_t n;
};

struct text { /* a place in a listing */
    const char *p;
    const struct listing *in;
};

static bool float32;
static uint64_t n_agree, n_differ;
static int n_shown;

static void die(const struct listing *in, const char *p, const char *why)
{
    fprintf(stderr, "jsoncmp: %s: byte %td: %s\n", in->name, p - in->p, why);
    exit(2);
}

static char peek(struct text *t)
{
    while (t->p < t->in->end && (*t->p == ' ' || *t->p == '\n'))
        t->p++;
    return t->p < t->in->end ? *t->p : '\0';
}

static void expect(struct text *t, char c)
{
    if (peek(t) != c)
        die(t->in, t->p, "unexpected text");
    t->p++;
}

/* Steps over a separator; false, and over the closing bracket, when the members are at an end. */
static bool more(struct text *t, char close, bool first)
{
    char c = peek(t);

    if (c == close) {
        t->p++;
        return false;
    }
    if (!first)
        expect(t, ',');
    peek(t);
    return true;
}

/* Steps over a string, number or word and gives its length in bytes. */
static size_t scalar(struct text *t)
{
    const char *start = t->p, *end = t->in->end;

    if (t->p < end && *t->p == '"') {
        for (t->p++; t->p < end && *t->p != '"'; t->p++)
            t->p += *t->p == '\\' && t->p + 1 < end;
        if (t->p++ >= end)
            die(t->in, start, "string without end");
    } else {
        while (t->p < end && strchr(",]} \n", *t->p) == NULL)
            t->p++;
    }
    if (t->p == start)
        die(t->in, start, "no value");
    return (size_t)(t->p - start);
}

static bool is_decimal(const char *p, size_t n)
{
    return *p != '"' && (*p == '-' || (*p >= '0' && *p <= '9')) &&
           (memchr(p, '.', n) != NULL || memchr(p, 'E', n) != NULL);
}

static double decimal(const char *p, size_t n)
{
    char copy[64] = {0};

    memcpy(copy, p, n < sizeof(copy) ? n : sizeof(copy) - 1);
    return float32 ? (double)strtof(copy, NULL) : strtod(copy, NULL);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3;
    return hash;
}

static void hash_value(struct text *t, struct event *e, int depth)
{
    char open = peek(t);
    const char *p = t->p;
    double d;
    size_t n;

    if (depth > DEPTH)
        die(t->in, t->p, "nested too deeply");
    if (open == '{' || open == '[') {
        t->p++;
        e->hash = mix(e->hash, &open, 1);
        for (bool first = true; more(t, open == '{' ? '}' : ']', first); first = false) {
            if (open == '{') {
                p = t->p;
                n = scalar(t);
                e->hash = mix(e->hash, p, n);
                expect(t, ':');
            }
            hash_value(t, e, depth + 1);
        }
        e->hash = mix(e->hash, "]", 1);
        return;
    }
    n = scalar(t);
    e->n_values++;
    if (is_decimal(p, n)) {
        d = decimal(p, n);
        e->hash = mix(e->hash, &d, sizeof(d));
    } else {
        e->hash = mix(e->hash, p, n);
    }
    e->hash = mix(e->hash, ",", 1);
}

static void skip_value(struct text *t)
{
    struct event ignored = {0};

    hash_value(t, &ignored, 0);
}

/* Goes to the value of a member of the object at *t. False when there is none of this name. */
static bool member(struct text *t, const char *name)
{
    const char *p;
    size_t n;

    if (peek(t) != '{')
        return false;
    t->p++;
    for (bool first = true; more(t, '}', first); first = false) {
        p = t->p;
        n = scalar(t);
        expect(t, ':');
        peek(t);
        if (n == strlen(name) + 2 && memcmp(p + 1, name, n - 2) == 0)
            return true;
        skip_value(t);
    }
    return false;
}

static uint64_t key_of(const struct event *e, const struct listing *in)
{
    struct text type = {e->p, in}, start = {e->p, in};
    uint64_t key = 0xcbf29ce484222325;
    const char *p;

    if (member(&type, "type")) {
        p = type.p;
        key = mix(key, p, scalar(&type));
    }
    if (member(&start, "values") && member(&start, "startTime")) {
        p = start.p;
        key = mix(key, p, scalar(&start));
    }
    return key;
}

static void read_events(struct listing *in)
{
    struct text t = {in->p, in};
    size_t room = 0;

    if (!member(&t, "recording") || !member(&t, "events"))
        die(in, t.p, "no recording.events");
    expect(&t, '[');
    for (bool first = true; more(&t, ']', first); first = false) {
        struct event e = {.p = t.p, .hash = 0xcbf29ce484222325};

        if (in->n == room) {
            room = room * 2 + 1024;
            in->events = realloc(in->events, room * sizeof(in->events[0]));
            if (in->events == NULL)
                die(in, t.p, "out of memory");
        }
        hash_value(&t, &e, 0);
        e.n_values--; /* the type's name */
        in->events[in->n++] = e;
    }
    expect(&t, '}');
    expect(&t, '}');
    if (peek(&t) != '\0')
        die(in, t.p, "text behind the end");
}

static void open_listing(struct listing *in, const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *map;

    in->name = name;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0) {
        fprintf(stderr, "jsoncmp: %s: cannot be read, or empty\n", name);
        exit(2);
    }
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        perror(name);
        exit(2);
    }
    close(fd);
    in->p = map;
    in->end = in->p + st.st_size;
    read_events(in);
}

static void differ(const char *path, const char *a, size_t n_a, const char *b, size_t n_b)
{
    n_differ++;
    if (n_shown++ < SHOWN)
        printf("  %s: want %.*s, got %.*s\n", path, (int)(n_a < 80 ? n_a : 80), a,
               (int)(n_b < 80 ? n_b : 80), b);
}

static void compare_scalars(struct text *a, struct text *b, const char *path)
{
    const char *pa = a->p, *pb = b->p;
    size_t na = scalar(a), nb = scalar(b);
    bool same = na == nb && memcmp(pa, pb, na) == 0;

    if (!same && is_decimal(pa, na) && is_decimal(pb, nb))
        same = decimal(pa, na) == decimal(pb, nb);
    if (same)
        n_agree++;
    else
        differ(path, pa, na, pb, nb);
}

/* Steps over the members that are left of an object or array, from the start of one on. */
static void skip_rest(struct text *t, char open)
{
    do {
        if (open == '{') {
            scalar(t);
            expect(t, ':');
        }
        skip_value(t);
    } while (more(t, open == '{' ? '}' : ']', false));
}

/* Compares two values leaf by leaf. Where their shapes part, that is one difference. */
static void compare(struct text *a, struct text *b, const char *path)
{
    char open = peek(a), sub[PATH];
    bool more_a, more_b;
    int i = 0;

    if (open != peek(b) && (strchr("{[", open) != NULL || strchr("{[", *b->p) != NULL)) {
        differ(path, a->p, 1, b->p, 1);
        skip_value(a);
        skip_value(b);
        return;
    }
    if (open != '{' && open != '[') {
        compare_scalars(a, b, path);
        return;
    }
    a->p++;
    b->p++;
    for (;; i++) {
        more_a = more(a, open == '{' ? '}' : ']', i == 0);
        more_b = more(b, open == '{' ? '}' : ']', i == 0);
        if (!more_a || !more_b)
            break;
        snprintf(sub, sizeof(sub), "%s[%d]", path, i);
        if (open == '{') {
            const char *ka = a->p, *kb = b->p;
            size_t na = scalar(a), nb = scalar(b);

            if (na != nb || memcmp(ka, kb, na) != 0)
                differ(path, ka, na, kb, nb);
            snprintf(sub, sizeof(sub), "%s.%.*s", path, (int)na - 2, ka + 1);
            expect(a, ':');
            expect(b, ':');
        }
        compare(a, b, sub);
    }
    if (more_a != more_b)
        differ(path, more_a ? "more members" : "fewer", more_a ? 12 : 5, more_b ? "more" : "fewer",
               more_b ? 4 : 5);
    if (more_a)
        skip_rest(a, open);
    if (more_b)
        skip_rest(b, open);
}

static int by_hash(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->p < y->p ? -1 : x->p > y->p;
}

static int by_key(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->p < y->p ? -1 : x->p > y->p;
}

static bool same_order(const struct listing *a, const struct listing *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->events[i].hash != b->events[i].hash)
            return false;
    return true;
}

/* Takes the events out of both lists that have an equal in the other. */
static size_t take_equal(struct listing *a, struct listing *b)
{
    size_t i = 0, j = 0, left_a = 0, left_b = 0, n = 0;

    qsort(a->events, a->n, sizeof(a->events[0]), by_hash);
    qsort(b->events, b->n, sizeof(b->events[0]), by_hash);
    while (i < a->n || j < b->n) {
        if (j == b->n || (i < a->n && a->events[i].hash < b->events[j].hash)) {
            a->events[left_a++] = a->events[i++];
        } else if (i == a->n || a->events[i].hash > b->events[j].hash) {
            b->events[left_b++] = b->events[j++];
        } else {
            n_agree += a->events[i].n_values;
            i++;
            j++;
            n++;
        }
    }
    a->n = left_a;
    b->n = left_b;
    return n;
}

static void lonely(const struct event *e, const struct listing *in, const char *what)
{
    struct text t = {e->p, in};
    const char *type;

    n_differ += e->n_values;
    if (n_shown++ >= SHOWN || !member(&t, "type"))
        return;
    type = t.p;
    printf("  %s at byte %td: %.*s\n", what, e->p - in->p, (int)scalar(&t), type);
}

static void compare_rest(struct listing *a, struct listing *b)
{
    size_t i, j;

    for (i = 0; i < a->n; i++)
        a->events[i].key = key_of(&a->events[i], a);
    for (j = 0; j < b->n; j++)
        b->events[j].key = key_of(&b->events[j], b);
    qsort(a->events, a->n, sizeof(a->events[0]), by_key);
    qsort(b->events, b->n, sizeof(b->events[0]), by_key);
    for (i = j = 0; i < a->n || j < b->n;) {
        if (j == b->n || (i < a->n && a->events[i].key < b->events[j].key)) {
            lonely(&a->events[i++], a, "missing event");
        } else if (i == a->n || a->events[i].key > b->events[j].key) {
            lonely(&b->events[j++], b, "extra event");
        } else {
            struct text x = {a->events[i++].p, a}, y = {b->events[j++].p, b}, t = x;
            char path[PATH] = "";

            if (member(&t, "type"))
                snprintf(path, sizeof(path), "%.*s", (int)strcspn(t.p + 1, "\""), t.p + 1);
            n_agree--; /* the type's name */
            compare(&x, &y, path);
        }
    }
}

int main(int argc, char **argv)
{
    struct listing a = {0}, b = {0};
    size_t n_a, n_b, n_equal;
    bool ordered;

    if (argc == 4 && strcmp(argv[1], "--float32") == 0) {
        float32 = true;
        argv++;
        argc--;
    }
    if (argc != 3) {
        fprintf(stderr, "Usage: jsoncmp [--float32] WANT GOT\n");
        return 2;
    }
    open_listing(&a, argv[1]);
    open_listing(&b, argv[2]);
    n_a = a.n;
    n_b = b.n;
    ordered = same_order(&a, &b);
    n_equal = take_equal(&a, &b);
    compare_rest(&a, &b);
    printf("%zu of %zu events agree%s, %" PRIu64 " values agree, %" PRIu64 " differ%s\n", n_equal,
           n_a > n_b ? n_a : n_b, n_a == n_b ? "" : " (numbers of events differ)", n_agree,
           n_differ, ordered ? "" : "; another order");
    free(a.events);
    free(b.events);
    return n_equal != n_a || n_a != n_b;
}
