#include "recorder/settings/jdk_types.h"

#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>

static char dir[] = "/tmp/jdk_types.XXXXXX";
static char path[64];

static void every_type_is_found_under_its_name(void **state)
{
    (void)state;
    for (int e = 0; e < EV_N; e++) {
        assert_non_null(jdk_type((enum event)e)->name);
        assert_int_equal(jdk_type_find(jdk_type((enum event)e)->name), e);
    }
    assert_int_equal(jdk_type_find("jdk.NoSuchEvent"), EV_N);
    assert_int_equal(jdk_type_find("CPULoad"), EV_N);
}

static void all_types_are_declared_and_have_ids_of_their_own(void **state)
{
    struct jfr_error err = {0};
    struct jfr_writer *w = jfr_writer_open(path, NULL, &err);
    int64_t ids[EV_N];

    (void)state;
    assert_non_null(w);
    if (jdk_types_declare(w, ids, NULL) != 0)
        fail_msg("%s", jfr_writer_error(w)->text);
    for (int e = 0; e < EV_N; e++) {
        assert_true(ids[e] > 0);
        for (int other = 0; other < e; other++)
            assert_int_not_equal(ids[e], ids[other]);
    }
    assert_int_equal(jdk_types_declare(w, ids, NULL), 0); /* a second time is no harm */
    jfr_event_begin(w, ids[EV_PHYSICAL_MEMORY], jfr_writer_now());
    jfr_put_long(w, 2);
    jfr_put_long(w, 1);
    assert_int_equal(jfr_event_end(w), 0);
    assert_int_equal(jfr_writer_close(w, &err), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_found_under_its_name),
        cmocka_unit_test(all_types_are_declared_and_have_ids_of_their_own),
    };
    int rc;

    if (mkdtemp(dir) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/types.jfr", dir);
    if (argc == 2) /* for jdk_types_test.sh: the recording is kept there */
        snprintf(path, sizeof(path), "%s", argv[1]);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    if (argc != 2)
        unlink(path);
    rmdir(dir);
    return rc;
}
