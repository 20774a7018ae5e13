# oracle_lib.sh - brings what others print, and what we print, into lines that can be compared.

# Numbers of a summary. Rows of one name are added up (the JDK's tool has one per type id).
summary_rows() {
    awk '
        /^ (Version|Chunks|Start|Duration): / { print; next }
        /^=+$/ { rows = 1; next }
        rows && NF >= 3 {
            size = $NF; count = $(NF - 1)
            $NF = $(NF - 1) = ""
            sub(/ +$/, ""); sub(/^ +/, "")
            if ($0 == "jdk.CheckPoint") $0 = "jdk.Checkpoint"
            counts[$0] += count; sizes[$0] += size
        }
        END { for (n in counts) printf "row %s %.0f %.0f\n", n, counts[n], sizes[n] }' "$1" | sort
}

# JMC listing -> type, start in ns, field, value. Values that JMC rescales or that span lines: \1.
jmc_lines() {
    awk -v OFS='\t' '
        function flush_event() {
            for (i = 0; i < n; i++) print path, start == "" ? end_ns : start, line[i]
            n = frames = 0; start = end_ns = ""
        }
        /^<event / { match($0, /path="[^"]*"/); path = substr($0, RSTART + 6, RLENGTH - 7); next }
        /^<\/event>/ { flush_event(); next }
        /^  <startTime .* epochns<\/startTime>$/ { gsub(/<[^>]*>| |epochns/, ""); start = $0; next }
        /^  <\(endTime\) .* epochns<\/\(endTime\)>$/ { gsub(/<[^>]*>| |epochns/, ""); end_ns = $0; next }
        /^     <frame method="/ {
            m = $0; sub(/.*method="/, "", m); sub(/" modifier=.*/, "", m)
            l = $0; sub(/.* line="/, "", l); sub(/".*/, "", l)
            line[n++] = "frame" OFS frames++ " " m ":" l
            next
        }
        /^  <[A-Za-z0-9_]+ name="/ {
            f = $0; sub(/^  </, "", f); sub(/ .*/, "", f)
            if (f == "stackTrace") next
            v = $0
            # Names of fields may hold ">" as little as ours do.
            sub(/^  <[^>]*>/, "", v)
            if (!sub("</" f ">$", "", v)) v = "\001"
            else if (v == "Unknown Thread Name") v = "null"
            else if (v ~ /^-?[0-9.E-]+ (ticks|ns|ms|s|epochms|Hz|%|us)$/) v = "\001"
            else if (v ~ /^-?[0-9]+ B$/) sub(/ B$/, "", v)
            line[n++] = f OFS v
        }' "$1"
}

