package jfrkit;

/**
 * A field of an {@link EventType}: its name, what it holds, and what readers are told of it. Belongs
 * to the type that it is given to.
 */
public final class Field extends Described<Field> {
    static final int BOOLEAN = 1;
    static final int BYTE = 2;
    static final int SHORT = 3;
    static final int CHAR = 4;
    static final int INT = 5;
    static final int LONG = 6;
    static final int FLOAT = 7;
    static final int DOUBLE = 8;
    static final int STRING = 9;
    static final int THREAD = 10;
    static final int CLASS = 11;
    private static final String[] KINDS = {null, "boolean", "byte", "short", "char", "int", "long",
        "float", "double", "String", "Thread", "Class"};

    final String name;
    final int kind;
    Unit unit = Unit.NONE;

    private Field(String name, int kind) {
        if (name == null || name.isEmpty())
            throw new IllegalArgumentException("a field needs a name");
        this.name = name;
        this.kind = kind;
    }

    public static Field ofBoolean(String name) {
        return new Field(name, BOOLEAN);
    }

    public static Field ofByte(String name) {
        return new Field(name, BYTE);
    }

    public static Field ofShort(String name) {
        return new Field(name, SHORT);
    }

    public static Field ofChar(String name) {
        return new Field(name, CHAR);
    }

    public static Field ofInt(String name) {
        return new Field(name, INT);
    }

    public static Field ofLong(String name) {
        return new Field(name, LONG);
    }

    public static Field ofFloat(String name) {
        return new Field(name, FLOAT);
    }

    public static Field ofDouble(String name) {
        return new Field(name, DOUBLE);
    }

    public static Field ofString(String name) {
        return new Field(name, STRING);
    }

    public static Field ofThread(String name) {
        return new Field(name, THREAD);
    }

    public static Field ofClass(String name) {
        return new Field(name, CLASS);
    }

    @Override
    Field self() {
        return this;
    }

    public Field unit(Unit meaning) {
        unit = meaning;
        return this;
    }

    public Field unsigned() {
        flags |= 1;
        return this;
    }

    /** It says for whom the thread works: readers show it with other events of the thread. */
    public Field contextual() {
        flags |= 2;
        return this;
    }

    String kindName() {
        return KINDS[kind];
    }

    @Override
    public String toString() {
        return kindName() + " " + name;
    }
}
