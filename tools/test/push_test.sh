#!/bin/bash
# jfrkit push: what arrives is what jfrkit makes of the recording without its secrets, and is sent again where the server
# is away. The server is test-data/push/server.py.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/jdk_lib.sh
kit=$B/jfrkit
app=$(own_recordings jfrkit-jdk25)
unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_HEADERS JFRKIT_PUSH_HEADERS
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
command -v python3 >/dev/null || { echo 'skip push: no python3'; exit 0; }
"$kit" push --retry 0s --to http://127.0.0.1:1/ "$app" 2>&1 | grep -q 'needs libcurl' && { echo 'skip push: no libcurl.so.4'; exit 0; }

servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf "$work"' EXIT

# serve FOLDER [CERTIFICATE]: $port
serve() {
    mkdir -p "$1"
    python3 test-data/push/server.py "$@" >"$1/out" 2>"$1/err" &
    servers+=($!)
    for _ in $(seq 100); do
        grep -q '^port' "$1/out" && break
        sleep 0.1
    done
    port=$(sed -n 's/^port //p' "$1/out")
    [ -n "$port" ] || wrong "no server: $(tail -1 "$1/err")"
}

# push ARGUMENTS...: the exit code; the request is then the last one in $got
push() {
    "$kit" push "$@" >"$work/printed" 2>"$work/err"
}

n_requests() {
    find "$got" -name '*.json' | wc -l
}

last() { # last PART: the file that came last
    echo "$got/$(n_requests).$1"
}

header() { # header NAME: of the last request
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["headers"].get(sys.argv[2], ""))' "$(last json)" "$1"
}

request() { # request KEY
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$(last json)" "$1"
}

got=$work/got
serve "$got"
url=http://127.0.0.1:$port
"$kit" cut -q --scrub -o "$work/scrubbed.jfr" "$app"

push --to "$url/store/" "$app" || wrong "exit code $?: $(cat "$work/err")"
cmp "$work/scrubbed.jfr" "$(last body)" >>"$work/wrong" 2>&1
same method "$(request method)" PUT
grep -qE "^/store/[^/]+/jfrkit-jdk25-20[0-9]{6}T[0-9]{6}Z\.jfr$" <<<"$(request path)" || wrong "path: $(request path)"
grep -q "sent to $url/store/" "$work/err" || wrong "it says $(cat "$work/err")"
push --post -q --to "$url/{name}/x" "$app" || wrong "exit code $?: $(cat "$work/err")"
same path "$(request path)" /jfrkit-jdk25/x
same method "$(request method)" POST
[ ! -s "$work/err" ] || wrong "with -q it says $(cat "$work/err")"
push --to "$url/x/{name}.jfr.gz?signature=1" "$app" || wrong "exit code $?: $(cat "$work/err")"
gzip -dc "$(last body)" | cmp "$work/scrubbed.jfr" - >>"$work/wrong" 2>&1
verdict 'a recording without its secrets, by PUT and POST, under a name that it makes'

export OTEL_RESOURCE_ATTRIBUTES='host.name=web1,service.version=1%2E5'
push --service shop -f otlp --to "$url" "$app" || wrong "exit code $?: $(cat "$work/err")"
OTEL_SERVICE_NAME=shop "$kit" convert -q -o "$work/want.otlp" "$work/scrubbed.jfr"
gzip -dc "$(last body)" 2>/dev/null | cmp - "$work/want.otlp" >>"$work/wrong" 2>&1
same path "$(request path)" /v1development/profiles
same encoding "$(header Content-Encoding) $(header Content-Type)" 'gzip application/x-protobuf'
for word in shop host.name web1 service.version 1.5; do
    grep -aq "$word" "$work/want.otlp" || wrong "the resource has no $word"
done
unset OTEL_RESOURCE_ATTRIBUTES
"$kit" convert -q -f otlp -o "$work/plain.otlp" "$work/scrubbed.jfr"
! grep -aq web1 "$work/plain.otlp" || wrong 'a resource without a variable'
verdict 'OTLP profiles, packed, with the attributes of the resource'

