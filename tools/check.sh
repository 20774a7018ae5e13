#!/bin/bash
# What a compiler does not say: who may include whom, headers that stand alone, format, lint, man
# pages that know every option, paths of one machine, sizes. One line per check.
set -u
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
shopt -s nullglob

# Longer than 600 lines on purpose: a text.
long='LICENSE|tools/docs/options.md'

mapfile -t code < <(find jfrfmt config convert recorder tools -name '*.[ch]' | sort)
mapfile -t scripts < <(echo .ci/run; find . -name '*.sh' -not -path './build/*' | sed 's|^./||' | sort)

# verdict NAME: what the check wrote to $work/found is what is wrong.
verdict() {
    if [ -s "$work/found" ]; then
        echo "not ok $1"
        head -50 "$work/found" | sed 's/^/    /'
        failed=$((failed + 1))
    else
        echo "ok $1"
        passed=$((passed + 1))
    fi
}

skip() {
    echo "skip $1: $2"
    skipped=$((skipped + 1))
}

files() {
    find . -name .git -prune -o -path ./build -prune -o -type f -print | sed 's|^\./||'
}

# Includes of our own headers, as "FILE HEADER LINE"; tests include what they need.
includes() {
    grep -nE '^ *# *include "' "${code[@]}" | sed -E 's/^([^:]*):([0-9]+):[^"]*"([^"]*)".*/\1 \3 \2/'
}
tests='/test/|testing|_(test|fuzz)[.][ch]$'

