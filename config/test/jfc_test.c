/* What .jfc files mean, which are refused and why, and what overrides do. */
#include "config/jfc.h"
#include "config/jfc_testing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* clang-format off */
struct row {
    const char *name;
    const char *text;
    const char *want; /* "event#setting=value;..." in order, or what the message must contain */
    unsigned line; /* of the error; 0: the file is read */
    const char *warning; /* what the first warning must contain; NULL: there is none */
};

#define READ EVENT("jdk.FileRead", SET("enabled", "true") SET("threshold", "0 ms"))
#define READ_IS "jdk.FileRead#enabled=true;jdk.FileRead#threshold=0 ms;"
#define VALUE(event, setting, value) CONF(EVENT(event, SET(setting, value)))
#define X VALUE("jdk.X", "a", "b")

static const struct row shapes[] = {
    {"settings of an event", CONF(READ), READ_IS},
    {"no event at all", CONF(""), ""},
    {"empty element", "<configuration version='2.0'/>", ""},
    {"byte order mark", "\xef\xbb\xbf" CONF(READ), READ_IS},
    {"version 2.1", "<configuration version=\"2.1\">" READ "</configuration>", READ_IS},
    {"no label", "<configuration version=\"2.0\">" READ "</configuration>", READ_IS},
    {"names of elements in any case", "<Configuration version='2.0'><EVENT name='jdk.FileRead'>"
     "<Setting name='enabled'>true</Setting></EVENT></Configuration>", "jdk.FileRead#enabled=true;"},
    {"inside a category", CONF("<category label='c'><category label='d'>" READ "</category></category>"), READ_IS},
    {"names of JDK 9", VALUE("com.oracle.jdk.FileRead", "enabled", "true"), "jdk.FileRead#enabled=true;"},
    {"blanks around a value", VALUE("jdk.FileRead", "enabled", " \n\ttrue\r\n "), "jdk.FileRead#enabled=true;"},
    {"blanks inside a value", VALUE("a.B", "x", "a  b"), "a.B#x=a  b;"},
    {"empty value", VALUE("jdk.MethodTrace", "filter", ""), "jdk.MethodTrace#filter=;"},
    {"references", VALUE("a.B", "x", "&lt;&#50;&amp;&quot;&#x20ac;"), "a.B#x=<2&\"\xe2\x82\xac;"},
    {"CDATA", VALUE("a.B", "x", "1<![CDATA[<2>]]>3"), "a.B#x=1<2>3;"},
    {"comment in a value", VALUE("a.B", "x", "1<!-- no -->3"), "a.B#x=13;"},
    {"comment before and behind", "<!-- a -->" CONF(READ) "<!-- b -->\n", READ_IS},
    {"unknown attributes", "<configuration version='2.0' xmlns:k='urn:k' contexts='c'><event k:withContext='true' path='p' "
     "name='jdk.FileRead'><setting name='enabled' control='c' label='l'>true</setting></event></configuration>", "jdk.FileRead#enabled=true;"},
    {"controls are skipped", CONF(READ "<control><flag name='f' label='f'>true</flag><condition name='a' true='true'>"
     "<or><test name='a' operator='equal' value='true'/><event/><setting/></or></condition></control>"), READ_IS},
    {"unknown element", CONF("<context name='c'/><context name='d'/>" READ), READ_IS, 0, "<context> is not known"},
    {"text between elements", CONF("hello" READ), READ_IS, 0, "text outside <setting>"},
    {"same value twice", CONF(READ READ), READ_IS},
    {"the later value counts", CONF(READ EVENT("jdk.FileRead", SET("threshold", "5 ms"))),
     "jdk.FileRead#enabled=true;jdk.FileRead#threshold=5 ms;", 0, "set twice, '0 ms' in line 1 is not used"},
    {"twice in one event", CONF(EVENT("jdk.FileRead", SET("enabled", "false") SET("enabled", "true"))), "jdk.FileRead#enabled=true;", 0, "set twice"},
    {"withContext as attribute", CONF("<event name='jdk.FileRead' withContext=' true '>" SET("enabled", "true") "</event>"),
     "jdk.FileRead#withContext=true;jdk.FileRead#enabled=true;"},
    {"withContext as setting", VALUE("jdk.FileRead", "withContext", "true"), "jdk.FileRead#withContext=true;"},
    {"the setting beats the attribute", CONF("<event withContext='true' name='jdk.FileRead'>" SET("withContext", "false") "</event>"),
     "jdk.FileRead#withContext=false;", 0, "set twice"},
    {"declared context", CONF(EVENT("jfrkit.TracerContext", SET("contextName", "tracer-context") SET("attributes", "user;file") SET("emit", "used"))),
     "jfrkit.TracerContext#contextName=tracer-context;jfrkit.TracerContext#attributes=user;file;jfrkit.TracerContext#emit=used;"},
    {"letters of other alphabets", VALUE("org.M\xc3\xbcller", "\xc3\xa9tat", "\xc3\xa0"), "org.M\xc3\xbcller#\xc3\xa9tat=\xc3\xa0;"},
    {"declared encoding does not matter", "<?xml version='1.0' encoding='ISO-8859-1'?>" CONF(READ), READ_IS},
};

