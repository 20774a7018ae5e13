package jfrkit.weave;

/**
 * Contexts of tasks that are handed to other threads. Changed classes of java.util.concurrent call it; {@link Weaver}
 * inserts the calls.
 *
 * <p>When a task is submitted, the context of the calling thread is stored in a table, by the identity of the task
 * ({@link TaskTable}). The thread that runs the task takes it from there. Tasks are neither wrapped nor changed, so queues
 * and futures of the program behave as before.
 */
public final class Tasks {
    /** Has any context been set in this process? Until then nothing is done. */
    static volatile boolean isUsed;

    private static final ThreadLocal<Captured> LAST = new ThreadLocal<>();

    /** No context, where null would say that nothing is known. */
    static final int[] NONE = {};

    /** What a thread captured last: most of its tasks are submitted with one context. */
    private static final class Captured {
        long version;
        int[] context;
    }

    private Tasks() {
    }

    /** A context is about to be set. */
    static void use() {
        if (!isUsed) // a volatile field: reading it is cheap, writing is not
            isUsed = true;
    }

    /** A task is handed to a pool. */
    public static void submitted(Object pool, Object task) {
        if (!isUsed || task == null)
            return;
        try {
            if (TaskClasses.runsVirtualThreads(pool))
                return;
            int[] context = TaskClasses.isCoroutine(task) ? null : capture();

            TaskTable.put(task, context == null ? NONE : context, false);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A message is sent to an actor, once. */
    public static void sent(Object message) {
        if (!isUsed || message == null)
            return;
        try {
            int[] context = capture();

            if (context != null)
                TaskTable.put(message, context, true);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A thread begins with a task, or an actor with a message; null: there is none. */
    public static void begins(Object task) {
        if (!isUsed)
            return;
        try {
            int[] context = task == null ? null : TaskTable.take(TaskClasses.submitted(task));

            set(context == NONE ? null : context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** Clears the context of the calling thread: it waits for its next task, or it runs the mailbox of an actor, whose
     *  messages have contexts of their own. */
    public static void ended() {
        if (!isUsed)
            return;
        try {
            set(null);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** Returns a task that sets the context of the calling thread while it runs the given one; the given task if no
     *  context is set. */
    public static Runnable carried(Runnable task) {
        return carried(task, false);
    }

    /**
     * The same for an executor that runs several submitted tasks inside of one task of a pool. The thread has the
     * context of the first submitted task then, so a task without a context is wrapped, too: it clears that context.
     */
    public static Runnable carriedInTurn(Runnable task) {
        return carried(task, true);
    }

    private static Runnable carried(Runnable task, boolean isInTurn) {
        if (!isUsed || task == null)
            return task;
        try {
            int[] context = capture();

            return context == null && !isInTurn ? task : new Carried(task, context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return task;
        }
    }

    // --- tasks of a ForkJoinPool ---

    /** A task is forked by the thread that runs another one, or submitted. */
    public static void forked(Object task) {
        forked(null, task);
    }

    /**
     * A task of a ForkJoinPool is submitted or forked, once until it runs; one method may call another that reports it,
     * too. Threads of such a pool run other tasks while they wait for one. So that no task gets the context of the one
     * that waits, those without a context are stored, too.
     *
     * <p>pool: null if not known.
     */
    public static void forked(Object pool, Object task) {
        if (!isUsed || task == null)
            return;
        try {
            if (TaskClasses.runsVirtualThreads(pool) || TaskClasses.isCarrier())
                return;
            int[] context = capture();

            TaskTable.put(task, context == null ? NONE : context, true);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /**
     * A thread runs a task of a ForkJoinPool, perhaps inside of another one. What is returned is for {@link #forkEnded};
     * null: nothing was changed. A task that is not in the table is the thread's own, which it calls without the pool,
     * or from before the recording; or there was no room for it, so after that none of them is taken for the thread's
     * own.
     */
    public static Object forkBegins(Object task) {
        if (!isUsed || TaskClasses.isCarrier())
            return null;
        try {
            int[] context = TaskTable.take(task);

            if (context == null && !TaskTable.isIncomplete)
                return null;
            int[] before = capture();
            int[] now = context == NONE ? null : context;

            if (now == before) // mostly: what a thread captures twice is the same object
                return null;
            set(now);
            return before == null ? NONE : before;
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return null;
        }
    }

    public static void forkEnded(Object before) {
        if (before == null)
            return;
        try {
            set(before == NONE ? null : (int[]) before);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    private static final class Carried implements Runnable {
        private final Runnable task;
        private final int[] context; // null: none

        Carried(Runnable task, int[] context) {
            this.task = task;
            this.context = context;
        }

        @Override
        public void run() {
            int[] before = capture();

            set(context);
            try {
                task.run();
            } finally {
                set(before);
            }
        }
    }

    // --- the calling thread ---

    /** What is set on the calling thread; null: nothing. The same object until that changes. */
    private static int[] capture() {
        long version = version();

        if (version == 0)
            return null;
        Captured last = LAST.get();

        if (last == null)
            LAST.set(last = new Captured());
        if (last.version != version) {
            last.context = copy();
            last.version = version;
        }
        return last.context;
    }

    // --- the agent ---

    /** A number that is another one whenever the context of the calling thread is; 0: it has none. */
    private static native long version();

    /** The context of the calling thread; null: it has none. */
    private static native int[] copy();

    /** Sets that on the calling thread; null: clears what is set. */
    private static native void set(int[] context);

    /** Counts a task that has lost its context, because too many tasks wait. */
    static native void dropped();
}
