import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Everything at once that a profiler can trip over: children, storms of threads, classes that come and
 * go, deoptimization, exceptions, stacks that overflow, locks, garbage, virtual threads, and as an
 * agent classes that are transformed over and over. Each worker checks its own results.
 *
 * java [-javaagent:torture.jar] Torture SECONDS [WORKER,...]      JDK 8 or later; all workers by default
 *
 * Prints pid=N, then turns.WORKER=N, wrong=N and what was wrong.
 */
public class Torture {
    interface Work {
        /** One turn; false: the result is wrong. */
        boolean turn(Random random) throws Throwable;
    }

    static final AtomicInteger wrong = new AtomicInteger();
    static Instrumentation instrumentation;
    static volatile Object kept;
    static volatile long sink;
    static long end;
    static volatile boolean isStopped;

    static boolean isTime() {
        return System.nanoTime() - end < 0 && !isStopped;
    }

    static int mix(int n, int x) {
        int h = x;
        for (int i = 0; i < n; i++) {
            h = h * 31 + i;
            h ^= h >>> 5;
        }
        return h;
    }

    // children

    static boolean fork(Random random) throws Exception {
        int code = random.nextInt(100);
        return new ProcessBuilder("/bin/sh", "-c", "exit " + code).start().waitFor() == code;
    }

    // threads: storms of short ones

