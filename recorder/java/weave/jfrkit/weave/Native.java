package jfrkit.weave;

import java.nio.ByteBuffer;

/** The agent's side of {@link ThreadContext}. The agent registers the native methods and sets the fields. */
final class Native {
    static final int WANTS_TIME = 1;
    static final int WANTS_UNUSED = 2;

    /** Another number when the numbers of values may have another meaning than before. */
    static volatile int generation;

    /** Bits of the above: whether scopes have interval events, and whether those in which nothing was recorded do. */
    static volatile int wants;

    /** The contexts that tasks carry: index, first slot and number of slots of each; empty: none. Another array when
     *  contexts from before do not count any more. */
    static volatile int[] types = {};

    private Native() {
    }

    /** The memory with the records of all threads. */
    static native ByteBuffer memory();

    static native long memoryAddress();

    /** The place of the calling thread's record in it; {@link Record#NONE}: it has none yet. */
    static native int record();

    /** The context of the calling thread: the generation, then the slots. Null: it has none. */
    static native int[] copy();

    /** Sets a context that {@link #copy} returned on this or another thread; null: none. firsts: of {@link Record#put}. */
    static native void put(int[] context, int firsts);

    /** Returns whether the numbers of a captured context still have the same values; it is then one of this generation. */
    static native boolean renew(int[] context);

    /** Counts a task that has lost its context, because too many tasks wait. */
    static native void dropped();
}
