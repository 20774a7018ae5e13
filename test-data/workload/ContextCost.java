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

    static void measure(String name, int rounds, int n, Work work) {
        double least = 1e9;

        for (int round = 0; round < rounds; round++) {
            long began = CPU.getCurrentThreadCpuTime();
            work.run(n);
            least = Math.min(least, (double) (CPU.getCurrentThreadCpuTime() - began) / n);
        }
        System.out.printf("%s %.1f%n", name, least);
    }

    public static void main(String[] args) {
        System.out.println("active " + (Contexts.isActive() ? 1 : 0));
        measure("native-call", 300, 100_000, ContextCost::nativeCall);
        measure("open-close-3-cached", 300, 100_000, ContextCost::cached);
        mask = 0xfff; // until everything is compiled; there is no room for that many values
        for (int round = 0; round < 2000; round++) { // called as often as that, and not one long loop: what is
            text(1000); // compiled inside of one is given up when the loop ends
            neverSeen(1000);
        }
        traces = 0x100000;
        mask = -1;
        measure("text", 40, 1000, ContextCost::text);
        measure("open-close-never-seen", 40, 1000, ContextCost::neverSeen);
    }
}
