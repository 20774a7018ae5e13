/*
 * pattern_cost.c - parses a regular expression and computes how large its automaton can be.
 *
 * pattern.c calls it before libtre compiles the expression. It refuses what is not in our syntax.
 */
#include "convert/select/pattern_cost.h"

#define DEPTH_MAX 100 /* parentheses in parentheses */
#define NO_LIMIT (-1)

struct parser {
    const wchar_t *p, *end;
    const char *wrong; /* what the first mistake is; then p stays there */
    int depth;
};

static const struct pattern_cost nothing = {.is_nullable = 1};

static struct pattern_cost fail(struct parser *ps, const char *what)
{
    if (ps->wrong == NULL)
        ps->wrong = what;
    ps->end = ps->p;
    return nothing;
}

static int is_next(const struct parser *ps, wchar_t c)
{
    return ps->p < ps->end && *ps->p == c;
}

static struct pattern_cost optional(struct pattern_cost a)
{
    a.is_nullable = 1;
    return a;
}

static struct pattern_cost repeated(struct pattern_cost a)
{
    a.links += a.last * a.first;
    return a;
}

static struct pattern_cost either(struct pattern_cost a, struct pattern_cost b)
{
    return (struct pattern_cost){a.states + b.states, a.links + b.links, a.first + b.first,
                                 a.last + b.last, a.is_nullable | b.is_nullable};
}

/* a, then b. Every expression that grows does so here, so here it is refused. */
static struct pattern_cost sequence(struct parser *ps, struct pattern_cost a, struct pattern_cost b)
{
    struct pattern_cost c = {.states = a.states + b.states,
                             .links = a.links + b.links + a.last * b.first,
                             .first = a.first + (a.is_nullable ? b.first : 0),
                             .last = b.last + (b.is_nullable ? a.last : 0),
                             .is_nullable = a.is_nullable & b.is_nullable};

    if (c.states > PATTERN_STATES_MAX || c.links > PATTERN_LINKS_MAX)
        return fail(ps, "the expression is too large");
    return c;
}

/* a{min,max} as it is written out: a a a, and for what may be missing (a(a(a)?)?)? */
static struct pattern_cost written_out(struct parser *ps, struct pattern_cost a, int min, int max)
{
    struct pattern_cost sum = nothing;

    for (int i = min; i < max && ps->wrong == NULL; i++)
        sum = optional(sequence(ps, a, sum));
    if (max == NO_LIMIT)
        sum = optional(repeated(a));
    for (int i = 0; i < min && ps->wrong == NULL; i++)
        sum = sequence(ps, a, sum);
    sum.states += a.states; /* also of a{0}: it was read */
    return sum;
}

static int number(struct parser *ps)
{
    int v = -1;

    for (; ps->p < ps->end && *ps->p >= L'0' && *ps->p <= L'9'; ps->p++) {
        v = (v < 0 ? 0 : v * 10) + (int)(*ps->p - L'0');
        if (v > PATTERN_REPEAT_MAX) {
            fail(ps, "more than 255 repetitions");
            return -1;
        }
    }
    return v;
}

/* After the opening brace. */
static struct pattern_cost bounds(struct parser *ps, struct pattern_cost a)
{
    int min = number(ps), max = min;

    if (min >= 0 && is_next(ps, L',')) {
        ps->p++;
        max = is_next(ps, L'}') ? NO_LIMIT : number(ps);
        if (max < min && !is_next(ps, L'}'))
            min = -1;
    }
    if (min < 0 || !is_next(ps, L'}') || (max != NO_LIMIT && max < min))
        return fail(ps, "'{' needs one or two numbers, as in {2,5}");
    ps->p++;
    return written_out(ps, a, min, max);
}

static struct pattern_cost quantified(struct parser *ps, struct pattern_cost a)
{
    while (ps->p < ps->end) {
        switch (*ps->p) {
        case L'*':
            a = optional(repeated(a));
            break;
        case L'+':
            a = repeated(a);
            break;
        case L'?':
            a = optional(a);
            break;
        case L'{':
            ps->p++;
            a = bounds(ps, a);
            continue;
        default:
            return a;
        }
        ps->p++;
    }
    return a;
}

static struct pattern_cost states(size_t n)
{
    return (struct pattern_cost){.states = n, .first = n, .last = n};
}

