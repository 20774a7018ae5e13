import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.slf4j.MDC;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Users hand work to other threads, in each way that the JDK has. Each task reads the file USER-WAY, so that its event
 * tells for whom it should be; users without a name have no context.
 *
 * Tasks FOLDER ROUNDS: prints "want USER-WAY N" for the reads of each file.
 * Tasks FOLDER ROUNDS check: nothing is read; each task asks the recorder (jfrkit.Snapshot) which user is set, which takes
 * less time than an event. Ways that sleep or start a thread take part in one round of 16, and work that is split
 * is split into 64.
 * Each hand-over has a value of its own, "request", too. Prints "checks N wrong N", and "generations N": how often the
 * recorder has forgotten values. WRONG is for tasks that have another user; "lost N" for those that have none.
 */
public class Tasks {
    static final int USERS = 4;
    static final ExecutorService POOL = Executors.newFixedThreadPool(3);
    static final ThreadPoolExecutor EARLY = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    static final ExecutorService CACHED = Executors.newCachedThreadPool();
    static final ForkJoinPool FORKS = new ForkJoinPool(3);
    static final ExecutorService VIRTUAL = virtualExecutor();
    static final ExecutorService PER_TASK = perTaskExecutor();
    static final Executor SPRING = new SimpleAsyncTaskExecutor();
    static final ScheduledExecutorService TIMER = Executors.newScheduledThreadPool(2);
    static final Executor IN_TURN = MoreExecutors.newSequentialExecutor(POOL);
    static Timer timer; // of after the recording's begin: threads of older ones do not hand contexts over
    static File folder;

    interface Way {
        void handOver(String user, String way) throws Exception;
    }

    static final int GENERATIONS = 3; // a check does not end before; one comes each second at most
    static boolean isCheck;
    static final LongAdder CHECKS = new LongAdder();
    static final LongAdder WRONG = new LongAdder();
    static final LongAdder LOST = new LongAdder();

    /** "user0" ..., or none. */
    static String userNow() throws ReflectiveOperationException {
        String[] texts = (String[]) Current.TEXTS.get(Current.CAPTURE.invoke(null));

        for (int i = 0; texts != null && i < texts.length; i++)
            if (texts[i] != null && texts[i].startsWith("user"))
                return texts[i];
        return "none";
    }

    /** Of a snapshot, which the recorder's classes do not show to programs. */
    static final class Current {
        static final Method CAPTURE;
        static final Field TEXTS;

