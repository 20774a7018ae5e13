import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Calls the walker's oracle from stacks of many shapes: WalkOracle AGENT.so ITERATIONS EVERY. */
public class WalkOracle {
    static native int check(); // frames compared; negative: they differ

    static native void report(String name);

    static volatile long sink;
    static int every = 64, count;
    static volatile boolean always;

    static int look() {
        return !always && ++count % every != 0 ? 0 : check();
    }

    static class Shape {
        int area(int x) {
            return x * 3;
        }

        int even(int depth, int x) {
            return depth == 0 ? look() + area(x) : odd(depth - 1, x) + area(x);
        }

        int odd(int depth, int x) {
            return even(depth, x + 1) ^ area(depth);
        }
    }

    static int a(int depth) {
        return depth == 0 ? look() : b(depth - 1) + 1;
    }

    static int b(int depth) {
        return c(depth) + 1;
    }

    static int c(int depth) {
        return a(depth) + 1;
    }

    static int lambda(int depth) {
        IntUnaryOperator inner = x -> a(x);
        IntUnaryOperator outer = x -> inner.applyAsInt(x) + 1;
        return outer.applyAsInt(depth);
    }

    static int stream(int n) {
        return IntStream.range(0, n).map(x -> a(x % 5)).sum();
    }

    static int sort(int n) {
        Integer[] all = new Integer[n];
        for (int i = 0; i < n; i++) {
            all[i] = i * 7919 % n;
        }
        Arrays.sort(all, (x, y) -> {
            look();
            return Integer.compare(x, y);
        });
        return all[0];
    }

    static synchronized int locked(int depth) {
        return a(depth);
    }

    static int caught(int depth) {
        try {
            if (depth > 3) {
                throw new IllegalStateException();
            }
            return a(depth);
        } catch (IllegalStateException e) {
            return look() + a(2);
        } finally {
            sink += look();
        }
    }

    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
            if ((i & 1023) == 0) {
                sum += look();
            }
        }
        return sum;
    }

    static MethodHandle handle;
    static Method method;

    static void mixed(int iterations) throws Throwable {
        Shape shape = new Shape();
        for (int i = 0; i < iterations; i++) {
            sink += a(i % 20) + shape.even(i % 12, i) + lambda(i % 9) + stream(6);
            sink += locked(i % 4) + caught(i % 6) + (int) handle.invokeExact(i % 7);
            sink += (Integer) method.invoke(null, i % 7);
            if (i % 20 == 0) {
                sink += sort(20);
            }
            if (i % 500 == 0) {
                sink += loop(20000);
            }
        }
    }

    static int wave(Shape s, int depth, int x, Runnable bottom) {
        if (depth == 0) {
            bottom.run();
            return s.area(x);
        }
        return swell(s, depth - 1, x, bottom) + s.area(x) * 2;
    }

    static int swell(Shape s, int depth, int x, Runnable bottom) {
        return wave(s, depth, x + 1, bottom) ^ s.area(depth);
    }

    /** Loads a class whose existence makes frames wrong that are on the stack. */
    static void loadOther() {
        sink += check();
        try {
            Class.forName("WalkOracle$Other").getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        sink += check();
        sink += check();
    }

    static class Other extends Shape {
        @Override
        int area(int x) {
            return x + 5;
        }
    }

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        every = Integer.parseInt(args[2]);
        handle = MethodHandles.lookup().findStatic(WalkOracle.class, "a", MethodType.methodType(int.class, int.class));
        method = WalkOracle.class.getDeclaredMethod("a", int.class);
        mixed(Integer.parseInt(args[1]));
        report("mixed");
        Shape shape = new Shape();
        Runnable nothing = () -> { };
        for (int i = 0; i < 60000; i++) {
            sink += wave(shape, 4, i, nothing);
        }
        always = true;
        sink += wave(shape, 6, 1, WalkOracle::loadOther);
        report("deoptimized");
    }
}
