#include "recorder/vm/dict.h"
#include "recorder/vm/cache.h"
#include "recorder/test/vm_fake.h"
#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <stdlib.h>

_Static_assert(sizeof(struct fake_body) % 8 == 0, "the index stands in its last half-word");

static struct fake_world world;
static struct vm_dict dict;

static int open_dict(void **state)
{
    (void)state;
    fake_init(&world);
    return vm_dict_open(&dict) ? 0 : -1;
}

static int close_dict(void **state)
{
    (void)state;
    vm_dict_close(&dict);
    return 0;
}

static uint32_t capture(void)
{
    assert_int_equal(safe_load_install(), 0);
    return vm_dict_method(&dict, &world.vm, (uintptr_t)&world.method);
}

static void a_method_is_captured(void **state)
{
    const struct vm_entry *e = vm_dict_get(&dict, capture());

    (void)state;
    assert_non_null(e);
    assert_int_equal(e->cls_n + e->name_n + e->descriptor_n + e->generic_n, 13 + 3 + 4 + 8);
    assert_memory_equal(e->text, "com/acme/Mainrun(I)V<T:>(I)V", 28);
    assert_int_equal(e->modifiers, 9);
    assert_true(e->loader == 0x1234000);
    assert_false(e->is_hidden);
    assert_int_equal(e->n_lines, 3);
    assert_int_equal(e->lines[0].bci, 0);
    assert_int_equal(e->lines[0].line, 10);
    assert_int_equal(e->lines[1].bci, 5);
    assert_int_equal(e->lines[1].line, 12);
    assert_int_equal(e->lines[2].bci, 40);
    assert_int_equal(e->lines[2].line, 300);
}

static void the_same_method_has_the_same_id(void **state)
{
    uint32_t id = capture();

    (void)state;
    assert_true(id != 0);
    assert_int_equal(capture(), id);
    assert_int_equal(atomic_load(&dict.n_entries), 1);
}

/* Its class was unloaded and another one's method lies there now. */
static void another_method_at_the_same_address_is_another(void **state)
{
    static struct fake_world other;
    uint32_t id = capture(), second;

    (void)state;
    fake_init(&other);
    fake_symbol_set(&other.symbols[1], "fly");
    world.method.body = &other.body;
    second = capture();
    assert_true(second != 0 && second != id);
    assert_memory_equal(vm_dict_get(&dict, id)->text, "com/acme/Mainrun", 16);
    assert_memory_equal(vm_dict_get(&dict, second)->text, "com/acme/Mainfly", 16);
}

static void what_is_no_method_has_no_id(void **state)
{
    struct fake_const_method head = world.body.head;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    assert_int_equal(vm_dict_method(&dict, &world.vm, 0), 0);
    assert_int_equal(vm_dict_method(&dict, &world.vm, 8), 0);
    assert_int_equal(vm_dict_method(&dict, &world.vm, (uintptr_t)&world.method + 1), 0);
    assert_int_equal(vm_dict_method(&dict, &world.vm, UINT64_C(0xdead000000000000)), 0);
    world.body.head.name = 7; /* an empty place in the pool */
    assert_int_equal(capture(), 0);
    world.body.head = head;
    world.symbols[0].length = 0;
    assert_int_equal(capture(), 0);
    assert_int_equal(atomic_load(&dict.n_entries), 0);
    assert_null(vm_dict_get(&dict, 0));
    assert_null(vm_dict_get(&dict, 1));
    assert_null(vm_dict_get(&dict, UINT64_MAX));
}

static void hidden_classes_are_known_by_their_names(void **state)
{
    (void)state;
    fake_symbol_set(&world.symbols[0], "Main$$Lambda+0x00007f");
    assert_true(vm_dict_get(&dict, capture())->is_hidden);
}

static void a_full_dictionary_refuses_and_counts(void **state)
{
    uint32_t id = capture();

    (void)state;
    atomic_store(&dict.n_entries, VM_DICT_METHODS);
    world.body.head.name = 5; /* "walk" */
    assert_int_equal(capture(), 0);
    assert_int_equal(atomic_load(&dict.n_refused), 1);
    world.body.head.name = 2;
    assert_int_equal(capture(), id);
}

static void stubs_have_their_names(void **state)
{
    uint32_t id;

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    id = vm_dict_stub(&dict, 0x7000, (uintptr_t) "arraycopy");
    assert_true(id != 0);
    assert_int_equal(vm_dict_get(&dict, id)->cls_n, 0);
    assert_int_equal(vm_dict_get(&dict, id)->name_n, 9);
    assert_memory_equal(vm_dict_get(&dict, id)->text, "arraycopy", 9);
}