        static {
            try {
                Class<?> snapshot = Class.forName("jfrkit.Snapshot");

                CAPTURE = snapshot.getMethod("capture");
                TEXTS = snapshot.getDeclaredField("texts");
                TEXTS.setAccessible(true);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    static int generation() throws ReflectiveOperationException {
        Field f = Class.forName("jfrkit.Native").getDeclaredField("generation");

        f.setAccessible(true);
        return f.getInt(null);
    }

    static void check(String user, String way) {
        try {
            String now = userNow();

            CHECKS.increment();
            if (now.equals(user.startsWith("user") ? user : "none"))
                return;
            if (now.equals("none")) { // the recorder drops the context of a task if it has forgotten values since
                LOST.increment();
                return;
            }
            WRONG.increment();
            if (WRONG.sum() < 5)
                System.out.println("wrong: " + way + " of " + user + " has " + now);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void read(String user, String way) {
        if (isCheck) {
            if (!way.equals("any"))
                check(user, way);
            return;
        }
        try (FileInputStream in = new FileInputStream(new File(folder, user + "-" + way))) {
            in.read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One object that all users submit. */
    static final AtomicInteger SHARED_RUNS = new AtomicInteger();
    static final Runnable SHARED = () -> {
        read("shared", "any");
        SHARED_RUNS.incrementAndGet();
    };

    static void executeIn(Executor executor, String user, String way) throws Exception {
        CountDownLatch done = new CountDownLatch(1);

        executor.execute(() -> {
            read(user, way);
            done.countDown();
        });
        done.await();
    }

    static void execute(String user, String way) throws Exception {
        executeIn(POOL, user, way);
    }

    /** The queue of a cached pool has no room: a thread takes the task from the one that submits it, or begins with it. */
    static void cached(String user, String way) throws Exception {
        CACHED.submit(() -> read(user, way)).get();
    }

    /** The pool's thread begins with the task. */
    static void first(String user, String way) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();

        pool.submit(() -> read(user, way)).get();
        pool.shutdown();
    }

    /** An executor that starts a thread for each task, where the JVM has it. */
    static void perTask(String user, String way) throws Exception {
        executeIn(PER_TASK, user, way);
        PER_TASK.submit(() -> read(user, way)).get();
    }

    static void spring(String user, String way) throws Exception {
        executeIn(SPRING, user, way);
    }

    /** The program's own thread: with its starter's context only if the recording was asked for that. */

    static void thread(String user, String way) throws Exception {
        Thread t = new Thread(() -> read(user, way));

        t.start();
        t.join();
    }

    static void submit(String user, String way) throws Exception {
        POOL.submit(() -> read(user, way)).get();
    }

    static void invokeAll(String user, String way) throws Exception {
        Callable<Void> task = () -> {
            read(user, way);
            return null;
        };

        for (Future<Void> f : POOL.invokeAll(Collections.nCopies(3, task)))
            f.get();
    }

    /** Work that a task hands on belongs to its user, too. */
    static void nested(String user, String way) throws Exception {
        POOL.submit(() -> POOL.submit(() -> read(user, way))).get().get();
    }

    static void schedule(String user, String way) throws Exception {
        TIMER.schedule(() -> read(user, way), 1, TimeUnit.MILLISECONDS).get();
    }

    static void fixedRate(String user, String way) throws Exception {
        CountDownLatch runs = new CountDownLatch(3);
        AtomicInteger n = new AtomicInteger();
        ScheduledFuture<?> f = TIMER.scheduleAtFixedRate(() -> {
            if (n.getAndIncrement() < 3)
                read(user, way);
            runs.countDown();
        }, 0, 1, TimeUnit.MILLISECONDS);

        runs.await();
        f.cancel(false);
    }

    static void timer(String user, String way) throws Exception {
        CountDownLatch done = new CountDownLatch(1);

        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                read(user, way);
                done.countDown();
            }
        }, 1);
        done.await();
    }

    /** One task of the pool runs tasks of several users, each with its own context or none. */
    static void inTurn(String user, String way) throws Exception {
        executeIn(IN_TURN, user, way);
    }

    static void completable(String user, String way) throws Exception {
        CompletableFuture.runAsync(() -> read(user, way), POOL).get();
    }

    static void completableDefault(String user, String way) throws Exception {
        CompletableFuture.runAsync(() -> read(user, way)).get();
    }

    /** Futures of a user that has come before, which the next one completes. */
    static final AtomicReference<CompletableFuture<String>> PENDING = new AtomicReference<>();
    static final AtomicReference<SettableFuture<String>> OF_GUAVA = new AtomicReference<>();
    static final AtomicReference<Promise<String>> OF_NETTY = new AtomicReference<>();

    /** What is done with a value that another user delivers belongs to the user that waits for it. */
    static void dependent(String user, String way) {
        CompletableFuture<String> f = new CompletableFuture<>();
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> before;
        Runnable run = () -> read(user, way);

        f.thenRun(run);
        f.thenAccept(value -> read(user, way));
        f.thenApply(value -> {
            read(user, way);
            return value.length();
        });
        f.thenRunAsync(run, POOL);
        f.whenComplete((value, none) -> read(user, way));
        f.handle((value, none) -> {
            read(user, way);
            throw new IllegalStateException();
        }).exceptionally(failure -> {
            read(user, way);
            return null;
        });
        f.thenCompose(value -> {
            read(user, way);
            return never;
        });
        f.thenCombine(f, (value, same) -> {
            read(user, way);
            return value;
        });
        f.thenAcceptBoth(f, (value, same) -> read(user, way));
        f.runAfterBoth(f, run);
        f.applyToEither(never, value -> {
            read(user, way);
            return value;
        });
        f.acceptEither(never, value -> read(user, way));
        f.runAfterEither(never, run);
        before = PENDING.getAndSet(f);
        if (before != null)
            before.complete("value");
        guava(user, way);
        netty(user, way);
    }

    private static void netty(String user, String way) {
        Promise<String> promise = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
        Promise<String> before;

        promise.addListener(done -> read(user, way)).addListener(done -> read(user, way));
        ImmediateEventExecutor.INSTANCE.newSucceededFuture("value").addListener(done -> read(user, way));
        before = OF_NETTY.getAndSet(promise);
        if (before != null)
            before.setSuccess("value");
    }

    private static void guava(String user, String way) {
        SettableFuture<String> f = SettableFuture.create();
        SettableFuture<String> before;

        f.addListener(() -> read(user, way), MoreExecutors.directExecutor());
        Futures.transform(f, value -> {
            read(user, way);
            return value;
        }, MoreExecutors.directExecutor());
        before = OF_GUAVA.getAndSet(f);
        if (before != null)
            before.set("value");
    }

    static void forkJoinPool(String user, String way) throws Exception {
        FORKS.submit(() -> read(user, way)).get();
    }

    static void forkExecute(String user, String way) throws Exception {
        executeIn(FORKS, user, way);
    }

    /** Threads that wait for a half run halves of other users meanwhile. */
    static final class Halves extends RecursiveAction {
        private final String user;
        private final String way;
        private final int n;

        Halves(String user, String way, int n) {
            this.user = user;
            this.way = way;
            this.n = n;
        }

        @Override
        protected void compute() {
            if (n == 1)
                read(user, way);
            else
                invokeAll(new Halves(user, way, n / 2), new Halves(user, way, n - n / 2));
        }
    }

    static void forkJoin(String user, String way) throws Exception {
        FORKS.invoke(new Halves(user, way, isCheck ? 64 : 8));
    }

    static void parallelStream(String user, String way) throws Exception {
        IntStream.range(0, isCheck ? 64 : 8).parallel().forEach(i -> read(user, way));
    }

    /** A virtual thread for each task, where the JVM has such; it changes its carrier when it has slept. */
    static void virtual(String user, String way) throws Exception {
        Future<?> f = VIRTUAL.submit(() -> {
            Thread.sleep(1);
            read(user, way);
            return null;
        });

        f.get();
    }

    static ExecutorService virtualExecutor() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException | RuntimeException old) {
            return POOL;
        }
    }

