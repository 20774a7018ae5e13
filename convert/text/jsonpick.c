#include "convert/text/jsonpick.h"

#include "jfrfmt/base/utf8.h"

/* Behind the string that begins at `at`. */
static size_t string_end(struct json_text t, size_t at)
{
    for (at++; at < t.n && t.p[at] != '"'; at++)
        if (t.p[at] == '\\')
            at++;
    return at < t.n ? at + 1 : t.n;
}

/* Behind the value that begins at `at`. */
static size_t value_end(struct json_text t, size_t at)
{
    size_t depth = 0;

    while (at < t.n) {
        char c = t.p[at];

        if (c == '"') {
            at = string_end(t, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']' || c == ',') {
            if (depth == 0)
                return at;
            depth -= c != ',';
            at++;
        } else {
            at++;
        }
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            return at;
    }
    return t.n;
}

bool jsonpick_next(struct json_text whole, size_t *at, struct json_text *name,
                   struct json_text *value)
{
    bool is_object = jsonpick_is(whole, '{');
    size_t start = *at + 1, end; /* behind the bracket, or the comma */

    if ((!is_object && !jsonpick_is(whole, '[')) || start >= whole.n ||
        whole.p[start] == (is_object ? '}' : ']') || (*at > 0 && whole.p[*at] != ','))
        return false;
    if (is_object) {
        end = string_end(whole, start);
        if (name != NULL)
            *name = (struct json_text){whole.p + start, end - start};
        start = end + 1; /* the colon */
    }
    if (start > whole.n)
        return false;
    end = value_end(whole, start);
    *value = (struct json_text){whole.p + start, end - start};
    *at = end;
    return true;
}

bool jsonpick_path(struct json_text object, const char *path, struct json_text *value)
{
    struct json_text name, inner;
    size_t at = 0;

    while (jsonpick_is(object, '{') && jsonpick_next(object, &at, &name, &inner)) {
        size_t n = name.n < 2 ? 0 : name.n - 2;

        if (strncmp(path, name.p + 1, n) != 0)
            continue;
        *value = inner;
        if (path[n] == '\0' || (path[n] == '.' && jsonpick_path(inner, path + n + 1, value)))
            return true;
    }
    return false;
}

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;

    for (int i = 0; i < 4; i++)
        v = v << 4 | (uint32_t)((p[i] & 0xf) + (p[i] >= 'A' ? 9 : 0));
    return v;
}

static void put_escape(const char *p, const char *end, size_t *used, struct buf *b)
{
    static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    const char *at = strchr(letters, *p);
    uint32_t cp;

    *used = 1;
    if (*p != 'u' || end - p < 5) {
        buf_byte(b, (uint8_t)(at != NULL && *p != '\0' ? bytes[at - letters] : *p));
        return;
    }
    cp = hex4(p + 1);
    *used = 5;
    if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 11 && p[5] == '\\' && p[6] == 'u') {
        cp = 0x10000 + ((cp - 0xd800) << 10) + ((hex4(p + 7) - 0xdc00) & 0x3ff);
        *used = 11;
    }
    if (buf_reserve(b, 4))
        b->n += utf8_put(b->p + b->n, cp);
}

void jsonpick_text(struct json_text value, struct buf *b)
{
    const char *p = value.p + 1, *end = value.p + value.n - 1;

    if (!jsonpick_is(value, '"')) {
        if (value.n != 4 || memcmp(value.p, "null", 4) != 0)
            buf_bytes(b, value.p, value.n);
        return;
    }
    while (p < end) {
        const char *from = p;
        size_t used;

        while (p < end && *p != '\\')
            p++;
        buf_bytes(b, from, (size_t)(p - from));
        if (p + 1 >= end)
            break;
        put_escape(p + 1, end, &used, b);
        p += 1 + used;
    }
}
