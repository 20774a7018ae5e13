#include "convert/report/diff.h"
#include "jfrfmt/test/testing.h"

#include <math.h>
#include <stdlib.h>

struct p_row {
    const char *name;
    uint64_t x, n, y, m;
    double want, within;
};

/* clang-format off */
static const struct p_row ps[] = {
    /* Fisher's exact test, by hand: sums of hypergeometric probabilities */
    {"1 of 10 and 11 of 14", 1, 10, 11, 14, 0.002759456185, 1e-9},
    {"3 of 4 and 1 of 4", 3, 4, 1, 4, 0.4857142857, 1e-9}, /* 34/70 */
    {"the same the other way round", 1, 4, 3, 4, 0.4857142857, 1e-9},
    {"0 of 5 and 5 of 5", 0, 5, 5, 5, 2.0 / 252, 1e-9},
    {"nothing and nothing", 0, 100, 0, 100, 1, 0},
    {"all and all", 100, 100, 50, 50, 1, 0},
    {"no samples on one side", 0, 0, 5, 10, 1, 0},
    /* the z test: erfc(|z| / sqrt 2) with a common share of 0.115 */
    {"10% and 13% of a thousand", 100, 1000, 130, 1000, 0.0354884505, 1e-9},
    {"equal shares", 100, 1000, 200, 2000, 1, 1e-12},
    {"few against very many", 0, 11, 23733, 24526, 4.3e-17, 1e-16},
    {"more than there are", 12, 10, 1, 10, 1, 0},
};
/* clang-format on */

static void p_is_known(void **state)
{
    const struct p_row *t = *state;
    double p = diff_p(t->x, t->n, t->y, t->m);

    if (!(fabs(p - t->want) <= t->within))
        fail_msg("%.12g, not %.12g", p, t->want);
}

static uint64_t seed = 7;

static uint64_t draw(uint64_t n, double share)
{
    uint64_t x = 0;

    for (uint64_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x += (double)(seed >> 11) / 9007199254740992.0 < share;
    }
    return x;
}

/* Where nothing has changed, few are below a limit: no more than the limit says. */
static void chance_rarely_looks_like_change(void **state)
{
    static const double shares[] = {0.002, 0.03, 0.3, 0.97};

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        int below5 = 0, below1 = 0;

        for (int i = 0; i < 2000; i++) {
            double p = diff_p(draw(900, shares[k]), 900, draw(600, shares[k]), 600);

            below5 += p < 0.05;
            below1 += p < 0.01;
        }
        assert_in_range(below5, 0, 135); /* 100 expected at most, deviation 10 */
        assert_in_range(below1, 0, 37); /* 20, deviation 4.5 */
    }
}

struct gate_row {
    const char *name, *text, *want; /* want: part of the message; NULL: it is a gate */
};

static const struct gate_row gates[] = {
    {"all of it", "total:/Json.*write/ > +5% p<0.01", NULL},
    {"without p", "self:com.acme.* > +5%", NULL},
    {"less", "self:/x/ < -20.5% p < 0.5", NULL},
    {"a share", "total:/x/ > 10%", NULL},
    {"close together", "total:/a b/>+5%", NULL},
    {"no word", "", "is not like"},
    {"another word", "sum:/x/ > 1%", "is not like"},
    {"no name", "total: > 1%", "is not like"},
    {"no comparison", "total:/x/", "is not like"},
    {"no percent", "total:/x/ > 5", "is not like"},
    {"no number", "total:/x/ > +%", "is not like"},
    {"a p of nothing", "total:/x/ > 5% p<", "is not like"},
    {"a p of two", "total:/x/ > 5% p<2", "is not like"},
    {"something behind", "total:/x/ > 5% p<0.1 x", "is not like"},
    {"a bad pattern", "total:/(/ > 5%", "without ')'"},
};

static void gates_are_read(void **state)
{
    const struct gate_row *t = *state;
    struct jfr_error err = {0};
    struct diff_gate *g = diff_gate_new(t->text, &err);

    if (t->want == NULL) {
        assert_non_null(g);
        assert_string_equal(diff_gate_text(g), t->text);
    } else {
        assert_null(g);
        if (strstr(err.text, t->want) == NULL)
            fail_msg("'%s'", err.text);
    }
    diff_gate_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chance_rarely_looks_like_change)};
    int rc = run_rows("diff: probabilities", ps, p_is_known);

    rc |= cmocka_run_group_tests_name("diff: chance", tests, NULL, NULL);
    return rc | run_rows("diff: gates", gates, gates_are_read);
}
