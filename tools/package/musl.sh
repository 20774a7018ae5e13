#!/bin/bash
# The agent for Linux distributions with musl (Alpine), of this processor: $B/musl/libjfrkit.so. The compiler is Debian's
# musl-gcc (musl-tools). Headers of the kernel and of libraries are the system's; of libraries, only zstd is linked.
set -eu
B=${B:-build}
command -v musl-gcc >/dev/null || { echo 'musl.sh: no musl-gcc (Debian: musl-tools)' >&2; exit 1; }
root=$(realpath -m "$B/musl-root")
mkdir -p "$B"
exec 9>"$B/musl.lock" # two at once would write the same files
flock 9
rm -rf "$root"
mkdir -p "$root"/{include,lib}
machine=$(gcc -print-multiarch)
# Not the folders themselves: they have headers of glibc.
ln -s /usr/include/{linux,asm-generic,zlib.h,zconf.h,lz4.h,lz4hc.h,lz4frame.h,zstd.h,zstd_errors.h,tre,protobuf-c,google,xxhash.h,xxh3.h,libxml2,unicode,sqlite3ext.h,sqlite3.h} \
    "/usr/include/$machine/asm" "$root/include/"
ln -s "$(gcc -print-file-name=libzstd.a)" "$root/lib/"
make -j2 B="$B/musl" CC=musl-gcc IBERTY= CPPFLAGS="-idirafter $root/include -idirafter $root/include/libxml2" LDFLAGS="-L$root/lib" "$B/musl/libjfrkit.so"
