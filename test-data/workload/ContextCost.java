import jfrkit.ContextType;
import jfrkit.Contexts;
import jfrkit.Scope;

/**
 * What setting a context costs: ContextCost [SECONDS per measurement]. Prints "NAME NS", the least
 * of five. The empty native call is Runtime.availableProcessors' cheaper cousin: Thread.holdsLock.
 */
public class ContextCost {
    interface Work {
        void run(int n);
    }

    static final ContextType CT = ContextType.of("cost", "user", "action", "file", "trace");
    static final String[] USERS = {"alice", "bob", "carol", "dave"};
    static final Object LOCK = new Object();
    static volatile Object sink;

    static void cached(int n) {
        for (int i = 0; i < n; i++)
            try (Scope s = CT.open(USERS[i & 3], "store", "file")) {
                sink = s;
            }
    }

    static int traces;

    static void neverSeen(int n) {
        for (int i = 0; i < n; i++)
            try (Scope s = CT.open("alice", "store", "file", Integer.toHexString(traces++))) {
                sink = s;
            }
    }

    /** What of the above is making the text. */
    static void text(int n) {
        for (int i = 0; i < n; i++)
            sink = Integer.toHexString(traces++);
    }

    static void nativeCall(int n) {
        for (int i = 0; i < n; i++)
            sink = Thread.holdsLock(LOCK) ? LOCK : null;
    }

    static void measure(String name, int n, Work work) {
        double least = 1e9;

        for (int round = 0; round < 8; round++) {
            long began = System.nanoTime();
            work.run(n);
            if (round > 2) // compiled by then
                least = Math.min(least, (double) (System.nanoTime() - began) / n);
        }
        System.out.printf("%s %.1f%n", name, least);
    }

    public static void main(String[] args) {
        System.out.println("active " + (Contexts.isActive() ? 1 : 0));
        measure("native-call", 5_000_000, ContextCost::nativeCall);
        measure("open-close-3-cached", 5_000_000, ContextCost::cached);
        measure("text", 300_000, ContextCost::text);
        measure("open-close-never-seen", 300_000, ContextCost::neverSeen);
    }
}
