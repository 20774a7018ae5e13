/* Names as c++filt -p writes them, and names that are refused. */
#include "recorder/symbols/demangle.h"
#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *mangled;
    const char *plain; /* NULL: refused */
};

/* clang-format off */
static const struct row rows[] = {
    {"_Z1fv", "f"},
    {"_ZN2ns5Class3runEi", "ns::Class::run"},
    {"_ZNK5Class3getEv", "Class::get"},
    {"_ZN1AC2Ev", "A::A"},
    {"_ZN1AD0Ev", "A::~A"},
    {"_ZN1AaSERKS_", "A::operator="},
    {"_ZlsRSoRK3Foo", "operator<<"},
    {"_Z3fooIiEvT_", "foo<int>"},
    {"_ZN3FooIiE3barIjEEvT_PFviE", "Foo<int>::bar<unsigned int>"},
    {"_ZNSt6vectorIS_IiSaIiEESaIS1_EED1Ev", "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, std::allocator<int> > > >::~vector"},
    {"_ZZN1A1fEvENKUliE_clEi", "A::f()::{lambda(int)#1}::operator()"},
    {"_ZZ3fooiE1x", "foo(int)::x"},
    {"_Z1fDF16_RDF128_PKDF32_DF64_", "f"},
    {"_Z1fDF16bDF32xDF64x", "f"},
    {"_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
    {"_Z1fRA5_Kc", "f"},
    {"_Z1fM1AKFivE", "f"},
    {"_Z1fIJilEEvDpT_", "f<int, long>"},
    {"_Z1fILb1ELin3ELj4EEvv", "f<true, -3, 4u>"},
    {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"},
    {"_ZTV3Foo", "vtable for Foo"},
    {"_ZThn8_N1A1fEv", "non-virtual thunk to A::f()"},
    {"_ZN1AcviEv", "A::operator int"},
    {"_ZN1fB5cxx11Ev", "f[abi:cxx11]"},
    {"_Z1fi.part.0.cold", "f"},
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
    {"_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE", "<T as core::convert::Into<U>>::into"},
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNvMCs1234_7mycrateINtB2_3VecjE4push", "<mycrate::Vec<usize>>::push"},
    {"main", NULL},
    {"_Z", NULL},
    {"_ZN", NULL},
    {"_Z99999999999999999999f", NULL},
    {"_ZN1AE", "A"},
    {"_ZN5shortE", "short"},
    {"_ZN1fIS0_Ev", NULL},
    {"_Z1fPPPP", "f"}, /* parameters are not read */
    {"_Z1fi.", "f"},
};
/* clang-format on */

static void name(void **state)
{
    const struct row *t = *state;
    char got[1000];

    if (!demangle_is_built())
        skip();
    assert_int_equal(demangle(t->mangled, got, sizeof(got)), t->plain != NULL);
    if (t->plain != NULL)
        assert_string_equal(got, t->plain);
}

static void a_short_room_is_not_exceeded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t room = 0; room < 64; room++) {
            char *got = malloc(room + 1);

            got[room] = 'x';
            if (demangle(rows[i].mangled, got, room))
                assert_string_equal(got, rows[i].plain);
            assert_int_equal(got[room], 'x');
            free(got);
        }
}

/* --- hostile names, on a stack of the size that the header promises --- */

#define HOSTILE_MAX ((size_t)1 << 20)

static struct {
    char mangled[HOSTILE_MAX + 100], got[4096];
} hostile;

static void *demangle_hostile(void *arg)
{
    (void)arg;
    if (demangle(hostile.mangled, hostile.got, sizeof(hostile.got)))
        assert_true(strlen(hostile.got) < sizeof(hostile.got));
    return NULL;
}

static void on_small_stack(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, DEMANGLE_STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, demangle_hostile, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static void repeat(const char *before, const char *unit, size_t length, const char *after)
{
    char *p = stpcpy(hostile.mangled, before);

    while ((size_t)(p - hostile.mangled) + strlen(unit) + strlen(after) <= length)
        p = stpcpy(p, unit);
    strcpy(p, after);
}

static void deep_names_end(void **state)
{
    static const char *const units[] = {"P",   "I",  "N",  "X",  "Dp",   "F",  "A_",
                                        "M",   "S_", "cl", "cv", "nxcv", "Kd", "B1a",
                                        "FiP", "R",  "T",  "Nt", "INt",  "C1a"};
    static const size_t lengths[] = {1023, 4096, HOSTILE_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
            repeat("_Z1f", units[i], lengths[k], "i");
            on_small_stack();
            repeat("_Z1fI", units[i], lengths[k], "E");
            on_small_stack();
            repeat("_R", units[i], lengths[k], "");
            on_small_stack();
            repeat("_RINvC1a1f", units[i], lengths[k], "iE");
            on_small_stack();
        }
}

/* Each pair doubles the length of the one before. */
static void an_endless_name_is_refused(void **state)
{
    (void)state;
    strcpy(hostile.mangled, "_Z1fI1AIS_S_E");
    for (int i = 0; i < 40; i++)
        snprintf(hostile.mangled + strlen(hostile.mangled), 32, "S_IS%d_S%d_E", i % 10, i % 10);
    strcat(hostile.mangled, "Evv");
    assert_false(demangle(hostile.mangled, hostile.got, sizeof(hostile.got)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_room_is_not_exceeded),
        cmocka_unit_test(deep_names_end),
        cmocka_unit_test(an_endless_name_is_refused),
    };

    return run_rows("demangle: names", rows, name) +
           cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
