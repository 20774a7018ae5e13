#include "convert/json/csv_columns.h"
#include "convert/test/json_testing.h"
#include "jfrfmt/test/testing_fuzz.h"

#include <assert.h>

/* The cells of a text that RFC 4180 allows: as many in every line, quotes only around whole cells
 * and doubled inside; guarded ones do not begin as formulas do, but for numbers. */
static void check(const struct buf *text, size_t n_columns, bool is_guarded)
{
    const uint8_t *p = text->p, *end = p + text->n;
    size_t cells = 0;

    while (p < end) {
        bool is_quoted = *p == '"';

        p += is_quoted;
        assert(p < end);
        assert(!is_guarded || *p == '\0' || strchr("=+@\t", *p) == NULL);
        assert(!is_guarded || *p != '-' || (p + 1 < end && p[1] >= '0' && p[1] <= '9'));
        while (p < end && (is_quoted || (*p != ',' && *p != '\r'))) {
            if (*p == '"') {
                assert(is_quoted && p + 1 < end);
                if (p[1] != '"')
                    break;
                p++;
            }
            assert(is_quoted || *p != '\n');
            p++;
        }
        if (is_quoted)
            assert(*p++ == '"');
        cells++;
        assert(p < end && (*p == ',' || (p + 1 < end && p[0] == '\r' && p[1] == '\n')));
        if (*p++ == ',') {
            assert(p < end); /* a cell follows, if an empty one */
            continue;
        }
        p++;
        assert(cells == n_columns);
        cells = 0;
    }
    assert(cells == 0);
}

static void print(const char *list, bool is_guarded, const uint8_t *bytes, size_t n)
{
    static const struct select_spec everything = {0};
    struct csv_columns columns = {.is_guarded = is_guarded};
    struct json_options opt = json_options_default("csv");
    struct jfr_error err = {0};
    struct select *select = select_new(&everything, &err);
    struct buf text = {0};

    assert(csv_columns_add(&columns, list));
    opt.csv = &columns;
    opt.style.text_max = 4096;
    csv_put_header(&columns, &text);
    assert(json_print(&opt, select, bytes, n, &text) >= 0 && buf_ok(&text));
    check(&text, intern_n(&columns.paths), is_guarded);
    buf_free(&text);
    csv_columns_free(&columns);
    select_free(select);
}

/* The events of any bytes are lines of as many cells as there are columns. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    print("event,startTime,duration,eventThread,stackTrace,state,path,objectClass,value,id", false,
          bytes, n);
    print("event,eventThread.javaName,stackTrace.truncated,name,description,x", true, bytes, n);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    (void)seed;
    n = LLVMFuzzerMutate(bytes, n, max);
    mend_chunk(bytes, n);
    return n;
}
