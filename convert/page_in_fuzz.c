#include "convert/page_in.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int drop_all(struct out *o)
{
    buf_reset(&o->b);
    return 0;
}

/* Any bytes behind the beginning of a page are read to the end or refused. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char begin[] = "<!doctype html>\n<html lang=\"en\">";
    uint8_t *page = malloc(sizeof(begin) + n);
    struct out out = {.drain = drop_all};
    struct jfr_error err = {0};
    int rc;

    memcpy(page, begin, sizeof(begin) - 1);
    if (n > 0)
        memcpy(page + sizeof(begin) - 1, bytes, n);
    rc = page_in_stacks(page, sizeof(begin) - 1 + n, &out, &err);
    assert((rc == 0) == (err.code == 0));
    out_free(&out);
    free(page);
    return 0;
}