static const struct row refused[] = {
    {"empty file", "", "empty", 1},
    {"blanks only", " \n ", "", 1},
    {"no XML", "hello", "", 1},
    {"other root", "<?xml version='1.0'?>\n<html/>", "<html> is not <configuration>", 2},
    {"no version", "<configuration label='x'/>", "has no version; 2.x", 1},
    {"version 1.0", "<configuration version='1.0'/>", "version '1.0' is not supported, only 2.x", 1},
    {"version 3.0", "<configuration version='3.0'/>", "'3.0'", 1},
    {"version 2", "<configuration version='2'/>", "'2'", 1},
    {"version 2.", "<configuration version='2.'/>", "'2.'", 1},
    {"version 2.0abc", "<configuration version='2.0abc'/>", "'2.0abc'", 1},
    {"DOCTYPE alone", "<!DOCTYPE configuration>\n" X, "DOCTYPE", 1},
    {"internal entity", "\n<!DOCTYPE c [<!ENTITY e '0 ms'>]>" VALUE("jdk.FileRead", "threshold", "&e;"), "DOCTYPE", 2},
    {"billion laughs", "<!DOCTYPE c [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
     "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>]>" VALUE("a.B", "x", "&d;"), "DOCTYPE", 1},
    {"external entity", "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" VALUE("a.B", "x", "&x;"), "DOCTYPE", 1},
    {"external DTD", "<!DOCTYPE c SYSTEM 'http://127.0.0.1:9/x.dtd'>" X, "DOCTYPE", 1},
    {"parameter entity", "<!DOCTYPE c [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>" X, "DOCTYPE", 1},
    {"undefined entity", VALUE("a.B", "x", "&foo;"), "foo", 1},
    {"undefined entity in an attribute", CONF("<event name='&foo;'/>"), "foo", 1},
    {"reference to NUL", VALUE("a.B", "x", "&#0;"), "", 1},
    {"reference beyond Unicode", VALUE("a.B", "x", "&#x110000;"), "", 1},
    {"reference to a surrogate", VALUE("a.B", "x", "&#xD800;"), "", 1},
    {"control character", VALUE("a.B", "x", "a\x01z"), "XML does not allow", 1},
    {"not UTF-8 in a value", "<configuration version='2.0'>\n" EVENT("a.B", SET("x", "\xff")) "</configuration>", "UTF-8", 2},
    {"not UTF-8 in a name", VALUE("a.\xc3\x28", "x", "1"), "", 1},
    {"Latin-1 that says so", "<?xml version='1.0' encoding='ISO-8859-1'?>" VALUE("a.B", "x", "\xe9"), "UTF-8", 1},
    {"overlong UTF-8", VALUE("a.B", "x", "\xc0\xbc"), "UTF-8", 1},
    {"UTF-8 of a surrogate", VALUE("a.B", "x", "\xed\xa0\x80"), "", 1},
    {"processing instruction", CONF("\n<?php x?>"), "<?php ...?> is not allowed", 2},
    {"instruction before the root", "<?xml-stylesheet href='x'?>" X, "xml-stylesheet", 1},
    {"unclosed element", "<configuration version='2.0'>\n<event name='a.B'>\n", "", 2},
    {"end tag of another", "<configuration version='2.0'>\n<event name='a.B'></setting></configuration>", "event line 2 and setting", 2},
    {"text behind the root", X "x", "", 1},
    {"two roots", X X, "", 1},
    {"attribute without quotes", CONF("<event name=a/>"), "", 1},
    {"attribute twice", CONF("<event name='a.B' name='a.C'/>"), "", 1},
    {"no blank between attributes", CONF("<event name='a.B'label='a.C'/>"), "", 1},
    {"two dashes in a comment", CONF("<!-- a -- b -->"), "", 1},
    {"undeclared prefix", CONF("<event k:x='1' name='a.B'/>"), "", 1},
    {"event without a name", CONF("<event/>"), "<event> has no name", 1},
    {"event with an empty name", VALUE("", "x", "1"), "is empty", 1},
    {"blank in a name", VALUE("a b", "x", "1"), "'a b' of <event> has a character", 1},
    {"hash in a name", VALUE("a#b", "x", "1"), "has a character", 1},
    {"setting without a name", CONF(EVENT("a.B", "\n<setting>1</setting>")), "<setting> has no name", 2},
    {"setting outside an event", CONF(SET("x", "1")), "outside an <event>", 1},
    {"setting inside another", CONF(EVENT("a.B", "<setting name='x'>1" SET("y", "2") "</setting>")), "inside <setting name=\"x\">", 1},
    {"event inside an event", CONF(EVENT("a.B", EVENT("a.C", ""))), "inside <event name=\"a.B\">", 1},
    {"event deeper inside an event", CONF(EVENT("a.B", "<x>" EVENT("a.C", "") "</x>")), "inside <event name=\"a.B\">", 1},
    {"configuration inside", CONF("<configuration version='2.0'/>"), "inside another", 1},
};

