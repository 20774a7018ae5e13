#!/bin/bash
# jfrmeta against `jfr metadata` of JDK 17 and 25, on ours and others' recordings (those of sample_lib.sh;
# SOAK=1: all); its JSON against its text; its page in a browser.
set -u
B=${B:-build}
shared=${SHARED:-../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# verdict NAME: $work/diff is empty
verdict() {
    if [ -s "$work/diff" ]; then
        echo "not ok $1"
        sed "s/^/    /" "$work/diff" | head -20
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/diff"
}

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh

collect() {
    local f

    mkdir -p "$work/in"
    own_recordings | xargs -I{} cp {} "$work/in/"
    for f in $(sample) \
        "$shared"/edge-cases/{base,ultra_min,fields_differ,typeids,units,reference_full}.jfr; do
        case $f in
        *'*'*) ;;
        *.gz) gunzip -c "$f" >"$work/in/$(basename "$f" .gz)" ;;
        *) [ ! -e "$f" ] || cp "$f" "$work/in/" ;;
        esac
    done
}

record() {
    cat >"$work/Own.java" <<'END'
import jdk.jfr.*;

public class Own {
    @Name("own.Everything")
    @Label("Everything \"quoted\" <b>")
    @Description("First line \\ and ü")
    @Category({"Own", "Part"})
    static class Everything extends Event {
        @Label("A Text") String text = "</script><b>bold</b> \u202e \u001b[31m";
        @Unsigned int number = -1;
        @DataAmount long size = 123456;
        @Timespan(Timespan.MILLISECONDS) long span = 5;
        @Percentage float share = .25f;
        Class<?> type = Own.class;
        Thread thread = Thread.currentThread();
        @Experimental double d = 1e300;
        boolean z = true; byte b = -1; char c = 'x'; short s = -2;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 10; i++)
            new Everything().commit();
        System.gc();
    }
}
END
    fresh_recording "$1" "$work/in/fresh$2.jfr" "$work/Own.java" >/dev/null 2>&1
}

