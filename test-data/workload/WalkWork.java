import java.lang.reflect.Method;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A bit of everything that a profiler meets, on threads w0, w1...: WalkWork SECONDS [THREADS]. */
public class WalkWork {
    static volatile long sink;
    static volatile boolean stop;

    interface Shape {
        double area(int x);
    }

    static class A implements Shape {
        public double area(int x) {
            return inner(x) * 2;
        }

        double inner(int x) {
            double s = 0;
            for (int i = 0; i < x % 50 + 20; i++) {
                s += Math.sin(i) * tiny(i);
            }
            return s;
        }

        static double tiny(int i) {
            return i * 1.5 + (i & 3);
        }
    }

    static class B extends A {
        @Override
        public double area(int x) {
            return inner(x) + 1;
        }
    }

    static class C extends A {
        @Override
        double inner(int x) {
            return super.inner(x) + x;
        }
    }

    static int recurse(int depth, int x) {
        return depth == 0 ? mix(x) : recurse(depth - 1, x + 1) + 1;
    }

    static int mix(int x) {
        int h = x;
        for (int i = 0; i < 200; i++) {
            h = h * 31 + i;
            h ^= h >>> 7;
        }
        return h;
    }

    static double areas(Shape[] shapes, int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += shapes[i % shapes.length].area(i);
        }
        return sum;
    }

    static String text(int n) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < n; i++) {
            b.append("x").append(i).append(i * 0.5);
        }
        return b.toString();
    }

    static int stream(int n) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(i ^ n);
        }
        return all.stream().filter(x -> x % 3 != 0).map(x -> x * 2).sorted(Comparator.reverseOrder())
                .mapToInt(x -> x).sum();
    }

    static int count(int n) {
        Map<String, Integer> m = new HashMap<>();
        for (int i = 0; i < n; i++) {
            m.merge("k" + i % 37, 1, Integer::sum);
        }
        return m.size();
    }

    static int caught(int depth) {
        try {
            return thrower(depth);
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        }
    }

    static int thrower(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("boom");
        }
        return thrower(depth - 1);
    }

    static Object implicit(Object o) {
        try {
            return o.toString();
        } catch (NullPointerException e) {
            return e;
        }
    }

    static void copy(int n) {
        byte[] from = new byte[n], to = new byte[n];
        for (int i = 0; i < 20; i++) {
            System.arraycopy(from, 0, to, 0, n);
        }
        sink += to[n / 2];
        long[] words = new long[n / 8];
        Arrays.fill(words, 7);
        sink += Arrays.hashCode(words);
    }

    static int sort(int n) {
        int[] a = new Random(n).ints(300).toArray();
        Integer[] b = new Integer[a.length];
        for (int i = 0; i < a.length; i++) {
            b[i] = a[i];
        }
        Arrays.sort(b, (x, y) -> Integer.compare(y, x));
        return b[0];
    }

    /** A loader whose classes are new each time, and gone soon. */
    static ClassLoader fresh() {
        return new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                String file = "/" + name.replace('.', '/') + ".class";
                try (InputStream in = WalkWork.class.getResourceAsStream(file)) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    byte[] b = new byte[1 << 16];
                    int n = 0;
                    for (int got; (got = in.read(b, n, b.length - n)) > 0; n += got) {
                    }
                    return defineClass(name, b, 0, n);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
    }

    static final Object LOCK = new Object();

    static int locked(int n) {
        synchronized (LOCK) {
            return mix(n);
        }
    }

    public static int entry(int n) {
        return recurse(30, n) + stream(30);
    }

    static void loop(int seed) throws Exception {
        Method method = WalkWork.class.getDeclaredMethod("recurse", int.class, int.class);
        Shape[] shapes = {new A(), new A()};
        Random random = new Random(seed);
        for (int i = seed; !stop; i++) {
            switch (random.nextInt(14)) {
            case 0: sink += recurse(40 + i % 40, i); break;
            case 1: sink += (long) areas(shapes, 40); break;
            case 2: sink += text(30).length(); break;
            case 3: sink += stream(80); break;
            case 4: sink += count(200); break;
            case 5: sink += caught(20); break;
            case 6: implicit(null); implicit("x"); break;
            case 7: copy(20000); break;
            case 8: sink += (Integer) method.invoke(null, 6, i); break;
            case 9: sink += sort(i); break;
            case 10: sink += locked(i); break;
            case 11:
                if (i % 50 == 0) {
                    Thread.sleep(1);
                } else {
                    LockSupport.parkNanos(20000);
                }
                break;
            case 12:
                if (i % 10 == 0) {
                    shapes = new Shape[] {i % 3 == 0 ? new B() : new A(), i % 7 == 0 ? new C() : new A()};
                }
                sink += (long) areas(shapes, 30);
                break;
            default:
                if (i % 200 == 0) {
                    Method m = fresh().loadClass("WalkWork").getMethod("entry", int.class);
                    for (int k = 0; k < 30; k++) {
                        sink += (Integer) m.invoke(null, k);
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[args.length > 1 ? Integer.parseInt(args[1]) : 3];
        for (int i = 0; i < threads.length; i++) {
            int seed = i * 7919;
            threads[i] = new Thread(() -> {
                try {
                    loop(seed);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "w" + i);
            threads[i].start();
        }
        Thread.sleep((long) (Double.parseDouble(args[0]) * 1000));
        stop = true;
        for (Thread t : threads) {
            t.join();
        }
    }
}
