#include "convert/text/frame_name.h"

#include "jfrfmt/test/testing.h"

#include <limits.h>

struct frame_row {
    const char *name;
    struct name_options opt;
    const char *class_name, *method, *descriptor; /* NULL: missing */
    enum frame_type type;
    const char *want;
    int line, bci;
};

#define DOT .style = NAME_DOT
#define SIMPLE .style = NAME_SIMPLE
#define SLASH .style = NAME_SLASH
#define FULL .style = NAME_FULL
#define JVM .style = NAME_JVM
#define LIST "java/util/List", "add", "(ILjava/lang/Object;)V", FRAME_JIT
#define LIB "libjvm.so", "JavaThread::run()", "()L;", FRAME_CPP

/* clang-format off */
static const struct frame_row frames[] = {
    {"dot", {DOT}, LIST, "java.util.List.add"},
    {"simple", {SIMPLE}, LIST, "List.add"},
    {"slash", {SLASH}, LIST, "java/util/List.add"},
    {"full", {FULL}, LIST, "java.util.List.add(int, Object)"},
    {"jvm", {JVM}, LIST, "java/util/List.add(ILjava/lang/Object:)V"},
    {"no_package", {DOT}, "Main", "main", "()V", 0, "Main.main"},
    {"no_package_simple", {SIMPLE}, "Main", "main", "()V", 0, "Main.main"},
    {"inner_class_simple", {SIMPLE}, "a/b/Map$Entry", "get", "()V", 0, "Map$Entry.get"},
    {"dotted_class", {DOT}, "a.b.C", "m", "()V", 0, "a.b.C.m"},
    {"dotted_class_simple", {SIMPLE}, "a.b.C", "m", "()V", 0, "C.m"},
    {"constructor", {FULL}, "a/B", "<init>", "()V", 0, "a.B.<init>()"},

    {"null_method", {DOT}, NULL, NULL, NULL, 0, "[unknown]"},
    {"null_method_full", {FULL}, NULL, NULL, NULL, 0, "[unknown]"},
    {"null_method_package", {DOT, .package = UINT_MAX}, NULL, NULL, NULL, 0, "[unknown]"},
    {"null_name", {DOT}, "a/B", NULL, NULL, 0, "a.B.[unknown]"},
    {"empty_texts", {DOT}, "", "", "", 0, "[unknown]"},
    {"no_class", {DOT}, NULL, "m", "()V", 0, "m"},

    {"every_primitive", {FULL}, "A", "m", "(ZBCSIJFD)V", 0, "A.m(boolean, byte, char, short, int, long, float, double)"},
    {"arrays", {FULL}, "A", "m", "([[I[Ljava/lang/String;)V", 0, "A.m(int[][], String[])"},
    {"inner_parameter", {FULL}, "A", "m", "(La/B$C;)V", 0, "A.m(B$C)"},
    {"class_ends_early", {FULL}, "A", "m", "(ILjava/lang/Obj", 0, "A.m(int)"},
    {"no_closing", {FULL}, "A", "m", "(I", 0, "A.m(int)"},
    {"only_opening", {FULL}, "A", "m", "(", 0, "A.m()"},
    {"unknown_code", {FULL}, "A", "m", "(IQI)V", 0, "A.m(int)"},
    {"array_of_nothing", {FULL}, "A", "m", "([", 0, "A.m()"},
    {"no_descriptor", {FULL}, "A", "m", "", 0, "A.m"},
    {"not_a_descriptor", {FULL}, "A", "m", "hello", 0, "A.m"},
    {"parenthesis_in_a_name", {FULL}, "A", "m", "(La(;I)V", 0, "A.m(a(, int)"},

    {"hidden_class_slash", {DOT}, "a/B$$Lambda/0x00007f01", "run", "()V", 0, "a.B$$Lambda/0x00007f01.run"},
    {"hidden_class_plus", {DOT}, "a/B$$Lambda+0x00007f01/123", "run", "()V", 0, "a.B$$Lambda+0x00007f01/123.run"},
    {"hidden_class_dot_simple", {SIMPLE}, "a/B$$Lambda.0x00007f01", "run", "()V", 0, "B$$Lambda.0x00007f01.run"},
    {"hidden_class_slash_simple", {SIMPLE}, "a/B$$Lambda$7/12345", "run", "()V", 0, "B$$Lambda$7/12345.run"},
    {"hidden_class_plus_simple", {SIMPLE}, "a/B+0x1f/12", "run", "()V", 0, "B+0x1f/12.run"},

    {"normal_plain", {DOT, .normalize = true}, "a/B12", "run", "()V", 0, "a.B12.run"},
    {"normal_lambda_8", {DOT, .normalize = true}, "a/B$$Lambda$14/1985280051", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_small_hash", {DOT, .normalize = true}, "a/B$$Lambda$14/7", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_17", {DOT, .normalize = true}, "a/B$$Lambda$14/0x0000000801", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_25", {DOT, .normalize = true}, "a/B$$Lambda/0x0000000801", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_plus", {DOT, .normalize = true}, "a/B$$Lambda+0x0000000801/182926464", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_dot", {DOT, .normalize = true}, "a/B$$Lambda$9.0x0000000801", "run", "()V", 0, "a.B$$Lambda.run"},
    {"normal_lambda_slash_style", {SLASH, .normalize = true}, "a/B$$Lambda$9/0x08", "run", "()V", 0, "a/B$$Lambda.run"},
    {"normal_lambda_form", {DOT, .normalize = true}, "java/lang/invoke/LambdaForm$MH/0x0000000801", "invoke", "()V", 0, "java.lang.invoke.LambdaForm$MH.invoke"},
    {"normal_lambda_form_plus", {DOT, .normalize = true}, "java/lang/invoke/LambdaForm$DMH+0x0801", "invoke", "()V", 0, "java.lang.invoke.LambdaForm$DMH.invoke"},
    {"normal_hidden_class", {DOT, .normalize = true}, "a/Script0/0x0000000801", "run", "()V", 0, "a.Script0.run"},
    {"normal_method_accessor", {DOT, .normalize = true}, "jdk/internal/reflect/GeneratedMethodAccessor12", "invoke", "()V", 0, "jdk.internal.reflect.GeneratedMethodAccessor.invoke"},
    {"normal_constructor_accessor", {SIMPLE, .normalize = true}, "sun/reflect/GeneratedConstructorAccessor3", "newInstance", "()V", 0, "GeneratedConstructorAccessor.newInstance"},
    {"normal_serial_accessor", {SIMPLE, .normalize = true}, "sun/reflect/GeneratedSerializationConstructorAccessor1", "newInstance", "()V", 0, "GeneratedSerializationConstructorAccessor.newInstance"},
    {"normal_keeps_own_accessors", {DOT, .normalize = true}, "a/FieldAccessor2", "get", "()V", 0, "a.FieldAccessor2.get"},
    {"normal_proxy", {DOT, .normalize = true}, "com/sun/proxy/$Proxy7", "get", "()V", 0, "com.sun.proxy.$Proxy.get"},
    {"normal_proxy_package", {DOT, .normalize = true}, "jdk/proxy12/$Proxy7", "get", "()V", 0, "jdk.proxy.$Proxy.get"},
    {"normal_cglib", {SIMPLE, .normalize = true}, "a/B$$EnhancerByCGLIB$$3f1a2b4c", "get", "()V", 0, "B$$EnhancerByCGLIB.get"},
    {"normal_cglib_spring", {SIMPLE, .normalize = true}, "a/B$$EnhancerBySpringCGLIB$$deadbeef", "get", "()V", 0, "B$$EnhancerBySpringCGLIB.get"},
    {"normal_cglib_spring_6", {SIMPLE, .normalize = true}, "a/B$$SpringCGLIB$$0", "get", "()V", 0, "B$$SpringCGLIB.get"},
    {"normal_fast_class", {SIMPLE, .normalize = true}, "a/B$$FastClassByCGLIB$$1a2b", "get", "()V", 0, "B$$FastClassByCGLIB.get"},
    {"normal_address_behind_a_package", {DOT, .normalize = true}, "a/0xFace", "get", "()V", 0, "a.get"},
    {"normal_digits_only", {DOT, .normalize = true}, "123", "get", "()V", 0, "123.get"},
    {"normal_empty_class", {DOT, .normalize = true}, "", "get", "()V", 0, "get"},

    {"library_is_kept", {DOT}, LIB, "libjvm.so.JavaThread::run()"},
    {"library_simple", {SIMPLE}, LIB, "JavaThread::run()"},
    {"library_full", {FULL}, LIB, "libjvm.so.JavaThread::run()"},
    {"library_jvm", {JVM}, LIB, "libjvm.so.JavaThread::run()"},
    {"library_package", {DOT, .package = 1}, LIB, "libjvm.so"},
    {"library_path", {DOT}, "/usr/lib/libc.so.6", "read", "()L;", FRAME_NATIVE, "/usr/lib/libc.so.6.read"},
    {"library_normal", {DOT, .normalize = true}, "libc.so.6", "read", "()L;", FRAME_NATIVE, "libc.so.6.read"},
    {"no_library", {DOT}, "", "__do_page_fault_[k]", "()L;", FRAME_KERNEL, "__do_page_fault_[k]"},
    {"no_library_package", {DOT, .package = 1}, "", "read", "()L;", FRAME_NATIVE, "[native]"},
    {"java_native_method", {FULL}, "java/lang/Thread", "sleep", "(J)V", FRAME_NATIVE, "java.lang.Thread.sleep(long)"},
    {"semicolon", {DOT}, "", "libc.so;5f3a (deleted)", "()L;", FRAME_NATIVE, "libc.so:5f3a (deleted)"},
    {"control_characters", {DOT}, "a/B\n", "m\t\r\x7f", "()V", 0, "a.B .m   "},
    {"two_byte_null", {DOT}, "A", "m\xc0\x80n", "()V", 0, "A.m n"},

    {"package", {DOT, .package = UINT_MAX}, LIST, "java.util"},
    {"package_of_one", {DOT, .package = 1}, LIST, "java"},
    {"package_of_two", {DOT, .package = 2}, LIST, "java.util"},
    {"package_of_more", {DOT, .package = 3}, LIST, "java.util"},
    {"package_simple", {SIMPLE, .package = UINT_MAX}, LIST, "java.util"},
    {"package_slash", {SLASH, .package = UINT_MAX}, LIST, "java/util"},
    {"package_slash_of_one", {SLASH, .package = 1}, LIST, "java"},
    {"package_jvm", {JVM, .package = UINT_MAX}, LIST, "java/util"},
    {"package_of_dotted", {DOT, .package = UINT_MAX}, "a.b.C", "m", "()V", 0, "a.b"},
    {"package_of_hidden_class", {DOT, .package = UINT_MAX}, "a/b/C/0x01", "m", "()V", 0, "a.b"},
    {"package_of_hidden_class_dot", {DOT, .package = UINT_MAX}, "a/b/C.0x01", "m", "()V", 0, "a.b"},
    {"default_package", {DOT, .package = UINT_MAX}, "Main", "m", "()V", 0, "[default package]"},
    {"default_package_hidden", {DOT, .package = UINT_MAX}, "Main$$Lambda.0x01", "m", "()V", 0, "[default package]"},
    {"package_has_no_line", {DOT, .package = UINT_MAX, .lines = true, .bci = true, .tiers = true}, LIST, "java.util", 3, 4},

    {"line", {DOT, .lines = true}, LIST, "java.util.List.add:42", 42, 7},
    {"line_0", {DOT, .lines = true}, LIST, "java.util.List.add", 0, 7},
    {"line_negative", {DOT, .lines = true}, LIST, "java.util.List.add", -1, 7},
    {"bci", {DOT, .bci = true}, LIST, "java.util.List.add@7", 42, 7},
    {"bci_0", {DOT, .bci = true}, LIST, "java.util.List.add@0", 42, 0},
    {"bci_negative", {DOT, .bci = true}, LIST, "java.util.List.add", 42, -1},
    {"all_marks_full", {FULL, .lines = true, .bci = true, .tiers = true}, LIST, "java.util.List.add(int, Object):42@7_[j]", 42, 7},
    {"tier_interpreted", {DOT, .tiers = true}, "A", "m", "()V", FRAME_INTERPRETED, "A.m_[0]"},
    {"tier_c1", {DOT, .tiers = true}, "A", "m", "()V", FRAME_C1, "A.m_[1]"},
    {"tier_inlined", {DOT, .tiers = true}, "A", "m", "()V", FRAME_INLINED, "A.m_[i]"},
    {"tier_kernel", {DOT, .tiers = true}, "", "m", "()L;", FRAME_KERNEL, "m_[k]"},
    {"tier_native", {DOT, .tiers = true}, "A", "m", "()V", FRAME_NATIVE, "A.m"},
    {"tier_cpp", {DOT, .tiers = true}, "", "m", "()L;", FRAME_CPP, "m"},
    {"tier_unknown", {DOT, .tiers = true}, "A", "m", "()V", FRAME_UNKNOWN, "A.m"},
};

struct class_row {
    const char *name;
    struct name_options opt;
    const char *class_name, *want;
};

static const struct class_row classes[] = {
    {"array", {DOT}, "[Ljava/lang/String;", "java.lang.String[]"},
    {"array_simple", {SIMPLE}, "[Ljava/lang/String;", "String[]"},
    {"array_slash", {SLASH}, "[[Ljava/lang/String;", "java/lang/String[][]"},
    {"array_jvm", {JVM}, "[Ljava/lang/String;", "[Ljava/lang/String;"},
    {"bytes", {DOT}, "[B", "byte[]"},
    {"matrix", {SIMPLE}, "[[[D", "double[][][]"},
    {"array_normal", {DOT, .normalize = true}, "[La/B$$Lambda$3/0x12;", "a.B$$Lambda[]"},
    {"no_array_type", {DOT}, "[Q", "[Q"},
    {"only_brackets", {DOT}, "[[", "[["},
    {"array_without_end", {DOT}, "[Ljava/lang/String", "[Ljava.lang.String"},
    {"array_of_no_name", {DOT}, "[L;", "[L;"},
    {"plain", {DOT}, "a/B", "a.B"},
    {"missing", {DOT}, NULL, ""},
};

struct thread_row {
    const char *name, *java_name, *os_name;
    int64_t java_id, os_id;
    const char *want;
};

static const struct thread_row threads[] = {
    {"java_name", "main", "java", 1, 100, "main"},
    {"os_name", NULL, "GC Thread#0", 0, 100, "GC Thread#0"},
    {"virtual_without_name", "", NULL, 31, 0, "[tid=31]"},
    {"only_os_id", NULL, NULL, 0, 100, "[tid=100]"},
    {"nothing", NULL, NULL, 0, 0, "[tid=0]"},
    {"awkward", "a;b\nc", NULL, 1, 1, "a:b c"},
};

struct type_row {
    const char *name, *text;
    enum frame_type type;
};

static const struct type_row types[] = {
    {"interpreted", "Interpreted", FRAME_INTERPRETED}, {"jit", "JIT compiled", FRAME_JIT},
    {"inlined", "Inlined", FRAME_INLINED}, {"native", "Native", FRAME_NATIVE},
    {"cpp", "C++", FRAME_CPP}, {"kernel", "Kernel", FRAME_KERNEL}, {"c1", "C1 compiled", FRAME_C1},
    {"unknown", "Unknown", FRAME_UNKNOWN}, {"other", "Wasm", FRAME_UNKNOWN},
    {"missing", NULL, FRAME_UNKNOWN},
};

struct style_row {
    const char *name, *text;
    int style;
};

static const struct style_row styles[] = {
    {"dot", "dot", NAME_DOT}, {"simple", "simple", NAME_SIMPLE}, {"slash", "slash", NAME_SLASH},
    {"full", "full", NAME_FULL}, {"jvm", "jvm", NAME_JVM}, {"none", "", -1}, {"other", "long", -1},
};
/* clang-format on */

static struct jfr_str text(const char *s)
{
    if (s == NULL)
        return (struct jfr_str){.encoding = JFR_STR_NULL};
    return (struct jfr_str){
        .p = (const uint8_t *)s, .n = strlen(s), .n_bytes = strlen(s), .encoding = JFR_STR_UTF8};
}

/* What is appended stands behind what was there, untouched. */
static void check(struct buf *b, const char *want)
{
    buf_byte(b, 0);
    assert_memory_equal(b->p, "x;\n", 3);
    assert_string_equal((const char *)b->p + 3, want);
    buf_free(b);
}

static void test_frame(void **state)
{
    const struct frame_row *row = *state;
    struct jfr_method m = {text(row->class_name), text(row->method), text(row->descriptor), 0};
    struct jfr_frame frame = {.line = row->line, .bci = row->bci};
    struct buf b = {0};

    buf_str(&b, "x;\n");
    frame_name_append(&b, &row->opt, &m, &frame, row->type);
    check(&b, row->want);
}

static void test_class(void **state)
{
    const struct class_row *row = *state;
    struct buf b = {0};

    buf_str(&b, "x;\n");
    class_name_append(&b, &row->opt, text(row->class_name));
    check(&b, row->want);
}

static void test_thread(void **state)
{
    const struct thread_row *row = *state;
    struct jfr_thread t = {text(row->os_name), text(row->java_name), row->os_id, row->java_id,
                           false};
    struct buf b = {0};

    buf_str(&b, "x;\n");
    thread_name_append(&b, &t);
    check(&b, row->want);
}

static void test_type(void **state)
{
    const struct type_row *row = *state;

    assert_int_equal(frame_type_of(text(row->text)), row->type);
}

static void test_style(void **state)
{
    const struct style_row *row = *state;

    assert_int_equal(name_style_named(row->text), row->style);
}

int main(void)
{
    return run_rows("frames", frames, test_frame) + run_rows("classes", classes, test_class) +
           run_rows("threads", threads, test_thread) + run_rows("types", types, test_type) +
           run_rows("styles", styles, test_style);
}
