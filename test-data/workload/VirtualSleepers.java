import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.MDC;

/**
 * VirtualSleepers ROUNDS: in each round 2 000 virtual threads of four users sleep, lock and wake each other up. Prints
 * "done" at the end; a program that hangs does not. JDK 21 or later.
 */
public class VirtualSleepers {
    static final int THREADS = 2000;
    static final Object LOCK = new Object();

    static void sleep(int i) throws Exception {
        Thread.sleep(1 + i % 5);
        synchronized (LOCK) {
            LOCK.notify();
            if (i % 10 == 0)
                LOCK.wait(2);
        }
        Thread.yield();
        Thread.sleep(1);
    }

    public static void main(String[] args) throws Exception {
        MDC.put("user", "main");
        MDC.clear();
        Thread.sleep(1500); // the recorder looks for libraries once a second
        ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);

        for (int round = 0; round < Integer.parseInt(args[0]); round++) {
            List<Future<?>> all = new ArrayList<>();

            for (int i = 0; i < THREADS; i++) {
                int number = i;

                MDC.put("user", "user" + i % 4);
                all.add(threads.submit(() -> {
                    if (number % 3 == 0)
                        MDC.put("user", "own" + number % 4);
                    sleep(number);
                    MDC.clear();
                    return null;
                }));
            }
            MDC.clear();
            for (Future<?> f : all)
                f.get();
        }
        threads.shutdown();
        System.out.println("done");
    }
}
