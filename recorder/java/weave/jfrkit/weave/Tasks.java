package jfrkit.weave;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.RunnableScheduledFuture;

/**
 * Contexts of tasks that are handed to other threads. Changed classes of java.util.concurrent call it; {@link Weaver}
 * inserts the calls.
 *
 * <p>When a task is submitted, the context of the calling thread is stored in a table, by the identity of the task. The
 * thread that runs the task takes it from there. Tasks are neither wrapped nor changed, so queues and futures of the
 * program behave as before. The table holds tasks weakly and has a bound.
 *
 * <p>One object may be submitted several times, by threads with different contexts. Which of them a run belongs to is
 * then unknown, so such a task has no context until all of its runs have begun. For that, tasks without a context are
 * stored, too.
 */
public final class Tasks {
    private static final int STRIPES = 16384;
    private static final int ENTRIES_MAX = 16; // of a stripe

    /** Has any context been set in this process? Until then nothing is done. */
    static volatile boolean isUsed;

    private static final Stripe[] TABLE = new Stripe[STRIPES];
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    private static final ThreadLocal<Captured> LAST = new ThreadLocal<>();

    /** No context, where null would say that nothing is known. */
    private static final int[] NONE = {};

    /** There was no room for some task. */
    private static volatile boolean isIncomplete;

    static {
        for (int i = 0; i < STRIPES; i++)
            TABLE[i] = new Stripe();
    }

    /** Tasks whose identities have some bits in common. It is the lock of what is in it, and small: all of it comes to
     *  the processor that takes a task in one cache line. */
    private static final class Stripe {
        Entry first;
        int n;

        /** Null if it is not there. */
        Entry find(Object task) {
            Entry e = first;

            while (e != null && e.get() != task)
                e = e.next;
            return e;
        }

        void add(Object task, int[] context) {
            if (n == ENTRIES_MAX) {
                isIncomplete = true;
                dropped();
                return;
            }
            first = new Entry(task, this, context, first);
            n++;
        }

        /** Does nothing if it was removed before. */
        void remove(Entry gone) {
            Entry before = null;

            for (Entry e = first; e != null; before = e, e = e.next)
                if (e == gone) {
                    if (before == null)
                        first = e.next;
                    else
                        before.next = e.next;
                    n--;
                    return;
                }
        }
    }

    /** What a thread captured last: most of its tasks are submitted with one context. */
    private static final class Captured {
        long version;
        int[] context;
    }

    private static final class Entry extends WeakReference<Object> {
        final Stripe stripe;
        int[] context; // NONE; null: several
        int runs = 1; // that have not begun
        Entry next;

        Entry(Object task, Stripe stripe, int[] context, Entry next) {
            super(task, GONE);
            this.stripe = stripe;
            this.context = context;
            this.next = next;
        }
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

            put(task, context == null ? NONE : context, false);
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
                put(message, context, true);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A thread begins with a task, or an actor with a message; null: there is none. */
    public static void begins(Object task) {
        if (!isUsed)
            return;
        try {
            int[] context = task == null ? null : take(TaskClasses.submitted(task));

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

            put(task, context == null ? NONE : context, true);
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
            int[] context = take(task);

            if (context == null && !isIncomplete)
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

    // --- the table ---

    private static Stripe stripe(Object task) {
        return TABLE[System.identityHashCode(task) & STRIPES - 1];
    }

    /** isOnce: the task waits once at most, so the last context counts. */
    private static void put(Object task, int[] context, boolean isOnce) {
        Stripe stripe = stripe(task);

        expunge();
        synchronized (stripe) {
            Entry e = stripe.find(task);

            if (e == null) {
                stripe.add(task, context);
            } else if (isOnce) {
                e.context = context;
            } else {
                e.runs++;
                if (!Arrays.equals(e.context, context))
                    e.context = null;
            }
        }
    }

    private static int[] take(Object task) {
        Stripe stripe = stripe(task);
        boolean stays = isPeriodic(task); // which the program may have written: not with a lock held

        expunge();
        synchronized (stripe) {
            Entry e = stripe.find(task);

            if (e == null)
                return null;
            if (!stays && --e.runs == 0)
                stripe.remove(e);
            return e.context;
        }
    }

    /** It is submitted once and runs many times. */
    private static boolean isPeriodic(Object task) {
        return task instanceof RunnableScheduledFuture && ((RunnableScheduledFuture<?>) task).isPeriodic();
    }

    /** Removes the entries of tasks that never ran and are garbage. */
    private static void expunge() {
        for (Reference<?> r = GONE.poll(); r != null; r = GONE.poll()) {
            Entry e = (Entry) r;

            synchronized (e.stripe) {
                e.stripe.remove(e);
            }
        }
    }

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
    private static native void dropped();
}
