import java.util.concurrent.locks.LockSupport;

/** Virtual threads that compute and park at depth, and keep the collector at work: WalkFibers SECONDS. */
public class WalkFibers {
    static volatile boolean stop;
    static volatile long sink;
    static final byte[][] kept = new byte[20_000][];

    /** Arrays of which few live for long, so that pages are worth being emptied. */
    static void litter(int x) {
        for (int i = 0; i < 400; i++) {
            kept[Math.floorMod(mix(2, x + i * 7), kept.length)] = new byte[1000];
        }
    }

    static int mix(int n, int x) {
        int h = x;
        for (int i = 0; i < n; i++) {
            h = h * 31 + i;
            h ^= h >>> 5;
        }
        return h;
    }

    static int deep(int depth, int x, boolean park) {
        if (depth > 0) {
            return deep(depth - 1, x, park) + 1;
        }
        if (park) {
            LockSupport.parkNanos(50_000);
        }
        return mix(3000, x);
    }

    static void body() {
        for (int i = 0; !stop; i++) {
            sink += deep(25 + i % 10, i, i % 3 == 0) + mix(20000, i);
            litter(i);
            if (i % 5 == 0) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofVirtual().start(WalkFibers::body);
        }
        Thread.sleep((long) (Double.parseDouble(args[0]) * 1000));
        stop = true;
        for (Thread t : threads) {
            t.join();
        }
    }
}
