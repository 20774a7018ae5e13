# page.awk - a manual page out of its text (tools/man/NAME.1) and the options of the program.
#
#     awk -v bin=build -f tools/man/page.awk tools/man/jfr2csv.1 >build/man/jfr2csv.1
#
# The text is a page without options. In it stand lines that this program replaces by what --help=rows prints:
#     .\" OPTIONS of COMMAND                all options, under the titles of their tables
#     .\" OPTIONS of COMMAND only NAME...   these alone, without titles
#     .\" OPTIONS of COMMAND with VERB...   all; those that not every one of these verbs has name the verbs that do
#     .\" LIST of COMMAND                   what its --help has from "FORMAT" to the next empty line
function fail(text) {
    print text >"/dev/stderr"
    exit failed = 1
}

function quoted(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# A sentence of a table as roff: options and names of pages are bold.
function roff(text,    done) {
    text = " " quoted(text)
    while (match(text, /[ (](\\-\\-[a-z][a-z0-9]*(\\-[a-z0-9]+)*|\\-[a-zA-Z]|jfr[a-z0-9]+)([ ,.;:)(]|$)/)) {
        bold = substr(text, RSTART + 1, RLENGTH - 1)
        after = ""
        if (bold ~ /[ ,.;:)(]$/) {
            after = substr(bold, length(bold))
            bold = substr(bold, 1, length(bold) - 1)
        }
        is_bold = bold ~ /^\\/ || (after == "(" && substr(text, RSTART + RLENGTH, 2) == "1)")
        done = done substr(text, 1, RSTART) (is_bold ? "\\fB" bold "\\fR" : bold)
        text = after substr(text, RSTART + RLENGTH)
    }
    done = substr(done text, 2)
    return done ~ /^[.']/ ? "\\&" done : done
}

# Lines of at most 80 bytes.
function put_text(text,    n, word, i, line) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(word[i]) > 80) {
            print line
            line = word[i] ~ /^[.']/ ? "\\&" word[i] : word[i]
        } else
            line = line (line == "" ? "" : " ") word[i]
    }
    print line
}

function read_rows(command,    line, part) {
    n_rows = 0
    while (((bin "/" command " --help=rows") | getline line) > 0) {
        split(line, part, "\t")
        n_rows++
        for (i = 1; i <= 8; i++)
            row[n_rows, i] = part[i]
    }
    close(bin "/" command " --help=rows")
    if (n_rows == 0)
        fail(FILENAME ": " command " has no options")
}

# The verbs of the list that have an option, or nothing if all have it.
function verbs_with(name, verbs, n,    list, v, count) {
    for (v = 1; v <= n; v++)
        if ((verbs[v], name) in has) {
            list = list (count++ ? ", " : "") verbs[v]
        }
    return count == n ? "" : list
}

function read_verbs(verbs, n,    v, line, part) {
    for (v = 1; v <= n; v++) {
        while (((bin "/jfrkit " verbs[v] " --help=rows") | getline line) > 0) {
            split(line, part, "\t")
            has[verbs[v], part[3]] = 1
        }
        close(bin "/jfrkit " verbs[v] " --help=rows")
    }
}

function put_option(r, verbs, n_verbs,    list) {
    print ".TP"
    printf ".BR %s\\-\\-%s", row[r, 2] == "" ? "" : "\\-" row[r, 2] " \", \" ", quoted(row[r, 3])
    print row[r, 4] == "" ? "" : " \" \" \\fI" quoted(row[r, 4]) "\\fR"
    put_text(roff(row[r, 6]))
    list = n_verbs > 0 ? verbs_with(row[r, 3], verbs, n_verbs) : ""
    if (list != "")
        print "For " list "."
    if (row[r, 7] != "") {
        print ".br"
        put_text("Example: \\fB" quoted(row[r, 7]) "\\fR")
    }
}

/^\.\\" OPTIONS of / {
    mode = ""
    n_words = 0
    split("", words)
    split("", has)
    command = $4
    for (i = 5; i <= NF; i++)
        if ($i == "only" || $i == "with")
            mode = $i
        else if (mode == "")
            command = command " " $i
        else {
            words[++n_words] = $i
            wanted[$i] = 1
        }
    read_rows(command)
    if (mode == "with")
        read_verbs(words, n_words)
    title = ""
    n_found = 0
    for (r = 1; r <= n_rows; r++) {
        if (mode == "only" && !(row[r, 3] in wanted))
            continue
        if (mode != "only" && row[r, 1] != "" && row[r, 1] != title)
            print ".SS " (title = row[r, 1])
        if (row[r, 1] == "Filters" && row[r - 1, 1] != "Filters" && mode != "only")
            put_text("An event is selected if it matches one of the values of each option that is given.")
        put_option(r, words, mode == "with" ? n_words : 0)
        n_found++
    }
    if (mode == "only" && n_found != n_words)
        fail(FILENAME ": " n_words " options are named, " command " has " n_found " of them")
    split("", wanted)
    if (mode != "only") {
        print ".TP\n.BR \\-\\-help \", \" \\-\\-version"
        print "Print the options, or the version."
    }
    next
}
/^\.\\" LIST of / {
    command = bin "/" $4 " " $5 " --help"
    print ".nf"
    while ((command | getline line) > 0) {
        if (line ~ /^FORMAT /)
            is_list = 1
        if (line == "")
            is_list = 0
        if (is_list)
            print quoted(line)
    }
    close(command)
    print ".fi"
    next
}
{ print }
END { exit failed }
