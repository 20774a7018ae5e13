package jfrkit;

/**
 * What {@link ContextType#open} has set. Closing it restores what was before, and closes the scopes
 * that were opened after it on this thread. On another thread, and the second time, closing does
 * nothing.
 */
public final class Scope implements AutoCloseable {
    static final Scope NONE = new Scope(null, Record.NONE, 0, 0);

    private final ContextType type;
    private final Thread thread; // null: none
    private final int record, depth, serial;

    Scope(ContextType type, int record, int depth, int serial) {
        this.type = type;
        this.record = record;
        this.thread = type == null ? null : Thread.currentThread();
        this.depth = depth;
        this.serial = serial;
    }

    /** Sets one attribute of the type until the scope is closed. */
    public void set(int attribute, String value) {
        if (type != null)
            type.set(attribute, value);
    }

    @Override
    public void close() {
        if (thread == Thread.currentThread())
            Record.close(record, depth, serial);
    }
}