    static boolean storm(Random random) throws Exception {
        int n = 200;
        AtomicInteger ran = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(null, () -> {
                sink += mix(500, n);
                ran.incrementAndGet();
            }, "storm", 128 << 10);
            try {
                t.start();
            } catch (OutOfMemoryError e) { // the system gives no more threads
                ran.incrementAndGet();
                continue;
            }
            threads.add(t);
        }
        for (Thread t : threads)
            t.join();
        return ran.get() == n;
    }

    // classes that come and go

    public static final class Churned0 implements Runnable {
        public int h;

        public void run() {
            for (int i = 0; i < 20_000; i++)
                h = h * 31 + i;
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static byte[] bytes;

    static synchronized byte[] churnedBytes() throws Exception {
        if (bytes == null)
            try (InputStream in = Torture.class.getResourceAsStream("Torture$Churned0.class")) {
                byte[] all = new byte[65536];
                int n = 0;
                for (int k; (k = in.read(all, n, all.length - n)) > 0;)
                    n += k;
                bytes = java.util.Arrays.copyOf(all, n);
            }
        return bytes;
    }

    static boolean churn(Random random) throws Exception {
        Runnable job = (Runnable) new Loader().define("Torture$Churned0", churnedBytes())
            .getDeclaredConstructor().newInstance();
        job.run();
        if (random.nextInt(50) == 0)
            System.gc();
        return job.getClass() != Churned0.class;
    }

    // deoptimization: what was compiled for one class meets others

    interface Shape {
        int area(int x);
    }

    static final Shape[] SHAPES = {x -> mix(3, x) | 1, x -> x * x | 1, x -> (x >>> 3) | 1, x -> Integer.bitCount(x) | 1};

    static int areas(Shape s, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += s.area(i) & 1;
        return sum;
    }

    static int trap(Object o, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (o instanceof String && i == n - 1)
                sum += ((String) o).length();
            sum += o.hashCode() & 1;
        }
        return sum;
    }

    static boolean deopt(Random random) {
        boolean good = areas(SHAPES[random.nextInt(SHAPES.length)], 5000) == 5000;
        Object o = random.nextBoolean() ? (Object) Integer.valueOf(7) : random.nextBoolean() ? "b" : Long.valueOf(1);
        int once = o.hashCode() & 1, more = o instanceof String ? 1 : 0;
        return good && trap(o, 3000) == 3000 * once + more;
    }

    // exceptions, thrown deep and caught at the top, and stacks that overflow

    static int fall(int depth) {
        if (depth == 0)
            throw new IllegalStateException("deep");
        return fall(depth - 1) + 1;
    }

    static int endless(int n) {
        return endless(n + 1) + 1;
    }

    static boolean exceptions(Random random) {
        int caught = 0;
        for (int i = 0; i < 20; i++)
            try {
                sink += fall(random.nextInt(80));
            } catch (IllegalStateException e) {
                caught++;
            }
        if (random.nextInt(20) == 0)
            try {
                sink += endless(0);
            } catch (StackOverflowError e) {
                caught--;
                caught++;
            }
        return caught == 20;
    }

    // locks of both kinds

    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static int guarded;

    static boolean locks(Random random) throws Exception {
        boolean good;
        synchronized (MONITOR) {
            int before = guarded;
            sink += mix(2000, before);
            good = guarded == before;
            guarded++;
            if (random.nextInt(10) == 0)
                MONITOR.wait(1);
        }
        LOCK.lock();
        try {
            sink += mix(2000, 1);
        } finally {
            LOCK.unlock();
        }
        LockSupport.parkNanos(10_000);
        return good;
    }

    // garbage

    static boolean garbage(Random random) {
        List<byte[]> some = new ArrayList<>();
        for (int i = 0; i < 200; i++)
            some.add(new byte[random.nextInt(8000)]);
        kept = some;
        return some.size() == 200;
    }

    // files: events, and system calls that signals may interrupt

    static boolean files(Random random) throws Exception {
        byte[] data = new byte[1 + random.nextInt(100_000)];
        java.io.File file = java.io.File.createTempFile("torture", ".bin");
        try {
            java.nio.file.Files.write(file.toPath(), data);
            return java.nio.file.Files.readAllBytes(file.toPath()).length == data.length;
        } finally {
            file.delete();
        }
    }

    // virtual threads, which park at depth

    static final Method VIRTUAL = virtual();

    static Method virtual() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    static int sink(int depth, int x) {
        if (depth > 0)
            return sink(depth - 1, x) + 1;
        if ((x & 3) == 0)
            LockSupport.parkNanos(20_000);
        else
            Thread.yield();
        return mix(1000, x) | 1;
    }

    static boolean fibers(Random random) throws Exception {
        if (VIRTUAL == null) {
            Thread.sleep(100);
            return true;
        }
        int n = 100, depth = random.nextInt(40);
        AtomicInteger good = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int x = i;
            threads.add((Thread) VIRTUAL.invoke(null, (Runnable) () -> {
                if (sink(depth, x) == (mix(1000, x) | 1) + depth)
                    good.incrementAndGet();
                synchronized (MONITOR) {
                    guarded++;
                }
            }));
        }
        for (Thread t : threads)
            t.join();
        return good.get() == n;
    }

    // classes that another agent transforms; only with -javaagent

    static boolean transform(Random random) throws Exception {
        if (instrumentation == null) {
            Thread.sleep(100);
            return true;
        }
        Class<?>[] some = {Torture.class, SHAPES[0].getClass(), ArrayList.class, Thread.class, ReentrantLock.class};
        Class<?> one = some[random.nextInt(some.length)];
        if (instrumentation.isModifiableClass(one))
            instrumentation.retransformClasses(one);
        Thread.sleep(5);
        return true;
    }

    public static void premain(String text, Instrumentation i) {
        instrumentation = i;
        i.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] code) {
                return type == null ? null : code.clone();
            }
        }, true);
    }

    static void work(String name, Work work, AtomicLong turns, long seed) {
        Random random = new Random(seed);
        try {
            while (isTime()) {
                if (!work.turn(random)) {
                    wrong.incrementAndGet();
                    System.out.println("wrong result of " + name);
                }
                turns.incrementAndGet();
            }
        } catch (Throwable e) {
            wrong.incrementAndGet();
            System.out.println("wrong: " + name + ": " + e);
            e.printStackTrace();
        }
    }

    static final String[] NAMES = {"fork", "storm", "churn", "deopt", "exceptions", "locks", "garbage", "files", "fibers", "transform"};
    static final Work[] WORKS = {Torture::fork, Torture::storm, Torture::churn, Torture::deopt, Torture::exceptions,
        Torture::locks, Torture::garbage, Torture::files, Torture::fibers, Torture::transform};

    public static void main(String[] args) throws Exception {
        String which = args.length > 1 ? "," + args[1] + "," : null;
        System.out.println("pid=" + ManagementFactory.getRuntimeMXBean().getName().split("@")[0]);
        end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        List<Thread> threads = new ArrayList<>();
        AtomicLong[] turns = new AtomicLong[NAMES.length];
        for (int i = 0; i < NAMES.length; i++) {
            turns[i] = new AtomicLong();
            if (which != null && !which.contains("," + NAMES[i] + ","))
                continue;
            int k = i;
            threads.add(new Thread(() -> work(NAMES[k], WORKS[k], turns[k], k), NAMES[i]));
        }
        for (Thread t : threads)
            t.start();
        String stop = System.getProperty("stop"); // a file that ends it earlier
        while (stop != null && isTime()) {
            isStopped = new java.io.File(stop).exists();
            Thread.sleep(50);
        }
        for (Thread t : threads)
            t.join();
        for (int i = 0; i < NAMES.length; i++)
            System.out.println("turns." + NAMES[i] + "=" + turns[i]);
        System.out.println("wrong=" + wrong);
    }
}