/* Threads that meet the same 64 methods at once agree on their ids. */
static struct fake_method methods[64];
static uint32_t ids[4][64];

static void *capture_all(void *arg)
{
    uint32_t *to = arg;

    for (int round = 0; round < 200; round++)
        for (int i = 0; i < 64; i++) {
            uint32_t id = vm_dict_method(&dict, &world.vm, (uintptr_t)&methods[i]);

            if (id == 0 || (to[i] != 0 && to[i] != id) || vm_dict_get(&dict, id)->name_n != 3)
                abort();
            to[i] = id;
        }
    return NULL;
}

static void threads_agree_on_ids(void **state)
{
    pthread_t threads[4];

    (void)state;
    assert_int_equal(safe_load_install(), 0);
    for (int i = 0; i < 64; i++)
        methods[i] = world.method;
    memset(ids, 0, sizeof ids);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, capture_all, ids[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(ids[i], ids[0], sizeof ids[0]);
}

/* --- vm_cache --- */

struct fake_block {
    alignas(8) uint8_t used;
    uint8_t header[7];
    uintptr_t method; /* the blob begins here */
    int32_t compile_id;
};

static struct fake_block block;
static struct vm_cache cache;

static struct vm_cached cached_at(uintptr_t pc)
{
    struct vm_cached c = {.pc = pc,
                          .blob = (uintptr_t)&block.method,
                          .method = block.method,
                          .compile_id = block.compile_id,
                          .frame_words = 12,
                          .level = 4,
                          .n = 2,
                          .frames = {{(uint32_t)pc, 5}, {8, -1}}};

    return c;
}

static void open_cache(void)
{
    assert_int_equal(safe_load_install(), 0);
    block = (struct fake_block){.used = 1, .method = 0x5000, .compile_id = 77};
    world.vm.l.code.block_used = fake_slot(0, 1);
    world.vm.l.code.block_header = 8;
    world.vm.l.nmethod.method = fake_slot(0, 8);
    world.vm.l.nmethod.compile_id = fake_slot(8, 4);
    assert_true(vm_cache_open(&cache));
}

static bool knows(uintptr_t pc, struct vm_cached *out)
{
    vm_cache_expect(&cache, pc);
    return vm_cache_get(&cache, pc, out) && vm_cache_holds(out, &world.vm);
}

static void an_entry_holds_while_its_compilation_is_there(void **state)
{
    struct vm_cached in, out;

    (void)state;
    open_cache();
    assert_false(knows(0x7123, &out));
    in = cached_at(0x7123);
    vm_cache_put(&cache, &in);
    assert_true(knows(0x7123, &out));
    assert_int_equal(out.frame_words, 12);
    assert_int_equal(out.level, 4);
    assert_int_equal(out.n, 2);
    assert_int_equal(out.frames[0].id, 0x7123);
    assert_int_equal(out.frames[1].bci, -1);
    assert_false(knows(0x7124, &out));
    block.compile_id++;
    assert_false(knows(0x7123, &out));
    block.compile_id--;
    block.method ^= 8;
    assert_false(knows(0x7123, &out));
    block.method ^= 8;
    block.used = 0;
    assert_false(knows(0x7123, &out));
    vm_cache_close(&cache);
}

/* Writers and readers of few entries: what is read belongs together. */
static void *use_cache(void *arg)
{
    struct vm_cached c;

    for (uintptr_t i = 0; i < 20000; i++) {
        uintptr_t pc = 0x1000 + i % 7 * 8;

        if (knows(pc, &c)) {
            if (c.frames[0].id != pc || c.n != 2 || c.frames[1].id != 8)
                abort();
        } else {
            c = cached_at(pc);
        }
        vm_cache_put(&cache, &c);
    }
    return arg;
}

static void entries_are_never_mixed(void **state)
{
    pthread_t threads[4];

    (void)state;
    open_cache();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_cache, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    vm_cache_close(&cache);
}

#define IN_DICT(test_) cmocka_unit_test_setup_teardown(test_, open_dict, close_dict)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_DICT(a_method_is_captured),
        IN_DICT(the_same_method_has_the_same_id),
        IN_DICT(another_method_at_the_same_address_is_another),
        IN_DICT(what_is_no_method_has_no_id),
        IN_DICT(hidden_classes_are_known_by_their_names),
        IN_DICT(a_full_dictionary_refuses_and_counts),
        IN_DICT(stubs_have_their_names),
        IN_DICT(threads_agree_on_ids),
        IN_DICT(an_entry_holds_while_its_compilation_is_there),
        IN_DICT(entries_are_never_mixed),
    };

    return cmocka_run_group_tests_name("vm_dict", tests, NULL, NULL);
}
