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
        int r = Record.mine();
        if (r == Record.NONE || !Record.isAnySet(r))
            return EMPTY;
        int[] ids = new int[Record.SLOTS];
        String[] texts = new String[Record.SLOTS];
        int generation = Native.generation();
        Native.capture(ids, texts);
        return new Snapshot(texts, ids, generation);
    }

    /** Sets everything on the calling thread, and restores on close what was there. */
    public Restored restore() {
        if (Native.connected() == 0)
            return new Restored(null, 0);
        Snapshot before = capture();
        return new Restored(before, Native.put(current()));
    }

    private int[] current() {
        if (texts == null)
            return new int[Record.SLOTS];
        if (generation == Native.generation())
            return ids;
        int[] now = new int[Record.SLOTS]; // the recorder may have forgotten some of the texts

        for (int i = 0; i < now.length; i++)
            now[i] = texts[i] == null ? ids[i] : Values.id(texts[i]);
        return now;
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

    /**
     * The end of what {@link #restore} began: closes the scopes that were opened after it. On another
     * thread, the second time, and when the scope around it has been closed, closing does nothing.
     */
    public static final class Restored implements AutoCloseable {
        private final Thread thread = Thread.currentThread();
        private final long place;
        private Snapshot before;

        private Restored(Snapshot before, long place) {
            this.before = before;
            this.place = place;
        }

        @Override
        public void close() {
            if (before == null || thread != Thread.currentThread())
                return;
            Native.putBack(place, before.current());
            before = null;
        }
    }
}
