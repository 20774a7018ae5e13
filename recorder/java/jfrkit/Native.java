package jfrkit;

import java.nio.ByteBuffer;

/**
 * The recorder's side, found by the JVM in the recorder's library; nobody loads anything here.
 * When it is not there, {@link #connected} returns 0 and nothing else may be called. A recorder that
 * is attached later calls {@link #connect}.
 */
final class Native {
    /** Has a recorder ever been there? */
    static boolean ACTIVE;

    /** What {@link #generation} said last: ids from before may be gone. Kept up to date by the
     *  recorder. */
    static volatile int generation;

    /** What a scope has to remember: bits of the following. Kept up to date by the recorder. */
    static volatile int wants;

    static final int WANTS_TIME = 1, WANTS_UNUSED = 2;

    private static int times; // the recorder came

    static {
        connect();
    }

    private Native() {
    }

    static int connected() {
        return times;
    }

    /** Called by the recorder, in whatever loader this class is. */
    static synchronized void connect() {
        try {
            if (attach(Record.LAYOUT) == 0)
                return; // a recorder of another time
            times++;
            ACTIVE = true;
        } catch (UnsatisfiedLinkError absent) {
            // No recorder: the usual case.
        }
    }

    static int generation() {
        return generation;
    }

    /** Makes this class known to the recorder, which fills in the above. 0: it cannot be. */
    private static native int attach(int layout);

    /** Where the records of all threads are. */
    static native ByteBuffer memory();

    static native long memoryAddress();

    /** The place of this thread's record in it, or -1. */
    static native int record();

    /** What to call a type: 1 and more, its first slot in the second byte; -1: there is no room. */
    static native int define(String name, String[] attributes);

    /** The id of a text, or ~id when nobody has set it before. */
    static native int value(String text);

    /** The same of so many bytes of ASCII in the thread's record. */
    static native int valueOf(int n);

    /** Closes a scope in which something was recorded, or which is not the innermost one. */
    static native void close(int depth, int serial);

    /** Counts a scope for which there was no room. */
    static native void tooDeep();

    /** Fills in the words that are set, and the texts of those that are ids. */
    static native void capture(int[] ids, String[] texts);

    /** Sets everything; where the thread stands, for {@link #putBack}. */
    static native long put(int[] ids);

    /** Sets everything as it was there, unless the scope that was open there has been closed. */
    static native void putBack(long place, int[] ids);

    static native void set(int type, int[] ids);

    static native void setOne(int type, int attribute, int id);
}
