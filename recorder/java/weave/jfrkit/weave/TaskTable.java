package jfrkit.weave;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Contexts of tasks that wait, by the identity of the task. Tasks are held weakly, and their number has a bound.
 *
 * <p>One object may be submitted several times, by threads with different contexts. Which of them a run belongs to is
 * then unknown, so such a task has no context until all of its runs have begun. For that, tasks without a context are
 * stored, too.
 */
final class TaskTable {
    private static final int PLACES = 16384;
    private static final int ENTRIES_MAX = 16; // of a place

    private static final AtomicReferenceArray<Entry> TABLE = new AtomicReferenceArray<>(PLACES);
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();

    /** There was no room for some task. */
    static volatile boolean isIncomplete;

    /**
     * A task, and the list of the other tasks of its place. An entry never changes. A change of a list builds a new list,
     * which may share its end with the old one, and publishes it with one compare-and-set. So no thread waits for another
     * one. Most lists have one entry.
     */
    private static final class Entry extends WeakReference<Object> {
        final int place;
        final int[] context; // null: several
        final int runs; // that have not begun
        final Entry next;
        final int n; // entries from here on

        Entry(Object task, int place, int[] context, int runs, Entry next) {
            super(task, GONE);
            this.place = place;
            this.context = context;
            this.runs = runs;
            this.next = next;
            n = next == null ? 1 : next.n + 1;
        }
    }

    private TaskTable() {
    }

    private static int place(Object task) {
        return System.identityHashCode(task) & PLACES - 1;
    }

    /** Null if the task is not in the list. */
    private static Entry find(Entry first, Object task) {
        Entry e = first;

        while (e != null && e.get() != task)
            e = e.next;
        return e;
    }

    /** The list without an entry of it. */
    private static Entry without(Entry first, Entry gone) {
        if (first == gone)
            return gone.next;
        Entry rest = without(first.next, gone);
        Object task = first.get();

        return task == null ? rest : new Entry(task, first.place, first.context, first.runs, rest);
    }

    /** context: {@link Tasks#NONE} if there is none. isOnce: the task waits once at most, so the last context counts. */
    static void put(Object task, int[] context, boolean isOnce) {
        int place = place(task);
        Entry first;
        Entry changed;

        expunge();
        do {
            first = TABLE.get(place);
            Entry e = find(first, task);

            if (e != null)
                changed = isOnce ? new Entry(task, place, context, e.runs, without(first, e))
                    : new Entry(task, place, Arrays.equals(e.context, context) ? context : null, e.runs + 1, without(first, e));
            else if (first == null || first.n < ENTRIES_MAX)
                changed = new Entry(task, place, context, 1, first);
            else {
                isIncomplete = true;
                Native.dropped();
                return;
            }
        } while (!TABLE.compareAndSet(place, first, changed));
    }

    /** The context of a task whose run begins; null: the task is not in the table, or its context is unknown. */
    static int[] take(Object task) {
        int place = place(task);
        boolean stays = isPeriodic(task);
        Entry first;
        Entry e;
        Entry changed;

        do {
            first = TABLE.get(place);
            e = find(first, task);
            if (e == null || stays)
                break;
            changed = without(first, e);
            if (e.runs > 1)
                changed = new Entry(task, place, e.context, e.runs - 1, changed);
        } while (!TABLE.compareAndSet(place, first, changed));
        return e == null ? null : e.context;
    }

    /** The same of what stays in the table. */
    static int[] look(Object task) {
        Entry e = find(TABLE.get(place(task)), task);

        return e == null ? null : e.context;
    }

    /** It is submitted once and runs many times. */
    private static boolean isPeriodic(Object task) {
        return task instanceof RunnableScheduledFuture && ((RunnableScheduledFuture<?>) task).isPeriodic();
    }

    /** Removes the entries of tasks that never ran and are garbage. */
    private static void expunge() {
        for (Reference<?> r = GONE.poll(); r != null; r = GONE.poll()) {
            Entry gone = (Entry) r;
            Entry first;

            do
                first = TABLE.get(gone.place);
            while (isIn(first, gone) && !TABLE.compareAndSet(gone.place, first, without(first, gone)));
        }
    }

    private static boolean isIn(Entry first, Entry one) {
        Entry e = first;

        while (e != null && e != one)
            e = e.next;
        return e != null;
    }
}
