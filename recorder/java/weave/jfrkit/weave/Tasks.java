package jfrkit.weave;

import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;

/**
 * Contexts of tasks that are handed to other threads. Changed classes of java.util.concurrent call it; {@link Weaver}
 * inserts the calls.
 *
 * <p>A task that a pool puts into a LinkedBlockingQueue waits in a node of that queue, which keeps the context of the
 * thread that submitted the task ({@link QueueNode}). For other tasks that context is stored in a table, by the identity of
 * the task ({@link TaskTable}). The thread that runs the task takes it from there. Tasks are neither wrapped nor changed,
 * so queues and futures of the program behave as before. Some executors put a submitted task into a task, a thread or a
 * queue of their own, where the program cannot find it. Only such a task is wrapped.
 */
public final class Tasks {
    /** Has any context been set in this process? Until then nothing is done. */
    static volatile boolean isUsed;

    /** Does LinkedBlockingQueue keep contexts of its elements? {@link Weaver} sets it. */
    static volatile boolean queueKeeps;

    /** No context, where null would say that nothing is known. */
    static final int[] NONE = {};

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
            if (TaskClasses.runsVirtualThreads(pool) || isKeptBy(pool) || TaskClasses.hasOwn(task))
                return;
            int[] context = ThreadContext.capture();

            TaskTable.put(task, context == null ? NONE : context, false);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    // --- pools whose queue keeps the contexts of tasks ---

    private static boolean isKeptBy(Object pool) {
        return queueKeeps && pool instanceof ThreadPoolExecutor
            && ((ThreadPoolExecutor) pool).getQueue() instanceof LinkedBlockingQueue;
    }

    /** The context for a task, or for what is put into a queue; null: it has none. */
    public static int[] captured(Object task) {
        if (!isUsed || task == null)
            return null;
        try {
            int[] context = ThreadContext.capture();

            return context == null || TaskClasses.hasOwn(task) ? null : context;
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return null;
        }
    }