static const struct row values[] = {
    {"20 ms", VALUE("jdk.FileRead", "threshold", "20 ms"), "jdk.FileRead#threshold=20 ms;"},
    {"20ms", VALUE("jdk.FileRead", "threshold", "20ms"), "jdk.FileRead#threshold=20ms;"},
    {"all units", CONF(EVENT("jdk.A", SET("threshold", "1 us") SET("period", "7 d") SET("cutoff", "1 h")) EVENT("a.B", SET("period", "3m"))),
     "jdk.A#threshold=1 us;jdk.A#period=7 d;jdk.A#cutoff=1 h;a.B#period=3m;", 0, "event 'jdk.A' is not known"},
    {"infinity", VALUE("jdk.OldObjectSample", "cutoff", "infinity"), "jdk.OldObjectSample#cutoff=infinity;"},
    {"largest", VALUE("a.B", "threshold", "9223372036854775807 ns"), "a.B#threshold=9223372036854775807 ns;"},
    {"too large", VALUE("a.B", "threshold", "9223372036854775808 ns"), "out of range", 1},
    {"too large with its unit", VALUE("a.B", "threshold", "106752 d"), "out of range", 1},
    {"twenty digits", VALUE("a.B", "threshold", "99999999999999999999 ms"), "out of range", 1},
    {"negative", VALUE("a.B", "threshold", "-5 ms"), "a.B#threshold: '-5 ms' must not be negative", 1},
    {"plus sign", VALUE("a.B", "threshold", "+5 ms"), "not a number", 1},
    {"fraction", VALUE("a.B", "threshold", "0.5 ms"), "whole number", 1},
    {"hexadecimal", VALUE("a.B", "threshold", "0x10 ms"), "unknown unit", 1},
    {"exponent", VALUE("a.B", "threshold", "1e3 ms"), "unknown unit", 1},
    {"not a number", VALUE("a.B", "threshold", "NaN ms"), "not a number", 1},
    {"no unit", VALUE("a.B", "period", "10"), "lacks a unit", 1},
    {"zero without unit", VALUE("a.B", "period", "0"), "lacks a unit", 1},
    {"unknown unit", VALUE("a.B", "period", "10 parsec"), "unknown unit", 1},
    {"unit in capitals", VALUE("a.B", "period", "10 MS"), "unknown unit", 1},
    {"Arabic digits", VALUE("a.B", "period", "\xd9\xa3 ms"), "not a number", 1},
    {"empty duration", VALUE("a.B", "threshold", ""), "not a number", 1},
    {"every chunk", VALUE("a.B", "period", "everyChunk"), "a.B#period=everyChunk;"},
    {"begin of chunk", VALUE("a.B", "period", "beginChunk"), "a.B#period=beginChunk;"},
    {"end of chunk", VALUE("a.B", "period", "endChunk"), "a.B#period=endChunk;"},
    {"threshold is no chunk", VALUE("a.B", "threshold", "everyChunk"), "not a number", 1},
    {"period below a millisecond", VALUE("a.B", "period", "1 ns"), "a.B#period=1 ns;", 0, "shorter than 1 ms"},
    {"period of nothing", VALUE("a.B", "period", "0 ms"), "a.B#period=0 ms;"},
    {"enabled is maybe", VALUE("a.B", "enabled", "maybe"), "a.B#enabled: 'maybe' is neither", 1},
    {"enabled is TRUE", VALUE("a.B", "enabled", "TRUE"), "neither true nor false", 1},
    {"enabled is empty", VALUE("a.B", "enabled", ""), "neither true nor false", 1},
    {"stackTrace is 1", VALUE("a.B", "stackTrace", "1"), "neither true nor false", 1},
    {"withContext is yes", CONF("<event name='a.B' withContext='yes'/>"), "a.B#withContext: 'yes' is neither", 1},
    {"throttle off", VALUE("a.B", "throttle", "off"), "a.B#throttle=off;"},
    {"throttle 0/s", VALUE("a.B", "throttle", "0/s"), "a.B#throttle=0/s;"},
    {"throttle with blanks", VALUE("a.B", "throttle", "300 / m"), "a.B#throttle=300 / m;"},
    {"throttle negative", VALUE("a.B", "throttle", "-1/s"), "negative", 1},
    {"throttle per fortnight", VALUE("a.B", "throttle", "10/fortnight"), "not a rate", 1},
    {"throttle without unit", VALUE("a.B", "throttle", "10/"), "not a rate", 1},
    {"throttle is a duration", VALUE("a.B", "throttle", "10 ms"), "neither 'off' nor a rate", 1},
    {"throttle twice divided", VALUE("a.B", "throttle", "1/s/s"), "not a rate", 1},
    {"CPU time sample per period", VALUE("jdk.CPUTimeSample", "throttle", "10ms"), "jdk.CPUTimeSample#throttle=10ms;"},
    {"CPU time sample per rate", VALUE("jdk.CPUTimeSample", "throttle", "500/s"), "jdk.CPUTimeSample#throttle=500/s;"},
    {"CPU time sample off", VALUE("jdk.CPUTimeSample", "throttle", "off"), "jdk.CPUTimeSample#throttle=off;"},
    {"CPU time sample of nonsense", VALUE("jdk.CPUTimeSample", "throttle", "fast"), "not a number", 1},
    {"free text elsewhere", VALUE("a.B", "mode", "-5 parsec"), "a.B#mode=-5 parsec;"},
};

