import java.io.FileInputStream;
import java.util.zip.CRC32;

/**
 * Virtual threads with names of several kinds, which compute, allocate, throw, read and wait for a
 * monitor, with the collector at work. Needs JDK 21.
 *
 *   java VirtualNames SECONDS
 */
public class VirtualNames {
    static final String[] NAMES = {"", "plain", "n\u00e4he", "\u7dda\u7a0b-1", "x".repeat(90)};
    static final Object MONITOR = new Object();
    static final byte[][] kept = new byte[2000][];
    static final byte[] buffer = new byte[1 << 16];
    static volatile long sink;
    static volatile boolean stop;

    static void compute() {
        long x = sink;

        for (int i = 0; i < 200_000; i++) {
            x = x * 31 + i;
        }
        sink = x;
    }

    /** In a stub of the VM. */
    static void sum() {
        CRC32 crc = new CRC32();

        for (int i = 0; i < 10; i++) {
            crc.update(buffer);
        }
        sink += crc.getValue();
    }

    static void allocate(int n) {
        for (int i = 0; i < 300; i++) {
            kept[Math.floorMod(n * 31 + i * 7, kept.length)] = new byte[2000];
        }
    }

    static void fail() {
        try {
            throw new IllegalStateException("thrown");
        } catch (IllegalStateException e) {
            sink++;
        }
    }

    static void read() {
        try (FileInputStream in = new FileInputStream("/proc/self/status")) {
            sink += in.read(new byte[4096]);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static void body() {
        for (int n = 0; !stop; n++) {
            compute();
            sum();
            allocate(n);
            fail();
            read();
            synchronized (MONITOR) {
                compute();
            }
            if (n % 3 == 0) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[NAMES.length];

        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofVirtual().name(NAMES[i]).start(VirtualNames::body);
            System.out.println("thread=" + threads[i].threadId() + " " + NAMES[i]);
        }
        Thread.sleep((long) (1000 * Double.parseDouble(args[0])));
        stop = true;
        for (Thread t : threads) {
            t.join();
        }
    }
}
