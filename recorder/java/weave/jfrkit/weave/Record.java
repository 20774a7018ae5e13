package jfrkit.weave;

/**
 * The calling thread's record of its contexts, in the agent's memory: recorder/context/internal.h describes it. The methods
 * change it in place, as context.c and parts.c do, because a call of the agent would cost more than the change itself. They
 * return false where the agent has to make the change, which is rare: an event has to be written for the values before, an
 * event was written earlier for the same scope, or the program has opened a scope.
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
    private static final int REPORTED = 20;

    /** How new values relate to those before, as enum context_change of the agent has it: a scope that has nothing to do with
     *  them, the same scope, or one that began on another thread. */
    static final int BEGINS = 0;
    static final int CHANGES_SCOPE = 1;
    static final int CONTINUES = 2;

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
            if (!put(r, types[i], types[i + 1], types[i + 2], context, (firsts & 1 << types[i]) != 0 ? BEGINS : CONTINUES))
                return false;
        return true;
    }

    private static boolean put(int r, int type, int first, int n, int[] context, int how) {
        int area = Memory.getByte(r + WHERE + type);
        long from = values(r, area, first);
        long to = values(r, area ^ 1, first); // not in use
        int changed = 0;
        int before = 0;
        int any = 0;

        if (isInScope(area))
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
        return changed == 0 || change(r, type, area ^ 1, before != 0, any != 0, how);
    }

    /** Sets one value of a type. False: the agent has to set it. */
    static boolean set(int r, int type, int first, int n, int attribute, int value) {
        int area = Memory.getByte(r + WHERE + type);
        long from = values(r, area, first);
        long to = values(r, area ^ 1, first); // not in use
        int before = 0;
        int any = 0;

        if (isInScope(area))
            return false;
        if (Memory.getInt(from + 4 * attribute) == value)
            return true;
        Fence.release(); // `to` was in use until the change before this one
        for (int i = 0; i < n; i++) {
            int was = Memory.getInt(from + 4 * i);
            int next = i == attribute ? value : was;

            Memory.putInt(to + 4 * i, next);
            before |= was;
            any |= next;
        }
        return change(r, type, area ^ 1, before != 0, any != 0, CHANGES_SCOPE);
    }

    /** Sets the first eight slots of a type, two in each word, and no value in its others. False: the agent has to set them. */
    static boolean putEight(int r, int type, int first, int n, long ab, long cd, long ef, long gh, int how) {
        int area = Memory.getByte(r + WHERE + type);
        long from = values(r, area, first);
        long to = values(r, area ^ 1, first); // not in use
        long a = Memory.getLong(from);
        long c = Memory.getLong(from + 8);
        long e = Memory.getLong(from + 16);
        long g = Memory.getLong(from + 24);
        long before = a | c | e | g;
        long changed = (a ^ ab) | (c ^ cd) | (e ^ ef) | (g ^ gh);

        if (isInScope(area))
            return false;
        Fence.release(); // `to` was in use until the change before this one
        Memory.putLong(to, ab);
        Memory.putLong(to + 8, cd);
        Memory.putLong(to + 16, ef);
        Memory.putLong(to + 24, gh);
        for (int i = 8; i < n; i++) {
            int was = Memory.getInt(from + 4 * i);

            Memory.putInt(to + 4 * i, 0);
            before |= was;
            changed |= was;
        }
        return changed == 0 || change(r, type, area ^ 1, before != 0, (ab | cd | ef | gh) != 0, how);
    }

    private static boolean isInScope(int area) {
        return (area & ~1) != 0;
    }

    private static long values(int r, int area, int first) {
        return r + AREAS + area * AREA + 4 * first;
    }

    /** Is there an event of the values that are set? */
    private static boolean isReportable(int r, int scope) {
        return Memory.getInt(scope + SCOPE_READS) != Memory.getInt(r + READS) || (Native.wants & Native.WANTS_UNUSED) != 0;
    }

    /** Is there an event of an earlier part, or of this one while it is not over? Perhaps in an earlier recording. */
    private static boolean hasReportedPart(int scope) {
        return Memory.getInt(scope + PART) >>> 16 != 0 || Memory.getInt(scope + REPORTED) == Memory.getInt(scope + SERIAL);
    }

    /** Makes the values in this area current, as the next part of what is set outside of scopes. False: the agent has to do
     *  it, since there is an event of the values before; or the values change, and it counts the parts of which there are
     *  events. */
    private static boolean change(int r, int type, int area, boolean hadValues, boolean hasValues, int how) {
        int scope = r + BASES + type * SCOPE;

        if (hadValues && (isReportable(r, scope) || how == CHANGES_SCOPE && hasReportedPart(scope)))
            return false;
        int before = Memory.getInt(scope + PART);
        int part = how != CONTINUES ? 0 : before >>> 16 == 0xffff ? 1 : (before >>> 16) + 1;
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
        return true;
    }
}
