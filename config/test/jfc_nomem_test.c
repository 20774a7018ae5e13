/*
 * Every allocation fails once, and all behind it: those of config/ (the linker puts our functions
 * in place of malloc() and its like) and those of libxml2 (which asks us by its own hook).
 */
#include "config/jfc_testing.h"

#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <stdlib.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static long calls, fails_at; /* the number of the first call that fails; 0: none */
static long in_libxml; /* blocks */

static bool fails(void)
{
    return ++calls >= fails_at && fails_at != 0;
}

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}

static void *xml_malloc(size_t n)
{
    void *p = fails() ? NULL : __real_malloc(n);

    in_libxml += p != NULL;
    return p;
}

static void *xml_realloc(void *old, size_t n)
{
    void *p = fails() ? NULL : __real_realloc(old, n);

    in_libxml += p != NULL && old == NULL;
    return p;
}

static char *xml_strdup(const char *s)
{
    char *p = fails() ? NULL : __real_strdup(s);

    in_libxml += p != NULL;
    return p;
}

static void xml_free(void *p)
{
    in_libxml -= p != NULL;
    free(p);
}

static const char sample[] =
    "<configuration version=\"2.0\" label=\"a &amp; b\" provider=\"p\">\n"
    "<event name=\"jdk.FileRead\" withContext=\"true\">\n"
    "<setting name=\"enabled\">false</setting><setting name=\"enabled\">true</setting></event>\n"
    "<event name=\"jdk.FileReed\"><setting name=\"period\">1 us</setting></event></configuration>";

/* What a caller does: 0, or the code of what failed. *warnings: how many were kept. */
static int use(size_t *warnings)
{
    struct jfc_error err = {0};
    struct jfc *c = jfc_new();
    int rc;

    if (c == NULL)
        return JFC_E_NOMEM;
    rc = jfc_read_memory(c, "f.jfc", sample, sizeof(sample) - 1, &err);
    if (rc == 0)
        rc = jfc_override(c, "jdk.FileRead#enabled=false", "-s", &err);
    if (rc == 0)
        rc = jfc_override(c, "+jdk.FileWrite#enabled=false", "-s", &err);
    assert_int_equal(rc, err.code);
    if (rc != 0)
        assert_string_equal(err.text, "out of memory");
    jfc_warnings(c, warnings);
    jfc_free(c);
    return rc;
}

/* Only a warning may get lost without anybody being told. */
static void every_allocation_may_fail(void **state)
{
    size_t all, kept;
    long before, n;

    (void)state;
    assert_int_equal(use(&all), 0); /* what libxml2 allocates once for all is there now */
    assert_int_equal(all, 3);
    calls = 0;
    before = in_libxml;
    assert_int_equal(use(&all), 0);
    assert_int_equal(in_libxml, before);
    n = calls;
    assert_true(n > 40);
    for (long k = 1; k <= n; k++) {
        int rc;

        kept = 0;
        calls = 0;
        fails_at = k;
        rc = use(&kept);
        fails_at = 0;
        xmlResetLastError();
        assert_int_equal(in_libxml, before);
        assert_true(calls >= k);
        if (rc == 0)
            assert_true(kept < all);
        else
            assert_int_equal(rc, JFC_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};

    xmlMemSetup(xml_free, xml_malloc, xml_realloc, xml_strdup);
    return cmocka_run_group_tests_name("jfc: out of memory", tests, NULL, NULL);
}
