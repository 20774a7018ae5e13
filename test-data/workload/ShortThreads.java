import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that live for 1 ms and for 8 ms of CPU time, more of them at once than there are processors, until
 * they have used so many seconds of CPU time. Prints the CPU time of each kind, from the start of the threads on.
 *
 *   java ShortThreads SECONDS
 */
public class ShortThreads {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final AtomicLong BRIEF = new AtomicLong(), LONGER = new AtomicLong();
    static volatile long sink;

    static long work(long x) {
        for (int i = 0; i < 2000; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static void live(long ns, AtomicLong sum) {
        long begin = BEAN.getCurrentThreadCpuTime(), now;

        do {
            sink = work(sink);
            now = BEAN.getCurrentThreadCpuTime();
        } while (now < begin + ns);
        sum.addAndGet(now);
    }

    static void again(Runnable body, String name, long end) {
        while (BRIEF.get() + LONGER.get() < end) {
            Thread t = new Thread(body, name);

            t.start();
            try {
                t.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int n = 4 * Runtime.getRuntime().availableProcessors();
        long end = (long) (1e9 * Double.parseDouble(args[0]));
        Thread[] threads = new Thread[n];

        for (int i = 0; i < n; i++) {
            Runnable body = i % 2 == 0 ? () -> live(1_000_000, BRIEF) : () -> live(8_000_000, LONGER);
            String name = i % 2 == 0 ? "brief" : "longer";

            threads[i] = new Thread(() -> again(body, name, end));
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println("brief_ns=" + BRIEF + "\nlonger_ns=" + LONGER);
    }
}
