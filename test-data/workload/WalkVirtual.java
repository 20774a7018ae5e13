import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/** The oracle from virtual threads, whose older frames are in the heap: WalkVirtual AGENT.so N. */
public class WalkVirtual {
    static int deep(int depth, int x) {
        if (depth == 0) {
            LockSupport.parkNanos(100_000);
            return WalkOracle.check();
        }
        int r = deep(depth - 1, x + 1);
        if (depth % 4 == 0) {
            WalkOracle.check();
        }
        return r + 1;
    }

    static int mixed(int depth) {
        if (depth == 0) {
            Thread.yield();
            return WalkOracle.check();
        }
        IntUnaryOperator next = x -> mixed(x - 1);
        return next.applyAsInt(depth) + (depth % 3 == 0 ? WalkOracle.check() : 0);
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        int n = Integer.parseInt(args[1]);
        Thread t = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < n; i++) {
                deep(3 + i % 30, i);
                mixed(2 + i % 10);
            }
        });
        t.join();
        WalkOracle.report("virtual");
    }
}
