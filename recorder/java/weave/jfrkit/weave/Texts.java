package jfrkit.weave;

/**
 * Numbers of texts in the agent's table of values, cached: the agent needs two calls of the JVM to read a text, and none
 * for a number. A reference is the number and the generation of the table. The agent refuses one of an older generation,
 * since another text may have the number by then.
 *
 * <p>A text is cached when it is set for the second time: ids of requests come once, and would drive out what comes again.
 */
final class Texts {
    private static final int SIZE = 256;
    private static final int LENGTH_MAX = 255; // the agent cuts longer ones, and the cache keeps its texts alive
    private static final long IS_OLD = 1L << 31; // the text was there before; the agent sets it
    private static final int NUMBER_MAX = 0xffff;

    private static final class Entry {
        final String text;
        final long reference;

        Entry(String text, long reference) {
            this.text = text;
            this.reference = reference;
        }
    }

    private static final Entry[] CACHE = new Entry[SIZE]; // without a lock: a race loses an entry, no more

    private Texts() {
    }

    /** The reference of a text; 0: it is not in the cache, or null. */
    static long cached(String text) {
        Entry e = text == null ? null : CACHE[place(text)];

        return e != null && (e.text == text || e.text.equals(text)) ? e.reference : 0;
    }

    /** The reference of a text; 0 if it is null. */
    static long reference(String text) {
        long cached = cached(text);

        return cached != 0 || text == null ? cached : fresh(text);
    }

    /** The same, not from the cache. */
    static long fresh(String text) {
        return text == null ? 0 : remember(text, Hooks.intern(text));
    }

    /** Caches the reference that the agent has returned for a text. Returns it. */
    static long remember(String text, long reference) {
        if ((reference & IS_OLD) != 0 && text.length() <= LENGTH_MAX)
            CACHE[place(text)] = new Entry(text, reference);
        return reference;
    }

    /** Has the reference's number still the same text? That of null has. */
    static boolean isCurrent(long reference) {
        return reference == 0 || (int) (reference >>> 32) == Native.generation;
    }

    static int number(long reference) {
        return (int) reference & NUMBER_MAX;
    }

    private static int place(String text) {
        int hash = text.hashCode();

        return (hash ^ hash >>> 8) & SIZE - 1;
    }
}
