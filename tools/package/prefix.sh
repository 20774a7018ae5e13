#!/bin/bash
# Names of libjfr's headers that do not begin with jfr_ (those of byte buffers, cursors, arenas and clocks) get that prefix
# in the library and in the headers that are installed, so that they are in no program's way. The sources keep the short ones.
#   prefix.sh flags HEADER...   options of the compiler, for the library
#   prefix.sh header HEADER     the header as it is installed, on standard output
set -eu
functions='(arena|buf|cur|clock)_[a-z_]+'
case $1 in
flags) sed -nE "s/^[^*]*\\b($functions)\\(.*/\\1/p" "${@:2}" | sort -u | sed 's/.*/-D&=jfr_&/' ;;
header) sed -E "s/\\b$functions/jfr_&/g; s/\\bstruct (arena|buf|cursor)\\b/struct jfr_\\1/g; s/\\bCUR_/JFR_CUR_/g" "$2" ;;
esac
