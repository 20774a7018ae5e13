package jfrkit;

import java.util.concurrent.Callable;

/**
 * Everything that is set on a thread, to be set on another: for pools and callbacks.
 *
 * <pre>
 * executor.submit(Snapshot.capture().wrap(task));
 * </pre>
 */
public final class Snapshot {
    private static final Snapshot EMPTY = new Snapshot(null, null, 0);

    private final String[] texts;
    private final int[] ids;
    private final int generation;

    private Snapshot(String[] texts, int[] ids, int generation) {
        this.texts = texts;
        this.ids = ids;
        this.generation = generation;
    }

    /** What is set on the calling thread. */
    public static Snapshot capture() {
        if (Native.connected() == 0)
            return EMPTY;
        int[] ids = new int[ContextType.MAX_ATTRIBUTES];
        int generation = Native.generation();
        return new Snapshot(Native.capture(ids), ids, generation);
    }

    /** Sets everything on the calling thread, and restores on close what was there. */
    public Restored restore() {
        if (Native.connected() == 0)
            return new Restored(null);
        Restored restored = new Restored(capture());
        put();
        return restored;
    }

    private void put() {
        if (texts == null)
            Native.put(new int[ContextType.MAX_ATTRIBUTES]);
        else if (generation == Native.generation())
            Native.put(ids);
        else
            Native.put(idsOf(texts)); // the recorder may have forgotten some of them
    }

    private static int[] idsOf(String[] texts) {
        int[] ids = new int[ContextType.MAX_ATTRIBUTES];

        for (int i = 0; i < ids.length; i++)
            ids[i] = Values.id(texts[i]);
        return ids;
    }

    public Runnable wrap(Runnable task) {
        return () -> {
            try (Restored r = restore()) {
                task.run();
            }
        };
    }

    public <T> Callable<T> wrap(Callable<T> task) {
        return () -> {
            try (Restored r = restore()) {
                return task.call();
            }
        };
    }

    /** The end of what {@link #restore} began. To be closed on the same thread. */
    public static final class Restored implements AutoCloseable {
        private Snapshot before;

        private Restored(Snapshot before) {
            this.before = before;
        }

        @Override
        public void close() {
            if (before != null)
                before.put();
            before = null;
        }
    }
}