static const struct row names[] = {
    {"a letter changed", VALUE("jdk.FileReed", "enabled", "true"), "jdk.FileReed#enabled=true;", 0, "event 'jdk.FileReed' is not known, did you mean 'jdk.FileRead'?"},
    {"letters swapped", VALUE("jdk.ScoketRead", "enabled", "true"), "jdk.ScoketRead#enabled=true;", 0, "'jdk.SocketRead'?"},
    {"case", VALUE("jdk.fileread", "enabled", "true"), "jdk.fileread#enabled=true;", 0, "'jdk.FileRead'?"},
    {"case of the prefix", VALUE("JDK.FileRead", "enabled", "true"), "JDK.FileRead#enabled=true;", 0, "'jdk.FileRead'?"},
    {"prefix left out", VALUE("FileRead", "enabled", "true"), "FileRead#enabled=true;", 0, "'jdk.FileRead'?"},
    {"the JDK has no such event", VALUE("jdk.Quux", "enabled", "true"), "jdk.Quux#enabled=true;", 0, "event 'jdk.Quux' is not known"},
    {"an event of JDK 11 only", VALUE("jdk.SafepointWaitBlocked", "enabled", "true"), "jdk.SafepointWaitBlocked#enabled=true;"},
    {"an event of JDK 25 only", VALUE("jdk.MethodTiming", "enabled", "true"), "jdk.MethodTiming#enabled=true;"},
    {"a profiler's", VALUE("profiler.WallClockSample", "enabled", "true"), "profiler.WallClockSample#enabled=true;"},
    {"nearly a profiler's", VALUE("profiler.WallclockSamples", "enabled", "true"), "profiler.WallclockSamples#enabled=true;", 0, "'profiler.WallClockSample'?"},
    {"an application's", VALUE("com.acme.FileReed", "enabled", "true"), "com.acme.FileReed#enabled=true;"},
    {"an application's without package", VALUE("Order", "enabled", "true"), "Order#enabled=true;"},
    {"setting with a letter less", VALUE("jdk.FileRead", "treshold", "1 ms"), "jdk.FileRead#treshold=1 ms;", 0, "setting 'treshold' of jdk.FileRead is not known, did you mean 'threshold'?"},
    {"setting in another case", VALUE("a.B", "stacktrace", "true"), "a.B#stacktrace=true;", 0, "'stackTrace'?"},
    {"setting of nobody", VALUE("jdk.FileRead", "colour", "red"), "jdk.FileRead#colour=red;", 0, "setting 'colour' of jdk.FileRead is not known"},
    {"an application's setting", VALUE("a.B", "colour", "red"), "a.B#colour=red;"},
    {"setting of a context elsewhere", VALUE("jdk.FileRead", "emit", "used"), "jdk.FileRead#emit=used;", 0, "'emit' of jdk.FileRead is not known"},
    {"attribute in another case", CONF("<event name='a.B' withcontext='true'>" SET("enabled", "true") "</event>"), "a.B#enabled=true;", 0, "did you mean 'withContext'?"},
    {"names of any length", VALUE("jdk.Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "enabled", "true"),
     "jdk.Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#enabled=true;", 0, "is not known"},
};

struct override_row {
    const char *name;
    const char *text;
    const char *want; /* the settings, or what the message must contain */
    bool is_refused;
};

static const struct override_row overrides[] = {
    {"replaces", "jdk.FileRead#threshold=5 ms", "jdk.FileRead#enabled=true;jdk.FileRead#threshold=5 ms;"},
    {"trims", "jdk.FileRead#threshold= 5ms ", "jdk.FileRead#enabled=true;jdk.FileRead#threshold=5ms;"},
    {"adds a setting", "+jdk.FileRead#throttle=off", READ_IS "jdk.FileRead#throttle=off;"},
    {"adds an event", "+my.Event#enabled=true", READ_IS "my.Event#enabled=true;"},
    {"adds what is there", "+jdk.FileRead#enabled=false", "jdk.FileRead#enabled=false;jdk.FileRead#threshold=0 ms;"},
    {"empties", "+jdk.MethodTrace#filter=", READ_IS "jdk.MethodTrace#filter=;"},
    {"keeps further signs", "+a.B#x=1=2#3", READ_IS "a.B#x=1=2#3;"},
    {"old names", "+com.oracle.jdk.FileWrite#enabled=true", READ_IS "jdk.FileWrite#enabled=true;"},
    {"unknown setting", "jdk.FileRead#throttle=off", "no jdk.FileRead#throttle is set; '+' before it adds it", true},
    {"setting misspelt", "jdk.FileRead#treshold=1 ms", "did you mean 'threshold'?", true},
    {"event misspelt", "jdk.FileReed#threshold=1 ms", "did you mean 'jdk.FileRead'?", true},
    {"unknown event", "my.Event#enabled=true", "no my.Event#enabled is set; '+'", true},
    {"bad value", "jdk.FileRead#threshold=soon", "jdk.FileRead#threshold: 'soon' is not a number", true},
    {"no value", "jdk.FileRead#threshold", "is not EVENT#SETTING=VALUE", true},
    {"no setting", "gc=high", "'gc=high' is not EVENT#SETTING=VALUE", true},
    {"hash in the value only", "gc=a#b", "is not EVENT#SETTING=VALUE", true},
    {"empty event", "#enabled=true", "name '' is empty", true},
    {"empty setting", "jdk.FileRead#=true", "name '' is empty", true},
    {"wildcard", "jdk.*#enabled=true", "has a character that no name has", true},
    {"nothing", "", "is not EVENT#SETTING=VALUE", true},
    {"plus alone", "+", "is not EVENT#SETTING=VALUE", true},
};
/* clang-format on */

static void file_row(void **state)
{
    const struct row *t = *state;
    struct jfc_error err = {0};
    struct guarded g = guarded_copy(t->text, strlen(t->text), 0);
    struct jfc *c = jfc_new();
    int rc = jfc_read_memory(c, "f.jfc", g.bytes, g.n, &err);
    const struct jfc_warning *w;
    size_t n;

    guarded_free(&g);
    assert_int_equal(rc, err.code);
    if (t->line != 0) {
        assert_int_equal(rc, JFC_E_FORMAT);
        assert_contains(err.text, t->want);
        assert_string_equal(err.file, "f.jfc");
        assert_int_equal(err.line, t->line);
    } else {
        assert_string_equal(err.text, "");
        assert_settings(c, t->want);
        w = jfc_warnings(c, &n);
        assert_int_equal(n, t->warning != NULL);
        if (n != 0)
            assert_contains(w->text, t->warning);
    }
    jfc_free(c);
}

static void override_row(void **state)
{
    const struct override_row *t = *state;
    struct jfc_error err = {0};
    struct jfc *c = read_text(CONF(READ));
    int rc = jfc_override(c, t->text, "-s", &err);
    const struct jfc_setting *s;
    size_t n;

    if (t->is_refused) {
        assert_int_equal(rc, JFC_E_FORMAT);
        assert_contains(err.text, t->want);
        assert_null(err.file);
        assert_settings(c, READ_IS);
    } else {
        assert_string_equal(err.text, "");
        assert_int_equal(rc, 0);
        assert_settings(c, t->want);
        s = jfc_settings(c, &n);
        assert_true(strcmp(s[0].from, "-s") == 0 || strcmp(s[1].from, "-s") == 0 ||
                    strcmp(s[n - 1].from, "-s") == 0);
    }
    jfc_free(c);
}

int main(void)
{
    return run_rows("jfc: shapes", shapes, file_row) + run_rows("jfc: refused", refused, file_row) +
           run_rows("jfc: values", values, file_row) + run_rows("jfc: names", names, file_row) +
           run_rows("jfc: overrides", overrides, override_row);
}