push --service 'my shop' -f pyroscope --to "$url" "$app" || wrong "exit code $?: $(cat "$work/err")"
"$kit" annotate -q --pyroscope "$work/want.labels" -o "$work/want.jfr" "$work/scrubbed.jfr"
gzip -dc "$(last jfr)" | cmp "$work/want.jfr" - >>"$work/wrong" 2>&1
gzip -dc "$(last labels)" | cmp "$work/want.labels" - >>"$work/wrong" 2>&1
grep -qE '^/ingest\?name=my%20shop&from=[0-9]{10}&until=[0-9]{10}&format=jfr$' <<<"$(request path)" || wrong "path: $(request path)"
push --to "$url/ingest?name=x" "$app" && same path "$(request path | cut -c1-27)" '/ingest?name=x&name=jfrkit-'
push -f pyroscope-pprof --to "$url" "$app" || wrong "exit code $?: $(cat "$work/err")"
"$kit" convert -q -f pprof -o "$work/want.pb.gz" "$work/scrubbed.jfr"
cmp "$work/want.pb.gz" "$(last profile)" >>"$work/wrong" 2>&1
verdict 'what Pyroscope reads: a recording with its labels, or pprof'

# --- secrets

java=$(jdk_home 25 || jdk_home 17)
if [ -n "$java" ]; then
    cat >"$work/Nothing.java" <<<'class Nothing { public static void main(String[] a) throws Exception { Thread.sleep(500); } }'
    (cd "$work" && javac "$(compiler)" -d . Nothing.java && TOKEN=hunter2hunter2 "$java/bin/java" -Dtoken=geheim2geheim2 \
        -XX:StartFlightRecording:filename=secret.jfr,settings=profile -cp . Nothing argument3argument3) >"$work/log" 2>&1
    grep -aq hunter2hunter2 "$work/secret.jfr" && grep -aq geheim2geheim2 "$work/secret.jfr" || wrong 'the recording has no secrets'
    for format in recording otlp pyroscope; do
        push -f $format --to "$url" "$work/secret.jfr" || wrong "$format: $(cat "$work/err")"
    done
    push -f recording --unscrubbed --to "$url/all" "$work/secret.jfr" || wrong "$(cat "$work/err")"
    grep -aq hunter2hunter2 "$(last body)" || wrong '--unscrubbed has removed something'
    rm "$(last body)"
    for file in "$got"/*; do
        ! { gzip -dcf "$file" || cat "$file"; } 2>/dev/null | grep -aqE 'hunter2hunter2|geheim2geheim2|argument3argument3' || wrong "a secret is in $(basename "$file")"
    done
    verdict 'no secret is in anything that was received'
else
    echo 'skip secrets: no JDK 17 or 25'
fi
push --redact path=drop --no-contexts --to "$url/cut" "$app" || wrong "$(cat "$work/err")"
"$kit" cut -q --scrub --no-contexts --redact path=drop -o "$work/want.jfr" "$app"
cmp "$work/want.jfr" "$(last body)" >>"$work/wrong" 2>&1
verdict 'without contexts, and without a field'

# --- headers

printf '# mine\nAuthorization: Bearer s3cret\r\n\nX-Scope: a b\n' >"$work/headers"
chmod 600 "$work/headers"
JFRKIT_PUSH_HEADERS='X-One=1,X-Two=2%203' push --header-file "$work/headers" --to "$url/h" "$app" || wrong "$(cat "$work/err")"
same headers "$(header Authorization), $(header X-Scope), $(header X-One), $(header X-Two)" 'Bearer s3cret, a b, 1, 2 3'
OTEL_EXPORTER_OTLP_HEADERS=api-key=k push -f otlp --to "$url" "$app" && same 'header of OpenTelemetry' "$(header api-key)" k
n=$(n_requests)
push --header-file "$work/headers" --dry-run -f otlp --to "$url" "$app" || wrong "dry run: $(cat "$work/err")"
grep -q '^Authorization:$' "$work/printed" && grep -q '^POST .*/v1development/profiles$' "$work/printed" || wrong "it would send $(cat "$work/printed")"
! grep -q s3cret "$work/printed" "$work/err" || wrong 'a dry run shows a password'
same 'requests of a dry run' "$(n_requests)" "$n"
chmod 640 "$work/headers"
push --header-file "$work/headers" --to "$url/h" "$app"
same 'exit code with a file that others read' $? 1
grep -q 'can be read by others' "$work/err" || wrong "it says $(cat "$work/err")"
chmod 600 "$work/headers"
echo 'password without a name' >"$work/headers"
push --header-file "$work/headers" --to "$url/h" "$app"
grep -q 'line 1 is no header' "$work/err" && ! grep -q password "$work/err" || wrong "it says $(cat "$work/err")"
push --to "http://me:s3cret@127.0.0.1:$port/h" "$app"
same 'exit code with a password on the command line' $? 2
echo "http://me:s3cret@127.0.0.1:$port/signed?signature=s3cret" >"$work/url"
chmod 600 "$work/url"
push --to "@$work/url" "$app" || wrong "@FILE: $(cat "$work/err")"
same 'path of @FILE' "$(request path) $(header Authorization)" "/signed?signature=s3cret Basic $(printf me:s3cret | base64)"
! grep -q s3cret "$work/err" || wrong "it shows a password: $(cat "$work/err")"
same 'requests' "$(n_requests)" $((n + 1))
verdict 'headers and passwords come from private files and the environment, and are not shown'

