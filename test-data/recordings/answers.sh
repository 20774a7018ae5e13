#!/bin/bash
# Writes answers.tsv anew: what `jfr` of JDK 17 and 25 prints of the recordings here and, where they are,
# of those of others in $SHARED. Columns: the recording's digest, release and command, the answer's
# digest (- when the tool cannot read it), the recording's name.
set -u
cd "$(dirname "$0")/../.." || exit 1
table=test-data/recordings/answers.tsv
: >"$table"
for test in jfr2json jfrsummary jfrmeta jfr2collapsed; do
    REMEMBER=1 tools/${test}_test.sh
done
LC_ALL=C sort -u -o "$table" -t $'\t' -k4 -k2 "$table"
wc -l "$table"
