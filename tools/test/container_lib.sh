# container_lib.sh - a JVM in a container, for scripts that have read test-data/workload/lib.sh.
#
#   can_contain || skip ...
#   contained "$home"       $pid, the JVM, as this script sees it; $host, the process that made the container

can_contain() {
    unshare -m -p -n -i --fork true 2>/dev/null && [ "$(id -u)" = 0 ]
}

# A JVM with a pid, mount, network and IPC namespace, a /tmp, a /proc and a user of its own, which
# sees none of our files but the JDK and its program.
contained() { # contained JDK
    # The new /tmp is filled before it covers the old one, where this checkout may be.
    cat >"$work/box.sh" <<END
set -e
mount -t proc proc /proc
mkdir -p "$work/box"
mount -t tmpfs none "$work/box"
mkdir "$work/box/app"
cp "$B"/workload/*.class "$work/box/app"
mount --move "$work/box" /tmp
[ ! -d "$(dirname "$agent")" ] || mount -t tmpfs none "$(dirname "$agent")"
cd /tmp/app
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$1/bin/java" -cp /tmp/app Workload cpu 600
END
    : >"$work/out"
    unshare -m -p -n -i --fork bash "$work/box.sh" >"$work/out" 2>"$work/err" </dev/null &
    host=$!
    children+=("$host")
    wait_for "$work/out" '^pid=1$' || give_up "the container's JVM does not start: $(cat "$work/err")"
    read -r pid _ <"/proc/$host/task/$host/children"
    [ -n "$pid" ] || give_up "process $host has no child"
    children+=("$pid")
}
