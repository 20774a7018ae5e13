# engines_lib.sh - engines that read tables, from PyPI.
#
#   . tools/test/engines_lib.sh
#   engines pyarrow=26.0.1 duckdb=2.0.1 || { skip ... "$why"; }
#   engine_python script.py ...
#   big_engines pyarrow=26.0.1 chdb=4.4.0 && "$big_python" script.py ...

# engines PROJECT=VERSION...: fetches what is missing into $B/engines; false, and $why
engines() {
    local folder
    folder=$(realpath -m "${B:-build}/engines")
    command -v python3 >/dev/null || { why='no python3'; return 1; }
    mkdir -p "$folder"
    why=$(
        exec 9>"$folder/.lock"
        flock 9
        timeout 300 python3 tools/test/fetch_wheels.py "$folder" "$@" 2>&1 | head -1
    )
    [ -z "$why" ] || return 1
    engine_folder=$folder
}

# big_engines PROJECT=VERSION...: those that need pip, into a virtual environment of just these projects, below
# $B/engines-pip; false, and $why. Tests with different projects run at the same time, and what one of them still unpacks,
# another must not import.
big_engines() {
    local folder project
    folder=$(realpath -m "${B:-build}/engines-pip")
    mkdir -p "$folder"
    project=$(IFS=_ && echo "$*")
    folder=$folder/${project//=/-}
    why=$(
        exec 9>"$folder.lock"
        flock 9
        [ -x "$folder/bin/pip" ] || python3 -m venv "$folder" >"$folder.log" 2>&1 || { echo 'python3 -m venv failed'; exit; }
        for project; do
            [ -e "$folder/$project" ] && continue
            timeout 500 "$folder/bin/pip" install -q "${project/=/==}" >>"$folder.log" 2>&1 && touch "$folder/$project" ||
                { echo "pip install $project failed, see $folder.log"; exit; }
        done
    )
    [ -z "$why" ] || return 1
    big_python=$folder/bin/python
}

engine_python() {
    PYTHONPATH=$engine_folder python3 -W ignore "$@"
}
