package jfrkit.weave;

import java.util.Arrays;
import java.util.Map;

/**
 * Changed classes of a program call these methods; {@link Weaver} inserts the calls. They catch everything, so that a
 * failure never reaches the program. The agent registers the native methods.
 */
public final class Hooks {
    private static final int KNOWN_MAX = 64;
    private static final int FAILURES_MAX = 100;

    /** Keys of the mapped diagnostic context that are recorded, in the order of the agent. */
    static volatile MdcKey[] keys = {};

    /** Other keys that were reported to the agent. */
    private static volatile String[] known = {};

    /** After FAILURES_MAX failures the hooks are off, so that the program does not pay for each of them. */
    private static int failures;
    private static volatile boolean isOff;

    private Hooks() {
    }

    // --- the mapped diagnostic context ---

    public static void put(Object key, Object value) {
        if (isOff)
            return;
        try {
            MdcKey[] mine = keys;
            int i = indexOf(mine, key);

            if (i >= 0) {
                Tasks.use();
                set(mine[i], i, value instanceof String ? (String) value : null);
            } else if (value != null)
                report(key);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    public static void remove(Object key) {
        if (isOff)
            return;
        try {
            MdcKey[] mine = keys;
            int i = indexOf(mine, key);

            if (i >= 0)
                set(mine[i], i, null);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    public static void removeAll(Iterable<?> keys) {
        if (isOff)
            return;
        try {
            if (keys != null)
                for (Object key : keys)
                    remove(key);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    public static void clear() {
        if (isOff)
            return;
        try {
            setAll(null);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    /** All values are replaced. */
    public static void replace(Map<?, ?> values) {
        if (isOff)
            return;
        try {
            MdcKey[] mine = keys;
            String[] found = new String[mine.length];

            for (int i = 0; i < mine.length && values != null; i++) {
                Object value = values.get(mine[i].name);

                found[i] = value instanceof String ? (String) value : null;
            }
            Tasks.use();
            setAll(found);
            reportAll(values);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    public static void putAll(Map<?, ?> values) {
        if (isOff)
            return;
        try {
            if (values != null)
                for (Map.Entry<?, ?> e : values.entrySet())
                    put(e.getKey(), e.getValue());
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    private static void set(MdcKey key, int i, String value) {
        long cached = Texts.cached(value);

        if ((cached != 0 || value == null) && key.set(cached))
            return;
        if (cached == 0 || !setCached(i, cached))
            Texts.remember(value, set(i, value));
        key.delivered();
    }

    /** -1: the key is not among them. */
    private static int indexOf(MdcKey[] mine, Object key) {
        for (int i = 0; i < mine.length; i++)
            if (mine[i].name.equals(key))
                return i;
        return -1;
    }

    private static void reportAll(Map<?, ?> values) {
        if (values != null && known.length < KNOWN_MAX)
            for (Object key : values.keySet())
                if (indexOf(keys, key) < 0)
                    report(key);
    }

    /** Reports a key that is not recorded: the agent may choose it, or list it for the user. */
    private static void report(Object key) {
        if (!(key instanceof String) || isKnown(key))
            return;
        synchronized (Hooks.class) {
            String[] more = Arrays.copyOf(known, known.length + 1);

            if (isKnown(key)) // another thread was faster
                return;
            more[more.length - 1] = (String) key;
            known = more;
        }
        keySeen((String) key);
    }

    /** True also if no more keys are reported. */
    private static boolean isKnown(Object key) {
        String[] now = known;

        for (String k : now)
            if (key.equals(k))
                return true;
        return now.length >= KNOWN_MAX;
    }

    // --- OpenTelemetry ---

    /** A context has become current on this thread; null: none is current. storage: the class that keeps it. */
    public static void current(Object context, Class<?> storage) {
        if (isOff)
            return;
        try {
            Spans.current(context, storage);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    /** A span gets another name. */
    public static void renamed(Object span, String name) {
        if (isOff)
            return;
        try {
            Spans.renamed(span, name);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    /** A span gets an attribute. */
    public static void attribute(Object span, Object key, Object value) {
        if (isOff)
            return;
        try {
            Spans.attribute(span, key, value);
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    // --- the agent ---

    /** The agent records these keys from now on. places: integers of {@link MdcKey}. */
    static void record(String[] names, int[] places) {
        keys = MdcKey.of(names, places);
    }

    static boolean areOff() {
        return isOff;
    }

    static void failed(Throwable failure) {
        try {
            if (++failures == 1)
                failed(failure.toString());
            isOff = failures > FAILURES_MAX;
        } catch (Throwable second) {
            // Nothing is left to say it with.
        }
    }

    /** The number of a text: a reference of {@link Texts}. */
    static native long intern(String text);

    /** Returns the reference of the value if it may be cached, else 0. */
    private static native long set(int attribute, String value);

    /** The same by reference. False: nothing was set; the reference is too old, or the value of this key is not shown. */
    private static native boolean setCached(int attribute, long reference);

    private static native void setAll(String[] values);

    /** The same for values that were set before, on this thread or another one. */
    static native void continueAll(String[] values);

    private static native void keySeen(String key);

    private static native void failed(String what);

    /** how: a constant of {@link Record}. name, route: references of {@link Texts}. more: selected baggage and
     *  attributes, or null. False: nothing was set, because a reference is too old. */
    static native boolean span(int how, long traceHigh, long traceLow, long span, long name, long route, String[] more);

    /** Neither a span nor baggage is current. */
    static native void clearSpan();

    /** One attribute has changed. */
    static native void spanPart(int attribute, String value);
}
