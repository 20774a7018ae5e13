#!/bin/bash
# Texts of javatext_test --print against a JVM's own, for many random values. Needs a JDK of 19 or
# newer, whose Double.toString() is the shortest one.
set -u
B=${B:-build}
n=${N:-200000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first JDK that is new enough; nothing when there is none.
find_jdk() {
    local java version

    for java in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} $(command -v java) /usr/lib/jvm/*/bin/java; do
        version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
        [ "${version:-0}" -ge 19 ] && [ -x "${java}c" ] && echo "$java" && return
    done
}

java=$(find_jdk)
if [ -z "$java" ]; then
    echo 'skip javatext against a JVM: no JDK of 19 or newer'
    exit 0
fi

# Prints N lines "INPUT<tab>TEXT" for one kind of value; the seed is fixed.
cat >"$work/Texts.java" <<'END'
import java.time.*;
import java.util.*;

public class Texts {
    static final Random random = new Random(42);

    /* Any magnitude is as likely as any other. */
    static long anyLong() {
        return random.nextLong() >> random.nextInt(64);
    }

    static long doubleBits(int i) {
        switch (i % 4) {
        case 0: return random.nextLong();
        case 1: return Double.doubleToRawLongBits(random.nextInt(100000) / 1000.0);
        case 2: return (long) random.nextInt(2047) << 52; /* powers of two */
        default: return Double.doubleToRawLongBits(anyLong() / (double) (1 + random.nextInt(1000)));
        }
    }

    static int floatBits(int i) {
        switch (i % 4) {
        case 0: return random.nextInt();
        case 1: return Float.floatToRawIntBits(random.nextInt(100000) / 1000f);
        case 2: return random.nextInt(255) << 23;
        default: return Float.floatToRawIntBits(anyLong() / (float) (1 + random.nextInt(1000)));
        }
    }

    static String instant() {
        long s = anyLong() % 31556889864000000L;
        int ns = random.nextInt(4) == 0 ? 0 : random.nextInt(1000) * (int) Math.pow(1000, random.nextInt(3));
        int zone = random.nextInt(3) * (random.nextInt(2 * 64800 + 1) - 64800);
        if (Math.abs(zone) > 64800)
            zone /= 3600;
        if (random.nextInt(4) == 0)
            s -= Math.floorMod(s, 60);
        return s + " " + ns + " " + zone + "\t"
            + OffsetDateTime.ofInstant(Instant.ofEpochSecond(s, ns), ZoneOffset.ofTotalSeconds(zone));
    }

    static String duration(char kind) {
        long v = anyLong();
        Duration d = kind == 'n' ? Duration.ofNanos(v) : kind == 'm' ? Duration.ofMillis(v)
            : kind == 's' ? Duration.ofSeconds(v)
            : Duration.ofSeconds(Math.floorDiv(v, 1000000L), Math.floorMod(v, 1000000L) * 1000);
        return v + "\t" + d;
    }

    public static void main(String[] args) {
        char kind = args[0].charAt(0);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            if (kind == 'd') {
                long bits = doubleBits(i);
                out.append(bits).append('\t').append(Double.longBitsToDouble(bits));
            } else if (kind == 'f') {
                int bits = floatBits(i);
                out.append(bits).append('\t').append(Float.intBitsToFloat(bits));
            } else {
                out.append(kind == 'i' ? instant() : duration(kind));
            }
            out.append('\n');
        }
        System.out.print(out);
    }
}
END
"${java}c" -d "$work" "$work/Texts.java" || exit 1

failed=0
for kind in 'd double' 'f float' 'i time' 'n nanoseconds' 'u microseconds' 'm milliseconds' 's seconds'; do
    name="$n texts as a JVM's: ${kind#* }"
    "$java" -cp "$work" Texts "${kind%% *}" "$n" >"$work/all"
    cut -f2 "$work/all" >"$work/want"
    cut -f1 "$work/all" | "$B/convert/text/test/javatext_test" --print "${kind%% *}" >"$work/got"
    if [ "$(wc -l <"$work/want")" = "$n" ] && cmp -s "$work/want" "$work/got"; then
        echo "ok $name"
    else
        echo "not ok $name"
        paste "$work/all" "$work/got" | awk -F'\t' '$2 != $3' | head -5
        failed=1
    fi
done
exit $failed
