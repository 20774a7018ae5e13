package jfrkit;

/**
 * The calling thread's record of what is set, in the recorder's memory: recorder/context/internal.h
 * says how it is laid out. A record belongs to a thread, virtual or not, as long as that lives, so a
 * virtual thread takes it along when it changes its carrier. Here it is a place in {@link Memory}.
 *
 * <p>A change is written where nobody looks and then comes into force by one store, so a signal
 * handler that looks in between sees what was before. Values of a type lie in an area; the areas
 * 2d and 2d + 1 belong to the scope of depth d, all of them, whichever values its type has.
 *
 * <p>Opening and closing are made of few and wide accesses: what is large is not inlined.
 */
final class Record {
    static final int LAYOUT = 5;
    /** Words of all contexts together. */
    static final int SLOTS = 24;
    static final int DEPTH_MAX = 32;
    static final int TEXT_MAX = 255;
    static final int NONE = -1;

    private static final int WHERE = 0, DEPTH = 8, CHANGES = 12, READS = 16;
    private static final int SCOPES = 64, SCOPE = 32, START = 0, SERIAL_READS = 8, TYPE_BEFORE = 16;
    private static final int AREAS = 1088, AREA = 4 * SLOTS, TEXT = 7424;

    /** Of the JDK's own classes, so that a pool's thread keeps no class loader alive. */
    private static final ThreadLocal<Integer> MINE = new ThreadLocal<>();

    private Record() {
    }

    /** NONE when this thread can have none. */
    static int mine() {
        Integer r = MINE.get();

        return r == null ? ask() : r;
    }

    private static int ask() {
        int r = Native.record();

        MINE.set(r);
        return r;
    }

    static int depth(int r) {
        return Memory.getInt(r + DEPTH);
    }

    /** Is something set, in a scope or without? */
    static boolean isAnySet(int r) {
        long any = Memory.getLong(r + WHERE); // without a scope it may be in area 0

        for (int i = 0; i < AREA; i += 8)
            any |= Memory.getLong(r + AREAS + i);
        return any != 0;
    }

    /** The number of the change that comes next. */
    static int serial(int r) {
        return Memory.getInt(r + CHANGES) + 1;
    }

    /** Opens a scope inside of a depth with the first four values; those behind are as they were. */
    static void open(int r, int type, int depth, int serial, long ab, long cd) {
        long scope = r + SCOPES + depth * SCOPE, reads = Memory.getInt(r + READS), where = r + WHERE + index(type);
        long values = place(r, 2 * depth + 2, type);
        byte before = Memory.getByte(where);

        Memory.putInt(r + CHANGES, serial);
        Fence.release();
        Memory.putLong(values, ab);
        Memory.putLong(values + 8, cd);
        Memory.putLong(scope + START, (Native.wants & Native.WANTS_TIME) != 0 ? System.nanoTime() : 0);
        Memory.putLong(scope + SERIAL_READS, serial & 0xffffffffL | reads << 32);
        Memory.putInt(scope + TYPE_BEFORE, index(type) | (before & 0xff) << 8);
        Fence.release();
        Memory.putByte(where, (byte) (2 * depth + 2));
        Memory.putInt(r + DEPTH, depth + 1);
    }

    /** Values behind the first four of the scope that {@link #open} is going to open. */
    static void rest(int r, int type, int depth, int[] ids) {
        long values = place(r, 2 * depth + 2, type);

        for (int i = 4; i < ids.length; i++)
            Memory.putInt(values + 4 * i, ids[i]);
    }

    /** Closes a scope, the innermost one if that is so, else with those inside; or it is closed. */
    static void close(int r, int depth, int serial) {
        long scope = r + SCOPES + (depth - 1) * SCOPE, reads = Memory.getInt(r + READS);

        if (Memory.getInt(r + DEPTH) != depth
            || Memory.getLong(scope + SERIAL_READS) != (serial & 0xffffffffL | reads << 32)
            || (Native.wants & Native.WANTS_UNUSED) != 0) {
            Native.close(depth, serial);
            return;
        }
        int type = Memory.getInt(scope + TYPE_BEFORE);
        Memory.putByte(r + WHERE + (type & 0xff), (byte) (type >>> 8));
        Memory.putInt(r + DEPTH, depth - 1);
    }

    /** Gives ASCII text to the recorder without a detour; false: it is none, or too long. */
    static boolean putText(int r, String text) {
        int n = text.length(), all = 0;

        if (n > TEXT_MAX)
            return false;
        for (int from = 0; from < n; from += 8) {
            long eight = 0;
            for (int i = from; i < n && i < from + 8; i++) {
                char c = text.charAt(i);
                all |= c - 1 | c;
                eight |= (long) (c & 0x7f) << 8 * (i - from);
            }
            Memory.putLong(r + TEXT + from, eight);
        }
        return (all & ~0x7f) == 0;
    }

    private static long place(int r, int area, int type) {
        return r + AREAS + area * AREA + (type >>> 8) * 4;
    }

    /** Of a type as {@link Native#define} names it. */
    private static int index(int type) {
        return (type & 0xff) - 1;
    }
}
