package jfrkit.weave;

/**
 * The calling thread's record of its contexts, in the agent's memory: recorder/context/internal.h describes it. The methods
 * change it in place, as context.c and parts.c do, because a call of the agent would cost more than the change itself. They
 * return false where the agent has to make the change, which is rare: an event has to be written for the values before, or
 * the program has opened a scope.
 *
 * <p>A stack may overflow within a change. The values before are current then, and the next change makes `heads` even.
 */
final class Record {
    static final int NONE = -1;

    private static final int WHERE = 0;
    private static final int CHANGES = 12;
    private static final int READS = 16;
    private static final int HEADS = 20;
    private static final int AREAS = 1088;
    private static final int AREA = 96;
    private static final int BASES = 7760;

    /** Of a scope, or of what is set outside of scopes, which has the same members. */
    private static final int SCOPE = 32;
    private static final int START = 0;
    private static final int SERIAL = 8;
    private static final int SCOPE_READS = 12;
    private static final int PART = 16; // in the upper half

    private Record() {
    }

    /** Another number whenever a context of the thread is. */
    static int changes(int r) {
        return Memory.getInt(r + CHANGES);
    }

    /** The contexts, a bit for each type, that are in their first part, of which no event would tell if it ended now. */
    static int unreported(int r, int[] types) {
        int found = 0;

        for (int i = 0; i < types.length; i += 3) {
            int scope = r + BASES + types[i] * SCOPE;

            if (Memory.getInt(scope + PART) >>> 16 == 0 && !isReportable(r, scope))
                found |= 1 << types[i];
        }
        return found;
    }

    /** Sets what a task carries, values that continue a scope of another thread; or sets values again, which begin with a
     *  first part where `firsts` has a bit for the type. types: of {@link Native#types}; context: of {@link Native#copy},
     *  or null for no values. False: some types may not be set; the agent can set all of them. */
    static boolean put(int r, int[] types, int[] context, int firsts) {
        for (int i = 0; i < types.length; i += 3)
            if (!put(r, types[i], types[i + 1], types[i + 2], context, (firsts & 1 << types[i]) != 0))
                return false;
        return true;
    }

    private static boolean put(int r, int type, int first, int n, int[] context, boolean isFirst) {
        int area = Memory.getByte(r + WHERE + type);
        int scope = r + BASES + type * SCOPE;
        long from = values(r, area, first);
        long to = values(r, area ^ 1, first); // not in use
        int changed = 0;
        int before = 0;
        int any = 0;

        if ((area & ~1) != 0)
            return false;
        Fence.release(); // `to` was in use until the change before this one
        for (int i = 0; i < n; i++) {
            int value = context == null ? 0 : context[1 + first + i];
            int was = Memory.getInt(from + 4 * i);

            Memory.putInt(to + 4 * i, value);
            changed |= was ^ value;
            before |= was;
            any |= value;
        }
        if (changed == 0)
            return true;
        if (before != 0 && isReportable(r, scope))
            return false;
        change(r, type, area ^ 1, any != 0, isFirst);
        return true;
    }

    private static long values(int r, int area, int first) {
        return r + AREAS + area * AREA + 4 * first;
    }

    /** Is there an event of the values that are set? */
    private static boolean isReportable(int r, int scope) {
        return Memory.getInt(scope + SCOPE_READS) != Memory.getInt(r + READS) || (Native.wants & Native.WANTS_UNUSED) != 0;
    }

    /** Begins the next part of what is set outside of scopes, and makes its values current, which are in this area. */
    private static void change(int r, int type, int area, boolean hasValues, boolean isFirst) {
        int scope = r + BASES + type * SCOPE;
        int before = Memory.getInt(scope + PART);
        int part = isFirst ? 0 : before >>> 16 == 0xffff ? 1 : (before >>> 16) + 1;
        int serial = Memory.getInt(r + CHANGES) + 1;
        int heads = Memory.getInt(r + HEADS) | 1;
        long reads = Memory.getInt(r + READS);
        long now = hasValues && (Native.wants & Native.WANTS_TIME) != 0 ? System.nanoTime() : 0;

        Memory.putInt(r + CHANGES, serial);
        Fence.release();
        Memory.putInt(r + HEADS, heads);
        Fence.release();
        Memory.putLong(scope + SERIAL, serial & 0xffffffffL | reads << 32);
        Memory.putInt(scope + PART, before & 0xffff | part << 16);
        Memory.putLong(scope + START, now);
        Fence.release();
        Memory.putByte(r + WHERE + type, (byte) area);
        Fence.release();
        Memory.putInt(r + HEADS, heads + 1);
    }
}