# The same of `jfr2json --layout jdk`; json_lines FILE true: with hidden frames.
json_lines() {
    jq -r --argjson hidden "$2" '
        def pad: . + "000000000" | .[0:9];
        def ns:
            capture("^(?<d>.{10}T..:..)(:(?<s>..)([.](?<f>[0-9]+))?)?(?<z>Z|(?<zs>[+-])(?<zh>..):(?<zm>..))$")
            | ((.d + ":" + (.s // "00") + "Z") | fromdateiso8601) as $local
            | (if .z == "Z" then 0
               else ((.zh | tonumber) * 3600 + (.zm | tonumber) * 60) * (if .zs == "-" then -1 else 1 end)
               end) as $offset
            | (($local - $offset) | tostring) + ((.f // "") | pad);
        def java:
            capture("^(?<dims>\\[*)(?<n>.*)$")
            | (.dims | length) as $k
            | (if $k == 0 then .n
               elif .n | startswith("L") then .n[1:-1]
               else {B: "byte", C: "char", D: "double", F: "float", I: "int", J: "long", S: "short",
                     Z: "boolean"}[.n] end
               | gsub("/"; ".")) + ("[]" * $k // "");
        def plain:
            if type == "object" then
                if has("javaThreadId") then .javaName // .osName // "null"
                elif has("classLoader") and has("modifiers") and .name then .name | java
                else "\u0001" end
            elif type == "array" then "\u0001"
            elif . == null then "null"
            elif type == "string" and test("^PT|^[0-9]{4}-..-..T|\n|\t|^[+-]?[0-9]+-..-..T") then "\u0001"
            else tostring end;
        def field($type):
            if . == "sampledThread" and ($type | test("Sample$")) then "eventThread" else . end;
        .recording.events[]
        | (.type | sub("^com[.]oracle[.]jdk[.]"; "jdk.")) as $type
        | (.values.startTime | ns) as $start
        | .values | to_entries[]
        | if .key == "stackTrace" then
              .value.frames // [] | map(select($hidden or .method.hidden != true)) | to_entries[]
              | .key as $i | .value
              | ["frame", "\($i) \(.method.type.name // "" | gsub("/"; "."))#\(.method.name)\(.method.descriptor):\(.lineNumber)"]
          elif .key == "startTime" or .key == "duration" then empty
          else [(.key | field($type)), (.value | plain)] end
        | [$type, $start] + . | join("\t")' "$1"
}

# Lines of file $1 whose (type, field) file $2 has too and that neither has as \1. Decimal numbers to
# four digits, as JMC shows floats as doubles.
comparable() {
    awk -F'\t' -v OFS='\t' '
        $4 ~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ && $4 ~ /[.eE]/ { $4 = sprintf("%.4g", $4) }
        { sub(/\tnull\./, "\t") }
        NR == FNR { seen[$1, $3] = 1 }
        $4 == "\001" { no[$1, $3] = 1 }
        NR != FNR { keep[++n] = $0; key[n] = $1 SUBSEP $3 }
        END { for (i = 1; i <= n; i++) if (key[i] in seen && !(key[i] in no)) print keep[i] }' "$2" "$1"
}

# Names of generated classes without the numbers of one run.
neutral() {
    sed -E 's/\$\$Lambda[^.;]*(\.0x[0-9a-f]+)?\./$$Lambda_./g
        s/(\$Proxy|Generated(Method|Constructor|SerializationConstructor)Accessor)[0-9_]+/\1_/g'
}

# "stack<TAB>value" lines -> "stack value", neutral names, without lines that are unknown; equal
# stacks added up, none of value 0: add_up SCALE DIGITS.
add_up() {
    awk -F'\t' -v OFS='\t' -v scale="$1" '{ $2 = sprintf("%.0f", $2 * scale) } 1' |
        neutral | sed -E 's/:(0|-1|4294967295)(;|\t)/\2/g; s/:(0|-1|4294967295)(;|\t)/\2/g' |
        awk -F'\t' -v digits="$2" '{ sum[$1] += $2 } END { for (s in sum) if (sum[s]) printf "%s %." digits "g\n", s, sum[s] }'
}

# Where a frame's name holds ';' ours has ':'; where its class has no name ours has no '.' before it.
collapsed_golden() { # collapsed_golden DIGITS
    sed -E 's/;([0-9a-f]{8} \(deleted\))/:\1/g; s/(^|;)\.([^;])/\1\2/g; s/ \[([0-9]+ )?([0-9]+)\]$/\t\2/' | add_up 1 "$1"
}

collapsed_ours() { # collapsed_ours SCALE DIGITS: without events that have no stack, which the goldens do not have
    sed -E '/^\[no stack\] /d; s/ ([0-9]+)$/\t\1/' | add_up "$1" "$2"
}

# jfr-parser output: start in ns since the chunk began, thread, state, frames.
parsed_golden() {
    jq -r '
        .[0] as $f
        | def pool($p; $l): . as $k | $f[$p].IDMap
              | $f[$p][$l][if has("Slice") then .Slice[$k] else .[$k | tostring] end];
        def symbol: pool("Symbols"; "Symbol").String;
        $f.Recordings[] | select(.State)
        | [((.StartTime - $f.Header.StartTicks) / ($f.Header.TicksPerSecond / 1e9) | floor | tostring),
           (.SampledThread | pool("Threads"; "Thread").OsName),
           (.State | pool("ThreadStates"; "ThreadState").Name),
           (.StackTrace | pool("Stacktraces"; "StackTrace").Frames
            | map((.Method | pool("Methods"; "Method")) as $m
                  | ($m.Type | pool("Classes"; "Class").Name | symbol) + "." + ($m.Name | symbol)
                    + ":" + (.LineNumber | tostring)) | join(";"))]
        | join("\t")'
}

parsed_ours() {
    jq -r '
        1691037274 as $s | 585412000 as $ns
        | .recording.events[] | select(.type == "jdk.ExecutionSample") | .values
        | (.startTime | capture("^(?<d>.{19})([.](?<f>[0-9]+))?Z$")
           | ((.d + "Z" | fromdateiso8601) - $s) * 1000000000
             + ((.f // "") + "000000000" | .[0:9] | tonumber) - $ns) as $start
        | [($start | tostring), .sampledThread.osName, .state,
           (.stackTrace.frames
            | map("\(.method.type.name).\(.method.name):\(.lineNumber)") | join(";"))]
        | join("\t")' "$1"
}
