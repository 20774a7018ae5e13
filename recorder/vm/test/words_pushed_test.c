/* words_pushed_test.c - how many words compiled x86-64 code has pushed for a call, told by the code
 * behind the call. */
#include "recorder/vm/walk_cpu.h"
#include "jfrfmt/test/testing.h"

#if defined(__x86_64__)

enum {
    FRAME_WORDS = 10
};

static uint32_t pushed(const char *code, size_t n)
{
    uint8_t c[32] = {0};

    memcpy(c, code, n);
    assert_int_equal(safe_load_install(), 0);
    return vm_cpu_words_pushed((uintptr_t)c, FRAME_WORDS);
}

#define PUSHED(code) pushed(code, sizeof(code) - 1)

static void what_is_taken_off_the_stack_was_pushed(void **state)
{
    (void)state;
    assert_int_equal(PUSHED("\x58\x5a\x90"), 2); /* pop rax; pop rdx */
    assert_int_equal(PUSHED("\x41\x5a\x90"), 1); /* pop r10 */
    assert_int_equal(PUSHED("\x48\x83\xc4\x20\x90"), 4); /* add rsp, 0x20 */
    assert_int_equal(PUSHED("\x48\x81\xc4\x40\x01\x00\x00\x90"), 40); /* add rsp, 0x140 */
    assert_int_equal(PUSHED("\x48\x8b\x04\x24\x48\x83\xc4\x10\x90"),
                     2); /* mov rax, [rsp]; add rsp, 0x10 */
    assert_int_equal(PUSHED("\x90"), 0);
}

/* add rsp, 0x40; pop rbp; ...; ret: the end of a method whose last act is a call of the VM's own
 * code. */
static void a_frame_that_is_taken_down_was_not_pushed(void **state)
{
    (void)state;
    assert_int_equal(PUSHED("\x48\x83\xc4\x40\x5d\xc3"), 0);
    assert_int_equal(PUSHED("\x48\x81\xc4\x40\x00\x00\x00\x5d\xc3"), 0);
    assert_int_equal(PUSHED("\x48\x89\xc3\x48\x83\xc4\x40\x5d\xc3"),
                     0); /* mov rbx, rax before it */
    assert_int_equal(PUSHED("\x48\x83\xc4\x40\x90"), 8); /* as many words, but the frame stays */
    assert_int_equal(PUSHED("\x48\x83\xc4\x38\x5d\xc3"), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_off_the_stack_was_pushed),
        cmocka_unit_test(a_frame_that_is_taken_down_was_not_pushed),
    };

    return cmocka_run_group_tests_name("words_pushed", tests, NULL, NULL);
}

#else

int main(void)
{
    puts("skip words_pushed: another processor");
    return 0;
}

#endif
