#!/bin/bash
# For aarch64: the static program, $B/jfrkit-static-aarch64, and the agent, $B/aarch64/libjfrkit.so. The compiler is
# Debian's cross-compiler; libraries come from Debian's packages for arm64, into a folder of their own: nothing of the system
# is changed.
set -eu
B=${B:-build}
command -v aarch64-linux-gnu-gcc >/dev/null || { echo 'aarch64.sh: no aarch64-linux-gnu-gcc' >&2; exit 1; }
root=$(realpath -m "$B/aarch64-root")
mkdir -p "$B"
exec 9>"$B/aarch64.lock" # two at once would write the same files
flock 9
if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    mkdir -p "$root"/{state/lists/partial,cache/archives/partial,etc/parts,etc/preferences}
    : >"$root/status"
    cat >"$root/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$root/state";
Dir::State::status "$root/status";
Dir::Cache "$root/cache";
Dir::Etc::Parts "$root/etc/parts";
Dir::Etc::PreferencesParts "$root/etc/preferences";
END
    export APT_CONFIG=$root/apt.conf
    apt-get update -q >"$root/log" 2>&1 || { tail -3 "$root/log" >&2; exit 1; }
    (cd "$root" && apt-get download -q libzstd-dev zlib1g-dev liblz4-dev libtre-dev libprotobuf-c-dev libsqlite3-dev libxxhash-dev libxml2-dev libxml2 libiberty-dev) >>"$root/log" 2>&1 ||
        { tail -3 "$root/log" >&2; exit 1; }
    for package in "$root"/*.deb; do
        dpkg -x "$package" "$root"
    done
    : >"$root/complete"
fi
common=(CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar STRIP=aarch64-linux-gnu-strip
    CPPFLAGS="-idirafter $root/usr/include -idirafter $root/usr/include/libxml2")
libraries=-L$root/usr/lib/aarch64-linux-gnu
make -j2 B="$B/aarch64" JDK= IBERTY= STATIC_LDFLAGS="$libraries" "${common[@]}" static
mv "$B/aarch64/jfrkit-static" "$B/jfrkit-static-aarch64"
[ -e "${JAVA_HOME:-}/include/jvmti.h" ] || compgen -G '/usr/lib/jvm/*/include/jvmti.h' >/dev/null || { echo 'aarch64.sh: no JDK with headers: no agent' >&2; exit; }
make -j2 B="$B/aarch64" IBERTY="$root/usr/lib/aarch64-linux-gnu/libiberty.a" LDFLAGS="$libraries" "${common[@]}" "$B"/aarch64/{libjfrkit,libjfrkit-config}.so
