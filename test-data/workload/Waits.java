import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Things that happen a known number of times, for events of single things. Prints what it did, one
 * "name=value" a line, for the test to compare with.
 *
 *   java Waits [rounds]
 */
public class Waits {
    static final Object lock = new Object();
    static volatile long turns;
    static volatile Object kept;

    static final class Boom extends RuntimeException {
        Boom(String message) {
            super(message);
        }
    }

    static final class Trouble extends Error {
        Trouble(String message) {
            super(message);
        }
    }

    /** One thread holds the lock for 30 ms (-Dhold=MS) while the other wants it. */
    static void contend() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            synchronized (lock) {
                held.countDown();
                spin(Long.getLong("hold", 30));
            }
        }, "holder");
        holder.start();
        held.await();
        synchronized (lock) {
            spin(1);
        }
        holder.join();
    }

    static void waitFor(long ms) throws InterruptedException {
        synchronized (lock) {
            lock.wait(ms);
        }
    }

    static void spin(long ms) {
        long end = System.nanoTime() + ms * 1_000_000;

        while (System.nanoTime() < end)
            turns++;
    }

    static void fail(int i) {
        try {
            if (i % 10 == 0)
                throw new Trouble("trouble " + i);
            throw new Boom("boom " + i);
        } catch (Boom | Trouble e) {
            // as intended
        }
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        Thread thread;

        for (int i = 0; i < rounds * 100; i++)
            kept = new byte[20_000];
        for (int i = 0; i < rounds; i++) {
            contend();
            waitFor(25);
            Thread.sleep(25);
            LockSupport.parkNanos(lock, 25_000_000);
        }
        for (int i = 0; i < rounds * 10; i++)
            fail(i);
        for (int i = 0; i < rounds; i++) {
            thread = new Thread(() -> spin(1), "child-" + i);
            thread.start();
            thread.join();
        }
        for (int i = 0; i < rounds; i++)
            System.gc();
        System.out.println("contended=" + rounds);
        System.out.println("waits=" + rounds);
        System.out.println("sleeps=" + rounds);
        System.out.println("parks=" + rounds);
        System.out.println("exceptions=" + rounds * 10);
        System.out.println("errors=" + rounds);
        System.out.println("children=" + rounds);
        System.out.println("collections=" + rounds);
    }
}
