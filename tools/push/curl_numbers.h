/*
 * curl_numbers.h - the numbers of libcurl's interface that http.c needs. They are a part of the
 * binary interface of libcurl.so.4 and never change, so jfrkit is built without libcurl's headers;
 * test/curl_numbers_test.c compares them with the headers where these are installed.
 */
#ifndef TOOLS_PUSH_CURL_NUMBERS_H
#define TOOLS_PUSH_CURL_NUMBERS_H

enum {
    NUMBER_GLOBAL_DEFAULT = 3,
    NUMBER_WRITEDATA = 10001,
    NUMBER_URL = 10002,
    NUMBER_READDATA = 10009,
    NUMBER_ERRORBUFFER = 10010,
    NUMBER_WRITEFUNCTION = 20011,
    NUMBER_READFUNCTION = 20012,
    NUMBER_USERAGENT = 10018,
    NUMBER_HTTPHEADER = 10023,
    NUMBER_CUSTOMREQUEST = 10036,
    NUMBER_UPLOAD = 46,
    NUMBER_CAINFO = 10065,
    NUMBER_NOSIGNAL = 99,
    NUMBER_INFILESIZE_LARGE = 30115,
    NUMBER_TIMEOUT_MS = 155,
    NUMBER_CONNECTTIMEOUT_MS = 156,
    NUMBER_SEEKDATA = 10168,
    NUMBER_SEEKFUNCTION = 20167,
    NUMBER_PROTOCOLS = 181,
    NUMBER_MIMEPOST = 10269,
    NUMBER_HTTP_AND_HTTPS = 3, /* of NUMBER_PROTOCOLS */
    NUMBER_ERROR_BUFFER = 256, /* bytes */
    NUMBER_RESPONSE_CODE = 0x200002, /* argument of curl_easy_getinfo() */
    NUMBER_RETRY_AFTER = 0x600039,
    NUMBER_OK = 0, /* results */
    NUMBER_URL_MALFORMAT = 3,
    NUMBER_OUT_OF_MEMORY = 27,
};

#endif
