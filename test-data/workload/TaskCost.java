import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import org.slf4j.MDC;

/**
 * What it costs to hand a task over: TaskCost [USER]. Prints "NAME NS", the time of the fastest of many rounds. Run it on one
 * processor: on two, it is not the work that counts but how long one thread waits for the other. With USER, that is in the
 * MDC of the thread that submits.
 */
public class TaskCost {
    static final int N = 50_000;
    static final int TASKS = 6_000_000; // in all rounds, of which the first ones are interpreted
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);
    static final ForkJoinPool FORKS = new ForkJoinPool(1);

    interface Work {
        void run() throws Exception;
    }

    static final class Fibonacci extends RecursiveTask<Integer> {
        private final int n;

        Fibonacci(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2)
                return n;
            Fibonacci one = new Fibonacci(n - 1);
            one.fork();
            return new Fibonacci(n - 2).compute() + one.join();
        }
    }

    static void pool(ExecutorService pool) throws Exception {
        CountDownLatch done = new CountDownLatch(N);

        for (int i = 0; i < N; i++)
            pool.execute(new Runnable() {
                @Override
                public void run() {
                    done.countDown();
                }
            });
        done.await();
    }

    static void measure(String name, int n, Work work) throws Exception {
        long least = Long.MAX_VALUE;

        for (int round = 0; round < TASKS / n; round++) {
            long began = System.nanoTime();

            work.run();
            least = Math.min(least, System.nanoTime() - began);
        }
        System.out.printf("%s %.1f%n", name, (double) least / n);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 30 && args.length > 0; i++) { // the recorder has found the keys
            MDC.put("user", args[0]);
            Thread.sleep(100);
        }
        measure("execute", N, () -> pool(POOL));
        measure("fork-join-execute", N, () -> pool(FORKS));
        measure("fork", 10_946, () -> new Fibonacci(20).invoke());
        measure("mdc-put", 2 * N, () -> {
            for (int i = 0; i < N; i++) {
                MDC.put("user", "bob");
                MDC.put("user", "alice");
            }
        });
        POOL.shutdown();
    }
}