# --- a server that fails

n=$(n_requests)
push --to "$url/busy-2/x" "$app" || wrong "busy: $(cat "$work/err")"
same 'requests to a busy server' "$(n_requests)" $((n + 3))
cmp "$work/scrubbed.jfr" "$(last body)" >>"$work/wrong" 2>&1
same 'pauses that are announced' "$(grep -c 'next try in' "$work/err")" 2
push --to "$url/wait/x" "$app" || wrong "429: $(cat "$work/err")"
grep -q '429.*next try in 1.0 s' "$work/err" || wrong "Retry-After: $(cat "$work/err")"
push --to "$url/reset/x" "$app" || wrong "reset: $(cat "$work/err")"
cmp "$work/scrubbed.jfr" "$(last body)" >>"$work/wrong" 2>&1
verdict 'a server that is busy, or closes the connection, gets it again'

n=$(n_requests)
push --to "$url/401/x" "$app"
same 'exit code of 401' $? 1
grep -q 'answers 401: try later; is the header' "$work/err" || wrong "it says $(cat "$work/err")"
same 'requests after 401' "$(n_requests)" $((n + 1))
push --to "$url/moved/x" "$app"
grep -q 'answers 302.*redirects' "$work/err" || wrong "it says $(cat "$work/err")"
same 'requests after a redirect' "$(n_requests)" $((n + 2))
push --retry 2s --to "$url/busy-99/x" "$app"
same 'exit code of a server that stays busy' $? 1
grep -qE 'was not sent to .*503.*tries\)' "$work/err" || wrong "it says $(cat "$work/err")"
push --retry 0s --timeout 1s --to "$url/hang/x" "$app"
same 'exit code of a server that hangs' $? 1
push --retry 0s --to http://127.0.0.1:1/x "$app"
same 'exit code without a server' $? 1
grep -q '(1 tries)' "$work/err" || wrong "it says $(cat "$work/err")"
for bad in ftp://127.0.0.1/x 127.0.0.1 file:///etc/passwd; do
    push --to "$bad" "$app"
    same "exit code of $bad" $? 2
done
push "$app"
same 'exit code without --to' $? 2
push --to "$url/x" "$work/none.jfr"
same 'exit code without a recording' $? 1
verdict 'what cannot be sent is said, with the reason and what to do'

# --- TLS, a proxy

if command -v openssl >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$work/key.pem" -out "$work/cert.pem" >"$work/log" 2>&1
    cat "$work/key.pem" "$work/cert.pem" >"$work/both.pem"
    plain=$got
    got=$work/tls
    serve "$got" "$work/both.pem"
    push --retry 0s --to "https://127.0.0.1:$port/x" "$app"
    same 'exit code of a certificate that is not known' $? 1
    grep -qi certificate "$work/err" || wrong "it says $(cat "$work/err")"
    push --cacert "$work/cert.pem" --to "https://127.0.0.1:$port/x" "$app" || wrong "TLS: $(cat "$work/err")"
    cmp "$work/scrubbed.jfr" "$(last body)" >>"$work/wrong" 2>&1
    got=$plain
    verdict 'certificates are checked'
else
    echo 'skip certificates: no openssl'
fi
http_proxy=$url push --to http://nowhere.invalid/x "$app" || wrong "proxy: $(cat "$work/err")"
same 'path by a proxy' "$(request path)" http://nowhere.invalid/x
verdict 'the proxy of the environment'
exit $failed
