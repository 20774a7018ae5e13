/** Spins on thread w0 below a given number of frames: WalkDepth DEPTH SECONDS, or DEPTH 0 ROUNDS. */
public class WalkDepth {
    static volatile long sink;
    static volatile boolean stop;

    static int spin(int n) {
        int h = n;
        for (int i = 0; i < n; i++) {
            h = h * 31 + i;
            h ^= h >>> 7;
        }
        return h;
    }

    static int a(int depth, int n) {
        return depth <= 0 ? spin(n) : b(depth - 1, n) + 1;
    }

    static int b(int depth, int n) {
        return depth <= 0 ? spin(n) : c(depth - 1, n) + 1;
    }

    static int c(int depth, int n) {
        return depth <= 0 ? spin(n) : d(depth - 1, n) + 1;
    }

    static int d(int depth, int n) {
        return depth <= 0 ? spin(n) : e(depth - 1, n) + 1;
    }

    static int e(int depth, int n) {
        return depth <= 0 ? spin(n) : f(depth - 1, n) + 1;
    }

    static int f(int depth, int n) {
        return depth <= 0 ? spin(n) : g(depth - 1, n) + 1;
    }

    static int g(int depth, int n) {
        return depth <= 0 ? spin(n) : h(depth - 1, n) + 1;
    }

    static int h(int depth, int n) {
        return depth <= 0 ? spin(n) : a(depth - 1, n) + 1;
    }

    public static void main(String[] args) throws Exception {
        int depth = Integer.parseInt(args[0]) - 5; // of spin, a, the lambda, Thread.run...
        long rounds = args.length > 2 ? Long.parseLong(args[2]) : Long.MAX_VALUE;
        Thread t = new Thread(() -> {
            for (int i = 0; i < 20000; i++) {
                sink += a(depth, 20);
            }
            for (long i = 0; i < rounds && !stop; i++) {
                sink += a(depth, 100_000);
            }
        }, "w0");
        t.start();
        if (args.length < 3) {
            Thread.sleep((long) (Double.parseDouble(args[1]) * 1000));
            stop = true;
        }
        t.join();
    }
}
