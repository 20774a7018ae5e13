/*
 * jfc_parse.c - the XML of a .jfc file, by libxml2's push parser with handlers of our own: no tree,
 * no entities, no loader. Every callback may be the last one: stop() ends the parsing.
 */
#include "config/jfc_internal.h"
#include "config/jfc_known.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define EVENTS_MAX 4096 /* <event> elements in a file */
#define EVENT_SETTINGS_MAX 64 /* <setting> elements in one */

enum kind {
    KIND_DOCUMENT,
    KIND_CONFIGURATION,
    KIND_EVENT,
    KIND_SETTING,
    KIND_OTHER, /* transparent: <category>, and unknown elements */
    KIND_CONTROL, /* skipped with all that is in it */
};

struct parser {
    struct jfc *c;
    struct jfc_error *err;
    struct jfc_source *source;
    const char *shown; /* the name as the caller gave it */
    xmlParserCtxtPtr xml;
    unsigned depth; /* of the elements that are open */
    unsigned char kinds[JFC_DEPTH_MAX + 1]; /* of those, [0] being the document */
    unsigned n_events, n_settings; /* <event> in the file, <setting> in the event */
    char event[JFC_NAME_MAX + 1], setting[JFC_NAME_MAX + 1];
    unsigned setting_line;
    char text[JFC_TEXT_MAX + 1];
    size_t n_text;
};

static unsigned line_of(const struct parser *p)
{
    int line = xmlSAX2GetLineNumber(p->xml);

    return line < 0 ? 0 : (unsigned)line;
}

static void stop(struct parser *p, enum jfc_errc code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void stop(struct parser *p, enum jfc_errc code, const char *fmt, ...)
{
    char text[sizeof(p->err->text)];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    jfc_fail(p->err, code, p->shown, line_of(p), "%s", text);
    xmlStopParser(p->xml);
}

static enum kind inside(const struct parser *p)
{
    return p->kinds[p->depth];
}

/* SAX2 hands attributes out as fives: name, prefix, namespace, begin and end of the value. */
static const xmlChar **find_attribute(const xmlChar **attributes, int n, const char *name)
{
    for (int i = 0; i < n; i++, attributes += 5)
        if (attributes[1] == NULL && strcmp((const char *)attributes[0], name) == 0)
            return attributes;
    return NULL;
}

/* libxml2 leaves this one reference for its tree builder to resolve. */
static void resolve_ampersands(char *text)
{
    static const char reference[] = "&#38;";
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        *to++ = *from;
        if (strncmp(from, reference, sizeof(reference) - 1) == 0)
            from += sizeof(reference) - 2;
    }
    *to = '\0';
}

/* Copies the attribute, if it is there, into *slot. */
static void keep_attribute(struct parser *p, const xmlChar **attributes, int n, const char *name,
                           const char **slot)
{
    const xmlChar **found = find_attribute(attributes, n, name);

    if (found == NULL)
        return;
    if (found[4] - found[3] > JFC_TEXT_MAX)
        stop(p, JFC_E_LIMIT, "%s of more than %d bytes", name, JFC_TEXT_MAX);
    else if (jfc_copy(slot, (const char *)found[3], (size_t)(found[4] - found[3])) < 0)
        stop(p, JFC_E_NOMEM, "out of memory");
    else
        resolve_ampersands((char *)*slot);
}

/* "2." and digits. */
static bool is_supported(const char *version)
{
    return strncmp(version, "2.", 2) == 0 && version[2] != '\0' &&
           version[2 + strspn(version + 2, "0123456789")] == '\0';
}

static void start_configuration(struct parser *p, const xmlChar **attributes, int n)
{
    struct jfc_source *s = p->source;

    keep_attribute(p, attributes, n, "version", &s->version);
    keep_attribute(p, attributes, n, "label", &s->label);
    keep_attribute(p, attributes, n, "description", &s->description);
    keep_attribute(p, attributes, n, "provider", &s->provider);
    if (s->version == NULL)
        stop(p, JFC_E_FORMAT, "<configuration> has no version; 2.x is supported");
    else if (!is_supported(s->version))
        stop(p, JFC_E_FORMAT, "version '%.40s' is not supported, only 2.x is", s->version);
}

