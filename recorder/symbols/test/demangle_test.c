/* Names as c++filt writes them, and names that are refused. */
#include "recorder/symbols/demangle.h"
#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>

struct row {
    const char *mangled;
    const char *full, *plain; /* NULL: refused */
};

/* clang-format off */
static const struct row rows[] = {
    {"_Z1fv", "f()", "f"},
    {"_ZN2ns5Class3runEi", "ns::Class::run(int)", "ns::Class::run"},
    {"_ZNK5Class3getEv", "Class::get() const", "Class::get"},
    {"_ZN1AC2Ev", "A::A()", "A::A"},
    {"_ZN1AD0Ev", "A::~A()", "A::~A"},
    {"_ZN1AaSERKS_", "A::operator=(A const&)", "A::operator="},
    {"_ZlsRSoRK3Foo", "operator<<(std::basic_ostream<char, std::char_traits<char> >&, Foo const&)", "operator<<"},
    {"_Z3fooIiEvT_", "void foo<int>(int)", "foo<int>"},
    {"_ZN3FooIiE3barIjEEvT_PFviE", "void Foo<int>::bar<unsigned int>(unsigned int, void (*)(int))", "Foo<int>::bar<unsigned int>"},
    {"_ZNSt6vectorIS_IiSaIiEESaIS1_EED1Ev", "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, std::allocator<int> > > >::~vector()", "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, std::allocator<int> > > >::~vector"},
    {"_ZZN1A1fEvENKUliE_clEi", "A::f()::{lambda(int)#1}::operator()(int) const", "A::f()::{lambda(int)#1}::operator()"},
    {"_ZZ3fooiE1x", "foo(int)::x", "foo(int)::x"},
    {"_Z1fDF16_RDF128_PKDF32_DF64_", "f(_Float16, _Float128&, _Float32 const*, _Float64)", "f"},
    {"_Z1fDF16bDF32xDF64x", "f(std::bfloat16_t, _Float32x, _Float64x)", "f"},
    {"_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
    {"_Z1fRA5_Kc", "f(char const (&) [5])", "f"},
    {"_Z1fM1AKFivE", "f(int (A::*)() const)", "f"},
    {"_Z1fIJilEEvDpT_", "void f<int, long>(int, long)", "f<int, long>"},
    {"_Z1fILb1ELin3ELj4EEvv", "void f<true, -3, 4u>()", "f<true, -3, 4u>"},
    {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()", "(anonymous namespace)::f"},
    {"_ZTV3Foo", "vtable for Foo", "vtable for Foo"},
    {"_ZThn8_N1A1fEv", "non-virtual thunk to A::f()", "non-virtual thunk to A::f()"},
    {"_ZN1AcviEv", "A::operator int()", "A::operator int"},
    {"_ZN1fB5cxx11Ev", "f[abi:cxx11]()", "f[abi:cxx11]"},
    {"_Z1fi.part.0.cold", "f(int) [clone .part.0] [clone .cold]", "f"},
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad", "core::fmt::Formatter::pad"},
    {"_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE", "<T as core::convert::Into<U>>::into", "<T as core::convert::Into<U>>::into"},
    {"main", NULL, NULL},
    {"_Z", NULL, NULL},
    {"_ZN", NULL, NULL},
    {"_Z99999999999999999999f", NULL, NULL},
    {"_ZN1AE", "A", "A"},
    {"_Z1fS_", NULL, NULL},
    {"_Z1fT_", NULL, NULL},
    {"_Z1fPPPP", NULL, NULL},
    {"_Z1fiE", NULL, NULL},
    {"_Z1fi.", NULL, NULL},
    {"_ZN5shortE", "short", "short"},
};
/* clang-format on */

static void name(void **state)
{
    const struct row *t = *state;
    char got[1000];

    assert_int_equal(demangle(t->mangled, got, sizeof(got), DEMANGLE_FULL), t->full != NULL);
    if (t->full != NULL)
        assert_string_equal(got, t->full);
    assert_int_equal(demangle(t->mangled, got, sizeof(got), DEMANGLE_NO_PARAMS), t->plain != NULL);
    if (t->plain != NULL)
        assert_string_equal(got, t->plain);
}

/* However short the room is, nothing is written behind it. */
static void room_is_kept_to(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t room = 0; room < 64; room++) {
            char *got = malloc(room + 1);

            got[room] = 'x';
            if (demangle(rows[i].mangled, got, room, DEMANGLE_FULL))
                assert_int_equal(strlen(got), strlen(rows[i].full));
            assert_int_equal(got[room], 'x');
            free(got);
        }
}

/* Names that would be endless by referring to themselves, or deep. */
static void hostile_names_end(void **state)
{
    char mangled[10000] = "_Z1f", got[4096];
    size_t n = 4;

    (void)state;
    memset(mangled + n, 'P', 9000);
    mangled[n + 9000] = 0;
    strcat(mangled, "i");
    assert_false(demangle(mangled, got, sizeof(got), DEMANGLE_FULL));
    strcpy(mangled, "_Z1fI1AIS_S_E"); /* every further pair doubles the length */
    for (int i = 0; i < 40; i++)
        snprintf(mangled + strlen(mangled), 32, "S_IS%d_S%d_E", i % 10, i % 10);
    strcat(mangled, "Evv");
    assert_false(demangle(mangled, got, sizeof(got), DEMANGLE_FULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_kept_to),
        cmocka_unit_test(hostile_names_end),
    };

    return run_rows("demangle: names", rows, name) +
           cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
