import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import jfrkit.ContextType;
import jfrkit.Contexts;
import jfrkit.Scope;

/**
 * What setting a context costs: ContextCost. Prints "NAME NS", CPU time of the thread, the least of
 * many short rounds, so that other work on the machine does not count. The native call that does
 * next to nothing is Thread.holdsLock.
 */
public class ContextCost {
    interface Work {
        void run(int n);
    }

    static final ContextType CT = ContextType.of("cost", "user", "action", "file", "trace");
    static final String[] USERS = {"alice", "bob", "carol", "dave"};
    static final Object LOCK = new Object();
    static Object sink;
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    static void cached(int n) {
        for (int i = 0; i < n; i++)
            try (Scope s = CT.open(USERS[i & 3], "store", "file")) {
                sink = s;
            }
    }

    static int traces, mask;

    static void neverSeen(int n) {
        for (int i = 0; i < n; i++)
            try (Scope s = CT.open("alice", "store", "file", Integer.toHexString(traces++ & mask))) {
                sink = s;
            }
    }

    /** What of the above is making the text. */
    static void text(int n) {
        for (int i = 0; i < n; i++)
            sink = Integer.toHexString(traces++ & mask);
    }

    static void nativeCall(int n) {
        for (int i = 0; i < n; i++)
            sink = Thread.holdsLock(LOCK) ? LOCK : null;
    }

    static void clock(int n) {
        for (int i = 0; i < n; i++)
            time = System.nanoTime();
    }

    static volatile long time;

    /**
     * Before every fifth round, work as often as that with values that are known: rounds that are
     * far from each other are not all disturbed by other work on the machine, and there is no room
     * for more values that nobody has seen.
     */
    static void measure(String name, int rounds, int n, int known, Work work) {
        double least = 1e9;

        for (int round = 0; round < rounds; round++) {
            mask = 0xfff;
            for (int i = 0; round % 5 == 0 && i < known; i++)
                work.run(n);
            mask = -1;
            long began = CPU.getCurrentThreadCpuTime();
            work.run(n);
            least = Math.min(least, (double) (CPU.getCurrentThreadCpuTime() - began) / n);
        }
        System.out.printf("%s %.1f%n", name, least);
    }

    public static void main(String[] args) {
        System.out.println("active " + (Contexts.isActive() ? 1 : 0));
        measure("native-call", 300, 100_000, 0, ContextCost::nativeCall);
        measure("clock", 100, 100_000, 0, ContextCost::clock);
        measure("open-close-3-cached", 300, 100_000, 0, ContextCost::cached);
        // Called often, and not one long loop: what is compiled inside of one is given up when the
        // loop ends.
        traces = 0x100000;
        measure("text", 50, 1000, 500, ContextCost::text);
        measure("open-close-never-seen", 50, 1000, 500, ContextCost::neverSeen);
    }
}
