#!/bin/bash
# aarch64.sh COMMAND...: runs a command whose programs, and theirs, may be for aarch64: qemu is the interpreter of such
# programs in a namespace of its own (Linux 6.7). Exit code 125: that cannot be had here, and standard error says why.
set -u
qemu=$(command -v qemu-aarch64-static) || { echo 'no qemu-aarch64-static' >&2; exit 125; }
[ -d /usr/aarch64-linux-gnu/lib ] || { echo 'no libc for aarch64' >&2; exit 125; }
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
# The kind of file by its first bytes: an ELF file of 64 bits, a program or library, for processor 183.
kind='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
exec unshare -Urm bash -c '
    of=/proc/sys/fs/binfmt_misc
    mount -t binfmt_misc none $of 2>/dev/null && printf %s "$1" >$of/register || { echo "no binfmt_misc in a namespace" >&2; exit 125; }
    shift
    exec "$@"' - ":aarch64:M::$kind:$mask:$qemu:F" "$@"
