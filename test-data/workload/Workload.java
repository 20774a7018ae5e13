import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Programs of known shape: each does one thing and prints, as key=value lines, what a recording of
 * it has to show. The first line is pid=N, printed before the work begins.
 *
 * java Workload MODE [SECONDS [N]]      JDK 8 or later; N is what the mode counts
 *
 * From 600 seconds on, `cpu` is a program to attach to: it takes a fifth of a processor.
 */
public class Workload {
    static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static final com.sun.management.OperatingSystemMXBean SYSTEM =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    interface Mode {
        void run(double seconds, int n) throws Exception;
    }

    static final Map<String, Mode> MODES = new TreeMap<>();
    static volatile long sink;
    static volatile Object kept;
    static long end;

    static void truth(String key, Object value) {
        System.out.println(key + "=" + value);
    }

    static boolean isTime() {
        return System.nanoTime() - end < 0;
    }

    static long cpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** About a millisecond. */
    public static long spin() {
        return spin(400_000);
    }

    static long spin(int n) {
        long x = sink | 1;
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return sink = x;
    }

    static Thread start(String name, Runnable work) {
        Thread t = new Thread(work, name);
        t.start();
        return t;
    }

    static void join(List<Thread> threads) throws InterruptedException {
        for (Thread t : threads)
            t.join();
    }

    // cpu: two methods at 3:1, in random order so that no sampling interval resonates with them

