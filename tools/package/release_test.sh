#!/bin/bash
# What a release is made of, as far as it needs no other system: the source archive, twice the same and complete, and the
# list of what it contains. (tools/package/deb.sh builds packages, try_deb.sh installs them on a fresh Debian.)
set -u
B=${B:-build}
. tools/test/verdict_lib.sh

version=$("$B/jfrkit" --version | awk '{ print $NF }')
grep -qE "^## ${version//./\\.}( |$)" CHANGES.md || wrong "CHANGES.md does not begin with $version"
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong "$version is no version"
verdict 'CHANGES names the version'

if [ -e .git ] && command -v git >/dev/null; then
    B=$work/1 tools/package/dist.sh >"$work/log" 2>&1 || wrong "$(cat "$work/log")"
    sleep 1
    (umask 077 && TZ=Asia/Tokyo LC_ALL=C B=$work/2 tools/package/dist.sh) >"$work/log" 2>&1 || wrong "$(cat "$work/log")"
    cmp "$work/1/jfrkit-$version.tar.gz" "$work/2/jfrkit-$version.tar.gz" >>"$work/wrong" 2>&1
    tar -tzf "$work/1/jfrkit-$version.tar.gz" | sed "s|^jfrkit-$version/||; /\/\$/d; /^\$/d" | LC_ALL=C sort >"$work/have"
    git ls-tree -r --name-only HEAD | LC_ALL=C sort | diff - "$work/have" >>"$work/wrong"
    # What was unpacked makes an archive, too.
    mkdir "$work/unpacked" && tar -xzf "$work/1/jfrkit-$version.tar.gz" -C "$work/unpacked"
    (cd "$work/unpacked/jfrkit-$version" && B=$work/3 tools/package/dist.sh) >"$work/log" 2>&1 || wrong "$(cat "$work/log")"
    tar -tzf "$work/3/jfrkit-$version.tar.gz" | sed "s|^jfrkit-$version/||; /\/\$/d" | LC_ALL=C sort | diff "$work/have" - >>"$work/wrong"
    verdict 'the source archive: the same bytes twice, all files, also from an archive'
else
    echo 'skip the source archive: no git'
fi

if command -v jq >/dev/null; then
    for i in 1 2; do
        B=$work/$i tools/package/sbom.sh >"$work/log" 2>&1 || wrong "$(cat "$work/log")"
    done
    sbom=$work/1/jfrkit-$version.spdx.json
    cmp "$sbom" "$work/2/jfrkit-$version.spdx.json" >>"$work/wrong" 2>&1
    # Each library that the programs and the agent load is in it.
    for library in $(readelf -d "$B/jfrkit" "$B/libjfrkit.so" "$B/libjfrkit-config.so" 2>/dev/null | sed -n 's/.*NEEDED.*\[lib\([a-z0-9-]*\)\.so.*/\1/p' | sort -u); do
        case $library in
        c | m | pthread | dl) continue ;;
        z) library=zlib ;;
        xml2) library=libxml2 ;;
        esac
        [ "$(jq -r --arg n "$library" '[.packages[] | select(.name == $n)] | length' "$sbom")" = 1 ] || wrong "$library is not in the list"
    done
    same 'relations to what is not there' "$(jq -r '[.packages[].SPDXID, .SPDXID] as $known | [.relationships[] | .spdxElementId, .relatedSpdxElement | select(. as $x | $known | index($x) | not)] | length' "$sbom")" 0
    verdict 'the list of what it contains (SPDX)'
else
    echo 'skip the list of what it contains: no jq'
fi
exit $failed
