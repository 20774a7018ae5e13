package jfrkit;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A named tuple of attributes that says for whom or what a thread works.
 *
 * <pre>
 * static final ContextType REQUEST = ContextType.of("request", "user", "action");
 *
 * try (Scope s = REQUEST.open(user, "store")) {
 *     ...                                   // every event recorded here carries user and action
 * }
 * </pre>
 *
 * Events show an attribute as the field {@code request_user}. Without the recorder in the process
 * all of this does nothing. All methods are about the calling thread, platform or virtual; a value
 * of null is none. A thread of a pool keeps what was {@link #set} until it is cleared: prefer
 * {@link #open}.
 */
public final class ContextType {
    /** Attributes of all types together. */
    public static final int MAX_ATTRIBUTES = 16;

    private final String name;
    private final String[] attributes;
    private int id; // 0: not known to the recorder; benign race, the same for all threads
    private int seen; // attempts of the recorder's at being there

    private ContextType(String name, String[] attributes) {
        this.name = name;
        this.attributes = attributes;
    }

    /**
     * Names a context. The same name with the same attributes may be asked for any number of times.
     *
     * @throws IllegalArgumentException when a name is missing or there are no attributes, or more
     *         than 16
     */
    public static ContextType of(String name, String... attributes) {
        String[] copy = attributes.clone();

        if (name == null || name.isEmpty() || copy.length == 0 || copy.length > MAX_ATTRIBUTES)
            throw new IllegalArgumentException("a context needs a name and 1 to 16 attributes");
        for (String attribute : copy)
            if (attribute == null || attribute.isEmpty())
                throw new IllegalArgumentException("an attribute needs a name");
        ContextType type = new ContextType(name, copy);
        type.id();
        return type;
    }

    public String name() {
        return name;
    }

    /** Names of the attributes, in order. */
    public String[] attributes() {
        return attributes.clone();
    }

    /** Is there a recorder, and had it room for this type? */
    public boolean isActive() {
        return id() > 0;
    }

    /** Sets the attributes until the scope is closed; those that are not given are null. */
    public Scope open(String... values) {
        int type = id();

        if (type <= 0)
            return Scope.NONE;
        int[] ids = ids(values);
        ByteBuffer r = record();
        if (r == null)
            return Scope.NONE;
        int at = Record.beginScope(r, type);
        for (int i = 0; i < ids.length; i++)
            r.putInt(at + 4 * i, ids[i]);
        return scope(r, type);
    }

    public Scope open(String a) {
        int type = id();

        return type <= 0 ? Scope.NONE : open(type, Values.id(a), 0, 0, 0);
    }

    public Scope open(String a, String b) {
        int type = id();

        return type <= 0 ? Scope.NONE : open(type, Values.id(a), Values.id(b), 0, 0);
    }

    public Scope open(String a, String b, String c) {
        int type = id();

        return type <= 0 ? Scope.NONE
            : open(type, Values.id(a), Values.id(b), Values.id(c), 0);
    }

    public Scope open(String a, String b, String c, String d) {
        int type = id();

        return type <= 0 ? Scope.NONE
            : open(type, Values.id(a), Values.id(b), Values.id(c), Values.id(d));
    }

    private Scope open(int type, int a, int b, int c, int d) {
        int n = attributes.length;
        ByteBuffer r = record();

        if (r == null)
            return Scope.NONE;
        int at = Record.beginScope(r, type);
        r.putInt(at, a);
        if (n > 1)
            r.putInt(at + 4, b);
        if (n > 2)
            r.putInt(at + 8, c);
        if (n > 3)
            r.putInt(at + 12, d);
        for (int i = 4; i < n; i++)
            r.putInt(at + 4 * i, 0);
        return scope(r, type);
    }

    /** Null: this thread has none, or no room for one more scope. */
    private static ByteBuffer record() {
        ByteBuffer r = Record.mine();

        if (r == null || Record.depth(r) < Record.DEPTH_MAX)
            return r;
        Native.tooDeep();
        return null;
    }

    private Scope scope(ByteBuffer r, int type) {
        int serial = Record.endScope(r, type);

        return new Scope(this, r, Record.depth(r), serial);
    }

    private int[] ids(String[] values) {
        int[] ids = new int[attributes.length];

        for (int i = 0; i < ids.length && i < values.length; i++)
            ids[i] = Values.id(values[i]);
        return ids;
    }

    /** Sets the attributes until they are set again or cleared; those not given become null. */
    public void set(String... values) {
        int type = id();

        if (type > 0)
            set(type, ids(values));
    }

    private static void set(int type, int[] ids) {
        ByteBuffer r = Record.mine();

        if (r == null)
            return;
        int at = Record.beginSet(r, type);
        for (int i = 0; i < ids.length; i++)
            r.putInt(at + 4 * i, ids[i]);
        Record.endSet(r, type);
    }

    /** Sets one attribute, counted from 0. */
    public void set(int attribute, String value) {
        int type = id();

        if (attribute < 0 || attribute >= attributes.length)
            throw new IndexOutOfBoundsException("attribute " + attribute);
        if (type <= 0)
            return;
        int id = Values.id(value);
        ByteBuffer r = Record.mine();
        if (r == null)
            return;
        int from = Record.current(r, type), at = Record.beginSet(r, type);
        for (int i = 0; i < attributes.length; i++)
            r.putInt(at + 4 * i, i == attribute ? id : r.getInt(from + 4 * i));
        Record.endSet(r, type);
    }

    /** Sets all attributes to null. */
    public void clear() {
        int type = id();

        if (type > 0)
            set(type, new int[attributes.length]);
    }

    @Override
    public String toString() {
        return name + Arrays.toString(attributes);
    }

    int id() {
        return id != 0 || !Native.ACTIVE ? id : define();
    }

    /** Asks once for each time that the recorder said it is there. */
    private int define() {
        int connected = Native.connected();

        if (connected == 0 || connected == seen)
            return 0;
        id = Native.define(name, attributes);
        seen = connected;
        return id;
    }
}
