import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** What a user does with futures of Vert.x that the next user completes, for {@link Tasks}. */
final class VertxFutures {
    static final int READS = 2 * 7;

    private static final Vertx VERTX = Vertx.vertx();

    private static final class Pending {
        final List<Promise<String>> promises = Arrays.asList(Promise.promise(), Promise.promise(),
            ((ContextInternal) VERTX.getOrCreateContext()).promise(), ((ContextInternal) VERTX.getOrCreateContext()).promise());
        final CountDownLatch reads = new CountDownLatch(READS);
    }

    private static final AtomicReference<Pending> PENDING = new AtomicReference<>();

    private VertxFutures() {
    }

    /** Of the same kind, the second of which has one listener. */
    private static void listen(Future<String> f, Future<String> other, Runnable read) {
        f.onSuccess(value -> read.run());
        f.onComplete(result -> read.run());
        f.map(value -> {
            read.run();
            return value;
        }).compose(value -> {
            read.run();
            return Future.<String>failedFuture("failed");
        }).recover(failure -> {
            read.run();
            return f;
        });
        other.transform(result -> {
            read.run();
            return Future.succeededFuture("value");
        }).onSuccess(value -> read.run());
    }

    static void handOver(String user, String way) throws InterruptedException {
        Pending mine = new Pending();

        for (int i = 0; i < 4; i += 2)
            listen(mine.promises.get(i).future(), mine.promises.get(i + 1).future(), () -> {
                Tasks.read(user, way);
                mine.reads.countDown();
            });
        complete(PENDING.getAndSet(mine));
    }

    private static void complete(Pending pending) throws InterruptedException {
        if (pending == null)
            return;
        for (Promise<String> promise : pending.promises)
            promise.complete("value");
        pending.reads.await();
    }

    /** After the last user. */
    static void end() throws InterruptedException {
        complete(PENDING.get());
        VERTX.close();
    }
}
