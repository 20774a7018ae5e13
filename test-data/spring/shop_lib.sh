# shop_lib.sh - the service of this folder: built once, started by scripts that have read test-data/workload/lib.sh.

# shop [SERVER]: $shop, the service as a jar, with tomcat (default), jetty or undertow; false, and $why
shop() {
    local server=${1:-tomcat} dir
    dir=$(realpath -m "$B/spring/$server")
    command -v mvn >/dev/null || { why='no mvn'; return 1; }
    mkdir -p "$dir"
    (
        flock 9
        [ "$dir/shop.jar" -nt test-data/spring/pom.xml ] &&
            [ "$dir/shop.jar" -nt test-data/spring/src/main/java/shop/Shop.java ] && exit 0
        # Maven writes a jar without the libraries first, and the whole one in its place: what an interrupted build
        # leaves is never taken for the service.
        rm -rf "$dir/target" && cp -r test-data/spring/pom.xml test-data/spring/src "$dir/" &&
            timeout 400 mvn -q -B -f "$dir/pom.xml" "-Dserver=$server" package >"$dir/mvn.log" 2>&1 &&
            mv "$dir/target/shop.jar" "$dir/shop.jar"
    ) 9>"$dir/lock" || { why="mvn failed, see $dir/mvn.log"; return 1; }
    shop=$dir/shop.jar
}

# port: where the service that writes $work/out listens
port() {
    wait_for "$work/out" '(Tomcat|Jetty|Undertow) started on port' "$pid" || give_up "the service does not start: $(tail -3 "$work/out")"
    grep -oE 'started on port [0-9]+' "$work/out" | grep -oE '[0-9]+$'
}