    static ExecutorService perTaskExecutor() {
        try {
            return (ExecutorService) Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class)
                .invoke(null, Executors.defaultThreadFactory());
        } catch (ReflectiveOperationException | RuntimeException old) {
            return POOL;
        }
    }

    /** A subtask of a structured task scope: a virtual thread that the scope starts. A preview feature of JDK 21 to 25. */
    static void structured(String user, String way) throws Exception {
        Callable<Void> task = () -> {
            read(user, way);
            return null;
        };

        if (Scopes.OPEN == null) {
            POOL.submit(task).get();
            return;
        }
        try (AutoCloseable scope = (AutoCloseable) Scopes.OPEN.call()) {
            Scopes.FORK.invoke(scope, task);
            Scopes.JOIN.invoke(scope);
        }
    }

    /** StructuredTaskScope by reflection: JDK 21 has a constructor, JDK 25 a method open(). OPEN is null without it. */
    static final class Scopes {
        static final Method FORK;
        static final Method JOIN;
        static final Callable<Object> OPEN;

        static {
            Method fork = null;
            Method join = null;
            Callable<Object> open = null;

            try {
                Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");

                fork = type.getMethod("fork", Callable.class);
                join = type.getMethod("join");
                open = type.isInterface() ? opener(type.getMethod("open")) : type.getConstructor()::newInstance;
                ((AutoCloseable) open.call()).close();
            } catch (Exception | LinkageError none) { // older, or without --enable-preview
                open = null;
            }
            FORK = fork;
            JOIN = join;
            OPEN = open;
        }

        private static Callable<Object> opener(Method open) {
            return () -> open.invoke(null);
        }
    }

