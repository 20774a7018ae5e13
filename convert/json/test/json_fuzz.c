#include "convert/test/json_testing.h"

#include <assert.h>

/* Every layout of any bytes is well-formed, however damaged they are. */
static void print(const char *layout, const char *compat, const uint8_t *bytes, size_t n)
{
    static const struct select_spec everything = {.all_keys = true};
    struct json_options opt = json_options_default(layout);
    struct jfr_error err = {0};
    struct select *select = select_new(&everything, &err);
    struct buf text = {0};
    int rc;

    opt.style.text_max = 4096;
    assert(json_options_compat(&opt, compat));
    rc = json_print(&opt, select, bytes, n, &text);
    assert(rc >= 0 && buf_ok(&text));
    assert(json_is_valid(&text, strcmp(layout, "ndjson") == 0));
    buf_free(&text);
    select_free(select);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    print("jdk", "25", bytes, n);
    print("ndjson", "own", bytes, n);
    print("columns", "own", bytes, n);
    print("stacktable", "17", bytes, n);
    print("trace", "own", bytes, n);
    return 0;
}
