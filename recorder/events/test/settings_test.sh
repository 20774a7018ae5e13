#!/bin/bash
# The JDKs' own settings work as they are, and the JDKs read ours.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

jdk_settings() { # HOME
    local name

    for name in default profile; do
        [ -e "$1/lib/jfr/$name.jfc" ] || continue
        record "$1" "$work/jfc.jfr" "settings=$1/lib/jfr/$name.jfc" idle 1 || wrong "$name.jfc: exit code $?"
        is_whole "$work/jfc.jfr"
        [ "$(grep -c 'are none that this recorder makes' "$work/err")" = 1 ] ||
            wrong "$name.jfc: $(head -3 "$work/err")"
        [ "$(grep -cv 'are none that this recorder makes' "$work/err")" = 0 ] ||
            wrong "$name.jfc: $(grep -v 'are none' "$work/err" | head -3)"
        [ "$(count "$work/jfc.jfr" jdk.JVMInformation)" = 1 ] || wrong "$name.jfc: no events"
        [ "$(query "$work/jfc.jfr" ActiveSetting '[.[] | select(.name == "threshold" and (.value == "20 ms" or .value == "10 ms"))] | length > 0')" = true ] ||
            wrong "$name.jfc: not in force"
    done
}

our_settings() { # HOME
    local name

    for name in default profile; do
        jfr "$1" configure --input "config/$name.jfc" --output "$work/out.jfc" jdk.ThreadPark#threshold=7ms \
            >"$work/said" 2>&1 || wrong "jfr configure: $(head -2 "$work/said")"
        grep -q '>7 ms<' "$work/out.jfc" || wrong "$name.jfc: the threshold was not set"
        "$1/bin/java" "-XX:StartFlightRecording:filename=$work/jdk.jfr,settings=config/$name.jfc" -cp "$B/workload" \
            Waits 1 >"$work/said" 2>&1 || wrong "recording with $name.jfc: $(head -2 "$work/said")"
        ! grep -qiE 'warning|\] *error|could not' "$work/said" ||
            wrong "$name.jfc: $(grep -iE 'warning|\] *error|could not' "$work/said" | head -2)"
    done
}

all_settings() { # HOME VERSION
    jdk_settings "$1"
    verdict "settings of JDK $2 work as they are"
    if [ "$2" -ge 17 ]; then
        our_settings "$1"
        verdict "JDK $2 reads our settings"
    fi
}

each_jdk all_settings
exit $failed
