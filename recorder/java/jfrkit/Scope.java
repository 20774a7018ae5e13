package jfrkit;

/**
 * What {@link ContextType#open} has set. Closing it restores what was before, and closes the scopes
 * that were opened after it on this thread. On another thread, and the second time, closing does
 * nothing.
 */
public final class Scope implements AutoCloseable {
    static final Scope NONE = new Scope(null, 0);

    private final ContextType type;
    private final long token;

    private Scope(ContextType type, long token) {
        this.type = type;
        this.token = token;
    }

    static Scope of(ContextType type, long token) {
        return new Scope(type, token);
    }

    /** Sets one attribute of the type until the scope is closed. */
    public void set(int attribute, String value) {
        if (type != null)
            type.set(attribute, value);
    }

    @Override
    public void close() {
        if (token != 0)
            Native.close(token);
    }
}
