#!/bin/bash
# Builds the Debian packages jfrkit, jfrkit-agent, libjfr1 and libjfr-dev from the files of the last commit (or, where
# there is no git, of this folder) into $B/deb, and has lintian look at them.
#   DEBFULLNAME, DEBEMAIL   name and address of the maintainer; without an address, lintian does not check it
# Exit code 1 if a package cannot be built or lintian finds an error or a warning.
set -euo pipefail
B=${B:-build}
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || { echo "deb.sh: no $tool: apt-get install dpkg-dev debhelper lintian" >&2; exit 1; }
done
version=$(tools/package/version.sh)
maintainer="${DEBFULLNAME:-jfrkit developers} <${DEBEMAIL:-jfrkit@$(hostname -f 2>/dev/null || hostname)}>"
out=$(realpath -m "$B/deb")
rm -rf "$out"
mkdir -p "$out"
packaging=$PWD/tools/package/debian
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/package/dist.sh "$work/jfrkit.tar"
tar -xf "$work/jfrkit.tar" -C "$work"
cd "$work/jfrkit-$version"
cp -r "$packaging" .
sed -i "s/@MAINTAINER@/$maintainer/" debian/control
date=$(date -Ru -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y tools/cli/cli.h)}")
printf 'jfrkit (%s) unstable; urgency=medium\n\n  * See CHANGES.md.\n\n -- %s  %s\n' "$version" "$maintainer" "$date" >debian/changelog
dpkg-buildpackage -b -us -uc ${DEB_OPTIONS:-} >"$out/build.log" 2>&1 || { tail -20 "$out/build.log" >&2; exit 1; }
grep '^the agent is built without' "$out/build.log" >&2 || true
mv ../*.deb ../*.buildinfo ../*.changes "$out"
cd "$out"
suppress=()
[ -n "${DEBEMAIL:-}" ] || suppress=(--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog)
lintian --allow-root --fail-on error,warning "${suppress[@]}" ./*.changes 2>&1 | tee lintian.log
sha256sum ./*.deb
