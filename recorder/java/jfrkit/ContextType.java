package jfrkit;

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
    /** Attributes of a context. All contexts together have room for 24. */
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
        int r = Record.mine();
        if (r == Record.NONE)
            return Scope.NONE;
        if (!hasRoom(r))
            return tooDeep();
        Record.rest(r, type, Record.depth(r), ids);
        return open(type, pair(ids, 0), pair(ids, 2));
    }

    public Scope open(String a) {
        int type = id();

        return type <= 0 ? Scope.NONE : open4(type, Values.id(a), 0);
    }

    public Scope open(String a, String b) {
        int type = id();

        return type <= 0 ? Scope.NONE : open4(type, pair(Values.id(a), Values.id(b)), 0);
    }

    public Scope open(String a, String b, String c) {
        int type = id();

        return type <= 0 ? Scope.NONE : open4(type, pair(Values.id(a), Values.id(b)), Values.id(c));
    }

    public Scope open(String a, String b, String c, String d) {
        int type = id();

        return type <= 0 ? Scope.NONE
            : open4(type, pair(Values.id(a), Values.id(b)), pair(Values.id(c), Values.id(d)));
    }

    private Scope open4(int type, long ab, long cd) {
        if (attributes.length > 4)
            clearRest(type);
        return open(type, ab, cd);
    }

    private void clearRest(int type) {
        int r = Record.mine();

        if (r != Record.NONE && hasRoom(r))
            Record.rest(r, type, Record.depth(r), new int[attributes.length]);
    }

    /** The values behind the first four are there. */
    private Scope open(int type, long ab, long cd) {
        int r = Record.mine();

        if (r == Record.NONE)
            return Scope.NONE;
        int depth = Record.depth(r), serial = Record.serial(r);
        if (depth >= Record.DEPTH_MAX)
            return tooDeep();
        Record.open(r, type, depth, serial, ab, cd);
        return new Scope(this, r, depth + 1, serial);
    }

    private static boolean hasRoom(int r) {
        return Record.depth(r) < Record.DEPTH_MAX;
    }

    private static Scope tooDeep() {
        Native.tooDeep();
        return Scope.NONE;
    }

    /** Two values as they lie beside each other. */
    private static long pair(int first, int second) {
        return first & 0xffffffffL | (long) second << 32;
    }

    private static long pair(int[] ids, int at) {
        return pair(at < ids.length ? ids[at] : 0, at + 1 < ids.length ? ids[at + 1] : 0);
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
            Native.set(type, ids(values));
    }

    /** Sets one attribute, counted from 0. */
    public void set(int attribute, String value) {
        int type = id();

        if (attribute < 0 || attribute >= attributes.length)
            throw new IndexOutOfBoundsException("attribute " + attribute);
        if (type > 0)
            Native.setOne(type, attribute, Values.id(value));
    }

    /** Sets all attributes to null. */
    public void clear() {
        int type = id();

        if (type > 0)
            Native.set(type, new int[attributes.length]);
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
