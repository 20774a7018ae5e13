import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import jfrkit.ContextType;
import jfrkit.Scope;
import jfrkit.Snapshot;

/**
 * A service in which some requests are slow, for one reason: Slow REASON FOLDER SECONDS. The reasons
 * are lock, file, peer, gc, cpu, user, code and pool; none has quick requests only. On a crowded
 * machine it goes on after SECONDS until it has answered enough requests.
 *
 * <p>Each request is of a user and an action, computes a little, and reads a file and a peer. The
 * reason adds some 120 ms to a few of them, whatever their user and action are (but for "user").
 */
public class Slow {
    static final ContextType REQUEST = ContextType.of("request", "user", "action", "id");
    static final String[] USERS = {"alice", "bob", "carol", "dave", "erin", "frank", "mallory", "peggy"};
    static final String[] ACTIONS = {"pay", "list"};
    static final int SLOW_MS = 120;
    static final int REQUESTS_LEAST = 600; // of which one in a hundred counts as slow
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static final AtomicLong ids = new AtomicLong();
    static volatile long sum;
    static Object live;

    static class Ledger {
        synchronized void add() {
            sum++;
        }

        synchronized void close() throws InterruptedException {
            Thread.sleep(SLOW_MS);
        }
    }

    final String reason;
    final File folder;
    final Ledger ledger = new Ledger();
    final ExecutorService pool = Executors.newFixedThreadPool(2);
    final ServerSocket peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final Semaphore wanted = new Semaphore(0); // bytes of the pipe
    final AtomicBoolean isPipeRead = new AtomicBoolean();
    FileInputStream pipe;

    Slow(String reason, File folder) throws IOException {
        this.reason = reason;
        this.folder = folder;
    }

    static void compute(int rounds) {
        long x = rounds;

        for (int i = 0; i < rounds * 1000; i++)
            x = x * 31 + (x >>> 7);
        sum += x;
    }

    /** Takes time of a processor, however long it waits for one on a crowded machine. */
    static void rareSlowPath() {
        for (long end = CLOCK.getCurrentThreadCpuTime() + SLOW_MS * 1_000_000L; CLOCK.getCurrentThreadCpuTime() < end;)
            compute(200);
    }

    static void spin() {
        for (long end = System.nanoTime() + SLOW_MS * 1_000_000L; System.nanoTime() < end;)
            compute(20);
    }

    void readFile() throws IOException {
        try (FileInputStream in = new FileInputStream(new File(folder, "data"))) {
            sum += in.read();
        }
    }

    /** Of a pipe, whose other end answers late. While one request reads no other one waits for it. */
    void readPipe() throws IOException {
        if (!isPipeRead.compareAndSet(false, true))
            return;
        wanted.release();
        sum += pipe.read();
        isPipeRead.set(false);
    }

    void ask(Socket s, boolean isSlow) throws IOException {
        s.getOutputStream().write(isSlow ? 1 : 0);
        sum += s.getInputStream().read();
    }

    void request(Random random, Socket s, boolean isWarmUp) throws Exception {
        String user = USERS[random.nextInt(USERS.length)];
        String action = ACTIONS[random.nextInt(ACTIONS.length)];
        boolean isRare = !isWarmUp && random.nextInt(50) == 0;

        try (Scope scope = isWarmUp ? REQUEST.open()
            : REQUEST.open(user, action, Long.toString(ids.incrementAndGet()))) {
            compute(300);
            readFile();
            if (!reason.equals("cpu")) // whose other end would want a processor, too
                ask(s, reason.equals("peer") && isRare);
            ledger.add();
            switch (reason) {
            case "user":
                compute(user.equals("mallory") ? 40_000 : 1);
                break;
            case "code":
                if (isRare)
                    rareSlowPath();
                break;
            case "file":
                if (isRare)
                    readPipe();
                break;
            case "cpu":
                compute(4000);
                break;
            case "gc":
                compute(3000);
                break;
            case "pool":
                pool.submit(Snapshot.capture().wrap(() -> compute(2000))).get();
                break;
            default:
            }
        }
    }

    void answer(Socket s) throws Exception {
        try (InputStream in = s.getInputStream(); OutputStream out = s.getOutputStream()) {
            for (int c; (c = in.read()) >= 0;) {
                if (c == 1)
                    Thread.sleep(SLOW_MS);
                out.write(c);
            }
        }
    }

    interface Work {
        void run() throws Exception;
    }

    static Thread start(Work work) {
        Thread t = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                if (!e.getMessage().matches(".*(closed|reset|Broken pipe).*"))
                    e.printStackTrace();
            }
        });

        t.setDaemon(true);
        t.start();
        return t;
    }

    /** What makes requests slow from outside, again and again. */
    void trouble() throws Exception {
        for (long pause = 0;;) { // ms
            Thread.sleep(reason.equals("gc") ? 100 + 3 * pause : 350);
            switch (reason) {
            case "lock":
                Thread.currentThread().setName("closer");
                ledger.close();
                break;
            case "gc":
                pause = System.currentTimeMillis();
                System.gc();
                pause = System.currentTimeMillis() - pause;
                break;
            case "cpu":
                for (int i = 0; i < 16; i++)
                    start(Slow::spin);
                break;
            case "pool":
                for (int i = 0; i < 2; i++)
                    pool.submit(() -> {
                        Thread.sleep(SLOW_MS);
                        return null;
                    });
                break;
            default:
            }
        }
    }

    void pipe() throws Exception {
        File f = new File(folder, "pipe");

        if (new ProcessBuilder("mkfifo", f.getPath()).inheritIO().start().waitFor() != 0)
            throw new IOException("mkfifo failed");
        start(() -> {
            try (FileOutputStream out = new FileOutputStream(f)) {
                for (;;) {
                    wanted.acquire();
                    Thread.sleep(SLOW_MS);
                    out.write(1);
                }
            }
        });
        pipe = new FileInputStream(f);
    }

    static Object garden(int n) {
        List<Object> all = new ArrayList<>();

        for (int i = 0; i < n; i++)
            all.add(new Object[] {new int[2], Integer.toString(i)});
        return all;
    }

    public static void main(String[] args) throws Exception {
        Slow service = new Slow(args[0], new File(args[1]));
        List<Thread> threads = new ArrayList<>();
        long end;

        try (FileOutputStream out = new FileOutputStream(new File(args[1], "data"))) {
            out.write(1);
        }
        if (args[0].equals("gc"))
            live = garden(300_000);
        if (args[0].equals("file"))
            service.pipe();
        start(() -> {
            for (;;) {
                Socket s = service.peer.accept();

                start(() -> service.answer(s));
            }
        });
        start(service::trouble);
        end = System.nanoTime() + (long) (Double.parseDouble(args[2]) * 1e9);
        for (int t = 0; t < 3; t++) {
            Random random = new Random(t);
            long until = end;

            threads.add(start(() -> {
                try (Socket s = new Socket(InetAddress.getLoopbackAddress(), service.peer.getLocalPort())) {
                    s.setTcpNoDelay(true);
                    for (int i = 0; i < 30; i++)
                        service.request(random, s, true);
                    while (System.nanoTime() < until || ids.get() < REQUESTS_LEAST) {
                        service.request(random, s, false);
                        Thread.sleep(2);
                    }
                }
            }));
        }
        for (Thread t : threads)
            t.join();
        System.out.println("requests=" + ids);
        System.exit(0);
    }
}
