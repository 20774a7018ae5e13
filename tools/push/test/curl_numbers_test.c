/* The numbers of libcurl's interface that we write down are those of its headers. */
#include "tools/push/curl_numbers.h"

#include "jfrfmt/test/testing.h"

#if defined(__has_include) && __has_include(<curl/curl.h>)
#include <curl/curl.h>

static void numbers_are_those_of_the_headers(void **state)
{
    static const struct {
        long ours, theirs;
    } pairs[] = {
        {NUMBER_GLOBAL_DEFAULT, CURL_GLOBAL_DEFAULT},
        {NUMBER_WRITEDATA, CURLOPT_WRITEDATA},
        {NUMBER_URL, CURLOPT_URL},
        {NUMBER_READDATA, CURLOPT_READDATA},
        {NUMBER_ERRORBUFFER, CURLOPT_ERRORBUFFER},
        {NUMBER_WRITEFUNCTION, CURLOPT_WRITEFUNCTION},
        {NUMBER_READFUNCTION, CURLOPT_READFUNCTION},
        {NUMBER_USERAGENT, CURLOPT_USERAGENT},
        {NUMBER_HTTPHEADER, CURLOPT_HTTPHEADER},
        {NUMBER_CUSTOMREQUEST, CURLOPT_CUSTOMREQUEST},
        {NUMBER_UPLOAD, CURLOPT_UPLOAD},
        {NUMBER_CAINFO, CURLOPT_CAINFO},
        {NUMBER_NOSIGNAL, CURLOPT_NOSIGNAL},
        {NUMBER_INFILESIZE_LARGE, CURLOPT_INFILESIZE_LARGE},
        {NUMBER_TIMEOUT_MS, CURLOPT_TIMEOUT_MS},
        {NUMBER_CONNECTTIMEOUT_MS, CURLOPT_CONNECTTIMEOUT_MS},
        {NUMBER_SEEKDATA, CURLOPT_SEEKDATA},
        {NUMBER_SEEKFUNCTION, CURLOPT_SEEKFUNCTION},
        {NUMBER_PROTOCOLS, 181}, /* deprecated in newer headers */
        {NUMBER_MIMEPOST, CURLOPT_MIMEPOST},
        {NUMBER_HTTP_AND_HTTPS, CURLPROTO_HTTP | CURLPROTO_HTTPS},
        {NUMBER_ERROR_BUFFER, CURL_ERROR_SIZE},
        {NUMBER_RESPONSE_CODE, CURLINFO_RESPONSE_CODE},
        {NUMBER_RETRY_AFTER, CURLINFO_RETRY_AFTER},
        {NUMBER_OK, CURLE_OK},
        {NUMBER_URL_MALFORMAT, CURLE_URL_MALFORMAT},
        {NUMBER_OUT_OF_MEMORY, CURLE_OUT_OF_MEMORY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_int_equal(pairs[i].ours, pairs[i].theirs);
    assert_int_equal(sizeof(curl_off_t), sizeof(int64_t));
    assert_int_equal(CURL_READFUNC_ABORT, 0x10000000);
}
#else
static void numbers_are_those_of_the_headers(void **state)
{
    (void)state;
    skip(); /* no curl/curl.h */
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_the_headers)};

    return cmocka_run_group_tests_name("numbers of libcurl", tests, NULL, NULL);
}
