import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import org.slf4j.MDC;

/**
 * What it costs to hand a task over: TaskCost [USER]. Prints "NAME NS", CPU time of the process, which the JVM has in
 * steps of 10 ms, over many rounds; with USER, that is in the MDC of the thread that submits.
 */
public class TaskCost {
    static final int N = 50_000;
    static final int WARM = 20;
    static final int ROUNDS = 40;
    static final com.sun.management.OperatingSystemMXBean PROCESS =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
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
        long began = 0;

        for (int round = -WARM; round < ROUNDS; round++) {
            if (round == 0)
                began = PROCESS.getProcessCpuTime();
            work.run();
        }
        System.out.printf("%s %.1f%n", name, (double) (PROCESS.getProcessCpuTime() - began) / n / ROUNDS);
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
