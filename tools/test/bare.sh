#!/bin/bash
# The two commands of the README on a fresh Debian: what a user has who installed make and git, and who reaches
# Debian's packages and no other registry. Needs root, debootstrap and about 4 GB; takes 10 to 15 minutes.
#
#   tools/test/bare.sh [RELEASE]   RELEASE of Debian. Default: bookworm
#   RUNS=2       runs of `make test`. Default: 1
#   COMMANDS=C   a shell command to run there in place of both, for example 'make test ONLY=options_test'
#   WITH=DIR     a folder that is copied to /with of the new system
#   MIRROR=URL   a mirror of Debian. Default: that of debootstrap
#   KEEP=DIR     makes the system in DIR, which must not exist, and leaves it there
#
# The last commit is cloned to /jfrkit of the new system. Mounts and processes live in namespaces of this script, so
# none of them is left when it ends, however it ends; if it is killed, its folder in /tmp is. The exit code is 0 if all
# commands succeeded.
set -u
release=${1:-bookworm}
cd "$(dirname "$0")/../.." || exit 1

if [ "${BARE_INSIDE:-}" != yes ]; then
    [ "$(id -u)" = 0 ] || { echo 'skip bare.sh: it needs root'; exit 0; }
    command -v debootstrap >/dev/null || { echo 'skip bare.sh: no debootstrap'; exit 0; }
    exec env BARE_INSIDE=yes unshare --mount --pid --fork --kill-child "$0" "$release"
fi

root=${KEEP:-}
if [ -n "$root" ]; then
    mkdir "$root" || exit 1
else
    root=$(mktemp -d) || exit 1
    # The mounts would make rm delete what is mounted.
    trap 'umount -R "$root/proc" "$root/sys" "$root/dev" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
fi

debootstrap --variant=minbase --include=make,git "$release" "$root" ${MIRROR:+"$MIRROR"} >"$root.log" 2>&1 ||
    { tail -5 "$root.log"; echo "bare.sh: debootstrap failed, see $root.log"; exit 1; }
rm -f "$root.log"
chmod 755 "$root" # other users go through it
git clone -q --no-hardlinks . "$root/jfrkit" || exit 1
[ -z "${WITH:-}" ] || cp -r "$WITH" "$root/with" || exit 1
mount -t proc proc "$root/proc" && mount -t sysfs -o ro sysfs "$root/sys" && mount -t tmpfs tmpfs "$root/dev" || exit 1
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" && mount -t tmpfs tmpfs "$root/dev/shm" || exit 1
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in stdin:0 stdout:1 stderr:2; do
    ln -s "/proc/self/fd/${stream#*:}" "$root/dev/${stream%:*}"
done
for device in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}" || exit 1
done
mknod -m 666 "$root/dev/tty" c 5 0

# Debian's packages come by http. Whatever comes by https, or is fetched by Maven, finds a closed port.
closed=127.0.0.1
inside() { # inside COMMAND: runs it in the clone, with an environment as login makes it
    echo "== $1"
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root USER=root TERM=dumb \
        https_proxy=http://$closed:1 HTTPS_PROXY=http://$closed:1 \
        MAVEN_OPTS="-Dhttps.proxyHost=$closed -Dhttps.proxyPort=1" \
        chroot "$root" /bin/bash -c "cd /jfrkit && $1"
}

failed=0
if [ -n "${COMMANDS:-}" ]; then
    inside "$COMMANDS" || failed=1
else
    inside 'make demo' || failed=1
    for _ in $(seq "${RUNS:-1}"); do
        inside 'make test' || failed=1
    done
fi
exit $failed
