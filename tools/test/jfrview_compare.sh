#!/bin/bash
# Compares the views of a recording with those of `jfr view` of JDK 25, cell by cell.
#   tools/test/jfrview_compare.sh [-v] JFR RECORDING [VIEW...]     JFR: the JDK's tool
# Prints a line for each view, "VIEW AGREE CELLS", with -v at most 20 cells that differ behind it,
# and "all AGREE CELLS" at the end. Rows that are the same in any order agree; each other one is
# compared with the one left that has most cells in common. A cell agrees with one that the tool has
# cut or rounded, and where the manual says what we show instead (DIFFERENCES): -1 of an unsigned
# number, Indefinite of a span with one end, null-bootstrap.
set -u
B=${B:-build}
verbose=0
[ "$1" != -v ] || { verbose=20; shift; }
jfr=$1 file=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$file" "$work/in.jfr"

# The table, or the list, that `jfr view` prints, as cells between tabs.
cells() {
    awk '
        function cut(s) { gsub(/^ +| +$/, "", s); return s }
        form && /^[^ ][^:]*:/ { if (key++) print value; i = index($0, ":"); value = cut(substr($0, i + 1)); next }
        form { value = value cut($0); next }
        rule != "" && !table && /^ *$/ { form = 1; next }
        rule != "" && !table {
            table = 1; n = 0; at = 1
            while (match(substr(rule, at), /-+/)) {
                n++; from[n] = at + RSTART - 1; len[n] = RLENGTH; at = from[n] + len[n]
            }
        }
        table && /^ *$/ { exit }
        table {
            row = ""
            for (i = 1; i <= n; i++) row = row (i > 1 ? "\t" : "") cut(substr($0, from[i], len[i]))
            print row
            next
        }
        /^ *-[- ]*$/ && /--/ { rule = $0 }
        END { if (key) print value }' "$1"
}

total=0 good=0
[ $# -gt 0 ] || set -- $("$B/jfrview" --list | awk '{ print $1 }')
for view; do
    "$jfr" view --width 600 --cell-height 1 "$view" "$work/in.jfr" >"$work/text" 2>/dev/null </dev/null || continue
    grep -q '^No events found' "$work/text" && continue
    cells "$work/text" >"$work/want"
    [ -s "$work/want" ] || continue
    "$B/jfrview" -q -n 1000000 -f tsv "$view" "$work/in.jfr" >"$work/all" 2>/dev/null
    tail -n +2 "$work/all" >"$work/got"
    [ "$(head -1 "$work/all")" != $'what\tvalue' ] || { cut -f2 "$work/got" >"$work/turned" && mv "$work/turned" "$work/got"; }
    awk -F'\t' -v view="$view" -v verbose=$verbose '
        function plain(s) {
            gsub(/[, ]/, "", s)
            gsub("/", ".", s)
            while (match(s, /^-?[0-9]+\.[0-9]*0/) && substr(s, RLENGTH + 1, 1) !~ /[0-9]/)
                s = substr(s, 1, RLENGTH - 1) substr(s, RLENGTH + 1)
            return s == "-" || s == "N.A" || s == "Indefinite" ? "" : s == "null-bootstrap" ? "bootstrap" : s
        }
        function equal(a, b,  n, digits) {
            a = plain(a); b = plain(b); n = length(a) - 3
            if (a == b || (a != "" && index(b, a "<-") == 1)) return 1
            if (a ~ /\.\.\.$/) return substr(a, 1, n) == substr(b, 1, n)
            if (a ~ /^\.\.\./) return substr(a, 4) == substr(b, length(b) - n + 1)
            if (a == "-1" && b == "18446744073709551615") return 1
            if (a !~ /^-?[0-9]+(\.[0-9]+)?$/ || b !~ /^-?[0-9.]+(E-?[0-9]+)?$/) return 0
            digits = index(a, ".") ? length(a) - index(a, ".") : 0
            return digits < 3 ? a + 0 == b + 0 : (a - b) ^ 2 <= (.5000001 * 10 ^ -digits) ^ 2
        }
        function row(s,  c, m, i, r) { m = split(s, c, "\t"); for (i = 1; i <= m; i++) r = r plain(c[i]) "\t"; return r }
        NR == FNR { got[++n] = $0; same[row($0)]++; next }
        { m = split($0, c, "\t"); cells += m
          if (same[row($0)] > 0) { same[row($0)]--; good += m; next }
          left[++k] = $0 }
        END {
            for (i = 1; i <= n; i++) if (same[row(got[i])] > 0) { same[row(got[i])]--; rest[++r] = got[i] }
            for (i = 1; i <= k; i++) {
                m = split(left[i], want, "\t"); best = 0; most = 0
                for (j = 1; j <= r; j++) if (!(j in used)) {
                    split(rest[j], is, "\t"); common = 0
                    for (x = 1; x <= m; x++) common += equal(want[x], is[x])
                    if (common > most) { most = common; best = j }
                }
                good += most; delete is
                if (best) { used[best] = 1; split(rest[best], is, "\t") }
                for (x = 1; x <= m; x++)
                    if (!equal(want[x], is[x]) && shown++ < verbose)
                        print "    " substr(want[1], 1, 50) ": cell " x ": " substr(want[x], 1, 60) " | " substr(is[x], 1, 60)
            }
            print view, good + 0, cells + 0
        }' "$work/got" "$work/want" >"$work/result"
    tail -1 "$work/result"
    head -n -1 "$work/result"
    read -r _ g c < <(tail -1 "$work/result")
    good=$((good + g)) total=$((total + c))
done
echo "all $good $total"
