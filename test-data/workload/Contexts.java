import java.io.File;
import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import jfrkit.ContextType;
import jfrkit.EventType;
import jfrkit.Field;
import jfrkit.Scope;
import jfrkit.Snapshot;

/** Programs that set contexts and know what they set: Contexts MODE ARGUMENT... */
public class Contexts {
    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static volatile double sink;

    static ContextType type() {
        return ContextType.of("tracer-context", "user", "action", "file", "trace");
    }

    static void burn(long ns) {
        long until = System.nanoTime() + ns;
        double x = 0;

        do
            for (int i = 0; i < 50; i++)
                x += Math.sqrt(i);
        while (System.nanoTime() < until);
        sink = x;
    }

    /** The CPU time that this took: a thread waits for a processor, too. */
    static long burnt(long ns) {
        long before = CPU.getCurrentThreadCpuTime();

        burn(ns);
        return CPU.getCurrentThreadCpuTime() - before;
    }

    /** A file that exists, read once: an event. */
    static void read(File file) throws Exception {
        try (FileInputStream in = new FileInputStream(file)) {
            in.read(new byte[16]);
        }
    }

    static File file(File dir, String name) throws Exception {
        File f = new File(dir, name);

        dir.mkdirs();
        Files.write(f.toPath(), new byte[16]);
        return f;
    }

    /** Two users burn CPU 3:1 on a pool of four threads, in pieces of some microseconds, of random
     *  lengths: in step with the system's clock its ticks would find one of them too often. */
    static void share(double seconds) throws Exception {
        ContextType ct = type();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<long[]>> parts = new ArrayList<>();
        long until = System.nanoTime() + (long) (seconds * 1e9);
        long alice = 0, bob = 0, switches = 0;

        for (int t = 0; t < 4; t++)
            parts.add(pool.submit(() -> {
                long[] sum = new long[3];
                ThreadLocalRandom random = ThreadLocalRandom.current();
                while (System.nanoTime() < until) {
                    try (Scope s = ct.open("alice", "store", "f" + sum[2] % 100)) {
                        sum[0] += burnt(random.nextInt(60_000));
                    }
                    try (Scope s = ct.open("bob", "load")) {
                        sum[1] += burnt(random.nextInt(20_000));
                    }
                    sum[2] += 2;
                }
                return sum;
            }));
        for (Future<long[]> p : parts) {
            alice += p.get()[0];
            bob += p.get()[1];
            switches += p.get()[2];
        }
        pool.shutdown();
        System.out.println("alice=" + alice + "\nbob=" + bob + "\nswitches=" + switches);
    }

    /** Each of n virtual threads is its own user, sleeps, and reads a file of its own name. */
    static void virtual(File dir, int n, int rounds) throws Exception {
        ContextType ct = type();
        ThreadFactory factory = factory();
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < n; i++) {
            String user = "user-" + i;
            File f = file(dir, user);
            threads.add(factory.newThread(() -> {
                try (Scope s = ct.open(user)) {
                    for (int r = 0; r < rounds; r++) {
                        Thread.sleep(1);
                        read(f);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }));
        }
        for (Thread t : threads)
            t.start();
        for (Thread t : threads)
            t.join();
        System.out.println("reads=" + n * rounds);
    }

    /** Threads that work for somebody else all the time; every eighth event says who that should be.
     *  Virtual ones change their carrier meanwhile. */
    static void switches(int n, int each, boolean isVirtual) throws Exception {
        ContextType ct = type();
        EventType event = EventType.define("test.Switch").fields(Field.ofInt("number")).stackTrace(false).build();
        ThreadFactory factory = isVirtual ? named("switcher-") : Thread::new;
        String[][] texts = new String[4][50];
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < 50; i++)
            for (int k = 0; k < 4; k++)
                texts[k][i] = "uaft".charAt(k) + "-" + i;
        for (int t = 0; t < n; t++) {
            int first = t;
            threads.add(factory.newThread(() -> {
                for (int i = 0; i < each; i++) {
                    int k = (first + i) % 50;
                    try (Scope s = ct.open(texts[0][k], texts[1][k], texts[2][k], texts[3][k])) {
                        if (isVirtual)
                            Thread.yield();
                        if (i % 8 == 0)
                            event.begin().set(0, k).commit();
                    }
                }
            }));
        }
        long cpu = processCpu();
        for (Thread t : threads)
            t.start();
        for (Thread t : threads)
            t.join();
        System.out.println("events=" + n * ((each + 7) / 8) + "\nper_cpu_second="
            + (long) (1e9 * n * each / (processCpu() - cpu)));
    }

