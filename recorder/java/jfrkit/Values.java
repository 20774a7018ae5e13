package jfrkit;

import java.nio.ByteBuffer;

/**
 * Ids of texts, cached: asking the recorder costs some hundred nanoseconds, this some. Nothing here
 * belongs to a thread, so nothing goes wrong when a virtual thread changes its carrier.
 */
final class Values {
    private static final int SIZE = 256;

    private static final class Entry {
        final String text;
        final int id;
        final int generation;

        Entry(String text, int id, int generation) {
            this.text = text;
            this.id = id;
            this.generation = generation;
        }
    }

    private static final Entry[] CACHE = new Entry[SIZE]; // races lose an entry, no more

    private Values() {
    }

    static int id(String text) {
        if (text == null)
            return 0;
        int hash = text.hashCode();
        Entry e = CACHE[(hash ^ hash >>> 8) & SIZE - 1];
        if (e != null && e.generation == Native.generation && (e.text == text || e.text.equals(text)))
            return e.id;
        return ask(text, hash);
    }

    private static int ask(String text, int hash) {
        int generation = Native.generation();
        ByteBuffer r = Record.mine();
        int id = r == null ? 0
            : Record.putText(r, text) ? Native.valueOf(text.length()) : Native.value(text);

        if (r != null)
            CACHE[(hash ^ hash >>> 8) & SIZE - 1] = new Entry(text, id, generation);
        return id;
    }
}
