#!/bin/bash
# JSON of random bytes against what a JVM makes of them: new String(bytes, UTF_8), unit by unit.
set -u
B=${B:-build}
n=${N:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/Texts.java" <<'END'
import java.nio.charset.StandardCharsets;
import java.util.Random;

public class Texts {
    static final int[] LIKELY = {0x22, 0x2f, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xaf, 0xb0, 0xbf,
        0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xf8, 0xff};

    static String json(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            int i = "\"\\/\b\f\n\r\t".indexOf(c);
            if (i >= 0)
                b.append('\\').append("\"\\/bfnrt".charAt(i));
            else if (c < 0x20 || c >= 0x80)
                b.append(String.format("\\u%04x", (int) c));
            else
                b.append(c);
        }
        return b.append('"').toString();
    }

    public static void main(String[] args) {
        Random random = new Random(7);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            for (int j = 0; j < bytes.length; j++)
                bytes[j] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256)
                    : LIKELY[random.nextInt(LIKELY.length)]);
            for (byte b : bytes)
                out.append(String.format("%02x", b & 0xff));
            out.append('\t').append(json(new String(bytes, StandardCharsets.UTF_8))).append('\n');
        }
        System.out.print(out);
    }
}
END

found='' failed=0
for java in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} /usr/lib/jvm/*/bin/java; do
    [ -x "${java}c" ] || continue
    home=$(readlink -f "${java%/bin/java}")
    [[ " $found " != *" $home "* ]] || continue
    found="$found $home"
    name="$n byte strings as $("$java" -version 2>&1 | sed -n 's/.*version "\(.*\)".*/JDK \1/p')"
    "${java}c" -d "$work" "$work/Texts.java" && "$java" -cp "$work" Texts "$n" >"$work/all"
    cut -f2 "$work/all" >"$work/want"
    cut -f1 "$work/all" | "$B/convert/text/test/jsonw_test" --print >"$work/got"
    if [ "$(wc -l <"$work/want")" = "$n" ] && cmp -s "$work/want" "$work/got"; then
        echo "ok $name"
    else
        echo "not ok $name"
        paste "$work/all" "$work/got" | awk -F'\t' '$2 != $3' | head -5
        failed=1
    fi
done
[ -n "$found" ] || echo 'skip JSON against a JVM: no JDK'
exit $failed