    static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** The API n times, in loaders that know nothing of each other and stay. */
    static void loaders(File dir, String jar, String classes, int n) throws Exception {
        URL[] urls = {new File(jar).toURI().toURL(), new File(classes + "/").toURI().toURL()};
        List<Class<?>> kept = new ArrayList<>();

        for (int i = 0; i < n; i++) {
            Class<?> c = new URLClassLoader(urls, null).loadClass("Contexts");
            kept.add(c);
            c.getDeclaredMethod("once", File.class, String.class).invoke(null, dir, "user-" + i);
        }
        System.out.println("kept=" + kept.size());
    }

    public static void once(File dir, String user) throws Exception {
        File f = file(dir, user);
        ContextType ct = type();

        try (Scope s = ct.open(user)) {
            read(f);
        }
        System.out.println(user + "=" + ct.isActive());
    }

    /** Waits, then sets a context for the first time: for recordings that began before. */
    static void late(File dir, double seconds) throws Exception {
        read(file(dir, "before"));
        Thread.sleep((long) (seconds * 1e3));
        once(dir, "late");
        try (Scope s = type().open("late", "burn")) {
            burn(200_000_000);
        }
    }

    /** Reads inside of a scope that never ends, on this thread and, if there are such, on virtual ones
     *  that change their carriers; the scope begins as soon as there is a recorder. */
    static void open(File dir, double seconds) throws Exception {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        Runnable work = () -> {
            String name = Thread.currentThread().getName(), user = name.equals("main") ? "holder" : name;
            try {
                File f = file(dir, user);
                while (!type().isActive())
                    Thread.sleep(1);
                type().open(user, "hold");
                for (int i = 0; System.nanoTime() < until; i++) {
                    read(f);
                    Thread.sleep(20);
                    try (Scope s = type().open(user, "inside")) {
                        read(f);
                    }
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        };
        List<Thread> others = new ArrayList<>();
        ThreadFactory factory = hasVirtual() ? named("virtual-") : null;
        for (int i = 0; i < 8 && factory != null; i++)
            others.add(factory.newThread(work));
        for (Thread t : others)
            t.start();
        work.run();
        for (Thread t : others)
            t.join();
    }

    static boolean hasVirtual() {
        try {
            return Thread.class.getMethod("ofVirtual") != null;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    static ThreadFactory factory() throws Exception {
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory")
            .invoke(Thread.class.getMethod("ofVirtual").invoke(null));
    }

    static ThreadFactory named(String prefix) throws Exception {
        Class<?> builder = Class.forName("java.lang.Thread$Builder");
        Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);

        virtual = builder.getMethod("name", String.class, long.class).invoke(virtual, prefix, 0L);
        return (ThreadFactory) builder.getMethod("factory").invoke(virtual);
    }

    /** Values at the edges, each read under its own name. */
    static void edges(File dir) throws Exception {
        ContextType ct = type();
        ContextType other = ContextType.of("tracer-context", "user");
        ContextType many = ContextType.of("many", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
            "k", "l");
        ContextType last = ContextType.of("one too many", "a", "b", "c", "d", "e", "f", "g", "h", "i");
        StringBuilder longest = new StringBuilder();

        for (int i = 0; i < 300; i++)
            longest.append('x');
        System.out.println("other=" + other.isActive() + "\nmany=" + many.isActive() + "\nlast="
            + last.isActive());
        read(file(dir, "none"));
        try (Scope s = ct.open("")) {
            read(file(dir, "empty"));
        }
        try (Scope s = ct.open("\u00e4\u20ac\ud83d\ude00 </script>\n\"")) {
            read(file(dir, "hostile"));
        }
        try (Scope s = ct.open(longest.toString())) {
            read(file(dir, "long"));
        }
        String all = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";
        for (int n = 1; n <= all.length(); n++)
            try (Scope s = ct.open(all.substring(0, n))) {
                read(file(dir, "length-" + n));
            }
        for (int at = 0; at < 20; at++)
            for (char odd : new char[] {'\u20ac', '\u00e4', '\0'})
                try (Scope s = ct.open(all.substring(0, at) + odd + all.substring(at + 1, 20))) {
                    read(file(dir, "odd-" + at + "-" + (int) odd));
                }
        Scope outer = ct.open("outer");
        Scope inner = ct.open("inner");
        outer.close();
        inner.close();
        read(file(dir, "wrong-order"));
        Scope elsewhere = ct.open("elsewhere");
        Thread t = new Thread(elsewhere::close);
        t.start();
        t.join();
        read(file(dir, "closed-elsewhere"));
        Snapshot snapshot = Snapshot.capture();
        elsewhere.close();
        ExecutorService pool = Executors.newSingleThreadExecutor();
        File f = file(dir, "snapshot");
        pool.submit(snapshot.wrap(() -> {
            read(f);
            return null;
        })).get();
        pool.submit(() -> {
            read(file(dir, "after-snapshot"));
            return null;
        }).get();
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
    }

    /** Two users let one thread sleep 3:1, and for a while nobody does. */
    static void idle(double seconds) throws Exception {
        ContextType ct = type();
        long until = System.nanoTime() + (long) (seconds * 1e9);
        long alice = 0, bob = 0, nobody = 0;

        while (System.nanoTime() < until) {
            long a = System.nanoTime();
            try (Scope s = ct.open("alice", "wait")) {
                Thread.sleep(300);
            }
            long b = System.nanoTime();
            try (Scope s = ct.open("bob", "rest")) {
                Thread.sleep(100);
            }
            long c = System.nanoTime();
            Thread.sleep(200);
            alice += b - a;
            bob += c - b;
            nobody += System.nanoTime() - c;
        }
        System.out.println("alice=" + alice);
        System.out.println("bob=" + bob);
        System.out.println("nobody=" + nobody);
    }

    /** More different values than there is room for. */
    static void overflow(File dir) throws Exception {
        ContextType ct = type();

        for (int i = 0; i < 70000; i++)
            try (Scope s = ct.open("value-" + i)) {
                if (i == 69999)
                    read(file(dir, "overflow"));
            }
    }

    /** More different values than there is room for, but not at a time; one is held all along. */
    static void evict(File dir) throws Exception {
        ContextType ct = type();

        try (Scope held = ct.open("held")) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 55_000; i++)
                    try (Scope s = ct.open("value-" + round + "-" + i)) {
                        if (i % 5_000 == 0)
                            read(file(dir, "value-" + round + "-" + i));
                    }
                read(file(dir, "held"));
                if (round < 2)
                    Thread.sleep(6_000);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        File dir = args.length > 1 ? new File(args[1]) : null;

        System.out.println("active=" + jfrkit.Contexts.isActive());
        switch (args[0]) {
        case "share":
            share(Double.parseDouble(args[1]));
            break;
        case "idle":
            idle(Double.parseDouble(args[1]));
            break;
        case "virtual":
            virtual(dir, Integer.parseInt(args[2]), Integer.parseInt(args[3]));
            break;
        case "loaders":
            loaders(dir, args[2], args[3], Integer.parseInt(args[4]));
            break;
        case "switches":
            switches(Integer.parseInt(args[1]), Integer.parseInt(args[2]), args[3].equals("virtual"));
            break;
        case "late":
            late(dir, Double.parseDouble(args[2]));
            break;
        case "attached":
            while (!new File(dir, "attached").exists()) // the script says so
                Thread.sleep(10);
            once(dir, "late");
            break;
        case "open":
            open(dir, Double.parseDouble(args[2]));
            break;
        case "edges":
            edges(dir);
            break;
        case "overflow":
            overflow(dir);
            break;
        case "evict":
            evict(dir);
            break;
        case "once":
            once(dir, "me");
            break;
        default:
            throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done=1");
    }
}
