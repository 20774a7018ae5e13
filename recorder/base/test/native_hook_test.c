#include "recorder/base/native_hook.h"

#include "jfrfmt/test/testing.h"

struct row {
    const char *name;
    const char *cls, *method, *want; /* NULL: does not fit in 40 bytes */
};

static const struct row rows[] = {
    {"plain", "java/lang/Runtime", "gc", "Java_java_lang_Runtime_gc"},
    {"underscore", "a/b_c", "d_e", "Java_a_b_1c_d_1e"},
    {"inner class", "a/B$C", "d", "Java_a_B_00024C_d"},
    {"no package", "A", "b", "Java_A_b"},
    {"just fits", "abcdefghijklmnopqrstuvwxyz", "abcdefg",
     "Java_abcdefghijklmnopqrstuvwxyz_abcdefg"},
    {"too long", "abcdefghijklmnopqrstuvwxyz", "abcdefgh", NULL},
    {"too long by an escape", "abcdefghijklmnopqrstuvwxyz", "abcde_g", NULL},
};

static void jni_name(void **state)
{
    const struct row *r = *state;
    struct native_hook h = {.cls = r->cls, .name = r->method, .signature = "()V"};
    char room[40];

    assert_int_equal(native_hook_symbol(&h, room, sizeof(room)), r->want != NULL);
    if (r->want != NULL)
        assert_string_equal(room, r->want);
}

int main(void)
{
    return run_rows("native_hook: JNI names", rows, jni_name);
}
