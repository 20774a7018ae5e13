#!/bin/bash
# Writes $B/jfrkit-VERSION.spdx.json: what the programs, the agent and libjfr are made of, as SPDX 2.3. Versions are those of
# the machine that builds. The same commit and libraries give the same bytes.
set -eu
B=${B:-build}
command -v jq >/dev/null || { echo "sbom.sh: no jq" >&2; exit 1; }
version=$(tools/package/version.sh)
commit=$(git rev-parse HEAD 2>/dev/null || echo "$version")
created=$(date -u -d "@$(git log -1 --format=%ct 2>/dev/null || stat -c %Y tools/cli/cli.h)" +%Y-%m-%dT%H:%M:%SZ)

version_of() { # version_of MODULE of pkg-config
    pkg-config --modversion "$1" 2>/dev/null || echo NOASSERTION
}

asm=$(sed -n 's/.* VERSION = "\(.*\)";/\1/p' recorder/java/weave/FetchAsm.java)

# name | version | licence | how it is used | its home
parts() {
    cat <<END
zstd|$(version_of libzstd)|BSD-3-Clause|STATIC_LINK|https://github.com/facebook/zstd
zlib|$(version_of zlib)|Zlib|DYNAMIC_LINK|https://zlib.net
lz4|$(version_of liblz4)|BSD-2-Clause|DYNAMIC_LINK|https://github.com/lz4/lz4
tre|$(version_of tre)|BSD-2-Clause|DYNAMIC_LINK|https://github.com/laurikari/tre
protobuf-c|$(version_of libprotobuf-c)|BSD-2-Clause|DYNAMIC_LINK|https://github.com/protobuf-c/protobuf-c
libxml2|$(version_of libxml-2.0)|MIT|DYNAMIC_LINK|https://gitlab.gnome.org/GNOME/libxml2
xxhash|$(version_of libxxhash)|BSD-2-Clause|STATIC_LINK|https://github.com/Cyan4973/xxHash
libiberty|$("${CC:-cc}" -dumpfullversion)|GPL-2.0-or-later WITH GCC-exception-2.0|STATIC_LINK|https://gcc.gnu.org
asm|$asm|BSD-3-Clause|STATIC_LINK|https://asm.ow2.io
sqlite|$(version_of sqlite3)|blessing|OPTIONAL_DEPENDENCY_OF|https://sqlite.org
libcurl|NOASSERTION|curl|OPTIONAL_DEPENDENCY_OF|https://curl.se
libedit|NOASSERTION|BSD-3-Clause|OPTIONAL_DEPENDENCY_OF|https://www.thrysoee.dk/editline
END
}

mkdir -p "$B"
out=$B/jfrkit-$version.spdx.json
parts | jq -R -s --arg version "$version" --arg commit "$commit" --arg created "$created" '
    def package(name; version; licence; home): {
        name: name, SPDXID: "SPDXRef-\(name)", versionInfo: version, downloadLocation: home, filesAnalyzed: false,
        licenseConcluded: licence, licenseDeclared: licence, copyrightText: "NOASSERTION", supplier: "NOASSERTION"};
    split("\n") | map(select(. != "") | split("|")) as $parts |
    {
        spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: "jfrkit-\($version)",
        documentNamespace: "https://spdx.org/spdxdocs/jfrkit-\($version)-\($commit)",
        creationInfo: {created: $created, creators: ["Tool: tools/package/sbom.sh"]},
        packages: ([package("jfrkit"; $version; "Apache-2.0"; "NOASSERTION")] +
            ($parts | map(package(.[0]; .[1]; .[2]; .[4])))),
        relationships: ([{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: "SPDXRef-jfrkit"}] +
            ($parts | map(if .[3] == "OPTIONAL_DEPENDENCY_OF"
                then {spdxElementId: "SPDXRef-\(.[0])", relationshipType: .[3], relatedSpdxElement: "SPDXRef-jfrkit"}
                else {spdxElementId: "SPDXRef-jfrkit", relationshipType: .[3], relatedSpdxElement: "SPDXRef-\(.[0])"} end)))
    }' >"$out.new"
mv "$out.new" "$out"
echo "$out: $(jq '.packages | length' "$out") packages"
