package jfrkit;

import java.util.concurrent.Executor;

/** What concerns all contexts. */
public final class Contexts {
    private Contexts() {
    }

    /** Is the recorder in this process? It may not be recording right now. */
    public static boolean isActive() {
        return Native.connected() != 0;
    }

    /** An executor whose tasks run with what was set where they were submitted. */
    public static Executor wrap(Executor executor) {
        return task -> executor.execute(Snapshot.capture().wrap(task));
    }
}
