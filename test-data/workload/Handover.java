import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import jfrkit.ContextType;
import jfrkit.EventType;
import jfrkit.Field;
import jfrkit.Scope;
import jfrkit.Snapshot;

/**
 * Work that is handed from thread to thread, and threads that begin and end in odd ways. Every event
 * says where it is and who should be set there, or nobody (null).
 */
public class Handover {
    static final ContextType TYPE = ContextType.of("app", "user", "action");
    static final EventType EVENT = EventType.define("test.Who")
        .fields(Field.ofString("where"), Field.ofString("who")).stackTrace(false).build();
    static Object garbage;

    static void who(String where, String expected) {
        EVENT.begin().set(0, where).set(1, expected).commit();
    }

    static Runnable say(String where, String expected) {
        return () -> who(where, expected);
    }

    static final class Early {
        static {
            try (Scope s = TYPE.open("early")) {
                who("static initialiser", "early");
            }
        }

        static void touch() {
        }
    }

    static final class Late {
        @Override
        protected void finalize() {
            who("finalizer", null);
            try (Scope s = TYPE.open("late")) {
                who("finalizer, scope", "late");
            }
        }
    }

    static void parallel(Runnable here, Runnable elsewhere) {
        IntStream.range(0, 1000).parallel().forEach(i -> {
            (Thread.currentThread().getName().equals("main") ? here : elsewhere).run();
        });
    }

    static void pools(Snapshot x) throws Exception {
        CompletableFuture.runAsync(x.wrap(say("future, wrapped", "alice")))
            .thenRunAsync(say("future", null))
            .thenRunAsync(x.wrap((Runnable) () -> {
                try (Scope s = TYPE.open("inner")) {
                    who("future, scope", "inner");
                }
                who("future, behind a scope", "alice");
            })).thenRunAsync(say("future, at the end", null)).get();
        parallel(say("parallel, main", "alice"), say("parallel", null));
        parallel(x.wrap(say("parallel, wrapped", "alice")), x.wrap(say("parallel, wrapped", "alice")));
        parallel(say("parallel, main", "alice"), say("parallel again", null));
    }

    static void timers(Snapshot x) throws Exception {
        CountDownLatch latch = new CountDownLatch(6);
        Timer timer = new Timer(true);
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        Runnable task = x.wrap(say("timer, wrapped", "alice"));

        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                task.run();
                who("timer", null);
                latch.countDown();
            }
        }, 1, 2);
        pool.scheduleAtFixedRate(x.wrap((Runnable) () -> {
            who("scheduled, wrapped", "alice");
            TYPE.set("left");
            who("scheduled, set", "left");
            latch.countDown();
        }), 0, 2, TimeUnit.MILLISECONDS);
        pool.scheduleAtFixedRate(say("scheduled", null), 0, 1, TimeUnit.MILLISECONDS);
        latch.await();
        timer.cancel();
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
    }

    static void failures(Snapshot x) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();

        try {
            pool.submit(x.wrap((Callable<Void>) () -> {
                TYPE.open("never closed");
                throw new Exception("as it should");
            })).get();
            throw new AssertionError();
        } catch (ExecutionException wanted) {
            pool.submit(say("after a task that failed", null)).get();
        }
        jfrkit.Contexts.wrap(pool).execute(say("wrapped executor", "alice"));
        pool.submit(say("after a wrapped executor", null)).get();
        pool.shutdown();
        Snapshot.Restored first = x.restore();
        try (Scope s = TYPE.open("inside")) {
            Snapshot.Restored second = Snapshot.capture().restore();
            first.close();
            who("restored, the first one closed", "alice");
            second.close();
            who("restored, both closed", "alice");
        }
    }

    static void threads() throws Exception {
        for (int i = 0; i < 300; i++) { // the system uses their numbers again
            String me = "thread-" + i;
            Thread t = new Thread(() -> {
                who("new thread", null);
                TYPE.open("outer");
                TYPE.open(me);
                who("thread that ends in a scope", me);
            });
            t.start();
            t.join();
        }
        try (Scope s = TYPE.open("parent")) {
            Process p = new ProcessBuilder("/bin/sh", "-c", "echo hello").start();
            who("behind a fork", "parent");
            p.getInputStream().read();
            p.waitFor();
            who("behind the child's end", "parent");
        }
    }

    static void collected() throws Exception {
        garbage = new Late();
        garbage = null;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
        }
    }

    static void virtual() throws Exception {
        List<Thread> all = new ArrayList<>();
        ThreadFactory factory = Contexts.factory();
        Object lock = new Object();

        for (int i = 0; i < 200; i++) {
            String me = "virtual-" + i;
            all.add(factory.newThread(() -> {
                who("virtual", null);
                try (Scope s = TYPE.open(me)) {
                    synchronized (lock) {
                        lock.wait(1);
                        who("virtual, pinned", me);
                    }
                    Thread.sleep(1);
                    who("virtual, slept", me);
                    CompletableFuture.runAsync(Snapshot.capture().wrap(say("virtual to a pool", me))).join();
                    Thread other = factory.newThread(say("virtual by virtual", null));
                    other.start();
                    other.join();
                    who("virtual, waited", me);
                    TYPE.open("never closed");
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                who("virtual, out", null);
                TYPE.set("left");
            }));
        }
        for (Thread t : all)
            t.start();
        for (Thread t : all)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        Early.touch();
        try (Scope s = TYPE.open("alice", "hand over")) {
            Snapshot x = Snapshot.capture();
            pools(x);
            timers(x);
            failures(x);
            who("main", "alice");
        }
        Snapshot nothing = Snapshot.capture();
        try (Scope s = TYPE.open("bob")) {
            nothing.wrap(say("snapshot of nothing", null)).run();
            who("behind a snapshot of nothing", "bob");
        }
        threads();
        collected();
        if (Contexts.hasVirtual())
            virtual();
        if (args.length > 0)
            Class.forName(args[0]).getMethod("run").invoke(null);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            who("shutdown hook", null);
            try (Scope s = TYPE.open("hook")) {
                who("shutdown hook, scope", "hook");
            }
        }));
        TYPE.open("last");
        who("in a scope at the end", "last");
    }
}
