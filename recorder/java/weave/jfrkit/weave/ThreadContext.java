package jfrkit.weave;

/**
 * The context of the calling thread. Values of the MDC and of spans are set in it. For a task it is captured on one thread
 * and set on another one: a captured context is an array of {@link Native#copy}; null: the thread has none.
 */
final class ThreadContext {
    private static final ThreadLocal<ThreadContext> MINE = new ThreadLocal<>();

    /** Does the thread of a pool ask for its next task? {@link Tasks} sets this and the next two. */
    boolean isWaiting;

    /** What it took out of a queue meanwhile, and the context of that. */
    Object task;
    int[] taken;

    /** Does the thread run the second half of a request, with the context of its answer? {@link Tasks} sets it. */
    boolean isResumed;

    /** The span that is current; null: none was yet. {@link Spans} sets it. */
    Spans.Current span;

    private int record = Record.NONE;

    /** What was captured or set last, and when: it is current until one of these, or the generation, is another one. */
    private int[] context;
    private int changes;
    private int[] types;

    private ThreadContext() {
    }

    /** Of the calling thread; null: it has not called {@link #mine} yet. */
    static ThreadContext known() {
        return MINE.get();
    }

    static ThreadContext mine() {
        ThreadContext mine = MINE.get();

        if (mine == null)
            MINE.set(mine = new ThreadContext());
        return mine;
    }

    /** The same as {@link #captured} of the calling thread, which needs no object here if it has no context. */
    static int[] capture() {
        ThreadContext mine = MINE.get();

        if (mine != null)
            return mine.captured();
        return Native.types.length == 0 || Native.record() == Record.NONE ? null : mine().captured();
    }

    /** What is set on the calling thread. The same object until that changes: most tasks of a thread are submitted with
     *  one context. */
    int[] captured() {
        int[] now = Native.types;

        if (now.length == 0 || !hasRecord())
            return null;
        if (types != now || changes != Record.changes(record) || context != null && context[0] != Native.generation) {
            changes = Record.changes(record);
            types = now;
            context = Native.copy();
        }
        return context;
    }

    /** Of {@link Record#unreported}, after {@link #captured} returned a context. */
    int unreported() {
        return Record.unreported(record, types);
    }

    /** Sets what was captured, perhaps by another thread; null: nothing. Nothing is set if the number of one of
     *  its values may have another meaning by now. */
    void set(int[] next) {
        set(next, 0);
    }

    /** The same, with first parts where this has a bit for the context. */
    void set(int[] next, int firsts) {
        int[] now = Native.types;

        if (now.length == 0)
            return;
        if (next != null && next[0] != Native.generation && !Native.renew(next))
            next = null;
        if (!hasRecord() && next == null)
            return;
        if (record == Record.NONE || !Record.put(record, now, next, firsts))
            Native.put(next, firsts);
        if (hasRecord()) // it may have one now
            changes = Record.changes(record);
        types = now;
        context = next;
    }

    /** Sets one value of a context, by the members of {@link MdcKey}. False: the agent has to set it. */
    boolean set(int type, int first, int n, int attribute, int value) {
        return hasRecord() && Record.set(record, type, first, n, attribute, value);
    }

    /** Sets the context of spans, by the arguments of {@link Record#putEight}. False: the agent has to set it. */
    boolean set(int type, int first, int n, long ab, long cd, long ef, long gh, int how) {
        return hasRecord() && Record.putEight(record, type, first, n, ab, cd, ef, gh, how);
    }

    private boolean hasRecord() {
        if (record == Record.NONE)
            record = Native.record();
        return record != Record.NONE;
    }
}
