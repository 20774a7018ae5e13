import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Virtual threads that want one monitor, each for 10 ms. Prints how many waited for more than a
 * millisecond (all; before JDK 24 those that had a carrier in time), and how long all did.
 *
 *   java VirtualLocks [threads]      JDK 21 or later
 */
public class VirtualLocks {
    static final Object lock = new Object();
    static volatile long turns;

    public static void main(String[] args) throws Exception {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        AtomicLong waited = new AtomicLong(), waiters = new AtomicLong();
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < n; i++)
            threads.add(Thread.ofVirtual().unstarted(() -> {
                long before = System.nanoTime();
                synchronized (lock) {
                    long now = System.nanoTime();
                    waited.addAndGet(now - before);
                    if (now - before > 1_000_000)
                        waiters.incrementAndGet();
                    while (System.nanoTime() - now < 10_000_000)
                        turns++;
                }
            }));
        synchronized (lock) {
            for (Thread t : threads)
                t.start();
            Thread.sleep(100);
        }
        for (Thread t : threads)
            t.join();
        System.out.println("waiters=" + waiters);
        System.out.println("waited_ns=" + waited);
    }
}
