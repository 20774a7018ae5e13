package jfrkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The calling thread's record of what is set, in the recorder's memory: recorder/context.c says how
 * it is laid out. A record belongs to a thread, virtual or not, as long as that lives, so a virtual
 * thread takes it along when it changes its carrier.
 *
 * <p>A change is written where nobody looks and then comes into force by one store, so a signal
 * handler that looks in between sees what was before. Values of a type lie in an area; the areas
 * 2d and 2d + 1 belong to the scope of depth d.
 */
final class Record {
    static final int LAYOUT = 1;
    static final int DEPTH_MAX = 32;
    static final int TEXT_MAX = 255;

    private static final int WHERE = 0, DEPTH = 8, CHANGES = 12, READS = 16;
    private static final int SCOPES = 64, SCOPE = 32, START = 0, SERIAL = 8, SCOPE_READS = 12, TYPE = 16,
        BEFORE = 17;
    private static final int AREAS = 1088, AREA = 64, TEXT = 5312;

    private static final ByteBuffer NONE = ByteBuffer.allocateDirect(0);

    /** Of the JDK's own classes, so that a pool's thread keeps no class loader alive. */
    private static final ThreadLocal<ByteBuffer> MINE = new ThreadLocal<>();

    private Record() {
    }

    /** Null when this thread can have none. */
    static ByteBuffer mine() {
        ByteBuffer r = MINE.get();

        return r == null ? ask() : r == NONE ? null : r;
    }

    private static ByteBuffer ask() {
        ByteBuffer r = Native.record();

        MINE.set(r == null ? NONE : r.order(ByteOrder.nativeOrder()));
        return r;
    }

    static int depth(ByteBuffer r) {
        return r.getInt(DEPTH);
    }

    /** Where the values of a type go that a new scope sets: the place of its first one. */
    static int beginScope(ByteBuffer r, int type) {
        int serial = r.getInt(CHANGES) + 1;
        int depth = r.getInt(DEPTH);
        int scope = SCOPES + depth * SCOPE;

        r.putInt(CHANGES, serial);
        Fence.release();
        r.putInt(scope + SERIAL, serial);
        r.putInt(scope + SCOPE_READS, r.getInt(READS));
        r.put(scope + TYPE, (byte) index(type));
        r.put(scope + BEFORE, r.get(WHERE + index(type)));
        return place(2 * depth + 2, type);
    }

    /** The values are there: the serial of the scope. */
    static int endScope(ByteBuffer r, int type) {
        int depth = r.getInt(DEPTH) + 1;

        r.putLong(SCOPES + (depth - 1) * SCOPE + START,
            (Native.wants & Native.WANTS_TIME) != 0 ? System.nanoTime() : 0);
        Fence.release();
        r.put(WHERE + index(type), (byte) (2 * depth));
        r.putInt(DEPTH, depth);
        return r.getInt(CHANGES);
    }

    /** Closes a scope, the innermost one if that is so, else with those inside; or it is closed. */
    static void close(ByteBuffer r, int depth, int serial) {
        int scope = SCOPES + (depth - 1) * SCOPE;

        if (r.getInt(DEPTH) != depth || r.getInt(scope + SERIAL) != serial
            || r.getInt(scope + SCOPE_READS) != r.getInt(READS)
            || (Native.wants & Native.WANTS_UNUSED) != 0) {
            Native.close(depth, serial);
            return;
        }
        r.put(WHERE + r.get(scope + TYPE), r.get(scope + BEFORE));
        r.putInt(DEPTH, depth - 1);
    }

    /** Where other values of a type go: the place of the first. */
    static int beginSet(ByteBuffer r, int type) {
        r.putInt(CHANGES, r.getInt(CHANGES) + 1);
        Fence.release();
        return place(r.get(WHERE + index(type)) ^ 1, type);
    }

    static void endSet(ByteBuffer r, int type) {
        Fence.release();
        r.put(WHERE + index(type), (byte) (r.get(WHERE + index(type)) ^ 1));
    }

    /** The place of a type's first value, as it is now. */
    static int current(ByteBuffer r, int type) {
        return place(r.get(WHERE + index(type)), type);
    }

    /** Gives ASCII text to the recorder without a detour; false: it is none, or too long. */
    static boolean putText(ByteBuffer r, String text) {
        int n = text.length(), all = 0;

        if (n > TEXT_MAX)
            return false;
        for (int i = 0; i < n; i++) {
            char c = text.charAt(i);
            all |= c - 1 | c;
            r.put(TEXT + i, (byte) c);
        }
        return (all & ~0x7f) == 0;
    }

    private static int place(int area, int type) {
        return AREAS + area * AREA + (type >>> 8) * 4;
    }

    /** Of a type as {@link Native#define} names it. */
    private static int index(int type) {
        return (type & 0xff) - 1;
    }
}
