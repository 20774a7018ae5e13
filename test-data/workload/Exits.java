import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Computes, waits, locks, allocates and throws on some threads, and ends after MS milliseconds:
 *
 *   java Exits many MS       System.exit() by eight threads at once
 *   java Exits halt MS       Runtime.halt()
 *   java Exits throw MS      main throws, the other threads are daemons
 *   java Exits hooks MS      System.exit(), and shutdown hooks that go on for MS
 *   java Exits native MS     exit(3) of libc, which tells the VM nothing; -Dlibrary=FILE
 *   java Exits wait MS       not by itself; prints ready=1
 */
public class Exits {
    static volatile long sink;
    static final Object lock = new Object();

    static native void exitNow(int code);

    static void work() {
        long x = 1;
        List<byte[]> kept = new ArrayList<>();

        for (long turn = 0;; turn++) {
            for (int i = 0; i < 20_000; i++)
                x = x * 31 + i;
            synchronized (lock) {
                sink += x;
            }
            kept.add(new byte[2000]);
            if (kept.size() > 100)
                kept.clear();
            try {
                if (turn % 10 == 0)
                    Thread.sleep(0, 100_000);
                throw new IllegalStateException("turn");
            } catch (IllegalStateException | InterruptedException e) {
                sink += e.getMessage() == null ? 1 : 2;
            }
        }
    }

    static void start(int n, Runnable body) {
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(body, "worker-" + i);
            t.setDaemon(true);
            t.start();
        }
    }

    static void exitByMany() throws Exception {
        CountDownLatch go = new CountDownLatch(1);

        start(8, () -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                return;
            }
            System.exit(3);
        });
        go.countDown();
        Thread.sleep(600_000);
    }

    static void addHooks(long ms) {
        for (int i = 0; i < 2; i++)
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                long until = System.nanoTime() + ms * 1_000_000;

                while (System.nanoTime() < until)
                    sink += new byte[100].length;
                System.out.println("hook=1");
            }));
    }

    public static void main(String[] args) throws Exception {
        long ms = Long.parseLong(args[1]);

        start(4, Exits::work);
        if (args[0].equals("hooks"))
            addHooks(ms);
        if (args[0].equals("native"))
            System.load(System.getProperty("library"));
        System.out.println("ready=1");
        Thread.sleep(ms);
        switch (args[0]) {
        case "many":
            exitByMany();
            break;
        case "halt":
            Runtime.getRuntime().halt(4);
            break;
        case "throw":
            throw new RuntimeException("the end");
        case "hooks":
            System.exit(6);
            break;
        case "native":
            exitNow(5);
            break;
        default:
            Thread.sleep(600_000);
        }
    }
}
