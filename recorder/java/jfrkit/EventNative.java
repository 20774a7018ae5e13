package jfrkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The recorder's side of events, found as that of contexts is ({@link Native}): when it is not
 * there, nothing but {@link #connected} may be called.
 */
final class EventNative {
    /** Has a recorder ever been there? */
    static boolean ACTIVE;

    /** From which duration on a type's events are wanted, by its number; null: no recorder. */
    static LongBuffer thresholds;

    private static int times; // the recorder came

    static {
        connect();
    }

    private EventNative() {
    }

    static int connected() {
        return times;
    }

    /** Called by the recorder, in whatever loader this class is. */
    static synchronized void connect() {
        try {
            thresholds = attach().order(ByteOrder.nativeOrder()).asLongBuffer();
            times++;
            ACTIVE = true;
        } catch (UnsatisfiedLinkError absent) {
            // No recorder: the usual case.
        }
    }

    private static native ByteBuffer attach();

    /** The number of the type, or why it is refused (negative). Null for a text: none. */
    static native int define(String[] texts, int[] numbers, int flags, long threshold);

    static native String text(int result);

    static native int commit(int type, long began, long duration, long thread, byte[] values, int n);

    /** Counts an event that is lost because its type was refused. */
    static native int refused(int type);

    /** Counts bytes that were cut from a text. */
    static native void cut(int bytes);
}
