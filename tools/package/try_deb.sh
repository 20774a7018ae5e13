#!/bin/bash
# try_deb.sh DIR: installs the packages of DIR on a Debian that has nothing of ours, with Debian's Java runtime and no JDK,
# records a program and makes its page. DIR has the classes of test-data/workload, too. Prints the seconds of each step.
#   WITH=DIR COMMANDS='tools/package/try_deb.sh /with' tools/test/bare.sh [RELEASE]
set -eu
dir=$1 began=$SECONDS
work=$(mktemp -d)

step() {
    echo "$((SECONDS - began)) s: $*"
}

apt-get update -q >"$work/log" 2>&1
export DEBIAN_FRONTEND=noninteractive
mapfile -t packages < <(find "$dir" -name '*.deb' ! -name '*-dbgsym_*')
apt-get install -qy --no-install-recommends default-jre-headless "${packages[@]}" >>"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
step "installed: $(java -version 2>&1 | head -1)"
! command -v javac >/dev/null || { echo 'there is a JDK'; exit 1; }
cd "$work"
jfrkit --version
jfrkit record -q -o app.jfr -- java -cp "$dir" Workload cpu 5 >"$work/log" 2>&1
[ "$(jfrkit table --by event -f csv app.jfr | tr -d '\r' | awk -F, '$1 == "jdk.ExecutionSample" { print $2 }')" -gt 100 ]
step "recorded: $(stat -c %s app.jfr) bytes"
jfrkit flame -o app.html app.jfr
jfrkit convert -q -f collapsed -o - app.jfr | grep 'Workload.main' >/dev/null
step "page: $(stat -c %s app.html) bytes"
java -cp "$dir" Workload cpu 60 >"$work/log" 2>&1 &
sleep 2
jfrkit attach -d 2s -o two.jfr Workload | grep '^Top methods' >/dev/null
kill $!
step 'attached to a running JVM'
dpkg -L libjfr-dev | grep -q jfrkit.pc
man -w jfrkit >/dev/null 2>&1 || [ -e /usr/share/man/man1/jfrkit.1.gz ] || echo 'no manual pages here: dpkg is configured to leave them out'
apt-get purge -qy jfrkit jfrkit-agent libjfr1 libjfr-dev >"$work/log" 2>&1
[ ! -e /usr/bin/jfrkit ] && [ ! -e /usr/lib/jfrkit ] && [ -z "$(ls /usr/lib/*/libjfr.so* 2>/dev/null)" ]
step 'purged, nothing left'
