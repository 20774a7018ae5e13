package jfrkit.weave;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.RunnableScheduledFuture;

/**
 * Contexts of tasks that wait, by the identity of the task. Tasks are held weakly, and their number has a bound.
 *
 * <p>One object may be submitted several times, by threads with different contexts. Which of them a run belongs to is
 * then unknown, so such a task has no context until all of its runs have begun. For that, tasks without a context are
 * stored, too.
 */
final class TaskTable {
    private static final int STRIPES = 16384;
    private static final int ENTRIES_MAX = 16; // of a stripe

    private static final Stripe[] TABLE = new Stripe[STRIPES];
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();

    /** There was no room for some task. */
    static volatile boolean isIncomplete;

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
                Native.dropped();
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

    private static final class Entry extends WeakReference<Object> {
        final Stripe stripe;
        int[] context; // null: several
        int runs = 1; // that have not begun
        Entry next;

        Entry(Object task, Stripe stripe, int[] context, Entry next) {
            super(task, GONE);
            this.stripe = stripe;
            this.context = context;
            this.next = next;
        }
    }

    private TaskTable() {
    }

    private static Stripe stripe(Object task) {
        return TABLE[System.identityHashCode(task) & STRIPES - 1];
    }

    /** context: {@link Tasks#NONE} if there is none. isOnce: the task waits once at most, so the last context counts. */
    static void put(Object task, int[] context, boolean isOnce) {
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

    /** The context of a task whose run begins; null: the task is not in the table, or its context is unknown. */
    static int[] take(Object task) {
        return find(task, isPeriodic(task)); // which the program may have written: not with a lock held
    }

    /** The same of what stays in the table. */
    static int[] look(Object task) {
        return find(task, true);
    }

    private static int[] find(Object task, boolean stays) {
        Stripe stripe = stripe(task);

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
}
