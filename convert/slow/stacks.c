/*
 * stacks.c - reads the stacks of samples and waits. A stack is decoded once in a chunk, a method
 * named once; what samples add is a number for each method on their stack.
 */
#include "convert/slow/stacks.h"

#include "convert/text/frame_name.h"

#define FRAMES_MOST 512 /* of a stack that are looked at */

enum { /* of a stack in `frames` */
    STACK_N,
    STACK_WHERE,
    STACK_METHODS,
};

struct slow_name { /* of one or several methods: those that differ in their parameters alone */
    uint32_t seen; /* the stack that is being added; 0: none */
    bool is_platform;
    struct factor cpu, wall;
};

bool slow_is_platform_method(const char *name)
{
    static const char *const prefixes[] = {"java.", "javax.",   "jdk.",
                                           "sun.",  "com.sun.", "jfrkit."};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return strstr(name, ".so") != NULL || strchr(name, '.') == NULL || *name == '[';
}

void slow_stacks_load(struct slow_stacks *s, struct jfr_chunk *chunk)
{
    s->chunk = chunk;
    s->st = NULL;
    s->places = s->methods = NULL;
    s->n_methods = 0;
    buf_reset(&s->frames);
    buf_reset(&s->sums);
    intern_reset(&s->names);
}

void slow_stacks_free(struct slow_stacks *s)
{
    buf_free(&s->frames);
    buf_free(&s->sums);
    buf_free(&s->text);
    intern_free(&s->names);
}

/* Stacks of all event types lie in one pool; where they do not, those of the first type count. */
static bool open_stack_pools(struct slow_stacks *s, const struct jfr_stacks *st)
{
    struct arena *arena = jfr_chunk_arena(s->chunk);

    if (s->st != NULL)
        return s->st->traces == st->traces && s->methods != NULL && s->places != NULL;
    s->st = st;
    s->n_methods = st->methods == NULL ? 0 : jfr_pool_n(st->methods);
    s->places = arena_array(arena, jfr_pool_n(st->traces) + 1, sizeof(*s->places));
    s->methods = arena_array(arena, s->n_methods + 1, sizeof(*s->methods));
    return s->methods != NULL && s->places != NULL;
}

static struct slow_name *sum_of_name(struct slow_stacks *s, uint32_t name)
{
    return (struct slow_name *)(void *)s->sums.p + name;
}

/* The number of the name of a method, whose place in the pool this is. False if out of memory. */
static bool name_method(struct slow_stacks *s, size_t method, uint64_t key, uint32_t *name)
{
    static const struct name_options style = {.style = NAME_DOT};
    struct jfr_frame frame = {.method_key = key};
    struct jfr_method texts;

    if (s->methods[method] != 0) {
        *name = s->methods[method] - 1;
        return true;
    }
    buf_reset(&s->text);
    jfr_method_get(s->st, key, &texts);
    frame_name_append(&s->text, &style, &texts, &frame, FRAME_UNKNOWN);
    *name = buf_ok(&s->text) ? intern_add(&s->names, s->text.p, s->text.n) : INTERN_FAILED;
    if (*name == INTERN_FAILED)
        return false;
    if (*name == s->sums.n / sizeof(struct slow_name)) {
        const char *text = intern_get(&s->names, *name, NULL);

        buf_bytes(&s->sums, &(struct slow_name){.is_platform = slow_is_platform_method(text)},
                  sizeof(struct slow_name));
    }
    s->methods[method] = *name + 1;
    return buf_ok(&s->sums);
}

static void put_stack_number(struct slow_stacks *s, uint32_t number)
{
    buf_bytes(&s->frames, &number, sizeof(number));
}

static uint32_t *stack_at(struct slow_stacks *s, uint32_t place)
{
    return (uint32_t *)(void *)s->frames.p + place;
}

uint32_t slow_stacks_read(struct slow_stacks *s, const struct jfr_stacks *st, uint64_t key)
{
    int64_t i = st == NULL ? -1 : jfr_pool_find(st->traces, key);
    uint32_t place = (uint32_t)(s->frames.n / sizeof(uint32_t)), n = 0;
    struct jfr_frames it;
    struct jfr_frame frame;

    if (i < 0 || !open_stack_pools(s, st))
        return 0;
    if (s->places[i] != 0)
        return s->places[i];
    if (jfr_stacks_open(st, (size_t)i, &it) != 0)
        return 0;
    put_stack_number(s, 0);
    put_stack_number(s, FRAMES_MOST); /* not looked for yet */
    while (n < FRAMES_MOST && jfr_frames_next(&it, &frame)) {
        int64_t m = st->methods == NULL ? -1 : jfr_pool_find(st->methods, frame.method_key);
        uint32_t name;

        if (!name_method(s, m < 0 ? s->n_methods : (size_t)m, frame.method_key, &name))
            s->frames.failed = true;
        put_stack_number(s, name);
        n++;
    }
    if (!buf_ok(&s->frames)) {
        jfr_chunk_arena(s->chunk)->failed = true;
        return 0;
    }
    stack_at(s, place)[STACK_N] = n;
    return s->places[i] = place + 1;
}

const char *slow_stacks_where(struct slow_stacks *s, uint32_t stack)
{
    uint32_t *f = stack == 0 ? NULL : stack_at(s, stack - 1), i;

    if (f == NULL)
        return "";
    if (f[STACK_WHERE] == FRAMES_MOST) {
        for (i = 0; i < f[STACK_N]; i++)
            if (!sum_of_name(s, f[STACK_METHODS + i])->is_platform)
                break;
        f[STACK_WHERE] = i;
    }
    i = f[STACK_WHERE];
    return i < f[STACK_N] ? intern_get(&s->names, f[STACK_METHODS + i], NULL) : "";
}

void slow_stacks_add(struct slow_stacks *s, uint32_t stack, bool is_cpu,
                     const struct slow_scope *scope, double ns)
{
    const uint32_t *f = stack == 0 ? NULL : stack_at(s, stack - 1);

    /* From the root on, so that of a method that is there twice the outer frame counts: its depth
     * is the smaller one. */
    for (uint32_t i = f == NULL ? 0 : f[STACK_N]; i-- > 0;) {
        struct slow_name *name = sum_of_name(s, f[STACK_METHODS + i]);

        if (name->seen == stack)
            continue;
        name->seen = stack;
        factor_add(is_cpu ? &name->cpu : &name->wall, scope, ns, f[STACK_N] - i);
    }
    for (uint32_t i = f == NULL ? 0 : f[STACK_N]; i-- > 0;)
        sum_of_name(s, f[STACK_METHODS + i])->seen = 0;
}

bool slow_stacks_to_factors(struct slow_stacks *s, struct factors *f)
{
    for (uint32_t i = 0; i < s->sums.n / sizeof(struct slow_name); i++) {
        const struct slow_name *sum = sum_of_name(s, i);
        const char *name = intern_get(&s->names, i, NULL);

        if (!factors_add_sum(f, FACTOR_FRAME, SLOW_RUNNING, name, &sum->cpu) ||
            !factors_add_sum(f, FACTOR_WALL_FRAME, SLOW_RUNNING, name, &sum->wall))
            return false;
    }
    return arena_ok(jfr_chunk_arena(s->chunk));
}
