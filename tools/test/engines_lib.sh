# engines_lib.sh - engines that read tables, from PyPI.
#
#   . tools/test/engines_lib.sh
#   engines pyarrow=26.0.1 duckdb=2.0.1 || { skip ... "$why"; }
#   engine_python script.py ...

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

engine_python() {
    PYTHONPATH=$engine_folder python3 -W ignore "$@"
}
