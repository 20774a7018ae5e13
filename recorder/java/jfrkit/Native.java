package jfrkit;

/**
 * The recorder's side, found by the JVM in the recorder's library; nobody loads anything here.
 * When it is not there, {@link #connected} says 0 and nothing else may be called. The recorder
 * calls {@link #connect} when it comes later, and as a second way it is asked once a second.
 */
final class Native {
    /** Has a recorder ever been there? */
    static boolean ACTIVE;

    /** What {@link #generation} said last: ids from before may be gone. Kept up to date by the
     *  recorder. */
    static volatile int generation;

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
            generation = attach();
            times++;
            ACTIVE = true;
        } catch (UnsatisfiedLinkError absent) {
            // No recorder: the usual case.
        }
    }

    static int generation() {
        return generation;
    }

    /** Makes this class known to the recorder. Returns the generation of its ids. */
    private static native int attach();

    static native int define(String name, String[] attributes);

    static native int value(String text);

    static native long open(int type, int[] values);

    static native long open4(int type, int a, int b, int c, int d);

    static native void close(long token);

    static native void set(int type, int attribute, int value);

    static native void clear(int type);

    /** Fills in the ids that are set; their texts. */
    static native String[] capture(int[] ids);

    static native void put(int[] ids);
}
