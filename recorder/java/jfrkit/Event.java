package jfrkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * An event of an {@link EventType}, from {@link EventType#begin} to {@link #commit}. Belongs to the
 * thread that began it. Fields that are not set are 0, false or null.
 *
 * <p>A value that does not suit its field is an IllegalArgumentException, and a field that there is
 * not an IndexOutOfBoundsException, whether a recorder is there or not.
 */
public final class Event {
    private static final int MAX_TEXT = 2000; // bytes
    private static final int INTEGERS = 1 << Field.BYTE | 1 << Field.SHORT | 1 << Field.INT
        | 1 << Field.LONG;
    private static final int REALS = 1 << Field.FLOAT | 1 << Field.DOUBLE;
    private static final int NUMBERS = INTEGERS | REALS | 1 << Field.BOOLEAN | 1 << Field.CHAR
        | 1 << Field.THREAD;
    private static final int TEXTS = 1 << Field.STRING | 1 << Field.CLASS | 1 << Field.THREAD;
    private static final Class<?> VIRTUAL = virtual();

    private final EventType type;
    private final long began;
    private final long[] numbers; // null: nobody wants this event
    private long duration = -1; // of one that has ended
    private final String[] texts;

    Event(EventType type) {
        this.type = type;
        began = 0;
        numbers = null;
        texts = null;
    }

    Event(EventType type, long began) {
        this.type = type;
        this.began = began;
        numbers = new long[type.fields.length];
        texts = new String[type.fields.length];
    }

    private static Class<?> virtual() {
        try {
            return Class.forName("java.lang.BaseVirtualThread", false, null);
        } catch (ClassNotFoundException | SecurityException e) {
            return null; // before 21, or where there is a security manager, which is before 24
        }
    }

    /** For a byte, short, int or long. */
    public Event set(int field, long value) {
        return number(field, INTEGERS, value);
    }

    public Event set(int field, boolean value) {
        return number(field, 1 << Field.BOOLEAN, value ? 1 : 0);
    }

    public Event set(int field, char value) {
        return number(field, 1 << Field.CHAR, value);
    }

    /** For a float or double. */
    public Event set(int field, double value) {
        return number(field, REALS, Double.doubleToRawLongBits(value));
    }

    public Event set(int field, String value) {
        return text(field, Field.STRING, value);
    }

    public Event set(int field, Class<?> value) {
        return text(field, Field.CLASS, value == null ? null : value.getName());
    }

    public Event set(int field, Thread value) {
        text(field, Field.THREAD, value == null ? null : value.getName());
        if (numbers != null)
            numbers[field] = value == null ? 0 : value.getId();
        return this;
    }

    /** Ends the event, that is, what it lasts; values may still be set. {@link #commit} does it else. */
    public Event end() {
        if (numbers != null)
            duration = System.nanoTime() - began;
        return this;
    }

    private long duration() {
        return duration >= 0 ? duration : System.nanoTime() - began;
    }

    /**
     * Would it be recorded as it ended, or if it ended now? To be asked before values are made that
     * cost.
     */
    public boolean shouldCommit() {
        long threshold = numbers == null ? Long.MAX_VALUE : type.threshold();

        return threshold != Long.MAX_VALUE && (threshold <= 0 || duration() >= threshold);
    }

    /** Records the event, which ends unless it has. Says whether it is recorded. */
    public boolean commit() {
        if (numbers == null)
            return type.id() < 0 && EventNative.refused(type.id()) > 0;
        long took = duration();
        if (took < type.threshold())
            return false;
        byte[] values = values();
        return EventNative.commit(type.id(), began, took, carried(), values, values.length) > 0;
    }

    /** The virtual thread that calls, by its id; 0: it is none. */
    private static long carried() {
        Thread t = Thread.currentThread();

        return VIRTUAL != null && VIRTUAL.isInstance(t) ? t.getId() : 0;
    }

    private void check(int field, int kinds) {
        if ((1 << type.fields[field].kind & kinds) == 0)
            throw new IllegalArgumentException(type.name() + ": field " + field
                + " is of kind " + type.fields[field].kindName());
    }

    private Event number(int field, int kinds, long value) {
        check(field, kinds);
        if (numbers != null)
            numbers[field] = value;
        return this;
    }

    private Event text(int field, int kind, String value) {
        check(field, 1 << kind);
        if (texts != null)
            texts[field] = value;
        return this;
    }

    /** In the shape that the recorder expects: custom/event.h. */
    private byte[] values() {
        byte[][] encoded = new byte[texts.length][];
        int n = 0;

        for (int i = 0; i < texts.length; i++) {
            int kind = 1 << type.fields[i].kind;

            encoded[i] = texts[i] == null ? null : encode(texts[i]);
            n += (kind & NUMBERS) != 0 ? 8 : 0;
            n += (kind & TEXTS) != 0 ? 4 : 0;
            n += encoded[i] == null ? 0 : encoded[i].length;
        }
        ByteBuffer out = ByteBuffer.wrap(new byte[n]).order(ByteOrder.nativeOrder());
        for (int i = 0; i < texts.length; i++)
            put(out, 1 << type.fields[i].kind, numbers[i], encoded[i]);
        return out.array();
    }

    private static void put(ByteBuffer out, int kind, long number, byte[] text) {
        if ((kind & NUMBERS) != 0)
            out.putLong(number);
        if ((kind & TEXTS) == 0)
            return;
        out.putInt(text == null ? -1 : text.length);
        if (text != null)
            out.put(text);
    }

    private static byte[] encode(String text) {
        byte[] all = text.getBytes(StandardCharsets.UTF_8);
        int n = MAX_TEXT;

        if (all.length <= MAX_TEXT)
            return all;
        while ((all[n] & 0xc0) == 0x80)
            n--;
        EventNative.cut(all.length - n);
        return java.util.Arrays.copyOf(all, n);
    }
}