    static long heavy() {
        long x = sink | 1;
        for (int i = 0; i < 400_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return sink = x;
    }

    static long light() {
        long x = sink | 1;
        for (int i = 0; i < 400_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return sink = x;
    }

    static void burn(double seconds, int n) {
        Random random = new Random(7);
        long heavy = 0, light = 0;
        while (isTime()) {
            long before = cpu();
            if (random.nextInt(4) != 0) {
                heavy();
                heavy += cpu() - before;
            } else {
                light();
                light += cpu() - before;
            }
            if (seconds >= 600)
                LockSupport.parkNanos(4 * (cpu() - before));
        }
        truth("heavy_cpu_ns", heavy);
        truth("light_cpu_ns", light);
        truth("main_cpu_ns", cpu());
    }

    // idle: threads that sleep, wait and park

    static void idle(double seconds, int n) throws Exception {
        AtomicInteger sleeps = new AtomicInteger(), waits = new AtomicInteger(), parks = new AtomicInteger();
        AtomicLong slept = new AtomicLong(), waited = new AtomicLong(), parked = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            threads.add(start("sleeper-" + i, () -> repeat(sleeps, slept, () -> Thread.sleep(30))));
            Object monitor = new Object();
            threads.add(start("waiter-" + i, () -> repeat(waits, waited, () -> {
                synchronized (monitor) {
                    monitor.wait(30);
                }
            })));
            threads.add(start("parker-" + i, () -> repeat(parks, parked, () -> LockSupport.parkNanos(30_000_000))));
        }
        join(threads);
        truth("sleeps", sleeps);
        truth("slept_ns", slept);
        truth("waits", waits);
        truth("waited_ns", waited);
        truth("parks", parks);
        truth("parked_ns", parked);
    }

    interface Pause {
        void run() throws InterruptedException;
    }

    static void repeat(AtomicInteger times, AtomicLong ns, Pause pause) {
        try {
            while (isTime()) {
                long before = System.nanoTime();
                pause.run();
                ns.addAndGet(System.nanoTime() - before);
                times.incrementAndGet();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // alloc: three sites whose bytes are known

    static final class Node {
        long a, b;
    }

    static void allocNodes() {
        for (int i = 0; i < 2000; i++)
            kept = new Node();
    }

    static void allocInts() {
        for (int i = 0; i < 50; i++)
            kept = new int[256];
    }

    static void allocBytes() {
        kept = new byte[40_000];
    }

    static final Runnable[] SITES = {Workload::allocNodes, Workload::allocInts, Workload::allocBytes};
    static final String[] SITE_NAMES = {"allocNodes", "allocInts", "allocBytes"};

    static void allocate(double seconds, int n) throws Exception {
        AtomicLong[] bytes = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
        AtomicLong all = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < n; t++)
            threads.add(start("allocator-" + t, () -> {
                Random random = new Random(7);
                long id = Thread.currentThread().getId(), before = THREADS.getThreadAllocatedBytes(id), now;
                while (isTime()) {
                    int site = random.nextInt(SITES.length);
                    SITES[site].run();
                    now = THREADS.getThreadAllocatedBytes(id);
                    bytes[site].addAndGet(now - before);
                    before = now;
                }
                all.addAndGet(THREADS.getThreadAllocatedBytes(id));
            }));
        join(threads);
        for (int i = 0; i < SITES.length; i++)
            truth(SITE_NAMES[i] + "_bytes", bytes[i]);
        truth("threads_bytes", all);
    }

    // payers: two threads of the same CPU time, of which one allocates all the time

    static void payers(double seconds, int n) throws Exception {
        long ns = (long) (seconds * 1e9);
        AtomicLong spinner = new AtomicLong(), allocator = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        threads.add(start("spinner", () -> {
            while (cpu() < ns)
                spin();
            spinner.set(cpu());
        }));
        threads.add(start("allocator", () -> {
            while (cpu() < ns)
                for (int i = 0; i < 100; i++)
                    allocBytes();
            allocator.set(cpu());
        }));
        join(threads);
        truth("spinner_cpu_ns", spinner);
        truth("allocator_cpu_ns", allocator);
    }

    // lock: threads that want one monitor, held for 15 ms at a time

    static void contend(Object lock) {
        synchronized (lock) {
            for (int i = 0; i < 15 && isTime(); i++)
                spin();
        }
    }

    static void lock(double seconds, int n) throws Exception {
        Object lock = new Object();
        AtomicLong count = new AtomicLong(), ms = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        THREADS.setThreadContentionMonitoringEnabled(true);
        for (int i = 0; i < n; i++)
            threads.add(start("rival-" + i, () -> {
                while (isTime()) {
                    contend(lock);
                    Thread.yield();
                }
                ThreadInfo info = THREADS.getThreadInfo(Thread.currentThread().getId());
                count.addAndGet(info.getBlockedCount());
                ms.addAndGet(info.getBlockedTime());
            }));
        join(threads);
        truth("blocked", count);
        truth("blocked_ms", ms);
    }

    // throw: exceptions of one class, caught

    static final class Known extends Exception {
        Known(int i) {
            super("known " + i);
        }
    }

    static void toss(double seconds, int n) throws Exception {
        for (int i = 0; i < n; i++) {
            try {
                throw new Known(i);
            } catch (Known e) {
                kept = e;
            }
            if (i % 100 == 99)
                Thread.sleep(1);
        }
        truth("thrown", n);
    }

    // threads: one after the other, each alive for a few milliseconds

    static void shortLived(double seconds, int n) throws Exception {
        AtomicLong ns = new AtomicLong();
        int started = 0;
        while (isTime()) {
            Thread t = start("short-" + started++, () -> {
                for (int i = 0; i < 3; i++)
                    spin();
                ns.addAndGet(cpu());
            });
            t.join();
        }
        truth("started", started);
        truth("short_cpu_ns", ns);
    }

    // rename: a thread whose name says where it is, and one that another thread names in the middle

    static void red() {
        spin();
    }

    static void blue() {
        spin();
    }

    static void rename(double seconds, int n) throws Exception {
        Thread other = start("early-0", () -> {
            while (isTime())
                spin();
        });
        Thread self = start("red-0", () -> {
            for (int i = 0; isTime(); i++) {
                Thread.currentThread().setName("red-0");
                red();
                Thread.currentThread().setName("blue-" + i % n);
                blue();
            }
        });
        Thread.sleep((long) (seconds * 1000 / 3));
        other.setName("late-0");
        self.join();
        other.join();
    }

    // storm: n threads alive at once

    static void storm(double seconds, int n) throws Exception {
        CountDownLatch all = new CountDownLatch(n), go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        int failed = 0;
        for (int i = 0; i < n; i++)
            try {
                Thread t = new Thread(null, () -> {
                    all.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    spin(10_000);
                }, "storm-" + i, 128 << 10);
                t.start();
                threads.add(t);
            } catch (OutOfMemoryError e) { // the system gives no more threads
                failed++;
                all.countDown();
            }
        all.await();
        go.countDown();
        join(threads);
        truth("started", threads.size());
        truth("refused", failed);
    }

    // churn: classes of their own name in loaders of their own, unloaded soon

    public static final class Churned0000 implements Runnable {
        public void run() {
            for (int i = 0; i < 3; i++)
                spin();
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static byte[] classBytes(String name) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = Workload.class.getResourceAsStream(name + ".class")) {
            byte[] part = new byte[4096];
            for (int n; (n = in.read(part)) > 0;)
                out.write(part, 0, n);
        }
        return out.toByteArray();
    }

    /** The same class under another name of the same length. */
    static byte[] rename(byte[] bytes, String from, String to) {
        byte[] a = from.getBytes(), b = to.getBytes(), copy = bytes.clone();
        for (int i = 0; i + a.length <= copy.length; i++) {
            int n = 0;
            while (n < a.length && copy[i + n] == a[n])
                n++;
            if (n == a.length)
                System.arraycopy(b, 0, copy, i, n);
        }
        return copy;
    }

    static void churn(double seconds, int n) throws Exception {
        byte[] bytes = classBytes("Workload$Churned0000");
        int defined = 0;
        long began = cpu(), before, running = 0;
        while (isTime()) {
            String name = String.format("Workload$Churned%04d", defined++ % 10_000);
            Runnable job = (Runnable) new Loader()
                .define(name, rename(bytes, "Workload$Churned0000", name)).getDeclaredConstructor().newInstance();
            before = cpu();
            job.run();
            running += cpu() - before;
            if (defined % n == 0)
                System.gc();
        }
        truth("defined", defined);
        truth("churn_cpu_ns", cpu() - began);
        truth("churned_cpu_ns", running);
        truth("unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
    }

    // deep: n frames of one method above the work

    static long recurse(int depth) {
        return depth == 0 ? spin() : recurse(depth - 1) + 1;
    }

    static void deep(double seconds, int n) throws Exception {
        AtomicLong ns = new AtomicLong();
        Thread t = new Thread(null, () -> {
            while (isTime())
                recurse(n);
            ns.set(cpu());
        }, "deep", 512L << 20);
        t.start();
        t.join();
        truth("depth", n);
        truth("deep_cpu_ns", ns);
    }

    // virtual: n virtual threads that work and sleep in turn; JDK 21 and later

    static void virtual(double seconds, int n) throws Exception {
        java.lang.reflect.Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            truth("skip", "no virtual threads");
            return;
        }
        AtomicInteger turns = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++)
            threads.add((Thread) start.invoke(null, (Runnable) () -> {
                try {
                    while (isTime()) {
                        spin();
                        Thread.sleep(5);
                        turns.incrementAndGet();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        join(threads);
        truth("turns", turns);
    }

    // fork: children, one after the other, beside a thread that works

    static void fork(double seconds, int n) throws Exception {
        Thread worker = start("worker", () -> {
            while (isTime())
                spin();
        });
        int children = 0, failed = 0;
        while (isTime()) {
            if (new ProcessBuilder("/bin/sh", "-c", "exit 7").start().waitFor() != 7)
                failed++;
            children++;
        }
        worker.join();
        truth("children", children);
        truth("children_failed", failed);
    }

    // exit: System.exit(3) in the middle of everything, daemon threads too

    static void exit(double seconds, int n) throws Exception {
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(() -> {
                while (true) {
                    spin();
                    allocNodes();
                }
            }, "busy-" + i);
            t.setDaemon(i % 2 == 0);
            t.start();
        }
        Thread.sleep((long) (seconds * 1000));
        truth("exit", 3);
        System.exit(3);
    }

    // native: C code below a Java method, and in a thread that the VM has never seen

    static native long burnNative(double seconds);

    static native long burnNativeThread(double seconds);

    static void nativeCode(double seconds, int n) {
        System.loadLibrary("workload");
        truth("java_thread_cpu_ns", burnNative(seconds / 2));
        truth("native_thread_cpu_ns", burnNativeThread(seconds / 2));
    }

    // guest: a native thread that the VM knows for a moment

    static native long burnGuest(double seconds);

    static void guest(double seconds, int n) {
        System.loadLibrary("workload");
        truth("guest_cpu_ns", burnGuest(seconds));
    }

    static {
        MODES.put("cpu", Workload::burn);
        MODES.put("idle", Workload::idle);
        MODES.put("alloc", Workload::allocate);
        MODES.put("payers", Workload::payers);
        MODES.put("lock", Workload::lock);
        MODES.put("throw", Workload::toss);
        MODES.put("threads", Workload::shortLived);
        MODES.put("rename", Workload::rename);
        MODES.put("storm", Workload::storm);
        MODES.put("churn", Workload::churn);
        MODES.put("deep", Workload::deep);
        MODES.put("virtual", Workload::virtual);
        MODES.put("fork", Workload::fork);
        MODES.put("exit", Workload::exit);
        MODES.put("native", Workload::nativeCode);
        MODES.put("guest", Workload::guest);
    }

    static int defaultN(String mode) {
        switch (mode) {
        case "storm":
            return 10_000;
        case "throw":
        case "virtual":
            return 1000;
        case "churn":
        case "deep":
            return 100;
        default:
            return 2;
        }
    }

    public static void main(String[] args) throws Exception {
        Mode mode = args.length == 0 ? null : MODES.get(args[0]);
        if (mode == null) {
            System.err.println("usage: Workload MODE [SECONDS [N]], MODE one of " + MODES.keySet());
            System.exit(2);
        }
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 3;
        int n = args.length > 2 ? Integer.parseInt(args[2]) : defaultN(args[0]);
        truth("pid", ManagementFactory.getRuntimeMXBean().getName().split("@")[0]);
        truth("start_cpu_ns", SYSTEM.getProcessCpuTime());
        System.out.flush();
        long start = System.nanoTime();
        end = start + (long) (seconds * 1e9);
        mode.run(seconds, n);
        truth("wall_ns", System.nanoTime() - start);
        truth("process_cpu_ns", SYSTEM.getProcessCpuTime());
    }
}