/* Reads the name of an event or setting into room; false when parsing was stopped. */
static bool read_name(struct parser *p, const char *element, const xmlChar **attributes, int n,
                      char *room)
{
    const xmlChar **found = find_attribute(attributes, n, "name");
    const char *name, *wrong;
    size_t length;

    if (found == NULL) {
        stop(p, JFC_E_FORMAT, "<%s> has no name", element);
        return false;
    }
    name = (const char *)found[3];
    length = (size_t)(found[4] - found[3]);
    wrong = jfc_name_wrong(name, length);
    if (wrong != NULL) {
        stop(p, JFC_E_FORMAT, "name '%.*s' of <%s> %s", length > 60 ? 60 : (int)length, name,
             element, wrong);
        return false;
    }
    memcpy(room, name, length);
    room[length] = '\0';
    return true;
}

static void put(struct parser *p, const char *setting, unsigned line)
{
    struct jfc_setting s = {p->event, setting, p->text, p->source->name, line};

    if (jfc_put(p->c, &s, p->err) < 0) {
        p->err->file = p->shown;
        xmlStopParser(p->xml);
    }
}

/* Takes n bytes as the text of a setting. */
static void set_text(struct parser *p, const char *text, size_t n)
{
    text = jfc_trim(text, &n);
    memmove(p->text, text, n);
    p->text[n] = '\0';
    p->n_text = 0;
}

/* withContext="true" is a setting in the shape of an attribute. */
static void read_context(struct parser *p, const xmlChar **attributes, int n)
{
    const xmlChar **found = find_attribute(attributes, n, "withContext");

    for (int i = 0; i < n && found == NULL; i++) {
        const char *name = (const char *)attributes[5 * i];

        if (attributes[5 * i + 1] == NULL && jfc_distance(name, "withContext", 2) <= 2)
            jfc_warn(p->c, p->source->name, line_of(p),
                     "attribute '%.60s' of <event> is not known, did you mean 'withContext'?",
                     name);
    }
    if (found == NULL)
        return;
    if (found[4] - found[3] > JFC_TEXT_MAX) {
        stop(p, JFC_E_LIMIT, "withContext of more than %d bytes", JFC_TEXT_MAX);
        return;
    }
    set_text(p, (const char *)found[3], (size_t)(found[4] - found[3]));
    put(p, "withContext", line_of(p));
}

static void start_event(struct parser *p, const xmlChar **attributes, int n)
{
    if (++p->n_events > EVENTS_MAX) {
        stop(p, JFC_E_LIMIT, "more than %d events", EVENTS_MAX);
        return;
    }
    p->n_settings = 0;
    if (!read_name(p, "event", attributes, n, p->event))
        return;
    jfc_check_event(p->c, p->event, p->source->name, line_of(p));
    read_context(p, attributes, n);
}

static void start_setting(struct parser *p, const xmlChar **attributes, int n)
{
    p->n_text = 0;
    p->setting_line = line_of(p);
    if (++p->n_settings > EVENT_SETTINGS_MAX)
        stop(p, JFC_E_LIMIT, "more than %d settings of %.100s", EVENT_SETTINGS_MAX, p->event);
    else
        read_name(p, "setting", attributes, n, p->setting);
}

