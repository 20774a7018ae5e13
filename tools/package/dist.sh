#!/bin/bash
# dist.sh [FILE]: the source archive jfrkit-VERSION.tar (default: in $B, packed as .tar.gz), of the last commit. The same
# commit gives the same bytes.
set -eu
B=${B:-build}
version=$(tools/package/version.sh)
name=jfrkit-$version
if [ -e .git ]; then
    archive() { git archive --format=tar --prefix="$name/" HEAD; } # with the time of the commit
else # an archive that was unpacked
    epoch=$(stat -c %Y tools/cli/cli.h)
    archive() {
        find . -path ./build -prune -o -path ./debian -prune -o -type f -print0 | LC_ALL=C sort -z |
            tar --null -T - --no-recursion --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
                --mode='u+rw,go=rX' --transform="s|^\./|$name/|" -cf -
    }
fi
if [ $# -gt 0 ]; then
    archive >"$1"
    exit
fi
mkdir -p "$B"
archive | gzip -9n >"$B/$name.tar.gz.new"
mv "$B/$name.tar.gz.new" "$B/$name.tar.gz"
sha256sum "$B/$name.tar.gz"
