import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What it costs at least to find something by a task on the thread that runs it: TaskFloor. Prints "NAME NS", CPU time of
 * both threads for each task, in rounds that take turns. No recorder is needed.
 *
 * <p>plain: execute() alone. hash: the identity hash on both threads. table: a table by that hash, one store and one load
 * for each task, without locks and without weak references. ring: a list in the order of submission, found by comparison.
 * wrapper: a second object around the task.
 */
public class TaskFloor {
    static final int PENDING = 64; // tasks of a batch
    static final int BATCHES = 4000;
    static final int WARM = 6;
    static final int ROUNDS = 10;
    static final int TABLE = 1 << 18;
    static final int RING = 1 << 12;
    static final com.sun.management.OperatingSystemMXBean PROCESS =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    static final ExecutorService POOL = Executors.newFixedThreadPool(1);
    static final AtomicReferenceArray<Task> RING_TASKS = new AtomicReferenceArray<>(RING);
    static final AtomicReferenceArray<Task> TABLE_TASKS = new AtomicReferenceArray<>(TABLE);
    static final AtomicInteger TAIL = new AtomicInteger();
    static int head; // of the one thread of the pool
    static long found;

    enum How {
        plain, hash, table, ring, wrapper
    }

    static int place(Object task) {
        return System.identityHashCode(task) & TABLE - 1;
    }

    static final class Task implements Runnable {
        private final How how;
        private final CountDownLatch done;

        Task(How how, CountDownLatch done) {
            this.how = how;
            this.done = done;
        }

        void submit() {
            switch (how) {
            case hash:
                place(this);
                break;
            case table:
                TABLE_TASKS.lazySet(place(this), this);
                break;
            case ring:
                RING_TASKS.lazySet(TAIL.getAndIncrement() & RING - 1, this);
                break;
            default:
                break;
            }
            if (how == How.wrapper) {
                Task task = this;

                POOL.execute(new Runnable() {
                    @Override
                    public void run() {
                        task.run();
                    }
                });
            } else {
                POOL.execute(this);
            }
        }

        @Override
        public void run() {
            if (how == How.hash) {
                found += place(this) >= 0 ? 1 : 0;
            } else if (how == How.table && TABLE_TASKS.get(place(this)) == this) {
                TABLE_TASKS.lazySet(place(this), null);
                found++;
            } else if (how == How.ring && RING_TASKS.get(head & RING - 1) == this) {
                RING_TASKS.lazySet(head++ & RING - 1, null);
                found++;
            }
            done.countDown();
        }
    }

    static long batches(How how) throws InterruptedException {
        long began = PROCESS.getProcessCpuTime();

        for (int i = 0; i < BATCHES; i++) {
            CountDownLatch done = new CountDownLatch(PENDING);

            for (int k = 0; k < PENDING; k++)
                new Task(how, done).submit();
            done.await();
        }
        return PROCESS.getProcessCpuTime() - began;
    }

    public static void main(String[] args) throws Exception {
        long[] ns = new long[How.values().length];

        for (int round = -WARM; round < ROUNDS; round++)
            for (How how : How.values()) {
                long took = batches(how);

                ns[how.ordinal()] += round < 0 ? 0 : took;
            }
        for (How how : How.values())
            System.out.printf("%s %.1f%n", how, (double) ns[how.ordinal()] / PENDING / BATCHES / ROUNDS);
        System.out.println("found " + found);
        System.exit(0);
    }
}