/* [:name:] after its "[:". */
static void class_name(struct parser *ps)
{
    while (ps->p < ps->end && *ps->p >= L'a' && *ps->p <= L'z')
        ps->p++;
    if (ps->end - ps->p < 2 || ps->p[0] != L':' || ps->p[1] != L']')
        fail(ps, "a class is written [[:alpha:]]");
    else
        ps->p += 2;
}

/* After the opening bracket. A ']' that comes first is one of the set. */
static struct pattern_cost bracket(struct parser *ps)
{
    const wchar_t *start = ps->p, *first;

    if (is_next(ps, L'^'))
        ps->p++;
    first = ps->p;
    while (ps->p < ps->end && (*ps->p != L']' || ps->p == first)) {
        wchar_t c = *ps->p++;

        if (c != L'[' || ps->p == ps->end)
            continue;
        if (*ps->p == L'.' || *ps->p == L'=')
            return fail(ps, "[. and [= are not supported");
        if (*ps->p == L':') {
            ps->p++;
            class_name(ps);
        }
    }
    if (ps->p == ps->end)
        return fail(ps, "'[' without ']'");
    ps->p++;
    return states((size_t)(ps->p - start));
}

/* After the backslash. */
static struct pattern_cost escape(struct parser *ps)
{
    wchar_t c = ps->p < ps->end ? *ps->p : L'\0';

    if (c >= L'0' && c <= L'9')
        return c == L'0' ? fail(ps, "unknown escape") : fail(ps, "no back-references");
    if (c != L'\0' && wcschr(L"bB<>", c) != NULL) {
        ps->p++;
        return optional(states(1));
    }
    if (c != L'\0' && wcschr(L"dDwWsS", c) != NULL) {
        ps->p++;
        return states(3); /* [[:alnum:]_] and the like */
    }
    if (c < L'!' || c > L'~' || (wcschr(L"tnrf", c) == NULL && c >= L'A' && c <= L'Z') ||
        (wcschr(L"tnrf", c) == NULL && c >= L'a' && c <= L'z'))
        return fail(ps, "unknown escape");
    ps->p++;
    return states(1);
}

static struct pattern_cost alternatives(struct parser *ps);

/* After the opening parenthesis. */
static struct pattern_cost group(struct parser *ps)
{
    struct pattern_cost a;

    if (is_next(ps, L'?'))
        return fail(ps, "'(?' is not supported");
    if (++ps->depth > DEPTH_MAX)
        return fail(ps, "too many parentheses");
    a = alternatives(ps);
    ps->depth--;
    if (!is_next(ps, L')'))
        return fail(ps, "'(' without ')'");
    ps->p++;
    a.states++; /* an empty one is something to be copied too */
    return a;
}

static struct pattern_cost atom(struct parser *ps)
{
    switch (*ps->p++) {
    case L'(':
        return group(ps);
    case L'[':
        return bracket(ps);
    case L'\\':
        return escape(ps);
    case L'^':
    case L'$':
        return optional(states(1));
    case L'*':
    case L'+':
    case L'?':
    case L'{':
        ps->p--;
        return fail(ps, "nothing to repeat");
    default:
        return states(1);
    }
}

/* Up to the end, a closing parenthesis or a mistake. */
static struct pattern_cost alternatives(struct parser *ps)
{
    struct pattern_cost sum = nothing, branch = nothing;
    int n = 0;

    for (;;) {
        if (ps->p < ps->end && *ps->p != L'|' && *ps->p != L')') {
            struct pattern_cost a = atom(ps);

            branch = sequence(ps, branch, quantified(ps, a));
            continue;
        }
        sum = n++ == 0 ? branch : either(sum, branch);
        if (!is_next(ps, L'|'))
            return sum;
        ps->p++;
        branch = nothing;
    }
}

const char *pattern_cost(const wchar_t *re, size_t n, struct pattern_cost *result, size_t *place)
{
    struct parser ps = {.p = re, .end = re + n};

    *result = alternatives(&ps);
    if (ps.wrong == NULL && ps.p < ps.end)
        fail(&ps, "')' without '('");
    if (ps.wrong == NULL)
        sequence(&ps, *result, nothing);
    *place = (size_t)(ps.p - re);
    return ps.wrong;
}
