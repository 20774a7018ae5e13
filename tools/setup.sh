#!/bin/bash
# Installs what is missing, by name, from Debian. Silent and instant where all is there.
#   tools/setup.sh          everything; what cannot be had is named in one line
#   tools/setup.sh demo     only what the build and the demo need
#   tools/setup.sh jdks     JVMs of other releases for the tests, from PyPI to $B/jdks and, of aarch64, from PyPI and
#                           Debian to $B/jdks-aarch64 (B=build)
#   tools/setup.sh --has X  exit code 0 if X (a command, or a header such as cmocka.h) is there
# Exit code 1 only when something is missing without which nothing can be built.
set -u

# what to look for                     Debian package
build='
gcc                                    gcc
make                                   make
pkg-config                             pkg-config
zstd.h                                 libzstd-dev
zlib.h                                 zlib1g-dev
lz4frame.h                             liblz4-dev
tre/tre.h                              libtre-dev
xxhash.h                               libxxhash-dev
libxml2/libxml/parser.h                libxml2-dev
protobuf-c/protobuf-c.h                libprotobuf-c-dev
protoc                                 protobuf-compiler
protoc-gen-c                           protobuf-c-compiler'

demo='
libiberty/demangle.h                   libiberty-dev
jq                                     jq
java                                   default-jdk-headless'

# only tests, checks and oracles use these
tests='
cmocka.h                               libcmocka-dev
sqlite3ext.h                           libsqlite3-dev
libcurl.so.4                           libcurl4
openssl                                openssl
clang                                  clang
libclang_rt.fuzzer-x86_64.a            libclang-rt-dev
clang-format                           clang-format
clang-tidy                             clang-tidy
ctags                                  universal-ctags
mandoc                                 mandoc
g++                                    g++
python3                                python3
java25                                 openjdk-25-jdk-headless
zip                                    zip
gzip                                   gzip
zstd                                   zstd
lz4                                    lz4
mvn                                    maven
chromium                               chromium
node                                   nodejs
zsh                                    zsh
fish                                   fish
valgrind                               valgrind
go                                     golang-go
musl-gcc                               musl-tools
abidiff                                abigail-tools
aarch64-linux-gnu-gcc                  gcc-aarch64-linux-gnu
/usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross
qemu-aarch64-static                    qemu-user-static'

has() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *.h) printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CC:-cc}" -E -x c - >/dev/null 2>&1 ;;
    *.a) [ "$(uname -m)" != x86_64 ] || compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/*/$1" >/dev/null ;;
    *.so.*) ldconfig -p | grep -qF "$1" ;;
    java) compgen -G '/usr/lib/jvm/*/bin/jfr' >/dev/null ;;
    java25) compgen -G '/usr/lib/jvm/*25*/bin/jfr' >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing() {
    local what package

    while read -r what package; do
        [ -z "$what" ] || has "$what" || echo "$package"
    done <<<"$1"
}

install() {
    local root=()

    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || return 1
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 \
        install -y --no-install-recommends "$@" </dev/null >/dev/null 2>&1
}

update() {
    [ "$(id -u)" = 0 ] && apt-get -qq update >/dev/null 2>&1 || sudo -n apt-get -qq update >/dev/null 2>&1
}

# known PACKAGE...: those that this release of Debian has.
known() {
    local p

    for p; do
        ! apt-cache show "$p" >/dev/null 2>&1 || echo "$p"
    done
}

# The releases that tests want and that are not installed, and three for the other processor where programs for it can
# be made and run. Without a network this costs a moment.
jdks() {
    local release wanted=()

    for release in 8 11 17 21 25; do
        compgen -G "/usr/lib/jvm/*-$release-*/bin/jfr" >/dev/null || wanted+=("$release")
    done
    [ ${#wanted[@]} = 0 ] || ! has python3 ||
        python3 tools/test/fetch_jdks.py "${B:-build}/jdks" "${wanted[@]}" | sed 's/^/setup: /'
    ! has aarch64-linux-gnu-gcc || ! has qemu-aarch64-static || ! has python3 ||
        python3 tools/test/fetch_jdks.py --machine aarch64 "${B:-build}/jdks-aarch64" 17 21 25 | sed 's/^/setup: /'
}

if [ "${1:-}" = --has ]; then
    has "$2"
    exit
elif [ "${1:-}" = jdks ]; then
    jdks
    exit
fi

[ "${1:-}" = demo ] && tests=$demo || tests=$demo$tests
wanted=$(missing "$build$tests")
if [ -n "$wanted" ] && command -v apt-get >/dev/null; then
    # A fresh image has no lists yet.
    compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || update
    wanted=$(known $wanted)
fi
if [ -n "$wanted" ] && command -v apt-get >/dev/null; then
    echo "setup: installing" $wanted
    # One package that cannot be had must not keep the others away.
    install $wanted || { update; install $wanted; } || for p in $wanted; do install "$p"; done
fi

[ "${1:-}" = demo ] || jdks
no_tests=$(missing "$tests")
[ -z "$no_tests" ] || echo "setup: not installed, what needs them is skipped:" $no_tests
no_build=$(missing "$build")
[ -z "$no_build" ] || { echo "setup: cannot build without these, please install:" $no_build >&2; exit 1; }