# rooms: includes that tools/docs/house.md does not allow, files in no room, rooms that are too large, files
# named after their room. A header beside its users that is installed with them stands alone: "jfrkit_find.h".
rooms() {
    local room

    includes | awk -v table=tools/docs/house.md -v tests="$tests" '
        function room_of(path) {
            sub(/\/[^\/]*$/, "", path)
            if (!(path in uses)) sub(/\/test$/, "", path)
            return path in uses ? path : ""
        }
        function top(path) { sub(/\/.*/, "", path); return path }
        function may(from, to, n, next_ones, i) { # to is from, is in its last column, or is what those may use
            if (from == to || ((from, to) in known)) return from == to || known[from, to]
            known[from, to] = 0
            n = split(uses[from], next_ones, " ")
            for (i = 1; i <= n && !known[from, to]; i++)
                if (may(next_ones[i], to)) known[from, to] = 1
            return known[from, to]
        }
        BEGIN {
            while ((getline line <table) > 0) {
                if (line !~ /^\| `/) continue
                split(line, cell, "|"); gsub(/[ `]/, "", cell[2]); gsub("`", "", cell[4])
                n = split(cell[4], named, " ")
                for (i = 1; i <= n; i++)
                    if (!(named[i] in uses)) print table ": " cell[2] " uses " named[i] ", which does not stand above it"
                uses[cell[2]] = cell[4]; rooms++
            }
            if (rooms < 5) print table ": only " rooms + 0 " rooms"
        }
        {
            file = $1; header = $2; place = file ":" $3 ": " header
            is_test = file ~ tests
            from = room_of(file); to = room_of(header)
            if (from == "") { print file ": in no room of " table; next }
            if (header !~ /\//) { if (header != "jfrkit_find.h") print place ": a path from the top"; next }
            if (header ~ /\.pb-c\.h$|_classes\.h$|\/builtin\.h$|\/page(_meta)?\.h$/) next # made by make
            if (to == "") print place ": in no room of " table
            else if (!is_test && header ~ tests) print place ": a header of tests"
            else if (!may(from, to) && !(is_test && (top(to) == "jfrfmt" || top(from) == top(to))))
                print place ": " from " may not use " to
        }'
    sed -nE 's/^\| `([^`]*)`.*/\1/p' tools/docs/house.md | while read -r room; do
        [ -d "$room" ] || { echo "tools/docs/house.md: there is no $room"; continue; }
        grep -q "^| \`${room%%/*}/\`" README.md || echo "README.md: no row for ${room%%/*}/"
        [[ $room == */* ]] || continue
        [ "$(find "$room" -maxdepth 1 -name '*.[ch]' | wc -l)" -le 40 ] || echo "$room: more than 40 sources"
        find "$room" -maxdepth 1 -name "${room##*/}_*.[ch]" ! -name '*_internal.h' -printf '%p: repeats the name of its folder\n'
    done
}

# circles: files that need each other. x.c, x.h and x_internal.h are one, and internal.h belongs to the
# file that its room is named after.
circles() {
    includes | awk -v tests="$tests" '
        function unit(path, room) {
            sub(/\.[ch]$/, "", path); sub(/_internal$/, "", path)
            if (sub(/\/internal$/, "", path)) { room = path; sub(/.*\//, "", room); path = path "/" room }
            return path
        }
        $1 !~ tests && $2 ~ /\// && $2 !~ /\.pb-c\.h$/ && unit($1) != unit($2) { print unit($1), unit($2) }' |
        sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:/a circle:/'
}

# documents: functions that the map and the READMEs of the folders name, and that are gone.
documents() {
    local page name

    for page in tools/docs/*.md {jfrfmt,config,convert,recorder,tools}{,/*}/README.md; do
        for name in $(grep -oE '\b[a-z][a-z_0-9]{3,}\(\)' "$page" | tr -d '()' | sort -u); do
            grep -qE "\\b$name\(" "${code[@]}" || echo "$page: there is no $name()"
        done
    done
}

# Where jvmti.h is.
jdk_flags() {
    local jdk

    jdk=$(compgen -G "${JAVA_HOME:-/none}/include" || compgen -G '/usr/lib/jvm/*/include')
    jdk=${jdk%%$'\n'*}
    echo "${jdk:+-isystem $jdk -isystem $jdk/linux}"
}

headers() {
    local h

    for h in "${code[@]}"; do
        [[ $h != *.h ]] || echo "#include \"$h\"" |
            ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -I"$B" $(jdk_flags) -fsyntax-only -x c - 2>&1
    done
}

# tidy_file FILE: what clang-tidy finds in it. A file that was clean is not looked at again until it, a
# header of ours that it includes, the rules or the program change: $B/tidy has a mark for each such
# content. A fresh checkout has none, and everything is looked at.
tidy_file() {
    local key

    key=$({
        echo "$tidy_key"
        # shellcheck disable=SC2086
        ${CC:-cc} ${tidy_flags%% -Xclang*} -MM -MG "$1" | tr -s ' \\' '\n' | grep -E '\.[ch]$' | grep -v '^/' | sort -u | xargs -d '\n' cat 2>/dev/null
    } | sha256sum)
    key=$B/tidy/${key%% *}
    [ ! -e "$key" ] || return 0
    # shellcheck disable=SC2086
    if clang-tidy --quiet "$1" -- $tidy_flags >"$key.found" 2>"$key.err" && ! grep -qE ': (error|warning):' "$key.found"; then
        : >"$key"
    else
        grep -E ': (error|warning):' "$key.found" || { echo "$1: clang-tidy failed:"; tail -3 "$key.err"; }
    fi
    rm -f "$key.found" "$key.err"
}

tidy() {
    mkdir -p "$B/tidy"
    tidy_flags="-std=c11 -D_GNU_SOURCE -I. -I$B $(jdk_flags) $(pkg-config --cflags libxml-2.0)"
    # The checks of the analyzer that we use look at the text; with them come the core ones, whose findings
    # are not shown, and which follow paths through each function for nine tenths of the time.
    tidy_flags+=" -Xclang -analyzer-config -Xclang max-nodes=50"
    tidy_key=$(cat .clang-tidy; clang-tidy --version; echo "$tidy_flags")
    export B tidy_flags tidy_key
    export -f tidy_file
    printf '%s\n' "${code[@]}" | grep '\.c$' | xargs -d '\n' -P "$(nproc)" -I{} bash -c 'tidy_file "$1"' tidy {}
}

# Files that run in signal handlers, and what else than each other they may call; behind a '+' what
# they need where no signal is: at the start and the end.
signal_side='
base/vm_crash    + code_range_find
capture/ring
capture/wake
capture/capture  threads_index lost_bytes lost_counts + madvise mmap munmap nanosleep
capture/cpu_perf + close fclose fcntl fopen __isoc99_fscanf fscanf ioctl mmap munmap snprintf strerror
capture/signals  threads_find threads_from_cookie threads_is_cookie threads_cookie_kind lost_bytes
                 lost_counts prctl + sigaction sigemptyset sigaddset getitimer snprintf strerror
capture/short_threads + getrandom
capture/thread_names
capture/virtual_names strnlen
engine/names     + emit emit_now emit_wanted log_line native_hook_install objects_init
                 objects_thread_id threads_at threads_self threads_set_name throttle_init throttle_take
walk/agct_call   pthread_getspecific + dlsym
native/walk      libs_enter libs_leave
native/cfi       libs_find
native/cfi_table + malloc calloc free radix_sort elf_eh_frame elf_eh_frame_hdr elf_part_new
                 elf_part_free
native/cfi_parse cur_bytes cur_fail strnlen + array_add free
native/cfi_program cur_bytes cur_fail
vm/walk          vm_cache_get vm_cache_put vm_stubs_find vm_dict_known vm_dict_method vm_dict_stub
vm/walk_begin
vm/walk_x86
vm/code
vm/method        + vm_number
vm/cont
vm/vm            + dladdr dlopen dlsym snprintf strlen code_range_find vm_layout_read vm_tables_open
vm/virtual_thread
vm/zgc           + snprintf vm_constant vm_field vm_type_size
vm/native        libs_enter libs_leave
vm/cache         + mmap munmap
vm/dict          + mmap munmap
walk/vm_walker   + snprintf strerror walk_vm_check safe_load_install vm_open vm_flag vm_threads_open vm_thread_of
                 vm_stubs_open vm_stubs_close vm_stubs_named
walk/parked      + snprintf strerror pthread_create pthread_join pthread_sigmask
                 safe_load_block_others
walk/jfrkit_walk libs_enter libs_leave prctl strlen strncmp + libs_set_vm libs_update
walk/snapshot    walk_vm_state walk_vm_begin walk_vm_collect
vm/thread        pthread_getspecific'

# Everybody may: none of these locks, allocates or is bound late.
signal_safe='memcpy memset memcmp memmove clock_gettime syscall __errno_location safe_copy
    safe_load_one_in safe_load_unlucky _GLOBAL_OFFSET_TABLE_ capture_times capture_context'

signal_symbols() {
    local object rest objects name

    # one line for each object, all in one column
    sed -E ':a; N; $!ba; s/\n +/ /g' <<<"$signal_side" | grep . >"$work/signal_side"
    objects=$(awk '{ print $1 }' "$work/signal_side")
    # shellcheck disable=SC2086
    nm --defined-only $(printf "$B/recorder/%s.o " $objects) 2>/dev/null |
        awk '$2 ~ /[A-Z]/ { print $3 }' >"$work/theirs"
    while read -r object rest; do
        [ -e "$B/recorder/$object.o" ] || { echo "recorder/$object.c: there is no object"; continue; }
        for name in $(nm -u "$B/recorder/$object.o" | awk '{ print $2 }'); do
            grep -qxF -- "$name" "$work/theirs" ||
                grep -qF " $name " <<<" $(echo $signal_safe $rest) " ||
                echo "recorder/$object.c: $name is not known to be safe in a signal"
        done
    done <"$work/signal_side"
}

# Options are described in the tables of the programs alone: each has one row in a command, with a sentence; no text is
# written twice; a page says nothing of its own about an option, and names none that is not there; examples parse.
descriptions() {
    local verb topic letter name argument sentence text example since

    tools/options.sh rows | tr '\t' '\037' >"$work/rows"
    [ "$(wc -l <"$work/rows")" -gt 400 ] || echo 'tools/options.sh rows: too few options'
    while IFS=$'\037' read -r verb topic letter name argument sentence text example since; do
        [ -n "$sentence" ] || echo "$verb --$name has no description"
        [ -n "$since" ] || echo "$verb --$name: since which version?"
        [ "${text%.}" != "$text" ] || echo "$verb --$name: the text of the manual has no full stop"
    done <"$work/rows"
    awk -F '\037' '!(($4, $7) in seen) { seen[$4, $7] = 1; if ($7 in who) print "--" who[$7] " and --" $4 " have one text"; who[$7] = $4 }' "$work/rows"
    awk -F '\037' '($1, $4) in seen { print $1 " has two descriptions of --" $4 } { seen[$1, $4] = 1 }' "$work/rows"
    awk -F '\037' '{ print "--" $4 }' "$work/rows" | sort -u >"$work/options"
    for page in tools/man/*.1; do
        grep -q '^\.\\" OPTIONS of ' "$page" || echo "$page: no line '.\\\" OPTIONS of'"
        awk 'before == ".TP" && /^\.B.*\\-\\-[a-z]/ && !/version/ { print FILENAME ": an option: " $0 } { before = $0 }' "$page"
        tr -d '\\' <"$page" | grep -oE -- '(^|[ "(])--[a-z][a-z0-9-]*' | tr -d ' "(' | sort -u |
            grep -vxE -- '--(help|version|completion|json|data-binary|insecure)' | comm -23 - "$work/options" | sed "s|^|$page: no program has |"
    done
    awk -F '\037' '$8 != "" { print $8 }' "$work/rows" | sort -u >"$work/examples"
    while IFS= read -r example; do
        case $example in
        *' -- '*) example="${example%% -- *} --help -- ${example#* -- }" ;;
        *) example="$example --help" ;;
        esac
        (PATH=$PWD/$B:$PATH bash -c "$example") >/dev/null 2>"$work/err" </dev/null || echo "$example: $(head -1 "$work/err")"
    done <"$work/examples"
    tools/options.sh | diff tools/docs/options.md - >/dev/null || echo 'tools/docs/options.md: make options'
}

# Pages as roff has them. A terminal of 80 columns shows them whole, but for lines of examples and outputs.
manual() {
    local page line

    mandoc -Tlint "$B"/tools/man/*.1
    for page in "$B"/tools/man/*.1; do
        tr -d '\\' <"$page" | sed 's/^&//; s/^ *//' >"$work/page"
        mandoc -Tascii -Owidth=78 "$page" | col -bx | awk 'length > 80' | while read -r line; do
            grep -qxF -- "$line" "$work/page" || echo "$page: wider than 80 columns: $line"
        done
    done
}

# words: texts for users that have one of tools/docs/words.
words() {
    local pattern page

    pattern=$(grep -v '^#' tools/docs/words | paste -sd'|')
    [ -n "$pattern" ] || echo 'tools/docs/words: no words'
    for page in README.md CHANGES.md tools/docs/*.md "$B"/tools/man/*.1 convert/page/*.html; do
        grep -niwE "$pattern" "$page" | cut -c1-160 | sed "s|^|$page:|"
    done
    for page in $("$B/jfrkit" --list); do
        "$B/$page" --help=all | grep -iwE "$pattern" | sed "s|^|$page --help=all: |"
    done
    for page in top convert attach record start status dump stop list settings 'help where' 'help context' 'help time'; do
        # shellcheck disable=SC2086
        { [ "${page#help}" != "$page" ] && "$B/jfrkit" $page || "$B/jfrkit" $page --help=all; } | grep -iwE "$pattern" |
            sed "s|^|jfrkit $page: |"
    done
}

# Folders whose sources are in plain words: all.
plain='jfrfmt config convert tools recorder'

# source_words: comments that have one of these words. source_heads: files that do not say what they are for.
source_words() {
    local pattern

    pattern=$(grep -v '^#' tools/docs/words | paste -sd'|')
    # shellcheck disable=SC2086
    grep -rniwE "$pattern" --include='*.[ch]' --exclude-dir=test $plain | cut -c1-160
}
source_heads() {
    # shellcheck disable=SC2086
    find $plain -name '*.c' -not -path '*/test/*' | sort | while read -r file; do
        awk -v file="$file" '
            NR == 1 && !/^\/\*/ { over = 1 }
            !over { head = head $0; if (/\*\//) over = 1 }
            END { gsub(/[\/*]/, "", head); if (NR > 60 && length(head) < 80) print file ": " length(head) " characters" }' "$file"
    done
}

machine_paths() {
    files | xargs -d '\n' grep -nIE '(^|[^A-Za-z0-9_.])/([w]ork|[h]ome/[a-z]+|[r]oot)/' |
        grep -vE '/proc/[^ ]*/[r]oot/' # the root of another process
}

long_files() {
    files | grep -vxE "$long|test-data/.*" | xargs -d '\n' wc -l | awk '$2 != "total" && $1 > 600'
}

# A static function is called by what it does and to what. Entries of a table of operations (start, stop) and what each
# processor has of its own may have one name in several files, and so may what stands in for a part (package/reading).
shared_names() {
    printf '%s\n' "${code[@]}" | grep -vE '(_test|_fuzz)\.c$|/test/|testing|test-data|bench|package/reading' | xargs ctags -x --c-kinds=f |
        awk '{ print $1, $4 }' | sort -u | awk '{ print $1 }' | uniq -d >"$work/shared"
    [ "$(wc -l <"$work/shared")" -le 60 ] ||
        { echo "$(wc -l <"$work/shared") names, not 60 at most:"; column -c 120 "$work/shared"; }
}

# The top folder is what a newcomer sees first: a file lost there is nobody's.
top_folder() {
    git ls-files 2>/dev/null | cut -d/ -f1 | sort -u |
        grep -vxE 'Makefile|recorder|jfrfmt|convert|config|tools|test-data|README\.md|LICENSE|CHANGES\.md|\..*'
}

syntax() {
    local s

    for s in "${scripts[@]}"; do
        bash -n "$s" 2>&1
        [ -x "$s" ] || [[ $(head -1 "$s") != '#!'* ]] || echo "$s is not executable"
    done
}

rooms >"$work/found"; verdict 'includes go the allowed way'
circles >"$work/found"; verdict 'no files in a circle'
documents >"$work/found"; verdict 'documents name functions that exist'
headers >"$work/found"; verdict 'headers compile alone'
# The same rules give other lines in each release; these are the code's.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    clang-format --dry-run -Werror "${code[@]}" >"$work/found" 2>&1; verdict 'format'
else
    skip format 'no clang-format 14'
fi
if tools/setup.sh --has clang-tidy; then
    tidy >"$work/found"; verdict 'lint'
else
    skip lint 'no clang-tidy'
fi
if [ -e "$B/libjfrkit.so" ]; then
    signal_symbols >"$work/found"; verdict 'signal handlers call nothing that locks or allocates'
else
    skip 'signal handlers call nothing that locks or allocates' 'no agent, it needs a JDK'
fi
descriptions >"$work/found"; verdict 'an option is described once'
if command -v mandoc >/dev/null; then
    manual >"$work/found"; verdict 'manual pages'
else
    skip 'manual pages' 'no mandoc'
fi
words >"$work/found"; verdict 'texts for users are in plain words'
source_words >"$work/found"; verdict "sources are in plain words: $plain"
source_heads >"$work/found"; verdict "sources over 60 lines open with what they are for: $plain"
machine_paths >"$work/found"; verdict 'no paths of one machine'
if ctags --version 2>/dev/null | grep -q 'Universal Ctags'; then
    shared_names >"$work/found"; verdict 'at most 60 names of functions in more than one file'
else
    skip 'at most 60 names of functions in more than one file' 'no universal-ctags'
fi
long_files >"$work/found"; verdict 'no file over 600 lines'
top_folder >"$work/found"; verdict 'nothing else in the top folder'
syntax >"$work/found"; verdict 'scripts parse'
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