    /** Something is taken out of a queue. Only a pool's thread that asks for a task needs to know. */
    public static void taken(Object element, Object node) {
        if (!isUsed || !(node instanceof Supplier))
            return;
        try {
            int[] context = (int[]) ((Supplier<?>) node).get();
            ThreadContext mine = ThreadContext.known();

            if (mine == null && context != null) {
                mine = ThreadContext.mine();
                if (asksUnseen())
                    mine.set(context);
            } else if (mine != null && mine.isWaiting) {
                mine.task = element;
                mine.taken = context;
            }
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /**
     * Does a pool's thread ask for a task since before the classes were changed? It calls no hook then before it runs the
     * task. The stack tells, which is looked at once for each thread: later ones have called {@link #waits}.
     */
    private static boolean asksUnseen() {
        for (StackTraceElement frame : new Throwable().getStackTrace())
            if (frame.getMethodName().equals("getTask") && frame.getClassName().equals(ThreadPoolExecutor.class.getName()))
                return true;
        return false;
    }

    /** A pool's thread asks for its next task, and has none until then. */
    public static void waits() {
        try {
            ThreadContext mine = ThreadContext.mine();

            mine.isWaiting = true; // also while no context has been set: the one that comes first may be its task's
            if (isUsed)
                mine.set(null);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** It gets the task; null: it ends. */
    public static void got(Object task) {
        try {
            ThreadContext mine = ThreadContext.mine();
            boolean isKept = task != null && mine.task == task;
            int[] context = mine.taken;

            mine.isWaiting = false;
            mine.task = null;
            mine.taken = null;
            if (task != null && !isKept)
                begins(task);
            else if (isKept && context != null)
                mine.set(context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A pool makes a worker with a task that is not put into its queue; null: there is none. */
    public static void firstSubmitted(Object pool, Object worker, Object task) {
        if (!isUsed || task == null)
            return;
        try {
            int[] context = isKeptBy(pool) ? captured(task) : null;

            if (context != null)
                TaskTable.put(worker, context, true);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** The worker begins, with that task or none. */
    public static void firstBegins(Object pool, Object worker, Object task) {
        if (!isUsed || task == null)
            return;
        try {
            begins(isKeptBy(pool) ? worker : task);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    // --- tasks that are found by their identity ---

    /** A message is sent to an actor, a thread is started, the answer to a request is there, a subscriber subscribes, or a
     *  task for later is made; once. */
    public static void sent(Object message) {
        store(message, true);
    }

    /** A listener is added to a future. If several are, with different contexts, they have none. */
    public static void listened(Object future) {
        store(future, false);
    }

    private static void store(Object key, boolean isOnce) {
        if (!isUsed || key == null)
            return;
        try {
            int[] context = ThreadContext.capture();

            if (context != null)
                TaskTable.put(key, context, isOnce);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A thread is started. One of another class than Thread is mostly a library's, which works for all users. */
    public static void started(Object thread) {
        if (thread.getClass() == Thread.class)
            sent(thread);
    }

    /** A thread begins; or the program calls its run() as any other method. */
    public static void runs(Object thread) {
        if (!isUsed || thread != Thread.currentThread())
            return;
        try {
            int[] context = TaskTable.take(thread);

            if (context != null)
                ThreadContext.mine().set(context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A thread begins with a task, or an actor with a message; null: there is none. */
    public static void begins(Object task) {
        if (!isUsed)
            return;
        try {
            int[] context = task == null || TaskClasses.hasOwn(task) ? null : TaskTable.take(TaskClasses.submitted(task));

            ThreadContext.mine().set(context == NONE ? null : context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A future of Scala gets a function, or a call of OkHttp a callback; null: that of a constant, which never runs. */
    public static void given(Object task, Object function) {
        if (function != null)
            sent(task);
    }

    /** A thread runs such a task, perhaps inside of another one. What is returned is for {@link #forkEnded}. */
    public static Object callbackBegins(Object task) {
        return signal(task, true, true);
    }

    /** The same of a task that runs many times, with the context of the thread that made it. */
    public static Object turnBegins(Object task) {
        return signal(task, false, true);
    }

    // --- subscribers of publishers that emit on other threads ---

    /**
     * A subscriber receives a signal, perhaps its last one. It has the context of the thread that subscribed. If that had
     * none, a subscriber that waits for one value has none, too; others handle what the program emits, most of them since
     * it started, and have the context of the thread that emits. What is returned is for {@link #forkEnded}.
     */
    public static Object signal(Object subscriber, boolean isLast, boolean isForOne) {
        if (!isUsed)
            return null;
        try {
            int[] context = isLast ? TaskTable.take(subscriber) : TaskTable.look(subscriber);

            return context == null && !isForOne ? null : enter(context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return null;
        }
    }

    // --- requests of servlet containers ---

    /** The second half of a request begins. */
    public static void resumes(Object request) {
        if (!isUsed || request == null)
            return;
        try {
            int[] context = TaskTable.take(request);
            ThreadContext mine = context == null ? null : ThreadContext.mine();

            if (mine == null)
                return;
            mine.isResumed = true;
            mine.set(context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A half of a request ends, or a thread begins with another request. What the MDC set is not changed here. */
    public static void pauses() {
        ThreadContext mine = isUsed ? ThreadContext.known() : null;

        if (mine == null || !mine.isResumed)
            return;
        mine.isResumed = false;
        ended();
    }

    /** Clears the context of the calling thread: it waits for its next task, or it runs the mailbox of an actor, whose
     *  messages have contexts of their own. */
    public static void ended() {
        if (!isUsed)
            return;
        try {
            ThreadContext.mine().set(null);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** Returns a task that sets the context of the calling thread while it runs the given one; the given task if no
     *  context is set, or if it is a coroutine. */
    public static Runnable carried(Runnable task) {
        return carried(task, false);
    }

    /**
     * The same for tasks that may run while the thread has the context of another task: an executor may run several
     * submitted tasks within one task of a pool, and the thread that completes a future runs the functions that were given
     * to it. A task without a context is therefore wrapped, too. The wrapper clears the context while the task runs.
     */
    public static Runnable carriedInTurn(Runnable task) {
        return carried(task, true);
    }

    private static Runnable carried(Runnable task, boolean isInTurn) {
        if (!isUsed || task == null || task instanceof Carried)
            return task;
        int[] context = captured(task);

        return context == null && !isInTurn ? task : new Carried(task, context);
    }

    /**
     * Returns a wrapper that clears the context of the thread while the task runs, if the context of the task is
     * independent of the thread that submits it ({@link TaskClasses#hasOwn}), as that of a coroutine. Returns other tasks
     * unchanged. For executors that hide the task from later hooks: in a virtual thread, or, on Vert.x, in a task for an
     * event loop.
     */
    public static Runnable clearedIfOwn(Runnable task) {
        if (!isUsed || task == null)
            return task;
        try {
            return TaskClasses.hasOwn(task) ? new Carried(task, null) : task;
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return task;
        }
    }

    // --- tasks of a ForkJoinPool ---

    /**
     * Returns what a pool puts into its own task instead of the given one. It has the context of the calling thread, or
     * none, whatever task the pool's thread waits for. Of a coroutine it has none.
     */
    public static Runnable executed(Object pool, Runnable task) {
        if (!isUsed || task == null || task instanceof ForkJoinTask)
            return task;
        try {
            if (TaskClasses.runsVirtualThreads(pool) || TaskClasses.isCarrier())
                return task;
            return new Carried(task, captured(task));
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return task;
        }
    }

    /** A task is forked by the thread that runs another one, or submitted. */
    public static void forked(Object task) {
        forked(null, task);
    }

    /**
     * A task of a ForkJoinPool is submitted or forked, once until it runs; on JDK 8 fork() calls another method that
     * reports it, too. Threads of such a pool run other tasks while they wait for one. So that no task gets the context of
     * the one that waits, those without a context are stored, too. The task around one of {@link #executed} is not.
     *
     * <p>pool: null if not known.
     */
    public static void forked(Object pool, Object task) {
        if (!isUsed || task == null || TaskClasses.isAround(task))
            return;
        try {
            if (TaskClasses.runsVirtualThreads(pool) || TaskClasses.isCarrier())
                return;
            int[] context = ThreadContext.capture();

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
        if (!isUsed || TaskClasses.isAround(task) || TaskClasses.isCarrier())
            return null;
        try {
            int[] context = TaskTable.take(task);

            return context == null && !TaskTable.isIncomplete ? null : enter(context == NONE ? null : context);
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return null;
        }
    }

    public static void forkEnded(Object before) {
        if (before == null)
            return;
        try {
            ThreadContext.mine().set(((Left) before).context, ((Left) before).firsts);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /**
     * A context that a thread leaves for a while. If nothing was recorded in its first part yet, there will be no event of
     * that, so what comes when it is set again is the first part, by which requests are counted.
     */
    private static final class Left {
        static final Left NONE = new Left(null, 0);

        final int[] context; // null: none
        final int firsts; // of Record.put

        Left(int[] context, int firsts) {
            this.context = context;
            this.firsts = firsts;
        }
    }

    /** Sets a context. Returns what is for {@link #forkEnded}. */
    static Object enter(int[] context) {
        try {
            ThreadContext mine = ThreadContext.mine();
            int[] before = mine.captured();

            if (context == before) // mostly: what a thread captures twice is the same object
                return null;
            Left left = before == null ? Left.NONE : new Left(before, mine.unreported());

            mine.set(context);
            return left;
        } catch (Throwable failure) {
            Hooks.failed(failure);
            return null;
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
            Object before = enter(context);

            try {
                task.run();
            } finally {
                forkEnded(before);
            }
        }
    }
}
