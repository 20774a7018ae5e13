#include "recorder/capture/ring.h"

#include "jfrfmt/test/testing.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct ring_head head;
    uint32_t producer;
    uint64_t sequence;
    uint32_t n_words;
    uint32_t words[];
};

static struct ring *new_ring(size_t size)
{
    struct ring *r = aligned_alloc(64, sizeof(*r));

    ring_init(r, calloc(1, size), size);
    return r;
}

static void free_ring(struct ring *r)
{
    free(r->bytes);
    free(r);
}

static size_t item_size(uint32_t n_words)
{
    return sizeof(struct item) + n_words * sizeof(uint32_t);
}

static bool put(struct ring *r, uint32_t producer, uint64_t sequence, uint32_t n_words)
{
    struct item *it = ring_reserve(r, item_size(n_words));

    if (it == NULL)
        return false;
    it->producer = producer;
    it->sequence = sequence;
    it->n_words = n_words;
    for (uint32_t i = 0; i < n_words; i++)
        it->words[i] = producer ^ (uint32_t)sequence ^ i;
    ring_commit(it, item_size(n_words));
    return true;
}

static bool is_whole(const struct item *it)
{
    for (uint32_t i = 0; i < it->n_words; i++)
        if (it->words[i] != (it->producer ^ (uint32_t)it->sequence ^ i))
            return false;
    return true;
}

static void full_ring_refuses_and_loses_nothing(void **state)
{
    struct ring *r = new_ring(4096);
    uint64_t n = 0, seen = 0;
    struct item *it;

    (void)state;
    while (put(r, 1, n, 10))
        n++;
    assert_true(n >= 4096 / item_size(10) - 1);
    for (; (it = ring_peek(r)) != NULL; ring_release(r, it)) {
        assert_int_equal(it->sequence, seen++);
        assert_true(is_whole(it));
    }
    assert_int_equal(seen, n);
    assert_true(put(r, 1, n, 10));
    free_ring(r);
}

static void more_than_half_a_ring_is_refused(void **state)
{
    struct ring *r = new_ring(4096);

    (void)state;
    assert_null(ring_reserve(r, 2049));
    assert_non_null(ring_reserve(r, 2048));
    free_ring(r);
}

static void an_unfinished_record_holds_up_those_behind(void **state)
{
    struct ring *r = new_ring(4096);
    struct item *first = ring_reserve(r, item_size(0));

    (void)state;
    put(r, 2, 1, 3);
    assert_null(ring_peek(r));
    ring_commit(first, item_size(0));
    assert_ptr_equal(ring_peek(r), first);
    ring_release(r, first);
    assert_int_equal(((struct item *)ring_peek(r))->producer, 2);
    free_ring(r);
}

static void records_never_wrap(void **state)
{
    struct ring *r = new_ring(1024);
    struct item *it;

    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        assert_true(put(r, 3, i, (uint32_t)(i % 40)));
        it = ring_peek(r);
        assert_int_equal(it->sequence, i);
        assert_true(is_whole(it));
        assert_true((uint8_t *)it + item_size(it->n_words) <= r->bytes + r->size);
        ring_release(r, it);
    }
    assert_null(ring_peek(r));
    free_ring(r);
}

/* Over the end of the memory, too. */
static void a_look_takes_nothing(void **state)
{
    struct ring *r = new_ring(1024);
    struct item *open, *it;
    uint64_t at, end;

    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        put(r, 1, 2 * i, (uint32_t)(i % 40));
        open = ring_reserve(r, item_size(1));
        put(r, 1, 2 * i + 1, 1);
        at = ring_oldest(r);
        end = ring_next(r);
        assert_int_equal(((struct item *)ring_look(r, &at, end))->sequence, 2 * i);
        assert_null(ring_look(r, &at, end));
        assert_true(at < end);
        ring_commit(open, item_size(1));
        assert_ptr_equal(ring_look(r, &at, end), open);
        assert_int_equal(((struct item *)ring_look(r, &at, end))->sequence, 2 * i + 1);
        assert_null(ring_look(r, &at, end));
        assert_int_equal(at, end);
        for (int k = 0; k < 3; k++) {
            it = ring_peek(r);
            assert_non_null(it);
            ring_release(r, it);
        }
        assert_int_equal(ring_oldest(r), end);
    }
    free_ring(r);
}

#define PRODUCERS 4
#define EACH 20000

struct producer {
    struct ring *ring;
    uint32_t number;
    uint64_t refused;
};

static void *produce(void *arg)
{
    struct producer *p = arg;

    for (uint64_t i = 0; i < EACH; i++)
        p->refused += !put(p->ring, p->number, i, (uint32_t)(i * 7 % 50));
    return NULL;
}

static void many_producers_keep_their_order(void **state)
{
    struct ring *r = new_ring(64 * 1024);
    struct producer p[PRODUCERS];
    pthread_t threads[PRODUCERS];
    uint64_t next[PRODUCERS] = {0}, seen = 0, refused = 0;
    struct item *it;
    bool is_idle = false;

    (void)state;
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        p[i] = (struct producer){r, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &p[i]), 0);
    }
    for (uint32_t joined = 0; joined < PRODUCERS || !is_idle;) {
        is_idle = true;
        while ((it = ring_peek(r)) != NULL) {
            is_idle = false;
            assert_true(it->producer < PRODUCERS);
            assert_true(it->sequence >= next[it->producer]); /* refused ones are missing */
            assert_true(is_whole(it));
            next[it->producer] = it->sequence + 1;
            seen++;
            ring_release(r, it);
        }
        if (joined < PRODUCERS && pthread_tryjoin_np(threads[joined], NULL) == 0) {
            joined++;
            is_idle = false;
        }
    }
    for (uint32_t i = 0; i < PRODUCERS; i++)
        refused += p[i].refused;
    assert_int_equal(seen + refused, PRODUCERS * EACH);
    free_ring(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_ring_refuses_and_loses_nothing),
        cmocka_unit_test(more_than_half_a_ring_is_refused),
        cmocka_unit_test(an_unfinished_record_holds_up_those_behind),
        cmocka_unit_test(records_never_wrap),
        cmocka_unit_test(a_look_takes_nothing),
        cmocka_unit_test(many_producers_keep_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
