import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads, of which some cannot leave their carrier: they park while a class is being
 * initialised, which has frames of the VM below it on every JDK. Needs JDK 21.
 *
 *   java Pinned THREADS
 */
public class Pinned {
    static class First {
        static {
            LockSupport.parkNanos(50_000_000);
        }

        static void touch() {
        }
    }

    static class Second {
        static {
            LockSupport.parkNanos(50_000_000);
        }

        static void touch() {
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);

        for (int i = 0; i < threads; i++) {
            int which = i;

            Thread.ofVirtual().name("virtual-" + i).start(() -> {
                LockSupport.parkNanos(30_000_000); // leaves its carrier
                if (which == 0)
                    First.touch();
                if (which == 1)
                    Second.touch();
            }).join();
        }
    }
}
