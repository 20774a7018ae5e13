package jfrkit;

/**
 * Ids of texts, cached: asking the recorder costs some hundred nanoseconds, this some. A text that
 * nobody has set before is not: most of those never come again, as ids of requests, and would drive
 * out what does. Nothing here belongs to a thread, so nothing goes wrong when a virtual thread
 * changes its carrier.
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

    /** Small, since it is inlined for each value of a scope. */
    static int id(String text) {
        if (text == null)
            return 0;
        Entry e = CACHE[place(text)];
        return e != null && e.text == text && e.generation == Native.generation ? e.id : find(text, e);
    }

    private static int find(String text, Entry e) {
        return e != null && e.generation == Native.generation && e.text.equals(text) ? e.id : ask(text);
    }

    private static int ask(String text) {
        int generation = Native.generation();
        int r = Record.mine();
        int id = r == Record.NONE ? 0
            : Record.putText(r, text) ? Native.valueOf(text.length()) : Native.value(text);

        if (id < 0)
            return ~id;
        if (r != Record.NONE)
            CACHE[place(text)] = new Entry(text, id, generation);
        return id;
    }

    private static int place(String text) {
        int hash = text.hashCode();

        return (hash ^ hash >>> 8) & SIZE - 1;
    }
}
