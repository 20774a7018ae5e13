import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import jfrkit.ContextType;
import jfrkit.EventType;
import jfrkit.Field;
import jfrkit.Scope;

/**
 * Requests that never come again, each with values that nobody has seen, on threads of both kinds that
 * stay or end with a request: Requests THREADS. Goes on until it is killed.
 *
 * <p>An event says whose it is, so its context can be checked: request N has the user u-N, the action
 * a-N or b-N, the file f-N and the trace t-N.
 */
public class Requests {
    static final ContextType TYPE = ContextType.of("app", "user", "action", "file", "trace");
    static final EventType EVENT = EventType.define("test.Request").fields(Field.ofInt("number"))
        .stackTrace(false).build();
    static final AtomicLong NEXT = new AtomicLong();

    static void event(int number) {
        EVENT.begin().set(0, number).commit();
    }

    static void request(ThreadLocalRandom random, int depth) throws InterruptedException {
        int n = (int) NEXT.incrementAndGet();
        Scope s = TYPE.open("u-" + n, "a-" + n, "f-" + n, "t-" + n);

        event(n);
        if (random.nextInt(8) == 0 && depth < 3)
            request(random, depth + 1);
        if (random.nextInt(8) == 0)
            s.set(1, "b-" + n);
        if (random.nextInt(8) == 0)
            Thread.sleep(random.nextInt(random.nextInt(16) == 0 ? 300 : 3));
        if (random.nextInt(4) > 0)
            event(n);
        if (depth > 0 || random.nextInt(16) > 0)
            s.close(); // else something that is around it closes it, or its thread ends
    }

    static void work(int n) {
        ThreadLocalRandom random = ThreadLocalRandom.current();

        try {
            for (int i = 0; i < n; i++) {
                try (Scope around = TYPE.open("nobody")) {
                    request(random, 0);
                }
                Thread.sleep(random.nextInt(12)); // there is room for so many values at a time
            }
            request(random, 0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void all(ThreadFactory factory, int n, List<Thread> out) {
        for (int i = 0; i < n; i++)
            out.add(factory.newThread(() -> {
                work(Integer.MAX_VALUE);
            }));
        out.add(factory.newThread(() -> {
            for (;;) {
                Thread t = factory.newThread(() -> work(3));
                t.start();
                try {
                    t.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }));
    }

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();

        all(Thread::new, Integer.parseInt(args[0]), threads);
        if (Contexts.hasVirtual())
            all(Contexts.named("virtual-"), Integer.parseInt(args[0]), threads);
        for (Thread t : threads)
            t.start();
        System.out.println("begun=1");
        for (Thread t : threads)
            t.join();
    }
}
