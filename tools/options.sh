#!/bin/bash
# The reference of all options, on standard output: tools/docs/options.md, from the tables of the programs.
#   tools/options.sh           the reference, as Markdown
#   tools/options.sh rows      what it is made from: a verb, then what its --help=rows prints, with tabs between them
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}

# Every verb, and convert for each format that has options of its own.
rows() {
    local verb

    "$B/jfrkit" --help=rows | sed 's/^/jfrkit\t/'
    while read -r verb; do
        # shellcheck disable=SC2086
        "$B/jfrkit" $verb --help=rows | sed "s/^/${verb#convert -f }\t/" || exit 1
    done < <(
        "$B/jfrkit" completion bash | sed -n 's/^_jfrkit_\([a-z]*\)() {/\1/p'
        printf 'convert -f %s\n' collapsed csv firefox otlp parquet pprof speedscope trace
    )
}

reference() {
    rows | LC_ALL=C awk -F '\t' '
    function anchor(title) { title = tolower(title); gsub(/ /, "-", title); return title }
    function cell(text) { gsub(/\|/, "\\|", text); return text }
    {
        key = $4 "\t" $5 "\t" $6 "\t" $7 # one description
        if (!(key in verbs)) {
            keys[++n] = key
            verbs[key] = $1
            topic[key] = $2 == "" ? "Options of " $1 : $2
            letter[key] = $3; name[key] = $4; arg[key] = $5
            text[key] = $7
            example[key] = $8; since[key] = $9
        } else {
            if ($2 != "" && topic[key] ~ /^Options of /)
                topic[key] = $2
            if (index(", " verbs[key] ",", ", " $1 ",") == 0)
                verbs[key] = verbs[key] ", " $1
        }
    }
    END {
        for (i = 1; i <= n; i++)
            if (!(topic[keys[i]] in seen)) {
                seen[topic[keys[i]]] = 1
                topics[++n_topics] = topic[keys[i]]
            }
        print "# Options\n"
        print "All options of all verbs. `make options` makes this file from the tables of the programs; `jfrkit VERB --help=all`"
        print "and the manual pages say the same. The name of a format (csv) stands for `jfrkit convert -f csv`.\n"
        print "| Option | Topic | Verbs |\n|---|---|---|"
        for (i = 1; i <= n; i++) {
            k = keys[i]
            line[i] = name[k] "\t" sprintf("| `%s--%s%s` | [%s](#%s) | %s |", letter[k] == "" ? "" : "-" letter[k] ", ",
                name[k], arg[k] == "" ? "" : " " cell(arg[k]), topic[k], anchor(topic[k]), verbs[k])
        }
        for (i = 2; i <= n; i++) # by name
            for (j = i; j > 1 && line[j] < line[j - 1]; j--) { t = line[j]; line[j] = line[j - 1]; line[j - 1] = t }
        for (i = 1; i <= n; i++)
            print substr(line[i], index(line[i], "\t") + 1)
        for (t = 1; t <= n_topics; t++) {
            print "\n## " topics[t]
            for (i = 1; i <= n; i++) {
                k = keys[i]
                if (topic[k] != topics[t])
                    continue
                printf "\n**`%s--%s%s`** (%s; since %s)  \n", letter[k] == "" ? "" : "-" letter[k] ", ", name[k],
                    arg[k] == "" ? "" : " " arg[k], verbs[k], since[k]
                t2 = text[k]
                gsub(/\*/, "\\*", t2)
                gsub(/</, "\\&lt;", t2)
                print t2
                if (example[k] != "")
                    print "\n    " example[k]
            }
        }
    }'
}

if [ "${1:-}" = rows ]; then rows; else reference; fi
