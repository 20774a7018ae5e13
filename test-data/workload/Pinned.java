import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads, of which some cannot leave their carrier: they park while a class is being
 * initialised, which has frames of the VM below it on every JDK. Prints how often they parked at
 * most, and how many seconds that took them. Needs JDK 21.
 *
 *   java Pinned THREADS
 */
public class Pinned {
    static final AtomicInteger PARKS = new AtomicInteger();
    static final AtomicLong NS = new AtomicLong();

    /**
     * A park may end early: the pool unparks its carriers, at times late. And the JDK parks only for
     * what is left after it tried to leave the carrier, if anything is.
     */
    static void park() {
        long began = System.nanoTime(), end = began + 400_000_000, now;

        while ((now = System.nanoTime()) < end) {
            PARKS.incrementAndGet();
            LockSupport.parkNanos(end - now);
        }
        NS.addAndGet(now - began);
    }

    static class First {
        static {
            park();
        }

        static void touch() {
        }
    }

    static class Second {
        static {
            park();
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
        System.out.println("pinned=" + PARKS);
        System.out.println("seconds=" + NS.get() / 1e9);
    }
}