# Byte for byte; without --compat too where one chunk gives nothing to unite.
compare() { # compare VERSION HOME
    local f n=0

    for f in "$work"/in/*.jfr; do
        answer "$1" "$2" "$f" metadata || continue
        n=$((n + 1))
        "$B/jfrmeta" -q --compat "$1" "$f" >"$work/is" 2>/dev/null
        is_answer "$work/is" || difference "$work/is" >>"$work/diff"
        [ "$("$B/jfrsummary" -q "$f" 2>/dev/null | sed -n 's/^ Chunks: //p')" = 1 ] || continue
        "$B/jfrmeta" -q "$f" >"$work/own" 2>/dev/null
        cmp "$work/is" "$work/own" >>"$work/diff" 2>&1
    done
    [ $n -gt 5 ] || echo "$n recordings" >>"$work/diff"
    verdict "metadata of JDK $1, $n recordings"
}

filters() { # filters VERSION HOME
    local f options

    f=$(own_recordings jdk25)
    while read -r options; do
        # shellcheck disable=SC2086
        set -- "${@:1:2}" $options
        answer "$1" "$2" "$f" metadata "${@:3}" || echo "$options: no answer" >>"$work/diff"
        "$B/jfrmeta" --compat "$1" $(printf '%s ' "${@:3}" | sed 's/--categories/--category/') "$f" >"$work/is"
        is_answer "$work/is" || difference "$work/is" >>"$work/diff"
    done <<'END'
--events GarbageCollection
--events jdk.GC*,test.*
--events AllFields
--events allfields
--events G?HeapSummary
--categories Test
--categories GC
--categories Op*,Sub*
--categories Profiling --events test.All*
END
    verdict "filters of JDK $1"
}

json() {
    local f=$1

    "$B/jfrmeta" --json --used --settings "$f" >"$work/meta.json"
    "$B/jfrsummary" --json "$f" >"$work/summary.json"
    "$B/jfrmeta" --json "$f" >"$work/all.json"
    python3 - "$work" <(grep -c '^class' <("$B/jfrmeta" "$f")) >>"$work/diff" 2>&1 <<'END'
import json, sys
meta = json.load(open(sys.argv[1] + '/meta.json'))['types']
summary = json.load(open(sys.argv[1] + '/summary.json'))
every = json.load(open(sys.argv[1] + '/all.json'))['types']
counts = {t['name']: t['count'] for t in summary['types']
          if t['count'] and t['name'] not in ('jdk.Metadata', 'jdk.Checkpoint')}
if counts != {t['name']: t['count'] for t in meta}:
    print('counts differ from the summary')
for t in meta:
    if t['active'] != summary['settings'].get(t['name'], {}):
        print('settings differ', t['name'])
if len(every) != int(open(sys.argv[2]).read()):
    print('number of types differs from the text')
own = [t for t in meta if t['name'] == 'own.Everything']
fields = {f['name']: f for f in own[0]['fields']} if own else {}
if own and (own[0]['count'] != 10 or fields['size']['unit'] != 'bytes' or not fields['number']['unsigned']
            or not fields['d']['experimental'] or own[0]['category'] != ['Own', 'Part']):
    print('own.Everything is wrong', own)
END
    verdict 'JSON agrees with text and summary'
}

difference_of_two() {
    "$B/jfrmeta" --diff "$1" "$1" >>"$work/diff"
    "$B/jfrmeta" --diff "$2" "$1" >"$work/ab"
    "$B/jfrmeta" --diff "$1" "$2" >"$work/ba"
    [ "$(grep -c '^+' "$work/ab")" = "$(grep -c '^-' "$work/ba")" ] || echo '+ and - do not swap' >>"$work/diff"
    diff <(grep '^+' "$work/ab" | cut -c2- | sort) <(
        comm -13 <(names "$1") <(names "$2")) >>"$work/diff"
    "$B/jfrmeta" --json --diff "$2" "$1" | python3 -m json.tool >/dev/null 2>>"$work/diff"
    verdict 'differences of two recordings'
}

names() {
    "$B/jfrmeta" --json "$1" | python3 -c '
import json, sys
for t in json.load(sys.stdin)["types"]:
    print(" " + t["kind"] + " " + t["name"])' | sort
}

page() {
    local f=$1

    "$B/jfrmeta" --html "$f" >"$work/page.html"
    "$B/jfrmeta" --html -j1 "$f" | cmp - "$work/page.html" >>"$work/diff" 2>&1
    python3 - "$work/page.html" >>"$work/diff" 2>&1 <<'END'
import base64, hashlib, html.parser, re, sys
text = open(sys.argv[1], encoding='utf-8').read()
ids, links, open_tags = [], [], []
class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if 'src' in a or tag in ('link', 'iframe', 'object', 'img') or 'style' in a:
            print('external or inline:', tag, a)
        if any(k.startswith('on') for k in a):
            print('handler:', tag, a)
        if tag == 'a' and not a['href'].startswith('#'):
            print('link that leaves:', a)
        if tag == 'a':
            links.append(a['href'][1:])
        if 'id' in a:
            ids.append(a['id'])
        if tag not in ('meta', 'input', 'br'):
            open_tags.append(tag)
    def handle_endtag(self, tag):
        if not open_tags or open_tags.pop() != tag:
            print('tags do not nest:', tag)
Page().feed(text)
if open_tags: print('not closed:', open_tags)
if len(ids) != len(set(ids)): print('an id is there twice')
if not set(links) <= set(ids): print('dead links:', set(links) - set(ids))
if 'http:' in text or 'https:' in re.sub(r'<td.*?</td>|<p>.*?</p>', '', text, flags=re.S): print('an address')
for tag in ('script', 'style'):
    body = re.search('<%s>(.*?)</%s>' % (tag, tag), text, re.S)[1].encode()
    want = "%s-src 'sha256-%s'" % (tag, base64.b64encode(hashlib.sha256(body).digest()).decode())
    if want not in text: print('no policy for', tag)
if "default-src 'none'" not in text: print('no policy')
if re.search('[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]', text): print('invisible characters')
END
    verdict 'page is whole and closed in itself'
}

browser() {
    if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
        echo 'skip page in a browser: no chromium or no node'
        return
    fi
    timeout 300 node test-data/page/meta_page.mjs "$(command -v chromium)" "$work/page.html" >"$work/diff" 2>&1 ||
        echo "exit code $?" >>"$work/diff"
    verdict 'page in a browser: no messages, the filter works'
}

exit_codes() {
    local f=$1

    check() {
        local want=$1
        shift
        "$@" >/dev/null 2>&1 <"${input:-/dev/null}"
        [ $? = "$want" ] || echo "$*: not $want" >>"$work/diff"
    }
    head -c "$(($(wc -c <"$f") - 100))" "$f" >"$work/cut"
    check 0 "$B/jfrmeta" "$f"
    input=$f check 0 "$B/jfrmeta"
    check 1 "$B/jfrmeta"
    check 3 "$B/jfrmeta" --used "$work/cut"
    check 4 "$B/jfrmeta" --fail-empty -e nothing "$f"
    check 1 "$B/jfrmeta" "$work/absent.jfr"
    check 1 "$B/jfrmeta" --diff "$work/absent.jfr" "$f"
    check 2 "$B/jfrmeta" -f xml "$f"
    check 2 "$B/jfrmeta" -e '/(/' "$f"
    check 2 "$B/jfrmeta" --html --diff "$f" "$f"
    verdict 'exit codes'
}

: >"$work/diff"
collect
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    record "$home" "$(release "$home")"
done
recordings=("$work"/in/fresh*.jfr)
[ -e "${recordings[0]}" ] || recordings=("$work"/in/jdk*.jfr)
for version in 17 25; do
    home=$(jdk_home $version)
    compare $version "$home"
    filters $version "$home"
done
json "${recordings[-1]}"
difference_of_two "${recordings[0]}" "${recordings[-1]}"
page "${recordings[-1]}"
browser
exit_codes "${recordings[0]}"
exit $failed