    /** The request has ended when its task begins. */
    static void outlives(String user, String way) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Future<?> f = POOL.submit(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            read(user, way);
        });

        MDC.remove("user");
        go.countDown();
        f.get();
        if (!user.equals("none"))
            MDC.put("user", user);
    }

    static void shared(String user, String way) throws Exception {
        for (int i = 0; i < 3; i++)
            POOL.execute(SHARED);
    }

    /**
     * One object that waits twice, submitted without a context and with one. A linked queue keeps the context of each; for
     * another queue it is not known which run belongs to whom, so neither has it.
     */
    static void twice(String name, BlockingQueue<Runnable> queue) throws Exception {
        ExecutorService one = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, queue);
        CountDownLatch go = new CountDownLatch(1);
        Runnable both = () -> read(name, "any");

        one.execute(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        one.execute(both);
        MDC.put("user", "user0");
        one.execute(both);
        MDC.clear();
        go.countDown();
        one.shutdown();
        one.awaitTermination(10, TimeUnit.SECONDS);
    }

    static final Object[][] WAYS = {
        {"execute", (Way) Tasks::execute, 1},
        {"cached", (Way) Tasks::cached, 1},
        {"first", (Way) Tasks::first, 1},
        {"perTask", (Way) Tasks::perTask, 2},
        {"spring", (Way) Tasks::spring, 1},
        {"thread", (Way) Tasks::thread, 1},
        {"submit", (Way) Tasks::submit, 1},
        {"invokeAll", (Way) Tasks::invokeAll, 3},
        {"nested", (Way) Tasks::nested, 1},
        {"schedule", (Way) Tasks::schedule, 1},
        {"fixedRate", (Way) Tasks::fixedRate, 3},
        {"timer", (Way) Tasks::timer, 1},
        {"inTurn", (Way) Tasks::inTurn, 1},
        {"completable", (Way) Tasks::completable, 1},
        {"completableDefault", (Way) Tasks::completableDefault, 1},
        {"dependent", (Way) Tasks::dependent, 19},
        {"okhttp", (Way) OkCalls::handOver, 1},
        {"scala", (Way) ScalaFutures::handOver, ScalaFutures.READS},
        {"reactor", (Way) ReactorPublishers::ofOne, ReactorPublishers.OF_ONE},
        {"reactorMany", (Way) ReactorPublishers::ofMany, ReactorPublishers.OF_MANY},
        {"rx", (Way) RxPublishers::ofOne, RxPublishers.OF_ONE},
        {"rxMany", (Way) RxPublishers::ofMany, RxPublishers.OF_MANY},
        {"vertx", (Way) VertxFutures::handOver, VertxFutures.READS},
        {"mutinyMany", (Way) MutinyPublishers::handOver, MutinyPublishers.READS},
        {"nettyTimers", (Way) NettyTimers::handOver, NettyTimers.READS},
        {"reactorBus", (Way) ReactorPublishers::emit, 1},
        {"forkJoinPool", (Way) Tasks::forkJoinPool, 1},
        {"forkExecute", (Way) Tasks::forkExecute, 1},
        {"forkJoin", (Way) Tasks::forkJoin, 8},
        {"parallelStream", (Way) Tasks::parallelStream, 8},
        {"virtual", (Way) Tasks::virtual, 1},
        {"structured", (Way) Tasks::structured, 1},
        {"outlives", (Way) Tasks::outlives, 1},
    };

    static final List<String> SLOW =
        Arrays.asList("schedule", "fixedRate", "timer", "virtual", "first", "perTask", "spring", "thread", "nettyTimers");

    /** A subscriber of many values without a user has that of the thread that emits: reactorBus is about those. */
    static boolean isWay(String user, Object[] way) {
        return !user.equals("none") || !((String) way[0]).endsWith("Many");
    }

    static void work(int number, int rounds) {
        String user = number == USERS ? "none" : "user" + number;

        try {
            for (int i = 0; i < rounds || (isCheck && generation() < GENERATIONS); i++) {
                if (number < USERS)
                    MDC.put("user", user);
                for (Object[] way : WAYS) {
                    if (isCheck) // the recorder's table of values fills up, and forgets old ones while others are set
                        MDC.put("request", "of-" + number + "-" + i + "-" + way[0]);
                    if (isWay(user, way) && (!isCheck || i % 16 == 0 || !SLOW.contains(way[0])))
                        ((Way) way[1]).handOver(user, (String) way[0]);
                }
                shared(user, "any");
                MDC.clear();
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    /** Pool threads have had their first tasks, and the recorder has chosen its keys. */
    static void warmUp(String ready) throws Exception {
        File go = new File(folder, ready);

        new File(folder, "warm-up").createNewFile();
        System.out.println("ready");
        while (!go.exists()) {
            MDC.put("user", "warm");
            for (int i = 0; i < 6; i++) {
                String way = new String("up"); // so that each is an object of its own: the first ones are not taken from the table

                POOL.execute(() -> read("warm", way));
            }
            TIMER.schedule(() -> read("warm", "up"), 1, TimeUnit.MILLISECONDS).get();
            MDC.clear();
            Thread.sleep(50);
        }
    }

    /** How many tasks are in the recorder's table. */
    static int waiting() throws Exception {
        Field table = Class.forName("jfrkit.weave.TaskTable", false, null).getDeclaredField("TABLE");
        int sum = 0;

        table.setAccessible(true);
        AtomicReferenceArray<?> lists = (AtomicReferenceArray<?>) table.get(null);

        for (int i = 0; i < lists.length(); i++) {
            Object first = lists.get(i);
            Field n = first == null ? null : first.getClass().getDeclaredField("n");

            if (n == null)
                continue;
            n.setAccessible(true);
            sum += n.getInt(first);
        }
        return sum;
    }

    /** How many tasks the recorder remembers, once those that will not run again are garbage; -1: it is not there. */
    static int stored() throws Exception {
        try {
            System.out.println("unclaimed " + waiting());
            for (int i = 0; i < 50 && waiting() > 0; i++) {
                System.gc();
                Thread.sleep(20);
                MDC.put("user", "last"); // the next task makes room
                FORKS.submit(() -> { }).get();
                MDC.clear();
            }
            return waiting();
        } catch (ClassNotFoundException e) {
            return -1;
        }
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[USERS + 1];

        folder = new File(args[0]);
        folder.mkdirs();
        for (int i = 0; i <= USERS; i++)
            for (Object[] way : WAYS)
                new File(folder, (i == USERS ? "none" : "user" + i) + "-" + way[0]).createNewFile();
        for (String name : new String[] {"shared", "early", "linked", "array"})
            new File(folder, name + "-any").createNewFile();
        EARLY.prestartAllCoreThreads(); // it waits for its first task when the recording begins
        warmUp("go");
        isCheck = args.length > 2;
        MDC.put("user", "user0");
        EARLY.submit(() -> read("early", "any")).get();
        MDC.clear();
        EARLY.submit(() -> read("early", "any")).get();
        EARLY.shutdown();
        twice("linked", new LinkedBlockingQueue<>());
        twice("array", new ArrayBlockingQueue<>(4));
        timer = new Timer(true);
        ReactorPublishers.begin("reactorBus");
        NettyTimers.begin();
        for (int i = 0; i < threads.length; i++) {
            int number = i;

            threads[i] = new Thread(() -> work(number, rounds));
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
        PENDING.get().complete("value");
        OF_GUAVA.get().set("value");
        OF_NETTY.get().setSuccess("value");
        ScalaFutures.end();
        ReactorPublishers.end();
        RxPublishers.end();
        VertxFutures.end();
        MutinyPublishers.end();
        NettyTimers.end();
        CACHED.shutdown();
        POOL.shutdown();
        POOL.awaitTermination(10, TimeUnit.SECONDS);
        TIMER.shutdown();
        for (int i = 0; i <= USERS; i++) {
            String user = i == USERS ? "none" : "user" + i;

            for (Object[] way : WAYS)
                if (isWay(user, way))
                    System.out.println("want " + user + "-" + way[0] + " " + rounds * (int) way[2]);
        }
        System.out.println("newer executors:" + (VIRTUAL != POOL ? " virtual" : "") + (PER_TASK != POOL ? " perTask" : "")
            + (Scopes.OPEN != null ? " structured" : ""));
        System.out.println("checks " + CHECKS + " wrong " + WRONG + " lost " + LOST);
        if (isCheck)
            System.out.println("generations " + generation());
        System.out.println("shared " + SHARED_RUNS.get());
        System.out.println("stored " + stored());
    }
}