static enum kind kind_of(const char *name, const xmlChar *prefix)
{
    static const struct {
        const char *name;
        enum kind kind;
    } kinds[] = {{"configuration", KIND_CONFIGURATION},
                 {"event", KIND_EVENT},
                 {"setting", KIND_SETTING},
                 {"control", KIND_CONTROL}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (prefix == NULL && strcasecmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    return KIND_OTHER;
}

static bool is_open(const struct parser *p, enum kind kind)
{
    for (unsigned i = 1; i <= p->depth; i++)
        if (p->kinds[i] == kind)
            return true;
    return false;
}

/* May an element of this kind stand here? Stops the parser where it may not. */
static bool is_allowed(struct parser *p, enum kind kind, const char *name)
{
    enum kind in = inside(p);

    if (in == KIND_DOCUMENT && kind != KIND_CONFIGURATION)
        stop(p, JFC_E_FORMAT, "<%.60s> is not <configuration>", name);
    else if (in != KIND_DOCUMENT && kind == KIND_CONFIGURATION)
        stop(p, JFC_E_FORMAT, "<configuration> inside another element");
    else if (in == KIND_SETTING)
        stop(p, JFC_E_FORMAT, "<%.60s> inside <setting name=\"%.60s\">", name, p->setting);
    else if (kind == KIND_SETTING && in != KIND_EVENT)
        stop(p, JFC_E_FORMAT, "<setting> outside an <event>");
    else if (kind == KIND_EVENT && is_open(p, KIND_EVENT))
        stop(p, JFC_E_FORMAT, "<event> inside <event name=\"%.100s\">", p->event);
    else
        return true;
    return false;
}

static void enter(struct parser *p, enum kind kind, const char *name, const xmlChar **attributes,
                  int n)
{
    if (!is_allowed(p, kind, name))
        return;
    if (kind == KIND_CONFIGURATION)
        start_configuration(p, attributes, n);
    else if (kind == KIND_EVENT)
        start_event(p, attributes, n);
    else if (kind == KIND_SETTING)
        start_setting(p, attributes, n);
    else if (kind == KIND_OTHER && strcasecmp(name, "category") != 0)
        jfc_warn(p->c, p->source->name, line_of(p), "<%.60s> is not known and not used", name);
}

static void on_start(void *ctx, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct parser *p = ctx;
    const char *name = (const char *)local;
    enum kind kind = inside(p) == KIND_CONTROL ? KIND_CONTROL : kind_of(name, prefix);

    (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    if (p->depth == JFC_DEPTH_MAX) {
        stop(p, JFC_E_LIMIT, "more than %d elements inside each other", JFC_DEPTH_MAX);
        return;
    }
    if (inside(p) != KIND_CONTROL)
        enter(p, kind, name, attributes, n_attributes);
    p->kinds[++p->depth] = (unsigned char)kind;
}

static void on_end(void *ctx, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    struct parser *p = ctx;

    (void)local, (void)prefix, (void)uri;
    if (inside(p) == KIND_SETTING) {
        set_text(p, p->text, p->n_text);
        put(p, p->setting, p->setting_line);
    }
    p->depth--;
}

static void on_text(void *ctx, const xmlChar *text, int n)
{
    struct parser *p = ctx;
    size_t length = (size_t)n;

    if (inside(p) == KIND_SETTING && length > JFC_TEXT_MAX - p->n_text) {
        stop(p, JFC_E_LIMIT, "value of more than %d bytes", JFC_TEXT_MAX);
    } else if (inside(p) == KIND_SETTING) {
        memcpy(p->text + p->n_text, text, length);
        p->n_text += length;
    } else if (inside(p) != KIND_CONTROL) {
        jfc_trim((const char *)text, &length);
        if (length > 0)
            jfc_warn(p->c, p->source->name, line_of(p), "text outside <setting> is not used");
    }
}

static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *public_id,
                       const xmlChar *system_id)
{
    (void)name, (void)public_id, (void)system_id;
    stop(ctx, JFC_E_FORMAT, "DOCTYPE is not allowed");
}

static void on_instruction(void *ctx, const xmlChar *target, const xmlChar *data)
{
    (void)data;
    stop(ctx, JFC_E_FORMAT, "processing instruction <?%.60s ...?> is not allowed",
         (const char *)target);
}

#if LIBXML_VERSION >= 21200
#define XML_ERROR const xmlError
#else
#define XML_ERROR xmlError
#endif

/* In the words of libxml2, but for two that would puzzle. */
static void on_error(void *ctx, XML_ERROR *e)
{
    struct parser *p = ctx;
    const char *message = e->message == NULL ? "not well-formed" : e->message;

    if (e->level < XML_ERR_ERROR || p->err->code != 0)
        return;
    if (e->code == XML_ERR_NO_MEMORY)
        message = "out of memory";
    else if (e->code == XML_ERR_INVALID_ENCODING || e->code == XML_ERR_INVALID_CHAR)
        message = "not UTF-8, or a character that XML does not allow";
    jfc_fail(p->err, e->code == XML_ERR_NO_MEMORY ? JFC_E_NOMEM : JFC_E_FORMAT, p->shown,
             e->line < 0 ? 0 : (unsigned)e->line, "%.*s", (int)strcspn(message, "\n"), message);
    xmlStopParser(p->xml);
}

/* Lack of memory is said on standard error where there is no parser yet to say it to. */
static void ignore_error(void *ctx, XML_ERROR *e)
{
    (void)ctx, (void)e;
}

/* What libxml2 would take for another encoding, or end a string at. */
static const char *encoding_wrong(const char *bytes, size_t n, unsigned *line)
{
    const char *nul = n == 0 ? NULL : memchr(bytes, '\0', n);

    *line = 1;
    if (n == 0)
        return "the file is empty";
    if (n >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return "the file is in UTF-16 or UTF-32, only UTF-8 is read";
    if (n >= 4 && nul != NULL && nul < bytes + 4)
        return "the file is in UTF-16 or UTF-32, or not XML; only UTF-8 is read";
    for (const char *p = bytes; nul != NULL && p < nul; p++)
        *line += *p == '\n';
    return nul == NULL ? NULL : "NUL byte";
}

static void begin_libxml(void)
{
    xmlInitParser(); /* not reentrant in older releases */
}

static int parse(struct parser *p, const char *bytes, size_t n)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .internalSubset = on_doctype,
                             .startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text, /* CDATA too */
                             .processingInstruction = on_instruction,
                             .serror = on_error};
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC;
    int rc;

#if LIBXML_VERSION >= 21300
    options |= XML_PARSE_NO_XXE;
#endif
    p->xml = xmlCreatePushParserCtxt(&handler, p, NULL, 0, NULL);
    if (p->xml == NULL)
        return jfc_fail(p->err, JFC_E_NOMEM, p->shown, 0, "out of memory");
    xmlCtxtUseOptions(p->xml, options);
    rc = xmlParseChunk(p->xml, bytes, (int)n, 1);
    if (p->err->code == 0 && (rc != 0 || !p->xml->wellFormed))
        jfc_fail(p->err, rc == XML_ERR_NO_MEMORY ? JFC_E_NOMEM : JFC_E_FORMAT, p->shown, line_of(p),
                 rc == XML_ERR_NO_MEMORY ? "out of memory" : "not well-formed");
    xmlFreeParserCtxt(p->xml);
    return p->err->code;
}

/* The handler is the calling thread's own. */
static int parse_quietly(struct parser *p, const char *bytes, size_t n)
{
    xmlStructuredErrorFunc before = xmlStructuredError;
    void *before_ctx = xmlStructuredErrorContext;
    int rc;

    xmlSetStructuredErrorFunc(NULL, ignore_error);
    rc = parse(p, bytes, n);
    xmlSetStructuredErrorFunc(before_ctx, before);
    return rc;
}

int jfc_read_memory(struct jfc *c, const char *name, const void *bytes, size_t n,
                    struct jfc_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct parser p = {.c = c, .err = err, .shown = name};
    const char *wrong;
    unsigned line;

    if (n > JFC_FILE_MAX)
        return jfc_fail(err, JFC_E_LIMIT, name, 0, "more than %zu bytes", JFC_FILE_MAX);
    wrong = encoding_wrong(bytes, n, &line);
    if (wrong != NULL)
        return jfc_fail(err, JFC_E_FORMAT, name, line, "%s", wrong);
    p.source = jfc_add_source(c, name);
    if (p.source == NULL)
        return jfc_fail(err, JFC_E_NOMEM, name, 0, "out of memory");
    pthread_once(&once, begin_libxml);
    return parse_quietly(&p, bytes, n);
}
