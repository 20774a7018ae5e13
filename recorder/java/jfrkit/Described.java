package jfrkit;

/**
 * What readers are told of an event type or a field.
 *
 * @param <T> what the setters return
 */
public abstract class Described<T extends Described<T>> {
    static final int EXPERIMENTAL = 4; // enum jk_flag

    String label;
    String description;
    int flags;

    Described() {
    }

    abstract T self();

    public T label(String text) {
        label = text;
        return self();
    }

    public T description(String text) {
        description = text;
        return self();
    }

    public T experimental() {
        flags |= EXPERIMENTAL;
        return self();
    }
}
